//===- Compile.h - From MLIR text to a kernel pack --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function by which programs that are not compilers compile MLIR.
// tcgemm-run uses it for its inputs.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_COMPILE_H
#define TCGEMM_PIPELINES_COMPILE_H

#include "tcgemm/Pipelines/CompileOptions.h"
#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

/// Compiles the functions of a module, or only the function of that name.
/// Errors contain the compiler's diagnostics.
llvm::Expected<KernelPack> compileToPack(llvm::StringRef mlirSource,
                                         const CompileOptions &options,
                                         llvm::StringRef function = "");

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_COMPILE_H
