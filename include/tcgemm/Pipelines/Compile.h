//===- Compile.h - From MLIR text to a kernel pack --------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one call through which programs that are not compilers compile:
// tcgemm-run uses it for its MLIR inputs.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_COMPILE_H
#define TCGEMM_PIPELINES_COMPILE_H

#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

struct CompileOptions {
  std::string chip = "sm_90";
  std::string configText; ///< A #tcgemm.config; empty: chosen by the compiler.
  std::string ptxasPath;  ///< Empty: looked for in the usual places.
  std::string mlirPipelineOptions; ///< Further options of tcgemm-to-cubin.
};

/// Compiles the functions of a module. Errors carry the compiler's diagnostics.
llvm::Expected<KernelPack> compileToPack(llvm::StringRef mlirSource,
                                         const CompileOptions &options);

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_COMPILE_H
