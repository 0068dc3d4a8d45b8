//===- ValidationCases.cpp - Cases, their log and their models ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Model/Tiling.h"
#include "tcgemm/Tuner/Validation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <map>

using namespace llvm;

namespace tcgemm {

static constexpr int64_t kSizeStep = 128, kMostSize = 1024;
static constexpr int64_t kSides[] = {64, 128};
static constexpr StringLiteral kHeader =
    "device,m,n,k,tile_m,tile_n,tile_k,microseconds";

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

std::vector<ValidationCase> getValidationCases() {
  std::vector<ValidationCase> cases;
  for (int64_t m = kSizeStep; m <= kMostSize; m += kSizeStep)
    for (int64_t n = kSizeStep; n <= kMostSize; n += kSizeStep)
      for (int64_t k = kSizeStep; k <= kMostSize; k += kSizeStep)
        for (int64_t tileM : kSides)
          for (int64_t tileN : kSides)
            for (int64_t tileK : kSides)
              cases.push_back({{m, n, k}, {tileM, tileN, tileK}});
  return cases;
}

TuningProblem ValidationCase::getProblem() const {
  return {cantFail(KernelSpec::parse("bf16 tn bf16 none static")), sizes, ""};
}

int64_t ValidationCase::getCTAs() const {
  return int64_t(divideCeil(uint64_t(sizes.m), uint64_t(tile[0])) *
                 divideCeil(uint64_t(sizes.n), uint64_t(tile[1])));
}

Expected<KernelConfig> ValidationCase::getConfig(const ChipInfo &chip) const {
  constexpr int64_t most = 8, least = 2;
  KernelConfig config;
  config.schedule = Schedule::Wgmma;
  config.cta = tile;
  config.warps = {tile[0] / 16, 1, 1};
  config.instruction = {64, tile[1], 16};
  config.epilogue = EpilogueKind::Tma;
  config.stages = std::clamp(sizes.k / tile[2], least, most);
  while (true) {
    Error error = checkConfig(config, chip, getProblem().getInfo());
    if (!error)
      return config;
    if (config.stages == least)
      return std::move(error);
    consumeError(std::move(error));
    --config.stages;
  }
}

//===----------------------------------------------------------------------===//
// The log
//===----------------------------------------------------------------------===//

void writeResultHeader(raw_ostream &os) { os << kHeader << '\n'; }

void writeResult(const ValidationResult &result, raw_ostream &os) {
  const MatmulSizes &sizes = result.measured.sizes;
  os << result.device << ',' << sizes.m << ',' << sizes.n << ',' << sizes.k;
  for (int64_t side : result.measured.tile)
    os << ',' << side;
  os << ',' << format("%.6g", result.microseconds) << '\n';
}

/// The error is the end of a message.
static Expected<ValidationResult> parseResult(StringRef line) {
  constexpr size_t numFields = 8;
  constexpr double mostMicroseconds = 1e6;
  SmallVector<StringRef> fields;
  line.split(fields, ',');
  if (fields.size() != numFields)
    return createStringError(formatv("has {0} fields, but it must have {1}",
                                     fields.size(), numFields));
  ValidationResult result;
  result.device = fields.front().str();
  ValidationCase &each = result.measured;
  int64_t *numbers[] = {&each.sizes.m, &each.sizes.n, &each.sizes.k,
                        &each.tile[0], &each.tile[1], &each.tile[2]};
  for (auto [number, field] :
       zip_equal(numbers, ArrayRef(fields).slice(1, std::size(numbers))))
    if (field.getAsInteger(10, *number))
      return createStringError("has '" + field + "', which is no number");
  if (fields.back().getAsDouble(result.microseconds) ||
      !(result.microseconds > 0 && result.microseconds <= mostMicroseconds))
    return createStringError(
        formatv("has {0} microseconds, but it must be above 0 and at most {1}",
                fields.back(), int64_t(mostMicroseconds)));
  return result;
}

Expected<std::vector<ValidationResult>> parseResults(StringRef text,
                                                     StringRef fileName) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  auto fail = [&](size_t line, const Twine &why) {
    return createStringError(fileName + ":" + Twine(line + 1) + ": " + why);
  };
  if (lines.empty() || lines.front() != kHeader)
    return fail(0, "the header must be " + kHeader);
  std::vector<ValidationCase> left = getValidationCases();
  std::vector<ValidationResult> results;
  for (size_t i = 1; i != lines.size(); ++i) {
    Expected<ValidationResult> result = parseResult(lines[i]);
    if (!result)
      return fail(i, toString(result.takeError()));
    auto found = llvm::find(left, result->measured);
    if (found == left.end())
      return fail(
          i, "repeats a case, or has a case that the experiment does not have");
    left.erase(found);
    results.push_back(std::move(*result));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

static double toMicroseconds(Picoseconds time) { return double(time) * 1e-6; }

Expected<ValidationPrediction> predictCase(const Machine &limited,
                                           const ChipInfo &chip,
                                           const ValidationCase &each) {
  // A case runs for about a millisecond at a time, in which the power limit
  // does not lower the clock.
  Machine machine = getRested(limited);
  Expected<KernelConfig> config = each.getConfig(chip);
  if (!config)
    return config.takeError();
  ProblemInfo product = each.getProblem().getInfo();
  Expected<KernelPrediction> kernel =
      predictKernel(machine, chip, *config, product, DataPlace::Cache);
  if (!kernel)
    return kernel.takeError();
  TilingProblem problem;
  problem.product = product;
  problem.machine = machine;
  problem.base = chooseBase(product);
  Tiling tiling;
  using V = TilingVariable;
  for (auto [variable, value] :
       {std::pair(V::TileM, each.tile[0]), std::pair(V::TileN, each.tile[1]),
        std::pair(V::TileK, each.tile[2]), std::pair(V::Depth, config->stages),
        std::pair(V::CopyWarps, int64_t(1)),
        std::pair(V::Warpgroups, config->warps[0] / 4),
        std::pair(V::ClusterM, int64_t(1)), std::pair(V::ClusterN, int64_t(1)),
        std::pair(V::Split, int64_t(1))})
    tiling.set(variable, value);
  TilingTimes times = getTilingTimes(problem, tiling);
  Expected<RingResult> ring =
      simulateRing(times.times, times.shape, times.waves);
  if (!ring)
    return ring.takeError();
  return ValidationPrediction{toMicroseconds(ring->total),
                              toMicroseconds(kernel->getTotal())};
}

namespace {
/// Measured and predicted times of the tiles of a size.
using SizeTimes = std::vector<std::pair<double, double>>;
} // namespace

static PredictionErrors compare(ArrayRef<ValidationResult> results,
                                ArrayRef<ValidationPrediction> predictions,
                                double ValidationPrediction::*member,
                                size_t &numSizes) {
  constexpr double percentile = 0.9;
  constexpr size_t numTiles = 8;
  PredictionErrors errors;
  if (results.empty())
    return errors;
  double logarithms = 0, sum = 0;
  std::vector<double> deviations;
  std::map<std::array<int64_t, 3>, SizeTimes> sizes;
  for (auto [result, prediction] : zip_equal(results, predictions)) {
    double predicted = prediction.*member;
    double ratio = predicted / result.microseconds;
    logarithms += std::log(ratio);
    deviations.push_back(std::abs(ratio - 1));
    sum += deviations.back();
    const MatmulSizes &each = result.measured.sizes;
    sizes[{each.m, each.n, each.k}].emplace_back(predicted,
                                                 result.microseconds);
  }
  auto count = double(results.size());
  errors.mean = std::exp(logarithms / count);
  errors.error = sum / count;
  llvm::sort(deviations);
  errors.most = deviations[size_t(percentile * (count - 1))];
  errors.worst = deviations.back();
  double losses = 0;
  numSizes = 0;
  for (auto &[size, times] : sizes) {
    if (times.size() != numTiles)
      continue;
    // The first one of equal predictions, as a search takes it.
    double chosen =
        std::min_element(times.begin(), times.end(), llvm::less_first())
            ->second;
    double best = chosen;
    for (auto [predicted, measured] : times)
      best = std::min(best, measured);
    losses += std::log(chosen / best);
    ++numSizes;
  }
  if (numSizes)
    errors.choice = std::exp(losses / double(numSizes));
  return errors;
}

ValidationSummary summarize(ArrayRef<ValidationResult> results,
                            ArrayRef<ValidationPrediction> predictions) {
  ValidationSummary summary;
  summary.numCases = results.size();
  summary.recurrences =
      compare(results, predictions, &ValidationPrediction::recurrences,
              summary.numSizes);
  summary.kernel = compare(results, predictions, &ValidationPrediction::kernel,
                           summary.numSizes);
  return summary;
}

} // namespace tcgemm
