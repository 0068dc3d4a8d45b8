//===- Launch.cpp - Launch of a grid --------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <chrono>
#include <condition_variable>
#include <thread>

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// Checks of a launch
//===----------------------------------------------------------------------===//

llvm::Error checkSupport(const KernelCode &kernel) {
  if (kernel.error.empty())
    return llvm::Error::success();
  return llvm::createStringError(kernel.error);
}

static llvm::Error checkDims(const KernelCode &kernel, const Launch &launch) {
  const ptx::Function &source = *kernel.function.source;
  auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError("kernel '" + source.name + "': " + why);
  };
  static constexpr uint64_t kGridLimits[] = {2147483647, 65535, 65535};
  uint64_t threads = 1, cluster = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (launch.grid[i] == 0 || launch.grid[i] > kGridLimits[i])
      return fail(llvm::formatv("grid dimension {0} is {1}, not 1 to {2}", i,
                                launch.grid[i], kGridLimits[i]));
    if (launch.block[i] == 0 || launch.block[i] > 1024)
      return fail(llvm::formatv("block dimension {0} is {1}, not 1 to 1024", i,
                                launch.block[i]));
    if (launch.cluster[i] == 0 || launch.cluster[i] > 16 ||
        launch.grid[i] % launch.cluster[i])
      return fail(llvm::formatv(
          "cluster dimension {0} is {1}, which does not divide the grid's {2}",
          i, launch.cluster[i], launch.grid[i]));
    if (source.requiredThreads[0] &&
        std::max(1u, source.requiredThreads[i]) != launch.block[i])
      return fail(llvm::formatv("block dimension {0} is {1}; .reqntid says {2}",
                                i, launch.block[i],
                                std::max(1u, source.requiredThreads[i])));
    if (source.requiredCluster[0] &&
        std::max(1u, source.requiredCluster[i]) != launch.cluster[i])
      return fail(llvm::formatv(
          "cluster dimension {0} is {1}; .reqnctapercluster says {2}", i,
          launch.cluster[i], std::max(1u, source.requiredCluster[i])));
    threads *= launch.block[i];
    cluster *= launch.cluster[i];
  }
  if (threads > 1024)
    return fail(llvm::formatv("{0} threads a block; at most 1024", threads));
  uint64_t maxThreads = 1;
  for (uint32_t dim : source.maxThreads)
    maxThreads *= std::max(1u, dim);
  if (source.maxThreads[0] && threads > maxThreads)
    return fail(llvm::formatv("{0} threads a block; .maxntid allows {1}",
                              threads, maxThreads));
  if (cluster > 16)
    return fail(llvm::formatv("{0} blocks a cluster; at most 16", cluster));
  constexpr uint64_t kMaxShared = 227 << 10;
  uint64_t shared = kernel.program.dynamicSharedOffset - kSharedReserved +
                    uint64_t(launch.sharedMemory);
  if (shared > kMaxShared)
    return fail(llvm::formatv("{0} bytes of shared memory a block; at most {1}",
                              shared, kMaxShared));
  return llvm::Error::success();
}

static llvm::Expected<std::vector<uint8_t>> makeParams(const KernelCode &kernel,
                                                       const Launch &launch) {
  const FunctionCode &function = kernel.function;
  const auto &params = function.source->params;
  if (params.size() != launch.arguments.size())
    return llvm::createStringError(llvm::formatv(
        "kernel '{0}' takes {1} arguments, not {2}", function.source->name,
        params.size(), launch.arguments.size()));
  std::vector<uint8_t> bytes(function.argumentBytes);
  for (auto [i, param] : llvm::enumerate(params)) {
    const auto &argument = launch.arguments[i];
    if (argument.size() != param.bytes)
      return llvm::createStringError(llvm::formatv(
          "kernel '{0}': argument {1} has {2} bytes, not the {3} of '{4}'",
          function.source->name, i, argument.size(), param.bytes, param.name));
    llvm::copy(argument, bytes.begin() + function.paramOffsets[i]);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

namespace {
/// Distributes clusters to host threads.
class Grid {
public:
  explicit Grid(LaunchContext &context) : context(context) {
    total = 1;
    for (unsigned i = 0; i < 3; ++i) {
      clusters[i] = context.launch.grid[i] / context.launch.cluster[i];
      total *= clusters[i];
    }
  }

  /// Runs the grid. True if it was cancelled.
  bool run();

private:
  void work();
  std::unique_ptr<Cluster> take();

  LaunchContext &context;
  std::array<uint32_t, 3> clusters;
  uint64_t total;
  std::atomic<uint64_t> next{0}, done{0};
  std::mutex mutex;
  std::condition_variable changed;
  unsigned working = 0;
};
} // namespace

std::unique_ptr<Cluster> Grid::take() {
  uint64_t index = next.fetch_add(1);
  if (index >= total)
    return nullptr;
  std::array<uint32_t, 3> first;
  uint64_t rest = index;
  for (unsigned i = 0; i < 3; ++i) {
    first[i] = rest % clusters[i] * context.launch.cluster[i];
    rest /= clusters[i];
  }
  return std::make_unique<Cluster>(context, first, index);
}

void Grid::work() {
  // A cluster that does not end may wait for one that has not begun. So another
  // one begins from time to time, up to the number that a GPU would hold.
  constexpr uint64_t kSlice = 1 << 18;
  constexpr size_t kMaxResident = 256;
  constexpr unsigned kRounds = 8;
  std::vector<std::unique_ptr<Cluster>> resident;
  for (unsigned round = 0; !context.stop; ++round) {
    if (resident.empty() ||
        (round % kRounds == 0 && resident.size() < kMaxResident))
      if (auto cluster = take())
        resident.push_back(std::move(cluster));
    if (resident.empty())
      return;
    bool finished = false;
    for (auto &cluster : resident) {
      Cluster::State state = cluster->run(kSlice);
      if (state == Cluster::State::Failed)
        return;
      if (state == Cluster::State::Done) {
        cluster.reset();
        finished = true;
        ++done;
        break;
      }
    }
    if (finished)
      llvm::erase_if(resident, [](auto &cluster) { return !cluster; });
  }
}

bool Grid::run() {
  unsigned threads = context.options.threads
                         ? context.options.threads
                         : std::max(1u, std::thread::hardware_concurrency());
  threads = std::min<uint64_t>(threads, total);
  std::vector<std::thread> pool;
  pool.reserve(threads);
  working = threads;
  for (unsigned i = 0; i < threads; ++i)
    pool.emplace_back([this] {
      work();
      std::lock_guard<std::mutex> lock(mutex);
      --working;
      changed.notify_one();
    });
  bool cancelled = false;
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(100),
                             [this] { return working == 0; })) {
      if (context.options.progress)
        context.options.progress(done, total);
      if (context.options.cancel && *context.options.cancel && !cancelled) {
        cancelled = true;
        context.stop = true;
      }
    }
  }
  for (std::thread &thread : pool)
    thread.join();
  return cancelled;
}

llvm::Expected<LaunchResult> Emulator::launch(const KernelCode &kernel,
                                              const Launch &launch,
                                              const LaunchOptions &options) {
  if (llvm::Error error = checkSupport(kernel))
    return error;
  if (llvm::Error error = checkDims(kernel, launch))
    return error;
  auto params = makeParams(kernel, launch);
  if (!params)
    return params.takeError();
  LaunchContext context(kernel.program, kernel.function, launch, options,
                        *memory);
  context.params.space = ptx::Space::Param;
  context.params.data = params->data();
  context.params.bytes = params->size();
  context.params.writable = false;
  context.params.name = "parameters";
  if (options.checks.races)
    context.observers.push_back(createRaceChecker(context));
  if (options.checks.races && launch.dependent)
    context.observers.push_back(createGridWaitChecker());
  if (options.profile)
    context.observers.push_back(createProfiler(context));
  for (const auto &observer : context.observers)
    context.wantsInstructions |= observer->wantsInstructions();

  if (Grid(context).run())
    return llvm::createStringError(
        std::make_error_code(std::errc::operation_canceled), "cancelled");
  LaunchResult result;
  for (const auto &observer : context.observers)
    observer->finish(result);
  context.reporter.takeInto(result);
  result.failure = context.failure;
  result.instructions = context.instructions;
  result.printed = context.takePrinted();
  return result;
}

} // namespace tcgemm::emu
