//===- Reference.h - Checking a kernel's results ----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the results of a device with a reference in double.
//
// The reference of an element is acc = Σ A·B in double, followed by the
// epilogue in EpilogueInterpreter. If both rows of A and B are integers with
// |a|·|b| (Euclidean norms) at most 2^24, every partial sum is exact in f32 in
// any order; if the epilogue does not round before its last operation either,
// the results must be equal. Otherwise the tolerance is
//
//   2 · spread + ulp(reference)
//
// where `spread` is the largest change of the result when acc changes by ± e,
// plus the largest change when the epilogue's roundings have their expected
// errors (see Perturbation), `ulp` is that of the output's type, and
//
//   e = 2^-23 · (16 + K/4) · s,   s = |a|·|b| / √K  for zero-mean random data,
//                                 s = |a|·|b|       for any other.
//
// Each step of four products loses at most one ulp of an f32 partial sum of
// typical size. Tensor cores round towards zero, so that their errors
// accumulate instead of cancelling. They do not normalize subnormal operands
// either. In |a| and |b|, a subnormal element therefore counts as the smallest
// normal number of its type. Elements with scales are scaled there.
//
// Infinities and NaN must follow IEEE 754: a result is NaN if a term or the
// epilogue produces NaN, and infinities have their sign. Exact zeros must have
// the right sign, too; sums start from +0. If a sum of finite terms overflows
// in f32, or a result is near the largest finite number, every result that some
// order of the terms or some rounding produces is right. Subnormal numbers are
// not flushed. An element that still has the initial poison of outputs is
// always wrong.
//
// Functions of A's or B's elements are evaluated first. Where the device may
// round an element otherwise, d_A and d_B are the norms of the possible
// differences, and e grows by d_A·|b| + |a|·d_B + d_A·d_B.
//
// Problems of up to `maxWork` multiplications are computed completely. For
// larger ones, whole rows and columns are sampled. If the epilogue only rounds
// the accumulator, and no operand has infinities or NaN, Freivalds' check also
// covers every element: D·x against A·(B·x) for random signs x, within eight
// standard deviations of the roundings.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_REFERENCE_H
#define TCGEMM_RUNTIME_REFERENCE_H

#include "tcgemm/Runtime/HostTensor.h"
#include "tcgemm/Target/Manifest.h"

#include <array>

namespace tcgemm {

/// An operand in host memory: the data that an input had, or that the kernel
/// wrote to an output.
struct OperandView {
  const OperandInfo *info = nullptr;
  const uint8_t *data = nullptr; ///< Element 0; null for scalars.
  StridedShape shape;
  double scalar = 0;
  /// The scales and the zero points of blocks of A or B.
  const OperandView *scales = nullptr, *zeroPoints = nullptr;
  /// How much the device's elements may differ from `data`, by their offsets;
  /// null if they are equal.
  const float *deviations = nullptr;
  /// The sizes of the problem. With several outer dimensions they say which
  /// product a linear index means.
  ProblemSizes sizes = makeSizes(1, 1, 1);

  /// The stride of `dim` in elements; 0 if the operand does not have it.
  int64_t getStride(Dim dim) const;
  /// The offset in elements of the product with the linear index `batch`.
  int64_t getBatchOffset(int64_t batch) const;
  /// The scale of element (`row`, `k`) of A or of column `row` of B; 1 without
  /// scales.
  double getScale(int64_t batch, int64_t row, int64_t k) const;
  /// The zero point of that element; 0 without zero points.
  double getZeroPoint(int64_t batch, int64_t row, int64_t k) const;
};

struct VerifyProblem {
  const KernelInfo *kernel = nullptr;
  ProblemSizes sizes{};
  std::vector<OperandView> operands; ///< One per operand of the kernel.
  bool isZeroMean = false;           ///< A and B are random with mean 0.

  /// Connects A and B with their scales and zero points, once all operands are
  /// there.
  void linkScales();
  /// The sizes of groups as they are in memory: the ends of groups, or their
  /// numbers of rows. The kernel must have groups.
  std::vector<int64_t> readGroupSizes() const;
};

/// The relative error of approximate math: `tanh.approx.f32` has 2^-11
/// according to PTX's manual, and other functions use it.
inline constexpr double kApproximateMathError = 0x1p-10;

struct VerifyOptions {
  bool compare = true;        ///< If false, kernels run without a check.
  double maxWork = 4e10;      ///< Maximum multiplications of a complete check.
  double sampleWork = 1e10;   ///< Maximum multiplications of a sampled check.
  double mathError = 0x1p-20; ///< Accepted relative error of math operations.
  uint64_t seed = 1;          ///< Chooses samples and Freivalds' vectors.
};

struct Mismatch {
  unsigned output = 0; ///< Index among the outputs.
  int64_t b = 0, m = 0, n = 0;
  double actual = 0, expected = 0, tolerance = 0;
};

struct VerifyReport {
  /// The greatest number of mismatches that are listed.
  static constexpr size_t kMaxMismatches = 8;

  bool passed = false;
  /// `float64`, `sampled`, `sampled + Freivalds`.
  std::string method;
  int64_t numElements = 0; ///< Elements of all outputs.
  int64_t numChecked = 0;  ///< Elements that were compared one by one.
  int64_t numExact = 0;    ///< Elements that were compared by equality.
  int64_t numWrong = 0;
  int64_t numNaN = 0;       ///< NaN among all elements.
  int64_t numDueNaN = 0;    ///< Compared elements that must be NaN.
  int64_t numUnwritten = 0; ///< Elements with the initial poison.
  double maxError = 0;      ///< Largest |actual - expected|.
  double maxRatio = 0;      ///< Largest error over its tolerance.
  /// Freivalds' largest residue over its bound; negative if not done.
  double freivalds = -1;
  std::vector<Mismatch> mismatches; ///< The first few.

  /// Adds the counts, errors and mismatches of a part of the elements.
  void add(const VerifyReport &part);

  /// One line that states the checks, or the first defect.
  std::string summarize() const;
};

/// Checks every output. Errors: an operation of the epilogue is unknown, so
/// that no check is possible.
llvm::Expected<VerifyReport> verifyResults(const VerifyProblem &problem,
                                           const VerifyOptions &options);

/// acc[i * columns.size() + j] = Σ_k A(b, rows[i], k) · B(b, k, columns[j]),
/// the sum of each block of k scaled if A or B has scales, and the squared
/// norms of the finite elements of the rows of A and the columns of B, and
/// whether all elements are integers that the device has, too. The squared
/// norms of the elements' deviations are zero without such.
struct AccumulatorBlock {
  std::vector<double> acc;
  /// Squared norms, which may overflow in double.
  std::vector<long double> rowNorms, columnNorms;
  std::vector<long double> rowDeviations, columnDeviations;
  std::vector<uint8_t> rowIsInteger, columnIsInteger;

  /// The bound of a sum's change by the deviations of A's and B's elements.
  double getDeviation(int64_t row, int64_t column) const;
};
void computeAccumulators(const OperandView &a, const OperandView &b,
                         int64_t batch, int64_t k, llvm::ArrayRef<int64_t> rows,
                         llvm::ArrayRef<int64_t> columns,
                         AccumulatorBlock &block, const Algebra &algebra = {});

/// Freivalds' check of a problem whose only output is the rounded accumulator.
/// Returns the largest ratio of a residue to its bound; at most 1 is right.
double checkFreivalds(const VerifyProblem &problem, uint64_t seed);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_REFERENCE_H
