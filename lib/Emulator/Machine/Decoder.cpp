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

llvm::StringRef getLineText(const ptx::Module &module, uint32_t line) {
  llvm::StringRef rest = module.text;
  for (uint32_t i = 1; i < line; ++i)
    rest = rest.drop_front(std::min(rest.find('\n'), rest.size() - 1) + 1);
  return rest.take_until([](char c) { return c == '\n'; }).trim();
}

Decoder::Decoder(ProgramDecoder &parent, const ptx::Function &function,
                 FunctionCode &out)
    : parent(parent), function(function), out(out), layout(out) {}

void Decoder::begin(const ptx::Instruction &inst, Instruction &into) {
  source = &inst;
  code = &into;
}

void Decoder::fail(const llvm::Twine &text) {
  if (!error)
    error = text.str();
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
// Operands
//===----------------------------------------------------------------------===//

Slot Decoder::check(std::optional<Slot> slot) {
  if (slot)
    return *slot;
  fail(llvm::formatv("the function's registers and constants take more than "
                     "{0} bytes a warp",
                     kMaxFrameBytes));
  return layout.getSink();
}

Slot Decoder::constant(uint64_t bits, Type type) {
  return check(layout.constant(bits, type));
}

Slot Decoder::special(SpecialRegister reg, uint32_t argument, Type type) {
  return check(layout.special(reg, argument, type));
}

Slot Decoder::carry() {
  // The bits are the key of the slot. A predicate constant is 0 or 1.
  return constant(uint64_t(1) << 63, Type::Pred);
}

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

/// Returns whether a register of type `reg` can hold a `type`.
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

Slot Decoder::getSymbolSlot(const Operand &operand, Type type) {
  if (operand.symbol == SymbolKind::Local &&
      function.variables[operand.index].space == Space::Local)
    return special(SpecialRegister::LocalAddress,
                   variableAddresses[operand.index] + operand.offset, type);
  auto address = findConstantAddress(operand);
  if (!address)
    return layout.getSink();
  unsigned bytes = getSlotBytes(type);
  if (bytes < 4) {
    fail("an address needs 32 or 64 bits");
    return layout.getSink();
  }
  uint64_t value = *address + operand.offset;
  if (bytes == 4)
    value &= ~0u;
  return constant(value, type);
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
      return layout.getSink();
    }
    Slot slot = layout.getRegister(operand.reg);
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
      return layout.getSink();
    }
    return special(*reg, 0, type);
  }
  case Operand::Kind::Symbol:
    return getSymbolSlot(operand, type);
  default:
    fail("a register or constant is needed as source");
    return layout.getSink();
  }
}

Slot Decoder::getDestinationSlot(const Operand &operand, Type type) {
  if (operand.kind == Operand::Kind::Sink)
    return layout.getSink();
  if (operand.kind != Operand::Kind::Register) {
    fail("a register is needed as destination");
    return layout.getSink();
  }
  Type reg = function.registers[operand.reg].type;
  if (!operand.selector.empty())
    fail("'." + operand.selector + "' is for video instructions");
  if (!fits(reg, type)) {
    fail(describe(reg, operand.name) + ", not of ." + ptx::getName(type) +
         "'s size");
    return layout.getSink();
  }
  Slot slot = layout.getRegister(operand.reg);
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

AddressOperand Decoder::symbolAddress(const Operand &operand, Space space) {
  const Operand &base = operand.elements.front();
  uint64_t window = 0;
  if (space == Space::Generic) {
    // A generic access uses the generic address of the symbol.
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
  AddressOperand result;
  result.offset = operand.offset + int64_t(window);
  result.base = getSourceSlot(base, Type::B64);
  return result;
}

AddressOperand Decoder::address(const Operand &operand, Space space) {
  AddressOperand result;
  result.base = layout.getSink();
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
  case Operand::Kind::Symbol:
    return symbolAddress(operand, space);
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
