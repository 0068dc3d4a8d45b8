//===- SizeLogicTest.cpp - Rules from sizes to configurations -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/SizeLogic.h"
#include "TunerTestUtils.h"
#include "tcgemm/Store/LearnLogic.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Store/ShippedMachines.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace tcgemm;

namespace {

constexpr const char *kSmall = "cta=64x64x32 warps=2x2x1 stages=3";
constexpr const char *kLarge = "cta=128x128x32 warps=2x2x1 stages=3";

std::string write(const SizeLogic &logic) {
  std::string text;
  llvm::raw_string_ostream out(text);
  writeSizeLogic(logic, out);
  return text;
}

/// A logic of two configurations: the second one from M = 100 on.
SizeLogic makeLogic() {
  SizeLogic logic;
  logic.chip = "sm_90a";
  logic.device = "Test GPU";
  logic.configs.resize(2);
  EXPECT_FALSE(bool(logic.configs[0].apply(kSmall)));
  EXPECT_FALSE(bool(logic.configs[1].apply(kLarge)));
  ProductLogic &product = logic.products.emplace_back();
  product.exact = {{{7, 8, 9, 1}, 1}};
  SizeRule::Node compare, small, large;
  compare.threshold = 100;
  compare.below = 1;
  compare.other = 2;
  small.config = 0;
  large.config = 1;
  product.rule.nodes = {compare, small, large};
  product.quality.sizes = 2;
  return logic;
}

/// Writes a logic to a file and gives a provider of it.
class LogicFile {
public:
  explicit LogicFile(const SizeLogic &logic) : LogicFile(write(logic)) {}
  explicit LogicFile(const std::string &text) {
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("tcgemm", "json", path));
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << text;
    EXPECT_FALSE(code);
    provider = createRecordProvider(path);
    prepared = getError(provider->prepare());
  }
  ~LogicFile() { EXPECT_FALSE(llvm::sys::fs::remove(path)); }

  std::optional<KernelConfig> lookup(const TuningProblem &problem,
                                     const std::string &overrides = "",
                                     llvm::StringRef chip = "sm_90a") {
    return provider->lookup(
        {*lookupChip(chip), problem.getInfo(), "kernel", overrides});
  }
  bool isByLogic() const {
    return provider->getName().starts_with("logic of ");
  }

  llvm::SmallString<128> path;
  std::shared_ptr<RecordProvider> provider;
  std::string prepared;
};

TEST(SizeLogic, FeaturesOfSizes) {
  MatmulSizes sizes{24, 7, 4096, 3};
  EXPECT_EQ(getSizeFeature(SizeFeature::Area, sizes), 24 * 7 * 3);
  EXPECT_EQ(getSizeFeature(SizeFeature::DivisorM, sizes), 8);
  EXPECT_EQ(getSizeFeature(SizeFeature::DivisorN, sizes), 1);
  EXPECT_EQ(getSizeFeature(SizeFeature::DivisorK, sizes), 64);
  int64_t most = kMaxProblemSize;
  EXPECT_EQ(getSizeFeature(SizeFeature::Area, {most, most, 1, most}),
            std::numeric_limits<int64_t>::max());
}

TEST(SizeLogic, FilesAreReadAsTheyWereWritten) {
  SizeLogic logic = makeLogic();
  SizeRule::Node none;
  none.config = SizeRule::kNoChoice;
  logic.products[0].rule.nodes.push_back(none);
  std::string text = write(logic);
  EXPECT_TRUE(isSizeLogic(text));
  llvm::Expected<SizeLogic> read = parseSizeLogic(text, "test.json");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(write(*read), text);
  EXPECT_EQ(read->products[0].rule.getDepth(), 1u);
  EXPECT_EQ(read->products[0].rule.choose({99, 1, 1, 1}), 0u);
  EXPECT_EQ(read->products[0].rule.choose({100, 1, 1, 1}), 1u);
}

/// A logic whose rule asks a formula of each configuration. The first one has
/// small tiles, which take two thirds as long as large ones.
SizeLogic makeFormulas() {
  SizeLogic logic = makeLogic();
  SizeRule &rule = logic.products[0].rule;
  rule.nodes.resize(1);
  rule.nodes[0].config = SizeRule::kFastest;
  constexpr int64_t processors = 132;
  for (unsigned i = 0; i != 2; ++i) {
    double time = i == 0 ? 1 : 1.5;
    rule.formulas.emplace_back(
        i, FormulaShape::create(logic.configs[i], processors),
        TimeFormula::Weights{0.5 * time, 0.1 * time, 0.25 * time, 0.1 * time,
                             1e-3 * time, 1e-6, 1e-6, 1e-6});
  }
  logic.products[0].modelQuality = {"fitted model", 190, 1.03, 1.2, 10};
  return logic;
}

TEST(TimeFormula, CountsTilesRoundsAndSteps) {
  KernelConfig config;
  config.cta = {64, 128, 32};
  config.splitK = 2;
  FormulaShape shape = FormulaShape::create(config, 10);
  EXPECT_EQ(shape.depth, 64);
  TimeFormula formula(0, shape, {});
  // 2 batches of 2 x 3 tiles with 2 slices each are 24 CTAs in 3 rounds.
  TimeFormula::Weights terms =
      formula.getTerms(FormulaSizes(MatmulSizes{65, 257, 65, 2}));
  EXPECT_DOUBLE_EQ(terms[1], 2);
  EXPECT_DOUBLE_EQ(terms[2], 2);
  EXPECT_DOUBLE_EQ(terms[3], 4);
  EXPECT_DOUBLE_EQ(terms[4], 2);
  EXPECT_DOUBLE_EQ(terms[5], 2e-6 * 65 * 65);
  EXPECT_DOUBLE_EQ(terms[6], 2e-6 * 257 * 65);
  EXPECT_DOUBLE_EQ(terms[7], 2e-6 * 65 * 257 * 2);
  // Four CTAs, and 10 places.
  terms = formula.getTerms(FormulaSizes(MatmulSizes{65, 128, 640, 1}));
  EXPECT_DOUBLE_EQ(terms[2], 0);
  EXPECT_DOUBLE_EQ(terms[4], 0.4 * 10);
}

/// Tiles are counted exactly, although the quotients are real numbers.
TEST(TimeFormula, RoundsUpExactly) {
  for (int64_t rows = 1; rows != 300; ++rows) {
    FormulaShape shape;
    shape.depth = rows;
    TimeFormula formula(0, shape, {});
    for (int64_t count : {int64_t(1), int64_t(2), int64_t(77), int64_t(4097),
                          kMaxProblemSize / rows})
      for (int64_t k : {rows * count - 1, rows * count, rows * count + 1}) {
        if (k < 1 || k > kMaxProblemSize)
          continue;
        EXPECT_EQ(formula.getTerms(FormulaSizes(MatmulSizes{1, 1, k, 1}))[1],
                  static_cast<double>((k + rows - 1) / rows))
            << k << " / " << rows;
      }
  }
}

TEST(SizeLogic, FormulasChooseByWaves) {
  SizeRule rule = makeFormulas().products[0].rule;
  // 132 small tiles are one round; 144 are two, and 36 large ones are one.
  EXPECT_EQ(rule.choose({11 * 64, 12 * 64, 1024, 1}), 0u);
  EXPECT_EQ(rule.choose({12 * 64, 12 * 64, 1024, 1}), 1u);
  // Sizes that exceed 64 bits.
  int64_t most = kMaxProblemSize;
  EXPECT_LT(rule.choose({most, most, most, most}), 2u);
  rule.renumber([](unsigned number) { return number + 5; });
  EXPECT_EQ(rule.choose({11 * 64, 12 * 64, 1024, 1}), 5u);
}

TEST(SizeLogic, FilesHaveFormulas) {
  std::string text = write(makeFormulas());
  llvm::Expected<SizeLogic> read = parseSizeLogic(text, "test.json");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(write(*read), text);
  EXPECT_EQ(read->products[0].rule.choose({12 * 64, 12 * 64, 1024, 1}), 1u);
  EXPECT_EQ(read->products[0].modelQuality.sizes, 190u);
  LogicFile file(*read);
  std::optional<KernelConfig> config = file.lookup(makeProblem(64, 64, 64));
  ASSERT_TRUE(config && file.isByLogic());
  EXPECT_EQ(config->cta[0], 64);
}

/// Version 2 has no weight of filled places, so that it is 0.
TEST(SizeLogic, FilesOfVersion2HaveSevenWeights) {
  std::string text = write(makeFormulas());
  auto replace = [&](llvm::StringRef from, llvm::StringRef to) {
    size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from.str();
    text.replace(place, from.size(), to.str());
  };
  replace("\"version\": 3", "\"version\": 2");
  EXPECT_EQ(getError(parseSizeLogic(text, "x.json").takeError()),
            "x.json: products[0].formulas[0].weights: must have 7 numbers");
  replace("0.001,", "");
  replace("0.0015,", "");
  llvm::Expected<SizeLogic> read = parseSizeLogic(text, "x.json");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->products[0].rule.formulas[1].getWeights(),
            (TimeFormula::Weights{0.75, 0.1 * 1.5, 0.375, 0.1 * 1.5, 0, 1e-6,
                                  1e-6, 1e-6}));
  // Files are written in the newest version, which may be read again.
  EXPECT_TRUE(llvm::StringRef(write(*read)).contains("\"version\": 3"));
  llvm::Expected<SizeLogic> again = parseSizeLogic(write(*read), "x.json");
  EXPECT_TRUE(bool(again)) << llvm::toString(again.takeError());
}

TEST(SizeLogic, BadFormulasAreErrorsWithTheirPlace) {
  const std::string good = write(makeFormulas());
  for (auto [from, to, message] : std::vector<std::array<const char *, 3>>{
           {"\"fastest\": true", "\"fastest\": 1",
            "x.json: products[0].rule[0].fastest: must be true"},
           {"\"rows\": 64", "\"rows\": 0",
            "x.json: products[0].formulas[0].rows: must be an integer from 1"},
           {"\"places\": 132", "\"places\": 0.5",
            "x.json: products[0].formulas[0].places: must be an integer from "
            "1"},
           {"0.5,", "-0.5,",
            "x.json: products[0].formulas[0].weights[0]: must be a number "
            "from 0"},
           {"0.5,", "0.5, 1,",
            "x.json: products[0].formulas[0].weights: must have 8 numbers"},
           {"\"model\"", "\"models\"",
            "x.json: products[0].by_model: missing key 'model'"}}) {
    std::string text = good;
    size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    text.replace(place, strlen(from), to);
    EXPECT_EQ(getError(parseSizeLogic(text, "x.json").takeError())
                  .substr(0, strlen(message)),
              message);
  }
}

TEST(SizeLogic, BadFilesAreErrorsWithTheirPlace) {
  const std::string good = write(makeLogic());
  auto getMessage = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string text = good;
    size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from.str();
    if (place != std::string::npos)
      text.replace(place, from.size(), to.str());
    return getError(parseSizeLogic(text, "x.json").takeError());
  };
  for (auto [from, to, message] : std::vector<std::array<const char *, 3>>{
           {"\"version\": 3", "\"version\": 4",
            "x.json: version: must be an integer from 1 to 3"},
           {"sm_90a", "sm_1", "x.json: chip: unknown chip 'sm_1'"},
           {"cta = [64, 64, 32]", "cta = 5", "x.json: configs[0]: config"},
           {"bf16 tn bf16 none", "bf17 tn bf16 none",
            "x.json: products[0].kernel: "},
           {"bf16 tn bf16 none", "bf16 tn bf16 none batched",
            "x.json: products[0].kernel: must be neither batched nor static"},
           {"7x8x9", "7x8", "x.json: products[0].exact[0].sizes: "},
           {"\"config\": 1", "\"config\": 2",
            "x.json: products[0].exact[0].config: must be an integer from 0 "
            "to 1"},
           {"\"if\": \"m\"", "\"if\": \"w\"",
            "x.json: products[0].rule[0].if: 'w' is none of m, n, k, batch"},
           {"\"below\": 100", "\"below\": 0",
            "x.json: products[0].rule[0].below: must be an integer from 1 to"},
           {"\"then\": 1", "\"then\": 3",
            "x.json: products[0].rule: node 0 is followed by 3, but it must be "
            "1 to 2"},
           {"\"loss\": 1", "\"loss\": -1",
            "x.json: products[0].left_out.loss: must be a number above 0"},
           {"\"device\"", "\"devices\"", "x.json: missing key 'device'"},
           {"{", "[", "x.json: "}})
    EXPECT_EQ(getMessage(from, to).substr(0, strlen(message)), message);
}

TEST(SizeLogic, SizesThenRuleThenTheRest) {
  LogicFile file(makeLogic());
  ASSERT_EQ(file.prepared, "no error");
  std::optional<KernelConfig> config = file.lookup(makeProblem(7, 8, 9));
  ASSERT_TRUE(config && file.isByLogic());
  EXPECT_EQ(config->cta[0], 128);
  EXPECT_TRUE(file.provider->getName().contains(", exact bf16 tn bf16 none on "
                                                "Test GPU"));
  config = file.lookup(makeProblem(7, 8, 10));
  ASSERT_TRUE(config && file.isByLogic());
  EXPECT_EQ(config->cta[0], 64);
  EXPECT_TRUE(file.provider->getName().contains(", tree of bf16 tn bf16 none"));
  // Other chips, and parameters that make the choice illegal.
  file.lookup(makeProblem(7, 8, 10), "", "sm_80");
  EXPECT_FALSE(file.isByLogic());
  config = file.lookup(makeProblem(7, 8, 10), "stages=5");
  EXPECT_TRUE(config && file.isByLogic());
  file.lookup(makeProblem(7, 8, 10), "schedule=wgmma");
  EXPECT_FALSE(file.isByLogic());
}

TEST(SizeLogic, IllegalChoicesAreNotTaken) {
  SizeLogic logic = makeLogic();
  logic.configs[0].stages = 1;
  LogicFile file(logic);
  for (int i = 0; i != 2; ++i) { // The second time by the stored verdict.
    std::optional<KernelConfig> config = file.lookup(makeProblem(7, 8, 10));
    EXPECT_FALSE(file.isByLogic());
    ASSERT_TRUE(config);
    EXPECT_NE(config->stages, 1);
  }
  EXPECT_TRUE(file.lookup(makeProblem(700, 8, 10)) && file.isByLogic());
}

TEST(SizeLogic, DamagedFilesAreErrors) {
  std::string text = write(makeLogic());
  LogicFile file(text.substr(0, text.size() / 2));
  EXPECT_TRUE(llvm::StringRef(file.prepared).contains(".json: "))
      << file.prepared;
}

/// All sizes have the times of both configurations: the first one is the faster
/// below `border`, by the factor `gain`.
std::vector<Record> makeSteps(double gain, int64_t border) {
  std::vector<Record> records;
  for (int64_t m = 64; m <= 4096; m *= 2)
    for (int64_t n : {256, 512, 1024, 2048}) {
      TuningProblem problem = makeProblem(m, n, 512);
      bool isSmall = m < border;
      records.push_back(makeRecord(problem, kSmall, isSmall ? 10 : 10 * gain));
      records.push_back(makeRecord(problem, kLarge, isSmall ? 10 * gain : 10));
    }
  return records;
}

TEST(LearnLogic, FindsTheThreshold) {
  llvm::Expected<SizeLogic> logic =
      learnLogic(makeSteps(1.5, 300), ChipSpeeds(), LogicOptions());
  ASSERT_TRUE(bool(logic)) << llvm::toString(logic.takeError());
  ASSERT_EQ(logic->products.size(), 1u);
  const ProductLogic &product = logic->products[0];
  EXPECT_EQ(product.exact.size(), 28u);
  EXPECT_EQ(product.rule.countLeaves(), 2u);
  EXPECT_EQ(product.quality.measuredSizes, 28u);
  EXPECT_DOUBLE_EQ(product.quality.loss, 1);
  auto choose = [&](int64_t m) {
    unsigned number = product.rule.choose({m, 512, 512, 1});
    return number == SizeRule::kNoChoice ? 0 : logic->configs[number].cta[0];
  };
  EXPECT_EQ(choose(256), 64);
  EXPECT_EQ(choose(512), 128);
}

/// Without a pattern in the sizes, no configuration is fast for all.
TEST(LearnLogic, MakesNoChoiceThatLosesMuch) {
  std::vector<Record> records = makeSteps(1.5, 300);
  std::mt19937 random(1);
  for (size_t i = 0; i != records.size(); i += 2)
    if (random() % 2)
      std::swap(records[i].timing.median, records[i + 1].timing.median);
  LogicOptions options;
  options.mostDepth = 0;
  options.leafSizes = 28;
  llvm::Expected<SizeLogic> logic = learnLogic(records, ChipSpeeds(), options);
  ASSERT_TRUE(bool(logic)) << llvm::toString(logic.takeError());
  ASSERT_EQ(logic->products[0].rule.nodes.size(), 1u);
  EXPECT_EQ(logic->products[0].rule.choose({64, 64, 64, 1}),
            SizeRule::kNoChoice);
  options.mostLoss = 2;
  logic = learnLogic(records, ChipSpeeds(), options);
  ASSERT_TRUE(bool(logic)) << llvm::toString(logic.takeError());
  EXPECT_NE(logic->products[0].rule.choose({64, 64, 64, 1}),
            SizeRule::kNoChoice);
}

TEST(LearnLogic, RejectsRecordsOfSeveralDevicesAndOfNone) {
  std::vector<Record> records = makeSteps(1.5, 300);
  records.back().platform.device = "Other GPU";
  EXPECT_EQ(getError(learnLogic(records, ChipSpeeds(), {}).takeError()),
            "the records are of Test GPU (sm_90a) and of Other GPU (sm_90a), "
            "but a logic is of one device");
  for (Record &record : records)
    record.timing.stage = TimingStage::Model;
  EXPECT_EQ(getError(learnLogic(records, ChipSpeeds(), {}).takeError()),
            "no record has a measured time and a legal configuration");
}

/// Records of one size, and the model's times for samples.
TEST(LearnLogic, SamplesReplaceRecords) {
  std::vector<Record> records = {
      makeRecord(makeProblem(64, 64, 64), kSmall, 9)};
  ShippedSpeeds speeds = llvm::cantFail(readShippedSpeeds());
  LogicOptions options;
  options.samples = 150;
  options.mostFormulas = 8;
  options.mostLoss = 2;
  llvm::Expected<SizeLogic> logic =
      learnLogic(records, speeds.find("sm_90a"), options);
  ASSERT_TRUE(bool(logic)) << llvm::toString(logic.takeError());
  const ProductLogic &product = logic->products[0];
  EXPECT_GT(product.rule.formulas.size(), 3u);
  EXPECT_LE(product.rule.formulas.size(), 8u);
  EXPECT_EQ(product.modelQuality.model, "fitted model");
  EXPECT_EQ(product.modelQuality.sizes + product.modelQuality.withoutChoice,
            200u);
  EXPECT_LT(product.modelQuality.loss, 1.2);
  EXPECT_GE(product.modelQuality.worst, product.modelQuality.loss);
  // Without constants and a machine, the default model estimates.
  logic = learnLogic(records, ChipSpeeds(), options);
  ASSERT_TRUE(bool(logic)) << llvm::toString(logic.takeError());
  EXPECT_EQ(logic->products[0].modelQuality.model, "default model");
}

/// Measured times count more than a model that contradicts them.
TEST(LearnLogic, RecordsRefuteTheModel) {
  std::vector<Record> records = makeSteps(3, 300);
  // The model knows that larger tiles are faster for large products.
  for (Record &record : records)
    record.timing.median = 1000 / record.timing.median;
  LogicOptions options;
  options.samples = 100;
  options.mostLoss = 1.5;
  options.only = {records[0].config, records[1].config};
  llvm::Expected<SizeLogic> logic = learnLogic(records, ChipSpeeds(), options);
  ASSERT_TRUE(bool(logic)) << llvm::toString(logic.takeError());
  const SizeRule &rule = logic->products[0].rule;
  auto choose = [&](int64_t m) {
    unsigned number = rule.choose({m, 512, 512, 1});
    return number == SizeRule::kNoChoice ? 0 : logic->configs[number].cta[0];
  };
  EXPECT_EQ(choose(64), 128);
  EXPECT_EQ(choose(4096), 64);
}

/// A library's rule chooses among its kernels.
TEST(LearnLogic, ChoosesAmongGivenConfigurations) {
  std::vector<Record> records = makeSteps(1.5, 300);
  ShippedSpeeds speeds = llvm::cantFail(readShippedSpeeds());
  LogicOptions options;
  options.samples = 150;
  options.mostLoss = 1e6;
  options.only = {records[0].config, records[1].config};
  llvm::Expected<SizeLogic> logic =
      learnLogic(records, speeds.find("sm_90a"), options);
  ASSERT_TRUE(bool(logic)) << llvm::toString(logic.takeError());
  const SizeRule &rule = logic->products[0].rule;
  ASSERT_FALSE(rule.nodes.empty());
  for (int64_t m : {1, 100, 5000}) {
    unsigned choice = rule.choose({m, 512, 512, 1});
    ASSERT_NE(choice, SizeRule::kNoChoice);
    EXPECT_TRUE(llvm::is_contained(options.only, logic->configs[choice]));
  }
}

/// Whatever the sizes are, what the shipped records teach is legal.
TEST(LearnLogic, ChoicesAreLegalForAllSizes) {
  std::vector<Record> records = llvm::cantFail(getShippedRecords());
  LogicOptions options;
  options.measuresLoss = false;
  LogicFile file(llvm::cantFail(learnLogic(records, ChipSpeeds(), options)));
  ASSERT_EQ(file.prepared, "no error");
  std::mt19937 random(7);
  unsigned numByLogic = 0;
  auto drawSize = [&] {
    int64_t size = int64_t(1) << random() % 15;
    return size + static_cast<int64_t>(random()) % size;
  };
  for (int i = 0; i != 400; ++i) {
    TuningProblem problem = records[random() % records.size()].problem;
    problem.sizes = {drawSize(), drawSize(), drawSize(), 1};
    if (problem.kernel.hasGroupScales())
      continue;
    std::optional<KernelConfig> config = file.lookup(problem);
    if (!config || !file.isByLogic())
      continue;
    ++numByLogic;
    EXPECT_EQ(getError(checkConfig(*config, *lookupChip("sm_90a"),
                                   problem.getInfo())),
              "no error")
        << problem.str() << " " << config->str();
  }
  EXPECT_GT(numByLogic, 100u);
}

} // namespace
