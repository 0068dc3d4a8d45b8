//===- padding.h - Rows in shared memory are padded -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VARIANTS_PADDING_H
#define VARIANTS_PADDING_H

#include "tcgemm/Pipelines/CompileOptions.h"

/// Rows of tiles in shared memory are 16 bytes longer than their elements, so
/// that a column's elements are in different banks.
inline void padTiles(tcgemm::CompileOptions &options) {
  options.configText = "schedule=mma_sync shared=pad";
}

#endif // VARIANTS_PADDING_H
