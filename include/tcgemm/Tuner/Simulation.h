//===- Simulation.h - A device that only answers ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device `simulated` is for tests of the tuner itself. Its candidates are
// neither compiled nor executed. Their outcomes and times are functions of a
// seed, the problem and the configuration, so that two runs have the same
// records. The processes, the files, the database and the deadlines are those
// of every device.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_SIMULATION_H
#define TCGEMM_TUNER_SIMULATION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace tcgemm {

/// The name of the device, of its platform and of its driver.
inline constexpr llvm::StringLiteral kSimulatedDevice = "simulated";

/// The shares of candidates with a fault are from 0 to 1.
struct SimulationOptions {
  double seed = 1;
  double milliseconds = 0; ///< For which the device is busy with a candidate.
  double refused = 0;      ///< The compiler reports an error.
  double compilerHangs = 0, compilerCrashes = 0;
  double hangs = 0;       ///< The process on the device does not answer.
  double crashes = 0;     ///< That process dies.
  double faults = 0;      ///< The device is lost, and is opened again.
  double wrong = 0;       ///< The result is wrong.
  double lacksMemory = 0; ///< The device has too little memory.
  /// So many processes of a device die while they open it.
  double startCrashes = 0;

  /// Reads `seed=2,ms=50,hang=0.001`. Errors: an unknown name, a number out of
  /// its range.
  static llvm::Expected<SimulationOptions> parse(llvm::StringRef text);
};

} // namespace tcgemm

#endif // TCGEMM_TUNER_SIMULATION_H
