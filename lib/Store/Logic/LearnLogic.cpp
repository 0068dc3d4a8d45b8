//===- LearnLogic.cpp - Logic from records --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/LearnLogic.h"

#include "Logic/Formulas.h"
#include "Logic/SizeSamples.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include "llvm/Support/Parallel.h"

#include <cmath>
#include <set>

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

/// Samples of the first sizes of the table, with all configurations.
Samples selectFirst(const CostTable &table, const LogicOptions &options,
                    size_t count, float leastGain) {
  Samples samples{table,
                  {},
                  {},
                  options.leafSizes,
                  static_cast<float>(std::log(options.mostLoss)),
                  leastGain,
                  {}};
  for (unsigned i = 0; i != count; ++i)
    samples.sizes.push_back(i);
  samples.usable.assign(table.getConfigs().size(), 1);
  return samples;
}

/// The recorded sizes that are left out together: each alone, or a few parts if
/// there are samples, with which learning takes longer.
std::vector<std::vector<unsigned>> listParts(const CostTable &table,
                                             const LogicOptions &options) {
  constexpr size_t mostParts = 8;
  size_t count = table.countRecorded();
  size_t numParts = options.samples ? std::min(mostParts, count) : count;
  std::vector<std::vector<unsigned>> parts(numParts);
  for (size_t i = 0; i != count; ++i)
    parts[i % numParts].push_back(static_cast<unsigned>(i));
  return parts;
}

/// All samples but some sizes and their records.
Samples leaveOut(const Samples &all, ArrayRef<unsigned> part) {
  Samples samples = all;
  erase_if(samples.sizes,
           [&](unsigned each) { return is_contained(part, each); });
  for (unsigned size : part)
    for (size_t i = 0; i != samples.usable.size(); ++i)
      if (all.table.isOnlyFrom(size, i))
        samples.usable[i] = 0;
  return samples;
}

LogicQuality measureLoss(const Samples &all, const LogicOptions &options,
                         Learner learn) {
  LogicQuality quality;
  double sum = 0, measuredSum = 0;
  for (const std::vector<unsigned> &part : listParts(all.table, options)) {
    SizeRule rule = learn(leaveOut(all, part));
    for (unsigned size : part) {
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
  }
  if (quality.sizes)
    quality.loss = std::exp(sum / quality.sizes);
  if (quality.measuredSizes)
    quality.measuredLoss = std::exp(measuredSum / quality.measuredSizes);
  return quality;
}

/// Compares the rule's choices for other sizes with the model's.
ModelQuality measureByModel(const CostTable &table, const SizeRule &rule,
                            const KernelSpec &kernel) {
  constexpr unsigned count = 200;
  std::vector<MatmulSizes> sizes = drawSizes(kernel, SampleUse::Judge, count);
  std::vector<std::optional<CostTable::Estimates>> all(sizes.size());
  parallelFor(0, sizes.size(),
              [&](size_t i) { all[i] = table.estimateLosses(sizes[i]); });
  ModelQuality quality;
  quality.model = table.getModel().getName().str();
  double sum = 0, worst = 0;
  for (auto [each, estimates] : zip(sizes, all)) {
    if (!estimates)
      continue;
    unsigned choice = rule.choose(each);
    std::optional<float> loss;
    if (choice != SizeRule::kNoChoice)
      loss = estimates->losses[choice];
    if (!loss) {
      ++quality.withoutChoice;
      continue;
    }
    ++quality.sizes;
    sum += *loss;
    worst = std::max<double>(worst, *loss);
  }
  if (quality.sizes)
    quality.loss = std::exp(sum / quality.sizes);
  quality.worst = std::exp(worst);
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
  void learnFromRecords(ProductLogic &product) const;
  void learnFromSamples(ProductLogic &product) const;

  const CostTable &table;
  const LogicOptions &options;
  SizeLogic &logic;
  std::vector<std::optional<unsigned>> numbers; ///< In the logic's list.
};

/// A tree whose leaves ask formulas, unless one configuration loses less.
SizeRule learnWithFormulas(const Samples &samples, const FormulaTable &table,
                           unsigned mostDepth) {
  std::vector<TimeFormula> formulas = table.select(samples);
  if (formulas.empty())
    return learnTree(samples, mostDepth);
  Samples all = samples;
  all.fastest = table.getLosses(formulas);
  // Leaves have the configurations of formulas, so that these are few, and
  // those of schedules that have no formula.
  ArrayRef<KernelConfig> configs = samples.table.getConfigs();
  std::set<Schedule> schedules;
  std::set<unsigned> selected;
  for (const TimeFormula &formula : formulas) {
    selected.insert(formula.config);
    schedules.insert(configs[formula.config].schedule);
  }
  for (unsigned i = 0; i != configs.size(); ++i)
    if (!selected.count(i) && schedules.count(configs[i].schedule))
      all.usable[i] = 0;
  SizeRule rule = learnTree(all, mostDepth);
  if (any_of(rule.nodes, [](const SizeRule::Node &node) {
        return node.config == SizeRule::kFastest;
      }))
    rule.formulas = std::move(formulas);
  return rule;
}

} // namespace

/// The number in the logic of a configuration of the table.
unsigned ProductLearner::number(unsigned config) {
  numbers.resize(table.getConfigs().size());
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
void ProductLearner::learnFromRecords(ProductLogic &product) const {
  constexpr float leastGain = 0.02F;
  Samples all = selectFirst(table, options, table.countRecorded(), leastGain);
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
  if (options.measuresLoss || options.samples) {
    product.quality = measureLoss(all, options, [&](const Samples &samples) {
      return learnThresholds(samples, *order);
    });
    LogicQuality quality =
        measureLoss(all, options, [&](const Samples &samples) {
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
}

/// Keeps a rule from records alone if the model contradicts the records.
void ProductLearner::learnFromSamples(ProductLogic &product) const {
  // The formulas' choices for samples are good, so that small gains of a
  // comparison are accidents.
  constexpr float leastGain = 0.5F;
  constexpr double contradiction = 1.03;
  Samples all = selectFirst(table, options, table.getSizes().size(), leastGain);
  FormulaTable formulas(table, options);
  auto learn = [&](const Samples &samples) {
    return learnWithFormulas(samples, formulas, options.mostDepth);
  };
  product.kind = RuleKind::Tree;
  product.rule = learn(all);
  bool hasOther = table.countRecorded() >= options.leastSizes;
  if (options.measuresLoss || hasOther)
    product.quality = measureLoss(all, options, learn);
  if (hasOther) {
    ProductLogic other = product;
    learnFromRecords(other);
    if (getMeanLoss(other.quality, options) + std::log(contradiction) <
        getMeanLoss(product.quality, options))
      product = std::move(other);
  }
  if (options.measuresLoss)
    product.modelQuality = measureByModel(table, product.rule, product.kernel);
}

void ProductLearner::learn(ProductLogic &product) {
  for (unsigned i = 0; i != table.countRecorded(); ++i)
    product.exact.emplace_back(table.getSizes()[i], number(table.getBest(i)));
  if (options.samples)
    learnFromSamples(product);
  else if (table.countRecorded() >= options.leastSizes)
    learnFromRecords(product);
  product.rule.renumber([&](unsigned config) { return number(config); });
}

Expected<SizeLogic> learnLogic(ArrayRef<Record> records,
                               const ChipSpeeds &speeds,
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
    ChoiceModel model(chip, speeds, entry.second.front()->problem.getInfo());
    CostTable table(entry.second, product.kernel, chip, model, options);
    ProductLearner(table, options, logic).learn(product);
  }
  return std::move(logic);
}

} // namespace tcgemm
