//===- ProtectArguments.cpp - Arguments are read-only -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tcgemm/Transforms/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_PROTECTARGUMENTS
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
struct ProtectArguments
    : public tcgemm::impl::ProtectArgumentsBase<ProtectArguments> {
  using ProtectArgumentsBase::ProtectArgumentsBase;
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // All calls of private functions are in this module, so that the analysis
    // handles them.
    if (function.isExternal() || function.isPrivate())
      return;
    StringRef name = bufferization::BufferizationDialect::kWritableAttrName;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (isa<TensorType>(function.getArgument(i).getType()) &&
          !function.getArgAttr(i, name)) {
        function.setArgAttr(i, name, BoolAttr::get(&getContext(), false));
        ++numProtected;
      }
  }
};
} // namespace
