//===- Decoder.cpp - Decoder of operands ----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Decoder.h"
#include "Machine/Memory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

using ptx::Operand;
using ptx::Space;
using ptx::SymbolKind;
using ptx::Type;

unsigned getSlotBytes(Type type) {
  switch (ptx::getBitWidth(type)) {
  case 1:
    return 0;
  case 4:
  case 8:
    return 2;
  default:
    return ptx::getBitWidth(type) / 8;
  }
}

llvm::StringRef getLineText(const ptx::Module &module, uint32_t line) {
  llvm::StringRef rest = module.text;
  for (uint32_t i = 1; i < line; ++i)
    rest = rest.drop_front(std::min(rest.find('\n'), rest.size() - 1) + 1);
  return rest.take_until([](char c) { return c == '\n'; }).trim();
}

Decoder::Decoder(ProgramDecoder &parent, const ptx::Function &function,
                 FunctionCode &out)
    : parent(parent), function(function), out(out) {}

void Decoder::fail(const llvm::Twine &text) {
  if (hasFailed)
    return;
  hasFailed = true;
  message = text.str();
}

const Operand &Decoder::operand(unsigned index) {
  static const Operand kNone;
  if (index < source->operands.size())
    return source->operands[index];
  fail("operand " + llvm::Twine(index + 1) + " is missing");
  return kNone;
}

bool Decoder::expectOperands(unsigned least, unsigned most) {
  unsigned count = getNumOperands();
  if (count >= least && count <= most)
    return true;
  fail(llvm::formatv("{0} operands, not {1}{2}", count, least,
                     least == most ? "" : " to " + std::to_string(most)));
  return false;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

Slot Decoder::newSlot(unsigned bytesPerLane) {
  Slot slot;
  slot.offset = out.frameBytes;
  out.frameBytes += bytesPerLane ? bytesPerLane * kWarpSize : 64;
  return slot;
}

bool Decoder::fitsFrame() {
  uint64_t bytes = uint64_t(out.frameBytes) + out.constants.size();
  if (bytes <= kMaxFrameBytes)
    return true;
  fail(llvm::formatv("the function's registers and constants take more than "
                     "{0} bytes a warp",
                     kMaxFrameBytes));
  return false;
}

Slot Decoder::constant(uint64_t bits, Type type) {
  unsigned bytes = getSlotBytes(type);
  auto [it, isNew] = constantSlots.try_emplace({bits, bytes});
  if (!isNew)
    return it->second;
  if (!fitsFrame())
    return sink;
  // Constants are placed after the registers once all are known; until then the
  // offset counts from the first one.
  Slot slot;
  slot.offset = out.constants.size();
  out.constants.resize(slot.offset + (bytes ? bytes * kWarpSize : 64));
  uint8_t *at = out.constants.data() + slot.offset;
  if (bytes == 0) {
    uint32_t mask = bits ? ~0u : 0;
    memcpy(at, &mask, sizeof(mask));
  } else {
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      memcpy(at + size_t(lane) * bytes, &bits, std::min(bytes, 8u));
  }
  slot.offset += out.constantsOffset;
  return it->second = slot;
}

Slot Decoder::special(SpecialRegister reg, uint32_t argument, Type type) {
  unsigned bytes = getSlotBytes(type);
  uint64_t key = uint64_t(reg) << 32 | argument;
  auto [it, isNew] = specialSlots.try_emplace({key, bytes});
  if (!isNew)
    return it->second;
  if (!fitsFrame())
    return sink;
  // Lives among the constants, and is filled anew for each warp.
  Slot slot;
  slot.offset = out.constantsOffset + out.constants.size();
  out.constants.resize(out.constants.size() + (bytes ? bytes * kWarpSize : 64));
  out.specials.push_back({reg, argument, bytes, slot});
  return it->second = slot;
}

Slot Decoder::carry() {
  if (!carrySlot)
    carrySlot = constant(uint64_t(1) << 63, Type::Pred); // of its own key
  return *carrySlot;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

unsigned Decoder::getVectorSize(const Operand &operand) const {
  return operand.kind == Operand::Kind::Vector ? operand.elements.size() : 1;
}

Type Decoder::getRegisterType(const Operand &operand) const {
  return isRegister(operand) ? function.registers[operand.reg].type
                             : Type::None;
}

static std::string describe(Type type, llvm::StringRef name) {
  return llvm::formatv("'{0}' is .{1}", name, ptx::getName(type));
}

/// Whether a register of type `reg` can hold a `type`.
static bool fits(Type reg, Type type) {
  return getSlotBytes(reg) == getSlotBytes(type);
}

std::optional<uint64_t> Decoder::findConstantAddress(const Operand &symbol) {
  switch (symbol.symbol) {
  case SymbolKind::Variable:
    return parent.variableAddresses[symbol.index];
  case SymbolKind::Function:
    return kFunctionWindow + symbol.index;
  case SymbolKind::Param:
    return (function.isEntry ? kKernelParams : 0) +
           out.paramOffsets[symbol.index];
  case SymbolKind::Result:
    return out.resultOffsets[symbol.index];
  case SymbolKind::Local:
    return variableAddresses[symbol.index];
  default:
    fail("'" + symbol.name + "' has no address");
    return std::nullopt;
  }
}

static uint64_t convertImmediate(Decoder &decoder, const Operand &operand,
                                 Type type) {
  if (!operand.isFloat)
    return ptx::isFloat(type) && type != Type::F16x2 && type != Type::BF16x2 &&
                   type != Type::F16 && type != Type::BF16 && operand.bits
               ? (decoder.fail("an integer where a ." + ptx::getName(type) +
                               " constant is needed"),
                  0)
               : operand.bits;
  switch (type) {
  case Type::F32:
  case Type::TF32:
  case Type::B32:
    return ptx::narrowToFloat(operand.bits);
  case Type::F64:
  case Type::B64:
    return operand.bits;
  default:
    decoder.fail("a floating-point constant where a ." + ptx::getName(type) +
                 " is needed");
    return 0;
  }
}

Slot Decoder::getSourceSlot(const Operand &operand, Type type) {
  unsigned bytes = getSlotBytes(type);
  switch (operand.kind) {
  case Operand::Kind::Register: {
    Type reg = function.registers[operand.reg].type;
    if (!operand.selector.empty())
      fail("'." + operand.selector + "' is for video instructions");
    if (!fits(reg, type)) {
      fail(describe(reg, operand.name) + ", not of ." + ptx::getName(type) +
           "'s size");
      return sink;
    }
    Slot slot = registers[operand.reg];
    code->sources.push_back(slot.id);
    slot.negated = operand.negated;
    return slot;
  }
  case Operand::Kind::Immediate: {
    uint64_t bits = convertImmediate(*this, operand, type);
    if (bytes && bytes < 8)
      bits &= (uint64_t(1) << (bytes * 8)) - 1;
    return constant(bits, type);
  }
  case Operand::Kind::Special: {
    auto reg = findSpecialRegister(operand.name);
    if (!reg) {
      fail("special register '" + operand.name + "' is not supported");
      return sink;
    }
    return special(*reg, 0, type);
  }
  case Operand::Kind::Symbol: {
    if (operand.symbol == SymbolKind::Local &&
        function.variables[operand.index].space == Space::Local)
      return special(SpecialRegister::LocalAddress,
                     variableAddresses[operand.index] + operand.offset, type);
    auto address = findConstantAddress(operand);
    if (!address)
      return sink;
    if (bytes < 4) {
      fail("an address needs 32 or 64 bits");
      return sink;
    }
    uint64_t value = *address + operand.offset;
    if (bytes == 4)
      value &= ~0u;
    return constant(value, type);
  }
  default:
    fail("a register or constant is needed as source");
    return sink;
  }
}

Slot Decoder::getDestinationSlot(const Operand &operand, Type type) {
  if (operand.kind == Operand::Kind::Sink)
    return sink;
  if (operand.kind != Operand::Kind::Register) {
    fail("a register is needed as destination");
    return sink;
  }
  Type reg = function.registers[operand.reg].type;
  if (!operand.selector.empty())
    fail("'." + operand.selector + "' is for video instructions");
  if (!fits(reg, type)) {
    fail(describe(reg, operand.name) + ", not of ." + ptx::getName(type) +
         "'s size");
    return sink;
  }
  Slot slot = registers[operand.reg];
  code->destinations.push_back(slot.id);
  return slot;
}

void Decoder::src(const Operand &operand, Type type, unsigned count) {
  if (operand.kind != Operand::Kind::Vector && count == 1) {
    code->operands.push_back(getSourceSlot(operand, type));
    return;
  }
  if (getVectorSize(operand) != count)
    return fail(llvm::formatv("a vector of {0} elements is needed, not {1}",
                              count, getVectorSize(operand)));
  for (const Operand &element : operand.elements)
    code->operands.push_back(getSourceSlot(element, type));
}

void Decoder::dst(const Operand &operand, Type type, unsigned count) {
  if (operand.kind != Operand::Kind::Vector && count == 1) {
    code->operands.push_back(getDestinationSlot(operand, type));
    return;
  }
  if (getVectorSize(operand) != count)
    return fail(llvm::formatv("a vector of {0} elements is needed, not {1}",
                              count, getVectorSize(operand)));
  for (const Operand &element : operand.elements)
    code->operands.push_back(getDestinationSlot(element, type));
}

void Decoder::inout(const Operand &operand, Type type) {
  src(operand, type);
  getDestinationSlot(operand, type);
}

AddressOperand Decoder::address(const Operand &operand, Space space) {
  AddressOperand result;
  result.base = sink;
  if (operand.kind != Operand::Kind::Address || operand.elements.empty()) {
    fail("an address in brackets is needed");
    return result;
  }
  const Operand &base = operand.elements.front();
  result.offset = operand.offset;
  switch (base.kind) {
  case Operand::Kind::Register: {
    unsigned bytes = getSlotBytes(getRegisterType(base));
    if (bytes != 4 && bytes != 8) {
      fail("an address register needs 32 or 64 bits");
      return result;
    }
    result.wide = bytes == 8;
    result.base = getSourceSlot(base, result.wide ? Type::B64 : Type::B32);
    return result;
  }
  case Operand::Kind::Immediate:
    result.base = constant(base.bits, Type::B64);
    return result;
  case Operand::Kind::Symbol: {
    uint64_t window = 0;
    if (space == Space::Generic) {
      // A symbol in a generic access is meant by its generic address.
      Space own = base.symbol == SymbolKind::Variable
                      ? parent.program.source->variables[base.index].space
                  : base.symbol == SymbolKind::Local
                      ? function.variables[base.index].space
                      : Space::Param;
      window = own == Space::Shared  ? kSharedWindow
               : own == Space::Local ? kLocalWindow
               : own == Space::Param ? kParamWindow
                                     : 0;
    }
    result.offset += window;
    result.base = getSourceSlot(base, Type::B64);
    return result;
  }
  default:
    fail("an address needs a register, a variable or a constant");
    return result;
  }
}

uint64_t Decoder::immediate(const Operand &operand) {
  if (operand.kind == Operand::Kind::Immediate && !operand.isFloat)
    return operand.bits;
  fail("an integer constant is needed");
  return 0;
}

uint32_t Decoder::label(const Operand &operand) {
  if (operand.kind == Operand::Kind::Symbol &&
      operand.symbol == SymbolKind::Label)
    return function.labels[operand.index].at;
  fail("a label is needed");
  return 0;
}

} // namespace tcgemm::emu
