//===- RunAndVerify.cpp - Running a problem and checking it ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One launch at a time: results, red zones, and inputs that must not change.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Problem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

#include <cmath>
#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

namespace {
constexpr uint32_t kCanary = 0xa5a5a5a5;
constexpr uint32_t kPoison = 0xffffffff;
} // namespace

bool RunResult::passed() const {
  return llvm::all_of(launches,
                      [](const LaunchResult &l) { return l.passed(); });
}

/// Whether the bytes outside of the elements of `after` are those of `before`;
/// if not, says where the first one differs.
static std::string findDamage(const ProblemBuffer &buffer,
                              const std::vector<uint8_t> &before,
                              const std::vector<uint8_t> &after) {
  int64_t start = buffer.getStart(), bytes = getByteSize(buffer.type);
  int64_t position = 0, damaged = -1;
  auto compareTo = [&](int64_t end) {
    if (damaged < 0 && std::memcmp(before.data() + position,
                                   after.data() + position, end - position))
      for (int64_t i = position; damaged < 0; ++i)
        if (before[i] != after[i])
          damaged = i;
  };
  buffer.shape.forEachRow([&](int64_t offset) {
    compareTo(start + offset * bytes);
    position = start + (offset + buffer.shape.getRowSize()) * bytes;
  });
  compareTo(static_cast<int64_t>(after.size()));
  if (damaged < 0)
    return "";
  int64_t end = start + buffer.shape.getExtent() * bytes;
  std::string where =
      damaged < start  ? std::to_string(start - damaged) + " bytes before it"
      : damaged >= end ? std::to_string(damaged - end) + " bytes after its end"
                       : "in the padding at element offset " +
                             std::to_string((damaged - start) / bytes);
  return buffer.name + " (" + buffer.operandName +
         "): memory outside of it was written, " + where;
}

static VerifyProblem
makeVerifyProblem(const Problem &problem, const ProblemLaunch &launch,
                  const ProblemSizes &sizes,
                  llvm::ArrayRef<std::vector<uint8_t>> before) {
  VerifyProblem verify;
  verify.kernel = launch.kernel;
  verify.sizes = sizes;
  verify.isZeroMean = true;
  for (auto [info, index] :
       llvm::zip(launch.kernel->operands, launch.buffers)) {
    const ProblemBuffer &buffer = problem.buffers[index];
    OperandView view;
    view.info = &info;
    view.shape = buffer.shape;
    view.scalar = buffer.scalar;
    if (!buffer.isScalar) {
      // An output may also be an input: that one is as it was before.
      bool useBefore =
          info.role != OperandUse::Output && !before[index].empty();
      view.data =
          (useBefore ? before[index] : buffer.image).data() + buffer.getStart();
    }
    if (info.role == OperandUse::A || info.role == OperandUse::B)
      verify.isZeroMean &=
          buffer.isRead && (buffer.fill.kind == FillOptions::Normal ||
                            buffer.fill.kind == FillOptions::Uniform ||
                            buffer.fill.kind == FillOptions::Integers);
    verify.operands.push_back(std::move(view));
  }
  return verify;
}

/// The workspace of a launch: undefined on entry, so NaN here; a canary behind.
static Expected<Buffer> makeWorkspace(Device &device, int64_t bytes) {
  int64_t words = (bytes + 3) / 4;
  Expected<Buffer> workspace =
      device.allocate(words * 4 + ProblemBuffer::kRedZone);
  if (!workspace)
    return workspace.takeError();
  uint64_t address = workspace->getAddress();
  if (Error error = device.fill32(address, kPoison, words))
    return std::move(error);
  if (Error error = device.fill32(address + words * 4, kCanary,
                                  ProblemBuffer::kRedZone / 4))
    return std::move(error);
  return workspace;
}

static Error checkWorkspace(Device &device, const Buffer &workspace,
                            std::string &damage) {
  std::vector<uint32_t> zone(ProblemBuffer::kRedZone / 4);
  uint64_t end =
      workspace.getAddress() + workspace.getSize() - ProblemBuffer::kRedZone;
  if (Error error =
          device.copyFromDevice(zone.data(), end, ProblemBuffer::kRedZone))
    return error;
  if (llvm::any_of(zone, [](uint32_t word) { return word != kCanary; }))
    damage = "memory behind the workspace was written";
  return Error::success();
}

static Error verifyLaunch(Device &device, Executor &executor, Problem &problem,
                          unsigned index, llvm::ArrayRef<uint64_t> addresses,
                          const VerifyOptions &options, LaunchResult &result) {
  const ProblemLaunch &launch = problem.launches[index];
  Expected<LaunchPlan> plan =
      problem.plan(index, addresses, device.getProperties().smCount);
  if (!plan)
    return plan.takeError();
  result.kernel = launch.kernel->name;
  result.variant = plan->variant->name;
  result.sizes = plan->sizes;
  Expected<Buffer> workspace = makeWorkspace(device, plan->workspaceBytes);
  if (!workspace)
    return workspace.takeError();
  if (Error error = executor.launch(*plan, workspace->getAddress()))
    return error;
  if (Error error = device.synchronize())
    return error;
  if (Error error = checkWorkspace(device, *workspace, result.damage))
    return error;
  std::vector<std::vector<uint8_t>> before(problem.buffers.size());
  for (unsigned b : llvm::SmallSet<unsigned, 8>(launch.buffers.begin(),
                                                launch.buffers.end())) {
    ProblemBuffer &buffer = problem.buffers[b];
    if (buffer.isScalar)
      continue;
    bool isOutput = false;
    for (auto [info, other] :
         llvm::zip(launch.kernel->operands, launch.buffers))
      isOutput |= other == b && info.role == OperandUse::Output;
    std::vector<uint8_t> after(buffer.image.size());
    if (Error error =
            device.copyFromDevice(after.data(), addresses[b], after.size()))
      return error;
    if (!isOutput && after != buffer.image)
      result.damage = buffer.name + " (" + buffer.operandName +
                      ") is an input and was written";
    if (isOutput) {
      std::string damage = findDamage(buffer, buffer.image, after);
      if (!damage.empty())
        result.damage = damage;
      before[b] = std::move(buffer.image);
      buffer.image = std::move(after);
    }
  }
  Expected<VerifyReport> report = verifyResults(
      makeVerifyProblem(problem, launch, plan->sizes, before), options);
  if (!report)
    return report.takeError();
  result.report = std::move(*report);
  return Error::success();
}

Expected<RunResult> tcgemm::runAndVerify(Device &device, Executor &executor,
                                         Problem &problem,
                                         const VerifyOptions &options) {
  std::vector<Buffer> memory;
  std::vector<uint64_t> addresses;
  for (const ProblemBuffer &buffer : problem.buffers) {
    if (buffer.isScalar) {
      addresses.push_back(0);
      continue;
    }
    Expected<Buffer> allocated = device.allocate(buffer.image.size());
    if (!allocated)
      return addContext(buffer.name, allocated.takeError());
    if (Error error = device.copyToDevice(
            allocated->getAddress(), buffer.image.data(), buffer.image.size()))
      return std::move(error);
    addresses.push_back(allocated->getAddress());
    memory.push_back(std::move(*allocated));
  }
  RunResult result;
  for (unsigned i = 0; i != problem.launches.size(); ++i)
    if (Error error = verifyLaunch(device, executor, problem, i, addresses,
                                   options, result.launches.emplace_back()))
      return std::move(error);
  return result;
}
