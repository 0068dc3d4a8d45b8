//===- RecordProviderTest.cpp - Configurations from records ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/RecordProvider.h"
#include "TunerTestUtils.h"
#include "tcgemm/Model/ModelProvider.h"
#include "tcgemm/Store/Store.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace tcgemm;

namespace {

const char *const kConfig = "cta=128x128x64 warps=2x2x1 stages=";

class RecordProviderTest : public testing::Test {
protected:
  std::optional<KernelConfig> lookup(const TuningProblem &problem,
                                     const std::string &overrides = "",
                                     llvm::StringRef chip = "sm_90a") {
    return provider.lookup(
        {*lookupChip(chip), problem.getInfo(), "kernel", overrides});
  }

  static std::vector<Record> makeRecords() {
    TuningProblem square = makeProblem(1024, 1024, 1024);
    TuningProblem bias = square;
    bias.kernel.epilogue = {{EpiloguePart::Residual}};
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

/// A slower record that has them was measured; the fastest one with them was
/// not.
TEST_F(RecordProviderTest, RecordsWithTheFixedParametersAreTheFirstChoice) {
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  auto getCopy = [&](const char *fixed) {
    RecordProvider records{
        "test.db",
        {makeRecord(problem, kConfig + std::string("4"), 10),
         makeRecord(problem, kConfig + std::string("3 copy_a=8"), 11)}};
    return records
        .lookup({*lookupChip("sm_90a"), problem.getInfo(), "kernel", fixed})
        ->copyA;
  };
  EXPECT_EQ(getCopy(""), 16);
  EXPECT_EQ(getCopy("stages=4"), 16);
  EXPECT_EQ(getCopy("stages=3"), 8);
  EXPECT_EQ(getCopy("stages=2"), 16); // Neither has them.
}

TEST_F(RecordProviderTest, OtherEpiloguesAreTheSecondChoice) {
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  problem.kernel.output = ScalarType::F32;
  auto config = lookup(problem);
  ASSERT_TRUE(config);
  EXPECT_EQ(provider.getName().substr(0, 27), "records of test.db, product");
}

/// The sizes of a dual product are those of its output, while a kernel has the
/// columns of both products.
TEST(RecordProvider, DualProductsHaveRecords) {
  TuningProblem dual = makeProblem(1024, 1024, 1024);
  llvm::cantFail(dual.kernel.setDual("silu-mul"));
  RecordProvider provider{
      "test.db",
      {makeRecord(dual, "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=3",
                  10)}};
  ASSERT_TRUE(
      provider.lookup({*lookupChip("sm_90a"), dual.getInfo(), "kernel", ""}));
  EXPECT_TRUE(provider.getName().contains(", exact "))
      << provider.getName().str();
}

TEST(RecordProvider, ProductsOfKernelsAreKnownBySizesOperandsAndEpilogue) {
  TuningProblem product = makeProblem(1024, 512, 256);
  ProblemInfo same = product.getInfo(), other = same;
  EXPECT_TRUE(isProductOf(product, same));
  other.k = -1;
  EXPECT_FALSE(isProductOf(product, other));
  other = same, other.typeA = ScalarType::F16;
  EXPECT_FALSE(isProductOf(product, other));
  other = same, other.bKContiguous = false;
  EXPECT_FALSE(isProductOf(product, other));
  other = same, other.plainEpilogue = false;
  EXPECT_FALSE(isProductOf(product, other));
}

/// With 192 accumulators for each thread there are no registers for an epilogue
/// that reads, nor for any epilogue in a pingpong kernel.
TEST(RecordProvider, EpiloguesThatDoMoreNeedRegisters) {
  TuningProblem plain = makeProblem(1024, 1024, 1024);
  TuningProblem residual = plain, bias = plain;
  residual.kernel.epilogue = {{EpiloguePart::Residual}};
  bias.kernel.epilogue = {{EpiloguePart::Bias}};
  const char *full = "schedule=wgmma cta=128x192x64 warps=8x1x1 stages=4 "
                     "epilogue=tma persistent=true pingpong=true";
  const char *half = "schedule=wgmma cta=128x128x64 warps=8x1x1 stages=4 "
                     "epilogue=tma persistent=true pingpong=true";
  const char *together = "schedule=wgmma cta=256x168x64 warps=8x1x1 stages=3 "
                         "epilogue=tma persistent=true";
  auto ask = [&](const char *recorded, const TuningProblem &asked) {
    RecordProvider provider{"test.db", {makeRecord(plain, recorded, 10)}};
    return provider
        .lookup({*lookupChip("sm_90a"), asked.getInfo(), "kernel", ""})
        .has_value();
  };
  EXPECT_TRUE(ask(full, plain));
  EXPECT_FALSE(ask(full, residual));
  EXPECT_FALSE(ask(full, bias));
  EXPECT_TRUE(ask(half, residual));
  EXPECT_TRUE(ask(half, bias));
  EXPECT_FALSE(ask(together, residual));
  EXPECT_TRUE(ask(together, bias));
}

/// Among kernels that read and write the same bytes, the kernel that was tuned
/// with the epilogue is chosen, although the plain one is faster.
TEST(RecordProvider, EpiloguesThatMoveTheSameAreNotTheSame) {
  TuningProblem plain = makeProblem(1024, 1024, 1024);
  TuningProblem bias = plain;
  bias.kernel.epilogue = {{EpiloguePart::Bias}};
  RecordProvider provider{"test.db",
                          {makeRecord(plain, kConfig + std::string("4"), 10),
                           makeRecord(bias, kConfig + std::string("3"), 11)}};
  auto getStages = [&](const TuningProblem &asked) {
    return provider
        .lookup({*lookupChip("sm_90a"), asked.getInfo(), "kernel", ""})
        ->stages;
  };
  EXPECT_EQ(getStages(plain), 4);
  EXPECT_EQ(getStages(bias), 3);
}

/// An additional matrix of the epilogue is staged in shared memory and replaces
/// as many stages as needed.
TEST(RecordProvider, EpiloguesThatReadMoreStageIt) {
  TuningProblem plain = makeProblem(8192, 8192, 1024);
  TuningProblem residual = plain;
  residual.kernel.epilogue = {{EpiloguePart::Residual}};
  auto ask = [&](const char *recorded, const TuningProblem &asked,
                 const char *overrides) {
    RecordProvider provider{"test.db", {makeRecord(plain, recorded, 10)}};
    return *provider.lookup(
        {*lookupChip("sm_90a"), asked.getInfo(), "kernel", overrides});
  };
  const char *deep = "schedule=wgmma cta=128x128x64 warps=8x1x1 stages=6 "
                     "epilogue=tma persistent=true";
  EXPECT_FALSE(ask(deep, plain, "").wgmma.stageInputs);
  EXPECT_TRUE(ask(deep, residual, "").wgmma.stageInputs);
  EXPECT_EQ(ask(deep, residual, "").stages, 5);
  EXPECT_FALSE(ask(deep, residual, "epilogue=direct").wgmma.stageInputs);
  EXPECT_FALSE(ask("schedule=wgmma cta=128x128x64 warps=8x1x1 stages=6 "
                   "epilogue=tma",
                   residual, "")
                   .wgmma.stageInputs);
  TuningProblem near = residual;
  near.sizes.m = 8064;
  EXPECT_TRUE(ask(deep, near, "").wgmma.stageInputs);
  // C of 16 bits, also if beta is known at run time only.
  TuningProblem scaled = plain;
  scaled.kernel.hasBeta = true;
  EXPECT_TRUE(ask(deep, scaled, "").wgmma.stageInputs);
  EXPECT_EQ(ask(deep, scaled, "").stages, 5);
  scaled.kernel.output = ScalarType::F32;
  EXPECT_FALSE(ask(deep, scaled, "").wgmma.stageInputs);
}

TEST_F(RecordProviderTest, WithoutConstantsOnlyNearSizesAreAnswered) {
  auto config = lookup(makeProblem(500, 1100, 3900));
  ASSERT_TRUE(config);
  EXPECT_EQ(provider.getName().substr(0, 29), "records of test.db, predicted");
  EXPECT_FALSE(lookup(makeProblem(1024, 1024, 4100)));
  EXPECT_EQ(provider.getName(), "records of test.db");
}

/// Two configurations, each the best where it was tuned.
std::vector<Record> makeWinners() {
  return {makeRecord(makeProblem(4096, 4096, 4096),
                     "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=4 "
                     "epilogue=tma persistent=true",
                     200),
          makeRecord(makeProblem(64, 4096, 4096),
                     "schedule=wgmma cta=64x32x128 warps=4x1x1 stages=8 "
                     "epilogue=tma",
                     8)};
}

TEST_F(RecordProviderTest, ThePredictedFastestIsTaken) {
  RecordProvider winners("winners", makeWinners());
  ASSERT_EQ(getError(winners.prepare()), "no error");
  auto getColumns = [&](const TuningProblem &problem) {
    auto config =
        winners.lookup({*lookupChip("sm_90a"), problem.getInfo(), "k", ""});
    return config ? config->cta[1] : 0;
  };
  // Far from both, and on either side of the middle between them.
  EXPECT_EQ(getColumns(makeProblem(16384, 16384, 8192)), 256);
  EXPECT_EQ(winners.getName(),
            "records of winners, predicted bf16 tn bf16 none "
            "4096x4096x4096 on Test GPU");
  EXPECT_EQ(getColumns(makeProblem(2048, 4096, 4096)), 256);
  // The model has a faster configuration than the record for few rows.
  EXPECT_EQ(getColumns(makeProblem(96, 4096, 4096)), 64);
  EXPECT_EQ(winners.getName(), ModelProvider::kName);
  // Other types and layouts, as far as the configurations are legal for them:
  // of a B with rows along n, tiles are multiples of 64 wide.
  TuningProblem other = makeProblem(96, 4096, 4096);
  setTypes(other, ScalarType::F16);
  EXPECT_EQ(getColumns(other), 64);
  other.kernel.bKContiguous = false;
  EXPECT_EQ(getColumns(other) % 64, 0);
}

/// A record with one slice of k is changed if there are few tiles, and a
/// persistent kernel if there is only one tile for each CTA.
TEST_F(RecordProviderTest, ConfigurationsAreAdapted) {
  RecordProvider winners("winners", makeWinners());
  ASSERT_EQ(getError(winners.prepare()), "no error");
  auto choose = [&](const TuningProblem &problem) {
    return *winners.lookup({*lookupChip("sm_90a"), problem.getInfo(), "k", ""});
  };
  EXPECT_GT(choose(makeProblem(64, 64, 65536)).splitK, 1);
  EXPECT_EQ(choose(makeProblem(64, 64, 256)).splitK, 1);
  EXPECT_TRUE(choose(makeProblem(8192, 8192, 4096)).persistent);
  EXPECT_FALSE(choose(makeProblem(1024, 2048, 8192)).persistent);
}

/// The default model decides on few rows, which the constants do not cover.
TEST_F(RecordProviderTest, FewRowsAreMultipliedWithoutTensorCores) {
  std::vector<Record> records = makeWinners();
  records.push_back(makeRecord(makeProblem(1, 4096, 4096),
                               "schedule=wgmma cta=8x64x128 warps=4x1x1 "
                               "stages=6 epilogue=tma swap_ab=true",
                               8));
  RecordProvider winners("winners", records);
  ASSERT_EQ(getError(winners.prepare()), "no error");
  auto getSchedule = [&](const TuningProblem &problem) {
    return winners.lookup({*lookupChip("sm_90a"), problem.getInfo(), "k", ""})
        ->schedule;
  };
  EXPECT_EQ(getSchedule(makeProblem(1, 4096, 4096)), Schedule::Wgmma);
  EXPECT_EQ(getSchedule(makeProblem(1, 4096, 4104)), Schedule::Gemv);
  EXPECT_EQ(getSchedule(makeProblem(4096, 2, 4096)), Schedule::Gemv);
  EXPECT_EQ(getSchedule(makeProblem(4, 4096, 4096)), Schedule::Wgmma);
  EXPECT_EQ(getSchedule(makeProblem(4, 1024, 128)), Schedule::Gemv);
  TuningProblem across = makeProblem(1, 4096, 4104);
  across.kernel.bKContiguous = false;
  EXPECT_EQ(getSchedule(across), Schedule::Gemv);
  across.sizes.m = 2;
  EXPECT_EQ(getSchedule(across), Schedule::Wgmma);
}

/// The default model's choice is used if its predicted time is much shorter
/// than that of records.
TEST_F(RecordProviderTest, TheModelCompetes) {
  std::vector<Record> records = makeWinners();
  records.erase(records.begin());
  RecordProvider narrow("narrow", records);
  ASSERT_EQ(getError(narrow.prepare()), "no error");
  TuningProblem problem = makeProblem(8192, 8192, 8192);
  auto config =
      narrow.lookup({*lookupChip("sm_90a"), problem.getInfo(), "k", ""});
  ASSERT_TRUE(config);
  EXPECT_GE(config->cta[1], 128);
  EXPECT_EQ(narrow.getName(), ModelProvider::kName);
  EXPECT_TRUE(narrow.getAnswers().empty());
}

/// A time that the model cannot explain counts near its sizes, and not far
/// away.
TEST_F(RecordProviderTest, AModelsErrorIsBelievedNearby) {
  std::vector<Record> records = makeWinners();
  records[0].timing.median *= 3;
  RecordProvider winners("winners", records);
  ASSERT_EQ(getError(winners.prepare()), "no error");
  auto usesRecord = [&](const TuningProblem &problem) {
    EXPECT_TRUE(
        winners.lookup({*lookupChip("sm_90a"), problem.getInfo(), "k", ""}));
    return llvm::StringRef(winners.getName()).contains("4096x4096x4096");
  };
  EXPECT_FALSE(usesRecord(makeProblem(4096, 4096, 4104)));
  EXPECT_TRUE(usesRecord(makeProblem(65536, 32768, 1024)));
}

TEST_F(RecordProviderTest, OtherProductsAndChipsAreNotAnswered) {
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  EXPECT_FALSE(lookup(problem, "", "sm_80"));
  setTypes(problem, ScalarType::F32);
  EXPECT_FALSE(lookup(problem));
  ProblemInfo unknown;
  EXPECT_FALSE(provider.lookup({*lookupChip("sm_90a"), unknown, "kernel", ""}));
}

/// Exact records have precedence, from any source; of two, the file's record is
/// used.
TEST_F(RecordProviderTest, SourcesAreAskedTogether) {
  TemporaryFolder folder;
  auto write = [&](const char *name, const Record &record) {
    std::error_code code;
    llvm::raw_fd_ostream os(folder.get(name), code);
    os << llvm::json::Value(toJSON(record)) << "\n";
    return folder.get(name);
  };
  TuningProblem square = makeProblem(1024, 1024, 1024);
  std::string first =
      write("a", makeRecord(square, kConfig + std::string("4"), 10));
  std::string second =
      write("b", makeRecord(square, kConfig + std::string("3"), 9));
  std::string third = write("c", makeRecord(makeProblem(1024, 1024, 2048),
                                            kConfig + std::string("2"), 1));
  RecordProvider both({first, second});
  ASSERT_EQ(getError(both.prepare()), "no error");
  ConfigRequest request{*lookupChip("sm_90a"), square.getInfo(), "k", ""};
  EXPECT_EQ(both.lookup(request)->stages, 4);
  RecordProvider apart({third, second});
  ASSERT_EQ(getError(apart.prepare()), "no error");
  EXPECT_EQ(apart.lookup(request)->stages, 3);
  EXPECT_EQ(apart.getName().str(),
            "records of " + second +
                ", exact bf16 tn bf16 none 1024x1024x1024 on Test GPU");
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
  RecordProvider lines({path});
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
  RecordProvider rows({database});
  EXPECT_EQ(getError(rows.prepare()), "no error");
  EXPECT_TRUE(rows.lookup(request));
}

TEST_F(RecordProviderTest, WrongFilesAreErrors) {
  EXPECT_NE(getError(RecordProvider({"/no/such/file"}).prepare())
                .find("there is no such file"),
            std::string::npos);
  EXPECT_EQ(getError(parseRecords("\n{\"kernel\": 1}\n", "f")),
            "f:2: record: 'kernel' is not a string");
  EXPECT_EQ(getError(parseRecords("{", "f")).substr(0, 4), "f:1:");
}

TEST_F(RecordProviderTest, TheOptionNamesThem) {
  EXPECT_FALSE(createRecordProvider("none"));
  EXPECT_EQ(createRecordProvider("")->getName(), "records of tcgemm");
  EXPECT_EQ(getError(createRecordProvider("")->prepare()), "no error");
  EXPECT_EQ(createRecordProvider("x.db")->getName(), "records of x.db, tcgemm");
}

/// Fixed parameters may be such that a model cannot compute.
TEST(RecordProvider, FixedParametersThatAreIllegalGiveNoAnswer) {
  std::vector<Record> records = unwrap(getShippedRecords());
  RecordProvider provider{"shipped", records};
  EXPECT_EQ(getError(provider.prepare()), "no error");
  TuningProblem problem = makeProblem(512, 384, 256);
  for (const char *fixed : {"cta=0x0x0", "warps=0x0x0", "stages=0", "split_k=0",
                            "cluster=0x0x0", "schedule=wgmma warps=2x4x1"})
    for (const char *chip : {"sm_90a", "sm_80"})
      EXPECT_FALSE(
          provider.lookup({*lookupChip(chip), problem.getInfo(), "k", fixed}))
          << fixed;
}

TEST(RecordProvider, IllegalRecordsAreLeftOutWithANote) {
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  RecordProvider provider{
      "test.db",
      {makeRecord(problem, "cta=0x0x0", 1),
       makeRecord(problem, "schedule=wgmma warps=2x4x1", 2),
       makeRecord(problem, kConfig + std::string("4"), 10)}};
  std::vector<std::string> notes = provider.takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  llvm::StringRef note = notes.front();
  EXPECT_TRUE(note.starts_with("records of test.db: 2 with an illegal config "
                               "are left out; the first is bf16 tn bf16 none "
                               "1024x1024x1024: "))
      << notes.front();
  EXPECT_TRUE(note.contains("cta M = 0, but it must be")) << notes.front();
  EXPECT_TRUE(provider.takeNotes().empty());
  auto getStages = [&](int64_t m) {
    return provider
        .lookup({*lookupChip("sm_90a"), makeProblem(m, 1024, 1024).getInfo(),
                 "kernel", ""})
        ->stages;
  };
  EXPECT_EQ(getStages(1024), 4); // Unchanged.
  EXPECT_EQ(getStages(1000), 4); // Predicted.
}

/// With a parameter that the user fixes, all variants of all records are
/// compared. This one is the same for all of them.
TEST(RecordProvider, BoundsDoNotChangePredictions) {
  std::shared_ptr<RecordProvider> provider = createRecordProvider("");
  cantFail(provider->prepare());
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  std::mt19937_64 engine(1);
  size_t numPredicted = 0;
  for (llvm::StringRef text : {"bf16 tn bf16 none", "f16 nn f16 bias_gelu",
                               "e4m3 tn bf16 none", "tf32 tn f32 none"})
    for (int i = 0; i != 25; ++i) {
      auto draw = [&] {
        return (int64_t(1) << engine() % 14) + int64_t(engine() % 64);
      };
      MatmulSizes sizes{draw(), draw(), draw(), 1 + int64_t(engine() % 3)};
      TuningProblem problem{cantFail(KernelSpec::parse(text)), sizes, ""};
      ConfigRequest request{chip, problem.getInfo(), "", ""};
      std::optional<KernelConfig> fast = provider->lookup(request);
      std::string name = provider->getName().str();
      request.overrides = "dependent_launch=false";
      std::optional<KernelConfig> all = provider->lookup(request);
      ASSERT_EQ(fast.has_value(), all.has_value()) << problem.str();
      EXPECT_EQ(name, provider->getName()) << problem.str();
      if (!fast)
        continue;
      EXPECT_EQ(fast->str(), all->str()) << problem.str();
      numPredicted += llvm::StringRef(name).contains(", predicted ");
    }
  EXPECT_GT(numPredicted, 20u);
}

} // namespace
