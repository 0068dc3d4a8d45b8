//===- ReductionIndices.cpp - Indices that reductions find ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel knows two indices of an element: its coordinate along the only
// dimension that is reduced, and its number among all elements of a matrix, row
// by row:
//
//   linalg.index(m) * N + linalg.index(n)
//
// as a sum of values of index or of integers. N is a constant or the size of an
// operand. A vector is a matrix with one row or column. A number column by
// column, linalg.index(n) * M + linalg.index(m), is that of the transpose,
// which the kernel then computes.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The value ahead of conversions between index and integers.
static Value stripCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

/// Returns whether the value is the index of the loop with the letter.
static bool isCoordinate(const FusedOp &fused, Value value, char letter) {
  auto index = stripCasts(value).getDefiningOp<linalg::IndexOp>();
  return index && fused.letters[index.getDim()] == letter;
}

/// Returns whether the value is the size of dimension `letter`.
static bool isSize(const Group &group, const FusedOp &fused, Value value,
                   char letter) {
  linalg::LinalgOp op = fused.op;
  value = stripCasts(value);
  if (APInt number; matchPattern(value, m_ConstantInt(&number)))
    return op.getStaticLoopRanges()[fused.letters.find(letter)] ==
           number.getSExtValue();
  auto size = value.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> dim =
      size ? size.getConstantIndex() : std::optional<int64_t>();
  if (!dim)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (operand.get() == size.getSource() && map.isProjectedPermutation() &&
        fused.letters[map.getDimPosition(*dim)] == letter)
      return true;
  }
  for (unsigned operand : {0, 1})
    if ((operand ? group.b : group.a) == size.getSource() &&
        group.getDims(operand)[*dim] == letter)
      return true;
  return false;
}

/// Returns whether the value numbers the elements of a matrix in the order of
/// the loops, those along `inner` one after the other. Among equal elements,
/// the loops find the first one, and kernels that with the smallest number.
static bool isMatrixIndex(const Group &group, const FusedOp &fused, Value value,
                          char inner) {
  auto sum = stripCasts(value).getDefiningOp<arith::AddIOp>();
  if (!sum)
    return false;
  char outer = inner == 'n' ? 'm' : 'n';
  if (fused.letters.find(outer) > fused.letters.find(inner))
    return false;
  for (bool isSwapped : {false, true}) {
    auto before =
        stripCasts(sum->getOperand(isSwapped)).getDefiningOp<arith::MulIOp>();
    if (!before || !isCoordinate(fused, sum->getOperand(!isSwapped), inner))
      continue;
    for (bool isLengthFirst : {false, true})
      if (isCoordinate(fused, before->getOperand(isLengthFirst), outer) &&
          isSize(group, fused, before->getOperand(!isLengthFirst), inner))
        return true;
  }
  return false;
}

/// The order in which the value numbers the elements of a matrix; none if it
/// does not.
static std::optional<Numbering>
findNumbering(const Group &group, const FusedOp &fused, Value value) {
  if (isMatrixIndex(group, fused, value, 'n'))
    return Numbering::Rows;
  if (isMatrixIndex(group, fused, value, 'm'))
    return Numbering::Columns;
  return std::nullopt;
}

std::optional<Numbering> raise::findNumbering(const Group &group) {
  for (const FusedOp &fused : group.fused)
    for (const Reduction &reduction : fused.reductions)
      if (reduction.index)
        if (auto numbering = ::findNumbering(group, fused, reduction.index))
          return numbering;
  return std::nullopt;
}

/// Returns why the kernel cannot number elements in this order, too; empty if
/// it can.
static std::string checkNumbering(const Group &group, Numbering numbering) {
  std::optional<Numbering> other = findNumbering(group);
  if (other && *other != numbering)
    return "it is a reduction to the number of an element, but another "
           "reduction of the kernel numbers them in the other order";
  if (numbering == Numbering::Columns && !canExchangeOperands(group))
    return "it is a reduction to the number of an element, column by column, "
           "but the kernel cannot compute the transpose";
  return "";
}

std::string raise::checkIndex(const Group &group, const FusedOp &fused,
                              StringRef kept) {
  std::string reduced;
  for (char letter : fused.letters)
    if (!kept.contains(letter))
      reduced += letter;
  for (const Reduction &reduction : fused.reductions) {
    if (!reduction.index)
      continue;
    if (StringRef(reduced).contains('b'))
      return "it is a reduction to an index of elements of several batches";
    if (reduced.size() == 1) {
      if (isCoordinate(fused, reduction.index, reduced.front()))
        continue;
      return "it is a reduction to an index that is not the coordinate of the "
             "only reduced dimension, converted to an integer";
    }
    auto numbering = ::findNumbering(group, fused, reduction.index);
    if (!numbering)
      return "it is a reduction to an index that is not the number of an "
             "element among all of a matrix in the order of the loops, the "
             "coordinate of the outer loop times the size of the inner one "
             "plus the coordinate of the inner one";
    if (std::string reason = checkNumbering(group, *numbering); !reason.empty())
      return reason;
  }
  return "";
}
