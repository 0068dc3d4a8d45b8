//===- ProgramDecoder.cpp - Decoder of modules ----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/FunctionDecoder.h"
#include "Machine/Memory.h"
#include "Machine/VariableLayout.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

using ptx::Space;

/// The limit of the global variables of a module.
static constexpr uint64_t kMaxGlobals = uint64_t(1) << 30;

static llvm::Error tooLarge(const ptx::Variable &variable, uint64_t limit) {
  return llvm::createStringError(llvm::formatv(
      "line {0}: '{1}' has {2} bytes, aligned to {3}: with the variables "
      "before it this is beyond the limit of {4}",
      variable.line, variable.name, variable.bytes, variable.align, limit));
}

llvm::Expected<uint64_t>
ProgramDecoder::placeShared(const ptx::Variable &variable) {
  if (variable.align > kMaxVariableAlign)
    return tooLarge(variable, kMaxVariableAlign);
  if (variable.isExtern) {
    dynamicAlign = std::max(dynamicAlign, variable.align);
    return 0; // Its place is known when all variables are placed.
  }
  if (auto at = tryPlace(commonShared, variable))
    return *at;
  return tooLarge(variable, kMaxPlaced);
}

llvm::Expected<uint64_t>
ProgramDecoder::placeGlobal(const ptx::Variable &variable) {
  if (variable.isExtern)
    return llvm::createStringError(
        llvm::formatv("line {0}: '{1}' is defined in another module",
                      variable.line, variable.name));
  globalBytes += variable.bytes;
  if (variable.bytes > kMaxGlobals || globalBytes > kMaxGlobals)
    return tooLarge(variable, kMaxGlobals);
  llvm::Expected<Region *> region =
      memory.allocate(variable.bytes, variable.name);
  if (!region)
    return region.takeError();
  // Bytes without an initial value are zero.
  memset((*region)->defined, 1, variable.bytes);
  llvm::copy(variable.init, (*region)->data);
  (*region)->writable = variable.space == Space::Global;
  uint64_t address = (*region)->base;
  program.globals.push_back({variable.name.str(), address, variable.bytes});
  return address;
}

llvm::Error ProgramDecoder::placeVariables() {
  commonShared = kSharedReserved;
  for (const ptx::Variable &variable : program.source->variables) {
    bool isShared = variable.space == Space::Shared;
    if (!isShared && variable.space != Space::Global &&
        variable.space != Space::Const)
      return llvm::createStringError(llvm::formatv(
          "line {0}: variable '{1}' of space .{2} in a module is "
          "not supported",
          variable.line, variable.name, ptx::getName(variable.space)));
    llvm::Expected<uint64_t> address =
        isShared ? placeShared(variable) : placeGlobal(variable);
    if (!address)
      return address.takeError();
    variableAddresses.push_back(*address);
  }
  return placeFunctionVariables();
}

/// The shared variables of functions that any kernel may call have places of
/// their own. Those of kernels share one place behind them.
llvm::Error ProgramDecoder::placeFunctionVariables() {
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
/// there is none. A call through a pointer is checked at its execution.
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
  // Parameters first, since a call needs the offsets of a later function.
  const auto &functions = program.source->functions;
  program.functions.resize(functions.size());
  std::vector<std::unique_ptr<FunctionDecoder>> decoders;
  for (auto [function, code] : llvm::zip_equal(functions, program.functions)) {
    decoders.push_back(
        std::make_unique<FunctionDecoder>(*this, function, code));
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
