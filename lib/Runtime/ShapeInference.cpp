//===- ShapeInference.cpp - Sizes that follow from others -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes of buffers and views are those of the launches that use them, and
// the reverse.
//
//===----------------------------------------------------------------------===//

#include "ProblemBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

/// Computes the sizes of temporaries and views that are known so far. layOut
/// and createView report sizes that remain unknown.
void ProblemBuilder::evaluateSizes() {
  auto evaluateAll = [&](const std::vector<Expr> &exprs, Shape &shape) {
    for (auto [expr, size] : llvm::zip_equal(exprs, shape)) {
      Expected<int64_t> value =
          expr.evaluate([&](StringRef symbol) { return lookUp(symbol); });
      if (value)
        size = *value;
      else
        llvm::consumeError(value.takeError());
    }
  };
  for (auto [i, temporary] : llvm::enumerate(function.temporaries))
    evaluateAll(temporary.shape, shapes[function.arguments.size() + i]);
  for (auto [view, shape] : llvm::zip_equal(function.views, viewShapes))
    evaluateAll(view.sizes, shape);
}

ProblemBuilder::Shape &ProblemBuilder::getShape(StringRef name) {
  BufferRef ref = *parseBufferRef(name);
  return ref.kind == BufferKind::View ? viewShapes[ref.index]
                                      : shapes[getBuffer(ref)];
}

/// Sets the size of an argument that an expression of known value is, or is
/// times known factors.
void ProblemBuilder::solve(const Expr &expr, int64_t value) {
  if (expr.getKind() == ExprKind::Symbol) {
    ArgumentDim place = *parseArgumentDim(function, expr.getSymbol());
    if (!shapes[place.argument][place.dim])
      shapes[place.argument][place.dim] = value;
  }
  if (expr.getKind() != ExprKind::Mul)
    return;
  for (unsigned known : {0, 1}) {
    Expected<int64_t> factor = expr.getOperand(known).evaluate(
        [&](StringRef symbol) { return lookUp(symbol); });
    if (!factor)
      llvm::consumeError(factor.takeError());
    else if (*factor > 0 && value % *factor == 0)
      return solve(expr.getOperand(1 - known), value / *factor);
  }
}

/// Sets the size of a buffer or view, and that of an argument from which it is
/// computed.
void ProblemBuilder::learnSize(StringRef name, unsigned dim, int64_t size) {
  getShape(name)[dim] = size;
  BufferRef ref = *parseBufferRef(name);
  if (ref.kind != BufferKind::View)
    return;
  solve(function.views[ref.index].sizes[dim], size);
}

/// Appends the factors of a product, outermost first.
static void collectFactors(const Expr &expr, std::vector<Expr> &factors) {
  if (expr.getKind() != ExprKind::Mul) {
    factors.push_back(expr);
    return;
  }
  for (const Expr &operand : expr.getOperands())
    collectFactors(operand, factors);
}

std::vector<Expr> ProblemBuilder::getFactors(StringRef name,
                                             unsigned dim) const {
  BufferRef ref = *parseBufferRef(name);
  std::vector<Expr> factors;
  if (ref.kind == BufferKind::View)
    collectFactors(function.views[ref.index].sizes[dim], factors);
  return factors;
}

/// Sets unknown sizes whose product is a dimension of `name`: they are the
/// factors of the same dimension of another operand, where those are known.
/// Only the product determines which elements the kernel reads and writes.
void ProblemBuilder::inferFactors(const LaunchInfo &launch, StringRef name,
                                  unsigned dim, Dim kernelDim) {
  std::vector<Expr> unknown = getFactors(name, dim);
  auto lookUpSymbol = [&](StringRef symbol) { return lookUp(symbol); };
  const KernelInfo &kernel = *manifest.findKernel(launch.kernel);
  for (auto [operand, other] : llvm::zip(kernel.operands, launch.operands))
    for (auto [i, otherDim] : llvm::enumerate(operand.dims)) {
      if (otherDim != kernelDim || other == name)
        continue;
      std::vector<Expr> known = getFactors(other, i);
      if (known.size() != unknown.size())
        continue;
      for (auto [factor, target] : llvm::zip_equal(known, unknown)) {
        Expected<int64_t> value = factor.evaluate(lookUpSymbol);
        if (value)
          solve(target, *value);
        else
          llvm::consumeError(value.takeError());
      }
    }
}

Error ProblemBuilder::inferShapes(const LaunchInfo &launch, bool isFirst) {
  const KernelInfo &kernel = *manifest.findKernel(launch.kernel);
  std::array<std::optional<int64_t>, kNumDims> sizes = kernel.sizes;
  for (auto [operand, name] : llvm::zip(kernel.operands, launch.operands))
    for (auto [i, dim] : llvm::enumerate(operand.dims))
      if (!sizes[unsigned(dim)] && operand.hasSizes())
        sizes[unsigned(dim)] = getShape(name)[i];
  for (unsigned d = 0; isFirst && d != kNumDims; ++d) {
    std::optional<int64_t> given = options.sizes[d];
    if (given && sizes[d] && *given != *sizes[d])
      return llvm::createStringError(getSizeName(Dim(d)) + " is fixed to " +
                                     Twine(*sizes[d]) + ", not " +
                                     Twine(*given));
    if (given)
      sizes[d] = given;
  }
  for (auto [operand, name] : llvm::zip(kernel.operands, launch.operands))
    for (auto [i, dim] : llvm::enumerate(operand.dims)) {
      if (getShape(name)[i])
        continue;
      if (!sizes[unsigned(dim)])
        return llvm::createStringError(
            getSizeName(dim) + " of kernel '" + kernel.name +
            "' is not known: give it, or the shape of " +
            problem.buffers[getBuffer(name)].name);
      learnSize(name, i, operand.getExtent(dim, *sizes[unsigned(dim)]));
      inferFactors(launch, name, i, dim);
    }
  return Error::success();
}

/// Infers the shape of one side of a copy from that of the other.
void ProblemBuilder::inferShapes(const CopyInfo &copy) {
  for (size_t i = 0; i != getShape(copy.source).size(); ++i) {
    std::optional<int64_t> source = getShape(copy.source)[i];
    std::optional<int64_t> target = getShape(copy.target)[i];
    if (source && !target)
      learnSize(copy.target, i, *source);
    if (target && !source)
      learnSize(copy.source, i, *target);
  }
}

Error ProblemBuilder::inferAllShapes() {
  bool isFirst = true;
  for (const FunctionLaunch &item : function.launches) {
    evaluateSizes();
    if (const auto *copy = std::get_if<CopyInfo>(&item))
      inferShapes(*copy);
    const auto *launch = std::get_if<LaunchInfo>(&item);
    if (!launch)
      continue;
    if (Error error = inferShapes(*launch, isFirst))
      return error;
    isFirst = false;
  }
  evaluateSizes();
  return Error::success();
}
