//===- Code.h - Decoded instructions ----------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compact form that warps execute. A function's registers, its constants
// and the special registers that it reads live in one frame; an operand is a
// slot in it, so that an instruction need not know which of them it reads.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_CODE_H
#define TCGEMM_LIB_EMULATOR_MACHINE_CODE_H

#include "Machine/SpecialRegisters.h"

#include "tcgemm/Emulator/Ptx.h"

#include <memory>
#include <string>
#include <vector>

namespace tcgemm::emu {

class Warp;
struct Instruction;

constexpr unsigned kWarpSize = 32;
constexpr uint32_t kNoRegister = ~0u;
/// Of a function's frame: registers and constants of 32 lanes.
constexpr uint64_t kMaxFrameBytes = 1 << 26;

/// A block of 32 values of a frame, lane after lane, each of the register's own
/// width (2, 4, 8 or 16 bytes); of a predicate, one 32-bit mask. 8-bit
/// registers take 2 bytes a lane.
struct Slot {
  uint32_t offset = 0; ///< In bytes from the frame's start; 64-byte aligned.
  /// Which register, for definedness; kNoRegister: always defined.
  uint32_t id = kNoRegister;
  bool negated = false; ///< Of a predicate source: `!%p`.
};

/// What executing an instruction does to its warp.
enum class Outcome : uint8_t {
  Next,    ///< Go on with the next instruction.
  Jumped,  ///< The handler has set the program counter or the lanes.
  Blocked, ///< Nothing was done but, perhaps, an arrival: run it again later.
  Failed,  ///< The launch cannot go on; the handler has reported why.
};

using Handler = Outcome (*)(Warp &, const Instruction &);

/// An address operand: a 32- or 64-bit base per lane plus a constant.
struct AddressOperand {
  Slot base;
  int64_t offset = 0;
  bool wide = true; ///< The base has 64 bits.
};

/// What handlers of some families need beyond operands; owned by the
/// instruction.
struct Extra {
  virtual ~Extra();
};

/// Where control goes after an instruction, besides the next one.
enum class Control : uint8_t {
  None,
  Branch,  ///< To `target`.
  Indexed, ///< To one of `targets`.
  End,     ///< Out of the function: ret, exit, trap.
};

struct Instruction {
  Handler run = nullptr;
  /// Destinations first, as the text orders them; vectors flattened.
  std::vector<Slot> operands;
  AddressOperand address;                  ///< The (first) address operand.
  AddressOperand address2;                 ///< The second one: a copy's source.
  ptx::Space space = ptx::Space::Generic;  ///< Of `address`.
  ptx::Space space2 = ptx::Space::Generic; ///< Of `address2`.
  uint32_t bytes = 0; ///< Accessed per lane through `address`.
  uint64_t imm = 0;   ///< A family's own use.
  uint64_t imm2 = 0;
  /// Multiply-adds that a tensor core does for a warp; of mma and wmma.mma
  /// only.
  uint32_t tensorMacs = 0;
  std::unique_ptr<Extra> extra;

  bool guarded = false;
  Slot guard; ///< A predicate; negated for `@!p`.

  /// Registers that are read when the instruction runs, and written; filled by
  /// the decoder's reg() and dst(). Reading an undefined one is a finding,
  /// unless the instruction only moves values: then the undefinedness moves.
  std::vector<uint32_t> sources;
  std::vector<uint32_t> destinations;
  bool movesOnly = false;
  /// Of selp (operands d, a, b, p): only the chosen value counts as read.
  bool selects = false;

  /// Of shfl: the register that lanes read of each other. Undefined lanes of it
  /// make those lanes of the result undefined that get their value.
  uint32_t exchanged = kNoRegister;

  bool isBarrier = false; ///< Of a block or cluster; for profiles.
  Control control = Control::None;
  /// Of branches: instruction indices. `targets`: of an indexed branch.
  uint32_t target = 0;
  std::vector<uint32_t> targets;
  /// The immediate post-dominator; UINT32_MAX: the paths do not meet again.
  uint32_t reconvergence = UINT32_MAX;

  uint32_t index = 0; ///< In its function.
  uint32_t site = 0;  ///< In its program: where profiles count.
  const ptx::Instruction *source = nullptr;
};

/// A block of a frame that has its value from the start.
struct SpecialSlot {
  SpecialRegister special;
  uint32_t argument = 0; ///< Of LocalAddress: the variable's offset.
  uint32_t bytes = 4;    ///< A lane; 0: a predicate.
  Slot slot;
};

struct FunctionCode {
  const ptx::Function *source = nullptr;
  std::vector<Instruction> instructions;
  uint32_t frameBytes = 0;
  uint32_t registers = 0; ///< Those that definedness is kept for.
  /// Constants, each repeated for 32 lanes, and where a frame has them.
  std::vector<uint8_t> constants;
  uint32_t constantsOffset = 0;
  std::vector<SpecialSlot> specials;
  uint32_t localBytes = 0; ///< Of `.local` variables, per thread.
  /// Of a frame's param memory, per thread: the variables of call sequences
  /// and, except for entries, the function's own parameters and results.
  uint32_t paramBytes = 0;
  /// Where own parameters (of an entry: in its arguments) and results are.
  std::vector<uint32_t> paramOffsets;
  std::vector<uint32_t> resultOffsets;
  uint32_t argumentBytes = 0; ///< Of an entry's arguments.
  bool usesWgmma = false;
  /// Says, with the line, why the function is not supported; empty if it is. A
  /// function that is not supported has no instructions here.
  std::string error;
  /// The functions that it calls by name.
  std::vector<uint32_t> callees;
};

/// A module, decoded. Functions have the indices of ptx::Module::functions.
class Program {
public:
  std::unique_ptr<ptx::Module> source;
  std::vector<FunctionCode> functions;
  uint32_t sites = 0;
  bool usesAsyncProxy = false;      ///< There are bulk copies or wgmma.
  uint32_t sharedBytes = 0;         ///< Of all static shared variables.
  uint32_t dynamicSharedOffset = 0; ///< Where `extern .shared` begins.
  struct GlobalVariable {
    std::string name;
    uint64_t address;
    uint64_t bytes;
  };
  std::vector<GlobalVariable> globals;
  /// Where module memory lies; freed with the program.
  class GlobalMemory *memory = nullptr;
  std::vector<std::unique_ptr<class KernelCode>> kernels;
  ~Program();
};

/// An entry function.
class KernelCode {
public:
  KernelCode(const Program &program, const FunctionCode &function)
      : program(program), function(function) {}
  const Program &program;
  const FunctionCode &function;
  /// The error of the first function that the kernel reaches by calls and that
  /// has one; empty if none has.
  std::string error;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_CODE_H
