//===- ElementFunctions.cpp - Operands as they are multiplied -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementFunctions.h"

#include "tcgemm/Runtime/Epilogue.h"
#include "tcgemm/Target/Precision.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tcgemm;

namespace {
/// Evaluates the function of one operand, row by row of its memory.
class RowEvaluator {
public:
  RowEvaluator(const VerifyProblem &problem, const OperandView &view,
               const EpilogueInterpreter &interpreter,
               const VerifyOptions &options)
      : view(view), interpreter(interpreter), options(options),
        type(getBufferType(view.info->type)) {
    for (const OperandView &operand : problem.operands)
      if (operand.info->role == OperandUse::Input ||
          operand.info->role == OperandUse::Scalar)
        inputs.push_back(&operand);
  }

  /// Evaluates row number `row`, in row-major order. `deviations` may be empty;
  /// then the result says whether there are any.
  bool evaluate(int64_t row, uint8_t *data, std::vector<float> &deviations);

private:
  std::vector<double> load(const OperandView &input,
                           llvm::ArrayRef<int64_t> index) const;
  void findDeviations(const EpilogueRun &run, llvm::ArrayRef<double> expected,
                      float *deviations) const;

  const OperandView &view;
  const EpilogueInterpreter &interpreter;
  const VerifyOptions &options;
  ScalarType type; // of the elements in memory
  std::vector<const OperandView *> inputs;
};
} // namespace

/// The input's value for each element of the row with these coordinates.
std::vector<double> RowEvaluator::load(const OperandView &input,
                                       llvm::ArrayRef<int64_t> index) const {
  std::vector<double> values(view.shape.getRowSize());
  if (input.info->role == OperandUse::Scalar) {
    // A device receives the scalar in the operand's type.
    uint64_t bits = 0;
    storeElement(input.info->type, input.scalar, &bits);
    llvm::fill(values, loadElement(input.info->type, &bits));
    return values;
  }
  int64_t offset = 0;
  for (auto [dim, coordinate] : llvm::zip(view.info->dims, index))
    offset += coordinate * input.getStride(dim);
  int64_t step = input.getStride(view.info->dims.back());
  for (auto [i, value] : llvm::enumerate(values))
    value = loadElement(input.info->type, input.data,
                        offset + static_cast<int64_t>(i) * step);
  return values;
}

/// Stores by how much errors of the operations change the results.
void RowEvaluator::findDeviations(const EpilogueRun &run,
                                  llvm::ArrayRef<double> expected,
                                  float *deviations) const {
  constexpr unsigned kNumPatterns = 8;
  constexpr double kLargest = std::numeric_limits<float>::max();
  std::vector<std::vector<double>> moved;
  for (unsigned pattern = 0; pattern != kNumPatterns; ++pattern) {
    Perturbation perturbation;
    perturbation.pattern = pattern;
    perturbation.math = options.mathError;
    interpreter.evaluate(run, &perturbation, moved, nullptr);
    for (int64_t i = 0; i != run.count; ++i) {
      double change = 2 * std::fabs(moved[0][i] - expected[i]);
      if (change == 0 || !std::isfinite(expected[i]))
        continue;
      // The device's result may be infinite.
      change = std::isfinite(change) ? std::min(change, kLargest) : kLargest;
      deviations[i] = std::max(deviations[i], static_cast<float>(change));
    }
  }
}

bool RowEvaluator::evaluate(int64_t row, uint8_t *data,
                            std::vector<float> &deviations) {
  const StridedShape &shape = view.shape;
  int64_t count = shape.getRowSize(), rest = row, offset = 0;
  std::vector<int64_t> index(shape.getRank(), 0);
  for (size_t dim = shape.getRank() - 1; dim-- > 0;) {
    index[dim] = rest % shape.sizes[dim];
    rest /= shape.sizes[dim];
    offset += index[dim] * shape.strides[dim];
  }
  std::vector<std::vector<double>> arguments(1 + inputs.size()), results;
  arguments[0].resize(count);
  decodeRun(type, view.data, offset, shape.getRowStride(), count,
            arguments[0].data());
  for (auto [i, input] : llvm::enumerate(inputs))
    arguments[i + 1] = load(*input, index);
  EpilogueRun run;
  run.count = count;
  for (const std::vector<double> &values : arguments)
    run.arguments.push_back(values.data());
  std::vector<uint8_t> inexact;
  interpreter.evaluate(run, nullptr, results, &inexact);
  for (int64_t i = 0; i != count; ++i)
    storeElement(type, results[0][i], data, row * count + i);
  bool isInexact = llvm::is_contained(inexact, 1);
  if (isInexact && !deviations.empty())
    findDeviations(run, results[0], deviations.data() + row * count);
  return isInexact;
}

llvm::Error MultipliedProblem::evaluate(OperandView &view, unsigned operand,
                                        const VerifyOptions &options) {
  llvm::Expected<EpilogueInterpreter> interpreter =
      EpilogueInterpreter::createTransform(*problem.kernel, operand);
  if (!interpreter)
    return interpreter.takeError();
  Matrix &matrix = matrices[operand];
  const StridedShape &shape = view.shape;
  int64_t elements = shape.getNumElements();
  matrix.data.resize(elements * getByteSize(getBufferType(view.info->type)));
  RowEvaluator evaluator(problem, view, *interpreter, options);
  int64_t rows = elements == 0 ? 0 : elements / shape.getRowSize();
  std::vector<uint8_t> isInexact(rows, 0);
  parallelFor(rows, [&](int64_t row) {
    isInexact[row] =
        evaluator.evaluate(row, matrix.data.data(), matrix.deviations);
  });
  if (llvm::is_contained(isInexact, 1)) {
    matrix.deviations.resize(elements, 0);
    parallelFor(rows, [&](int64_t row) {
      if (isInexact[row])
        evaluator.evaluate(row, matrix.data.data(), matrix.deviations);
    });
    view.deviations = matrix.deviations.data();
  }
  view.shape = StridedShape::rowMajor(shape.sizes);
  view.data = matrix.data.data();
  return llvm::Error::success();
}

/// Writes the matrix A of a convolution, M x K.
void MultipliedProblem::unfold(OperandView &view) {
  const Convolution &convolution = *view.info->convolution;
  int64_t m = problem.sizes[unsigned(Dim::M)];
  int64_t k = convolution.getDepth();
  unsigned bytes = getByteSize(getBufferType(view.info->type));
  std::vector<uint8_t> &data = matrices[0].data;
  data.assign(m * k * bytes, 0);
  llvm::ArrayRef<int64_t> strides = view.shape.strides;
  parallelFor(m, [&](int64_t row) {
    for (int64_t column = 0; column != k; ++column) {
      ImagePlace place = convolution.locate(row, column);
      if (!convolution.isInside(place))
        continue;
      int64_t pixel = (place.image * convolution.image[0] + place.row) *
                          convolution.image[1] +
                      place.column;
      std::memcpy(data.data() + (row * k + column) * bytes,
                  view.data +
                      (pixel * strides[0] + place.channel * strides[1]) * bytes,
                  bytes);
    }
  });
  view.shape = StridedShape::rowMajor({m, k});
  view.data = data.data();
}

/// Makes the operand a dense array with the sizes of `shape`, whose strides,
/// but for the last one, are those in the operand's memory. `copyRow` gets the
/// number of a row, the offset of its first element in that memory, and where
/// to write its elements, which are zero.
static void
copyRows(OperandView &view, std::vector<uint8_t> &data,
         const StridedShape &shape,
         llvm::function_ref<void(int64_t row, int64_t offset, uint8_t *target)>
             copyRow) {
  int64_t bytes = getByteSize(getBufferType(view.info->type));
  int64_t elements = shape.getNumElements(), columns = shape.getRowSize();
  data.assign(elements * bytes, 0);
  parallelFor(elements == 0 ? 0 : elements / columns, [&](int64_t row) {
    int64_t rest = row, offset = 0;
    for (size_t dim = shape.getRank() - 1; dim-- > 0;) {
      offset += rest % shape.sizes[dim] * shape.strides[dim];
      rest /= shape.sizes[dim];
    }
    copyRow(row, offset, data.data() + row * columns * bytes);
  });
  view.shape = StridedShape::rowMajor(shape.sizes);
  view.data = data.data();
}

/// Writes an operand as a dense array of which k, the innermost dimension, has
/// the elements of `summed` and k.
void MultipliedProblem::joinDepth(OperandView &view, Dim summed,
                                  Matrix &matrix) {
  OperandInfo info = *view.info;
  llvm::erase(info.dims, Dim::K);
  llvm::erase(info.dims, summed);
  int64_t depth = problem.sizes[unsigned(Dim::K)];
  int64_t whole = problem.sizes[unsigned(summed)] * depth;
  StridedShape shape;
  for (Dim dim : info.dims) {
    shape.sizes.push_back(problem.sizes[unsigned(dim)]);
    shape.strides.push_back(view.getStride(dim));
  }
  shape.sizes.push_back(whole);
  shape.strides.push_back(1);
  int64_t bytes = getByteSize(getBufferType(info.type));
  int64_t strideOfSummed = view.getStride(summed);
  int64_t strideOfK = view.getStride(Dim::K);
  const uint8_t *source = view.data;
  copyRows(view, matrix.data, shape,
           [&](int64_t, int64_t offset, uint8_t *target) {
             for (int64_t i = 0; i != whole; ++i)
               std::memcpy(target + i * bytes,
                           source + (offset + i / depth * strideOfSummed +
                                     i % depth * strideOfK) *
                                        bytes,
                           bytes);
           });
  info.dims.push_back(Dim::K);
  joined.push_back(std::move(info));
  view.info = &joined.back();
}

void MultipliedProblem::joinDepth(Dim summed) {
  joined.reserve(matrices.size());
  for (OperandView &view : problem.operands)
    if (view.info->role == OperandUse::A || view.info->role == OperandUse::B)
      joinDepth(view, summed, matrices[view.info->role == OperandUse::B]);
  problem.sizes[unsigned(Dim::K)] *= problem.sizes[unsigned(summed)];
  problem.sizes[unsigned(summed)] = 1;
  for (OperandView &view : problem.operands)
    view.sizes = problem.sizes;
}

/// Copies an operand, with zeros outside its band. Rows and columns are its two
/// innermost dimensions.
void MultipliedProblem::mask(OperandView &view, unsigned operand) {
  const Band &band = *view.info->band;
  const StridedShape shape = view.shape;
  ScalarType type = getBufferType(view.info->type);
  unsigned bytes = getByteSize(type);
  int64_t columns = shape.getRowSize();
  int64_t rows = shape.sizes[shape.getRank() - 2];
  const uint8_t *source = view.data;
  copyRows(view, matrices[operand].data, shape,
           [&](int64_t number, int64_t offset, uint8_t *target) {
             int64_t row = number % rows;
             for (int64_t column = 0; column != columns; ++column) {
               if (band.isUnit && row == column)
                 storeElement(type, 1, target, column);
               else if (band.contains(row, column))
                 std::memcpy(target + column * bytes,
                             source + (offset + column * shape.getRowStride()) *
                                          bytes,
                             bytes);
             }
           });
}

/// Writes the blocks of the operand's numbers. A row in memory becomes as many
/// rows as a number has components.
void MultipliedProblem::represent(OperandView &view, Matrix &matrix) {
  const Representation &representation = *view.info->representation;
  ScalarType type = getBufferType(view.info->type);
  int64_t bytes = getByteSize(type), count = representation.getComponents();
  StridedShape shape = view.shape;
  const uint8_t *source = view.data;
  int64_t columns = shape.getRowSize(), step = shape.getRowStride();
  // Rows of the representation and those of the numbers, from the outermost.
  size_t rowDim = shape.getRank() - 2;
  shape.sizes[rowDim] *= count;
  std::vector<uint8_t> &data = matrix.data;
  int64_t rows = columns ? shape.getNumElements() / columns : 0;
  data.resize(rows * columns * bytes);
  std::vector<int64_t> offsets;
  view.shape.forEachRow([&](int64_t offset) { offsets.push_back(offset); });
  parallelFor(rows, [&](int64_t row) {
    unsigned blockRow = row % count;
    for (int64_t column = 0; column != columns; ++column) {
      unsigned blockColumn = column % count;
      int64_t from = offsets[row / count] +
                     (column - blockColumn +
                      representation.getComponent(blockRow, blockColumn)) *
                         step;
      double value = loadElement(type, source + from * bytes);
      storeElement(type,
                   representation.isNegated(blockRow, blockColumn) ? -value
                                                                   : value,
                   data.data() + row * columns * bytes, column);
    }
  });
  view.shape = StridedShape::rowMajor(shape.sizes);
  view.data = data.data();
}

llvm::Expected<MultipliedProblem>
MultipliedProblem::create(const VerifyProblem &problem,
                          const VerifyOptions &options) {
  MultipliedProblem result;
  result.problem = problem;
  if (std::optional<Dim> summed = problem.kernel->findSummedDim())
    result.joinDepth(*summed);
  for (OperandView &view : result.problem.operands) {
    if (view.info->role != OperandUse::A && view.info->role != OperandUse::B)
      continue;
    unsigned operand = view.info->role == OperandUse::B;
    if (view.info->convolution)
      result.unfold(view);
    if (view.info->representation)
      result.represent(view, result.matrices[operand]);
    if (view.info->band) {
      result.problem.isZeroMean = false;
      result.mask(view, operand);
    }
    if (problem.kernel->transforms[operand].ops.empty())
      continue;
    result.problem.isZeroMean = false;
    if (llvm::Error error = result.evaluate(view, operand, options))
      return std::move(error);
  }
  result.problem.linkScales();
  return result;
}
