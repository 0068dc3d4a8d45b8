//===- ExplainTimes.h - A configuration's time by parts ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_EXPLAINTIMES_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_EXPLAINTIMES_H

#include "Flags.h"
#include "tcgemm/Store/ShippedMachines.h"

namespace tcgemm {

/// Prints the predicted and simulated times of configurations by parts, beside
/// their lower bounds and measured times.
class TimeExplainer {
public:
  /// Reads the model of --model and the limits of the chips. Errors: they
  /// cannot be read.
  static llvm::Expected<TimeExplainer> create(const Flags &flags);

  /// Adds a configuration once, if it is legal.
  void add(const ChipInfo &chip, const TuningProblem &problem,
           const KernelConfig &config);
  /// Prints all of them. Errors: the database cannot be read.
  llvm::Error print() const;

private:
  /// A legal configuration.
  struct Subject {
    const ChipInfo *chip;
    TuningProblem problem;
    KernelConfig config;
  };

  explicit TimeExplainer(const Flags &flags) : flags(flags) {}
  void printPrediction(const Subject &subject) const;
  void printSimulation(const Subject &subject) const;
  void printChoosingModel(const Subject &subject) const;
  void printBound(const Subject &subject) const;
  llvm::Error printMeasured(const Subject &subject) const;

  const Flags &flags;
  std::vector<Subject> subjects;
  ShippedSpeeds speeds;                ///< Those of --model, or shipped ones.
  llvm::StringMap<SpeedLimits> limits; ///< By chips.
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_EXPLAINTIMES_H
