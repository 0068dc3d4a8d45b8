//===- RecordPrediction.h - Sizes without a record --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records for other sizes as candidates: the model says how long the
// configuration of each takes for the sizes that are asked for, and what the
// model was wrong by for the record's own sizes corrects it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_RECORDPREDICTION_H
#define TCGEMM_LIB_STORE_RECORDPREDICTION_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Store/Record.h"
#include "llvm/ADT/StringMap.h"

namespace tcgemm {

/// Whether all sizes are known.
bool hasSizes(const ProblemInfo &problem);

/// How far a record is from what is asked for: the length of the vector of the
/// sizes' quotients' logarithms to the base 2, to which another type of the
/// elements and another layout of an operand add.
double getDistance(const ProblemInfo &record, const ProblemInfo &asked);

/// Whether `config` goes with what the request's user fixes, and is legal for
/// the problem then.
bool isUsable(KernelConfig config, const ConfigRequest &request,
              const ProblemInfo &asked);

/// Whether a configuration that was recorded for `record` has registers for the
/// epilogue that is asked for: where that reads more, or does anything in a
/// pingpong kernel, one with many accumulators a thread would spill.
bool hasRoomForEpilogue(const KernelConfig &config, const ProblemInfo &record,
                        const ProblemInfo &asked);

/// A configuration that was recorded for an epilogue that reads less: what the
/// one asked for reads besides comes into shared memory ahead of its use, where
/// a ring of up to two stages fewer leaves room for it and the kernel is
/// persistent, so that the loop over k hides the copies.
KernelConfig stageInputs(const KernelConfig &config,
                         const ConfigRequest &request,
                         const ProblemInfo &asked);

class RecordPrediction {
public:
  /// `constants` of models by chip; `asked` has all sizes.
  RecordPrediction(const llvm::StringMap<ModelConstants> &constants,
                   const ConfigRequest &request, const ProblemInfo &asked);

  /// Compares a record's configuration, and what follows from it by other
  /// slices of k, with the best so far.
  void consider(const Record &record);
  /// The same with the default model's choice, which has no record behind it,
  /// if the chip has constants.
  void considerDefault();

  /// The fastest; none if nothing is usable. `record` is null if it is the
  /// default model's.
  struct Choice {
    KernelConfig config;
    const Record *record;
  };
  const std::optional<Choice> &getBest() const { return best; }

private:
  std::optional<double> estimate(const KernelConfig &config,
                                 const ProblemInfo &problem) const;
  void compare(const KernelConfig &config, const Record *record, double factor);

  const ConfigRequest &request;
  const ProblemInfo &asked;
  /// Of the chip; null where the default model predicts.
  const ModelConstants *constants = nullptr;
  std::optional<Choice> best;
  double bestTime = 0;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_RECORDPREDICTION_H
