//===- WgmmaIssue.cpp - Issue and wait of wgmma ---------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/WarpSync.h"
#include "Instructions/Wgmma.h"
#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// Registers in flight
//===----------------------------------------------------------------------===//

static void markRegisters(const WgmmaOp &op, Frame &frame, int by) {
  const WgmmaShape &shape = op.getShape();
  const auto &operands = op.inst->operands;
  for (unsigned i = 0; i < shape.registersD; ++i)
    if (operands[i].id < frame.accumulating.size())
      frame.accumulating[operands[i].id] += by;
  for (unsigned i = 0; i < shape.registersA; ++i)
    if (operands[shape.registersD + i].id < frame.multiplying.size())
      frame.multiplying[operands[shape.registersD + i].id] += by;
}

/// Checks the registers at the issue of a wgmma.
static void checkIssue(Warp &warp, const Instruction &inst,
                       const WgmmaShape &shape, bool accumulates) {
  const Checks &checks = warp.block.launch().options.checks;
  Frame &frame = *warp.frame;
  const auto &registers = frame.function->source->registers;
  unsigned lane = llvm::countr_zero(warp.exec);
  unsigned count = shape.registersD + shape.registersA;
  bool told = !checks.races, toldUndefined = !checks.uninitialised;
  for (unsigned i = 0; i < count; ++i) {
    uint32_t id = inst.operands[i].id;
    if (id >= frame.touched.size())
      continue;
    bool isA = i >= shape.registersD;
    if (!told &&
        (warp.wgmmaEpoch == 0 || frame.touched[id] == warp.wgmmaEpoch)) {
      told = true;
      warp.report(FindingKind::MissingWgmmaFence, lane, 0,
                  "'" + registers[id].name +
                      (warp.wgmmaEpoch
                           ? "' was accessed since the last wgmma.fence"
                           : "': there was no wgmma.fence before"));
    }
    if (!told && isA && frame.accumulating[id]) {
      told = true;
      warp.report(FindingKind::AccumulatorInFlight, lane, 0,
                  "'" + registers[id].name +
                      "', which is A, is still being computed by another "
                      "wgmma.mma_async");
    }
    if (isA)
      continue; // Checked as any other source.
    if (!toldUndefined && accumulates && (warp.exec & ~frame.defined[id])) {
      toldUndefined = true;
      warp.report(FindingKind::UninitialisedRegister, lane, 0,
                  "'" + registers[id].name + "' is used before it is written");
    }
    frame.defined[id] |= warp.exec;
  }
}

//===----------------------------------------------------------------------===//
// Issue and wait
//===----------------------------------------------------------------------===//

static uint8_t getMembers(const Block &block, unsigned group) {
  unsigned count = std::min<size_t>(4, block.warps.size() - size_t(group) * 4);
  return (1u << count) - 1;
}

Outcome issueWgmma(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  const auto &shape = static_cast<const WgmmaShape &>(*inst.extra);
  Block &block = warp.block;
  unsigned number = warp.index / 4, index = warp.index % 4;
  if (getMembers(block, number) != 15)
    return warp.fail("wgmma needs a warpgroup: four warps");
  WarpGroup &group = block.warpGroups[number];
  WarpGroup::Member &member = group.members[index];
  unsigned lane = llvm::countr_zero(warp.exec);
  const Slot *next = &inst.operands[shape.registersD];
  WgmmaOp::Part part;
  part.frame = warp.frame;
  part.commitGroup = member.committed;
  if (shape.registersA)
    next += shape.registersA;
  else
    part.descriptorA = warp.lanes<uint64_t>(*next++)[lane];
  part.descriptorB = warp.lanes<uint64_t>(*next++)[lane];
  part.accumulates = warp.mask(*next) >> lane & 1;
  checkIssue(warp, inst, shape, part.accumulates);

  uint64_t at = member.issued++ - group.first;
  if (at == group.ops.size()) {
    group.ops.push_back(std::make_unique<WgmmaOp>());
    group.ops.back()->inst = &inst;
    group.ops.back()->block = &block;
    group.ops.back()->group = number;
  }
  WgmmaOp &op = *group.ops[at];
  if (op.inst != &inst) {
    std::string text = llvm::formatv(
        "another warp of the warpgroup issues that of line {0} instead",
        op.inst->source->line);
    if (block.launch().options.checks.barriers)
      warp.report(FindingKind::BarrierDivergence, lane, 0, text);
    return warp.fail(text);
  }
  op.parts[index] = part;
  op.issued |= 1u << index;
  markRegisters(op, *warp.frame, 1);
  ++block.cluster.effects;
  warp.observe([&](ClusterObserver &o) { o.wgmmaBegin(warp, op); });
  return Outcome::Next;
}

static void retire(WarpGroup &group, WgmmaOp &op, unsigned index) {
  if (Frame *frame = op.parts[index].frame)
    markRegisters(op, *frame, -1);
  op.retired |= 1u << index;
  ++group.members[index].retired;
}

static void dropRetired(WarpGroup &group) {
  while (!group.ops.empty() && group.ops.front()->retired == 15) {
    group.ops.pop_front();
    ++group.first;
  }
}

Outcome waitWgmma(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  unsigned index = warp.index % 4;
  WarpGroup &group = warp.block.warpGroups[warp.index / 4];
  WarpGroup::Member &member = group.members[index];
  WaitState &wait = warp.path().wait;
  auto isNeeded = [&](const WgmmaOp &op) {
    return (op.issued >> index & 1) &&
           op.parts[index].commitGroup + inst.imm < member.committed;
  };
  for (uint64_t i = member.retired - group.first; i < group.ops.size(); ++i) {
    const WgmmaOp &op = *group.ops[i];
    if (isNeeded(op) && op.issued != 15) {
      wait = {true, {SyncKey::Kind::Word, 0}, 0};
      return Outcome::Blocked;
    }
  }
  wait.active = false;
  while (member.retired < member.issued) {
    WgmmaOp &op = *group.ops[member.retired - group.first];
    if (!isNeeded(op))
      break;
    if (!op.isDone)
      multiply(op);
    op.isDone = true;
    retire(group, op, index);
    warp.observe([&](ClusterObserver &o) { o.wgmmaWaited(warp, op); });
  }
  dropRetired(group);
  return Outcome::Next;
}

Outcome commitWgmma(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  ++warp.block.warpGroups[warp.index / 4].members[warp.index % 4].committed;
  return Outcome::Next;
}

Outcome fenceWgmma(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  ++warp.wgmmaEpoch;
  return Outcome::Next;
}

} // namespace tcgemm::emu
