//===- Decoder.h - Decoder --------------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the decoders of the instruction families share. A family is a file with
// a table from opcodes to decoders; a decoder consumes the modifiers that it
// knows, resolves the operands and picks a handler. Whatever it leaves over is
// an error that names the line.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_DECODER_H
#define TCGEMM_LIB_EMULATOR_MACHINE_DECODER_H

#include "Machine/Code.h"

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

  /// Whether `name` is among the rest; it is taken away.
  bool take(llvm::StringRef name);
  /// The index of the first of `names` that is among the rest, taken away.
  std::optional<unsigned> takeOneOf(std::initializer_list<const char *> names);
  /// The leftmost modifier that names a type.
  std::optional<ptx::Type> takeType();
  /// The first of the rest if it begins with `prefix`, taken away.
  std::optional<llvm::StringRef> takePrefixed(llvm::StringRef prefix);
  /// A memory space; Generic if none is named.
  ptx::Space takeSpace();
  bool empty() const { return rest.empty(); }
  llvm::StringRef front() const { return rest.front(); }

private:
  llvm::SmallVector<llvm::StringRef, 6> rest;
};

class ProgramDecoder;

/// Decodes one function. The members named after operands report their errors
/// by themselves: the decoder of an instruction calls them freely and need not
/// look; what failed first is what is told.
class Decoder {
public:
  Decoder(ProgramDecoder &parent, const ptx::Function &function,
          FunctionCode &out);

  /// Fails the instruction: the message gets the line and text.
  void fail(const llvm::Twine &message);
  bool failed() const { return hasFailed; }

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
  /// A constant block.
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

  /// Where a `.param`, `.local` or `.shared` variable of the function is.
  uint32_t getVariableAddress(uint32_t index) const {
    return variableAddresses[index];
  }

  FunctionCode &getFunction() { return out; }

  /// Index of the instruction that a label stands before.
  uint32_t label(const ptx::Operand &operand);

  Instruction *code = nullptr; ///< What is being made.
  ProgramDecoder &parent;
  const ptx::Function &function;

  /// Decodes the whole function. Sets FunctionCode::error if it is not
  /// supported.
  void run();

  void layOutParams();

private:
  bool decodeInstructions();
  /// Makes the message the function's error, at a line.
  void setError(uint32_t line);
  void layOutVariables();
  uint32_t place(uint32_t &end, const ptx::Variable &variable);
  void decode(const ptx::Instruction &inst, Instruction &into);
  Slot newSlot(unsigned bytesPerLane);
  bool fitsFrame();
  Slot special(SpecialRegister reg, uint32_t argument, ptx::Type type);
  std::optional<uint64_t> findConstantAddress(const ptx::Operand &symbol);

  FunctionCode &out;
  const ptx::Instruction *source = nullptr;
  bool hasFailed = false;
  std::string message;
  std::vector<Slot> registers;
  std::vector<uint32_t> variableAddresses; ///< Of Function::variables.
  llvm::DenseMap<std::pair<uint64_t, unsigned>, Slot> constantSlots;
  llvm::DenseMap<std::pair<uint64_t, unsigned>, Slot> specialSlots;
  Slot sink;
  std::optional<Slot> carrySlot;
};

/// Bytes that a value of `type` takes in a slot, per lane; 0 for predicates.
unsigned getSlotBytes(ptx::Type type);
/// The first line of the statement at `line`, without blanks around it.
llvm::StringRef getLineText(const ptx::Module &module, uint32_t line);

using FamilyDecoder = void (*)(Decoder &, Modifiers &);

struct FamilyEntry {
  const char *opcode;
  FamilyDecoder decode;
};

// One per family's file. An opcode is in one family only.
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

/// What the functions of a module share while it is decoded.
class ProgramDecoder {
public:
  ProgramDecoder(Program &program, GlobalMemory &memory)
      : program(program), memory(memory) {}
  llvm::Error run();

  Program &program;
  GlobalMemory &memory;
  /// Of Module::variables: in their own spaces.
  std::vector<uint64_t> variableAddresses;
  /// Of the shared variables of the module and of non-entry functions.
  uint32_t commonShared = 0;

private:
  llvm::Error placeVariables();
  void relocate();
};

/// Sets the reconvergence of every branch: its immediate post-dominator.
void findReconvergence(FunctionCode &function);

/// Decodes a whole module and places its global variables in `memory`.
llvm::Expected<std::unique_ptr<Program>>
decode(std::unique_ptr<ptx::Module> module, GlobalMemory &memory);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_DECODER_H
