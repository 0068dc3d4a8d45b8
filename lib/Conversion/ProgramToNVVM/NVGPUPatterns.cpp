//===- NVGPUPatterns.cpp - nvgpu to NVVM, one to one ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramToNVVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tcgemm;

namespace {

Value constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

struct LdMatrixPattern : ConvertOpToLLVMPattern<nvgpu::LdMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(nvgpu::LdMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto vector = cast<VectorType>(op.getRes().getType());
    int64_t count = op.getNumTiles();
    if (op.getIndices().size() != 1 || vector.getRank() != 2 || count < 2)
      return rewriter.notifyMatchFailure(op,
                                         "needs one index and a 2-D vector");
    Value address =
        getElementAddress(rewriter, loc, adaptor.getSrcMemref(),
                          op.getIndices()[0], vector.getElementType());
    Type i32 = rewriter.getI32Type();
    auto loadedType = LLVM::LLVMStructType::getLiteral(
        op.getContext(), SmallVector<Type>(count, i32));
    auto layout =
        op.getTranspose() ? NVVM::MMALayout::col : NVVM::MMALayout::row;
    auto shape = NVVM::LdStMatrixShapeAttr::get(op.getContext(), 8, 8);
    Value loaded =
        NVVM::LdMatrixOp::create(rewriter, loc, loadedType, address, count,
                                 layout, shape, NVVM::LdStMatrixEltType::B16);
    Type arrayType = getTypeConverter()->convertType(vector);
    auto rowType =
        VectorType::get(vector.getShape().back(), vector.getElementType());
    Value result = LLVM::PoisonOp::create(rewriter, loc, arrayType);
    for (int64_t i = 0; i < count; ++i) {
      Value word = LLVM::ExtractValueOp::create(rewriter, loc, loaded, i);
      Value row = LLVM::BitcastOp::create(rewriter, loc, rowType, word);
      result = LLVM::InsertValueOp::create(rewriter, loc, result, row, i);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct MmaSyncPattern : ConvertOpToLLVMPattern<nvgpu::MmaSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// The 32-bit registers of an operand: packed pairs of f16, else i32.
  static SmallVector<Value> operandRegisters(OpBuilder &builder, Location loc,
                                             VectorType type, Value array) {
    SmallVector<Value> registers;
    for (int64_t i = 0; i < type.getDimSize(0); ++i) {
      Value row = LLVM::ExtractValueOp::create(builder, loc, array, i);
      if (!type.getElementType().isF16())
        row = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), row);
      registers.push_back(row);
    }
    return registers;
  }

  /// The registers of an accumulator: pairs of f16, single elements of all
  /// other types.
  static SmallVector<Value> accumulatorRegisters(OpBuilder &builder,
                                                 Location loc, VectorType type,
                                                 Value array) {
    SmallVector<Value> registers;
    for (int64_t i : {0, 1}) {
      Value row = LLVM::ExtractValueOp::create(builder, loc, array, i);
      if (type.getElementType().isF16()) {
        registers.push_back(row);
        continue;
      }
      for (int64_t e : {0, 1})
        registers.push_back(LLVM::ExtractElementOp::create(
            builder, loc, row, constantI32(builder, loc, e)));
    }
    return registers;
  }

  LogicalResult
  matchAndRewrite(nvgpu::MmaSyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type = op.getMatrixA().getType();
    VectorType accType = op.getMatrixC().getType();
    Type element = type.getElementType(), sum = accType.getElementType();
    bool isInteger = element.isInteger(8);
    if (isInteger
            ? !sum.isInteger(32)
            : !(element.isF16() && sum.isF16()) &&
                  (!(element.isF16() || element.isBF16()) || !sum.isF32()))
      return rewriter.notifyMatchFailure(
          op, "needs f16 or bf16 operands and f32 sums, f16 and f16, or i8 "
              "and i32");
    SmallVector<Value> a =
        operandRegisters(rewriter, loc, type, adaptor.getMatrixA());
    SmallVector<Value> b = operandRegisters(
        rewriter, loc, op.getMatrixB().getType(), adaptor.getMatrixB());
    SmallVector<Value> c =
        accumulatorRegisters(rewriter, loc, accType, adaptor.getMatrixC());
    auto resultType = LLVM::LLVMStructType::getLiteral(
        op.getContext(), llvm::to_vector(ValueRange(c).getTypes()));
    auto ptxType = isInteger          ? NVVM::MMATypes::s8
                   : element.isBF16() ? NVVM::MMATypes::bf16
                                      : NVVM::MMATypes::f16;
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (isInteger)
      overflow = NVVM::MMAIntOverflow::wrapped;
    std::array<int64_t, 3> shape = op.getMmaShapeAsArray();
    Value result = NVVM::MmaOp::create(
        rewriter, loc, resultType, a, b, c, shape, std::nullopt, overflow,
        std::array<NVVM::MMATypes, 2>{ptxType, ptxType},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
    rewriter.replaceOp(op, packAccumulator(rewriter, loc, accType, result));
    return success();
  }

  Value packAccumulator(ConversionPatternRewriter &rewriter, Location loc,
                        VectorType type, Value registers) const {
    auto rowType = VectorType::get({2}, type.getElementType());
    Value array = LLVM::PoisonOp::create(rewriter, loc,
                                         getTypeConverter()->convertType(type));
    for (int64_t i : {0, 1}) {
      if (type.getElementType().isF16()) {
        Value row = LLVM::ExtractValueOp::create(rewriter, loc, registers, i);
        array = LLVM::InsertValueOp::create(rewriter, loc, array, row, i);
        continue;
      }
      Value row = LLVM::PoisonOp::create(rewriter, loc, rowType);
      for (int64_t e : {0, 1})
        row = LLVM::InsertElementOp::create(
            rewriter, loc, row,
            LLVM::ExtractValueOp::create(rewriter, loc, registers, 2 * i + e),
            constantI32(rewriter, loc, e));
      array = LLVM::InsertValueOp::create(rewriter, loc, array, row, i);
    }
    return array;
  }
};

struct AsyncCopyPattern : ConvertOpToLLVMPattern<nvgpu::DeviceAsyncCopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(nvgpu::DeviceAsyncCopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = cast<MemRefType>(op.getSrc().getType()).getElementType();
    if (op.getSrcIndices().size() != 1 || op.getDstIndices().size() != 1)
      return rewriter.notifyMatchFailure(op, "needs rank-1 memrefs");
    Value from = getElementAddress(rewriter, loc, adaptor.getSrc(),
                                   op.getSrcIndices()[0], element);
    Value to = getElementAddress(rewriter, loc, adaptor.getDst(),
                                 op.getDstIndices()[0], element);
    int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
    int64_t elements = op.getDstElements().getZExtValue();
    Value size;
    APInt known;
    bool isWhole = !op.getSrcElements() ||
                   (matchPattern(op.getSrcElements(), m_ConstantInt(&known)) &&
                    known.getZExtValue() == uint64_t(elements));
    if (!isWhole) {
      Value count = op.getSrcElements();
      if (auto cast = count.getDefiningOp<arith::IndexCastUIOp>())
        count = rewriter.getRemappedValue(cast.getIn());
      else
        count = LLVM::TruncOp::create(rewriter, loc, rewriter.getI32Type(),
                                      adaptor.getSrcElements());
      size = LLVM::MulOp::create(rewriter, loc, count,
                                 constantI32(rewriter, loc, elementBytes));
    }
    auto cache = op.getBypassL1() ? NVVM::LoadCacheModifierKind::CG
                                  : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(
        rewriter, loc, to, from,
        rewriter.getI32IntegerAttr(
            static_cast<int32_t>(elements * elementBytes)),
        NVVM::LoadCacheModifierKindAttr::get(op.getContext(), cache), size);
    rewriter.replaceOp(op, constantI32(rewriter, loc, 0));
    return success();
  }
};

struct CreateGroupPattern
    : ConvertOpToLLVMPattern<nvgpu::DeviceAsyncCreateGroupOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(nvgpu::DeviceAsyncCreateGroupOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::CpAsyncCommitGroupOp::create(rewriter, op.getLoc());
    rewriter.replaceOp(op, constantI32(rewriter, op.getLoc(), 0));
    return success();
  }
};

struct WaitPattern : ConvertOpToLLVMPattern<nvgpu::DeviceAsyncWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(nvgpu::DeviceAsyncWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(
        op, op.getNumGroups().value_or(0));
    return success();
  }
};

/// Rows of a fragment: an array whose elements are the rows.
struct RowsPattern : ConvertOpToLLVMPattern<vector::ExtractStridedSliceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(vector::ExtractStridedSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    VectorType source = op.getSourceVectorType(), result = op.getType();
    auto offsets = op.getOffsets().getAsValueRange<IntegerAttr>();
    if (source.getRank() != 2 || result.getDimSize(1) != source.getDimSize(1))
      return rewriter.notifyMatchFailure(op, "takes whole rows only");
    int64_t first = (*offsets.begin()).getSExtValue();
    Value rows = LLVM::PoisonOp::create(
        rewriter, op.getLoc(), getTypeConverter()->convertType(result));
    for (int64_t i = 0; i < result.getDimSize(0); ++i) {
      Value row = LLVM::ExtractValueOp::create(rewriter, op.getLoc(),
                                               adaptor.getSource(), first + i);
      rows = LLVM::InsertValueOp::create(rewriter, op.getLoc(), rows, row, i);
    }
    rewriter.replaceOp(op, rows);
    return success();
  }
};

} // namespace

void tcgemm::populateNVGPUPatterns(LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<AsyncCopyPattern, CreateGroupPattern, LdMatrixPattern,
               MmaSyncPattern, RowsPattern, WaitPattern>(converter,
                                                         PatternBenefit(10));
}
