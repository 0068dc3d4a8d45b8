//===- ControlFlow.cpp - Builds branches and loops ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tcgemm;

scf::IfOp tcgemm::enterIf(IntegerBuilder &b, Value condition) {
  auto branch = b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  return branch;
}

void tcgemm::buildIf(IntegerBuilder &b, Value condition,
                     llvm::function_ref<void()> build) {
  OpBuilder::InsertionGuard scope(b);
  enterIf(b, condition);
  build();
}

void tcgemm::buildIfGiven(IntegerBuilder &b, Value condition,
                          llvm::function_ref<void()> build) {
  if (condition)
    buildIf(b, condition, build);
  else
    build();
}

SmallVector<Value> tcgemm::buildIfElse(IntegerBuilder &b, Value condition,
                                       TypeRange types, ListBuilder then,
                                       ListBuilder otherwise) {
  auto branch = b.create<scf::IfOp>(types, condition, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
  OpBuilder::InsertionGuard scope(b);
  for (auto [block, values] : {std::make_pair(branch.thenBlock(), then),
                               {branch.elseBlock(), otherwise}}) {
    b.setInsertionPointToEnd(block);
    b.create<scf::YieldOp>(values());
  }
  return branch.getResults();
}

void tcgemm::buildIfElse(IntegerBuilder &b, Value condition,
                         llvm::function_ref<void()> then,
                         llvm::function_ref<void()> otherwise) {
  buildIfElse(
      b, condition, TypeRange(), [&] { return then(), SmallVector<Value>(); },
      [&] { return otherwise(), SmallVector<Value>(); });
}

scf::ForOp tcgemm::createRolledLoop(IntegerBuilder &b, int64_t count,
                                    ValueRange carried) {
  auto loop = b.create<scf::ForOp>(b.i32(0), b.i32(count), b.i32(1), carried);
  auto unroll = LLVM::LoopUnrollAttr::get(
      b.getContext(), /*disable=*/b.getBoolAttr(true), {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {},
                                              unroll, {}, {}, {}, {}, {}, {},
                                              {}, {}, {}, {}, {}));
  return loop;
}
