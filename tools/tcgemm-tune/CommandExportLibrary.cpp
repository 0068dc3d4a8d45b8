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
#include "Selection.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"
#include "tcgemm/Store/LearnLogic.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Tuner/LibrarySource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// A word of --scaling.
struct Scaling {
  llvm::StringLiteral name;
  bool hasAlpha, hasBeta, isInMemory;
};
constexpr Scaling kScalings[] = {
    {"none", false, false, false},
    {"alpha", true, false, false},
    {"alpha-beta", true, true, false},
    {"device", true, true, true},
};

/// A module's text.
struct ModuleInput {
  std::string path, text;
};

struct PackInput {
  std::string path;
  KernelPack pack;
};

/// What the command line asks for.
struct LibraryInputs {
  std::vector<std::string> chips;
  std::vector<const Scaling *> scalings;
  std::vector<TuningProblem> problems;
  std::vector<ModuleInput> modules;
  std::vector<PackInput> packs;
  /// The expected sizes of modules whose sizes are dynamic; or empty.
  std::string sizeHint;
};

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
  using Exact = std::vector<std::pair<MatmulSizes, unsigned>>;

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
// Inputs
//===----------------------------------------------------------------------===//

static Expected<std::vector<std::string>> readChips(const Flags &flags) {
  llvm::SmallVector<StringRef> names;
  std::string text = getChip(flags);
  StringRef(text).split(names, ',');
  std::vector<std::string> chips;
  for (StringRef name : names) {
    Expected<const ChipInfo &> chip = lookupChip(name);
    if (!chip)
      return chip.takeError();
    if (!llvm::is_contained(chips, name))
      chips.push_back(name.str());
  }
  return chips;
}

static Expected<std::vector<const Scaling *>> readScalings(StringRef text) {
  llvm::SmallVector<StringRef> words;
  text.split(words, ',');
  std::vector<const Scaling *> scalings;
  for (StringRef word : words) {
    const Scaling *found = llvm::find_if(
        kScalings, [&](const Scaling &each) { return each.name == word; });
    if (found == std::end(kScalings))
      return llvm::createStringError(
          "--scaling has '" + word +
          "', but its words are none, alpha, alpha-beta and device");
    if (!llvm::is_contained(scalings, found))
      scalings.push_back(found);
  }
  return scalings;
}

/// Whether an argument names a folder with a pack.
static bool isPack(StringRef path) {
  llvm::SmallString<128> manifest(path);
  llvm::sys::path::append(manifest, "manifest.json");
  return llvm::sys::fs::exists(manifest);
}

/// Reads a module or a pack. A pack is for the chip that it was compiled for.
static Error readModule(const std::string &path, LibraryInputs &inputs) {
  if (isModule(path)) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return llvm::createStringError("cannot read '" + path +
                                     "': " + buffer.getError().message());
    inputs.modules.push_back({path, (*buffer)->getBuffer().str()});
    return Error::success();
  }
  Expected<KernelPack> pack = readPack(path);
  if (!pack)
    return pack.takeError();
  const Manifest &manifest = pack->manifest;
  if (manifest.functions.empty() || manifest.modules.empty())
    return llvm::createStringError("pack '" + path + "' has no function");
  if (Error error = lookupChip(manifest.modules.front().chip).takeError())
    return error;
  inputs.packs.push_back({path, std::move(*pack)});
  return Error::success();
}

/// Fails for options of products.
static Error checkWithoutProducts(const ExchangeFlags &flags) {
  for (auto [name, isGiven] :
       {std::pair("scaling", flags.scaling.getNumOccurrences() > 0),
        std::pair("any-size", flags.anySize.getValue()),
        std::pair("static", flags.shared.problem.isStatic.getValue())})
    if (isGiven)
      return llvm::createStringError(
          "--" + llvm::Twine(name) +
          " is for products, but there are only modules and packs");
  return Error::success();
}

/// With a module, --m, --n and --k are the expected sizes of its products.
static Expected<std::string> readSizeHint(const Flags &flags) {
  Expected<ModuleProblemOptions> options = flags.problem.readRanges();
  if (!options)
    return options.takeError();
  const MatmulRanges &sizes = *options;
  if (sizes.m.empty() && sizes.n.empty() && sizes.k.empty() &&
      sizes.batch.empty())
    return std::string();
  if (sizes.m.empty() || sizes.n.empty() || sizes.k.empty() ||
      sizes.expand().size() != 1)
    return llvm::createStringError(
        "with a module, --m, --n and --k are the expected sizes of its "
        "products: give one number for each, or none of them");
  return sizes.expand().front().str();
}

static Expected<LibraryInputs> readInputs(const ExchangeFlags &flags) {
  const Flags &shared = flags.shared;
  LibraryInputs inputs;
  Expected<std::vector<std::string>> chips = readChips(shared);
  if (!chips)
    return chips.takeError();
  inputs.chips = std::move(*chips);
  Expected<std::vector<const Scaling *>> scalings = readScalings(flags.scaling);
  if (!scalings)
    return scalings.takeError();
  inputs.scalings = std::move(*scalings);
  if (!flags.config.empty())
    return llvm::createStringError(
        "--config is for one kernel, but a library has a configuration for "
        "each size");
  std::vector<std::string> shapes;
  for (const std::string &text : shared.problem.shapes) {
    bool isFile = isModule(text) || isPack(text);
    if (!isFile)
      shapes.push_back(text);
    else if (Error error = readModule(text, inputs))
      return std::move(error);
  }
  Expected<std::vector<TuningProblem>> problems =
      readProblemsOf(shared, shapes, /*mayBeNone=*/true);
  if (!problems)
    return problems.takeError();
  inputs.problems = std::move(*problems);
  if (inputs.problems.empty())
    if (Error error = checkWithoutProducts(flags))
      return std::move(error);
  if (!inputs.modules.empty()) {
    Expected<std::string> hint = readSizeHint(shared);
    if (!hint)
      return hint.takeError();
    inputs.sizeHint = std::move(*hint);
  }
  if (inputs.problems.empty() && inputs.modules.empty() && inputs.packs.empty())
    return llvm::createStringError(
        "a library needs shapes as 4096x4096x4096, --problems, a file.mlir or "
        "the folder of a pack");
  return inputs;
}

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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

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
    if (findViolations(record.config, llvm::cantFail(lookupChip(chip)),
                       scaled.getInfo())
            .empty())
      return makeComplete(record);
    llvm::errs() << "tcgemm-tune: note: the config of the record of "
                 << problem.str() << " is not legal for " << scaled.kernel.str()
                 << " on " << chip << '\n';
  }
  return predictKernel(scaled, chip);
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

/// Learns from the records of the product whose configurations the library has.
/// No rule if there are too few.
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
  Expected<llvm::StringMap<ModelConstants>> constants = readShippedConstants();
  if (!constants)
    return constants.takeError();
  auto own = constants->find(product.chip);
  LogicOptions options;
  options.measuresLoss = false;
  Expected<SizeLogic> logic = learnLogic(
      known, own == constants->end() ? nullptr : &own->second, options);
  if (!logic)
    return logic.takeError();
  SizeRule rule = logic->products.front().rule;
  for (SizeRule::Node &node : rule.nodes)
    if (node.config && *node.config != SizeRule::kNoChoice)
      node.config = numbers.at(logic->configs[*node.config].str());
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
    llvm::errs() << "tcgemm-tune: warning: " << path << ": the library has no "
                 << function.name << ": " << function.reason << '\n';
  if (pack->manifest.functions.empty())
    return llvm::createStringError(path + " has no function for a library");
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
  Expected<LibraryInputs> inputs = readInputs(flags);
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
  size_t numFunctions = 0;
  for (const LibraryModule &module : contents->modules)
    numFunctions += module.pack.manifest.functions.size();
  llvm::errs() << "tcgemm-tune: " << flags.exportOutput << ": "
               << contents->kernels.size() << " kernels of "
               << contents->products.size() << " products, " << numFunctions
               << " functions of modules, for "
               << llvm::join(inputs->chips, ", ") << '\n';
  return kExitSuccess;
}
