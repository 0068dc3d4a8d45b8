//===- Reference.cpp - Checking a kernel's results ------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the outputs tile by tile: computes accumulators in double and the
// epilogue, and compares with a tolerance.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Reference.h"

#include "CheckedElements.h"
#include "DepthGroups.h"
#include "ElementFunctions.h"
#include "ProductSums.h"
#include "ReducedResults.h"
#include "ResultRange.h"
#include "RowGroups.h"
#include "tcgemm/Runtime/Epilogue.h"
#include "tcgemm/Target/Precision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <mutex>

using namespace tcgemm;

namespace {

constexpr int64_t kTile = 128;
constexpr unsigned kNumPatterns = 8;

class Checker {
public:
  Checker(const VerifyProblem &problem, const VerifyOptions &options,
          const EpilogueInterpreter &interpreter)
      : problem(problem), options(options), interpreter(interpreter) {
    for (const OperandView &view : problem.operands)
      switch (view.info->role) {
      case OperandUse::A:
        a = &view;
        break;
      case OperandUse::B:
      case OperandUse::B2:
        factors.push_back(&view);
        break;
      case OperandUse::Output:
        outputs.push_back(&view);
        break;
      case OperandUse::Input:
      case OperandUse::Scalar:
        inputs.push_back(&view);
        break;
      default: // Linked with A and B, or the sizes of groups.
        break;
      }
    groups = RowGroups(problem);
    products = DepthGroups(problem, *a, factors);
  }

  const RowGroups &getGroups() const { return groups; }
  DimSizes getResultSizes() const {
    return groups.getResultSizes(problem.sizes);
  }

  /// The results of reductions, one for each output; none for those that are
  /// stored.
  using Reduced = std::vector<std::optional<ReducedResults>>;
  Reduced startReductions() const;
  void check(const CheckedRegion &region, VerifyReport &total,
             Reduced &reduced);
  static void mergeReductions(Reduced &reduced, const Reduced &part);
  static void compareReductions(Reduced &reduced, VerifyReport &report);
  llvm::ArrayRef<const OperandView *> getOutputs() const { return outputs; }
  /// The elements of all outputs.
  int64_t getNumElements() const;
  /// Returns whether rows are divided into groups, there are two products, or A
  /// or B has scales or elements that the device computes otherwise, which
  /// Freivalds' check does not know.
  bool excludesFreivalds() const {
    const OperandView &b = *factors.front();
    return a->scales || b.scales || a->deviations || b.deviations ||
           groups.areThere() || products.areGroups() || factors.size() > 1;
  }

private:
  struct Row {
    EpilogueRun run;
    std::vector<RowSums> sums; ///< Of each product.
    std::vector<std::vector<double>> inputs;
    std::vector<std::vector<double>> expected, moved, spread;
    std::vector<uint8_t> inexact;
    bool isCompared = true; ///< If not, it only counts for reductions.

    bool isInteger(int64_t i) const {
      return llvm::all_of(
          sums, [&](const RowSums &s) { return s.isInteger[i] != 0; });
    }
    bool mayOverflow(ScalarType type, int64_t i) const {
      return llvm::any_of(sums, [&](const RowSums &s) {
        return tcgemm::mayOverflow(type, s.squaredNorms[i]);
      });
    }
  };

  void loadInputs(Row &row);
  void noteChange(const Row &row, std::vector<std::vector<double>> &spread);
  void findSpread(Row &row);
  bool isPossible(const Row &row, size_t output, int64_t i, double actual,
                  double tolerance) const;
  bool isRight(Row &row, size_t output, int64_t i, double actual,
               VerifyReport &report, double &tolerance);
  double getTolerance(Row &row, size_t output, int64_t i);
  void compare(Row &row, VerifyReport &report, Reduced &reduced);
  void reduce(Row &row, size_t output, ReducedResults &reduced);

  int64_t size(Dim dim) const { return problem.sizes[unsigned(dim)]; }
  ScalarType getSumType() const {
    return problem.kernel->epilogue.ops.front().type;
  }
  /// The type in which instructions add.
  ScalarType getInstructionSum() const {
    return tcgemm::getInstructionSum(a->info->type, getSumType());
  }

  const VerifyProblem &problem;
  const VerifyOptions &options;
  const EpilogueInterpreter &interpreter;
  const OperandView *a = nullptr;
  /// B and, of a dual product, the second B. The epilogue's first arguments are
  /// A's sums with them.
  std::vector<const OperandView *> factors;
  DepthGroups products;
  std::vector<const OperandView *> inputs, outputs;
  RowGroups groups;
  std::mutex mutex;
};

} // namespace

void Checker::loadInputs(Row &row) {
  row.inputs.resize(inputs.size());
  size_t first = factors.size();
  row.run.arguments.resize(first + inputs.size());
  for (auto [i, view] : llvm::enumerate(inputs)) {
    std::vector<double> &values = row.inputs[i];
    values.resize(row.run.count);
    row.run.arguments[first + i] = values.data();
    if (view->info->role == OperandUse::Scalar) {
      // A device receives the scalar in the operand's type.
      uint64_t bits = 0;
      storeElement(view->info->type, view->scalar, &bits);
      llvm::fill(values, loadElement(view->info->type, &bits));
      continue;
    }
    std::optional<unsigned> scalar = interpreter.getZeroScalar(first + i);
    if (scalar && inputs[*scalar - first]->scalar == 0) {
      llvm::fill(values, 0.0);
      continue;
    }
    for (int64_t j = 0; j != row.run.count; ++j)
      values[j] =
          loadAt(*view, getOffset(*view, row.run.b, row.run.m, row.run.n[j]));
  }
}

/// Increases `spread` to the difference of the expected and the perturbed
/// results.
void Checker::noteChange(const Row &row,
                         std::vector<std::vector<double>> &spread) {
  for (size_t o = 0; o != outputs.size(); ++o)
    for (int64_t i = 0; i != row.run.count; ++i) {
      double change = std::fabs(row.moved[o][i] - row.expected[o][i]);
      // If the error of a sum of huge terms can make a finite result special,
      // the result can be any finite number. isPossible handles special ones.
      if (!std::isfinite(change) && std::isfinite(row.expected[o][i]))
        change = getLargest(getValueType(*problem.kernel, o));
      if (std::isfinite(change) && change > spread[o][i])
        spread[o][i] = change;
    }
}

/// Computes the change of the results with each accumulator and with the
/// epilogue's roundings. The changes are computed separately and added.
/// Together they might cancel, in all patterns if there are only few signs.
void Checker::findSpread(Row &row) {
  using Changes = std::vector<std::vector<double>>;
  const Changes none(outputs.size(), std::vector<double>(row.run.count, 0));
  row.spread = none;
  auto add = [&](const Changes &changes) {
    for (size_t o = 0; o != outputs.size(); ++o)
      for (int64_t i = 0; i != row.run.count; ++i)
        row.spread[o][i] += changes[o][i];
  };
  for (size_t product = 0; product != factors.size(); ++product) {
    EpilogueRun moved = row.run;
    std::vector<double> acc(row.run.count);
    moved.arguments[product] = acc.data();
    Changes changes = none;
    for (double sign : {1, -1}) {
      for (int64_t i = 0; i != row.run.count; ++i)
        acc[i] = moveSum(getSumType(), row.run.arguments[product][i],
                         sign * row.sums[product].errors[i]);
      interpreter.evaluate(moved, nullptr, row.moved, nullptr);
      noteChange(row, changes);
    }
    add(changes);
  }
  Changes roundings = none;
  for (unsigned pattern = 0; pattern != kNumPatterns; ++pattern) {
    Perturbation perturbation;
    perturbation.pattern = pattern;
    perturbation.math = options.mathError;
    interpreter.evaluate(row.run, &perturbation, row.moved, nullptr);
    noteChange(row, roundings);
  }
  add(roundings);
}

/// Returns whether an element may be `actual` if that value, the expected value
/// or a sum may be infinite or NaN.
bool Checker::isPossible(const Row &row, size_t output, int64_t i,
                         double actual, double tolerance) const {
  EpilogueRun run = row.run;
  run.count = 1;
  run.n = run.n.slice(i, 1);
  for (const double *&argument : run.arguments)
    argument += i;
  ResultRange range;
  std::vector<std::vector<double>> results;
  auto addResults = [&](const Perturbation *perturbation) {
    interpreter.evaluate(run, perturbation, results, nullptr);
    range.add(results[output][0]);
  };
  auto addAll = [&] {
    addResults(nullptr);
    for (unsigned pattern = 0; pattern != kNumPatterns; ++pattern) {
      Perturbation perturbation;
      perturbation.pattern = pattern;
      perturbation.math = options.mathError;
      addResults(&perturbation);
    }
  };
  // All combinations of the sums of both products, if there are two.
  auto list = [&](size_t product) {
    return products.get(run.b)[product].listPossible(
        row.sums[product], i, row.run.arguments[product][i],
        std::isfinite(actual), run.b, run.m, run.n[0]);
  };
  std::vector<double> seconds = {0};
  if (factors.size() > 1)
    seconds = list(1);
  for (double sum : list(0))
    for (double second : seconds) {
      run.arguments[0] = &sum;
      if (factors.size() > 1)
        run.arguments[1] = &second;
      addAll();
    }
  ScalarType type = getValueType(*problem.kernel, output);
  if (isFloatType(type))
    range.widen(type, tolerance < getLargest(type) / 64 ? tolerance : 0);
  return range.contains(actual);
}

/// The tolerance of an element that the device may round otherwise.
double Checker::getTolerance(Row &row, size_t output, int64_t i) {
  ScalarType type = getValueType(*problem.kernel, output);
  double expected = row.expected[output][i];
  if (row.spread.empty())
    findSpread(row);
  double tolerance = 2 * row.spread[output][i];
  if (isFloatType(type))
    tolerance +=
        getUlp(type, std::isfinite(expected) ? expected : getLargest(type));
  return tolerance;
}

/// Returns whether an element unlike the expected value is still right.
bool Checker::isRight(Row &row, size_t output, int64_t i, double actual,
                      VerifyReport &report, double &tolerance) {
  double expected = row.expected[output][i];
  if (row.isInteger(i) && !row.inexact[i])
    return false;
  tolerance = getTolerance(row, output, i);
  if (std::isfinite(actual) && std::isfinite(expected)) {
    double error = std::fabs(actual - expected);
    // The result of the epilogue may be finite although a sum overflows.
    if (error <= tolerance || !row.mayOverflow(getInstructionSum(), i)) {
      report.maxError = std::max(report.maxError, error);
      if (tolerance > 0)
        report.maxRatio = std::max(report.maxRatio, error / tolerance);
      return error <= tolerance;
    }
  }
  return isPossible(row, output, i, actual, tolerance);
}

Checker::Reduced Checker::startReductions() const {
  Reduced reduced(outputs.size());
  for (auto [o, view] : llvm::enumerate(outputs))
    if (view->info->reduction)
      reduced[o].emplace(*view, o, problem.sizes);
  return reduced;
}

void Checker::mergeReductions(Reduced &reduced, const Reduced &part) {
  for (auto [all, own] : llvm::zip_equal(reduced, part))
    if (all)
      all->add(*own);
}

void Checker::compareReductions(Reduced &reduced, VerifyReport &report) {
  for (std::optional<ReducedResults> &results : reduced)
    if (results)
      results->compare(report);
}

int64_t Checker::getNumElements() const {
  int64_t stored =
      countProducts(getResultSizes()) * size(Dim::M) * size(Dim::N);
  int64_t number = 0;
  for (const std::optional<ReducedResults> &results : startReductions())
    number += results ? results->getNumResults() : stored;
  return number;
}

/// Adds a row's elements to the results of a reduction.
void Checker::reduce(Row &row, size_t output, ReducedResults &reduced) {
  for (int64_t i = 0; i != row.run.count; ++i) {
    ReducedElement element;
    element.expected = row.expected[output][i];
    element.isExact = row.isInteger(i) && !row.inexact[i];
    if (!element.isExact) {
      element.tolerance = getTolerance(row, output, i);
      element.mayBeSpecial = row.mayOverflow(getInstructionSum(), i);
    }
    reduced.add(row.run.b, row.run.m, row.run.n[i], element);
  }
}

void Checker::compare(Row &row, VerifyReport &report, Reduced &reduced) {
  interpreter.evaluate(row.run, nullptr, row.expected, &row.inexact);
  row.spread.clear();
  for (auto [o, view] : llvm::enumerate(outputs)) {
    if (reduced[o])
      reduce(row, o, *reduced[o]);
    if (reduced[o] || !row.isCompared)
      continue;
    for (int64_t i = 0; i != row.run.count; ++i) {
      int64_t offset = getOffset(*view, row.run.b, row.run.m, row.run.n[i]);
      double actual = loadAt(*view, offset);
      double &expected = row.expected[o][i];
      if (view->info->type == ScalarType::I1)
        expected = expected != 0;
      bool exact = row.isInteger(i) && !row.inexact[i];
      ++report.numChecked;
      report.numExact += exact;
      double tolerance = 0;
      bool isSame = actual == expected &&
                    (!exact || std::signbit(actual) == std::signbit(expected));
      bool isSameNaN = std::isnan(actual) && std::isnan(expected) &&
                       !isPoison(*view, offset);
      if (isSame || isSameNaN ||
          isRight(row, o, i, actual, report, tolerance)) {
        report.numDueNaN += std::isnan(actual);
        continue;
      }
      ++report.numWrong;
      if (report.mismatches.size() < VerifyReport::kMaxMismatches)
        report.mismatches.push_back({static_cast<unsigned>(o), row.run.b,
                                     row.run.m, row.run.n[i], actual, expected,
                                     tolerance});
    }
  }
}

void Checker::check(const CheckedRegion &region, VerifyReport &total,
                    Reduced &reduced) {
  int64_t numRowTiles = (region.rows.size() + kTile - 1) / kTile;
  int64_t numColumnTiles = (region.columns.size() + kTile - 1) / kTile;
  parallelFor(numRowTiles * numColumnTiles, [&](int64_t tile) {
    auto rows = llvm::ArrayRef<int64_t>(region.rows)
                    .drop_front(tile / numColumnTiles * kTile)
                    .take_front(kTile);
    auto columns = llvm::ArrayRef<int64_t>(region.columns)
                       .drop_front(tile % numColumnTiles * kTile)
                       .take_front(kTile);
    std::vector<AccumulatorBlock> blocks;
    llvm::ArrayRef<ProductSums> own = products.get(region.batch);
    for (const ProductSums &product : own)
      blocks.push_back(product.compute(region.batch, rows, columns));
    VerifyReport report;
    Reduced part = startReductions();
    Row row;
    int64_t count = row.run.count = columns.size();
    for (auto [i, m] : llvm::enumerate(rows)) {
      row.run.b = region.batch;
      row.run.m = m;
      row.run.n = columns;
      row.isCompared = !llvm::binary_search(region.otherRows, m);
      loadInputs(row);
      row.sums.clear();
      for (auto [product, block] : llvm::enumerate(blocks)) {
        row.run.arguments[product] = block.acc.data() + i * count;
        row.sums.push_back(own[product].getBounds(block, i));
      }
      compare(row, report, part);
    }
    std::lock_guard<std::mutex> lock(mutex);
    total.add(report);
    mergeReductions(reduced, part);
  });
}

/// Checks all elements.
static void checkWhole(Checker &checker, VerifyReport &report) {
  report.method = "float64";
  Checker::Reduced reduced = checker.startReductions();
  for (const CheckedRegion &region :
       checker.getGroups().divide(getWholeRegions(checker.getResultSizes())))
    checker.check(region, report, reduced);
  Checker::compareReductions(reduced, report);
}

/// Checks a sample, and all elements by Freivalds' check if that is possible.
/// Returns whether an operand has infinities or NaN.
static bool checkSample(const VerifyProblem &problem,
                        const VerifyOptions &options,
                        const EpilogueInterpreter &interpreter,
                        Checker &checker, VerifyReport &report) {
  report.method = "sampled";
  for (const CheckedRegion &region : checker.getGroups().divide(sampleRegions(
           checker.getResultSizes(), options.sampleWork, options.seed))) {
    // The results of whole rows and columns are complete.
    Checker::Reduced reduced = checker.startReductions();
    checker.check(region, report, reduced);
    Checker::compareReductions(reduced, report);
  }
  bool hasSpecial = llvm::any_of(problem.operands, [](const OperandView &view) {
    return view.info->role != OperandUse::Output && hasSpecialValues(view);
  });
  // It needs sums of products that do not wrap around, and no NaN.
  bool isLinear = problem.kernel->algebra.isDefault() &&
                  problem.operands[0].info->type != ScalarType::I32;
  if (isLinear && !hasSpecial && report.numDueNaN == 0 &&
      !checker.excludesFreivalds() && checker.getOutputs().size() == 1 &&
      interpreter.isPlainAccumulator(0)) {
    report.method += " + Freivalds";
    report.freivalds = checkFreivalds(problem, options.seed + 3);
  }
  return hasSpecial;
}

/// Checks the products of A's and B's elements as they are.
static llvm::Expected<VerifyReport>
verifyProduct(const VerifyProblem &problem, const VerifyOptions &options) {
  llvm::Expected<EpilogueInterpreter> interpreter =
      EpilogueInterpreter::create(*problem.kernel);
  if (!interpreter)
    return interpreter.takeError();
  Checker checker(problem, options, *interpreter);
  const ProblemSizes &sizes = problem.sizes;
  VerifyReport report;
  report.numElements = checker.getNumElements();
  scanOutputs(checker.getOutputs(), report);
  checker.getGroups().excludeOtherRows(checker.getOutputs(), sizes, report);
  double work = static_cast<double>(countProducts(checker.getResultSizes())) *
                sizes[unsigned(Dim::M)] * sizes[unsigned(Dim::N)] *
                std::max<int64_t>(sizes[unsigned(Dim::K)], 1);
  bool isWhole = work <= options.maxWork, hasSpecial = false;
  if (isWhole)
    checkWhole(checker, report);
  else
    hasSpecial = checkSample(problem, options, *interpreter, checker, report);
  // In a sample, NaN that were not compared may be expected.
  bool hasDueNaN = report.numNaN <= report.numDueNaN ||
                   (!isWhole && (hasSpecial || report.numDueNaN > 0));
  report.passed = report.numWrong == 0 && report.numUnwritten == 0 &&
                  hasDueNaN && report.freivalds <= 1;
  return report;
}

llvm::Expected<VerifyReport>
tcgemm::verifyResults(const VerifyProblem &problem,
                      const VerifyOptions &options) {
  llvm::Expected<MultipliedProblem> multiplied =
      MultipliedProblem::create(problem, options);
  if (!multiplied)
    return multiplied.takeError();
  return verifyProduct(multiplied->get(), options);
}
