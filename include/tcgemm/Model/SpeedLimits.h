//===- SpeedLimits.h - The speeds that a GPU does not exceed ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A limits file is YAML: the chip, and limits with unit and source
// (docs/reference/limits-files.md). A machine file (tcgemm/Model/Machine.h) has
// the speeds that kernels usually reach. A limit is a speed that none exceeds,
// or a time that none falls below, so that a time computed from limits is a
// lower bound.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_SPEEDLIMITS_H
#define TCGEMM_MODEL_SPEEDLIMITS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <string>

namespace tcgemm {

/// The limits of a file; getLimitInfos has their names and units.
enum class SpeedLimit {
  Launch,
  CopyLatency,
  Epilogue,
  MathRate,
  CopyRate,
  CacheRate,
  MemoryRate,
  OutsideRow,
  ClusterProcessors,
};
constexpr size_t kNumSpeedLimits = size_t(SpeedLimit::ClusterProcessors) + 1;

struct LimitInfo {
  llvm::StringLiteral name, unit;
  double low, high; ///< The values that a file may have.
};
/// By SpeedLimit.
llvm::ArrayRef<LimitInfo> getLimitInfos();

struct SpeedLimits {
  std::string name; ///< `NVIDIA H200`.
  std::string chip; ///< `sm_90a`.
  std::array<double, kNumSpeedLimits> values{};
  /// The document that a value is from, or how it was found.
  std::array<std::string, kNumSpeedLimits> sources;

  double get(SpeedLimit limit) const { return values[size_t(limit)]; }
};

/// Errors name the file and the place or the limit, its value, the rule and the
/// range.
llvm::Expected<SpeedLimits> parseSpeedLimits(llvm::StringRef text,
                                             llvm::StringRef fileName);

} // namespace tcgemm

#endif // TCGEMM_MODEL_SPEEDLIMITS_H
