//===- Checker.h - A function on the CPU and on the device ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_CHECKMODULE_CHECKER_H
#define TCGEMM_TOOLS_CHECKMODULE_CHECKER_H

#include "Jit.h"
#include "Tolerance.h"

#include "tcgemm/Pipelines/CompileOptions.h"

#include <functional>

namespace tcgemm {

struct CheckOptions {
  CompileOptions compile;
  int64_t smCount = 0;
  bool isEmulated = false;
  SizeOptions sizes;
  FillOptions fill;
  std::map<std::string, FillOptions> fills;   ///< By argument: `arg1`.
  std::map<std::string, double> scalars;      ///< By argument: `arg1`.
  std::map<std::string, std::string> outputs; ///< Files by result: `result0`.
  uint64_t seed = 1;
  double toleranceFactor = 1;
  /// Ends the process after a crash of host code for the device, when locks of
  /// the driver may be held.
  std::function<void(llvm::StringRef text)> crash;
};

/// The status of a check, in increasing order of severity.
enum class CheckStatus {
  Skipped, ///< The function cannot be called.
  Passed,
  Wrong,
  BadInput, ///< It cannot be compiled, or the CPU's code failed.
  DeviceError,
  Finding, ///< The emulator has findings.
};

struct CheckReport {
  CheckStatus status = CheckStatus::Passed;
  std::string text; ///< Why it was skipped or failed.
  std::vector<ValueType> types;
  std::vector<Comparison> results;
  std::vector<HostTensor> outputs; ///< The device's results.
};

/// Runs the function of a module and compares its results.
CheckReport checkFunction(mlir::ModuleOp module, llvm::StringRef function,
                          const CheckOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_CHECKMODULE_CHECKER_H
