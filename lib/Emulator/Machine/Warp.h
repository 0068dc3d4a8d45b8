//===- Warp.h - Warps -------------------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_WARP_H
#define TCGEMM_LIB_EMULATOR_MACHINE_WARP_H

#include "Machine/Memory.h"
#include "Machine/Observer.h"

#include "llvm/ADT/Twine.h"

#include <vector>

namespace tcgemm::emu {

class Block;

/// What a path waits for: for barriers, and for the deadlock report.
struct WaitState {
  bool active = false;
  SyncKey key{SyncKey::Kind::Barrier, 0};
  uint64_t phase = 0;
  uint32_t attempts = 0; ///< How often it was found that it goes on.
};

/// One entry of the divergence stack: lanes that execute together until they
/// reach `reconvergence`, where the entry below goes on.
struct Path {
  uint32_t pc = 0;
  uint32_t reconvergence = UINT32_MAX;
  uint32_t lanes = 0;
  WaitState wait = {};
};

/// A function's registers and memory while it runs.
struct Frame {
  const FunctionCode *function = nullptr;
  std::vector<Path> paths;       ///< The last one runs.
  uint8_t *slots = nullptr;      ///< 64-byte aligned.
  std::vector<uint32_t> defined; ///< By Slot::id: lanes that were written.
  Region params;                 ///< Of call sequences; lane after lane.
  uint32_t localBase = 0;        ///< Of its `.local` variables, in each thread.
  /// By lane: the end of the local memory in use, including alloca's.
  std::array<uint32_t, kWarpSize> stackTop{};
  const Instruction *call = nullptr; ///< In the caller.
  uint32_t lanes = 0;                ///< That entered.
  std::unique_ptr<uint8_t[]> storage, paramStorage, paramDefined;
  uint64_t bytes = 0; ///< Of the storage.
  // Of functions that use wgmma, by Slot::id.
  std::vector<uint16_t> accumulating; ///< Pending ones that it accumulates.
  std::vector<uint16_t> multiplying;  ///< Pending ones that it is A of.
  std::vector<uint32_t> touched;      ///< Warp::wgmmaEpoch of the last access.
};

/// Where an undefined register value came from.
struct UndefinedOrigin {
  const Instruction *inst = nullptr; ///< A load or shfl.
  /// Reg: the value is another lane's.
  ptx::Space space = ptx::Space::Reg;
  uint64_t address = 0;
  const struct Frame *frame = nullptr;
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
  /// Lanes between arriving at the cluster's barrier and having waited.
  uint32_t clusterArrived = 0;
  uint64_t clusterPhase = 0;

  // Handlers' view of the registers -----------------------------------------

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
  /// The value `lane` has of a 32- or 64-bit address base, plus the offset.
  uint64_t effectiveAddress(const AddressOperand &operand, unsigned lane) {
    uint64_t base = operand.wide ? lanes<uint64_t>(operand.base)[lane]
                                 : lanes<uint32_t>(operand.base)[lane];
    return base + uint64_t(operand.offset);
  }

  // Memory -------------------------------------------------------------------

  /// Fills `access` for the lanes in exec (and its own `lanes`, which the
  /// caller sets): computes the addresses, finds the regions, checks bounds,
  /// alignment (to `alignment` bytes) and writability, tells the observers
  /// (except for copies). Lanes that fail are reported and leave access.lanes.
  /// Order and scope are set by the caller before.
  void resolve(LaneAccess &access, const AddressOperand &operand,
               ptx::Space space, uint32_t alignment);
  /// The same for addresses that the caller has put into access.address.
  void resolveAddresses(LaneAccess &access, ptx::Space space,
                        uint32_t alignment);
  /// Notes that `lanes` of a destination hold undefined bytes of memory. Called
  /// by loads after the destination counts as written.
  void markUndefined(const Slot &slot, uint32_t lanes,
                     const LaneAccess &access);
  /// The same for values that did not come from memory.
  void markUndefined(const Slot &slot, uint32_t lanes, UndefinedOrigin origin);
  /// Of the present instruction: the lanes for which Instruction::exchanged was
  /// defined before.
  uint32_t exchangedDefined = ~0u;
  /// The lanes of a resolved load for which a byte of [offset, offset + bytes)
  /// was never written; 0 if that is not checked.
  uint32_t findUndefined(const LaneAccess &access, uint32_t offset,
                         uint32_t bytes) const;
  /// Marks the bytes that a resolved store writes as defined.
  void markDefined(const LaneAccess &access) const;
  /// The same where what is stored may itself be undefined: padding that is
  /// passed by value.
  void moveDefinedness(const LaneAccess &access, const Slot &slot,
                       uint32_t offset, uint32_t bytes) const;

  // Asynchronous copies ------------------------------------------------------

  std::vector<std::unique_ptr<CopyBatch>> copies; ///< Begun and not yet done.
  std::array<uint32_t, kWarpSize> committedGroups{};
  uint64_t copySequence = 0; ///< Batches begun so far.
  /// Performs the copies of exec's lanes whose group is below the lane's limit.
  void finishCopies(const std::array<uint32_t, kWarpSize> &limit);
  /// Performs those of `lanes` in batches before `sequence`.
  void finishCopies(uint32_t lanes, uint64_t sequence);

  /// Groups of bulk copies that were committed.
  std::array<uint32_t, kWarpSize> bulkGroups{};
  /// mbarrier tests that failed, without anything else having been done.
  uint64_t failedPolls = 0;
  /// Set while everybody waits: the next try_wait gives up.
  bool timedOut = false;
  /// Counts wgmma.fence; 0: there was none yet.
  uint32_t wgmmaEpoch = 0;
  uint32_t maxRegisters = 0; ///< Of setmaxnreg; 0: as launched.

  // Control ------------------------------------------------------------------

  Path &path() { return frame->paths.back(); }
  /// Splits the running path: lanes `taken` go to `target`, the others to
  /// `otherwise`.
  void branch(uint32_t taken, uint32_t target, uint32_t reconvergence,
              uint32_t otherwise);
  /// Lets the lanes `now` go on alone with this instruction, and `later`
  /// execute it after them; both meet the rest of the path behind it.
  void split(uint32_t now, uint32_t later);
  void exitLanes(uint32_t lanes);
  /// Enters a function with the lanes in exec; its parameters are to be written
  /// to the new frame. False if that went too deep, which is reported.
  bool enter(const FunctionCode &function, const Instruction &call);
  /// Leaves the running function; the last lanes that do so return.
  void returnLanes(uint32_t lanes);
  /// The frame that called the running one.
  Frame *getCaller() {
    return frames > 1 ? framePool[frames - 2].get() : nullptr;
  }
  /// Gives a lane `bytes` more of local memory until the function returns; the
  /// address in the lane's own. Nothing if there is not so much, which ends the
  /// launch.
  std::optional<uint64_t> allocateLocal(unsigned lane, uint64_t bytes,
                                        uint64_t alignment);
  bool isDone() const { return frames == 0; }
  Frame *frame = nullptr;

  /// Executes until the warp blocks, ends or has executed `budget`
  /// instructions.
  enum class State { Running, Blocked, Done, Failed };
  State run(uint64_t budget);
  uint64_t executed = 0; ///< Instructions, so far.

  // Reports ------------------------------------------------------------------

  void report(FindingKind kind, unsigned lane, uint64_t address,
              const llvm::Twine &message);
  /// The same about another instruction than the one that executes.
  void report(FindingKind kind, const Instruction &inst, unsigned lane,
              uint64_t address, const llvm::Twine &message);
  /// Ends the launch with an error.
  Outcome fail(const llvm::Twine &message);
  /// `(tid.x, tid.y, tid.z)` of a lane.
  std::array<uint32_t, 3> getThread(unsigned lane) const;
  /// Calls fn(observer) for all of the cluster's.
  template <class Fn> void observe(Fn fn);

  /// This warp's number in its cluster; for observers.
  uint32_t clusterIndex = 0;
  uint64_t instructionTick = 0; ///< %clock.

private:
  bool pushFrame(const FunctionCode &function, uint32_t lanes,
                 const Instruction *call);
  void popFrame();
  void dropEmptyPaths();
  /// False if there is no memory for it, which ends the launch.
  bool prepareLocal();
  void copyResults(const Instruction &call);
  void fillSpecials(Frame &frame);
  void checkSource(const Instruction &inst, uint32_t id, uint32_t lanes);
  void finishCopy(CopyBatch &batch, uint32_t lanes);
  void checkOwner(const LaneAccess &access, bool isCopy);
  void checkWgmmaRegisters(const Instruction &inst);
  /// The lanes of a result that moves or chooses values for which it is
  /// defined.
  uint32_t getMovedDefinedness(const Instruction &inst);
  void reconverge();
  /// Lets the other lanes of a branch go on while the running ones wait; false
  /// if there are none.
  bool switchPath();
  Region *findRegion(uint64_t &address, ptx::Space space, unsigned lane,
                     uint32_t bytes);
  void reportBadAccess(const LaneAccess &access, FindingKind kind,
                       unsigned lane, uint64_t address,
                       const std::string &message);
  void reportOutOfBounds(const LaneAccess &access, ptx::Space space,
                         unsigned lane, uint64_t address);
  bool resolveFast(LaneAccess &access, ptx::Space space, uint32_t alignment);

  std::vector<std::unique_ptr<Frame>> framePool; ///< By depth.
  uint64_t framePoolBytes = 0;
  /// Of all frames of a warp.
  static constexpr uint64_t kMaxPoolBytes = 4 * kMaxFrameBytes;
  bool prepareFrame(const FunctionCode &function);
  unsigned frames = 0;
  Region local; ///< Lane after lane, kLocalBytes each.
  static constexpr uint32_t kLocalBytes = 64 << 10;
  static constexpr unsigned kMaxDepth = 512; ///< Of calls.
  LazyBytes localData, localDefined;
  Region *lastGlobal = nullptr;
  std::vector<std::pair<uint32_t, UndefinedOrigin>> undefinedOrigins;
  bool checkUndefined = false;
};

/// `'D'[3, 17]`, `shared 0x480`: an address as findings call it.
std::string describePlace(const Region &region, uint64_t address);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_WARP_H
