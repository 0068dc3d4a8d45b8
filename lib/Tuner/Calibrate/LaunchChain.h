//===- LaunchChain.h - Launches of a kernel on the same data ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_CALIBRATE_LAUNCHCHAIN_H
#define TCGEMM_LIB_TUNER_CALIBRATE_LAUNCHCHAIN_H

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

/// Fills the operands of `problem` with random values and copies them to the
/// device. Returns the addresses of their images.
llvm::Expected<std::vector<uint64_t>>
copyOperands(Device &device, Problem &problem, std::vector<Buffer> &memory);

/// The multiprocessors for which a launch is planned, and the CTAs that its
/// first kernel must have.
struct ChainGrid {
  int64_t processors = 0, ctas = 0;
};

/// A kernel with its data, and many launches of it as a graph. The data is the
/// same each time: what fits into the L2 cache is there.
class LaunchChain {
public:
  /// Plans and loads the problem's first launch, for operands at these
  /// addresses. The pack must outlive the chain. Errors: no variant accepts the
  /// problem, or its first kernel does not have the CTAs of `grid`, because
  /// another one packs operands.
  static llvm::Expected<LaunchChain>
  create(Device &device, const KernelPack &pack, const Problem &problem,
         llvm::ArrayRef<uint64_t> addresses, const ChainGrid &grid);

  /// Enqueues one launch.
  llvm::Error enqueue() {
    return executor->launch(plan, workspace.getAddress());
  }
  /// Runs one launch. Findings of a device that checks accesses are errors.
  llvm::Error execute();
  /// Makes the graph of so many launches.
  llvm::Error capture(size_t launches);
  /// Enqueues the graph.
  llvm::Error launch() { return graph->launch(); }
  /// Nanoseconds of the graph.
  llvm::Expected<double> time();
  size_t getLength() const { return length; }

private:
  explicit LaunchChain(Device &device) : device(&device) {}

  Device *device;
  Buffer workspace;
  std::unique_ptr<Executor> executor;
  LaunchPlan plan;
  std::unique_ptr<Graph> graph;
  size_t length = 0;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_CALIBRATE_LAUNCHCHAIN_H
