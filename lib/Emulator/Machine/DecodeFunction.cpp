//===- DecodeFunction.cpp - Decoder of functions and modules --------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Decoder.h"
#include "Machine/Memory.h"

#include "llvm/ADT/SmallPtrSet.h"
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

/// Far more than there is of any memory that belongs to a thread or block: so
/// that offsets do not overflow.
static constexpr uint64_t kMaxPlaced = 1 << 20;
/// Of a module's global variables.
static constexpr uint64_t kMaxGlobals = uint64_t(1) << 30;
static constexpr uint32_t kMaxAlign = 1 << 12;

/// Puts a variable behind those before; none if there is no room.
static std::optional<uint32_t> tryPlace(uint32_t &end,
                                        const ptx::Variable &variable) {
  uint64_t at = llvm::alignTo(end, std::max(1u, variable.align));
  if (variable.align > kMaxAlign || variable.bytes > kMaxPlaced ||
      at + variable.bytes > kMaxPlaced)
    return std::nullopt;
  end = at + variable.bytes;
  return at;
}

uint32_t Decoder::place(uint32_t &end, const ptx::Variable &variable) {
  if (auto at = tryPlace(end, variable))
    return *at;
  fail(llvm::formatv("'{0}': variables of .{1} take more than {2} bytes",
                     variable.name, ptx::getName(variable.space), kMaxPlaced));
  return 0;
}

void Decoder::layOutParams() {
  uint32_t &end = function.isEntry ? out.argumentBytes : out.paramBytes;
  for (const ptx::Variable &param : function.params)
    out.paramOffsets.push_back(place(end, param));
  for (const ptx::Variable &result : function.results)
    out.resultOffsets.push_back(place(end, result));
  if (hasFailed)
    setError(function.line);
}

void Decoder::layOutVariables() {
  uint32_t shared = parent.commonShared;
  for (const ptx::Variable &variable : function.variables) {
    switch (variable.space) {
    case Space::Param:
      variableAddresses.push_back(place(out.paramBytes, variable));
      break;
    case Space::Local:
      variableAddresses.push_back(place(out.localBytes, variable));
      break;
    case Space::Shared:
      // The dynamic part's place depends on all functions: only the module may
      // declare it, as compilers do.
      if (variable.isExtern)
        fail("extern shared variables must be declared by the module");
      variableAddresses.push_back(place(shared, variable));
      break;
    default:
      fail("variable '" + variable.name + "' of space ." +
           ptx::getName(variable.space) + " in a function is not supported");
      variableAddresses.push_back(0);
    }
  }
  parent.program.sharedBytes = std::max(parent.program.sharedBytes, shared);
  out.localBytes = llvm::alignTo(out.localBytes, 16);
  out.paramBytes = llvm::alignTo(out.paramBytes, 16);
}

void Decoder::decode(const ptx::Instruction &inst, Instruction &into) {
  source = &inst;
  code = &into;
  into.source = &inst;
  into.site = parent.program.sites++;
  if (inst.guard) {
    into.guarded = true;
    into.guard = registers[inst.guard->reg];
    into.guard.negated = inst.guard->negated;
    if (function.registers[inst.guard->reg].type != Type::Pred)
      fail("the guard is not a predicate");
  }
  FamilyDecoder decoder = findDecoder(inst.opcode);
  if (!decoder)
    return fail("instruction '" + inst.opcode + "' is not supported");
  Modifiers modifiers(inst);
  decoder(*this, modifiers);
  if (!hasFailed && !modifiers.empty())
    fail("modifier '." + modifiers.front() + "' is not supported here");
  if (!hasFailed && !into.run)
    fail("this form is not supported");
  // Registers of constants and sinks are always defined.
  auto isNone = [](uint32_t id) { return id == kNoRegister; };
  llvm::erase_if(into.sources, isNone);
  llvm::erase_if(into.destinations, isNone);
}

void Decoder::setError(uint32_t line) {
  out.error = llvm::formatv("line {0}: '{1}': {2}", line,
                            getLineText(*parent.program.source, line), message);
}

/// False if one is not supported.
bool Decoder::decodeInstructions() {
  out.instructions.resize(function.instructions.size() + 1);
  uint32_t index = 0;
  for (const ptx::Instruction &inst : function.instructions) {
    Instruction &into = out.instructions[index];
    into.index = index++;
    decode(inst, into);
    if (hasFailed) {
      setError(inst.line);
      return false;
    }
  }
  // Running off the end is returning, so that every path ends alike.
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

void Decoder::run() {
  out.source = &function;
  if (hasFailed)
    return;
  for (const ptx::Register &reg : function.registers) {
    Slot slot = newSlot(getSlotBytes(reg.type));
    slot.id = registers.size();
    registers.push_back(slot);
  }
  out.registers = registers.size();
  sink = newSlot(16);
  out.constantsOffset = out.frameBytes;
  layOutVariables();
  if (!fitsFrame() || hasFailed)
    return setError(function.line);
  if (!decodeInstructions()) {
    out.instructions.clear();
    return;
  }
  out.frameBytes = out.constantsOffset + out.constants.size();
  findReconvergence(out);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static llvm::Error tooLarge(const ptx::Variable &variable, uint64_t limit) {
  return llvm::createStringError(llvm::formatv(
      "line {0}: '{1}' has {2} bytes, aligned to {3}: with the variables "
      "before "
      "it this is beyond the limit of {4}",
      variable.line, variable.name, variable.bytes, variable.align, limit));
}

llvm::Error ProgramDecoder::placeVariables() {
  commonShared = kSharedReserved;
  uint32_t dynamicAlign = 16;
  uint64_t globalBytes = 0;
  for (const ptx::Variable &variable : program.source->variables) {
    uint64_t address = 0;
    switch (variable.space) {
    case Space::Shared:
      if (variable.align > kMaxAlign)
        return tooLarge(variable, kMaxAlign);
      if (variable.isExtern)
        dynamicAlign = std::max(dynamicAlign, variable.align);
      else if (auto at = tryPlace(commonShared, variable))
        address = *at;
      else
        return tooLarge(variable, kMaxPlaced);
      break;
    case Space::Global:
    case Space::Const: {
      if (variable.isExtern)
        return llvm::createStringError(
            llvm::formatv("line {0}: '{1}' is defined in another module",
                          variable.line, variable.name));
      globalBytes += variable.bytes;
      if (variable.bytes > kMaxGlobals || globalBytes > kMaxGlobals)
        return tooLarge(variable, kMaxGlobals);
      auto region = memory.allocate(variable.bytes, variable.name);
      if (!region)
        return region.takeError();
      address = (*region)->base;
      // What is not initialised explicitly is zero.
      memset((*region)->defined, 1, variable.bytes);
      llvm::copy(variable.init, (*region)->data);
      (*region)->writable = variable.space == Space::Global;
      program.globals.push_back({variable.name.str(), address, variable.bytes});
      break;
    }
    default:
      return llvm::createStringError(llvm::formatv(
          "line {0}: variable '{1}' of space .{2} in a module is "
          "not supported",
          variable.line, variable.name, ptx::getName(variable.space)));
    }
    variableAddresses.push_back(address);
  }
  // Shared variables of functions that any kernel may call have a place of
  // their own; those of kernels share theirs, after them.
  program.sharedBytes = commonShared;
  for (const ptx::Function &function : program.source->functions) {
    uint32_t end = commonShared;
    for (const ptx::Variable &variable : function.variables)
      if (variable.space == Space::Shared && !variable.isExtern &&
          !tryPlace(end, variable))
        return tooLarge(variable, kMaxPlaced);
    program.sharedBytes = std::max(program.sharedBytes, end);
  }
  program.dynamicSharedOffset =
      llvm::alignTo(program.sharedBytes, dynamicAlign);
  for (auto [variable, address] :
       llvm::zip_equal(program.source->variables, variableAddresses))
    if (variable.space == Space::Shared && variable.isExtern)
      address = program.dynamicSharedOffset;
  return llvm::Error::success();
}

void ProgramDecoder::relocate() {
  for (auto [variable, address] :
       llvm::zip_equal(program.source->variables, variableAddresses))
    for (const ptx::Variable::Relocation &relocation : variable.relocations) {
      uint64_t value = relocation.kind == ptx::SymbolKind::Function
                           ? kFunctionWindow + relocation.index
                           : variableAddresses[relocation.index];
      if (relocation.isGeneric &&
          relocation.kind == ptx::SymbolKind::Variable &&
          program.source->variables[relocation.index].space == Space::Shared)
        value += kSharedWindow;
      value = (value + relocation.addend) >> relocation.shift;
      Region *region = memory.find(address, 0);
      memcpy(region->data + relocation.at, &value,
             std::min(relocation.bytes, 8u));
    }
}

/// The error of the kernel, or of a function that it may call by name; empty if
/// there is none. A call through a pointer finds out when it is executed.
static std::string findUnsupported(const Program &program,
                                   const FunctionCode &kernel) {
  llvm::SmallPtrSet<const FunctionCode *, 16> seen;
  llvm::SmallVector<const FunctionCode *> rest{&kernel};
  while (!rest.empty()) {
    const FunctionCode *function = rest.pop_back_val();
    if (!seen.insert(function).second)
      continue;
    if (!function->error.empty())
      return function == &kernel
                 ? function->error
                 : llvm::formatv("{0}, in function '{1}'", function->error,
                                 function->source->name)
                       .str();
    for (uint32_t callee : llvm::reverse(function->callees))
      rest.push_back(&program.functions[callee]);
  }
  return "";
}

llvm::Error ProgramDecoder::run() {
  if (llvm::Error error = placeVariables())
    return error;
  relocate();
  // Parameters first: calls need the offsets of functions not yet decoded.
  const auto &functions = program.source->functions;
  program.functions.resize(functions.size());
  std::vector<std::unique_ptr<Decoder>> decoders;
  for (auto [function, code] : llvm::zip_equal(functions, program.functions)) {
    decoders.push_back(std::make_unique<Decoder>(*this, function, code));
    decoders.back()->layOutParams();
  }
  for (auto [function, decoder] : llvm::zip_equal(functions, decoders))
    if (function.isDefinition)
      decoder->run();
  for (auto [function, code] : llvm::zip_equal(functions, program.functions))
    if (function.isEntry && function.isDefinition) {
      program.kernels.push_back(std::make_unique<KernelCode>(program, code));
      program.kernels.back()->error = findUnsupported(program, code);
    }
  return llvm::Error::success();
}

Program::~Program() {
  for (const GlobalVariable &variable : globals)
    llvm::consumeError(memory->free(variable.address));
}

llvm::Expected<std::unique_ptr<Program>>
decode(std::unique_ptr<ptx::Module> module, GlobalMemory &memory) {
  auto program = std::make_unique<Program>();
  program->source = std::move(module);
  program->memory = &memory;
  if (llvm::Error error = ProgramDecoder(*program, memory).run())
    return error;
  return program;
}

} // namespace tcgemm::emu
