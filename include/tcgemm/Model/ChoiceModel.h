//===- ChoiceModel.h - The model that chooses without records ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without records, a product's configuration is chosen by the fitted model, by
// the simulator, or by the default model: by the first one that describes the
// product's kernels. This class gives that model's candidates and times to
// callers that compare many configurations for many sizes.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_CHOICEMODEL_H
#define TCGEMM_MODEL_CHOICEMODEL_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Model/Machine.h"

namespace tcgemm {

/// The measured speeds of a chip. Either may be null.
struct ChipSpeeds {
  const ModelConstants *constants = nullptr;
  const Machine *machine = nullptr;
};

class ChoiceModel {
public:
  /// The model for the kind of `problem`, whose sizes have no influence.
  ChoiceModel(const ChipInfo &chip, const ChipSpeeds &speeds,
              const ProblemInfo &problem);

  /// `fitted model`, `simulator` or `default model`.
  llvm::StringRef getName() const;
  /// The default of a schedule that was measured to be the fastest for the
  /// problem, so that the models are not asked.
  std::optional<KernelConfig> findMeasured(const ProblemInfo &sized) const;
  /// The configurations among which the model chooses; some may be illegal. All
  /// sizes of `sized` are known.
  std::vector<KernelConfig> listCandidates(const ProblemInfo &sized) const;
  /// Microseconds of a computable configuration; none if the model does not
  /// describe it.
  std::optional<double> estimate(const KernelConfig &config,
                                 const ProblemInfo &sized) const;
  /// Returns whether estimates of two schedules can be compared. The default
  /// model has an estimate of its own for each schedule.
  bool isComparable(Schedule a, Schedule b) const;

private:
  enum class Kind { Fitted, Simulator, Default };

  const ChipInfo &chip;
  ChipSpeeds speeds;
  Kind kind = Kind::Default;
};

} // namespace tcgemm

#endif // TCGEMM_MODEL_CHOICEMODEL_H
