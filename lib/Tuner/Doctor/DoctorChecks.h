//===- DoctorChecks.h - The parts of a diagnosis ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_DOCTOR_DOCTORCHECKS_H
#define TCGEMM_LIB_TUNER_DOCTOR_DOCTORCHECKS_H

#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Target/Ptxas.h"
#include "tcgemm/Tuner/Doctor.h"

#include <optional>

namespace tcgemm {

/// Collects checks.
class Checks {
public:
  explicit Checks(std::vector<Check> &list) : list(list) {}
  void ok(llvm::StringRef name, const llvm::Twine &message) {
    list.push_back({name.str(), CheckStatus::Ok, message.str(), ""});
  }
  void warn(llvm::StringRef name, const llvm::Twine &message,
            const llvm::Twine &advice) {
    list.push_back(
        {name.str(), CheckStatus::Warning, message.str(), advice.str()});
  }
  void fail(llvm::StringRef name, const llvm::Twine &message,
            const llvm::Twine &advice) {
    list.push_back(
        {name.str(), CheckStatus::Error, message.str(), advice.str()});
  }

private:
  std::vector<Check> &list;
};

/// Checks ptxas and its version; returns none if it was not found.
std::optional<Ptxas> checkPtxas(Checks &checks, const DoctorOptions &options,
                                bool isNeeded);
/// Checks that the driver accepts code of ptxas.
void checkCubin(Checks &checks, Device &device, const Ptxas &ptxas,
                llvm::StringRef chip);
/// Checks clocks, limits, persistence and other processes by NVML.
void checkMonitor(Checks &checks, const DeviceProperties &properties);
/// Checks whether profilers may read the GPU's counters.
void checkCounters(Checks &checks, llvm::StringRef parameters);
void checkDatabase(Checks &checks, llvm::StringRef path);
void checkDisk(Checks &checks, llvm::StringRef path);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_DOCTOR_DOCTORCHECKS_H
