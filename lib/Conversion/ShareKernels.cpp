//===- ShareKernels.cpp - Merges equal kernels ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "tcgemm/Conversion/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_SHAREKERNELS
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
struct ShareKernels : public tcgemm::impl::ShareKernelsBase<ShareKernels> {
  using ShareKernelsBase::ShareKernelsBase;
  void runOnOperation() override;
};
} // namespace

/// The kernel's text without its name: equal for equal kernels.
static std::string getText(gpu::GPUFuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (NamedAttribute attribute : kernel->getAttrs())
    if (attribute.getName() != SymbolTable::getSymbolAttrName())
      stream << attribute.getName() << '=' << attribute.getValue() << '\n';
  AsmState state(kernel, OpPrintingFlags().useLocalScope().skipRegions(false));
  for (Block &block : kernel.getBody())
    block.print(stream, state);
  return text;
}

void ShareKernels::runOnOperation() {
  ModuleOp module = getOperation();
  llvm::StringMap<SymbolRefAttr> known;
  llvm::DenseMap<Attribute, SymbolRefAttr> replacements;
  gpu::GPUModuleOp shared;
  auto modules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  for (gpu::GPUModuleOp source : modules) {
    auto kernels = llvm::to_vector(source.getOps<gpu::GPUFuncOp>());
    if (kernels.empty())
      continue;
    if (!shared) {
      OpBuilder builder(source);
      shared = gpu::GPUModuleOp::create(builder, source.getLoc(),
                                        "tcgemm_device_kernels");
      SymbolTable(module).insert(shared);
    }
    for (gpu::GPUFuncOp kernel : kernels) {
      auto old = SymbolRefAttr::get(
          source.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
      auto [it, isNew] = known.try_emplace(getText(kernel));
      if (isNew) {
        kernel.setName(("device_kernel_" + Twine(known.size() - 1)).str());
        kernel->moveBefore(shared.getBody(), shared.getBody()->end());
        it->second =
            SymbolRefAttr::get(shared.getNameAttr(),
                               {FlatSymbolRefAttr::get(kernel.getNameAttr())});
        ++numKernels;
      } else {
        ++numShared;
      }
      replacements[old] = it->second;
    }
    source.erase();
  }
  module.walk([&](gpu::LaunchFuncOp launch) {
    if (SymbolRefAttr kernel = replacements.lookup(launch.getKernelAttr()))
      launch.setKernelAttr(kernel);
  });
}
