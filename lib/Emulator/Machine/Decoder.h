//===- Decoder.h - Decoder --------------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of the instruction families. A family is a file with a table
// from opcodes to decoders. A decoder consumes the modifiers that it knows,
// resolves the operands and chooses a handler. Modifiers that remain are an
// error.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_DECODER_H
#define TCGEMM_LIB_EMULATOR_MACHINE_DECODER_H

#include "Machine/FrameLayout.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <initializer_list>

namespace tcgemm::emu {

class GlobalMemory;

/// The modifiers of one instruction, consumed from the left or by name.
class Modifiers {
public:
  explicit Modifiers(const ptx::Instruction &inst)
      : rest(inst.modifiers.begin(), inst.modifiers.end()) {}

  /// Returns whether `name` is among the rest. Consumes it.
  bool take(llvm::StringRef name);
  /// The index of the first of `names` that is among the rest. Consumes it.
  std::optional<unsigned> takeOneOf(std::initializer_list<const char *> names);
  /// The leftmost modifier that names a type.
  std::optional<ptx::Type> takeType();
  /// The first of the rest if it begins with `prefix`. Consumes it.
  std::optional<llvm::StringRef> takePrefixed(llvm::StringRef prefix);
  /// A memory space; Generic if none is named.
  ptx::Space takeSpace();
  bool empty() const { return rest.empty(); }
  llvm::StringRef front() const { return rest.front(); }

private:
  llvm::SmallVector<llvm::StringRef, 6> rest;
};

class ProgramDecoder;

/// Decodes the operands of instructions. Its members report their errors, and
/// keep the first one. So the decoder of a family need not check each call.
class Decoder {
public:
  Decoder(ProgramDecoder &parent, const ptx::Function &function,
          FunctionCode &out);

  /// Fails the instruction. The message will have the line and its text.
  void fail(const llvm::Twine &message);
  bool failed() const { return error.has_value(); }
  const std::string &getError() const { return *error; }
  /// Begins an instruction.
  void begin(const ptx::Instruction &inst, Instruction &into);

  // The instruction that is being decoded.
  const ptx::Instruction &getSource() const { return *source; }
  const ptx::Operand &operand(unsigned index);
  unsigned getNumOperands() const { return source->operands.size(); }
  /// Fails unless there are between `least` and `most` operands.
  bool expectOperands(unsigned least, unsigned most);
  bool expectOperands(unsigned count) { return expectOperands(count, count); }

  /// Appends a source or destination of `type` to the code's operands. A source
  /// may be an immediate (converted to `type`), a symbol's address or a special
  /// register. A register must have the type's width. Vectors must have `count`
  /// elements, which are appended one after another (of a scalar: 1).
  void src(const ptx::Operand &operand, ptx::Type type, unsigned count = 1);
  void dst(const ptx::Operand &operand, ptx::Type type, unsigned count = 1);
  void src(unsigned index, ptx::Type type, unsigned count = 1) {
    src(operand(index), type, count);
  }
  void dst(unsigned index, ptx::Type type, unsigned count = 1) {
    dst(operand(index), type, count);
  }
  /// The same without appending.
  Slot getSourceSlot(const ptx::Operand &operand, ptx::Type type);
  Slot getDestinationSlot(const ptx::Operand &operand, ptx::Type type);
  /// An operand that is written and read.
  void inout(const ptx::Operand &operand, ptx::Type type);
  /// A constant that all lanes share.
  Slot constant(uint64_t bits, ptx::Type type);
  /// The function's hidden carry flags, a predicate.
  Slot carry();
  /// An address `[…]` into `space`.
  AddressOperand address(const ptx::Operand &operand, ptx::Space space);
  AddressOperand address(unsigned index, ptx::Space space) {
    return address(operand(index), space);
  }
  /// An integer constant; fails for anything else.
  uint64_t immediate(const ptx::Operand &operand);
  uint64_t immediate(unsigned index) { return immediate(operand(index)); }
  bool isRegister(const ptx::Operand &operand) const {
    return operand.kind == ptx::Operand::Kind::Register;
  }
  /// Elements of a vector operand; 1 for others.
  unsigned getVectorSize(const ptx::Operand &operand) const;
  /// None if it is not a register.
  ptx::Type getRegisterType(const ptx::Operand &operand) const;

  /// The index of the instruction after a label.
  uint32_t label(const ptx::Operand &operand);

  Instruction *code = nullptr; ///< The result.
  ProgramDecoder &parent;
  const ptx::Function &function;

  FunctionCode &out;
  FrameLayout layout;
  /// By index in Function::variables: where a `.param`, `.local` or `.shared`
  /// variable is.
  std::vector<uint32_t> variableAddresses;

private:
  /// Fails if there is no slot.
  Slot check(std::optional<Slot> slot);
  Slot special(SpecialRegister reg, uint32_t argument, ptx::Type type);
  /// A symbol as the base of an address in `space`.
  AddressOperand symbolAddress(const ptx::Operand &operand, ptx::Space space);
  Slot getSymbolSlot(const ptx::Operand &operand, ptx::Type type);
  std::optional<uint64_t> findConstantAddress(const ptx::Operand &symbol);

  const ptx::Instruction *source = nullptr;
  std::optional<std::string> error;
};

/// The first line of the statement at `line`, without blanks around it.
llvm::StringRef getLineText(const ptx::Module &module, uint32_t line);

using FamilyDecoder = void (*)(Decoder &, Modifiers &);

struct FamilyEntry {
  const char *opcode;
  FamilyDecoder decode;
};

// Each family defines one of these. An opcode is in one family only.
llvm::ArrayRef<FamilyEntry> getIntegerFamily();   // add.s32, mad, shifts …
llvm::ArrayRef<FamilyEntry> getFloatFamily();     // fma, rcp, ex2 …
llvm::ArrayRef<FamilyEntry> getConvertFamily();   // cvt
llvm::ArrayRef<FamilyEntry> getMoveFamily();      // mov, selp, cvta, prmt …
llvm::ArrayRef<FamilyEntry> getCompareFamily();   // setp, set, slct
llvm::ArrayRef<FamilyEntry> getControlFamily();   // bra, call, ret, exit …
llvm::ArrayRef<FamilyEntry> getStackFamily();     // alloca …
llvm::ArrayRef<FamilyEntry> getVideoFamily();     // vadd4, vabsdiff2 …
llvm::ArrayRef<FamilyEntry> getMemoryFamily();    // ld, st, prefetch …
llvm::ArrayRef<FamilyEntry> getAtomicFamily();    // atom, red
llvm::ArrayRef<FamilyEntry> getAsyncCopyFamily(); // cp.async
llvm::ArrayRef<FamilyEntry> getBarrierFamily();   // bar, barrier, fence …
llvm::ArrayRef<FamilyEntry> getWarpFamily();      // shfl, vote, match, redux …
llvm::ArrayRef<FamilyEntry> getMatrixFamily();    // ldmatrix, stmatrix …
llvm::ArrayRef<FamilyEntry> getMmaFamily();       // mma.sync
llvm::ArrayRef<FamilyEntry> getWmmaFamily();      // wmma.*
llvm::ArrayRef<FamilyEntry> getMBarrierFamily();  // mbarrier.*
llvm::ArrayRef<FamilyEntry> getWgmmaFamily();     // wgmma.*, setmaxnreg

/// State that the functions of a module share while they are decoded.
class ProgramDecoder {
public:
  ProgramDecoder(Program &program, GlobalMemory &memory)
      : program(program), memory(memory) {}
  llvm::Error run();

  Program &program;
  GlobalMemory &memory;
  /// By index in Module::variables: addresses in their own spaces.
  std::vector<uint64_t> variableAddresses;
  /// The end of the shared variables of the module and of non-entry functions.
  uint32_t commonShared = 0;

private:
  llvm::Error placeVariables();
  llvm::Expected<uint64_t> placeShared(const ptx::Variable &variable);
  llvm::Expected<uint64_t> placeGlobal(const ptx::Variable &variable);
  llvm::Error placeFunctionVariables();
  void relocate();

  uint32_t dynamicAlign = 16; ///< Alignment of dynamic shared memory.
  uint64_t globalBytes = 0;
};

/// Sets the reconvergence point of every branch, its immediate post-dominator.
void findReconvergence(FunctionCode &function);

/// Decodes a whole module and places its global variables in `memory`.
llvm::Expected<std::unique_ptr<Program>>
decode(std::unique_ptr<ptx::Module> module, GlobalMemory &memory);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_DECODER_H
