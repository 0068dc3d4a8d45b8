//===- TcgemmOps.td - All operations -----------------------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TCGEMMOPS_TD
#define TCGEMM_DIALECT_TCGEMMOPS_TD

include "tcgemm/Dialect/TcgemmKernelOps.td"
include "tcgemm/Dialect/TcgemmTileOps.td"
include "tcgemm/Dialect/TcgemmProductOps.td"

#endif // TCGEMM_DIALECT_TCGEMMOPS_TD
