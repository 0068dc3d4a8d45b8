//===- Tolerance.cpp - Tolerance of comparisons ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tolerance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Precision.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace tcgemm;

/// Half the distance from 1 to the next number, or to the next part of one.
static double getUnitRoundoff(Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    type = complexType.getElementType();
  auto floatType = dyn_cast<FloatType>(type);
  return floatType ? std::ldexp(1.0, -int(floatType.getFPMantissaWidth())) : 0;
}

/// The roundoff of operands that the kernel rounds or splits; 0 without such
/// operands.
static double getOperandRoundoff(Operation *op) {
  auto text = op->getAttrOfType<StringAttr>(kPrecisionAttrName);
  if (!text)
    return 0;
  Precision precision = llvm::cantFail(parsePrecision(text.getValue()));
  ScalarType type = getOperandType(ScalarType::F32, precision);
  if (const SplitInfo *split = getSplit(type))
    return split->error;
  return roundsOperands(type)
             ? getUnitRoundoff(getElementType(type, op->getContext()))
             : 0;
}

/// The length of the reduction times the roundoff of its sum.
static double getReductionError(linalg::LinalgOp op, int64_t dynamicSize) {
  double length = 1;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [kind, range] : llvm::zip(op.getIteratorTypesArray(), ranges))
    if (kind == utils::IteratorType::reduction)
      length *= double(ShapedType::isDynamic(range) ? dynamicSize : range);
  Type type = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  if (isa<ComplexType>(type))
    length *= 2; // Each part is a sum of two products for each term.
  double roundoff = getUnitRoundoff(type);
  if (linalg::isaContractionOpInterface(op))
    roundoff = std::min(roundoff, std::ldexp(1.0, -24));
  return length * roundoff;
}

/// All operations that a value depends on, with those in their regions and in
/// functions that they call.
static llvm::SetVector<Operation *> collectSources(Value result) {
  llvm::SetVector<Operation *> sources;
  SmallVector<Operation *> pending;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op) // An argument of a loop's body, which the loop computes.
      op = value.getParentBlock()->getParentOp();
    if (!isa<func::FuncOp>(op))
      pending.push_back(op);
  };
  add(result);
  while (!pending.empty()) {
    Operation *source = pending.pop_back_val();
    if (sources.contains(source))
      continue;
    source->walk([&](Operation *op) {
      sources.insert(op);
      llvm::for_each(op->getOperands(), add);
      auto call = dyn_cast<func::CallOp>(op);
      if (auto callee =
              call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                         call, call.getCalleeAttr())
                   : func::FuncOp())
        for (Operation &inner : callee.getOps())
          pending.push_back(&inner);
    });
  }
  return sources;
}

/// The number of roundings of one evaluation: the results of the device's
/// polynomials and of a C library differ by some ulps.
static int64_t getNumRoundings(Operation *op) {
  if (isa<linalg::SoftmaxOp>(op))
    return 8;
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return 4;
  return isa<linalg::LinalgOp>(op) ? 1 : 0;
}

double tcgemm::getRelativeTolerance(Value result, int64_t dynamicSize) {
  double narrowest = 0, sums = 0;
  int64_t numRoundings = 2;
  for (Operation *op : collectSources(result)) {
    if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
      auto type = cast<ShapedType>(softmax.getInput().getType());
      double roundoff = getUnitRoundoff(type.getElementType());
      int64_t length = type.getDimSize(softmax.getDimension());
      narrowest = std::max(narrowest, roundoff);
      sums += roundoff *
              double(ShapedType::isDynamic(length) ? dynamicSize : length);
    }
    if (isa_and_nonnull<arith::ArithDialect, complex::ComplexDialect,
                        math::MathDialect>(op->getDialect()) &&
        !isa<arith::ConstantOp, complex::ConstantOp, arith::ExtFOp>(op))
      for (Type type : op->getResultTypes())
        narrowest =
            std::max(narrowest, getUnitRoundoff(getElementTypeOrSelf(type)));
    narrowest = std::max(narrowest, getOperandRoundoff(op));
    auto linalg = dyn_cast<linalg::LinalgOp>(op);
    numRoundings += getNumRoundings(op);
    if (linalg && linalg.getNumReductionLoops())
      sums += getReductionError(linalg, dynamicSize);
  }
  return double(numRoundings) * narrowest + sums;
}

/// Row-major, as the tensor is.
static std::string formatIndex(int64_t position, ArrayRef<int64_t> sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t i = sizes.size(); i-- != 0; position /= sizes[i])
    index[i] = position % sizes[i];
  return llvm::formatv("[{0:$[, ]}]",
                       llvm::make_range(index.begin(), index.end()));
}

static bool isWithin(double expected, double actual, double tolerance) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual);
  return expected == actual || std::fabs(expected - actual) <= tolerance;
}

Comparison tcgemm::compare(const HostTensor &expected, const HostTensor &actual,
                           double relativeTolerance) {
  Comparison result;
  int64_t count = expected.shape.getNumElements();
  if (isFloatType(expected.type)) {
    double scale = 1;
    for (int64_t i = 0; i != count; ++i)
      if (double value = std::fabs(expected.get(i)); std::isfinite(value))
        scale = std::max(scale, value);
    result.tolerance = relativeTolerance * scale;
  }
  for (int64_t i = 0; i != count; ++i) {
    double a = expected.get(i), b = actual.get(i);
    // Integers of 64 bits are more than a double holds.
    unsigned bytes = getByteSize(expected.type);
    bool isEqual = std::equal(expected.bytes.begin() + i * bytes,
                              expected.bytes.begin() + (i + 1) * bytes,
                              actual.bytes.begin() + i * bytes);
    if (isEqual)
      continue;
    if (std::isfinite(a) && std::isfinite(b))
      result.largestError = std::max(result.largestError, std::fabs(a - b));
    if (isFloatType(expected.type) && isWithin(a, b, result.tolerance))
      continue;
    if (result.numWrong++ == 0)
      result.firstWrong =
          llvm::formatv("{0} is {1}, expected {2}",
                        formatIndex(i, expected.shape.sizes), b, a);
  }
  result.passed = result.numWrong == 0;
  return result;
}
