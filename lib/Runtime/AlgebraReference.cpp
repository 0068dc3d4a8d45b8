//===- AlgebraReference.cpp - Results of other algebras -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlgebraReference.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <iterator>

using namespace tcgemm;

namespace {
using Op = AlgebraOperation;

/// Reduces `start` and the combinations of `k` elements.
template <typename T>
using LineFunction = T (*)(int64_t k, const T *a, const T *b, T start);

/// A sum of two f32 in double is rounded to f32 as if it had been computed so.
template <typename T, Op reduce, Op combine>
T reduceLine(int64_t k, const T *a, const T *b, T start) {
  T result = start;
  for (int64_t i = 0; i != k; ++i)
    result = static_cast<T>(applyAlgebra(
        reduce, result, static_cast<T>(applyAlgebra(combine, a[i], b[i]))));
  return result;
}

template <typename T> struct LineRow {
  Algebra algebra;
  LineFunction<T> function;
};

template <typename T, Op reduce, Op combine> constexpr LineRow<T> makeRow() {
  return {{reduce, combine}, reduceLine<T, reduce, combine>};
}

/// One row for each algebra that products can have.
template <typename T>
constexpr LineRow<T> kLines[] = {
    makeRow<T, Op::Plus, Op::Times>(),    makeRow<T, Op::Max, Op::Plus>(),
    makeRow<T, Op::Min, Op::Plus>(),      makeRow<T, Op::Max, Op::Min>(),
    makeRow<T, Op::Min, Op::Max>(),       makeRow<T, Op::MaxNum, Op::Plus>(),
    makeRow<T, Op::MinNum, Op::Plus>(),   makeRow<T, Op::MaxNum, Op::MinNum>(),
    makeRow<T, Op::MinNum, Op::MaxNum>(),
};

template <typename T>
std::vector<T> decodeLines(const OperandView &view, int64_t batch, int64_t k,
                           Dim side, llvm::ArrayRef<int64_t> indices) {
  std::vector<T> lines(indices.size() * k);
  for (auto [i, index] : llvm::enumerate(indices))
    decodeRun(view.info->type, view.data,
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
  const auto *line = llvm::find_if(
      kLines<T>, [&](const LineRow<T> &row) { return row.algebra == algebra; });
  auto start = static_cast<T>(algebra.getNeutral());
  size_t width = columns.size();
  // An algebra without a row is found by its wrong results.
  results.assign(rows.size() * width, NAN);
  if (line == std::end(kLines<T>))
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
  else
    reduceBlock<float>(a, b, batch, k, rows, columns, algebra, block.acc);
}
