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
      checkUndefined(block.launch().options.checks.uninitialised) {
  pushFrame(block.launch().function, lanes, nullptr);
}

Warp::~Warp() = default;

std::array<uint32_t, 3> Warp::getThread(unsigned lane) const {
  const auto &dims = block.launch().launch.block;
  uint32_t thread = index * kWarpSize + lane;
  return {thread % dims[0], thread / dims[0] % dims[1],
          thread / dims[0] / dims[1]};
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// Makes the pool's next frame one of the function; false if all frames would
/// take too much, which is reported.
bool Warp::prepareFrame(const FunctionCode &function) {
  if (frames < framePool.size() && framePool[frames]->function == &function)
    return true;
  size_t paramBytes = size_t(function.paramBytes) * kWarpSize;
  uint64_t bytes = function.frameBytes + 64 + 2 * paramBytes;
  while (framePool.size() > frames) { // Those not in use.
    framePoolBytes -= framePool.back()->bytes;
    framePool.pop_back();
  }
  if (frames && framePoolBytes + bytes > kMaxPoolBytes) {
    fail(
        llvm::formatv("calls {0} deep need {1} bytes of registers; at most {2} "
                      "are supported",
                      frames + 1, framePoolBytes + bytes, kMaxPoolBytes));
    return false;
  }
  framePool.push_back(std::make_unique<Frame>());
  framePoolBytes += bytes;
  Frame &next = *framePool.back();
  next.bytes = bytes;
  next.function = &function;
  next.storage = std::make_unique<uint8_t[]>(function.frameBytes + 64);
  next.slots = reinterpret_cast<uint8_t *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(next.storage.get()), 64));
  next.paramStorage = std::make_unique<uint8_t[]>(paramBytes);
  next.params.space = ptx::Space::Param;
  next.params.bytes = paramBytes;
  next.params.data = next.paramStorage.get();
  if (checkUndefined) {
    next.paramDefined = std::make_unique<uint8_t[]>(paramBytes);
    next.params.defined = next.paramDefined.get();
  }
  return true;
}

bool Warp::pushFrame(const FunctionCode &function, uint32_t lanes,
                     const Instruction *call) {
  uint32_t localBase = 0;
  if (frame)
    forEachLane(lanes, [&](unsigned lane) {
      localBase = std::max(localBase, frame->stackTop[lane]);
    });
  localBase = llvm::alignTo(localBase, 16);
  if (!prepareFrame(function))
    return false;
  Frame &next = *framePool[frames++];
  llvm::copy(function.constants, next.slots + function.constantsOffset);
  next.defined.assign(function.registers, 0);
  if (function.usesWgmma) {
    next.accumulating.assign(function.registers, 0);
    next.multiplying.assign(function.registers, 0);
    next.touched.assign(function.registers, 0);
  }
  next.paths.assign(1, Path{0, UINT32_MAX, lanes});
  next.lanes = lanes;
  next.localBase = localBase;
  next.call = call;
  frame = &next;
  pc = 0;
  fillSpecials(next);
  uint64_t localEnd = uint64_t(localBase) + function.localBytes;
  next.stackTop.fill(uint32_t(localEnd));
  if (localEnd && localEnd <= kLocalBytes && !prepareLocal())
    return false;
  if (localEnd <= kLocalBytes && frames <= kMaxDepth)
    return true;
  fail(llvm::formatv("calls {0} deep need {1} bytes of local memory a thread; "
                     "at most {2} deep and {3} bytes are supported",
                     frames, localEnd, kMaxDepth, kLocalBytes));
  return false;
}

bool Warp::prepareLocal() {
  if (local.data)
    return true;
  uint64_t bytes = uint64_t(kLocalBytes) * kWarpSize;
  localData = allocateZeroed(bytes);
  if (checkUndefined)
    localDefined = allocateZeroed(bytes);
  if (!localData || (checkUndefined && !localDefined)) {
    fail(llvm::formatv("no memory is left for {0} bytes of local memory",
                       bytes));
    return false;
  }
  local.space = ptx::Space::Local;
  local.bytes = bytes;
  local.data = localData.get();
  local.defined = localDefined.get();
  return true;
}

std::optional<uint64_t> Warp::allocateLocal(unsigned lane, uint64_t bytes,
                                            uint64_t alignment) {
  uint64_t start = llvm::alignTo(frame->stackTop[lane], alignment);
  if (start > kLocalBytes || bytes > kLocalBytes - start) {
    fail(llvm::formatv("alloca of {0} bytes where {1} are in use; a thread has "
                       "{2} bytes of local memory",
                       bytes, frame->stackTop[lane], kLocalBytes));
    return std::nullopt;
  }
  if (!prepareLocal())
    return std::nullopt;
  frame->stackTop[lane] = uint32_t(start + bytes);
  if (local.defined)
    memset(local.defined + uint64_t(lane) * kLocalBytes + start, 0, bytes);
  return start;
}

void Warp::popFrame() {
  if (frame->function->usesWgmma)
    dropWgmma(*this);
  --frames;
  frame = frames ? framePool[frames - 1].get() : nullptr;
  if (!frame) {
    observe([&](ClusterObserver &observer) { observer.exit(*this); });
    return;
  }
  pc = path().pc;
}

bool Warp::enter(const FunctionCode &function, const Instruction &call) {
  path().pc = pc + 1;
  return pushFrame(function, exec, &call);
}

void Warp::returnLanes(uint32_t lanes) {
  if (frames == 1)
    return exitLanes(lanes);
  for (Path &each : frame->paths)
    each.lanes &= ~lanes;
  dropEmptyPaths();
}

void Warp::exitLanes(uint32_t lanes) {
  exited |= lanes;
  for (unsigned depth = 0; depth < frames; ++depth) {
    for (Path &each : framePool[depth]->paths)
      each.lanes &= ~lanes;
    framePool[depth]->lanes &= ~lanes;
  }
  // What a thread has begun to copy arrives even so.
  exec = lanes;
  std::array<uint32_t, kWarpSize> all;
  all.fill(UINT32_MAX);
  finishCopies(all);
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
      return reconverge();
    }
    // Nobody is left in this function: copy what it returns, and go on in the
    // caller, if anybody is left there.
    if (const Instruction *call = frame->call)
      if (frame->lanes)
        copyResults(*call);
    popFrame();
  }
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

void Warp::branch(uint32_t taken, uint32_t target, uint32_t reconvergence,
                  uint32_t otherwise) {
  Path &running = path();
  uint32_t others = running.lanes & ~taken;
  if (!others) {
    pc = target;
    return;
  }
  if (reconvergence == UINT32_MAX) {
    // The paths do not meet: the running one becomes that of the others.
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

void Warp::reconverge() {
  auto &paths = frame->paths;
  while (paths.size() > 1 && pc == paths.back().reconvergence) {
    paths.pop_back();
    pc = paths.back().pc;
  }
}

bool Warp::switchPath() {
  auto &paths = frame->paths;
  if (paths.size() < 2)
    return false;
  Path &running = paths.back(), &other = paths[paths.size() - 2];
  if (running.lanes & other.lanes)
    return false; // Not a branch's other side, but what follows it.
  running.pc = pc;
  std::swap(running, other);
  pc = paths.back().pc;
  return true;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

uint32_t Warp::getMovedDefinedness(const Instruction &inst) {
  auto definedOf = [&](const Slot &slot) {
    return slot.id == kNoRegister ? ~0u : frame->defined[slot.id];
  };
  if (inst.selects) {
    uint32_t first = mask(inst.operands[3]);
    return (definedOf(inst.operands[1]) & first) |
           (definedOf(inst.operands[2]) & ~first);
  }
  uint32_t all = ~0u;
  for (uint32_t id : inst.sources)
    all &= frame->defined[id];
  return all;
}

Warp::State Warp::run(uint64_t budget) {
  const LaunchContext &context = block.launch();
  uint64_t end = executed + budget;
  unsigned blockedPaths = 0;
  while (frames) {
    if (executed >= end)
      return State::Running;
    const Instruction &inst = frame->function->instructions[pc];
    exec = path().lanes;
    if (inst.guarded) {
      if (checkUndefined)
        checkSource(inst, inst.guard.id, exec);
      exec &= mask(inst.guard);
    }
    ++instructionTick;
    if (context.wantsInstructions && !path().wait.active)
      observe([&](ClusterObserver &o) { o.execute(*this, inst); });
    if (!exec) {
      ++executed;
      ++pc;
      reconverge();
      continue;
    }

    uint32_t moved = 0;
    if (checkUndefined) {
      exchangedDefined =
          inst.exchanged == kNoRegister ? ~0u : frame->defined[inst.exchanged];
      if (inst.movesOnly || inst.selects)
        moved = getMovedDefinedness(inst);
      else
        for (uint32_t id : inst.sources)
          if (id != inst.exchanged)
            checkSource(inst, id, exec);
      if (inst.selects && inst.operands[3].id != kNoRegister)
        checkSource(inst, inst.operands[3].id, exec);
      // Before the handler, which may take this back for what it loads.
      for (uint32_t id : inst.destinations)
        frame->defined[id] |= exec;
    }
    if (LLVM_UNLIKELY(frame->function->usesWgmma))
      checkWgmmaRegisters(inst);
    switch (inst.run(*this, inst)) {
    case Outcome::Next:
      if (inst.movesOnly || inst.selects)
        for (uint32_t id : inst.destinations)
          frame->defined[id] &= ~exec | moved;
      ++executed;
      ++pc;
      reconverge();
      break;
    case Outcome::Jumped:
      ++executed;
      if (frame)
        reconverge();
      break;
    case Outcome::Blocked:
      // If the lanes of another path wait as well, nothing can be done here.
      if (blockedPaths++ || !switchPath())
        return State::Blocked;
      continue;
    case Outcome::Failed:
      return State::Failed;
    }
    blockedPaths = 0;
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

void Warp::checkSource(const Instruction &inst, uint32_t id, uint32_t lanes) {
  uint32_t bad = id == kNoRegister ? 0 : lanes & ~frame->defined[id];
  if (!bad)
    return;
  frame->defined[id] |= bad; // Once is enough.
  unsigned lane = llvm::countr_zero(bad);
  llvm::StringRef name = frame->function->source->registers[id].name;
  for (const auto &[slot, origin] : undefinedOrigins) {
    if (slot != id || origin.frame != frame)
      continue;
    FindingKind kind = origin.space == ptx::Space::Global
                           ? FindingKind::UninitialisedGlobal
                       : origin.space == ptx::Space::Shared
                           ? FindingKind::UninitialisedShared
                           : FindingKind::UninitialisedRegister;
    if (origin.space == ptx::Space::Reg)
      return report(kind, inst, lane, 0,
                    llvm::formatv("'{0}' is used, which line {1} got from a "
                                  "lane that has no value there",
                                  name, origin.inst->source->line));
    return report(kind, inst, lane, origin.address,
                  llvm::formatv("'{0}' is used, which line {1} loaded from {2} "
                                "{3:x} that nobody has written",
                                name, origin.inst->source->line,
                                ptx::getName(origin.space), origin.address));
  }
  report(FindingKind::UninitialisedRegister, inst, lane, 0,
         "'" + name + "' is used before it is written");
}

} // namespace tcgemm::emu
