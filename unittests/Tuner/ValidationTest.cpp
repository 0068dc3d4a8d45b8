//===- ValidationTest.cpp - Cases, their log and their errors -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Validation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <set>

using namespace tcgemm;
using llvm::cantFail;

namespace {

const ChipInfo &getChip() { return cantFail(lookupChip("sm_90a")); }

TEST(Validation, HasTheCasesOfThePaper) {
  std::vector<ValidationCase> cases = getValidationCases();
  EXPECT_EQ(cases.size(), 4096u);
  std::set<std::string> sizes;
  for (const ValidationCase &each : cases)
    sizes.insert(each.sizes.str());
  EXPECT_EQ(sizes.size(), 512u);
  EXPECT_EQ(cases.front().sizes.str(), "128x128x128");
  EXPECT_EQ(cases.back().sizes.str(), "1024x1024x1024");
  EXPECT_EQ(cases.back().getCTAs(), 64);
  EXPECT_EQ(cases.front().getCTAs(), 4);
}

TEST(Validation, EveryTileHasALegalConfiguration) {
  std::vector<ValidationCase> cases = getValidationCases();
  for (const ValidationCase &each : llvm::ArrayRef(cases).take_back(8)) {
    KernelConfig config = cantFail(each.getConfig(getChip()));
    EXPECT_EQ(config.cta, each.tile);
    EXPECT_GE(config.stages, 2);
    EXPECT_LE(config.stages, 8);
    EXPECT_FALSE(config.persistent);
  }
  // Not more slots than stages.
  EXPECT_EQ(cantFail(cases.front().getConfig(getChip())).stages, 2);
  const ChipInfo &other = cantFail(lookupChip("sm_80"));
  llvm::Expected<KernelConfig> none = cases.front().getConfig(other);
  ASSERT_FALSE(bool(none));
  EXPECT_NE(toString(none.takeError()).find("wgmma"), std::string::npos);
}

std::string write(llvm::ArrayRef<ValidationResult> results) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeResultHeader(os);
  for (const ValidationResult &result : results)
    writeResult(result, os);
  return text;
}

TEST(Validation, ReadsTheLogThatItWrites) {
  std::vector<ValidationCase> cases = getValidationCases();
  std::vector<ValidationResult> results = {{cases[77], "A GPU", 12.25},
                                           {cases[3], "A GPU", 0.5}};
  auto read = cantFail(parseResults(write(results), "log"));
  ASSERT_EQ(read.size(), 2u);
  for (auto [a, b] : llvm::zip_equal(read, results)) {
    EXPECT_EQ(a.measured, b.measured);
    EXPECT_EQ(a.device, b.device);
    EXPECT_EQ(a.microseconds, b.microseconds);
  }
  EXPECT_TRUE(cantFail(parseResults(write({}), "log")).empty());
}

std::string getError(llvm::StringRef text) {
  auto results = parseResults(text, "log");
  EXPECT_FALSE(bool(results)) << text.str();
  return results ? "" : toString(results.takeError());
}

TEST(Validation, RefusesBadLogs) {
  std::string header = write({});
  EXPECT_EQ(getError(""), "log:1: the header must be device,m,n,k,tile_m,"
                          "tile_n,tile_k,microseconds");
  EXPECT_EQ(getError("m,n,k\n"), getError(""));
  EXPECT_EQ(getError(header + "g,128,128,128,64,64,64\n"),
            "log:2: has 7 fields, but it must have 8");
  // The end of a run that was killed.
  EXPECT_EQ(getError(header + "g,128,12"),
            "log:2: has 3 fields, but it must have 8");
  EXPECT_EQ(getError(header + "g,128,128,1x8,64,64,64,1\n"),
            "log:2: has '1x8', which is no number");
  EXPECT_EQ(getError(header + "g,128,128,128,64,64,64,0\n"),
            "log:2: has 0 microseconds, but it must be above 0 and at most "
            "1000000");
  EXPECT_EQ(getError(header + "g,128,128,128,64,64,64,nan\n"),
            "log:2: has nan microseconds, but it must be above 0 and at most "
            "1000000");
  EXPECT_EQ(
      getError(header + "g,100,128,128,64,64,64,1\n"),
      "log:2: repeats a case, or has a case that the experiment does not have");
  std::string line = "g,128,128,128,64,64,64,1\n";
  EXPECT_EQ(
      getError(header + line + line),
      "log:3: repeats a case, or has a case that the experiment does not have");
}

TEST(Validation, SummarizesErrorsAndChoices) {
  std::vector<ValidationCase> cases = getValidationCases();
  std::vector<ValidationResult> results;
  std::vector<ValidationPrediction> predictions;
  // Two sizes with all tiles, and a tile of a third one.
  for (size_t i = 0; i != 17; ++i) {
    results.push_back({cases[i], "A GPU", double(10 + i % 8)});
    // The kernel model is right, and the recurrences take twice as long, but
    // for the slowest tile, which they take for the fastest.
    predictions.push_back(
        {i % 8 == 7 ? 1.0 : 2.0 * double(10 + i % 8), double(10 + i % 8)});
  }
  ValidationSummary summary = summarize(results, predictions);
  EXPECT_EQ(summary.numCases, 17u);
  EXPECT_EQ(summary.numSizes, 2u);
  EXPECT_NEAR(summary.kernel.mean, 1, 1e-12);
  EXPECT_NEAR(summary.kernel.error, 0, 1e-12);
  EXPECT_NEAR(*summary.kernel.choice, 1, 1e-12);
  EXPECT_NEAR(*summary.recurrences.choice, 1.7, 1e-12);
  // 15 times 1 and two times 1 - 1/17.
  EXPECT_NEAR(summary.recurrences.error, (15 + 2 * (1 - 1.0 / 17)) / 17, 1e-12);
  EXPECT_NEAR(summary.recurrences.most, 1, 1e-12);
  ValidationSummary few = summarize(llvm::ArrayRef(results).take_front(3),
                                    llvm::ArrayRef(predictions).take_front(3));
  EXPECT_FALSE(few.kernel.choice);
  EXPECT_NEAR(few.recurrences.mean, 2, 1e-12);
}

TEST(Validation, PredictsEveryTile) {
  auto buffer = llvm::MemoryBuffer::getFile(
      TCGEMM_SOURCE_DIR "/unittests/Model/Inputs/fitted.machine.yaml");
  Machine machine = cantFail(parseMachine((*buffer)->getBuffer(), "fitted"));
  std::vector<ValidationCase> cases = getValidationCases();
  for (size_t i = 0; i < cases.size(); i += 113) {
    ValidationPrediction prediction =
        cantFail(predictCase(machine, getChip(), cases[i]));
    EXPECT_GT(prediction.recurrences, 0.58);
    EXPECT_GT(prediction.kernel, 0.58);
    EXPECT_LT(prediction.kernel, 100);
  }
}

} // namespace
