//===- Block.cpp - Blocks and clusters ------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// State of a launch
//===----------------------------------------------------------------------===//

bool Reporter::add(Finding finding) {
  std::lock_guard<std::mutex> lock(mutex);
  auto key = std::make_tuple(finding.line, finding.kind);
  auto it = findings.find(key);
  if (it != findings.end())
    ++it->second.count;
  else if (findings.size() < limit)
    findings.emplace(key, std::move(finding));
  else
    ++suppressed;
  return ++total < kTooMany;
}

void Reporter::takeInto(LaunchResult &result) {
  for (auto &entry : findings)
    result.findings.push_back(std::move(entry.second));
  result.suppressedFindings = suppressed;
  findings.clear();
}

void LaunchContext::fail(const llvm::Twine &message) {
  std::lock_guard<std::mutex> lock(failureMutex);
  if (failure.empty())
    failure = message.str();
  stop = true;
}

/// The default size of a GPU's printf buffer.
static constexpr uint64_t kMaxPrinted = 1 << 20;

void LaunchContext::print(uint32_t cluster, llvm::StringRef text) {
  std::lock_guard<std::mutex> lock(printMutex);
  uint64_t left = kMaxPrinted - std::min(printedBytes, kMaxPrinted);
  printedBytes += text.size();
  if (left)
    printed[cluster] += text.take_front(left);
}

std::string LaunchContext::takePrinted() {
  std::string all;
  for (auto &[cluster, text] : printed)
    all += text;
  if (printedBytes > kMaxPrinted)
    all += llvm::formatv("\n[{0} more bytes are left out]\n",
                         printedBytes - kMaxPrinted);
  return all;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Barrier::complete() {
  ++phase;
  lastHolds = holds;
  lastArrived = arrived;
  holds = arrived = expected = 0;
  arrivedWarps.clear();
}

void Barrier::completeIfAllArrived(uint32_t live) {
  if (arrived && !expected && arrived >= live)
    complete();
}

void Block::leaveClusterBarrier(Warp &warp, uint32_t lanes) {
  // The barrier waits for live threads. An exited thread does not count as
  // arrived.
  if (warp.clusterArrival.phase == cluster.barrier.phase)
    cluster.barrier.arrived -=
        llvm::popcount(warp.clusterArrival.lanes & lanes);
  warp.clusterArrival.lanes &= ~lanes;
}

void Block::threadsExited() {
  uint32_t live = getLiveThreads();
  for (Barrier &barrier : barriers)
    barrier.completeIfAllArrived(live);
  uint32_t all = 0;
  for (auto &each : cluster.blocks)
    all += each ? each->getLiveThreads() : 0;
  cluster.barrier.completeIfAllArrived(all);
}

//===----------------------------------------------------------------------===//
// Block
//===----------------------------------------------------------------------===//

Block::Block(Cluster &cluster, uint32_t rank, std::array<uint32_t, 3> id)
    : cluster(cluster), rank(rank), id(id) {
  const LaunchContext &context = cluster.launch;
  shared.space = ptx::Space::Shared;
  shared.bytes = std::max(context.program.dynamicSharedOffset +
                              context.launch.sharedMemory,
                          context.program.sharedBytes);
  shared.name = "shared memory";
  sharedData = allocateZeroed(shared.bytes);
  shared.data = sharedData.get();
  if (context.options.checks.uninitialised) {
    sharedDefined = allocateZeroed(shared.bytes);
    shared.defined = sharedDefined.get();
  }
  const auto &dims = context.launch.block;
  uint32_t threads = dims[0] * dims[1] * dims[2];
  for (uint32_t first = 0; first < threads; first += kWarpSize) {
    uint32_t count = std::min(kWarpSize, threads - first);
    uint32_t lanes = count == kWarpSize ? ~0u : (1u << count) - 1;
    warps.push_back(std::make_unique<Warp>(*this, first / kWarpSize, lanes));
  }
  warpGroups = std::vector<WarpGroup>((warps.size() + 3) / 4);
}

LaunchContext &Block::launch() const { return cluster.launch; }

uint32_t Block::getLiveThreads() const {
  uint32_t live = 0;
  for (const auto &warp : warps)
    live += llvm::popcount(warp->launched & ~warp->exited);
  return live;
}

//===----------------------------------------------------------------------===//
// Cluster
//===----------------------------------------------------------------------===//

Cluster::Cluster(LaunchContext &launch, std::array<uint32_t, 3> firstBlock,
                 uint32_t index)
    : launch(launch), index(index),
      checksOwners(launch.program.usesAsyncProxy ||
                   launch.launch.cluster != std::array<uint32_t, 3>{1, 1, 1}) {
  const auto &dims = launch.launch.cluster;
  for (uint32_t z = 0; z < dims[2]; ++z)
    for (uint32_t y = 0; y < dims[1]; ++y)
      for (uint32_t x = 0; x < dims[0]; ++x)
        blocks.push_back(std::make_unique<Block>(
            *this, blocks.size(),
            std::array<uint32_t, 3>{firstBlock[0] + x, firstBlock[1] + y,
                                    firstBlock[2] + z}));
  uint32_t warp = 0;
  for (auto &block : blocks)
    for (auto &w : block->warps)
      w->clusterIndex = warp++;
  for (auto &observer : launch.observers)
    observers.push_back(observer->begin(*this));
}

Cluster::~Cluster() = default;

Cluster::State Cluster::run(uint64_t budget) {
  // A warp runs until it blocks, or for one slice. So a warp that polls memory
  // does not stop the warp that it waits for.
  constexpr uint64_t kSlice = 2048;
  while (true) {
    bool anyAlive = false, progress = false, onlyPolls = true;
    for (auto &block : blocks)
      for (auto &warp : block->warps) {
        if (warp->isDone())
          continue;
        if (launch.stop.load(std::memory_order_relaxed))
          return State::Failed;
        anyAlive = true;
        uint64_t before = warp->executed, polls = warp->polls.failed;
        warp->clock.others = ticks - warp->clock.own;
        Warp::State state = warp->run(kSlice);
        ticks = warp->clock.get();
        uint64_t executed = warp->executed - before;
        budget -= std::min(budget, executed);
        uint64_t all =
            launch.instructions.fetch_add(executed, std::memory_order_relaxed) +
            executed;
        if (launch.options.maxInstructions &&
            all > launch.options.maxInstructions)
          launch.fail(llvm::formatv("more than {0} warp instructions",
                                    launch.options.maxInstructions));
        if (state == Warp::State::Failed)
          return State::Failed;
        progress |= executed != 0 || state == Warp::State::Done;
        onlyPolls &=
            state == Warp::State::Blocked || warp->polls.failed != polls;
      }
    if (!anyAlive) {
      bulk.finishAll();
      return State::Done;
    }
    if (!progress && !wakeUp()) {
      reportDeadlock();
      return State::Failed;
    }
    // Warps whose tests of mbarriers all fail wait as well.
    if (effects == lastEffects && onlyPolls) {
      constexpr unsigned kMaxIdle = 64;
      if (++idleRounds > kMaxIdle && !wakeUp()) {
        reportDeadlock();
        return State::Failed;
      }
    } else {
      idleRounds = 0;
    }
    lastEffects = effects;
    if (budget == 0)
      return State::Running;
  }
}

/// No warp can go on. First performs the copies that a warp waits for. Then
/// lets try_wait time out once. False if neither helps.
bool Cluster::wakeUp() {
  bool any = false;
  for (auto &block : blocks)
    for (auto &warp : block->warps)
      if (!warp->isDone())
        for (const Path &path : warp->frame->paths)
          if (path.wait.active && path.wait.key.kind == SyncKey::Kind::MBarrier)
            any |= bulk.finishFor(*blocks[path.wait.key.id >> 32],
                                  uint32_t(path.wait.key.id));
  if (any)
    return true;
  constexpr unsigned kMaxTimeouts = 3;
  if (effects != effectsOfTimeout)
    timeouts = 0;
  if (++timeouts > kMaxTimeouts)
    return false;
  effectsOfTimeout = effects;
  for (auto &block : blocks)
    for (auto &warp : block->warps)
      if (!warp->isDone() && warp->path().wait.active &&
          warp->path().wait.key.kind == SyncKey::Kind::MBarrier)
        any = warp->polls.timedOut = true;
  return any;
}

Block &Cluster::getOwner(const Region &region) {
  for (auto &block : blocks)
    if (&block->shared == &region)
      return *block;
  llvm_unreachable("shared memory of another cluster");
}

} // namespace tcgemm::emu
