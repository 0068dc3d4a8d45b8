//===- Doctor.h - Checks of a machine for tuning ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the requirements of a search: device, driver, ptxas, clocks,
// permissions, database, disk. Changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_DOCTOR_H
#define TCGEMM_TUNER_DOCTOR_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tcgemm {

enum class CheckStatus {
  Ok,
  Warning, ///< A search works, but with worse results or less information.
  Error,   ///< A search does not work.
};
/// `ok`, `warning`, `error`.
llvm::StringRef getCheckStatusName(CheckStatus status);

struct Check {
  std::string name; ///< `device`, `ptxas`, `cubin`, ...
  CheckStatus status = CheckStatus::Ok;
  std::string message; ///< The result of the check.
  std::string advice;  ///< The remedy; empty if the check passed.
};

struct DoctorOptions {
  /// `cuda`, `cuda:N` or `emulator`.
  std::string device = "cuda";
  std::string ptxasPath; ///< Empty: searched for.
  std::string database;
  /// The file with the parameters of the driver's kernel module.
  std::string driverParameters = "/proc/driver/nvidia/params";
};

struct Diagnosis {
  std::vector<Check> checks;
  bool hasDevice = false;

  bool hasErrors() const;
};

/// Makes all checks. After a failure, the checks that depend on it are skipped.
Diagnosis diagnose(const DoctorOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TUNER_DOCTOR_H
