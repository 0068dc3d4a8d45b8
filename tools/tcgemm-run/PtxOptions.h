//===- PtxOptions.h - Options for running a PTX file ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags of a kernel without a manifest.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_PTXOPTIONS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_PTXOPTIONS_H

#include "OutputFiles.h"

#include "tcgemm/Runtime/PtxLaunch.h"

namespace tcgemm {

struct PtxOptions {
  bool isUsed = false;
  PtxLaunch launch; ///< Without its text.
};

/// Reads `8`, `8x4` or `8x4x2`; all above 0.
llvm::Error readExtent(llvm::StringRef flag, llvm::StringRef text,
                       std::array<uint32_t, 3> &sizes);

/// Reads the texts of --arg. Returns an error if a name of `outputs` is that of
/// no written argument.
llvm::Error readArguments(llvm::ArrayRef<std::string> arguments,
                          const OutputFiles &outputs, PtxOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_PTXOPTIONS_H
