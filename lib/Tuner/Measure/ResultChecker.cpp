//===- ResultChecker.cpp - Many results of one problem --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/ResultChecker.h"
#include "tcgemm/Runtime/Epilogue.h"
#include "tcgemm/Target/Precision.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>
#include <mutex>

using namespace llvm;

namespace tcgemm {
namespace {

constexpr int64_t kRowsAtATime = 16;

const OperandView &findView(const VerifyProblem &problem, OperandUse role) {
  return *find_if(problem.operands, [&](const OperandView &view) {
    return view.info->role == role;
  });
}

/// Norms of `count` vectors along k of one batch, `stride` elements apart.
void appendNorms(const OperandView &view, int64_t batch, int64_t count,
                 int64_t stride, int64_t k, std::vector<double> &norms) {
  int64_t offset = view.getBatchOffset(batch);
  size_t first = norms.size();
  norms.resize(first + count);
  int64_t along = view.getStride(Dim::K);
  parallelFor((count + kRowsAtATime - 1) / kRowsAtATime, [&](int64_t chunk) {
    std::vector<double> line(k);
    for (int64_t i = chunk * kRowsAtATime;
         i < std::min(count, (chunk + 1) * kRowsAtATime); ++i) {
      decodeRun(view.info->type, view.data, offset + i * stride, along, k,
                line.data());
      double sum = 0;
      for (auto [j, value] : enumerate(line)) {
        auto k = static_cast<int64_t>(j);
        double scaled = (value - view.getZeroPoint(batch, i, k)) *
                        view.getScale(batch, i, k);
        sum += scaled * scaled;
      }
      norms[first + i] = std::sqrt(sum);
    }
  });
}

} // namespace

void ResultChecker::findNorms(const VerifyProblem &problem) {
  if (!rowNorms.empty())
    return;
  const OperandView &a = findView(problem, OperandUse::A);
  const OperandView &b = findView(problem, OperandUse::B);
  sizes = problem.sizes;
  int64_t m = sizes[unsigned(Dim::M)], n = sizes[unsigned(Dim::N)];
  int64_t k = sizes[unsigned(Dim::K)], batch = countProducts(sizes);
  // See Runtime/Reference.h.
  errorFactor = getSumError(a.info->type, b.info->type,
                            problem.kernel->epilogue.ops.front().type, k);
  if (problem.isZeroMean && k != 0)
    errorFactor /= std::sqrt(static_cast<double>(k));
  for (int64_t i = 0; i != batch; ++i) {
    appendNorms(a, i, m, a.getStride(Dim::M), k, rowNorms);
    appendNorms(b, i, n, b.getStride(Dim::N), k, columnNorms);
  }
}

std::optional<ResultChecker::Scale> ResultChecker::getScale() const {
  if (kept.empty())
    return std::nullopt;
  return Scale{errorFactor, sizes[unsigned(Dim::M)], sizes[unsigned(Dim::N)],
               rowNorms, columnNorms};
}

/// For outputs that are the rounded sum: finds an element whose distance from
/// the kept one exceeds twice the reference's tolerance of 2 · e + ulp.
std::optional<ResultChecker::Place>
ResultChecker::findFar(const VerifyProblem &problem, const OperandView &output,
                       const std::vector<uint8_t> &kept) const {
  int64_t m = problem.sizes[unsigned(Dim::M)];
  int64_t n = problem.sizes[unsigned(Dim::N)];
  ScalarType type = output.info->type;
  unsigned bytes = getByteSize(type);
  int64_t rows = static_cast<int64_t>(rowNorms.size());
  // Row by row of M; a result with rows along m is decoded with its stride.
  int64_t along = output.getStride(Dim::N);
  std::mutex mutex;
  std::optional<Place> far;
  parallelFor((rows + kRowsAtATime - 1) / kRowsAtATime, [&](int64_t chunk) {
    std::vector<double> ours(n), theirs(n);
    for (int64_t row = chunk * kRowsAtATime;
         row < std::min(rows, (chunk + 1) * kRowsAtATime); ++row) {
      int64_t offset =
          output.getBatchOffset(row / m) + row % m * output.getStride(Dim::M);
      if (along == 1 &&
          std::memcmp(output.data + offset * bytes,
                      kept.data() + offset * bytes, n * bytes) == 0)
        continue;
      decodeRun(type, output.data, offset, along, n, ours.data());
      decodeRun(type, kept.data(), offset, along, n, theirs.data());
      double rowError = 2 * errorFactor * rowNorms[row];
      const double *columns = columnNorms.data() + row / m * n;
      for (int64_t j = 0; j != n; ++j) {
        double x = ours[j], y = theirs[j];
        double difference = std::fabs(x - y);
        if (difference == 0)
          continue;
        double ulp = getUlp(type, std::max(std::fabs(x), std::fabs(y)));
        // Written so that a NaN is far.
        if (difference <= 2 * (rowError * columns[j] + ulp))
          continue;
        std::lock_guard<std::mutex> lock(mutex);
        far = Place{row / m, row % m, j};
        return;
      }
    }
  });
  return far;
}

/// Checks one element against its sum in double. Returns a description of the
/// defect, or an empty text.
std::string ResultChecker::checkPlace(const VerifyProblem &problem,
                                      const OperandView &output,
                                      Place place) const {
  int64_t m = problem.sizes[unsigned(Dim::M)];
  int64_t n = problem.sizes[unsigned(Dim::N)];
  int64_t k = problem.sizes[unsigned(Dim::K)];
  AccumulatorBlock block;
  computeAccumulators(findView(problem, OperandUse::A),
                      findView(problem, OperandUse::B), place.batch, k, place.m,
                      place.n, block, problem.kernel->algebra);
  ScalarType type = output.info->type;
  int64_t offset = output.getBatchOffset(place.batch) +
                   place.m * output.getStride(Dim::M) +
                   place.n * output.getStride(Dim::N);
  double actual = loadElement(type, output.data + offset * getByteSize(type));
  double expected = roundToType(type, block.acc.front());
  double norm = rowNorms[place.batch * m + place.m] *
                columnNorms[place.batch * n + place.n];
  double tolerance = 2 * errorFactor * norm + getUlp(type, expected);
  if (std::fabs(actual - expected) <= tolerance)
    return "";
  return formatv("out[{0}, {1}, {2}] = {3}, expected {4} +- {5}", place.batch,
                 place.m, place.n, actual, expected, tolerance);
}

Expected<std::string>
ResultChecker::checkReference(const VerifyProblem &problem) {
  ++numReference;
  Expected<VerifyReport> report = verifyResults(problem, options);
  if (!report)
    return report.takeError();
  return report->passed ? std::string() : report->summarize();
}

/// Returns whether the kernel's one output is of products of the elements as
/// they are. Functions of elements are evaluated, and bands masked, by the
/// reference only, which also knows the group of a row.
static bool storesPlainSums(const KernelInfo &kernel) {
  if (kernel.isGrouped())
    return false;
  return none_of(kernel.operands,
                 [](const OperandInfo &o) {
                   return o.band.has_value() || o.representation.has_value();
                 }) &&
         all_of(kernel.transforms,
                [](const EpilogueProgram &p) { return p.ops.empty(); }) &&
         count_if(kernel.operands, [](const OperandInfo &o) {
           return o.role == OperandUse::Output;
         }) == 1;
}

Expected<std::string>
ResultChecker::check(const ProblemLaunch &launch, const ProblemSizes &sizes,
                     ArrayRef<ProblemBuffer> buffers,
                     ArrayRef<std::vector<uint8_t>> images) {
  VerifyProblem problem;
  problem.kernel = launch.kernel;
  problem.sizes = sizes;
  for (auto [info, part] :
       zip_equal(launch.kernel->operands, launch.operands)) {
    const ProblemBuffer &buffer = buffers[part.buffer];
    OperandView view{&info, nullptr, part.shape};
    view.sizes = sizes;
    view.scalar = buffer.scalar;
    if (!buffer.isScalar)
      view.data =
          (info.role == OperandUse::Output ? images[part.buffer] : buffer.image)
              .data() +
          part.getStart(buffer);
    problem.operands.push_back(std::move(view));
  }
  // The sums of a matrix times its transpose have squares.
  problem.isZeroMean = problem.operands[0].data != problem.operands[1].data;
  problem.linkScales();
  Expected<EpilogueInterpreter> interpreter =
      EpilogueInterpreter::create(*launch.kernel);
  if (!interpreter)
    return interpreter.takeError();
  bool isPlain =
      interpreter->isPlainAccumulator(0) && storesPlainSums(*launch.kernel);
  if (isPlain && !kept.empty()) {
    ++numCompared;
    const OperandView &output = findView(problem, OperandUse::Output);
    size_t operand = &output - problem.operands.data();
    unsigned index = launch.operands[operand].buffer;
    std::optional<Place> far = findFar(problem, output, kept[index]);
    if (!far)
      return std::string();
    if (std::string wrong = checkPlace(problem, output, *far); !wrong.empty())
      return wrong;
  }
  Expected<std::string> wrong = checkReference(problem);
  if (!wrong || !wrong->empty() || !isPlain || !kept.empty())
    return wrong;
  findNorms(problem);
  kept.resize(buffers.size());
  for (auto [info, part] : zip_equal(launch.kernel->operands, launch.operands))
    if (info.role == OperandUse::Output) {
      // Offsets of views start at element 0.
      const std::vector<uint8_t> &image = images[part.buffer];
      kept[part.buffer].assign(
          image.begin() + part.getStart(buffers[part.buffer]), image.end());
    }
  return wrong;
}

} // namespace tcgemm
