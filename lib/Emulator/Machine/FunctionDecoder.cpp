//===- FunctionDecoder.cpp - Decoder of functions -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/FunctionDecoder.h"
#include "Machine/VariableLayout.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace tcgemm::emu {

using ptx::Space;
using ptx::Type;

static llvm::StringMap<FamilyDecoder> makeFamilyTable() {
  llvm::StringMap<FamilyDecoder> table;
  for (llvm::ArrayRef<FamilyEntry> family :
       {getIntegerFamily(), getFloatFamily(), getConvertFamily(),
        getMoveFamily(), getCompareFamily(), getControlFamily(),
        getStackFamily(), getVideoFamily(), getMemoryFamily(),
        getAtomicFamily(), getAsyncCopyFamily(), getBarrierFamily(),
        getWarpFamily(), getMatrixFamily(), getMmaFamily(), getWmmaFamily(),
        getMBarrierFamily(), getWgmmaFamily()})
    for (const FamilyEntry &entry : family) {
      bool isNew = table.try_emplace(entry.opcode, entry.decode).second;
      assert(isNew && "an opcode in two families");
      (void)isNew;
    }
  return table;
}

static FamilyDecoder findDecoder(llvm::StringRef opcode) {
  static const llvm::StringMap<FamilyDecoder> table = makeFamilyTable();
  return table.lookup(opcode);
}

uint32_t FunctionDecoder::place(uint32_t &end, const ptx::Variable &variable) {
  if (auto at = tryPlace(end, variable))
    return *at;
  decoder.fail(
      llvm::formatv("'{0}': variables of .{1} take more than {2} bytes",
                    variable.name, ptx::getName(variable.space), kMaxPlaced));
  return 0;
}

void FunctionDecoder::layOutParams() {
  uint32_t &end = function.isEntry ? out.argumentBytes : out.paramBytes;
  for (const ptx::Variable &param : function.params)
    out.paramOffsets.push_back(place(end, param));
  for (const ptx::Variable &result : function.results)
    out.resultOffsets.push_back(place(end, result));
  if (decoder.failed())
    setError(function.line);
}

void FunctionDecoder::layOutVariables() {
  uint32_t shared = parent.commonShared;
  for (const ptx::Variable &variable : function.variables) {
    switch (variable.space) {
    case Space::Param:
      decoder.variableAddresses.push_back(place(out.paramBytes, variable));
      break;
    case Space::Local:
      decoder.variableAddresses.push_back(place(out.localBytes, variable));
      break;
    case Space::Shared:
      // The place of dynamic shared memory depends on all functions. So only
      // the module may declare it, as compilers do.
      if (variable.isExtern)
        decoder.fail("extern shared variables must be declared by the module");
      decoder.variableAddresses.push_back(place(shared, variable));
      break;
    default:
      decoder.fail("variable '" + variable.name + "' of space ." +
                   ptx::getName(variable.space) +
                   " in a function is not supported");
      decoder.variableAddresses.push_back(0);
    }
  }
  parent.program.sharedBytes = std::max(parent.program.sharedBytes, shared);
  out.localBytes = llvm::alignTo(out.localBytes, 16);
  out.paramBytes = llvm::alignTo(out.paramBytes, 16);
}

void FunctionDecoder::decodeGuard(const ptx::Guard &guard, Instruction &into) {
  into.guarded = true;
  into.guard = decoder.layout.getRegister(guard.reg);
  into.guard.negated = guard.negated;
  if (function.registers[guard.reg].type != Type::Pred)
    decoder.fail("the guard is not a predicate");
}

void FunctionDecoder::decode(const ptx::Instruction &inst, Instruction &into) {
  decoder.begin(inst, into);
  into.source = &inst;
  into.site = parent.program.sites++;
  if (inst.guard)
    decodeGuard(*inst.guard, into);
  FamilyDecoder family = findDecoder(inst.opcode);
  if (!family)
    return decoder.fail("instruction '" + inst.opcode + "' is not supported");
  Modifiers modifiers(inst);
  family(decoder, modifiers);
  if (!decoder.failed() && !modifiers.empty())
    decoder.fail("modifier '." + modifiers.front() + "' is not supported here");
  if (!decoder.failed() && !into.run)
    decoder.fail("this form is not supported");
  // Constants and sinks are always defined.
  auto isNone = [](uint32_t id) { return id == kNoRegister; };
  llvm::erase_if(into.sources, isNone);
  llvm::erase_if(into.destinations, isNone);
}

void FunctionDecoder::setError(uint32_t line) {
  out.error = llvm::formatv("line {0}: '{1}': {2}", line,
                            getLineText(*parent.program.source, line),
                            decoder.getError());
}

bool FunctionDecoder::decodeInstructions() {
  out.instructions.resize(function.instructions.size() + 1);
  uint32_t index = 0;
  for (const ptx::Instruction &inst : function.instructions) {
    Instruction &into = out.instructions[index];
    into.index = index++;
    decode(inst, into);
    if (decoder.failed()) {
      setError(inst.line);
      return false;
    }
  }
  // The end of the function returns, so that every path ends alike.
  static const ptx::Instruction kReturn = [] {
    ptx::Instruction ret;
    ret.opcode = "ret";
    return ret;
  }();
  Instruction &last = out.instructions[index];
  last.index = index;
  decode(kReturn, last);
  return true;
}

void FunctionDecoder::run() {
  out.source = &function;
  if (decoder.failed())
    return;
  decoder.layout.begin(function);
  layOutVariables();
  if (!decoder.layout.fits())
    decoder.fail(llvm::formatv("the function's registers and constants take "
                               "more than {0} bytes a warp",
                               kMaxFrameBytes));
  if (decoder.failed())
    return setError(function.line);
  if (!decodeInstructions()) {
    out.instructions.clear();
    return;
  }
  decoder.layout.end();
  findReconvergence(out);
}

} // namespace tcgemm::emu
