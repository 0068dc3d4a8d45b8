//===- Support.h - Functions that code for the CPU needs --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A static tool exports no symbols to its compiled code. The functions of a
// compiler's library and of MLIR's runner library are therefore provided by
// name.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_CHECKMODULE_SUPPORT_H
#define TCGEMM_TOOLS_CHECKMODULE_SUPPORT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tcgemm {

void forEachSupportFunction(
    llvm::function_ref<void(llvm::StringRef name, void *address)> add);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_CHECKMODULE_SUPPORT_H
