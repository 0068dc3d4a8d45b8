//===- ExchangeTest.cpp ---------------------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole files are checked by test/Tools/tune-export.test.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Exchange.h"
#include "Exchange/FlatConfig.h"
#include "Space/SpaceSymbols.h"
#include "TunerTestUtils.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/Support/raw_ostream.h"

using namespace tcgemm;

namespace {

Record makeRecord(MatmulSizes sizes, double microseconds) {
  Record record;
  record.problem.sizes = sizes;
  record.platform = {"sm_90a", "GPU", "driver", "13.0", "version"};
  record.timing = summarizeSamples(TimingStage::Full, {microseconds});
  record.timestamp = 1795286066;
  return record;
}

/// The conditions of a space with one restriction, as T1 has them.
std::string getCondition(llvm::StringRef restriction,
                         std::vector<std::string> *leftOut = nullptr) {
  llvm::Expected<Space> space = Space::parse(
      ("name: s\nfixed:\n  - {name: split_k, value: 2}\nparameters:\n"
       "  - {name: cta, values: [64x64x32]}\n"
       "  - {name: warps.m, values: [1, 2]}\n"
       "  - {name: epilogue, values: [direct, staged]}\n"
       "restrictions:\n  - {name: r, require: '" +
       restriction + "'}\n")
          .str(),
      "s.yaml");
  if (!space)
    return llvm::toString(space.takeError());
  TuningProblem problem;
  problem.sizes = {256, 128, 64};
  llvm::Expected<SearchSpace> bound =
      SearchSpace::create(*space, llvm::cantFail(lookupChip("sm_80")), problem);
  if (!bound)
    return llvm::toString(bound.takeError());
  std::string text;
  llvm::raw_string_ostream os(text);
  std::vector<std::string> names = writeT1Input(*bound, os);
  if (leftOut)
    *leftOut = names;
  llvm::json::Value file = llvm::cantFail(llvm::json::parse(text));
  const llvm::json::Array &conditions = *file.getAsObject()
                                             ->getObject("ConfigurationSpace")
                                             ->getArray("Conditions");
  return conditions.empty()
             ? ""
             : conditions[0].getAsObject()->getString("Expression")->str();
}

TEST(ExchangeTest, FlatConfigurationsComeBack) {
  KernelConfig config;
  ASSERT_FALSE(bool(config.apply(
      "schedule=wgmma,cta=128x256x64,cluster=2x1x1,persistent=true,stages=5")));
  llvm::json::Object object;
  for (const FlatParameter &parameter : flatten(config))
    object[parameter.name] = parameter.value.getJSON();
  EXPECT_EQ(object.getInteger("cta_n"), 256);
  EXPECT_EQ(object.getBoolean("persistent"), true);
  EXPECT_EQ(object.getString("schedule"), "wgmma");
  llvm::Expected<KernelConfig> back = unflatten(object);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->str(), config.str());
}

/// A parameter's name may be used after its text is freed.
TEST(ExchangeTest, ParameterNamesOutliveTheirText) {
  for (llvm::StringRef name : {"cta.m", "stages"}) {
    std::string text = name.str();
    std::optional<ParameterName> found = parseParameterName(text);
    ASSERT_TRUE(found);
    text.assign(text.size(), '?');
    EXPECT_EQ(found->key, name.split('.').first);
  }
}

TEST(ExchangeTest, WrongParametersAreNamed) {
  EXPECT_EQ(getError(unflatten(llvm::json::Object{{"block_size_x", 3}})),
            "'block_size_x' is not a parameter of tcgemm");
  EXPECT_EQ(getError(unflatten(llvm::json::Object{{"stages", 2.5}})),
            "parameter 'stages': expected a number, a truth value or a word");
  EXPECT_NE(getError(unflatten(llvm::json::Object{{"stages", "many"}}))
                .find("stages"),
            std::string::npos);
  EXPECT_NE(getError(unflatten(llvm::json::Object{{"cta_m", -1}})).find("cta"),
            std::string::npos);
}

TEST(ExchangeTest, Timestamps) {
  EXPECT_EQ(formatTimestamp(1795286066), "2026-11-21 18:34:26+00:00");
  EXPECT_EQ(parseTimestamp("2026-11-21 18:34:26+00:00"), 1795286066);
  EXPECT_EQ(parseTimestamp("2026-11-21T18:34:26.789Z"), 1795286066);
  EXPECT_EQ(parseTimestamp("yesterday"), std::nullopt);
  EXPECT_EQ(parseTimestamp("2026-11-21"), std::nullopt);
  EXPECT_EQ(parseTime("2026-11-21"), 1795219200);
  EXPECT_EQ(parseTime("2026-11-21T18:34:26"), 1795286066);
  for (llvm::StringRef text :
       {"2026-02-30", "2026-11-21T18:34", "2026-11-21T25:00:00",
        "2026-11-21 18:34:26+00:00", ""})
    EXPECT_EQ(parseTime(text), std::nullopt) << text.str();
}

TEST(ExchangeTest, GroupsAreProblemsOnPlatforms) {
  std::vector<Record> records = {
      makeRecord({1, 1, 1}, 1), makeRecord({2, 2, 2}, 2),
      makeRecord({1, 1, 1}, 3), makeRecord({1, 1, 1}, 4)};
  records[3].platform.driver = "another";
  std::vector<RecordGroup> groups = groupRecords(records);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].size(), 2u);
  EXPECT_EQ(groups[1][0].timing.median, 2);
  EXPECT_EQ(groups[2][0].platform.driver, "another");
}

TEST(ExchangeTest, RestrictionsInPython) {
  EXPECT_EQ(getCondition("cta.m <= 2 * M"),
            "(int(cta.split('x')[0]) <= (2 * 256))");
  EXPECT_EQ(getCondition("warps.m == 2 || epilogue != staged"),
            "((warps_m == 2) or (epilogue != 'staged'))");
  EXPECT_EQ(getCondition("!(M / warps.m % 3 == 0) && N > K"),
            "((not (((256 // warps_m) % 3) == 0)) and (128 > 64))");
  EXPECT_EQ(getCondition("ceildiv(M, warps.m) <= sm_count"),
            "((-(-256 // warps_m)) <= 108)");
  EXPECT_EQ(
      getCondition("select(warps.m == 1, min(M, 4), max(N, 5)) > split_k"),
      "((min(256, 4) if (warps_m == 1) else max(128, 5)) > split_k)");
  EXPECT_EQ(getCondition("threads == 64"),
            "((32 * ((warps_m * 2) * 1)) == 64)");
  // Fixed parameters without a name have their defaults.
  EXPECT_EQ(getCondition("stages == 3 && persistent == false"),
            "((3 == 3) and (False == False))");
}

TEST(ExchangeTest, WhatPythonCannotComputeIsLeftOut) {
  for (llvm::StringRef text :
       {"shared_bytes <= 1000", "estimated_registers < 9"}) {
    std::vector<std::string> leftOut;
    EXPECT_EQ(getCondition(text, &leftOut), "") << text.str();
    EXPECT_EQ(leftOut, std::vector<std::string>{"r"}) << text.str();
  }
}

TEST(ExchangeTest, EveryOutcomeHasItsName) {
  for (unsigned i = 0; i != kNumOutcomes; ++i) {
    Record record = makeRecord({4, 4, 4}, 5);
    record.outcome = static_cast<Outcome>(i);
    if (!record.isSuccess())
      record.timing = {};
    for (auto write : {writeKernelTunerCache, writeT4Results}) {
      std::string text;
      llvm::raw_string_ostream os(text);
      write({record}, os);
      llvm::Expected<std::vector<Record>> back = importRecords(text, "f", {});
      ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
      ASSERT_EQ(back->size(), 1u);
      EXPECT_EQ(back->front().outcome, record.outcome);
      EXPECT_EQ(back->front().problem.str(), record.problem.str());
      EXPECT_EQ(back->front().timing.median, record.timing.median);
    }
  }
}

} // namespace
