//===- Control.cpp - Branches, calls and returns --------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/SystemCalls.h"
#include "Machine/Block.h"
#include "Machine/Decoder.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

using ptx::Operand;
using ptx::SymbolKind;

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static Outcome runBranch(Warp &warp, const Instruction &inst) {
  warp.branch(warp.exec, inst.target, inst.reconvergence, warp.pc + 1);
  return Outcome::Jumped;
}

static void decodeBranch(Decoder &d, Modifiers &mods) {
  mods.take("uni");
  if (!d.expectOperands(1))
    return;
  d.code->target = d.label(d.operand(0));
  d.code->control = Control::Branch;
  d.code->run = runBranch;
}

static Outcome runIndexedBranch(Warp &warp, const Instruction &inst) {
  // One target at a time. The other lanes execute the instruction again.
  const uint32_t *index = warp.lanes<uint32_t>(inst.operands[0]);
  uint32_t chosen = index[llvm::countr_zero(warp.exec)];
  if (chosen >= inst.targets.size())
    return warp.fail(llvm::formatv("index {0} into {1} targets", chosen,
                                   inst.targets.size()));
  uint32_t taken = 0;
  forEachLane(warp.exec, [&](unsigned lane) {
    taken |= uint32_t(index[lane] == chosen) << lane;
  });
  warp.branch(taken, inst.targets[chosen], inst.reconvergence, warp.pc);
  return Outcome::Jumped;
}

static void decodeIndexedBranch(Decoder &d, Modifiers &mods) {
  mods.take("uni");
  if (!mods.take("idx"))
    return d.fail("brx needs .idx");
  if (!d.expectOperands(2))
    return;
  d.src(0u, ptx::Type::U32);
  const Operand &name = d.operand(1);
  if (name.kind != Operand::Kind::Symbol || name.symbol != SymbolKind::Table)
    return d.fail("a .branchtargets label is needed");
  const ptx::BranchTable &table = d.function.branchTables[name.index];
  if (table.kind != ptx::BranchTable::Kind::Branches)
    return d.fail("a .branchtargets label is needed");
  // Each branch has its own copy of the table.
  constexpr size_t kMaxTargets = 4096;
  if (table.indices.size() > kMaxTargets)
    return d.fail(llvm::formatv("{0} targets; at most {1} are supported",
                                table.indices.size(), kMaxTargets));
  for (uint32_t label : table.indices)
    d.code->targets.push_back(d.function.labels[label].at);
  d.code->control = Control::Indexed;
  d.code->run = runIndexedBranch;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Returns whether the parameters have the sizes that the function declares.
/// They are copied from one frame to the other.
static bool matches(const CallExtra &extra, const ptx::Function &function) {
  auto isSame = [](llvm::ArrayRef<PassedParam> passed,
                   llvm::ArrayRef<ptx::Variable> declared) {
    return llvm::equal(passed, declared,
                       [](const PassedParam &a, const ptx::Variable &b) {
                         return a.bytes == b.bytes;
                       });
  };
  return isSame(extra.arguments, function.params) &&
         isSame(extra.results, function.results);
}

static Outcome runCall(Warp &warp, const Instruction &inst) {
  const auto &extra = static_cast<const CallExtra &>(*inst.extra);
  int64_t index = extra.function;
  if (index < 0) {
    const uint64_t *target = warp.lanes<uint64_t>(inst.operands[0]);
    uint64_t address = target[llvm::countr_zero(warp.exec)];
    const auto &functions = extra.program->functions;
    index = address - kFunctionWindow;
    if (address < kFunctionWindow || uint64_t(index) >= functions.size() ||
        !functions[index].source || !matches(extra, *functions[index].source))
      return warp.fail(llvm::formatv("{0:x} is not the address of a function "
                                     "with a body and this prototype",
                                     address));
    if (!functions[index].error.empty())
      return warp.fail(functions[index].error);
    // One function at a time. The other lanes execute the instruction again.
    uint32_t same = 0;
    forEachLane(warp.exec, [&](unsigned lane) {
      same |= uint32_t(target[lane] == address) << lane;
    });
    if (same != warp.exec)
      warp.split(same, warp.exec & ~same);
    warp.exec = same;
  }
  Frame &caller = *warp.frame;
  const FunctionCode &function = extra.program->functions[index];
  if (!warp.enter(function, inst))
    return Outcome::Failed;
  for (auto [i, argument] : llvm::enumerate(extra.arguments))
    copyParam(*warp.frame, function.paramOffsets[i], caller, argument.offset,
              argument.bytes, warp.exec);
  return Outcome::Jumped;
}

static std::vector<PassedParam> decodeParams(Decoder &d, const Operand &list) {
  std::vector<PassedParam> params;
  for (const Operand &param : list.elements) {
    if (param.kind != Operand::Kind::Symbol ||
        param.symbol != SymbolKind::Local ||
        d.function.variables[param.index].space != ptx::Space::Param)
      d.fail("calls pass .param variables only");
    else
      params.push_back({d.variableAddresses[param.index],
                        d.function.variables[param.index].bytes});
  }
  return params;
}

static void decodeCall(Decoder &d, Modifiers &mods) {
  mods.take("uni");
  auto extra = std::make_unique<CallExtra>();
  extra->program = &d.parent.program;
  unsigned next = 0;
  if (d.operand(0).kind == Operand::Kind::List)
    extra->results = decodeParams(d, d.operand(next++));
  const Operand &callee = d.operand(next++);
  if (next < d.getNumOperands() && d.operand(next).kind == Operand::Kind::List)
    extra->arguments = decodeParams(d, d.operand(next++));
  if (callee.kind == Operand::Kind::Symbol &&
      callee.symbol == SymbolKind::Function) {
    const ptx::Function *function =
        &d.parent.program.source->functions[callee.index];
    function = d.parent.program.source->findFunction(function->name);
    if (!function->isDefinition)
      return decodeSystemCall(d, function->name, extra->arguments,
                              extra->results);
    if (!matches(*extra, *function))
      return d.fail("the call does not match '" + callee.name + "'");
    extra->function = function - d.parent.program.source->functions.data();
    d.out.callees.push_back(extra->function);
  } else {
    d.src(callee, ptx::Type::U64);
  }
  d.code->extra = std::move(extra);
  d.code->run = runCall;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

static Outcome runReturn(Warp &warp, const Instruction &) {
  ++warp.pc; // For lanes whose guard is false.
  warp.returnLanes(warp.exec);
  return Outcome::Jumped;
}

static Outcome runExit(Warp &warp, const Instruction &) {
  ++warp.pc;
  warp.exitLanes(warp.exec);
  return Outcome::Jumped;
}

static Outcome runTrap(Warp &warp, const Instruction &) {
  return warp.fail("trap");
}

static void decodeReturn(Decoder &d, Modifiers &mods) {
  mods.take("uni");
  d.expectOperands(0);
  d.code->control = Control::End;
  d.code->run = runReturn;
}

static void decodeExit(Decoder &d, Modifiers &) {
  d.expectOperands(0);
  d.code->control = Control::End;
  d.code->run = runExit;
}

static void decodeTrap(Decoder &d, Modifiers &) {
  d.expectOperands(0);
  d.code->control = Control::End;
  d.code->run = runTrap;
}

static Outcome runNothing(Warp &, const Instruction &) { return Outcome::Next; }

static void decodeNothing(Decoder &d, Modifiers &) { d.code->run = runNothing; }

llvm::ArrayRef<FamilyEntry> getControlFamily() {
  static constexpr FamilyEntry kFamily[] = {
      {"bra", decodeBranch},   {"brx", decodeIndexedBranch},
      {"call", decodeCall},    {"ret", decodeReturn},
      {"exit", decodeExit},    {"trap", decodeTrap},
      {"brkpt", decodeNothing}};
  return kFamily;
}

} // namespace tcgemm::emu
