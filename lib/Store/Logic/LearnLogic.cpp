//===- LearnLogic.cpp - Logic from records --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/LearnLogic.h"

#include "Logic/CostTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// Learns a rule from samples.
using Learner = function_ref<SizeRule(const Samples &)>;

/// The orders of nested thresholds.
constexpr std::array<SizeFeature, 3> kOrders[] = {
    {SizeFeature::M, SizeFeature::N, SizeFeature::K},
    {SizeFeature::M, SizeFeature::K, SizeFeature::N},
    {SizeFeature::N, SizeFeature::M, SizeFeature::K},
    {SizeFeature::N, SizeFeature::K, SizeFeature::M},
    {SizeFeature::K, SizeFeature::M, SizeFeature::N},
    {SizeFeature::K, SizeFeature::N, SizeFeature::M},
};

Samples selectAll(const CostTable &table, const LogicOptions &options) {
  Samples samples{table,
                  {},
                  {},
                  options.leafSizes,
                  static_cast<float>(std::log(options.mostLoss))};
  for (unsigned i = 0; i != table.getSizes().size(); ++i)
    samples.sizes.push_back(i);
  samples.usable.assign(table.getConfigs().size(), 1);
  return samples;
}

/// All samples but those of a size and its records.
Samples leaveOut(const Samples &all, unsigned size) {
  Samples samples = all;
  erase_if(samples.sizes, [&](unsigned each) { return each == size; });
  for (size_t i = 0; i != samples.usable.size(); ++i)
    samples.usable[i] = !all.table.isOnlyFrom(size, i);
  return samples;
}

LogicQuality measureLoss(const Samples &all, Learner learn) {
  LogicQuality quality;
  double sum = 0, measuredSum = 0;
  for (unsigned size : all.sizes) {
    SizeRule rule = learn(leaveOut(all, size));
    unsigned choice = rule.choose(all.table.getSizes()[size]);
    if (choice == SizeRule::kNoChoice) {
      ++quality.withoutChoice;
      continue;
    }
    double loss = all.table.getLosses(size)[choice];
    ++quality.sizes;
    sum += loss;
    // The only time of a size says nothing: it is the best one.
    if (!all.table.isMeasured(size, choice) || !all.table.isCompared(size))
      continue;
    ++quality.measuredSizes;
    measuredSum += loss;
  }
  if (quality.sizes)
    quality.loss = std::exp(sum / quality.sizes);
  if (quality.measuredSizes)
    quality.measuredLoss = std::exp(measuredSum / quality.measuredSizes);
  return quality;
}

/// The logarithm of the mean loss, if sizes without a choice lose the most that
/// a leaf may lose.
double getMeanLoss(const LogicQuality &quality, const LogicOptions &options) {
  double sum = quality.sizes * std::log(quality.loss) +
               quality.withoutChoice * std::log(options.mostLoss);
  return sum / (quality.sizes + quality.withoutChoice);
}

class ProductLearner {
public:
  ProductLearner(const CostTable &table, const LogicOptions &options,
                 SizeLogic &logic)
      : table(table), options(options), logic(logic) {}
  void learn(ProductLogic &product);

private:
  unsigned number(unsigned config);

  const CostTable &table;
  const LogicOptions &options;
  SizeLogic &logic;
  std::vector<std::optional<unsigned>> numbers; ///< In the logic's list.
};

} // namespace

/// The number in the logic of a configuration of the table.
unsigned ProductLearner::number(unsigned config) {
  std::optional<unsigned> &known = numbers[config];
  if (known)
    return *known;
  auto found = find(logic.configs, table.getConfigs()[config]);
  known = static_cast<unsigned>(found - logic.configs.begin());
  if (*known == logic.configs.size())
    logic.configs.push_back(table.getConfigs()[config]);
  return *known;
}

/// Learns both kinds of rules, and keeps the one that loses less for sizes that
/// are left out.
void ProductLearner::learn(ProductLogic &product) {
  numbers.resize(table.getConfigs().size());
  for (unsigned i = 0; i != table.getSizes().size(); ++i)
    product.exact.emplace_back(table.getSizes()[i], number(table.getBest(i)));
  if (table.getSizes().size() < options.leastSizes)
    return;
  Samples all = selectAll(table, options);
  const std::array<SizeFeature, 3> *order = nullptr;
  float least = 0;
  for (const std::array<SizeFeature, 3> &each : kOrders) {
    SizeRule rule = learnThresholds(all, each);
    float loss = sumLosses(rule, all);
    if (order && loss >= least)
      continue;
    order = &each;
    least = loss;
    product.rule = std::move(rule);
  }
  product.kind = RuleKind::Thresholds;
  SizeRule tree = learnTree(all, options.mostDepth);
  bool isTreeBetter = sumLosses(tree, all) < least;
  if (options.measuresLoss) {
    product.quality = measureLoss(all, [&](const Samples &samples) {
      return learnThresholds(samples, *order);
    });
    LogicQuality quality = measureLoss(all, [&](const Samples &samples) {
      return learnTree(samples, options.mostDepth);
    });
    isTreeBetter =
        getMeanLoss(quality, options) <= getMeanLoss(product.quality, options);
    if (isTreeBetter)
      product.quality = quality;
  }
  if (isTreeBetter) {
    product.kind = RuleKind::Tree;
    product.rule = std::move(tree);
  }
  for (SizeRule::Node &node : product.rule.nodes)
    if (node.config && *node.config != SizeRule::kNoChoice)
      node.config = number(*node.config);
}

Expected<SizeLogic> learnLogic(ArrayRef<Record> records,
                               const ModelConstants *constants,
                               const LogicOptions &options) {
  SizeLogic logic;
  MapVector<StringRef, std::vector<const Record *>, StringMap<unsigned>>
      products;
  StringMap<KernelSpec> kernels;
  for (const Record &record : records) {
    if (!record.isSuccess() || record.timing.median <= 0 ||
        record.timing.stage == TimingStage::Model)
      continue;
    const Platform &platform = record.platform;
    Expected<const ChipInfo &> chip = lookupChip(platform.chip);
    if (!chip)
      return chip.takeError();
    if (!isComputable(record.config) ||
        !isLegal(record.config, *chip, record.problem.getInfo()))
      continue;
    if (logic.chip.empty()) {
      logic.chip = platform.chip;
      logic.device = platform.device;
    }
    if (platform.chip != logic.chip || platform.device != logic.device)
      return createStringError("the records are of " + logic.device + " (" +
                               logic.chip + ") and of " + platform.device +
                               " (" + platform.chip +
                               "), but a logic is of one device");
    KernelSpec kernel = record.problem.kernel;
    kernel.isBatched = kernel.isStatic = false;
    auto entry = kernels.try_emplace(kernel.str(), kernel).first;
    products[entry->first()].push_back(&record);
  }
  if (logic.chip.empty())
    return createStringError("no record has a measured time and a legal "
                             "configuration");
  const ChipInfo &chip = cantFail(lookupChip(logic.chip));
  for (const auto &entry : products) {
    ProductLogic &product = logic.products.emplace_back();
    product.kernel = kernels.find(entry.first)->second;
    CostTable table(entry.second, chip, constants);
    ProductLearner(table, options, logic).learn(product);
  }
  return std::move(logic);
}

} // namespace tcgemm
