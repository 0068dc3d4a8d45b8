//===- Legality.cpp - The rules and the default of schedule expand --------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/RuleChecker.h"
#include "Expand/Family.h"
#include "tcgemm/Config/Expand.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral keys[] = {"min_ctas", "max_registers"};

class ExpandChecker : public RuleChecker {
public:
  using RuleChecker::RuleChecker;

private:
  void checkParameters() override;
  void checkResources() override {
    checkRegisterLimit(formatv("{0} coefficients and their products",
                               ExpandShape::kMostCoefficients));
  }
};

} // namespace

void ExpandChecker::checkParameters() {
  requireCapability(80);
  require(ExpandFamily().takesElements(problem), "element-type",
          "elements of A and B are {0} and {1}, but schedule expand takes f16, "
          "bf16, f32 or f64 of both",
          getTypeName(problem.typeA), getTypeName(problem.typeB));
  require(findCoefficients(problem).has_value(), "coefficients",
          "K = {0}, and {1} and {2} elements of A and B are coefficients, but "
          "schedule expand needs K from 1 to {3} and a matrix of 1 to {4} "
          "elements, of static sizes, whose outer dimensions the other one "
          "does not have, and neither an epilogue nor a convolution",
          problem.k, problem.coefficients[0], problem.coefficients[1],
          ExpandShape::kMostDepth, ExpandShape::kMostCoefficients);
  requireDefaults();
  requireRange("max-registers", "max_registers", config.maxRegisters, 0, 255);
}

std::optional<unsigned> findCoefficients(const ProblemInfo &problem) {
  if (problem.k < 1 || problem.k > ExpandShape::kMostDepth ||
      problem.convolution)
    return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned operand : {0, 1}) {
    int64_t count = problem.coefficients[operand];
    if (count < 1 || count > ExpandShape::kMostCoefficients)
      continue;
    if (!found || count < problem.coefficients[*found])
      found = operand;
  }
  return found;
}

ArrayRef<StringLiteral> ExpandFamily::getKeys() const { return keys; }

bool ExpandFamily::takesElements(const ProblemInfo &problem) const {
  return problem.typeA == problem.typeB && isFloatType(problem.typeA) &&
         problem.getBitsA() >= 16 && !problem.roundsOperands() &&
         !problem.splitsOperands() &&
         multipliesInThreads(problem.typeA, problem.typeB, problem.accumulator);
}

SmallVector<Violation>
ExpandFamily::findViolations(const KernelConfig &config, const ChipInfo &chip,
                             const ProblemInfo &problem,
                             ViolationDetail detail) const {
  return ExpandChecker(config, chip, problem).run(detail);
}

ThreadCount ExpandFamily::getThreadCount(const KernelConfig &) const {
  return {"threads", {1, 1, 1}, ExpandShape::kThreads};
}

int64_t ExpandFamily::estimateRegisters(const KernelConfig &,
                                        const ProblemInfo &problem) const {
  std::optional<unsigned> operand = findCoefficients(problem);
  if (!operand)
    return 0;
  constexpr int64_t places = 16, others = 40;
  int64_t words = problem.getSumBytes() / 4;
  return (problem.coefficients[*operand] + places * problem.k) * words + others;
}

double ExpandFamily::estimateTime(const KernelConfig &, const ChipInfo &chip,
                                  const ProblemInfo &problem) const {
  constexpr double launch = 2, efficiency = 0.85;
  auto count = [](int64_t size) { return static_cast<double>(size); };
  double bytes =
      count(problem.batch) *
      (count(problem.m) * count(problem.k) * count(problem.getBitsA()) +
       count(problem.n) * count(problem.k) * count(problem.getBitsB()) +
       count(problem.m) * count(problem.n) *
           count(getBitWidth(problem.output))) /
      8;
  return launch + bytes / (efficiency * chip.speed.dramGBs) / 1000;
}

std::optional<KernelConfig>
ExpandFamily::proposeDefault(const ConfigRequest &request,
                             const ProblemInfo &) const {
  KernelConfig config;
  config.schedule = Schedule::Expand;
  if (Error failure = config.apply(request.overrides)) {
    consumeError(std::move(failure));
    return std::nullopt;
  }
  // Sizes that are assumed are no coefficients' sizes.
  if (config.schedule != Schedule::Expand ||
      !tcgemm::findViolations(config, request.chip, request.problem).empty())
    return std::nullopt;
  return config;
}

} // namespace tcgemm
