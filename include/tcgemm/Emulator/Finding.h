//===- Finding.h - Findings of the emulator's checkers ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_EMULATOR_FINDING_H
#define TCGEMM_EMULATOR_FINDING_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <string>

namespace tcgemm::emu {

enum class FindingKind : uint8_t {
  OutOfBounds,
  Misaligned,
  ReadOnlyWrite,
  UninitialisedRegister,
  UninitialisedShared,
  UninitialisedGlobal,
  SharedRace,
  GlobalRace,
  AsyncRace, ///< An access to the target of a copy in flight.
  BarrierDivergence,
  BarrierMisuse,
  Deadlock,
  // Hopper's asynchronous agents:
  PhaseAliasing,       ///< A waiter is more than one phase behind.
  ArriveOverflow,      ///< More arrivals than a phase has.
  TxOverflow,          ///< A transaction count beyond its 20 bits.
  OperandOverwritten,  ///< A write to the source of an asynchronous agent.
  AccumulatorInFlight, ///< An access to a register that wgmma computes.
  MissingWgmmaFence,   ///< Between an access to a register and wgmma.
  MissingProxyFence,   ///< Between generic accesses and asynchronous ones.
  ClusterExit,         ///< An access to a block that may have exited.
  /// In a dependent launch, a thread accesses global memory before it waits for
  /// the launch ahead.
  MissingGridWait,
  AssertionFailed, ///< `assert` of the kernel, which ends the launch.
  /// A race of an atomic operation with the plain load that begins a
  /// compare-and-swap loop. It is a warning only.
  PlainReadBeforeAtomic,
};

/// Returns whether the kind is a warning, which does not fail a run.
bool isWarning(FindingKind kind);

/// `out-of-bounds`, `shared-race`: the name of a kind in text and JSON.
llvm::StringRef getName(FindingKind kind);

/// One defect at one instruction, with the first thread that shows it.
struct Finding {
  FindingKind kind;
  std::string kernel;
  uint32_t line = 0;       ///< Line of the PTX text.
  std::string instruction; ///< Its text.
  std::array<uint32_t, 3> block{};
  std::array<uint32_t, 3> thread{};
  uint64_t address = 0; ///< 0 if there is none.
  /// The rest of the text: `store of 16 bytes ends 4 bytes past "D" [0x…,
  /// 0x…)`.
  std::string message;
  uint64_t count = 1; ///< Occurrences at this instruction.
};

/// `kernel:line: kind: message` with thread and instruction, on two lines.
std::string toString(const Finding &finding);

} // namespace tcgemm::emu

#endif // TCGEMM_EMULATOR_FINDING_H
