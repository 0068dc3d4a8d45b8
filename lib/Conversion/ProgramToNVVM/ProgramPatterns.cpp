//===- ProgramPatterns.cpp - Program and memory to LLVM ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramToNVVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/EmitPTX.h"

using namespace mlir;
using namespace tcgemm;

Value tcgemm::getElementAddress(ConversionPatternRewriter &rewriter,
                                Location loc, Value base, Value index,
                                Type elementType) {
  if (auto cast = index.getDefiningOp<arith::IndexCastUIOp>())
    index = cast.getIn();
  else if (auto cast = index.getDefiningOp<arith::IndexCastOp>())
    index = cast.getIn();
  IntegerAttr constant;
  int64_t offset = 0;
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (sum && matchPattern(sum.getRhs(), m_Constant(&constant))) {
    offset = constant.getInt();
    index = sum.getLhs();
  }
  Value address = base;
  if (matchPattern(index, m_Constant(&constant)))
    offset += constant.getInt();
  else
    address =
        LLVM::GEPOp::create(rewriter, loc, base.getType(), elementType, address,
                            LLVM::GEPArg(rewriter.getRemappedValue(index)));
  if (offset)
    address =
        LLVM::GEPOp::create(rewriter, loc, base.getType(), elementType, address,
                            LLVM::GEPArg(static_cast<int32_t>(offset)));
  return address;
}

int64_t tcgemm::getAccessBytes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  int64_t elements = vector ? vector.getNumElements() : 1;
  int64_t bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return elements * std::max<int64_t>(1, bits / 8);
}

namespace {

struct ProgramPattern : ConvertOpToLLVMPattern<ProgramOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// Makes argument `index` a tensor map of 128 bytes that is passed by value
  /// in the kernel's parameters.
  static void setByValue(LLVM::LLVMFuncOp function, unsigned index) {
    Builder builder(function.getContext());
    auto bytes = LLVM::LLVMArrayType::get(builder.getI64Type(), 16);
    function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(LLVM::LLVMStructType::getLiteral(
                            function.getContext(), {bytes})));
    function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
    function.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }

  LogicalResult
  matchAndRewrite(ProgramOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    for (auto [i, type] : llvm::enumerate(op.getArgumentTypes()))
      signature.addInputs(i, getTypeConverter()->convertType(type));
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(op.getContext()),
                                    signature.getConvertedTypes());
    auto function =
        LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), op.getSymName(), type);
    auto i32 = [&](int64_t value) {
      return rewriter.getI32IntegerAttr(static_cast<int32_t>(value));
    };
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                      rewriter.getDenseI32ArrayAttr(
                          {static_cast<int32_t>(op.getThreads()), 1, 1}));
    if (op.getMinCtas())
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        i32(op.getMinCtas()));
    if (op.getMaxRegisters())
      function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                        i32(op.getMaxRegisters()));
    if (op.getMaySpill())
      function->setAttr(kMaySpillAttrName, rewriter.getUnitAttr());
    if (op.getCluster() > 1)
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        rewriter.getDenseI32ArrayAttr(
                            {static_cast<int32_t>(op.getCluster()), 1, 1}));
    for (auto [i, type] : llvm::enumerate(op.getArgumentTypes()))
      if (isa<TensorMapType>(type))
        setByValue(function, i);
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    rewriter.applySignatureConversion(&function.getBody().front(), signature,
                                      getTypeConverter());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReturnPattern : ConvertOpToLLVMPattern<ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// Thread and block indices: 32-bit registers, zero-extended to an index.
template <typename Op, typename X, typename Y, typename Z>
struct IdPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    Value id;
    switch (op.getDimension()) {
    case gpu::Dimension::x:
      id = X::create(rewriter, op.getLoc(), i32);
      break;
    case gpu::Dimension::y:
      id = Y::create(rewriter, op.getLoc(), i32);
      break;
    case gpu::Dimension::z:
      id = Z::create(rewriter, op.getLoc(), i32);
      break;
    }
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, rewriter.getI64Type(), id);
    return success();
  }
};

struct BarrierPattern : ConvertOpToLLVMPattern<gpu::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::BarrierOp>(op);
    return success();
  }
};

struct SharedMemoryPattern
    : ConvertOpToLLVMPattern<gpu::DynamicSharedMemoryOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::DynamicSharedMemoryOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(
        op, LLVM::LLVMPointerType::get(op.getContext(), 3), kSharedMemory);
    return success();
  }
};

struct ViewPattern : ConvertOpToLLVMPattern<memref::ViewOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(memref::ViewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, getElementAddress(rewriter, op.getLoc(), adaptor.getSource(),
                              op.getByteShift(), rewriter.getI8Type()));
    return success();
  }
};

struct CastPattern : ConvertOpToLLVMPattern<memref::CastOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(memref::CastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource());
    return success();
  }
};

/// Converts a cast between a value and the pointer or registers that replace
/// it.
struct AddressPattern : ConvertOpToLLVMPattern<UnrealizedConversionCastOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)) ||
        adaptor.getInputs().getTypes() != types)
      return rewriter.notifyMatchFailure(op, "changes more than the name");
    rewriter.replaceOp(op, adaptor.getInputs());
    return success();
  }
};

struct PointerPattern
    : ConvertOpToLLVMPattern<memref::ExtractAlignedPointerAsIndexOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(memref::ExtractAlignedPointerAsIndexOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, rewriter.getI64Type(),
                                                  adaptor.getSource());
    return success();
  }
};

/// Returns whether the operation accesses global memory with `nontemporal`.
template <typename Op> static bool isStreamed(Op op) {
  return op.getNontemporal() &&
         !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(op.getMemRefType());
}

/// Loads and stores, of scalars and of vectors that are aligned to their size.
template <typename Op> struct LoadPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getResult().getType());
    Value base = adaptor.getOperands()[0];
    Type element = this->getTypeConverter()->convertType(
        op.getMemRefType().getElementType());
    Value address = getElementAddress(rewriter, op.getLoc(), base,
                                      op.getIndices()[0], element);
    if (isStreamed(op)) {
      rewriter.replaceOp(
          op, createStreamedLoad(rewriter, op.getLoc(), type, address));
      return success();
    }
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, address,
                                              getAccessBytes(type));
    return success();
  }
};

template <typename Op> struct StorePattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value value = adaptor.getOperands()[0], base = adaptor.getOperands()[1];
    Type element = this->getTypeConverter()->convertType(
        op.getMemRefType().getElementType());
    Value address = getElementAddress(rewriter, op.getLoc(), base,
                                      op.getIndices()[0], element);
    if (isStreamed(op)) {
      createStreamedStore(rewriter, op.getLoc(), value, address);
      rewriter.eraseOp(op);
      return success();
    }
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, value, address,
                                               getAccessBytes(value.getType()));
    return success();
  }
};

} // namespace

void tcgemm::populateProgramPatterns(LLVMTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  using namespace NVVM;
  // Upstream's patterns for the same operations expect memref descriptors.
  PatternBenefit own(10);
  patterns
      .add<ProgramPattern, ReturnPattern, BarrierPattern, SharedMemoryPattern,
           ViewPattern, CastPattern, PointerPattern, AddressPattern,
           IdPattern<gpu::GridDimOp, GridDimXOp, GridDimYOp, GridDimZOp>,
           IdPattern<gpu::ThreadIdOp, ThreadIdXOp, ThreadIdYOp, ThreadIdZOp>,
           IdPattern<gpu::BlockIdOp, BlockIdXOp, BlockIdYOp, BlockIdZOp>,
           LoadPattern<memref::LoadOp>, LoadPattern<vector::LoadOp>,
           StorePattern<memref::StoreOp>, StorePattern<vector::StoreOp>>(
          converter, own);
}
