//===- EpilogueProgram.h - An epilogue as the manifest has it -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_EPILOGUEPROGRAM_H
#define TCGEMM_LIB_PIPELINES_EPILOGUEPROGRAM_H

#include "tcgemm/Dialect/TcgemmDialect.h"
#include "llvm/Support/JSON.h"

namespace tcgemm {

/// The attribute that tcgemm-record-epilogue writes.
inline constexpr llvm::StringLiteral kEpilogueAttr = "tcgemm.epilogue";

/// The epilogue's straight-line program; an operation that the manifest cannot
/// say is an error that names it.
mlir::FailureOr<llvm::json::Value> describeEpilogue(KernelOp kernel);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_EPILOGUEPROGRAM_H
