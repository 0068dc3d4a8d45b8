//===- WarpGroup.h - Pending wgmma of a warpgroup ---------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A warpgroup's wgmma.mma_async is computed when the first of its warps waits
// for it, as late as can be, and as one: to wait, all four warps must have
// issued it. Until a warp has waited itself, its registers are in flight.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_WARPGROUP_H
#define TCGEMM_LIB_EMULATOR_MACHINE_WARPGROUP_H

#include "Machine/Code.h"

#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <memory>

namespace tcgemm::emu {

class Block;
struct Frame;

/// What is to be multiplied: an instruction's modifiers. Its operands are D's
/// registers, A's (or its descriptor), B's descriptor and whether D is added
/// to.
struct WgmmaShape : Extra {
  unsigned n = 0, k = 0;
  ptx::Type a = ptx::Type::None, b = ptx::Type::None, d = ptx::Type::None;
  unsigned registersD = 0, registersA = 0; ///< A's: 0 for a descriptor.
  bool isTransposedA = false, isTransposedB = false;
  bool negatesA = false, negatesB = false;
  bool satfinite = false;
};

struct WgmmaOp {
  const Instruction *inst = nullptr;
  Block *block = nullptr;
  unsigned group = 0; ///< Warpgroup.
  struct Part {
    Frame *frame = nullptr; ///< Null: its function has ended.
    uint64_t descriptorA = 0, descriptorB = 0;
    bool accumulates = false;
    uint32_t commitGroup = 0;
  };
  std::array<Part, 4> parts;
  uint8_t issued = 0, retired = 0; ///< By warp.
  bool isDone = false;

  // The race checker's.
  uint32_t reader = 0, readTime = 0;
  /// What all warps know that have issued it so far.
  llvm::SmallVector<uint32_t, 16> known, visible;

  const WgmmaShape &getShape() const {
    return static_cast<const WgmmaShape &>(*inst->extra);
  }
};

struct WarpGroup {
  std::deque<std::unique_ptr<WgmmaOp>> ops; ///< Not retired by all.
  uint64_t first = 0;                       ///< The number of ops.front().
  struct Member {
    uint64_t issued = 0, retired = 0; ///< Numbers of ops.
    uint32_t committed = 0;           ///< Groups.
  };
  std::array<Member, 4> members;
};

/// Reports an access to a register that a pending wgmma uses.
void checkWgmmaRegisters(Warp &warp, const Instruction &inst);
/// The running function of a warp ends. Pending wgmma keep no accumulators of
/// it.
void dropWgmma(Warp &warp);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_WARPGROUP_H
