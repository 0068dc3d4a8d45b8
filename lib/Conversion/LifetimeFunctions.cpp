//===- LifetimeFunctions.cpp - Constructors of a module -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "tcgemm/Conversion/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_LIFETIMEFUNCTIONS
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
struct LifetimeFunctions
    : public tcgemm::impl::LifetimeFunctionsBase<LifetimeFunctions> {
  using LifetimeFunctionsBase::LifetimeFunctionsBase;
  void runOnOperation() override;
};
} // namespace

/// Collects the functions with the attribute and removes the attribute.
static SmallVector<Attribute> takeFunctions(ModuleOp module, StringRef name) {
  SmallVector<Attribute> functions;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->removeAttr(name))
      functions.push_back(FlatSymbolRefAttr::get(function.getSymNameAttr()));
  return functions;
}

void LifetimeFunctions::runOnOperation() {
  ModuleOp module = getOperation();
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  // After the constructors that load the kernels, which have priority 123.
  auto getPriorities = [&](size_t count) {
    return builder.getI32ArrayAttr(SmallVector<int32_t>(count, 200));
  };
  auto getData = [&](size_t count) {
    return builder.getArrayAttr(
        SmallVector<Attribute>(count, LLVM::ZeroAttr::get(&getContext())));
  };
  if (auto list = takeFunctions(module, "tcgemm.constructor"); !list.empty())
    LLVM::GlobalCtorsOp::create(
        builder, module.getLoc(), builder.getArrayAttr(list),
        getPriorities(list.size()), getData(list.size()));
  if (auto list = takeFunctions(module, "tcgemm.destructor"); !list.empty())
    LLVM::GlobalDtorsOp::create(
        builder, module.getLoc(), builder.getArrayAttr(list),
        getPriorities(list.size()), getData(list.size()));
}
