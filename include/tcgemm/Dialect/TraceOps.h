//===- TraceOps.h - Operations that write a trace ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apart from the other operations, because few files use them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TRACEOPS_H
#define TCGEMM_DIALECT_TRACEOPS_H

#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Trace.h"

#define GET_OP_CLASSES
#include "tcgemm/Dialect/TcgemmTraceOps.h.inc"

namespace tcgemm {

/// The program's trace; null if it writes none.
TraceBufferOp findTraceBuffer(ProgramOp program);
/// The layout of the memory of `buffer`.
TraceLayout getTraceLayout(TraceBufferOp buffer);

} // namespace tcgemm

#endif // TCGEMM_DIALECT_TRACEOPS_H
