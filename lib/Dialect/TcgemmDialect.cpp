//===- TcgemmDialect.cpp - Registration -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/TcgemmDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tcgemm;

#include "tcgemm/Dialect/TcgemmDialect.cpp.inc"
#include "tcgemm/Dialect/TcgemmEnums.cpp.inc"

void TcgemmDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tcgemm/Dialect/TcgemmOps.cpp.inc"
      >();
}
