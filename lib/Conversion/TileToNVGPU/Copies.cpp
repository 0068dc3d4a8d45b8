//===- Copies.cpp - Copies by threads -------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "ControlFlow.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace tcgemm;

Copies::Copies(LoweringContext &c, LoaderCopyOp op)
    : Lowering(c), op(op), loader(c.loaders[op.getLoader()]),
      ring(op.getRing().getType()), tile(loader.type.getTile()) {
  int64_t copies = loader.type.getNumCopies();
  firstCopy = copies * op.getPart() / op.getParts();
  endCopy = copies * (op.getPart() + 1) / op.getParts();
}

void Copies::buildIfActive(int64_t copy, llvm::function_ref<void()> build) {
  bool isInLastPass =
      copy + loader.type.getRowCopies() >= loader.type.getNumCopies();
  bool isPartial = loader.active && isInLastPass;
  buildIfGiven(b, isPartial ? loader.active : Value(), build);
}

void Copies::createAsyncCopy(Value memory, Value target, Value source,
                             Value valid) {
  b.create<nvgpu::DeviceAsyncCopyOp>(
      nvgpu::DeviceAsyncTokenType::get(b.getContext()), memory, target,
      loader.base, b.index(source), b.getIndexAttr(loader.type.getVector()),
      b.index(valid),
      loader.type.getBytes() == 16 ? b.getUnitAttr() : UnitAttr());
}
