//===- AddCopyKernels.cpp - The kernels of a pack's copies ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Describe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tcgemm/Pipelines/Passes.h"
#include "tcgemm/Target/CopyKernel.h"
#include "tcgemm/Target/EmitPTX.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace tcgemm {
#define GEN_PASS_DEF_ADDCOPYKERNELS
#include "tcgemm/Pipelines/Passes.h.inc"

namespace {

class AddCopyKernelsPass : public impl::AddCopyKernelsBase<AddCopyKernelsPass> {
public:
  using AddCopyKernelsBase::AddCopyKernelsBase;
  void runOnOperation() override;
};

/// The buffer that an operation copies; none if it copies nothing.
Value getCopied(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return copy.getSource();
  auto transpose = dyn_cast<linalg::TransposeOp>(op);
  return transpose && transpose.hasPureBufferSemantics() ? transpose.getInput()
                                                         : Value();
}

void AddCopyKernelsPass::runOnOperation() {
  llvm::SmallSet<unsigned, 4> found;
  getOperation().walk([&](Operation *op) {
    if (Value copied = getCopied(op))
      if (std::optional<unsigned> bytes = getCopiedBytes(copied.getType()))
        found.insert(*bytes);
  });
  if (found.empty())
    return markAllAnalysesPreserved();
  SmallVector<unsigned> sizes(found.begin(), found.end());
  llvm::sort(sizes);
  OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
  auto module = gpu::GPUModuleOp::create(builder, getOperation().getLoc(),
                                         kCopyModuleName);
  module->setAttr(kPtxTextAttrName, builder.getStringAttr(writeCopyPtx(
                                        sizes, /*withPairs=*/true)));
  numKernels += 2 * sizes.size();
}

} // namespace
} // namespace tcgemm
