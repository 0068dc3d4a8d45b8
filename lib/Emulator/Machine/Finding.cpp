//===- Finding.cpp - Names and text of findings ---------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Emulator/Finding.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

llvm::StringRef getName(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::ReadOnlyWrite:
    return "read-only-write";
  case FindingKind::UninitialisedRegister:
    return "uninitialised-register";
  case FindingKind::UninitialisedShared:
    return "uninitialised-shared";
  case FindingKind::UninitialisedGlobal:
    return "uninitialised-global";
  case FindingKind::SharedRace:
    return "shared-race";
  case FindingKind::GlobalRace:
    return "global-race";
  case FindingKind::AsyncRace:
    return "async-race";
  case FindingKind::BarrierDivergence:
    return "barrier-divergence";
  case FindingKind::BarrierMisuse:
    return "barrier-misuse";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::PhaseAliasing:
    return "phase-aliasing";
  case FindingKind::ArriveOverflow:
    return "arrive-overflow";
  case FindingKind::TxOverflow:
    return "tx-overflow";
  case FindingKind::OperandOverwritten:
    return "operand-overwritten";
  case FindingKind::AccumulatorInFlight:
    return "accumulator-in-flight";
  case FindingKind::MissingWgmmaFence:
    return "missing-wgmma-fence";
  case FindingKind::MissingProxyFence:
    return "missing-proxy-fence";
  case FindingKind::ClusterExit:
    return "cluster-exit";
  case FindingKind::MissingGridWait:
    return "missing-grid-wait";
  case FindingKind::AssertionFailed:
    return "assertion-failed";
  case FindingKind::PlainReadBeforeAtomic:
    return "plain-read-before-atomic";
  }
  llvm_unreachable("unknown finding kind");
}

bool isWarning(FindingKind kind) {
  return kind == FindingKind::PlainReadBeforeAtomic;
}

std::string toString(const Finding &finding) {
  return llvm::formatv(
             "{0}:{1}: {2}: {3}\n    thread ({4}, {5}, {6}) of block ({7}, "
             "{8}, {9}): {10}{11}",
             finding.kernel, finding.line, getName(finding.kind),
             finding.message, finding.thread[0], finding.thread[1],
             finding.thread[2], finding.block[0], finding.block[1],
             finding.block[2], finding.instruction,
             finding.count > 1
                 ? llvm::formatv(" ({0} times)", finding.count).str()
                 : std::string())
      .str();
}

} // namespace tcgemm::emu
