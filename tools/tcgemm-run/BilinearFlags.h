//===- BilinearFlags.h - Numbers of several components ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_BILINEARFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_BILINEARFLAGS_H

#include "Flags.h"

namespace tcgemm {

/// Adds the components of `--algebra` to the generated product, or to the
/// contraction of `--einsum`. Types, layouts and sizes have been read.
llvm::Error readBilinear(const Flags &flags, SessionOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_BILINEARFLAGS_H
