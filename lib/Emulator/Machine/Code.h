//===- Code.h - Decoded instructions ----------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compact form that warps execute. A function's registers, its constants
// and the special registers that it reads are in one frame. An operand is a
// slot of the frame, so an instruction reads all of them in one way.
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
/// The limit of a frame: registers and constants of 32 lanes.
constexpr uint64_t kMaxFrameBytes = 1 << 26;

/// The values of 32 lanes in a frame, lane after lane, each of the register's
/// width (2, 4, 8 or 16 bytes). A predicate is one 32-bit mask. An 8-bit
/// register takes 2 bytes for each lane.
struct Slot {
  uint32_t offset = 0; ///< In bytes from the frame's start; 64-byte aligned.
  /// The register whose definedness counts. kNoRegister: always defined.
  uint32_t id = kNoRegister;
  bool negated = false; ///< The source is a negated predicate: `!%p`.
};

/// The effect of an instruction on its warp.
enum class Outcome : uint8_t {
  Next,    ///< Go on with the next instruction.
  Jumped,  ///< The handler has set the program counter or the lanes.
  Blocked, ///< At most an arrival was done. Run it again later.
  Failed,  ///< The launch cannot go on; the handler has reported why.
};

using Handler = Outcome (*)(Warp &, const Instruction &);

/// An address operand: a 32- or 64-bit base per lane plus a constant.
struct AddressOperand {
  Slot base;
  int64_t offset = 0;
  bool wide = true; ///< The base has 64 bits.
};

/// Data that handlers of a family need besides the operands. The instruction
/// owns it.
struct Extra {
  virtual ~Extra();
};

/// The targets of an instruction besides the next one.
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
  ptx::Space space = ptx::Space::Generic;  ///< Space of `address`.
  ptx::Space space2 = ptx::Space::Generic; ///< Space of `address2`.
  uint32_t bytes = 0; ///< Accessed per lane through `address`.
  uint64_t imm = 0;   ///< The family defines the meaning.
  uint64_t imm2 = 0;
  /// Multiply-adds of a warp on a tensor core, for mma and wmma.mma only.
  uint32_t tensorMacs = 0;
  std::unique_ptr<Extra> extra;

  bool guarded = false;
  Slot guard; ///< A predicate; negated for `@!p`.

  /// Registers that the instruction reads and writes. The decoder's src() and
  /// dst() fill the lists. A read of an undefined register is a finding, unless
  /// the instruction only moves values. Then the result is undefined.
  std::vector<uint32_t> sources;
  std::vector<uint32_t> destinations;
  bool movesOnly = false;
  /// selp (operands d, a, b, p): only the chosen value counts as read.
  bool selects = false;

  /// shfl: the register that lanes read from each other. A lane that gets an
  /// undefined value has an undefined result.
  uint32_t exchanged = kNoRegister;

  bool isBarrier = false; ///< A barrier of a block or cluster; for profiles.
  Control control = Control::None;
  /// Instruction indices of a branch. An indexed branch has `targets`.
  uint32_t target = 0;
  std::vector<uint32_t> targets;
  /// The immediate post-dominator; UINT32_MAX: the paths do not meet again.
  uint32_t reconvergence = UINT32_MAX;

  uint32_t index = 0; ///< In its function.
  uint32_t site =
      0; ///< In its program: the index of its counters in a profile.
  const ptx::Instruction *source = nullptr;
};

/// A special register's place in a frame. A new frame sets it.
struct SpecialSlot {
  SpecialRegister special;
  uint32_t argument = 0; ///< LocalAddress: the variable's offset.
  uint32_t bytes = 4;    ///< A lane; 0: a predicate.
  Slot slot;
};

struct FunctionCode {
  const ptx::Function *source = nullptr;
  std::vector<Instruction> instructions;
  uint32_t frameBytes = 0;
  uint32_t registers = 0; ///< Registers with definedness.
  /// Constants, each repeated for 32 lanes, and their offset in a frame.
  std::vector<uint8_t> constants;
  uint32_t constantsOffset = 0;
  std::vector<SpecialSlot> specials;
  uint32_t localBytes = 0; ///< Bytes of a thread's `.local` variables.
  /// Bytes of a frame's param memory, per thread. It has the variables of call
  /// sequences. Unless the function is an entry, it has its parameters and
  /// results too.
  uint32_t paramBytes = 0;
  /// Offsets of the function's parameters (an entry's are in its arguments) and
  /// results.
  std::vector<uint32_t> paramOffsets;
  std::vector<uint32_t> resultOffsets;
  uint32_t argumentBytes = 0; ///< Bytes of an entry's arguments.
  bool usesWgmma = false;
  /// The reason, with its line, why the function is not supported. Empty if it
  /// is supported. An unsupported function has no instructions here.
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
  uint32_t sharedBytes = 0;         ///< Bytes of all static shared variables.
  uint32_t dynamicSharedOffset = 0; ///< Offset of `extern .shared`.
  struct GlobalVariable {
    std::string name;
    uint64_t address;
    uint64_t bytes;
  };
  std::vector<GlobalVariable> globals;
  /// The memory of the global variables. The program frees them.
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
  /// The error of the first unsupported function that the kernel may call.
  /// Empty if there is none.
  std::string error;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_CODE_H
