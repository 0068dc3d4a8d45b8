//===- ProblemCost.h - Cost of running a problem ----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost is memory and, on the emulator, time. Both follow from the shapes,
// before anything is allocated.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_PROBLEMCOST_H
#define TCGEMM_RUNTIME_PROBLEMCOST_H

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

/// Bytes, as real numbers: sums may exceed 64 bits.
struct MemoryNeed {
  double host =
      0; ///< Host memory, including the emulator's if it runs the problem.
  double device = 0; ///< Memory of a GPU.
};

/// The maximum memory that a check of the problem allocates at a time, without
/// the kernels' workspaces.
MemoryNeed estimateMemory(const Problem &problem, bool isEmulated);

/// Bytes of memory that this process can still allocate, within the limits of
/// the process and of its control group.
double getAvailableHostMemory();

/// Fails if the problem needs more memory than is available on the host or, for
/// a GPU, on the device. A null device is not known yet and is not checked.
llvm::Error checkMemory(const Problem &problem, const DeviceProperties *device);

/// The approximate time in seconds that the emulator needs for all launches;
/// 0 threads: one for each core.
double estimateEmulatorSeconds(const Problem &problem, unsigned threads);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_PROBLEMCOST_H
