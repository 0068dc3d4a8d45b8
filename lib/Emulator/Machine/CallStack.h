//===- CallStack.h - Frames of a warp ---------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_CALLSTACK_H
#define TCGEMM_LIB_EMULATOR_MACHINE_CALLSTACK_H

#include "Machine/Memory.h"
#include "Machine/Observer.h"

namespace tcgemm::emu {

/// The reason why a path waits, for barriers and for the deadlock report.
struct WaitState {
  bool active = false;
  SyncKey key{SyncKey::Kind::Barrier, 0};
  uint64_t phase = 0;
  uint32_t attempts = 0; ///< Tests that have succeeded.
};

/// One entry of the divergence stack: lanes that execute together until they
/// reach `reconvergence`. There the entry below continues.
struct Path {
  uint32_t pc = 0;
  uint32_t reconvergence = UINT32_MAX;
  uint32_t lanes = 0;
  WaitState wait = {};
};

/// The registers and memory of a running function.
struct Frame {
  const FunctionCode *function = nullptr;
  std::vector<Path> paths;       ///< The last one runs.
  uint8_t *slots = nullptr;      ///< 64-byte aligned.
  std::vector<uint32_t> defined; ///< By Slot::id: lanes that were written.
  Region params;          ///< Parameters of call sequences; lane after lane.
  uint32_t localBase = 0; ///< Base of its `.local` variables in each thread.
  /// By lane: the end of the local memory in use, including alloca's.
  std::array<uint32_t, kWarpSize> stackTop{};
  const Instruction *call = nullptr; ///< In the caller.
  uint32_t lanes = 0;                ///< Lanes that have entered.
  std::unique_ptr<uint8_t[]> storage, paramStorage, paramDefined;
  uint64_t bytes = 0; ///< Size of the storage.
  // Functions that use wgmma only, by Slot::id.
  std::vector<uint16_t> accumulating; ///< Pending ones that accumulate into it.
  std::vector<uint16_t> multiplying;  ///< Pending ones that read it as A.
  std::vector<uint32_t> touched;      ///< Warp::wgmmaEpoch of the last access.
};

/// A `.param` variable of a call, in the caller's frame.
struct PassedParam {
  uint32_t offset;
  uint64_t bytes;
};

/// The parameters and results of a call.
struct CallExtra : Extra {
  std::vector<PassedParam> arguments, results;
  const Program *program = nullptr;
  int64_t function = -1; ///< Index; -1: in a register.
};

/// Copies a parameter of `lanes` from one frame to another.
void copyParam(Frame &to, uint32_t toOffset, const Frame &from,
               uint32_t fromOffset, uint32_t bytes, uint32_t lanes);

/// The frames of a warp, and its local memory.
class CallStack {
public:
  explicit CallStack(Warp &warp) : warp(warp) {}

  unsigned getDepth() const { return depth; }
  Frame &operator[](unsigned index) { return *pool[index]; }
  /// The frame that called the running one; null if there is none.
  Frame *getCaller() { return depth > 1 ? pool[depth - 2].get() : nullptr; }
  /// Enters a function: its frame becomes the warp's. False if the call is too
  /// deep, which fails the launch.
  bool push(const FunctionCode &function, uint32_t lanes,
            const Instruction *call);
  /// Leaves the running function. The warp's frame is null after the last one.
  void pop();
  /// Copies the results of the running function to its caller.
  void copyResults();

  /// Gives a lane `bytes` more of local memory until the function returns.
  /// Returns the address in the lane's local memory, or nothing if there is not
  /// enough, which fails the launch.
  std::optional<uint64_t> allocateLocal(unsigned lane, uint64_t bytes,
                                        uint64_t alignment);
  /// Local memory of all lanes, kLocalBytes each.
  Region local;
  static constexpr uint32_t kLocalBytes = 64 << 10;

private:
  /// Makes the next frame of the pool one of the function. False if all frames
  /// need too much memory, which fails the launch.
  bool prepareFrame(const FunctionCode &function);
  /// False if there is no memory for it, which fails the launch.
  bool prepareLocal();

  /// The limit of all frames of a warp.
  static constexpr uint64_t kMaxPoolBytes = 4 * kMaxFrameBytes;
  static constexpr unsigned kMaxDepth = 512; ///< Maximum depth of calls.

  Warp &warp;
  std::vector<std::unique_ptr<Frame>> pool; ///< By depth.
  uint64_t poolBytes = 0;
  unsigned depth = 0;
  LazyBytes localData, localDefined;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_CALLSTACK_H
