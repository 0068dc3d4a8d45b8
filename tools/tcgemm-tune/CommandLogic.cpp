//===- CommandLogic.cpp - tcgemm-tune logic -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Sweeps.h"
#include "tcgemm/Config/ChoiceCache.h"
#include "tcgemm/Model/ModelProvider.h"
#include "tcgemm/Store/LearnLogic.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Store/ShippedMachines.h"
#include "tcgemm/Target/OutputFile.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <ctime>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

static Expected<LogicOptions> readOptions(const LogicFlags &flags) {
  LogicOptions options;
  for (auto [name, value, least, most, option] :
       {std::tuple("depth", flags.depth.getValue(), 1U, 30U,
                   &options.mostDepth),
        std::tuple("leaf-sizes", flags.leafSizes.getValue(), 1U, 1000000U,
                   &options.leafSizes),
        std::tuple("samples", flags.samples.getValue(), 0U, 100000U,
                   &options.samples),
        std::tuple("formulas", flags.formulas.getValue(), 1U, 256U,
                   &options.mostFormulas)}) {
    if (value < least || value > most)
      return llvm::createStringError("--" + llvm::Twine(name) + " is " +
                                     llvm::Twine(value) + ", but it must be " +
                                     llvm::Twine(least) + " to " +
                                     llvm::Twine(most));
    *option = value;
  }
  // A comparison with NaN is false, so that NaN fails here.
  if (!(flags.mostLoss >= 1 && flags.mostLoss <= 100))
    return llvm::createStringError(
        formatv("--most-loss is {0}, but it must be 1 to 100",
                flags.mostLoss.getValue())
            .str());
  options.mostLoss = flags.mostLoss;
  return options;
}

static void printProduct(const ProductLogic &product) {
  llvm::errs() << formatv("{0}: {1} sizes", product.kernel.str(),
                          product.exact.size());
  if (product.rule.nodes.empty()) {
    llvm::errs() << ", too few for a rule\n";
    return;
  }
  const LogicQuality &quality = product.quality;
  llvm::errs() << formatv(", {0} with {1} leaves in {2} comparisons",
                          getRuleKindName(product.kind),
                          product.rule.countLeaves(), product.rule.getDepth());
  if (size_t count = product.rule.formulas.size())
    llvm::errs() << formatv(", formulas of {0} configurations", count);
  llvm::errs() << '\n';
  llvm::errs() << formatv(
      "  left out in turn: loss {0:f3} for {1} sizes, by estimates where the "
      "choice was not measured; {2} sizes without a choice\n",
      quality.loss, quality.sizes, quality.withoutChoice);
  if (quality.measuredSizes)
    llvm::errs() << formatv("  loss {0:f3} for {1} sizes by measured times\n",
                            quality.measuredLoss, quality.measuredSizes);
  if (const ModelQuality &other = product.modelQuality; !other.model.empty())
    llvm::errs() << formatv(
        "  other sizes: loss {0:f3} for {1} random sizes by the {2}, at worst "
        "{3:f3}; {4} without a choice\n",
        other.loss, other.sizes, other.model, other.worst, other.withoutChoice);
}

namespace {

/// Answers a request, and returns whether it has an answer.
using Lookup = llvm::function_ref<bool(const ConfigRequest &)>;

/// Microseconds of the processor for `rounds` times all requests.
double timeRounds(int64_t rounds, llvm::ArrayRef<ConfigRequest> requests,
                  Lookup lookup) {
  std::clock_t start = std::clock();
  for (int64_t i = 0; i != rounds; ++i)
    for (const ConfigRequest &request : requests)
      lookup(request);
  constexpr double perSecond = 1e6;
  return static_cast<double>(std::clock() - start) * perSecond / CLOCKS_PER_SEC;
}

/// Prints the mean time of a lookup, over the requests with an answer. It is
/// that of the processor, because other processes make lookups wait.
void timeLookups(llvm::StringRef what, llvm::ArrayRef<ConfigRequest> all,
                 Lookup lookup) {
  std::vector<ConfigRequest> requests;
  for (const ConfigRequest &request : all)
    if (lookup(request))
      requests.push_back(request);
  if (requests.empty())
    return;
  // The clock has steps of a microsecond; rounds must take much longer.
  constexpr double leastOfRounds = 5000;
  constexpr int repetitions = 10;
  double once = std::max(1.0, timeRounds(1, requests, lookup));
  auto rounds = static_cast<int64_t>(std::ceil(leastOfRounds / once));
  double least = once * static_cast<double>(rounds);
  for (int i = 0; i != repetitions; ++i)
    least = std::min(least, timeRounds(rounds, requests, lookup));
  size_t count = requests.size();
  llvm::errs() << formatv(
      "{0}: {1:f2} us, {2} sizes\n", what,
      least / static_cast<double>(rounds) / static_cast<double>(count), count);
}

/// Times a provider over the requests that it answers under a name that
/// contains `wanted`.
void timeProvider(llvm::StringRef what, llvm::ArrayRef<ConfigRequest> all,
                  ConfigProvider &provider, llvm::StringRef wanted) {
  std::vector<ConfigRequest> requests;
  for (const ConfigRequest &request : all)
    if (provider.lookup(request) && provider.getName().contains(wanted))
      requests.push_back(request);
  timeLookups(what, requests, [&](const ConfigRequest &request) {
    return provider.lookup(request).has_value();
  });
}

std::vector<ConfigRequest>
makeRequests(const SizeLogic &logic, const ChipInfo &chip, int64_t moreRows) {
  std::vector<ConfigRequest> requests;
  for (const ProductLogic &product : logic.products)
    for (const auto &entry : product.exact) {
      TuningProblem problem{product.kernel, entry.first, ""};
      problem.sizes.m += moreRows;
      requests.push_back({chip, problem.getInfo(), "", ""});
    }
  return requests;
}

} // namespace

static Error timeSelection(const SizeLogic &logic, const std::string &path) {
  Expected<const ChipInfo &> chip = lookupChip(logic.chip);
  if (!chip)
    return chip.takeError();
  std::vector<ConfigRequest> tuned = makeRequests(logic, *chip, 0);
  std::vector<ConfigRequest> others = makeRequests(logic, *chip, 8);
  std::shared_ptr<RecordProvider> provider = createRecordProvider(path);
  std::shared_ptr<RecordProvider> records = createRecordProvider("");
  ModelProvider model(readShippedConstants);
  SimulatorProvider simulator(readShippedMachinesByChip);
  for (ConfigProvider *each : std::initializer_list<ConfigProvider *>{
           provider.get(), records.get(), &model, &simulator})
    if (Error error = each->prepare())
      return error;
  ChoiceCache cache;
  for (const ConfigRequest &request : others)
    if (Error error = cache.choose({records}, request).takeError())
      return error;
  timeLookups("size that was asked for before", others,
              [&](const ConfigRequest &request) {
                return cache.find(request) != nullptr;
              });
  timeProvider("tuned size", tuned, *provider, ", exact ");
  for (RuleKind kind : {RuleKind::Thresholds, RuleKind::Tree})
    timeProvider("other size by rule, " + getRuleKindName(kind).str(), others,
                 *provider, (", " + getRuleKindName(kind) + " of ").str());
  timeProvider("other size by model", others, model, "");
  timeProvider("other size by simulator", others, simulator, "");
  timeProvider("tuned size by record", tuned, *records, ", exact ");
  timeProvider("other size by prediction", others, *records, ", predicted ");
  return Error::success();
}

int tcgemm::runLogic(const Flags &flags) {
  Expected<LogicOptions> options = readOptions(flags.logic);
  if (!options)
    return fail(options.takeError(), kExitBadInput);
  if (flags.logic.time && flags.logic.output == "-")
    return fail(llvm::createStringError("--time needs -o with a file"),
                kExitBadInput);
  if (Error error = checkOutputFile(flags.logic.output))
    return fail(std::move(error), kExitBadInput);
  std::vector<std::string> files(flags.logic.files.begin(),
                                 flags.logic.files.end());
  Expected<std::vector<Record>> records = readRecordFiles(files);
  if (!records)
    return fail(records.takeError(), kExitBadInput);
  std::string chip = records->empty() ? "" : records->front().platform.chip;
  Expected<ShippedSpeeds> speeds = readShippedSpeeds();
  if (!speeds)
    return fail(speeds.takeError(), kExitBadInput);
  Expected<SizeLogic> logic =
      learnLogic(*records, speeds->find(chip), *options);
  if (!logic)
    return fail(logic.takeError(), kExitBadInput);
  for (const ProductLogic &product : logic->products)
    printProduct(product);
  llvm::errs() << formatv("{0} configurations\n", logic->configs.size());
  int code = writeOutput(flags.logic.output, [&](llvm::raw_ostream &out) {
    writeSizeLogic(*logic, out);
  });
  if (code != kExitSuccess || !flags.logic.time)
    return code;
  if (Error error = timeSelection(*logic, flags.logic.output))
    return fail(std::move(error), kExitBadInput);
  return kExitSuccess;
}
