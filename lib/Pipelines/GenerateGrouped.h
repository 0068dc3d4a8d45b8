//===- GenerateGrouped.h - The MLIR of products of groups -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEGROUPED_H
#define TCGEMM_LIB_PIPELINES_GENERATEGROUPED_H

#include "tcgemm/Pipelines/GenerateMatmul.h"

namespace tcgemm {

/// A function `main` with one tcgemm.grouped_matmul, for a problem whose rows
/// are divided into groups. Its arguments are A, B and the offsets.
std::string generateGrouped(const GenerateOptions &options);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEGROUPED_H
