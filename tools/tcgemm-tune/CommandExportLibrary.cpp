//===- CommandExportLibrary.cpp - tcgemm-tune export of libraries ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library of products, of modules' functions and of packs, for several chips.
//
//===----------------------------------------------------------------------===//

#include "KernelChoice.h"
#include "LibraryInputs.h"
#include "Selection.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"
#include "tcgemm/Store/LearnLogic.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Store/ShippedMachines.h"
#include "tcgemm/Tuner/LibrarySource.h"
#include "llvm/ADT/SetVector.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <set>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// The records of the problems: those of the database come first.
struct LibraryRecords {
  std::vector<Record> own, shipped;
};

class LibraryBuilder {
public:
  LibraryBuilder(const ExchangeFlags &flags, const LibraryInputs &inputs,
                 LibraryRecords records)
      : flags(flags), inputs(inputs), records(std::move(records)) {}
  Expected<LibraryContents> build();

private:
  Error addProblem(const TuningProblem &problem, StringRef chip,
                   const Scaling &scaling);
  Expected<KernelChoice> choose(const TuningProblem &problem, StringRef chip,
                                const Scaling &scaling) const;
  Expected<unsigned> getKernel(KernelChoice choice, const Scaling &scaling);
  LibraryProduct &getProduct(const KernelSpec &kernel, StringRef chip,
                             bool scalarsInMemory);
  Error addRules();
  Expected<SizeRule> learnRule(const LibraryProduct &product) const;
  Error addModule(const ModuleInput &module, const std::string &chip);
  void addPack(const PackInput &input);

  const ExchangeFlags &flags;
  const LibraryInputs &inputs;
  LibraryRecords records;
  LibraryContents contents;
  llvm::StringMap<unsigned> kernels; ///< By all that makes their code.
};

} // namespace

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static Expected<LibraryRecords>
readLibraryRecords(const Flags &flags, llvm::ArrayRef<TuningProblem> problems) {
  LibraryRecords records;
  if (problems.empty())
    return records;
  if (isDatabaseGiven(flags) || llvm::sys::fs::exists(flags.output.database)) {
    Expected<std::vector<Record>> own =
        readRecordsOf(flags.output.database, problems);
    if (!own)
      return own.takeError();
    records.own = std::move(*own);
  }
  if (isDatabaseGiven(flags))
    return records;
  Expected<std::vector<Record>> shipped = getShippedRecords();
  if (!shipped)
    return shipped.takeError();
  records.shipped = std::move(*shipped);
  return records;
}

static std::vector<Record> selectOf(llvm::ArrayRef<Record> records,
                                    const TuningProblem &problem,
                                    StringRef chip) {
  std::vector<Record> found;
  for (const Record &record : records)
    if (record.platform.chip == chip && record.problem.str() == problem.str())
      found.push_back(record);
  return found;
}

/// The best record of the problem without factors, if its configuration is
/// legal with them; else what a model chooses.
Expected<KernelChoice> LibraryBuilder::choose(const TuningProblem &problem,
                                              StringRef chip,
                                              const Scaling &scaling) const {
  std::vector<Record> candidates = selectOf(records.own, problem, chip);
  if (!findBest(candidates))
    candidates = selectOf(records.shipped, problem, chip);
  TuningProblem scaled = problem;
  scaled.kernel.hasAlpha = scaling.hasAlpha;
  scaled.kernel.hasBeta = scaling.hasBeta;
  if (const Record *best = findBest(candidates)) {
    Record record = *best;
    record.problem = scaled;
    if (isLegal(record.config, llvm::cantFail(lookupChip(chip)),
                scaled.getInfo())) {
      KernelChoice choice = makeComplete(record);
      // The record is that of a kernel without factors, which take registers.
      choice.allowsSpills = scaling.hasAlpha || scaling.hasBeta;
      return choice;
    }
    llvm::errs() << "tcgemm-tune: note: the config of the record of "
                 << problem.str() << " is not legal for " << scaled.kernel.str()
                 << " on " << chip << '\n';
  }
  return predictKernel(scaled, chip);
}

/// The most bytes that a program of the manifest spills.
static int64_t countSpills(const Manifest &manifest) {
  int64_t most = 0;
  for (const KernelInfo &kernel : manifest.kernels)
    for (const Variant &variant : kernel.variants)
      for (const Step &step : variant.steps)
        most = std::max(most, step.spillBytes.value_or(0));
  return most;
}

/// The number of the kernel, which problems with one configuration share.
Expected<unsigned> LibraryBuilder::getKernel(KernelChoice choice,
                                             const Scaling &scaling) {
  const Record &record = choice.record;
  std::string config = record.config.str();
  std::string key = record.problem.kernel.str() + " " + record.platform.chip +
                    " " + config + " " + scaling.name.str();
  if (record.problem.kernel.isStatic)
    key += " " + record.problem.sizes.str();
  auto [entry, isNew] = kernels.try_emplace(key, contents.kernels.size());
  if (!isNew)
    return entry->second;
  if (scaling.isInMemory) {
    const KernelSpec &kernel = record.problem.kernel;
    GenerateOptions options{
        {kernel, record.problem.sizes}, kernel.isBatched, kernel.isStatic};
    options.scalarsInMemory = true;
    choice.module = generateMLIR(options);
  }
  std::string chip = record.platform.chip, problem = choice.problem;
  Expected<KernelPack> pack = getPack(flags, choice);
  if (!pack)
    return llvm::createStringError(problem + ", " + chip + ": " +
                                   llvm::toString(pack.takeError()));
  if (int64_t bytes = countSpills(pack->manifest))
    llvm::errs() << "tcgemm-tune: note: " << problem << ", " << chip
                 << ": spills " << bytes << " bytes of registers\n";
  contents.kernels.push_back({std::move(*pack), chip, std::move(config)});
  return entry->second;
}

LibraryProduct &LibraryBuilder::getProduct(const KernelSpec &kernel,
                                           StringRef chip,
                                           bool scalarsInMemory) {
  for (LibraryProduct &product : contents.products)
    if (product.kernel == kernel && product.chip == chip &&
        product.scalarsInMemory == scalarsInMemory)
      return product;
  LibraryProduct &product = contents.products.emplace_back();
  product.kernel = kernel;
  product.chip = chip.str();
  product.scalarsInMemory = scalarsInMemory;
  return product;
}

Error LibraryBuilder::addProblem(const TuningProblem &problem, StringRef chip,
                                 const Scaling &scaling) {
  Expected<KernelChoice> choice = choose(problem, chip, scaling);
  if (!choice)
    return choice.takeError();
  KernelSpec kernel = choice->record.problem.kernel;
  Expected<unsigned> number = getKernel(std::move(*choice), scaling);
  if (!number)
    return number.takeError();
  getProduct(kernel, chip, scaling.isInMemory)
      .exact.emplace_back(problem.sizes, *number);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Rules for other sizes
//===----------------------------------------------------------------------===//

/// Learns from the records of the product whose configurations the library has,
/// and from a model's times of these. No rule if there are too few sizes.
Expected<SizeRule>
LibraryBuilder::learnRule(const LibraryProduct &product) const {
  KernelSpec tuned = product.kernel;
  tuned.hasAlpha = tuned.hasBeta = false;
  std::map<std::string, unsigned> numbers;
  for (const auto &[sizes, number] : product.exact)
    numbers.emplace(contents.kernels[number].config, number);
  std::vector<Record> known;
  for (const std::vector<Record> *source : {&records.own, &records.shipped})
    for (const Record &record : *source)
      if (record.problem.kernel == tuned &&
          record.platform.chip == product.chip && record.isSuccess() &&
          record.timing.stage != TimingStage::Model &&
          record.timing.median > 0 && numbers.count(record.config.str()) &&
          (known.empty() ||
           known.front().platform.device == record.platform.device))
        known.push_back(record);
  if (known.empty())
    return SizeRule();
  Expected<ShippedSpeeds> speeds = readShippedSpeeds();
  if (!speeds)
    return speeds.takeError();
  // No choice loses more.
  constexpr double mostLoss = 1e6;
  LogicOptions options;
  options.measuresLoss = false;
  options.samples = 1000;
  std::set<std::string> texts;
  for (const Record &record : known)
    if (texts.insert(record.config.str()).second)
      options.only.push_back(record.config);
  if (product.exact.size() < options.leastSizes)
    return SizeRule();
  if (flags.anySize)
    options.mostLoss = mostLoss;
  Expected<SizeLogic> logic =
      learnLogic(known, speeds->find(product.chip), options);
  if (!logic)
    return logic.takeError();
  SizeRule rule = logic->products.front().rule;
  rule.renumber([&](unsigned config) {
    return numbers.at(logic->configs[config].str());
  });
  return rule;
}

Error LibraryBuilder::addRules() {
  for (LibraryProduct &product : contents.products) {
    if (product.kernel.isStatic)
      continue;
    Expected<SizeRule> rule = learnRule(product);
    if (!rule)
      return rule.takeError();
    product.rule = std::move(*rule);
    bool makesAllChoices =
        !product.rule.nodes.empty() &&
        llvm::none_of(product.rule.nodes, [](const SizeRule::Node &node) {
          return node.config == SizeRule::kNoChoice;
        });
    if (flags.anySize && !makesAllChoices)
      product.rule = divideSizes(product.exact);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Error LibraryBuilder::addModule(const ModuleInput &module,
                                const std::string &chip) {
  const std::string &path = module.path;
  const Flags &shared = flags.shared;
  CompileOptions options;
  options.chip = chip;
  options.sizeHint = inputs.sizeHint;
  if (llvm::sys::fs::exists(shared.output.database))
    options.records = shared.output.database;
  options.ptxasPath = shared.device.ptxas;
  options.allowSpills = shared.device.allowSpills;
  options.approximateMath = shared.problem.isApproximate;
  options.precision = shared.problem.precision;
  options.remarks = false;
  options.format = flags.embedPTX ? OutputFormat::PTX : OutputFormat::Cubin;
  Expected<KernelPack> pack = compileToPack(module.text, options);
  if (!pack)
    return llvm::createStringError(path + ", " + chip + ": " +
                                   llvm::toString(pack.takeError()));
  for (const LeftOutFunction &function : pack->manifest.leftOut)
    llvm::errs() << "tcgemm-tune: warning: " << path << ", " << chip
                 << ": the library has no " << function.name << ": "
                 << function.reason << '\n';
  if (pack->manifest.functions.empty())
    return llvm::createStringError(path + ", " + chip +
                                   ": there is no function for a library");
  contents.modules.push_back({path, std::move(*pack), chip});
  return Error::success();
}

void LibraryBuilder::addPack(const PackInput &input) {
  KernelPack pack = input.pack;
  if (flags.embedPTX)
    for (ModuleImage &image : pack.images)
      image.cubin.clear();
  std::string chip = pack.manifest.modules.front().chip;
  contents.modules.push_back({input.path, std::move(pack), std::move(chip)});
}

Expected<LibraryContents> LibraryBuilder::build() {
  contents.name = flags.exportName;
  for (const std::string &chip : inputs.chips) {
    for (const TuningProblem &problem : inputs.problems)
      for (const Scaling *scaling : inputs.scalings)
        if (Error error = addProblem(problem, chip, *scaling))
          return std::move(error);
    for (const ModuleInput &module : inputs.modules)
      if (Error error = addModule(module, chip))
        return std::move(error);
  }
  for (const PackInput &pack : inputs.packs)
    addPack(pack);
  if (Error error = addRules())
    return std::move(error);
  return std::move(contents);
}

int tcgemm::exportLibrary(const ExchangeFlags &flags) {
  if (flags.exportOutput == "-")
    return fail(llvm::createStringError("a library is a folder: give -o DIR"),
                kExitBadInput);
  // Known before anything is compiled.
  if (Error error = checkLibraryName(flags.exportName))
    return fail(std::move(error), kExitBadInput);
  if (llvm::sys::fs::exists(flags.exportOutput) &&
      !llvm::sys::fs::is_directory(flags.exportOutput))
    return fail(
        llvm::createStringError("'" + flags.exportOutput + "' is not a folder"),
        kExitBadInput);
  Expected<LibraryInputs> inputs = readLibraryInputs(flags);
  if (!inputs)
    return fail(inputs.takeError(), kExitBadInput);
  Expected<LibraryRecords> records =
      readLibraryRecords(flags.shared, inputs->problems);
  if (!records)
    return fail(records.takeError(), kExitBadInput);
  Expected<LibraryContents> contents =
      LibraryBuilder(flags, *inputs, std::move(*records)).build();
  if (!contents)
    return fail(contents.takeError(), kExitRunFailed);
  if (Error error = writeLibrary(*contents, flags.exportOutput))
    return fail(std::move(error), kExitBadInput);
  llvm::SetVector<llvm::StringRef> chips(inputs->chips.begin(),
                                         inputs->chips.end());
  for (const LibraryModule &module : contents->modules)
    chips.insert(module.chip);
  size_t numFunctions = 0;
  for (const LibraryModule &module : contents->modules)
    numFunctions += module.pack.manifest.functions.size();
  llvm::errs() << "tcgemm-tune: " << flags.exportOutput << ": "
               << contents->kernels.size() << " kernels of "
               << contents->products.size() << " products, " << numFunctions
               << " functions of modules, for " << llvm::join(chips, ", ")
               << '\n';
  return kExitSuccess;
}
