//===- LogicSelector.cpp - Configurations from logic ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogicSelector.h"

#include "RecordPrediction.h"
#include "tcgemm/Config/ScheduleFamily.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace llvm;

namespace tcgemm {

/// Returns whether legality is the same for both, whatever their sizes are.
static bool isSameKind(const ProblemInfo &a, const ProblemInfo &b) {
  return a.hasSameOperands(b) && isSameEpilogue(a, b) &&
         std::tie(a.accumulator, a.output, a.hasAlpha, a.hasBeta,
                  a.stageableInputs, a.readsInputs, a.coefficients, a.dual) ==
             std::tie(b.accumulator, b.output, b.hasAlpha, b.hasBeta,
                      b.stageableInputs, b.readsInputs, b.coefficients, b.dual);
}

/// Returns whether rules of legality read the sizes: groups of scales must
/// divide K, and coefficients are those of one size.
static bool hasRulesForSizes(const ProblemInfo &problem) {
  return problem.hasGroupScales() || problem.coefficients[0] ||
         problem.coefficients[1];
}

/// The parameters that ScheduleFamily::adapt changes.
static uint64_t packAdapted(const KernelConfig &config) {
  auto [m, n, k] = config.wgmma.cluster;
  uint64_t packed = 0;
  for (int64_t part : {m, n, k, int64_t(config.tileOrder)})
    packed = packed << 8 | (static_cast<uint64_t>(part) & 255);
  for (bool flag :
       {config.persistent, config.wgmma.pingpong, config.wgmma.promoteSums,
        config.earlyInputs, config.streamEpilogue})
    packed = packed << 1 | uint64_t(flag);
  return packed;
}

LogicSelector::LogicSelector(const std::string &source, SizeLogic all)
    : logic(std::move(all)) {
  for (const ProductLogic &each : logic.products) {
    Product &product = products.emplace_back();
    product.logic = &each;
    TuningProblem problem{each.kernel, {1, 1, 1, 1}, ""};
    product.problem = problem.getInfo();
    for (const auto &[s, number] : each.exact)
      product.exact[{s.m, s.n, s.k, s.batch}] = number;
    std::string head = (Twine("logic of ") + source + ", ").str();
    std::string tail = (Twine(each.kernel.str()) + " on " + logic.device).str();
    product.answers = {
        (Twine(head) + "exact " + tail).str(),
        (Twine(head) + getRuleKindName(each.kind) + " of " + tail).str()};
  }
}

/// The product with the same operands: one with the same epilogue, or else the
/// one that was tuned for the most sizes.
const LogicSelector::Product *
LogicSelector::findProduct(const ProblemInfo &asked) const {
  const Product *best = nullptr;
  auto rank = [&](const Product &product) {
    return std::pair(isSameEpilogue(product.problem, asked),
                     product.exact.size());
  };
  for (const Product &product : products)
    if (product.problem.hasSameOperands(asked) &&
        (!best || rank(product) > rank(*best)))
      best = &product;
  return best;
}

LogicSelector::Kind &LogicSelector::getKind(const ConfigRequest &request,
                                            const ProblemInfo &asked) {
  for (std::unique_ptr<Kind> &kind : kinds)
    if (kind->chip == &request.chip && isSameKind(kind->problem, asked)) {
      // The next question is often about the same kind.
      std::swap(kind, kinds.front());
      return *kinds.front();
    }
  Kind &kind = *kinds.emplace_back(std::make_unique<Kind>());
  kind.problem = asked;
  kind.chip = &request.chip;
  if (request.chip.name == logic.chip)
    kind.product = findProduct(asked);
  kind.isSameEpilogue =
      kind.product && isSameEpilogue(kind.product->problem, asked);
  kind.verdicts.resize(logic.configs.size());
  return kind;
}

std::optional<unsigned>
LogicSelector::findNumber(Part part, const Product &product,
                          const MatmulSizes &sizes) const {
  if (part == Part::Exact) {
    auto found = product.exact.find({sizes.m, sizes.n, sizes.k, sizes.batch});
    if (found == product.exact.end())
      return std::nullopt;
    return found->second;
  }
  const SizeRule &rule = product.logic->rule;
  unsigned number =
      rule.nodes.empty() ? SizeRule::kNoChoice : rule.choose(sizes);
  if (number == SizeRule::kNoChoice)
    return std::nullopt;
  return number;
}

bool LogicSelector::isLegal(Kind &kind, unsigned number,
                            const KernelConfig &config,
                            const ConfigRequest &request,
                            const ProblemInfo &asked) const {
  const ProblemInfo &tuned = kind.product->problem;
  auto check = [&] {
    return (kind.isSameEpilogue || hasRoomForEpilogue(config, tuned, asked)) &&
           isUsable(config, request, asked);
  };
  if (!request.overrides.empty() || hasRulesForSizes(asked))
    return check();
  uint64_t parameters = packAdapted(config);
  for (const Verdict &verdict : kind.verdicts[number])
    if (verdict.parameters == parameters)
      return verdict.isLegal;
  bool isLegal = check();
  kind.verdicts[number].push_back({parameters, isLegal});
  return isLegal;
}

std::optional<KernelConfig> LogicSelector::choose(Part part,
                                                  const ConfigRequest &request,
                                                  const ProblemInfo &asked) {
  Kind &kind = getKind(request, asked);
  if (!kind.product)
    return std::nullopt;
  std::optional<unsigned> number = findNumber(part, *kind.product, asked);
  if (!number)
    return std::nullopt;
  KernelConfig config = logic.configs[*number];
  if (part == Part::Rule)
    config = getFamily(config.schedule)
                 .adapt(config, /*isSplit=*/false, request.chip, asked);
  if (!isLegal(kind, *number, config, request, asked))
    return std::nullopt;
  answer = &kind.product->answers[static_cast<unsigned>(part)];
  if (asked.epilogueBytes > kind.product->problem.epilogueBytes)
    return stageInputs(config, request, asked);
  return config;
}

} // namespace tcgemm
