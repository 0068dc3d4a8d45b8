//===- AlgebraReference.cpp - Results of other algebras -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlgebraReference.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <type_traits>

using namespace tcgemm;

namespace {
using Op = AlgebraOperation;

/// Reduces `start` and the combinations of `k` elements.
template <typename T>
using LineFunction = T (*)(int64_t k, const T *a, const T *b, T start);

/// An operation on two f32 in double is rounded to f32 as if it had been
/// computed so.
template <typename T, Op operation> T apply(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return applyIntegerAlgebra(operation, x, y);
  else
    return static_cast<T>(applyAlgebra(operation, x, y));
}

template <typename T, Op reduce, Op combine>
T reduceLine(int64_t k, const T *a, const T *b, T start) {
  T result = start;
  for (int64_t i = 0; i != k; ++i)
    result = apply<T, reduce>(result, apply<T, combine>(a[i], b[i]));
  return result;
}

template <typename T> struct LineRow {
  Algebra algebra;
  LineFunction<T> function;
};

template <typename T, Op reduce, Op... combine>
void addRows(std::vector<LineRow<T>> &rows) {
  (rows.push_back({{reduce, combine}, reduceLine<T, reduce, combine>}), ...);
}

/// A row for each pair of the operations.
template <typename T, Op... operations> std::vector<LineRow<T>> makeRows() {
  std::vector<LineRow<T>> rows;
  (addRows<T, operations, operations...>(rows), ...);
  return rows;
}

/// The rows of the algebras that sums of the type can have.
template <typename T> const std::vector<LineRow<T>> &getRows() {
  static const std::vector<LineRow<T>> rows =
      makeRows<T, Op::Times, Op::Plus, Op::Max, Op::Min, Op::MaxNum,
               Op::MinNum>();
  return rows;
}
template <> const std::vector<LineRow<int32_t>> &getRows<int32_t>() {
  static const std::vector<LineRow<int32_t>> rows =
      makeRows<int32_t, Op::Times, Op::Plus, Op::Max, Op::Min, Op::MaxUnsigned,
               Op::MinUnsigned, Op::And, Op::Or, Op::Xor>();
  return rows;
}

void decodeLine(ScalarType type, const uint8_t *data, int64_t offset,
                int64_t stride, int64_t count, int32_t *result) {
  std::vector<double> values(count);
  decodeRun(type, data, offset, stride, count, values.data());
  for (int64_t i = 0; i != count; ++i)
    result[i] = static_cast<int32_t>(values[i]);
}
template <typename T>
void decodeLine(ScalarType type, const uint8_t *data, int64_t offset,
                int64_t stride, int64_t count, T *result) {
  decodeRun(type, data, offset, stride, count, result);
}

template <typename T>
std::vector<T> decodeLines(const OperandView &view, int64_t batch, int64_t k,
                           Dim side, llvm::ArrayRef<int64_t> indices) {
  std::vector<T> lines(indices.size() * k);
  for (auto [i, index] : llvm::enumerate(indices))
    decodeLine(view.info->type, view.data,
               view.getBatchOffset(batch) + index * view.getStride(side),
               view.getStride(Dim::K), k, lines.data() + i * k);
  return lines;
}

template <typename T>
void reduceBlock(const OperandView &a, const OperandView &b, int64_t batch,
                 int64_t k, llvm::ArrayRef<int64_t> rows,
                 llvm::ArrayRef<int64_t> columns, const Algebra &algebra,
                 std::vector<double> &results) {
  auto ofA = decodeLines<T>(a, batch, k, Dim::M, rows);
  auto ofB = decodeLines<T>(b, batch, k, Dim::N, columns);
  auto line = llvm::find_if(getRows<T>(), [&](const LineRow<T> &row) {
    return row.algebra == algebra;
  });
  ScalarConstant neutral = algebra.getNeutral(
      std::is_integral_v<T> ? ScalarType::I32 : ScalarType::F64);
  auto start = std::visit(
      [](auto value) {
        if constexpr (std::is_same_v<decltype(value), std::monostate>)
          return T();
        else
          return static_cast<T>(value);
      },
      neutral);
  size_t width = columns.size();
  // An algebra without a row is found by its wrong results.
  results.assign(rows.size() * width, NAN);
  if (line == getRows<T>().end())
    return;
  for (size_t i = 0; i != rows.size(); ++i)
    for (size_t j = 0; j != width; ++j)
      results[i * width + j] =
          line->function(k, ofA.data() + i * k, ofB.data() + j * k, start);
}
} // namespace

void tcgemm::reduceInAlgebra(const OperandView &a, const OperandView &b,
                             int64_t batch, int64_t k,
                             llvm::ArrayRef<int64_t> rows,
                             llvm::ArrayRef<int64_t> columns,
                             AccumulatorBlock &block, const Algebra &algebra) {
  block.rowNorms.assign(rows.size(), 0);
  block.columnNorms.assign(columns.size(), 0);
  block.rowDeviations.assign(rows.size(), 0);
  block.columnDeviations.assign(columns.size(), 0);
  block.rowIsInteger.assign(rows.size(), 1);
  block.columnIsInteger.assign(columns.size(), 1);
  if (a.info->type == ScalarType::F64)
    reduceBlock<double>(a, b, batch, k, rows, columns, algebra, block.acc);
  else if (!isFloatType(a.info->type))
    reduceBlock<int32_t>(a, b, batch, k, rows, columns, algebra, block.acc);
  else
    reduceBlock<float>(a, b, batch, k, rows, columns, algebra, block.acc);
}
