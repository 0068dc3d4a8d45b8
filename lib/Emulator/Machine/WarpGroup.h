//===- WarpGroup.h - Pending wgmma of a warpgroup ---------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A wgmma.mma_async of a warpgroup is computed as late as possible, for all
// four warps at once: when the first of them waits for it. All four must have
// issued it by then. The registers of a warp are in flight until the warp has
// waited.
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

/// The modifiers of wgmma.mma_async. Its operands are the registers of D, those
/// of A (or its descriptor), the descriptor of B, and the predicate that adds
/// D.
struct WgmmaShape : Extra {
  unsigned n = 0, k = 0;
  ptx::Type a = ptx::Type::None, b = ptx::Type::None, d = ptx::Type::None;
  unsigned registersD = 0, registersA = 0; ///< A's: 0 for a descriptor.
  bool isTransposedA = false, isTransposedB = false;
  bool negatesA = false, negatesB = false;
  bool satfinite = false;

  /// Returns whether bits are multiplied by and, and counted.
  bool hasBits() const { return a == ptx::Type::B1; }
  /// The values along k that operands are read as: those of a row of 32 bytes.
  /// Bits are read as bytes.
  unsigned getRowValues() const { return hasBits() ? 32 : k; }
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

  // State of the race checker.
  uint32_t reader = 0, readTime = 0;
  /// Times that are known to all warps that have issued it so far.
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
