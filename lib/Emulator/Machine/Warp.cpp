//===- Warp.cpp - Control flow of a warp ----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Decoder.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

Warp::Warp(Block &block, uint32_t index, uint32_t lanes)
    : block(block), index(index), launched(lanes),
      definedness(*this, block.launch().options.checks.uninitialised),
      memory(*this), asyncCopies(*this), calls(*this) {
  calls.push(block.launch().function, lanes, nullptr);
}

Warp::~Warp() = default;

std::array<uint32_t, 3> Warp::getThread(unsigned lane) const {
  const auto &dims = block.launch().launch.block;
  uint32_t thread = index * kWarpSize + lane;
  return {thread % dims[0], thread / dims[0] % dims[1],
          thread / dims[0] / dims[1]};
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

/// Continues the path below where the running path meets it.
static void reconverge(Frame &frame, uint32_t &pc) {
  auto &paths = frame.paths;
  while (paths.size() > 1 && pc == paths.back().reconvergence) {
    paths.pop_back();
    pc = paths.back().pc;
  }
}

/// Lets the other lanes of a branch go on while the running ones wait. False if
/// there are none.
static bool switchPath(Frame &frame, uint32_t &pc) {
  auto &paths = frame.paths;
  if (paths.size() < 2)
    return false;
  Path &running = paths.back(), &other = paths[paths.size() - 2];
  if (running.lanes & other.lanes)
    return false; // The path after the branch, not its other side.
  running.pc = pc;
  std::swap(running, other);
  pc = paths.back().pc;
  return true;
}

void Warp::branch(uint32_t taken, uint32_t target, uint32_t reconvergence,
                  uint32_t otherwise) {
  Path &running = path();
  uint32_t others = running.lanes & ~taken;
  if (!others) {
    pc = target;
    return;
  }
  if (reconvergence == UINT32_MAX) {
    // The paths do not meet. The running one becomes the path of the others.
    running.lanes = others;
    running.pc = otherwise;
    uint32_t outer = running.reconvergence;
    frame->paths.push_back({target, outer, taken});
  } else {
    running.pc = reconvergence;
    frame->paths.push_back({otherwise, reconvergence, others});
    frame->paths.push_back({target, reconvergence, taken});
  }
  pc = target;
}

void Warp::split(uint32_t now, uint32_t later) {
  path().pc = pc + 1;
  frame->paths.push_back({pc, pc + 1, later});
  frame->paths.push_back({pc, pc + 1, now});
}

//===----------------------------------------------------------------------===//
// Calls and exits
//===----------------------------------------------------------------------===//

bool Warp::enter(const FunctionCode &function, const Instruction &call) {
  path().pc = pc + 1;
  return calls.push(function, exec, &call);
}

void Warp::returnLanes(uint32_t lanes) {
  if (calls.getDepth() == 1)
    return exitLanes(lanes);
  for (Path &each : frame->paths)
    each.lanes &= ~lanes;
  dropEmptyPaths();
}

void Warp::exitLanes(uint32_t lanes) {
  exited |= lanes;
  for (unsigned depth = 0; depth < calls.getDepth(); ++depth) {
    for (Path &each : calls[depth].paths)
      each.lanes &= ~lanes;
    calls[depth].lanes &= ~lanes;
  }
  // The copies that a thread has begun still arrive.
  exec = lanes;
  std::array<uint32_t, kWarpSize> all;
  all.fill(UINT32_MAX);
  asyncCopies.finish(all);
  dropEmptyPaths();
  ++block.cluster.effects;
  block.leaveClusterBarrier(*this, lanes);
  block.threadsExited();
  if (!block.getLiveThreads())
    block.cluster.bulk.blockExits(block);
}

void Warp::dropEmptyPaths() {
  while (frame) {
    auto &paths = frame->paths;
    bool runningGone = paths.back().lanes == 0;
    while (!paths.empty() && paths.back().lanes == 0)
      paths.pop_back();
    if (!paths.empty()) {
      if (runningGone)
        pc = path().pc;
      return reconverge(*frame, pc);
    }
    // The function has ended. Its caller goes on, if a lane is left there.
    if (frame->call && frame->lanes)
      calls.copyResults();
    calls.pop();
  }
  observe([&](ClusterObserver &observer) { observer.exit(*this); });
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

void Warp::advance() {
  ++executed;
  ++pc;
  reconverge(*frame, pc);
}

std::optional<Warp::State> Warp::step(const Instruction &inst,
                                      unsigned &blockedPaths) {
  uint32_t moved = definedness.begin(inst);
  if (LLVM_UNLIKELY(frame->function->usesWgmma))
    checkWgmmaRegisters(*this, inst);
  switch (inst.run(*this, inst)) {
  case Outcome::Next:
    definedness.end(inst, moved);
    advance();
    break;
  case Outcome::Jumped:
    ++executed;
    if (frame)
      reconverge(*frame, pc);
    break;
  case Outcome::Blocked:
    // If the lanes of another path wait as well, the warp is blocked.
    if (blockedPaths++ || !switchPath(*frame, pc))
      return State::Blocked;
    return std::nullopt;
  case Outcome::Failed:
    return State::Failed;
  }
  blockedPaths = 0;
  return std::nullopt;
}

Warp::State Warp::run(uint64_t budget) {
  uint64_t end = executed + budget;
  unsigned blockedPaths = 0;
  const LaunchContext &context = block.launch();
  while (frame) {
    if (executed >= end)
      return State::Running;
    const Instruction &inst = frame->function->instructions[pc];
    exec = path().lanes;
    if (inst.guarded) {
      definedness.checkGuard(inst);
      exec &= mask(inst.guard);
    }
    ++clock.own;
    if (context.wantsInstructions && !path().wait.active)
      observe([&](ClusterObserver &o) { o.execute(*this, inst); });
    if (!exec)
      advance();
    else if (std::optional<State> state = step(inst, blockedPaths))
      return *state;
  }
  return State::Done;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void Warp::report(FindingKind kind, const Instruction &inst, unsigned lane,
                  uint64_t address, const llvm::Twine &message) {
  LaunchContext &context = block.launch();
  Finding finding;
  finding.kind = kind;
  finding.kernel = context.function.source->name.str();
  finding.line = inst.source->line;
  finding.instruction =
      getLineText(*context.program.source, inst.source->line).str();
  finding.block = block.id;
  finding.thread = getThread(lane);
  finding.address = address;
  finding.message = message.str();
  if (!context.reporter.add(std::move(finding)))
    context.fail("too many findings");
}

void Warp::report(FindingKind kind, unsigned lane, uint64_t address,
                  const llvm::Twine &message) {
  report(kind, frame->function->instructions[pc], lane, address, message);
}

Outcome Warp::fail(const llvm::Twine &message) {
  const Instruction &inst = frame->function->instructions[pc];
  unsigned lane = exec ? llvm::countr_zero(exec) : 0;
  auto thread = getThread(lane);
  block.launch().fail(llvm::formatv(
      "line {0}: '{1}': {2}; thread ({3}, {4}, {5}) of block ({6}, {7}, {8})",
      inst.source->line,
      getLineText(*block.launch().program.source, inst.source->line),
      message.str(), thread[0], thread[1], thread[2], block.id[0], block.id[1],
      block.id[2]));
  return Outcome::Failed;
}

} // namespace tcgemm::emu
