//===- SystemCalls.h - Functions of the device runtime ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels call a few functions that the driver links. The emulator executes
// them itself.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_SYSTEMCALLS_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_SYSTEMCALLS_H

#include "Machine/CallStack.h"
#include "Machine/Decoder.h"

namespace tcgemm::emu {

/// Decodes the call of a function without a body. Fails if it is neither
/// vprintf nor __assertfail.
void decodeSystemCall(Decoder &d, llvm::StringRef name,
                      llvm::ArrayRef<PassedParam> arguments,
                      llvm::ArrayRef<PassedParam> results);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_SYSTEMCALLS_H
