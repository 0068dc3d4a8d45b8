//===- Installation.h - Tuning a machine once -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of an installation for a problem, which depends on the records that
// there are, and the time that each of several problems gets.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_INSTALLATION_H
#define TCGEMM_TUNER_INSTALLATION_H

#include "tcgemm/Tuner/Tuner.h"

namespace tcgemm {

enum class InstallState {
  Known,  ///< A search of the platform has ended with a record.
  Retime, ///< Another driver or compiler has records of the device.
  New,    ///< The device has no records.
};

struct InstallStep {
  InstallState state = InstallState::New;
  /// The configurations of a problem to time again, the fastest first.
  std::vector<KernelConfig> finalists;
};

/// `records` are those of one problem. At most `maxFinalists` configurations
/// are timed again: those of the finals if there are any.
InstallStep planInstallation(llvm::ArrayRef<Record> records,
                             const Platform &platform, unsigned maxFinalists);

/// The equal share in seconds of the next of `problems` problems, when
/// `elapsed` of `total` seconds have passed; 0 if there is no time left.
double getInstallShare(double total, double elapsed, size_t problems);

enum class InstallOutcome {
  Right, ///< The search has a right result.
  Wrong, ///< The search tried candidates, and none has a right result.
  Left,  ///< The share ended before the first candidate: for another run.
};

/// Of a search that was not interrupted.
InstallOutcome getInstallOutcome(const TuningResult &result);

} // namespace tcgemm

#endif // TCGEMM_TUNER_INSTALLATION_H
