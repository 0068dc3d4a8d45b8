//===- ComplexPatterns.cpp - Complex tensors as real ones -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns of the tensor dialect and of constants: the dimension of the
// components is added to shapes, offsets and groups of dimensions.
//
//===----------------------------------------------------------------------===//

#include "Complex/ComplexPatterns.h"
#include "Complex/BilinearBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <vector>

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::complex_to_real;

bool complex_to_real::isComplexTensor(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isComplexElement(tensor.getElementType());
}

bool complex_to_real::hasComplexTensor(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), isComplexTensor) ||
      llvm::any_of(op->getResultTypes(), isComplexTensor))
    return true;
  if (auto function = dyn_cast<func::FuncOp>(op))
    return llvm::any_of(function.getArgumentTypes(), isComplexTensor) ||
           llvm::any_of(function.getResultTypes(), isComplexTensor);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), isComplexTensor))
        return true;
  return false;
}

ComponentTypes::ComponentTypes() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType type) -> std::optional<Type> {
    if (!isComplexTensor(type) || type.getEncoding())
      return std::nullopt;
    auto shape = llvm::to_vector(type.getShape());
    shape.push_back(kNumComponents);
    return RankedTensorType::get(
        shape, cast<ComplexType>(type.getElementType()).getElementType());
  });
}

/// The reason why a tensor has no real form; empty if it has one.
static std::string checkType(Type type) {
  if (!isComplexTensor(type))
    return "";
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "it has a tensor without a rank";
  return tensor.getEncoding() ? "it has a tensor with an encoding" : "";
}

std::string complex_to_real::checkOperation(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (std::string reason = checkType(type); !reason.empty())
        return reason;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return checkStructured(structured);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue())
               ? ""
               : "its elements are not in the module";
  if (isa<func::FuncOp, func::CallOp, func::ReturnOp, scf::ForOp, scf::IfOp,
          scf::WhileOp, scf::YieldOp, scf::ConditionOp, tensor::EmptyOp,
          tensor::DimOp, tensor::CastOp, tensor::ExtractSliceOp,
          tensor::InsertSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp>(op))
    return "";
  return "no real form of this operation is known";
}

namespace {
template <typename Op> struct ComplexPattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  RankedTensorType convert(Type type) const {
    return cast<RankedTensorType>(this->getTypeConverter()->convertType(type));
  }
};

struct ConstantPattern : ComplexPattern<arith::ConstantOp> {
  using ComplexPattern::ComplexPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements)
      return failure();
    // Components are neighbours in both types. That of a splat is one number.
    RankedTensorType type = convert(op.getType());
    ArrayRef<char> bytes = elements.getRawData();
    std::vector<char> repeated;
    size_t half = bytes.size() / kNumComponents;
    if (elements.isSplat() && bytes.take_front(half) == bytes.drop_front(half))
      bytes = bytes.take_front(half);
    else if (elements.isSplat()) {
      for (int64_t i = 0; i < elements.getNumElements(); ++i)
        repeated.insert(repeated.end(), bytes.begin(), bytes.end());
      bytes = repeated;
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::getFromRawBuffer(type, bytes));
    return success();
  }
};

struct EmptyPattern : ComplexPattern<tensor::EmptyOp> {
  using ComplexPattern::ComplexPattern;
  LogicalResult
  matchAndRewrite(tensor::EmptyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, convert(op.getType()),
                                                 adaptor.getDynamicSizes());
    return success();
  }
};

struct DimPattern : ComplexPattern<tensor::DimOp> {
  using ComplexPattern::ComplexPattern;
  LogicalResult
  matchAndRewrite(tensor::DimOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tensor::DimOp>(op, adaptor.getSource(),
                                               adaptor.getIndex());
    return success();
  }
};

struct CastPattern : ComplexPattern<tensor::CastOp> {
  using ComplexPattern::ComplexPattern;
  LogicalResult
  matchAndRewrite(tensor::CastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, convert(op.getType()),
                                                adaptor.getSource());
    return success();
  }
};

/// The offsets, sizes and strides of a slice that has both components.
struct SliceParts {
  template <typename Op>
  explicit SliceParts(Op op)
      : offsets(op.getMixedOffsets()), sizes(op.getMixedSizes()),
        strides(op.getMixedStrides()) {
    Builder builder(op.getContext());
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(builder.getIndexAttr(kNumComponents));
    strides.push_back(builder.getIndexAttr(1));
  }
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

struct ExtractSlicePattern : ComplexPattern<tensor::ExtractSliceOp> {
  using ComplexPattern::ComplexPattern;
  LogicalResult
  matchAndRewrite(tensor::ExtractSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SliceParts parts(op);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, convert(op.getType()), adaptor.getSource(), parts.offsets,
        parts.sizes, parts.strides);
    return success();
  }
};

struct InsertSlicePattern : ComplexPattern<tensor::InsertSliceOp> {
  using ComplexPattern::ComplexPattern;
  LogicalResult
  matchAndRewrite(tensor::InsertSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SliceParts parts(op);
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, adaptor.getSource(), adaptor.getDest(), parts.offsets, parts.sizes,
        parts.strides);
    return success();
  }
};

/// The groups of dimensions, and one of the components.
template <typename Op>
SmallVector<ReassociationIndices> addComponents(Op op, int64_t rank) {
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  groups.push_back({rank});
  return groups;
}

struct ExpandShapePattern : ComplexPattern<tensor::ExpandShapeOp> {
  using ComplexPattern::ComplexPattern;
  LogicalResult
  matchAndRewrite(tensor::ExpandShapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> shape = op.getMixedOutputShape();
    shape.push_back(rewriter.getIndexAttr(kNumComponents));
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, convert(op.getType()), adaptor.getSrc(),
        addComponents(op, op.getResultType().getRank()), shape);
    return success();
  }
};

struct CollapseShapePattern : ComplexPattern<tensor::CollapseShapeOp> {
  using ComplexPattern::ComplexPattern;
  LogicalResult
  matchAndRewrite(tensor::CollapseShapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, convert(op.getType()), adaptor.getSrc(),
        addComponents(op, op.getSrcType().getRank()));
    return success();
  }
};
} // namespace

void complex_to_real::populateComplexPatterns(RewritePatternSet &patterns,
                                              const ComponentTypes &types) {
  patterns.add<ConstantPattern, EmptyPattern, DimPattern, CastPattern,
               ExtractSlicePattern, InsertSlicePattern, ExpandShapePattern,
               CollapseShapePattern>(types, patterns.getContext());
  populateStructuredPatterns(patterns, types);
}
