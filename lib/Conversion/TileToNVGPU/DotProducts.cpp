//===- DotProducts.cpp - Dot products of rows in global memory ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"
#include "DotEmitter.h"

using namespace mlir;
using namespace tcgemm;

void DotProducts::lower(AccDotOp op) {
  std::unique_ptr<DotEmitter> emitter = op.getMma() ? createTensorDots(c, op)
                                        : op.getManyStep()
                                            ? createColumnDots(c, op)
                                            : createThreadDots(c, op);
  set(op.getAcc(), emitter->emit());
}
