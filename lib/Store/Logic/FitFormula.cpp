//===- FitFormula.cpp - The weights of a formula --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Levenberg-Marquardt steps in the logarithms of the weights, which therefore
// stay positive.
//
//===----------------------------------------------------------------------===//

#include "Logic/Formulas.h"
#include "tcgemm/Config/ScheduleFamily.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

constexpr unsigned kWeights = TimeFormula::kNumWeights;
/// The first weights are those of x.
constexpr unsigned kWeightsOfX = 5;
using Vector = TimeFormula::Weights;
using Matrix = FormulaFit::Matrix;

double getTime(const Vector &weights, const Vector &terms, double &x,
               double &y) {
  x = y = 0;
  for (unsigned i = 0; i != kWeights; ++i)
    (i < kWeightsOfX ? x : y) += weights[i] * terms[i];
  return std::sqrt(x * x + y * y);
}

Vector exponentiate(const Vector &logs) {
  Vector weights;
  for (auto [weight, log] : zip(weights, logs))
    weight = std::exp(log);
  return weights;
}

/// Solves a positive definite system by elimination.
Vector solve(Matrix matrix, Vector right) {
  for (unsigned i = 0; i != kWeights; ++i)
    for (unsigned j = i + 1; j != kWeights; ++j) {
      double factor = matrix[j][i] / matrix[i][i];
      for (unsigned k = i; k != kWeights; ++k)
        matrix[j][k] -= factor * matrix[i][k];
      right[j] -= factor * right[i];
    }
  Vector result = {};
  for (unsigned i = kWeights; i-- != 0;) {
    double rest = right[i];
    for (unsigned k = i + 1; k != kWeights; ++k)
      rest -= matrix[i][k] * result[k];
    result[i] = rest / matrix[i][i];
  }
  return result;
}

} // namespace

double FormulaFit::getError(const Vector &logs) const {
  Vector weights = exponentiate(logs);
  double sum = 0, count = 0, x = 0, y = 0;
  for (const Point &point : points) {
    double error =
        std::log(getTime(weights, point.terms, x, y)) - point.logTime;
    sum += point.weight * error * error;
    count += point.weight;
  }
  return sum / count;
}

/// The system of normal equations at the current weights; returns its trace.
double FormulaFit::linearise(Matrix &normal, Vector &gradient) const {
  Vector weights = exponentiate(logs);
  normal = {};
  gradient = {};
  for (const Point &point : points) {
    double x = 0, y = 0;
    double time = getTime(weights, point.terms, x, y);
    double error = std::log(time) - point.logTime;
    Vector slopes;
    for (unsigned i = 0; i != kWeights; ++i)
      slopes[i] = weights[i] * point.terms[i] * (i < kWeightsOfX ? x : y) /
                  (time * time);
    for (unsigned i = 0; i != kWeights; ++i) {
      gradient[i] += point.weight * error * slopes[i];
      for (unsigned j = 0; j != kWeights; ++j)
        normal[i][j] += point.weight * slopes[i] * slopes[j];
    }
  }
  double trace = 0;
  for (unsigned i = 0; i != kWeights; ++i)
    trace += normal[i][i];
  return trace;
}

double FormulaFit::run(unsigned mostSteps) {
  constexpr unsigned mostTries = 6;
  constexpr double leastLog = -16, mostLog = 9, mostMove = 2, leastGain = 1e-6;
  double damping = 0.1, error = getError(logs);
  for (unsigned step = 0; step != mostSteps; ++step) {
    Matrix normal;
    Vector gradient;
    double trace = linearise(normal, gradient);
    double before = error;
    for (unsigned tries = 0; tries != mostTries && error == before; ++tries) {
      Matrix damped = normal;
      for (unsigned i = 0; i != kWeights; ++i)
        damped[i][i] += damping * (normal[i][i] + 1e-6 * trace + 1e-12);
      Vector move = solve(damped, gradient), moved = logs;
      for (unsigned i = 0; i != kWeights; ++i)
        moved[i] =
            std::clamp(logs[i] - std::clamp(move[i], -mostMove, mostMove),
                       leastLog, mostLog);
      double after = getError(moved);
      damping *= after < error ? 0.3 : 4;
      if (after >= error)
        continue;
      logs = moved;
      error = after;
    }
    damping = std::max(damping, leastGain);
    if (before - error < leastGain)
      break;
  }
  return error;
}

TimeFormula FormulaFit::getFormula() const {
  return {config, shape, exponentiate(logs)};
}

void FormulaFit::addWeight(size_t sample, double more) {
  auto found = partition_point(
      points, [&](const Point &point) { return point.sample < sample; });
  if (found != points.end() && found->sample == sample)
    found->weight += more;
}

std::optional<FormulaFit> FormulaFit::create(const CostTable &table,
                                             unsigned number) {
  // A configuration that loses much is no choice, however long it takes.
  constexpr double mostLoss = 2, counted = 0.1;
  constexpr size_t leastPoints = 4 * kWeights;
  constexpr unsigned mostSteps = 30;
  const KernelConfig &config = table.getConfigs()[number];
  std::vector<size_t> samples;
  for (size_t i = table.countRecorded(); i != table.getSizes().size(); ++i)
    if (table.getMicroseconds(i) > 0 && !table.isUnknown(i, number) &&
        table.getLosses(i)[number] <= mostLoss)
      samples.push_back(i);
  if (samples.size() < leastPoints)
    return std::nullopt;
  KernelWork work =
      table.describeWork(config, table.getSizes()[samples[samples.size() / 2]]);
  auto processors = static_cast<int64_t>(work.processors);
  auto residents = static_cast<int64_t>(std::max(1.0, work.residents));
  std::optional<FormulaFit> best;
  double least = 0;
  for (int64_t places : {processors, processors * residents}) {
    FormulaFit fit;
    fit.config = number;
    fit.shape = FormulaShape::create(config, places);
    TimeFormula blank(number, fit.shape, {});
    for (size_t sample : samples) {
      double loss = table.getLosses(sample)[number];
      fit.points.push_back(
          {sample, blank.getTerms(FormulaSizes(table.getSizes()[sample])),
           std::log(table.getMicroseconds(sample)) + loss,
           1 / (counted + loss)});
    }
    double error = fit.run(mostSteps);
    if (!best || error < least) {
      least = error;
      best = std::move(fit);
    }
    if (residents == 1)
      break;
  }
  return best;
}

} // namespace tcgemm
