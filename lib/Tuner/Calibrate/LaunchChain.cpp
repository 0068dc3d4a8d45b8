//===- LaunchChain.cpp - Launches of a kernel on the same data ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate/LaunchChain.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {

Expected<std::vector<uint64_t>> copyOperands(Device &device, Problem &problem,
                                             std::vector<Buffer> &memory) {
  if (Error error = problem.fill())
    return std::move(error);
  std::vector<uint64_t> addresses;
  for (const ProblemBuffer &buffer : problem.buffers) {
    Expected<Buffer> allocated =
        device.allocate(size_t(buffer.getImageSize()), buffer.name);
    if (!allocated)
      return allocated.takeError();
    addresses.push_back(allocated->getAddress());
    if (Error error = device.copyToDevice(addresses.back(), buffer.image.data(),
                                          buffer.image.size()))
      return std::move(error);
    memory.push_back(std::move(*allocated));
  }
  return std::move(addresses);
}

/// Fails if the first kernel is not the one with these CTAs.
static Error checkGrid(const LaunchPlan &plan, int64_t expected) {
  for (const PlannedStep &step : plan.steps) {
    if (!step.runs)
      continue;
    auto [x, y, z] = step.config.grid;
    int64_t ctas = int64_t(x) * y * z;
    if (ctas == expected)
      return Error::success();
    return createStringError(formatv(
        "the first kernel of variant {0} has {1} CTAs, but it must have {2}",
        plan.variant->name, ctas, expected));
  }
  return createStringError("the plan has no kernel");
}

Expected<LaunchChain> LaunchChain::create(Device &device,
                                          const KernelPack &pack,
                                          const Problem &problem,
                                          ArrayRef<uint64_t> addresses,
                                          const ChainGrid &grid) {
  LaunchChain chain(device);
  Expected<LaunchPlan> plan = problem.plan(0, addresses, grid.processors);
  if (!plan)
    return plan.takeError();
  chain.plan = std::move(*plan);
  if (Error error = checkGrid(chain.plan, grid.ctas))
    return std::move(error);
  // Slices that nothing was stored to are summed, too.
  size_t words = size_t(chain.plan.workspaceBytes) / sizeof(uint32_t) + 1;
  Expected<Buffer> workspace =
      device.allocate(words * sizeof(uint32_t), "the workspace");
  if (!workspace)
    return workspace.takeError();
  if (Error error = device.fill32(workspace->getAddress(), 0, words))
    return std::move(error);
  chain.workspace = std::move(*workspace);
  chain.executor = std::make_unique<Executor>(device, pack);
  if (Error error = chain.executor->prepare(chain.plan))
    return std::move(error);
  return std::move(chain);
}

Error LaunchChain::execute() {
  if (Error error = enqueue())
    return error;
  if (Error error = device->synchronize())
    return error;
  AccessChecker *checker = device->getAccessChecker();
  if (!checker)
    return Error::success();
  Observations observed = checker->takeObservations();
  for (const emu::Finding &finding : observed.findings)
    if (!emu::isWarning(finding.kind))
      return createStringError(emu::toString(finding));
  return Error::success();
}

Error LaunchChain::capture(size_t launches) {
  Expected<std::unique_ptr<Graph>> captured = device->capture([&]() -> Error {
    for (size_t i = 0; i != launches; ++i)
      if (Error error = enqueue())
        return error;
    return Error::success();
  });
  if (!captured)
    return captured.takeError();
  graph = std::move(*captured);
  length = launches;
  return Error::success();
}

Expected<double> LaunchChain::time() {
  Expected<double> milliseconds = device->time([&] { return graph->launch(); });
  if (!milliseconds)
    return milliseconds.takeError();
  constexpr double nanoseconds = 1e6;
  return *milliseconds * nanoseconds;
}

} // namespace tcgemm
