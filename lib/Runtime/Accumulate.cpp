//===- Accumulate.cpp - Matrix products in double on the host -------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of a reference: blocks of any rows and columns are packed to
// double and multiplied by a small vector kernel, which is compiled twice: for
// any x86-64 and for AVX2. Sums of f64 are computed with more precision.
//
//===----------------------------------------------------------------------===//

#include "AlgebraReference.h"
#include "tcgemm/Runtime/Reference.h"
#include "tcgemm/Target/Precision.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace tcgemm;

namespace {

constexpr int64_t kDepth = 256; ///< Elements of k in a packed panel.
constexpr int64_t kWidth = 8;   ///< Columns of the inner kernel.
constexpr int64_t kHeight = 4;  ///< Rows of the inner kernel.

using Vector = double __attribute__((vector_size(32)));

/// acc[kHeight][kWidth] += a · b over `depth`; a is [row][kDepth], b is
/// [k][kWidth].
inline __attribute__((always_inline)) void
multiplyInner(int64_t depth, const double *a, const double *b, double *acc,
              int64_t accStride) {
  Vector sum[kHeight][2];
  for (int64_t i = 0; i != kHeight; ++i)
    for (int64_t j = 0; j != 2; ++j)
      __builtin_memcpy(&sum[i][j], acc + i * accStride + j * 4, sizeof(Vector));
  for (int64_t k = 0; k < depth; ++k) {
    Vector b0, b1;
    __builtin_memcpy(&b0, b + k * kWidth, sizeof(Vector));
    __builtin_memcpy(&b1, b + k * kWidth + 4, sizeof(Vector));
    for (int64_t i = 0; i != kHeight; ++i) {
      double x = a[i * kDepth + k];
      Vector broadcast = {x, x, x, x};
      sum[i][0] += broadcast * b0;
      sum[i][1] += broadcast * b1;
    }
  }
  for (int64_t i = 0; i != kHeight; ++i)
    for (int64_t j = 0; j != 2; ++j)
      __builtin_memcpy(acc + i * accStride + j * 4, &sum[i][j], sizeof(Vector));
}

void multiplyGeneric(int64_t depth, const double *a, const double *b,
                     double *acc, int64_t accStride) {
  multiplyInner(depth, a, b, acc, accStride);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void
multiplyAVX2(int64_t depth, const double *a, const double *b, double *acc,
             int64_t accStride) {
  multiplyInner(depth, a, b, acc, accStride);
}
#endif

template <typename Sum>
using MultiplyFunction = void (*)(int64_t, const double *, const double *,
                                  Sum *, int64_t);

/// The same in long double, which has 11 bits more than double on x86-64.
void multiplyExtended(int64_t depth, const double *a, const double *b,
                      long double *acc, int64_t accStride) {
  for (int64_t i = 0; i != kHeight; ++i)
    for (int64_t j = 0; j != kWidth; ++j) {
      long double sum = acc[i * accStride + j];
      for (int64_t k = 0; k < depth; ++k)
        sum += static_cast<long double>(a[i * kDepth + k]) * b[k * kWidth + j];
      acc[i * accStride + j] = sum;
    }
}

MultiplyFunction<double> chooseMultiply() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return multiplyAVX2;
#endif
  return multiplyGeneric;
}

/// The square of an element for the error bound. Tensor cores do not normalize
/// subnormal operands: they align and truncate products as if each factor were
/// at least the smallest normal number.
long double squareForBound(double value, double smallestNormal) {
  if (value == 0)
    return 0;
  long double size = std::max(std::fabs(value), smallestNormal);
  return size * size;
}

/// Decodes `depth` elements of one row (or column), starting at `offset`, and
/// adds the finite elements, times `scale`, to the norm, and their deviations
/// to that of deviations. `zeroPoint` is subtracted from all elements.
void packLine(const OperandView &view, int64_t offset, int64_t stride,
              int64_t depth, double scale, double zeroPoint, double *line,
              long double &norm, long double &deviations, uint8_t &isInteger) {
  decodeRun(view.info->type, view.data, offset, stride, depth, line);
  for (int64_t k = 0; zeroPoint != 0 && k < depth; ++k)
    line[k] -= zeroPoint;
  double smallest = getSmallestNormal(view.info->type);
  long double sum = 0;
  bool integer = scale == std::nearbyint(scale);
  for (int64_t k = 0; k < depth; ++k) {
    bool isFinite = std::isfinite(line[k]);
    sum += isFinite ? squareForBound(line[k], smallest) : 0;
    integer &= isFinite && line[k] == std::nearbyint(line[k]);
  }
  norm += std::isfinite(scale) ? sum * scale * scale : 0;
  isInteger &= integer;
  for (int64_t k = 0; view.deviations && k < depth; ++k) {
    long double deviation = view.deviations[offset + k * stride];
    deviations += deviation * deviation;
    isInteger &= deviation == 0;
  }
}

} // namespace

int64_t OperandView::getStride(Dim dim) const {
  for (size_t i = 0; i != info->dims.size(); ++i)
    if (info->dims[i] == dim)
      return shape.strides[i];
  return 0;
}

int64_t OperandView::getBatchOffset(int64_t batch) const {
  int64_t offset = 0;
  for (unsigned d = kNumDims; --d > unsigned(Dim::Batch);) {
    offset += batch % sizes[d] * getStride(Dim(d));
    batch /= sizes[d];
  }
  return offset + batch * getStride(Dim::Batch);
}

/// The element of `view`, the scales or zero points of A or B, for an element
/// of that.
static double loadOfBlock(const OperandView &view, int64_t batch, int64_t row,
                          int64_t k) {
  const OperandInfo &info = *view.info;
  Dim side = info.getScales()->dims[0] == 'm' ? Dim::M : Dim::N;
  int64_t offset = view.getBatchOffset(batch) +
                   row / info.getBlock(side) * view.getStride(side) +
                   k / info.getBlock(Dim::K) * view.getStride(Dim::K);
  return loadElement(info.type, view.data + offset * getByteSize(info.type));
}

double OperandView::getScale(int64_t batch, int64_t row, int64_t k) const {
  return scales ? loadOfBlock(*scales, batch, row, k) : 1;
}

double OperandView::getZeroPoint(int64_t batch, int64_t row, int64_t k) const {
  return zeroPoints ? loadOfBlock(*zeroPoints, batch, row, k) : 0;
}

void VerifyProblem::linkScales() {
  for (OperandView &matrix : operands)
    for (const OperandView &view : operands) {
      const BlockScales *scales = view.info->getScales();
      OperandUse use = scales && scales->matrix == kBlockScales[0].matrix
                           ? OperandUse::A
                           : OperandUse::B;
      if (!scales || matrix.info->role != use)
        continue;
      (scales->isZeroPoint ? matrix.zeroPoints : matrix.scales) = &view;
    }
}

/// Adds the sums of one block of k, times the scales of their rows and columns.
/// Kernels multiply the scales in f32, where the product may be infinite.
template <typename Sum>
static void
addScaled(llvm::ArrayRef<double> rowScales, llvm::ArrayRef<double> columnScales,
          llvm::ArrayRef<Sum> part, int64_t width, std::vector<Sum> &acc) {
  for (auto [i, ofRow] : llvm::enumerate(rowScales))
    for (auto [j, ofColumn] : llvm::enumerate(columnScales))
      acc[i * width + j] +=
          part[i * width + j] * static_cast<float>(ofRow * ofColumn);
}

static void clearNorms(AccumulatorBlock &block, int64_t numRows,
                       int64_t numColumns) {
  block.rowNorms.assign(numRows, 0);
  block.columnNorms.assign(numColumns, 0);
  block.rowDeviations.assign(numRows, 0);
  block.columnDeviations.assign(numColumns, 0);
  block.rowIsInteger.assign(numRows, 1);
  block.columnIsInteger.assign(numColumns, 1);
}

/// The elements along k that are added before they are scaled. Both operands
/// have scales of FP8, or one of them has groups.
static int64_t getStep(const OperandView &a, const OperandView &b) {
  int64_t step = kDepth;
  for (const OperandView *view : {a.scales, b.scales})
    if (view)
      step = std::min(step, view->info->getBlock(Dim::K));
  return step;
}

template <typename Sum>
static void computeBlock(const OperandView &a, const OperandView &b,
                         int64_t batch, int64_t k, llvm::ArrayRef<int64_t> rows,
                         llvm::ArrayRef<int64_t> columns,
                         AccumulatorBlock &block,
                         MultiplyFunction<Sum> multiply) {
  int64_t numRows = rows.size(), numColumns = columns.size();
  int64_t height = (numRows + kHeight - 1) / kHeight * kHeight;
  int64_t width = (numColumns + kWidth - 1) / kWidth * kWidth;
  std::vector<Sum> acc(height * width), part;
  // Sums of a block with scales are scaled as a whole, as kernels do.
  bool isScaled = a.scales || b.scales;
  std::vector<double> rowScales(numRows, 1), columnScales(numColumns, 1);
  std::vector<double> line(kDepth), packedA(height * kDepth),
      packedB(width * kDepth);
  clearNorms(block, numRows, numColumns);
  int64_t aBatch = a.getBatchOffset(batch);
  int64_t bBatch = b.getBatchOffset(batch);
  int64_t aStride = a.getStride(Dim::K), bStride = b.getStride(Dim::K);
  const int64_t step = getStep(a, b);
  for (int64_t k0 = 0; k0 < k; k0 += step) {
    int64_t depth = std::min(step, k - k0);
    for (int64_t i = 0; i != numRows; ++i) {
      rowScales[i] = a.getScale(batch, rows[i], k0);
      packLine(a, aBatch + rows[i] * a.getStride(Dim::M) + k0 * aStride,
               aStride, depth, rowScales[i], a.getZeroPoint(batch, rows[i], k0),
               packedA.data() + i * kDepth, block.rowNorms[i],
               block.rowDeviations[i], block.rowIsInteger[i]);
    }
    for (int64_t j = 0; j != numColumns; ++j) {
      columnScales[j] = b.getScale(batch, columns[j], k0);
      packLine(b, bBatch + columns[j] * b.getStride(Dim::N) + k0 * bStride,
               bStride, depth, columnScales[j],
               b.getZeroPoint(batch, columns[j], k0), line.data(),
               block.columnNorms[j], block.columnDeviations[j],
               block.columnIsInteger[j]);
      double *panel =
          packedB.data() + j / kWidth * kWidth * kDepth + j % kWidth;
      for (int64_t i = 0; i != depth; ++i)
        panel[i * kWidth] = line[i];
    }
    if (isScaled)
      part.assign(height * width, 0);
    std::vector<Sum> &target = isScaled ? part : acc;
    for (int64_t i = 0; i < height; i += kHeight)
      for (int64_t j = 0; j < width; j += kWidth)
        multiply(depth, packedA.data() + i * kDepth,
                 packedB.data() + j * kDepth, target.data() + i * width + j,
                 width);
    if (isScaled)
      addScaled<Sum>(rowScales, columnScales, part, width, acc);
  }
  block.acc.resize(numRows * numColumns);
  for (int64_t i = 0; i != numRows; ++i)
    for (int64_t j = 0; j != numColumns; ++j)
      block.acc[i * numColumns + j] = static_cast<double>(acc[i * width + j]);
}

void tcgemm::computeAccumulators(const OperandView &a, const OperandView &b,
                                 int64_t batch, int64_t k,
                                 llvm::ArrayRef<int64_t> rows,
                                 llvm::ArrayRef<int64_t> columns,
                                 AccumulatorBlock &block,
                                 const Algebra &algebra) {
  if (!algebra.isDefault() || a.info->type == ScalarType::I32)
    return reduceInAlgebra(a, b, batch, k, rows, columns, block, algebra);
  if (a.info->type == ScalarType::F64)
    computeBlock<long double>(a, b, batch, k, rows, columns, block,
                              multiplyExtended);
  else
    computeBlock<double>(a, b, batch, k, rows, columns, block,
                         chooseMultiply());
}

//===----------------------------------------------------------------------===//
// Freivalds' check
//===----------------------------------------------------------------------===//

/// Computes result[i] = Σ_j matrix(i, j) · x[j] for one batch, and norms[i],
/// the squared norm of row i, by squareForBound.
template <typename Sum>
static void multiplyVector(const OperandView &view, int64_t base, Dim rowDim,
                           int64_t numRows, Dim columnDim, int64_t numColumns,
                           llvm::ArrayRef<Sum> x, std::vector<Sum> &result,
                           std::vector<double> &norms) {
  constexpr int64_t kChunk = 64, kRun = 4096;
  int64_t rowStride = view.getStride(rowDim);
  int64_t columnStride = view.getStride(columnDim);
  double smallest = getSmallestNormal(view.info->type);
  result.assign(numRows, 0);
  norms.assign(numRows, 0);
  parallelFor((numRows + kChunk - 1) / kChunk, [&](int64_t chunk) {
    int64_t first = chunk * kChunk;
    int64_t count = std::min(kChunk, numRows - first);
    std::vector<double> line(kRun);
    if (columnStride == 1) {
      for (int64_t i = first; i != first + count; ++i)
        for (int64_t j = 0; j < numColumns; j += kRun) {
          int64_t run = std::min(kRun, numColumns - j);
          decodeRun(view.info->type, view.data, base + i * rowStride + j, 1,
                    run, line.data());
          for (int64_t r = 0; r != run; ++r) {
            result[i] += line[r] * x[j + r];
            norms[i] += static_cast<double>(squareForBound(line[r], smallest));
          }
        }
      return;
    }
    // Columns are contiguous: traverse them, a chunk at a time.
    for (int64_t j = 0; j != numColumns; ++j) {
      decodeRun(view.info->type, view.data,
                base + first * rowStride + j * columnStride, rowStride, count,
                line.data());
      for (int64_t r = 0; r != count; ++r) {
        result[first + r] += line[r] * x[j];
        norms[first + r] +=
            static_cast<double>(squareForBound(line[r], smallest));
      }
    }
  });
}

/// The first operand with this use; every kernel has one.
static const OperandView &findView(const VerifyProblem &problem,
                                   OperandUse use) {
  return *llvm::find_if(problem.operands, [&](const OperandView &view) {
    return view.info->role == use;
  });
}

/// The check with vectors of type `Sum`, whose sums must be more precise than
/// the kernel's.
template <typename Sum>
static double checkWithVectors(const VerifyProblem &problem, uint64_t seed) {
  const OperandView &a = findView(problem, OperandUse::A),
                    &b = findView(problem, OperandUse::B),
                    &d = findView(problem, OperandUse::Output);
  int64_t m = problem.sizes[unsigned(Dim::M)];
  int64_t n = problem.sizes[unsigned(Dim::N)];
  int64_t k = problem.sizes[unsigned(Dim::K)];
  // The bound of one rounding is half an ulp relative to the value. With a
  // uniform distribution, the standard deviation is the bound over √3.
  double rounding = getUlp(d.info->type, 1.0) / 2;
  double factor = getSumError(a.info->type, b.info->type,
                              problem.kernel->epilogue.ops.front().type, k);
  double worst = 0;
  std::vector<Sum> x(n), y, product, actual;
  std::vector<double> norms, rowNorms, actualNorms;
  for (int64_t batch = 0; batch != countProducts(problem.sizes); ++batch) {
    for (int64_t j = 0; j != n; ++j)
      x[j] = mixSeed(seed + batch, j) & 1 ? 1 : -1;
    multiplyVector<Sum>(b, b.getBatchOffset(batch), Dim::K, k, Dim::N, n, x, y,
                        norms);
    double totalB = 0;
    for (double norm : norms)
      totalB += norm;
    multiplyVector<Sum>(a, a.getBatchOffset(batch), Dim::M, m, Dim::K, k, y,
                        product, rowNorms);
    multiplyVector<Sum>(d, d.getBatchOffset(batch), Dim::M, m, Dim::N, n, x,
                        actual, actualNorms);
    for (int64_t i = 0; i != m; ++i) {
      // |a|·|B|_F bounds the norm of the row's errors.
      double typical = std::sqrt(rowNorms[i] * totalB);
      if (problem.isZeroMean && k != 0)
        typical /= std::sqrt(static_cast<double>(k));
      double accumulation = factor * typical;
      double bound = 8 * rounding * std::sqrt(actualNorms[i] / 3) +
                     4 * accumulation + 0x1p-126;
      auto ratio =
          static_cast<double>(std::fabs(actual[i] - product[i]) / bound);
      // Written so that a NaN counts as wrong.
      if (!(ratio <= worst))
        worst = std::isnan(ratio) ? HUGE_VAL : ratio;
    }
  }
  return worst;
}

double tcgemm::checkFreivalds(const VerifyProblem &problem, uint64_t seed) {
  ScalarType sum = problem.kernel->epilogue.ops.front().type;
  return sum == ScalarType::F64 ? checkWithVectors<long double>(problem, seed)
                                : checkWithVectors<double>(problem, seed);
}

double AccumulatorBlock::getDeviation(int64_t row, int64_t column) const {
  long double ofRow = rowDeviations[row], ofColumn = columnDeviations[column];
  if (ofRow == 0 && ofColumn == 0)
    return 0;
  return static_cast<double>(std::sqrt(ofRow * columnNorms[column]) +
                             std::sqrt(ofColumn * rowNorms[row]) +
                             std::sqrt(ofRow * ofColumn));
}
