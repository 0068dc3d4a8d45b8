//===- EpilogueTypes.h - Types that epilogues read and write ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_EPILOGUETYPES_H
#define TCGEMM_DIALECT_EPILOGUETYPES_H

#include "mlir/IR/Types.h"
#include <string>

namespace tcgemm {

/// Returns whether an input, a scalar or an output of an epilogue may have
/// elements of `type`: those of manifests that lie alone in whole bytes, as in
/// MLIR's buffers. An i1 takes a byte there, unlike in an operand of a product.
bool isEpilogueType(mlir::Type type);
/// The bytes of such an element in a buffer: 8 for index.
int64_t getEpilogueBytes(mlir::Type type);
/// The names of these types, for messages: `i1, i8, ...`.
std::string listEpilogueTypes();

} // namespace tcgemm

#endif // TCGEMM_DIALECT_EPILOGUETYPES_H
