//===- TcgemmReference.td - All that the reference has -----*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of all headers of the dialect, for docs/reference/dialect.md.
//
//===----------------------------------------------------------------------===//

include "tcgemm/Dialect/TcgemmOps.td"
include "tcgemm/Dialect/TcgemmTraceOps.td"
