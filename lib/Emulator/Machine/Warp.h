//===- Warp.h - Warps -------------------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_WARP_H
#define TCGEMM_LIB_EMULATOR_MACHINE_WARP_H

#include "Machine/AsyncCopies.h"
#include "Machine/CallStack.h"
#include "Machine/Definedness.h"
#include "Machine/WarpMemory.h"

#include "llvm/ADT/Twine.h"

#include <vector>

namespace tcgemm::emu {

class Block;

/// %clock64 and %globaltimer. All warps of a cluster have one clock, which
/// counts their instructions, as they run one after the other.
struct WarpClock {
  uint64_t own = 0; ///< Instructions of the warp, also those without lanes.
  /// Those of the other warps before this one's turn.
  uint64_t others = 0;

  uint64_t get() const { return own + others; }
};

class Warp {
public:
  Warp(Block &block, uint32_t index, uint32_t lanes);
  ~Warp();

  Block &block;
  const uint32_t index;    ///< In the block.
  const uint32_t launched; ///< Lanes that exist.
  uint32_t exited = 0;
  /// Lanes that execute the present instruction.
  uint32_t exec = 0;
  uint32_t pc = 0;
  /// At the cluster's barrier: the lanes that have arrived and not waited yet.
  struct ClusterArrival {
    uint32_t lanes = 0;
    uint64_t phase = 0;
  };
  ClusterArrival clusterArrival;

  // Registers ----------------------------------------------------------------

  template <class T> T *lanes(const Slot &slot) {
    return reinterpret_cast<T *>(frame->slots + slot.offset);
  }
  /// The lanes for which a predicate operand is true.
  uint32_t mask(const Slot &slot) {
    uint32_t bits = *lanes<uint32_t>(slot);
    return slot.negated ? ~bits : bits;
  }
  /// Sets a predicate for the lanes in exec.
  void setMask(const Slot &slot, uint32_t bits) {
    uint32_t *p = lanes<uint32_t>(slot);
    *p = (*p & ~exec) | (bits & exec);
  }
  /// The address of a lane: its 32- or 64-bit base plus the offset.
  uint64_t effectiveAddress(const AddressOperand &operand, unsigned lane) {
    uint64_t base = operand.wide ? lanes<uint64_t>(operand.base)[lane]
                                 : lanes<uint32_t>(operand.base)[lane];
    return base + uint64_t(operand.offset);
  }

  // Parts --------------------------------------------------------------------

  Definedness definedness;
  WarpMemory memory;
  AsyncCopies asyncCopies;
  CallStack calls;

  // Waiting ------------------------------------------------------------------

  struct MBarrierPolls {
    /// Tests that failed while the warp did nothing else.
    uint64_t failed = 0;
    /// Set if all warps wait: the next try_wait gives up.
    bool timedOut = false;
  };
  MBarrierPolls polls;
  /// The number of wgmma.fence so far.
  uint32_t wgmmaEpoch = 0;
  uint32_t maxRegisters = 0; ///< Operand of setmaxnreg; 0: the initial number.

  // Control ------------------------------------------------------------------

  Path &path() { return frame->paths.back(); }
  /// Splits the running path: lanes `taken` go to `target`, the others to
  /// `otherwise`.
  void branch(uint32_t taken, uint32_t target, uint32_t reconvergence,
              uint32_t otherwise);
  /// Lets the lanes `now` execute this instruction first, and `later` after
  /// them. Both reconverge behind it.
  void split(uint32_t now, uint32_t later);
  void exitLanes(uint32_t lanes);
  /// Enters a function with the lanes in exec. The caller writes the parameters
  /// to the new frame. False if the call is too deep, which is reported.
  bool enter(const FunctionCode &function, const Instruction &call);
  /// Leaves the running function. It returns with its last lane.
  void returnLanes(uint32_t lanes);
  bool isDone() const { return !frame; }
  Frame *frame = nullptr; ///< The running one.

  /// Executes until the warp blocks, ends or has executed `budget`
  /// instructions.
  enum class State { Running, Blocked, Done, Failed };
  State run(uint64_t budget);
  uint64_t executed = 0; ///< Instructions, so far.

  // Reports ------------------------------------------------------------------

  void report(FindingKind kind, unsigned lane, uint64_t address,
              const llvm::Twine &message);
  /// The same for an instruction that is not the present one.
  void report(FindingKind kind, const Instruction &inst, unsigned lane,
              uint64_t address, const llvm::Twine &message);
  /// Ends the launch with an error.
  Outcome fail(const llvm::Twine &message);
  /// `(tid.x, tid.y, tid.z)` of a lane.
  std::array<uint32_t, 3> getThread(unsigned lane) const;
  /// Calls fn(observer) for each observer of the cluster.
  template <class Fn> void observe(Fn fn);

  /// This warp's number in its cluster; for observers.
  uint32_t clusterIndex = 0;
  WarpClock clock;

private:
  /// Executes one instruction. Nothing if the warp can go on.
  std::optional<State> step(const Instruction &inst, unsigned &blockedPaths);
  /// Moves behind the present instruction.
  void advance();
  /// Leaves the paths and functions in which no lane is left.
  void dropEmptyPaths();
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_WARP_H
