//===- CasLoops.h - Loads that begin a compare-and-swap loop ----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compare-and-swap loop may begin with a plain load of the location. A stale
// value makes the first swap fail, and the loop continues with the value that
// the swap returned. Formally the load races with the swaps of other threads.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_CASLOOPS_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_CASLOOPS_H

#include "Machine/Code.h"

namespace tcgemm::emu {

/// The loads whose value is the comparand of an atom.cas at the same address.
/// The value may pass through moves. Two addresses are the same if they are the
/// same register, or moves and conversions of a register that is written once.
std::vector<const Instruction *> findCasLoopLoads(const FunctionCode &function);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_CASLOOPS_H
