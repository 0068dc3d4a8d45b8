//===- RecordProviderTest.cpp - Configurations from records --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/RecordProvider.h"
#include "TunerTestUtils.h"
#include "tcgemm/Tuner/Store.h"
#include "llvm/Support/raw_ostream.h"

using namespace tcgemm;

namespace {

const char *const kConfig = "cta=128x128x64 warps=2x2x1 stages=";

class RecordProviderTest : public testing::Test {
protected:
  std::optional<KernelConfig> lookup(const TuningProblem &problem,
                                     std::string overrides = "",
                                     llvm::StringRef chip = "sm_90a") {
    return provider.lookup(
        {*lookupChip(chip), problem.getInfo(), "kernel", overrides});
  }

  static std::vector<Record> makeRecords() {
    TuningProblem square = makeProblem(1024, 1024, 1024);
    TuningProblem bias = square;
    bias.kernel.epilogue = "residual";
    Record failure = makeRecord(square, kConfig + std::string("6"), 1);
    failure.outcome = Outcome::Correctness;
    Record model = makeRecord(square, kConfig + std::string("5"), 1);
    model.timing.stage = TimingStage::Model;
    return {makeRecord(square, kConfig + std::string("4"), 10),
            makeRecord(square, kConfig + std::string("3"), 11),
            makeRecord(bias, kConfig + std::string("2"), 5), failure, model};
  }

  RecordProvider provider{"test.db", makeRecords()};
};

TEST_F(RecordProviderTest, ExactIsTheFastestSuccess) {
  auto config = lookup(makeProblem(1024, 1024, 1024));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->stages, 4);
  EXPECT_EQ(provider.getName(), "records of test.db, exact bf16 tn bf16 none "
                                "1024x1024x1024 on Test GPU");
}

TEST_F(RecordProviderTest, OtherEpiloguesAreTheSecondChoice) {
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  problem.kernel.outType = "f32";
  auto config = lookup(problem);
  ASSERT_TRUE(config);
  EXPECT_EQ(provider.getName().substr(0, 27), "records of test.db, product");
}

TEST_F(RecordProviderTest, NearestIsWithinAFactorOfTwo) {
  auto config = lookup(makeProblem(1000, 1100, 1900));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->stages, 4);
  EXPECT_EQ(provider.getName().substr(0, 27), "records of test.db, nearest");
  EXPECT_FALSE(lookup(makeProblem(1024, 1024, 2100)));
  EXPECT_EQ(provider.getName(), "records of test.db");
}

TEST_F(RecordProviderTest, OtherProductsAndChipsAreNotAnswered) {
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  EXPECT_FALSE(lookup(problem, "", "sm_80"));
  problem.kernel.layout = "nn";
  EXPECT_FALSE(lookup(problem));
  problem.kernel.layout = "tn";
  problem.kernel.type = "f16";
  EXPECT_FALSE(lookup(problem));
  ProblemInfo unknown;
  EXPECT_FALSE(provider.lookup({*lookupChip("sm_90a"), unknown, "kernel", ""}));
}

TEST_F(RecordProviderTest, WhatTheUserFixesMustBeLegal) {
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  EXPECT_TRUE(lookup(problem, "stages=3"));
  EXPECT_FALSE(lookup(problem, "cta=512x512x64"));
}

TEST_F(RecordProviderTest, FilesAreRead) {
  TemporaryFolder folder;
  std::string path = folder.get("r.jsonl");
  {
    std::error_code code;
    llvm::raw_fd_ostream os(path, code);
    for (const Record &record : makeRecords())
      os << llvm::json::Value(toJSON(record)) << "\n";
  }
  RecordProvider lines(path);
  EXPECT_EQ(getError(lines.prepare()), "no error");
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  ConfigRequest request{*lookupChip("sm_90a"), problem.getInfo(), "k", ""};
  EXPECT_EQ(lines.lookup(request)->stages, 4);
  ASSERT_EQ(lines.getAnswers().size(), 1u);
  EXPECT_EQ(lines.getAnswers()[0],
            "k: records of " + path +
                ", exact bf16 tn bf16 none 1024x1024x1024 on Test GPU");

  std::string database = folder.get("r.db");
  {
    auto store = unwrap(Store::open(database, Store::Mode::ReadWrite));
    for (const Record &record : makeRecords())
      EXPECT_EQ(getError(store->put(record)), "no error");
  }
  RecordProvider rows(database);
  EXPECT_EQ(getError(rows.prepare()), "no error");
  EXPECT_TRUE(rows.lookup(request));
}

TEST_F(RecordProviderTest, WrongFilesAreErrors) {
  EXPECT_NE(getError(RecordProvider("/no/such/file").prepare())
                .find("there is no such file"),
            std::string::npos);
  EXPECT_EQ(getError(parseRecords("\n{\"kernel\": 1}\n", "f")),
            "f:2: record: 'kernel' is not a string");
  EXPECT_EQ(getError(parseRecords("{", "f")).substr(0, 4), "f:1:");
}

TEST_F(RecordProviderTest, TheOptionNamesThem) {
  EXPECT_TRUE(createRecordProviders("none").empty());
  EXPECT_EQ(createRecordProviders("").size(), 1u);
  EXPECT_EQ(createRecordProviders("x.db").size(), 2u);
  EXPECT_EQ(getError(RecordProvider("").prepare()), "no error");
}

} // namespace
