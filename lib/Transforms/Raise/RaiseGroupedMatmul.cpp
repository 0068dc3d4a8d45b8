//===- RaiseGroupedMatmul.cpp - Products of groups of rows ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroupedMatmul.h"
#include "tcgemm/Target/Instructions.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

std::string raise::checkGroupedMatmul(GroupedMatmulOp op) {
  Type a = op.getA().getType().getElementType();
  Type b = op.getB().getType().getElementType();
  Type d = op.getOutput().getType().getElementType();
  auto isOperand = [](Type type) {
    std::optional<ScalarType> scalar = getScalarType(type);
    return scalar && isOperandType(*scalar);
  };
  if (!isOperand(a) || !isOperand(b) ||
      getAccumulatorTypes(*getScalarType(a), *getScalarType(b)).empty())
    return llvm::formatv("its operands have the types {0} and {1}, which no "
                         "instruction multiplies",
                         a, b)
        .str();
  ScalarType sumType =
      getAccumulatorTypes(*getScalarType(a), *getScalarType(b)).front();
  if (!findInstruction(InstructionKind::Wgmma, *getScalarType(a),
                       *getScalarType(b), sumType))
    return llvm::formatv("its operands have the types {0} and {1}, but groups "
                         "of rows need types that wgmma multiplies",
                         a, b)
        .str();
  Type sum = getElementType(sumType, op.getContext());
  bool isNarrow = sum.isF32() && (d.isF16() || d.isBF16());
  if (d != sum && !isNarrow)
    return llvm::formatv("its result is {0}; only {1} supported", d,
                         sum.isF32() ? std::string("f32, f16 and bf16 are")
                                     : llvm::formatv("{0} is", sum).str())
        .str();
  return "";
}

LaunchOp raise::buildGroupedKernel(GroupedMatmulOp op, KernelPool &kernels,
                                   Operation *function, StringRef name) {
  OpBuilder builder(function);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  auto element = [](TypedValue<RankedTensorType> value) {
    return value.getType().getElementType();
  };
  Type out = element(op.getOutput());
  Attribute operands[] = {
      OperandAttr::get(context, OperandRole::A, element(op.getA()), "mk"),
      OperandAttr::get(context, OperandRole::B, element(op.getB()),
                       op.getDimsOfB()),
      OperandAttr::get(context, OperandRole::Offsets, builder.getI32Type(),
                       "b"),
      OperandAttr::get(context, OperandRole::Output, out, "mn")};
  auto kernel = KernelOp::create(
      builder, loc, name, op.getProductSizes(), builder.getArrayAttr(operands),
      /*size_hint=*/nullptr, /*chip=*/nullptr,
      op->getDiscardableAttr(kConfigAttrName), /*provided=*/false,
      /*plan=*/nullptr, /*in_place=*/false, AlgebraAttr());
  Type sum = kernel.getAccumulatorType();
  builder.createBlock(&kernel.getEpilogue(), {}, {sum}, {loc});
  Value value = kernel.getEpilogue().getArgument(0);
  if (out != sum)
    value = arith::TruncFOp::create(builder, loc, out, value);
  YieldOp::create(builder, loc, value);
  kernel = kernels.unify(kernel, name);
  builder.setInsertionPoint(op);
  auto launch =
      LaunchOp::create(builder, loc, op->getResultTypes(),
                       FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                       ValueRange{op.getA(), op.getB(), op.getOffsets()},
                       ValueRange{op.getOutput()});
  op->replaceAllUsesWith(launch.getResults());
  op->erase();
  return launch;
}
