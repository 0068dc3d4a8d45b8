//===- Validation.h - The simulator against measured times ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The experiment of "A Performance Model for Warp Specialization Kernels" (Z.
// Liu and V. Grover, section 4.2): all M, N and K of 128 to 1024 in steps of
// 128, and all tiles with sides of 64 and 128, which are 4096 cases. Sizes are
// compiled in, each CTA computes one tile, there are no clusters, and the data
// is in the L2 cache.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_VALIDATION_H
#define TCGEMM_TUNER_VALIDATION_H

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Tuner/CalibrationRunner.h"

namespace tcgemm {

struct ValidationCase {
  MatmulSizes sizes;
  std::array<int64_t, 3> tile = {}; ///< Along M, N and K.

  TuningProblem getProblem() const;
  /// The deepest legal ring of up to eight slots, not deeper than the stages of
  /// a tile. Errors: the chip has no legal configuration for the tile.
  llvm::Expected<KernelConfig> getConfig(const ChipInfo &chip) const;
  int64_t getCTAs() const;
  bool operator==(const ValidationCase &other) const {
    return sizes == other.sizes && tile == other.tile;
  }
};

/// All cases, by sizes and then by tiles.
std::vector<ValidationCase> getValidationCases();

struct ValidationResult {
  ValidationCase measured;
  std::string device;      ///< `NVIDIA H200`.
  double microseconds = 0; ///< A launch: the mean of a chain of 100.
};

/// Reads the lines of a log as writeResult writes them, with the header. Errors
/// name the line: a missing header, a wrong number of fields, a number out of
/// its range, a case that is not one of the experiment's or is there twice.
llvm::Expected<std::vector<ValidationResult>>
parseResults(llvm::StringRef text, llvm::StringRef fileName);
void writeResultHeader(llvm::raw_ostream &os);
void writeResult(const ValidationResult &result, llvm::raw_ostream &os);

struct ValidationOptions {
  EngineOptions engine;
  double budget = 3600; ///< Seconds, after which no batch of cases starts.
};

/// Compiles and measures cases, a batch after the other. `keep` gets each
/// result; its errors end the run. On an emulator the cases are executed, and
/// the times are those of the simulator with `machine`. Cases that fail are
/// reported to `progress` and have no result. Returns the number of cases that
/// were tried.
llvm::Expected<size_t>
measureCases(CalibrationDevice &device, llvm::ArrayRef<ValidationCase> cases,
             const Machine &machine, const ValidationOptions &options,
             llvm::function_ref<llvm::Error(const ValidationResult &)> keep,
             const CalibrationProgress &progress);

/// The times of a case by both layers of the simulator, in microseconds.
struct ValidationPrediction {
  double recurrences = 0; ///< Of the paper: tcgemm/Model/Ring.h.
  double kernel = 0;      ///< tcgemm/Model/KernelModel.h.
};
llvm::Expected<ValidationPrediction> predictCase(const Machine &machine,
                                                 const ChipInfo &chip,
                                                 const ValidationCase &each);

/// The differences of predicted times from measured ones.
struct PredictionErrors {
  double mean = 1;  ///< The geometric mean of predicted over measured times.
  double error = 0; ///< The mean of |predicted / measured - 1|.
  double most = 0;  ///< The 90th percentile of that.
  double worst = 0; ///< The largest of that.
  /// The geometric mean of the time of the tile that is predicted to be the
  /// fastest over the time of the fastest, over the sizes with all tiles; none
  /// without such sizes.
  std::optional<double> choice;
};
struct ValidationSummary {
  size_t numCases = 0, numSizes = 0; ///< Sizes with all tiles.
  PredictionErrors recurrences, kernel;
};
/// `predictions` are those of `results`.
ValidationSummary summarize(llvm::ArrayRef<ValidationResult> results,
                            llvm::ArrayRef<ValidationPrediction> predictions);

} // namespace tcgemm

#endif // TCGEMM_TUNER_VALIDATION_H
