//===- ProblemCost.h - What running a problem takes -------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory and, on the emulator, time. Both are known from the shapes, before
// anything is allocated.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_PROBLEMCOST_H
#define TCGEMM_RUNTIME_PROBLEMCOST_H

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

/// Bytes, as real numbers: sums may exceed 64 bits.
struct MemoryNeed {
  double host = 0;   ///< With the emulator's, if that runs it.
  double device = 0; ///< Of a GPU.
};

/// The most memory that a check of the problem has allocated at a time, without
/// the kernels' workspaces.
MemoryNeed estimateMemory(const Problem &problem, bool isEmulated);

/// Bytes of memory that this process can still allocate; limits of the process
/// and of its control group count.
double getAvailableHostMemory();

/// Fails if the problem needs more memory than is available on the host or, for
/// a GPU, on the device. Null: the device is not known yet.
llvm::Error checkMemory(const Problem &problem, const DeviceProperties *device);

/// About how many seconds the emulator takes for all launches; 0 threads stand
/// for all of the machine.
double estimateEmulatorSeconds(const Problem &problem, unsigned threads);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_PROBLEMCOST_H
