//===- DeviceProblem.cpp - A problem's data on a device -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/DeviceProblem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {

char MemoryError::ID = 0;

namespace {

constexpr uint32_t kCanary = 0xa5a5a5a5;
constexpr uint32_t kPoison = 0xffffffff;
/// The maximum number of sets: with more sets, chains would be longer than
/// needed.
constexpr int64_t kMaxSets = 256;

Expected<Buffer> allocate(Device &device, int64_t bytes, int64_t limit,
                          StringRef what) {
  auto fail = [&](const Twine &why) {
    return make_error<MemoryError>(
        formatv("{0} bytes for {1}: {2}", bytes, what, why.str()).str());
  };
  if (bytes > limit)
    return fail("the limit is " + Twine(limit));
  Expected<Buffer> buffer = device.allocate(bytes, what);
  if (!buffer)
    return fail(toString(buffer.takeError()));
  return buffer;
}

int64_t roundUp(int64_t bytes, int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// The ends of groups whose sizes differ by one at most, or the numbers of rows
/// of padded groups that have all of them.
FillOptions getOffsets(const TuningProblem &problem) {
  const GroupKindInfo &kind = getGroupKindInfo(problem.kernel.groupKind);
  const MatmulSizes &sizes = problem.sizes;
  FillOptions fill;
  fill.kind = FillOptions::Values;
  int64_t all = kind.divided == 'k' ? sizes.k : sizes.m;
  // Sizes are below 2^31.
  for (int64_t group = 1; group <= sizes.batch; ++group)
    fill.values.push_back(kind.hasCounts ? all : all * group / sizes.batch);
  return fill;
}

bool isOutput(const ProblemBuffer &buffer) {
  return !buffer.isScalar && buffer.isWritten;
}

} // namespace

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<DeviceProblem>>
DeviceProblem::create(Device &device, const TuningProblem &problem,
                      const KernelPack &pack, const EngineOptions &options) {
  std::unique_ptr<DeviceProblem> result(new DeviceProblem(device));
  const DeviceProperties &properties = device.getProperties();
  result->memoryLimit =
      options.memoryLimit > 0
          ? std::min(options.memoryLimit, properties.globalMemory)
          : properties.globalMemory;
  const MatmulSizes &sizes = problem.sizes;
  result->problemOptions.sizes = {sizes.m, sizes.n, sizes.k, std::nullopt};
  if (problem.kernel.isBatched || problem.kernel.isGrouped)
    result->problemOptions.sizes[unsigned(Dim::Batch)] = sizes.batch;
  // The source has the offsets behind A and B.
  if (problem.kernel.isGrouped)
    result->problemOptions.fills.try_emplace("arg2", getOffsets(problem));
  result->problemOptions.seed = options.timing.seed;
  Expected<Problem> host = Problem::create(pack, result->problemOptions);
  if (!host)
    return host.takeError();
  if (Error error = host->fill())
    return std::move(error);
  result->buffers = std::move(host->buffers);
  // The first result is checked completely if that is cheap, else by samples.
  result->checker.options.maxWork = 1e9;
  result->checker.options.sampleWork = 1e9;
  if (problem.kernel.isApproximate)
    result->checker.options.mathError = kApproximateMathError;
  if (Error error = result->makeSets(options.timing))
    return std::move(error);
  return std::move(result);
}

/// Creates copies of all buffers until they exceed twice the L2 together.
Error DeviceProblem::makeSets(const TimingOptions &timing) {
  int64_t setBytes = 0, elementBytes = 0;
  for (const ProblemBuffer &buffer : buffers)
    if (!buffer.isScalar) {
      setBytes += roundUp(buffer.getImageSize(), 256);
      elementBytes += getByteCount(buffer.type, buffer.shape.getNumElements());
    }
  const DeviceProperties &properties = device.getProperties();
  int64_t wanted = std::max(timing.rotatedBytes, 2 * properties.l2Bytes);
  int64_t count =
      properties.isEmulated
          ? 1
          : std::clamp<int64_t>(wanted / std::max<int64_t>(elementBytes, 1) + 1,
                                1, kMaxSets);
  Expected<Buffer> allocated =
      allocate(device, setBytes * count, memoryLimit, "operands");
  if (!allocated)
    return allocated.takeError();
  uint64_t base = allocated->getAddress();
  memory.push_back(std::move(*allocated));
  for (int64_t s = 0; s != count; ++s) {
    uint64_t address = base + s * setBytes;
    std::vector<uint64_t> &addresses = sets.emplace_back();
    for (const ProblemBuffer &buffer : buffers) {
      addresses.push_back(address);
      if (buffer.isScalar)
        continue;
      if (s == 0)
        if (Error error = device.copyToDevice(address, buffer.image.data(),
                                              buffer.image.size()))
          return error;
      address += roundUp(buffer.getImageSize(), 256);
    }
    if (s != 0)
      if (Error error =
              device.copyOnDevice(base + s * setBytes, base, setBytes))
        return error;
  }
  return device.synchronize();
}

Expected<uint64_t> DeviceProblem::getWorkspace(int64_t bytes) {
  int64_t needed = roundUp(bytes, 16) + ProblemBuffer::kRedZone;
  if (static_cast<int64_t>(workspace.getSize()) < needed) {
    workspace = Buffer(); // First, so that both need not fit.
    Expected<Buffer> allocated =
        allocate(device, needed, memoryLimit, "the workspace");
    if (!allocated)
      return allocated.takeError();
    workspace = std::move(*allocated);
  }
  return workspace.getAddress();
}

Error DeviceProblem::poison(int64_t workspaceBytes) {
  for (auto [buffer, address] : zip_equal(buffers, sets.front())) {
    if (!isOutput(buffer))
      continue;
    // The image has canaries around the elements and poison in them. A kernel
    // that writes nothing leaves NaN.
    int64_t words = buffer.getImageSize() / 4;
    if (Error error = device.fill32(address, kCanary, words))
      return error;
    int64_t start = buffer.getStart();
    int64_t end = start + getByteCount(buffer.type, buffer.shape.getExtent());
    if (Error error =
            device.fill32(address + start, kPoison, (end - start) / 4))
      return error;
    int64_t tail = (end - start) % 4;
    if (Error error = device.copyToDevice(address + end - tail, &kPoison, tail))
      return error;
  }
  int64_t used = roundUp(workspaceBytes, 16);
  if (Error error = device.fill32(workspace.getAddress(), kPoison, used / 4))
    return error;
  return device.fill32(workspace.getAddress() + used, kCanary,
                       ProblemBuffer::kRedZone / 4);
}

Expected<bool> DeviceProblem::hasCanary(uint64_t address, int64_t bytes) {
  std::vector<uint8_t> zone(bytes);
  if (Error error = device.copyFromDevice(zone.data(), address, bytes))
    return std::move(error);
  return all_of(zone, [](uint8_t byte) { return byte == 0xa5; });
}

Expected<std::string> DeviceProblem::findDamage(int64_t workspaceBytes) {
  struct Zone {
    uint64_t address;
    int64_t bytes;
    std::string name;
  };
  std::vector<Zone> zones = {
      {workspace.getAddress() + roundUp(workspaceBytes, 16),
       ProblemBuffer::kRedZone, "after the workspace"}};
  for (auto [buffer, address] : zip_equal(buffers, sets.front())) {
    if (!isOutput(buffer))
      continue;
    int64_t start = buffer.getStart();
    int64_t end = start + getByteCount(buffer.type, buffer.shape.getExtent());
    zones.push_back({address, start, "before " + buffer.operandName});
    zones.push_back({address + end, buffer.getImageSize() - end,
                     "behind " + buffer.operandName});
  }
  for (const Zone &zone : zones) {
    Expected<bool> isWhole = hasCanary(zone.address, zone.bytes);
    if (!isWhole)
      return isWhole.takeError();
    if (!*isWhole)
      return "memory " + zone.name + " was written";
  }
  return std::string();
}

const ProblemBuffer *DeviceProblem::getOutput() const {
  const ProblemBuffer *output = nullptr;
  for (const ProblemBuffer &buffer : buffers)
    if (isOutput(buffer)) {
      if (output)
        return nullptr;
      output = &buffer;
    }
  return output;
}

Expected<std::string> DeviceProblem::checkResult(const LaunchPlan &plan,
                                                 const ProblemLaunch &launch) {
  const ProblemBuffer *output = getOutput();
  uint64_t address =
      output ? sets.front()[output - buffers.data()] + output->getStart() : 0;
  checkedOnHost = false;
  if (comparer) {
    Expected<bool> isNear = comparer->isNear(address);
    if (!isNear)
      return isNear.takeError();
    if (*isNear)
      return std::string();
  }
  checkedOnHost = true;
  images.resize(buffers.size());
  for (auto [buffer, source, image] :
       zip_equal(buffers, sets.front(), images)) {
    if (!isOutput(buffer))
      continue;
    image.resize(buffer.getImageSize());
    if (Error error = device.copyFromDevice(image.data(), source, image.size()))
      return std::move(error);
  }
  Expected<std::string> wrong =
      checker.check(launch, plan.sizes, buffers, images);
  std::optional<ResultChecker::Scale> scale = checker.getScale();
  if (!wrong || !wrong->empty() || comparer || !scale || !output)
    return wrong;
  Expected<std::unique_ptr<DeviceComparer>> made =
      DeviceComparer::create(device, *scale, output->type, address);
  if (!made)
    return made.takeError();
  comparer = std::move(*made);
  return wrong;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<LoadedCandidate>>
LoadedCandidate::create(Device &device, DeviceProblem &shared,
                        const KernelPack &pack) {
  Expected<Problem> problem = Problem::create(pack, shared.getOptions());
  if (!problem)
    return problem.takeError();
  if (problem->steps.size() != 1 || problem->launches.size() != 1)
    return createStringError("the function has " +
                             Twine(problem->steps.size()) +
                             " steps, but a candidate is one launch");
  std::unique_ptr<LoadedCandidate> result(
      new LoadedCandidate(device, shared, std::move(*problem), pack));
  for (size_t set = 0; set != shared.getNumSets(); ++set) {
    Expected<LaunchPlan> plan = result->problem.plan(
        0, shared.getSet(set), device.getProperties().smCount);
    if (!plan)
      return plan.takeError();
    result->plans.push_back(std::move(*plan));
  }
  if (Error error = result->updateWorkspace())
    return std::move(error);
  if (Error error = result->executor.prepare(result->getPlan()))
    return std::move(error);
  return std::move(result);
}

Error LoadedCandidate::updateWorkspace() {
  Expected<uint64_t> address = shared.getWorkspace(getPlan().workspaceBytes);
  if (!address)
    return address.takeError();
  workspace = *address;
  return Error::success();
}

Error LoadedCandidate::enqueue(size_t set) {
  return executor.launch(plans[set], workspace);
}

Expected<std::unique_ptr<Graph>> LoadedCandidate::capture(size_t length) {
  return device.capture([&]() -> Error {
    for (size_t i = 0; i != length; ++i)
      if (Error error = enqueue(i % plans.size()))
        return error;
    return Error::success();
  });
}

Resources LoadedCandidate::getResources() const {
  Resources resources;
  resources.workspace = getPlan().workspaceBytes;
  const PlannedStep *main = nullptr;
  for (const PlannedStep &planned : getPlan().steps) {
    if (!planned.runs)
      continue;
    resources.spillBytes += planned.step->spillBytes.value_or(0);
    // Packing and reductions need less.
    if (!main || planned.config.sharedMemory > main->config.sharedMemory)
      main = &planned;
  }
  if (main) {
    resources.registers = main->step->registers.value_or(0);
    resources.sharedMemory = main->config.sharedMemory;
    resources.threads = static_cast<int64_t>(main->config.block[0]) *
                        main->config.block[1] * main->config.block[2];
  }
  return resources;
}

} // namespace tcgemm
