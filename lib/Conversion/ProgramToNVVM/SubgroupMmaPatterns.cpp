//===- SubgroupMmaPatterns.cpp - gpu.subgroup_mma to NVVM -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns lower products and constants. Loads and stores have
// separate patterns: memrefs are bare pointers here, and upstream infers the
// instruction from the size of a store only, so that it takes m16n16 for the
// instruction with k = 8.
//
//===----------------------------------------------------------------------===//

#include "../TileToNVGPU/WmmaMatrices.h"
#include "ProgramToNVVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tcgemm;

namespace {

/// Each instruction has so many elements of the result.
constexpr int kResults = 256;
/// The depth of an instruction whose results are stored. Those of tf32, whose
/// depth is 8, are not stored by gpu.subgroup_mma_store_matrix.
constexpr int kStoredDepth = 16;

Value createPitch(OpBuilder &builder, Location loc, const APInt &pitch) {
  return LLVM::ConstantOp::create(
      builder, loc,
      builder.getI32IntegerAttr(static_cast<int32_t>(pitch.getSExtValue())));
}

NVVM::MMALayout getLayout(bool transposed) {
  return transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

struct LoadMatrixPattern
    : ConvertOpToLLVMPattern<gpu::SubgroupMmaLoadMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::SubgroupMmaLoadMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<gpu::MMAMatrixType>(op.getRes().getType());
    bool isA = type.getOperand() == "AOp";
    if (op.getIndices().size() != 1 || (!isA && type.getOperand() != "BOp"))
      return rewriter.notifyMatchFailure(op, "needs one index and A or B");
    int64_t side = type.getShape()[isA ? 0 : 1];
    int64_t m = isA ? side : kResults / side;
    Value address = getElementAddress(
        rewriter, op.getLoc(), adaptor.getSrcMemref(), op.getIndices()[0],
        cast<MemRefType>(op.getSrcMemref().getType()).getElementType());
    Value loaded = createWmmaLoad(
        rewriter, op.getLoc(), type,
        {m, kResults / m, type.getShape()[isA ? 1 : 0]},
        getLayout(op.getTranspose().value_or(false)), address,
        createPitch(rewriter, op.getLoc(), op.getLeadDimension()));
    if (!loaded)
      return rewriter.notifyMatchFailure(op, "no instruction has this shape");
    rewriter.replaceOp(op, loaded);
    return success();
  }
};

struct StoreMatrixPattern
    : ConvertOpToLLVMPattern<gpu::SubgroupMmaStoreMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::SubgroupMmaStoreMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<gpu::MMAMatrixType>(op.getSrc().getType());
    std::optional<NVVM::MMATypes> elements = getWmmaElements(type);
    if (op.getIndices().size() != 1 || !elements)
      return rewriter.notifyMatchFailure(op, "needs one index and elements of "
                                             "D that wmma stores");
    auto m = static_cast<int>(type.getShape()[0]);
    auto n = static_cast<int>(type.getShape()[1]);
    auto layout = getLayout(op.getTranspose().value_or(false));
    if (!NVVM::WMMAStoreOp::getIntrinsicID(m, n, kStoredDepth, layout,
                                           *elements))
      return rewriter.notifyMatchFailure(op, "no instruction has this shape");
    SmallVector<Value> registers;
    auto all = cast<LLVM::LLVMStructType>(adaptor.getSrc().getType());
    for (size_t i = 0; i < all.getBody().size(); ++i)
      registers.push_back(
          LLVM::ExtractValueOp::create(rewriter, loc, adaptor.getSrc(), i));
    Value address =
        getElementAddress(rewriter, loc, adaptor.getDstMemref(),
                          op.getIndices()[0], type.getElementType());
    rewriter.replaceOpWithNewOp<NVVM::WMMAStoreOp>(
        op, address, m, n, kStoredDepth, layout, *elements, registers,
        createPitch(rewriter, loc, op.getLeadDimension()));
    return success();
  }
};

} // namespace

void tcgemm::populateSubgroupMmaPatterns(LLVMTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<LoadMatrixPattern, StoreMatrixPattern>(converter,
                                                      PatternBenefit(10));
  populateGpuWMMAToNVVMConversionPatterns(converter, patterns);
}
