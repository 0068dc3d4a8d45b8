//===- Emulator.cpp - Interface of the emulator ---------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Emulator/Emulator.h"

#include "Machine/Block.h"
#include "Machine/Decoder.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Module::Module(std::unique_ptr<Program> program)
    : program(std::move(program)) {}
Module::~Module() = default;

const KernelCode *Module::find(llvm::StringRef name) const {
  for (const auto &kernel : program->kernels)
    if (kernel->function.source->name == name)
      return kernel.get();
  return nullptr;
}

std::vector<std::string> Module::getKernelNames() const {
  std::vector<std::string> names;
  for (const auto &kernel : program->kernels)
    names.push_back(kernel->function.source->name.str());
  return names;
}

llvm::Expected<std::pair<uint64_t, uint64_t>>
Module::findVariable(llvm::StringRef name) const {
  for (const Program::GlobalVariable &variable : program->globals)
    if (variable.name == name)
      return std::make_pair(variable.address, variable.bytes);
  return llvm::createStringError(
      llvm::formatv("there is no variable '{0}'", name));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Emulator::Emulator() : memory(std::make_unique<GlobalMemory>()) {}
Emulator::~Emulator() = default;

llvm::Expected<std::unique_ptr<Module>> Emulator::load(llvm::StringRef text) {
  auto source = ptx::parse(text);
  if (!source)
    return source.takeError();
  auto program = decode(std::move(*source), *memory);
  if (!program)
    return program.takeError();
  return std::unique_ptr<Module>(new Module(std::move(*program)));
}

llvm::Expected<uint64_t> Emulator::allocate(uint64_t bytes,
                                            llvm::StringRef name) {
  auto region = memory->allocate(bytes, name);
  if (!region)
    return region.takeError();
  return (*region)->base;
}

llvm::Error Emulator::free(uint64_t address) { return memory->free(address); }

static llvm::Expected<Region *> findRange(const GlobalMemory &memory,
                                          uint64_t address, uint64_t bytes) {
  if (Region *region = memory.find(address, bytes))
    return region;
  return llvm::createStringError(llvm::formatv(
      "[{0:x}, {1:x}) is in no allocation", address, address + bytes));
}

llvm::Error Emulator::write(uint64_t address, const void *data,
                            uint64_t bytes) {
  auto region = findRange(*memory, address, bytes);
  if (!region)
    return region.takeError();
  uint64_t offset = address - (*region)->base;
  if (bytes) {
    memcpy((*region)->data + offset, data, bytes);
    memset((*region)->defined + offset, 1, bytes);
  }
  return llvm::Error::success();
}

llvm::Error Emulator::read(void *data, uint64_t address, uint64_t bytes) const {
  auto region = findRange(*memory, address, bytes);
  if (!region)
    return region.takeError();
  if (bytes)
    memcpy(data, (*region)->data + (address - (*region)->base), bytes);
  return llvm::Error::success();
}

bool Emulator::isGlobalAddress(uint64_t address) {
  return address >= kGlobalStart && address < kSharedWindow;
}

llvm::Error Emulator::markUndefined(uint64_t address, uint64_t bytes) {
  auto region = findRange(*memory, address, bytes);
  if (!region)
    return region.takeError();
  if (bytes)
    memset((*region)->defined + (address - (*region)->base), 0, bytes);
  return llvm::Error::success();
}

llvm::Error Emulator::setWritable(uint64_t address, bool writable) {
  auto region = findRange(*memory, address, 0);
  if (!region)
    return region.takeError();
  (*region)->writable = writable;
  return llvm::Error::success();
}

llvm::Error Emulator::setShape(uint64_t address, Shape shape) {
  auto region = findRange(*memory, address, 0);
  if (!region)
    return region.takeError();
  (*region)->shape = shape;
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::pair<uint64_t, uint64_t>>>
Emulator::findUndefined(uint64_t address, uint64_t bytes,
                        unsigned limit) const {
  auto region = findRange(*memory, address, bytes);
  if (!region)
    return region.takeError();
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  const uint8_t *flags = (*region)->defined + (address - (*region)->base);
  uint64_t at = 0;
  while (at < bytes) {
    auto *hole =
        static_cast<const uint8_t *>(memchr(flags + at, 0, bytes - at));
    if (!hole || ranges.size() == limit)
      break;
    uint64_t first = hole - flags;
    auto *end =
        static_cast<const uint8_t *>(memchr(flags + first, 1, bytes - first));
    at = end ? end - flags : bytes;
    ranges.emplace_back(first, at - first);
  }
  return ranges;
}

} // namespace tcgemm::emu
