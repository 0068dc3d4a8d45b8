//===- RunAndVerify.cpp - Running a problem and checking it ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks each step: results, red zones, and inputs, which must not change.
//
//===----------------------------------------------------------------------===//

#include "DeviceImage.h"
#include "WrittenParts.h"
#include "tcgemm/Runtime/StridedCopy.h"

#include "llvm/ADT/STLExtras.h"

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

bool RunResult::hasFindings() const {
  return llvm::any_of(
      launches, [](const LaunchResult &l) { return l.observed.hasFindings(); });
}

static VerifyProblem
makeVerifyProblem(const Problem &problem, const ProblemLaunch &launch,
                  const ProblemSizes &sizes,
                  llvm::ArrayRef<std::vector<uint8_t>> before) {
  VerifyProblem verify;
  verify.kernel = launch.kernel;
  verify.sizes = sizes;
  verify.isZeroMean = true;
  for (auto [info, part] :
       llvm::zip(launch.kernel->operands, launch.operands)) {
    const ProblemBuffer &buffer = problem.buffers[part.buffer];
    OperandView view;
    view.info = &info;
    view.shape = part.shape;
    view.sizes = sizes;
    view.scalar = buffer.scalar;
    if (!buffer.isScalar) {
      // An output may also be an input, with its contents before the launch.
      bool useBefore =
          info.role != OperandUse::Output && !before[part.buffer].empty();
      view.data = (useBefore ? before[part.buffer] : buffer.image).data() +
                  part.getStart(buffer);
    }
    if (info.role == OperandUse::A || info.role == OperandUse::B ||
        info.role == OperandUse::B2)
      verify.isZeroMean &= buffer.isRead && !buffer.isWritten &&
                           !buffer.constant &&
                           (buffer.fill.kind == FillOptions::Normal ||
                            buffer.fill.kind == FillOptions::Uniform ||
                            buffer.fill.kind == FillOptions::Integers);
    verify.operands.push_back(std::move(view));
  }
  // The sums of a matrix times its transpose have squares.
  verify.isZeroMean &= verify.operands[0].data != verify.operands[1].data;
  verify.linkScales();
  return verify;
}

/// The workspace of a launch with a canary after it. A checking device needs no
/// canary.
static Expected<Buffer> makeWorkspace(Device &device, int64_t bytes) {
  if (device.getAccessChecker())
    return device.allocate(bytes, "workspace");
  int64_t words = (bytes + 3) / 4;
  Expected<Buffer> workspace =
      device.allocate(words * 4 + ProblemBuffer::kRedZone);
  if (!workspace)
    return workspace.takeError();
  uint64_t address = workspace->getAddress();
  if (Error error = device.fill32(address + words * 4, kCanary,
                                  ProblemBuffer::kRedZone / 4))
    return std::move(error);
  return workspace;
}

/// Fills the workspace with NaN, because its initial contents are undefined.
static Error poisonWorkspace(Device &device, const Buffer &workspace) {
  if (device.getAccessChecker())
    return Error::success();
  int64_t words = (workspace.getSize() - ProblemBuffer::kRedZone) / 4;
  return device.fill32(workspace.getAddress(), kPoison, words);
}

static Error checkWorkspace(Device &device, const Buffer &workspace,
                            std::string &damage) {
  if (device.getAccessChecker())
    return Error::success();
  std::vector<uint32_t> zone(ProblemBuffer::kRedZone / 4);
  uint64_t end =
      workspace.getAddress() + workspace.getSize() - ProblemBuffer::kRedZone;
  if (Error error =
          device.copyFromDevice(zone.data(), end, ProblemBuffer::kRedZone))
    return error;
  if (llvm::any_of(zone, [](uint32_t word) { return word != kCanary; }))
    damage = "memory after the workspace was written";
  return Error::success();
}

namespace {

/// The use of a buffer by one launch; several operands may be in one buffer.
struct BufferUse {
  unsigned index;
  bool isInput = false;
  std::vector<BufferPart> outputs;
  /// The parts of the outputs that the launch must write.
  std::vector<BufferPart> written;

  bool isOutput() const { return !outputs.empty(); }
  /// The parts without contents at the start of the launch. An output that is
  /// also an input has contents.
  llvm::ArrayRef<BufferPart> getUndefined() const {
    if (isInput)
      return {};
    return written;
  }
};

} // namespace

static std::vector<BufferUse> getUses(const Problem &problem,
                                      const ProblemLaunch &launch) {
  std::vector<BufferUse> uses;
  for (size_t i = 0; i != launch.operands.size(); ++i) {
    const BufferPart &part = launch.operands[i];
    if (problem.buffers[part.buffer].isScalar)
      continue;
    auto use = llvm::find_if(
        uses, [&](const BufferUse &use) { return use.index == part.buffer; });
    if (use == uses.end())
      use = uses.insert(use, BufferUse{part.buffer, false, {}, {}});
    if (launch.kernel->operands[i].role != OperandUse::Output) {
      use->isInput = true;
      continue;
    }
    use->outputs.push_back(part);
    llvm::append_range(use->written, listWrittenParts(problem, launch, i));
  }
  return uses;
}

/// Fetches the buffers after the launch. Replaces the images of outputs and
/// stores the previous images in `before`.
static Error collect(Device &device, Problem &problem,
                     llvm::ArrayRef<BufferUse> uses,
                     llvm::ArrayRef<DeviceImage> images, LaunchResult &result,
                     std::vector<std::vector<uint8_t>> &before) {
  for (const BufferUse &use : uses) {
    ProblemBuffer &buffer = problem.buffers[use.index];
    std::string missed;
    Expected<std::vector<uint8_t>> after =
        images[use.index].download(device, buffer, use.written, missed);
    if (!after)
      return after.takeError();
    if (!use.isOutput()) {
      if (*after != buffer.image)
        result.damage = buffer.name + " (" + buffer.operandName +
                        ") is an input and was written";
      continue;
    }
    std::string damage = findDamage(buffer, use.written, buffer.image, *after);
    if (!damage.empty())
      result.damage = damage;
    if (!missed.empty())
      result.missed = missed;
    before[use.index] = std::move(buffer.image);
    buffer.image = std::move(*after);
    for (const BufferPart &part : use.outputs)
      result.outputs.push_back(summarizeOutput(buffer, part));
  }
  return Error::success();
}

/// Repeats a checked launch with the same contents.
static Error repeatLaunch(Device &device, Executor &executor, Problem &problem,
                          const LaunchPlan &plan, const Buffer &workspace,
                          llvm::ArrayRef<BufferUse> uses,
                          llvm::ArrayRef<DeviceImage> images,
                          std::vector<std::vector<uint8_t>> &before,
                          LaunchResult &result) {
  int64_t repeat = problem.getOptions().repeat;
  for (int64_t round = 2; round <= repeat && result.damage.empty(); ++round) {
    for (const BufferUse &use : uses) {
      if (!use.isOutput())
        continue;
      ProblemBuffer &buffer = problem.buffers[use.index];
      std::swap(buffer.image, before[use.index]);
      Error error = Error::success();
      for (const BufferPart &part : use.outputs)
        if (!error)
          error = images[use.index].upload(device, buffer, part);
      std::swap(buffer.image, before[use.index]);
      if (error)
        return error;
      if (Error error = images[use.index].prepare(
              device, buffer, use.isOutput(), use.getUndefined()))
        return error;
    }
    if (Error error = poisonWorkspace(device, workspace))
      return error;
    if (Error error = executor.launch(plan, workspace.getAddress()))
      return error;
    if (Error error = device.synchronize())
      return error;
    if (AccessChecker *checker = device.getAccessChecker())
      if (!result.observed.hasFindings())
        result.observed = checker->takeObservations();
    for (const BufferUse &use : uses) {
      if (!use.isOutput())
        continue;
      const ProblemBuffer &buffer = problem.buffers[use.index];
      std::string missed;
      Expected<std::vector<uint8_t>> again =
          images[use.index].download(device, buffer, use.written, missed);
      if (!again)
        return again.takeError();
      if (*again != buffer.image)
        result.damage = "launch " + std::to_string(round) + " gave another " +
                        buffer.operandName + " than the first";
    }
  }
  return Error::success();
}

static Error verifyLaunch(Device &device, Executor &executor, Problem &problem,
                          unsigned index, llvm::ArrayRef<DeviceImage> images,
                          const VerifyOptions &options, LaunchResult &result) {
  const ProblemLaunch &launch = problem.launches[index];
  std::vector<uint64_t> addresses;
  for (const DeviceImage &image : images)
    addresses.push_back(image.getAddress());
  Expected<LaunchPlan> plan =
      problem.plan(index, addresses, device.getProperties().smCount);
  if (!plan)
    return plan.takeError();
  result.kernel = launch.kernel->name;
  result.variant = plan->variant->name;
  result.sizes = plan->sizes;
  std::vector<BufferUse> uses = getUses(problem, launch);
  for (const BufferUse &use : uses)
    if (Error error =
            images[use.index].prepare(device, problem.buffers[use.index],
                                      use.isOutput(), use.getUndefined()))
      return error;
  Expected<Buffer> workspace = makeWorkspace(device, plan->workspaceBytes);
  if (!workspace)
    return workspace.takeError();
  if (Error error = poisonWorkspace(device, *workspace))
    return error;
  if (Error error = executor.launch(*plan, workspace->getAddress()))
    return error;
  if (Error error = device.synchronize())
    return error;
  if (AccessChecker *checker = device.getAccessChecker())
    result.observed = checker->takeObservations();
  if (Error error = checkWorkspace(device, *workspace, result.damage))
    return error;
  std::vector<std::vector<uint8_t>> before(problem.buffers.size());
  if (Error error = collect(device, problem, uses, images, result, before))
    return error;
  if (!options.compare) {
    result.report.passed = true;
    result.report.method = "not compared";
  } else {
    Expected<VerifyReport> report = verifyResults(
        makeVerifyProblem(problem, launch, plan->sizes, before), options);
    if (!report)
      return report.takeError();
    result.report = std::move(*report);
  }
  return repeatLaunch(device, executor, problem, *plan, *workspace, uses,
                      images, before, result);
}

namespace {

/// Runs launches of kernels and copies on the device. The host executes fills,
/// and copies inside a buffer, on its images and uploads the changes.
struct StepRunner {
  Device &device;
  Executor &executor;
  Problem &problem;
  const VerifyOptions &options;
  llvm::ArrayRef<DeviceImage> images;
  RunResult &result;
  StridedCopier copier{device, &executor};

  Error operator()(const LaunchStep &step) {
    return verifyLaunch(device, executor, problem, step.launch, images, options,
                        result.launches.emplace_back());
  }
  Error operator()(const FillStep &step) { return applyOnHost(step); }
  Error operator()(const CopyStep &step);

private:
  Expected<bool> copyOnDevice(const CopyStep &step);
  Error checkCopy(const CopyStep &step);
  template <typename Step> Error applyOnHost(const Step &step) {
    problem.apply(step);
    unsigned index = step.target.buffer;
    return images[index].upload(device, problem.buffers[index], step.target);
  }
};

} // namespace

/// Returns false for copies that have to be executed on the host.
Expected<bool> StepRunner::copyOnDevice(const CopyStep &step) {
  unsigned from = step.source.buffer, to = step.target.buffer;
  if (from == to || !step.plan)
    return false;
  if (Error error = copier.prepare(*step.plan))
    return std::move(error);
  for (unsigned index : {from, to})
    if (Error error = images[index].prepare(device, problem.buffers[index],
                                            /*isWritable=*/index == to, {}))
      return std::move(error);
  if (Error error = copier.enqueue(
          *step.plan,
          images[from].getAddress() +
              step.source.getStart(problem.buffers[from]),
          images[to].getAddress() + step.target.getStart(problem.buffers[to])))
    return std::move(error);
  if (Error error = device.synchronize())
    return std::move(error);
  return true;
}

/// Compares the device's copy with the host's.
Error StepRunner::checkCopy(const CopyStep &step) {
  AccessChecker *checker = device.getAccessChecker();
  bool hasFindings = checker && checker->takeObservations().hasFindings();
  const ProblemBuffer &buffer = problem.buffers[step.target.buffer];
  std::string missed;
  Expected<std::vector<uint8_t>> copied =
      images[step.target.buffer].download(device, buffer, {}, missed);
  if (!copied)
    return copied.takeError();
  if (*copied == buffer.image && !hasFindings)
    return Error::success();
  return llvm::createStringError("the device's result is wrong of: " +
                                 problem.describe(step));
}

Error StepRunner::operator()(const CopyStep &step) {
  Expected<bool> isDone = copyOnDevice(step);
  if (!isDone)
    return isDone.takeError();
  if (!*isDone)
    return applyOnHost(step);
  problem.apply(step);
  return checkCopy(step);
}

Expected<RunResult> tcgemm::runAndVerify(Device &device, Executor &executor,
                                         Problem &problem,
                                         const VerifyOptions &options) {
  std::vector<DeviceImage> images;
  for (const ProblemBuffer &buffer : problem.buffers) {
    if (buffer.isScalar) {
      images.emplace_back();
      continue;
    }
    // In a chain of launches, the role of a buffer differs between launches.
    Expected<DeviceImage> image = DeviceImage::create(
        device, buffer,
        problem.launches.size() == 1 ? buffer.operandName : buffer.name);
    if (!image)
      return addContext(buffer.name, image.takeError());
    images.push_back(std::move(*image));
  }
  RunResult result;
  StepRunner runner{device, executor, problem, options, images, result};
  for (const ProblemStep &step : problem.steps)
    if (Error error = std::visit(runner, step))
      return std::move(error);
  return result;
}
