//===- RecordPrediction.h - Sizes without a record --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records for other sizes are candidates. The model estimates the time of each
// configuration for the requested sizes, and the model's error for the record's
// own sizes corrects the estimate.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_RECORDPREDICTION_H
#define TCGEMM_LIB_STORE_RECORDPREDICTION_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Store/Record.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <limits>
#include <memory>

namespace tcgemm {

/// Returns whether all sizes are known.
bool hasSizes(const ProblemInfo &problem);

/// The distance of a record from the requested problem: the norm of the vector
/// of log2 of the sizes' ratios. Another element type, and another layout of an
/// operand, increase it.
double getDistance(const ProblemInfo &record, const ProblemInfo &asked);

/// Returns whether `config` agrees with the fixed parameters of the request and
/// is legal for the problem.
bool isUsable(KernelConfig config, const ConfigRequest &request,
              const ProblemInfo &asked);

/// Returns whether a configuration that was recorded for `record` has enough
/// registers for the requested epilogue. A configuration with many accumulators
/// in each thread would spill if the epilogue reads more, or computes anything
/// in a pingpong kernel.
bool hasRoomForEpilogue(const KernelConfig &config, const ProblemInfo &record,
                        const ProblemInfo &asked);

/// Adapts a configuration that was recorded for an epilogue with fewer inputs.
/// The additional inputs are copied to shared memory before their use, if
/// removing at most two stages of the ring frees enough memory and the kernel
/// is persistent, so that the loop over k hides the copies.
KernelConfig stageInputs(const KernelConfig &config,
                         const ConfigRequest &request,
                         const ProblemInfo &asked);

/// A record, and what predictions for all sizes need of it.
struct KnownRecord {
  /// Records with the same configuration have the same number of it.
  KnownRecord(Record record, size_t configNumber);

  Record record;
  size_t configNumber;
  ProblemInfo problem;
  std::array<double, 4> doublings; ///< log2 of M, N, K and batch.
  /// The measured time over the estimated one; none if no model estimates it.
  /// Set by the first prediction that needs it.
  std::optional<std::optional<double>> error;
};

/// Chooses among records of other sizes. First it collects them with bounds of
/// their predicted times; then it compares variants of those that may be the
/// fastest.
class RecordPrediction {
public:
  /// `constants` are those of models by chip; all sizes of `asked` are known.
  RecordPrediction(const llvm::StringMap<ModelConstants> &constants,
                   const ConfigRequest &request, const ProblemInfo &asked);
  ~RecordPrediction();

  /// Adds a record's configuration, and variations with other clusters and
  /// slices of k. The record outlives the prediction.
  void consider(KnownRecord &known);
  /// Finds the fastest of them. The first of equal ones wins.
  void compareRecords();
  /// The same for the choices of the models, which have no record, if the chip
  /// has constants.
  void considerOthers();

  /// The fastest configuration; none if none is usable. `record` is null if it
  /// is the choice of a model, which `source` names.
  struct Choice {
    KernelConfig config;
    const Record *record;
    llvm::StringRef source;
  };
  const std::optional<Choice> &getBest() const { return best; }

private:
  /// A record whose variants may be the fastest. Of those with the same
  /// configuration, it is the one with the least factor: the factors of all its
  /// variants are the least, too.
  struct Contender {
    double bound = 0;     ///< No variant's predicted time is less.
    double leastEstimate; ///< No variant's estimate is less.
    double factor;        ///< Of the record's configuration.
    size_t place;         ///< Among all records.
    KnownRecord *known;
    double distance;
    bool operator<(const Contender &other) const {
      return std::pair(bound, place) < std::pair(other.bound, other.place);
    }
  };
  /// The model of one schedule for the requested problem.
  struct ScheduleModel;

  ScheduleModel *findModel(const KernelConfig &config);
  std::optional<double> estimate(const KernelConfig &config,
                                 const ProblemInfo &problem) const;
  std::optional<double> getError(KnownRecord &known) const;
  double getBound(const KernelConfig &config);
  void chooseOfModel();
  void compareVariants(const Contender &contender);
  bool isFaster(double time) const;
  std::optional<double> findTime(const KernelConfig &config, double factor);
  void compare(const KernelConfig &config, const Record *record,
               llvm::StringRef source, double factor);

  const ConfigRequest &request;
  const ProblemInfo &asked;
  const std::array<double, 4> doublings;
  /// The chip's constants; null if the default model predicts.
  const ModelConstants *constants = nullptr;
  std::vector<std::unique_ptr<ScheduleModel>> models;
  std::vector<Contender> contenders;
  /// Their places by the number of the configuration.
  llvm::DenseMap<size_t, size_t> contenderOf;
  size_t numRecords = 0;
  /// The model's choice, which is compared after the records.
  std::optional<KernelConfig> ofModel;
  /// A time below which a record has to be, if the model has a choice.
  double ceiling = std::numeric_limits<double>::infinity();
  std::optional<Choice> best;
  double bestTime = 0;
  size_t place = 0, bestPlace = 0; ///< Of the record that is compared.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_RECORDPREDICTION_H
