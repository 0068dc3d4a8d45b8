//===- KernelModelTest.cpp - Tests of simulated kernels ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/KernelModel.h"
#include "ModelTestUtils.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Model/Tiling.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace tcgemm;
using llvm::cantFail;

namespace {

Machine readMachine() {
  auto buffer = llvm::MemoryBuffer::getFile(
      TCGEMM_SOURCE_DIR "/unittests/Model/Inputs/fitted.machine.yaml");
  return cantFail(parseMachine((*buffer)->getBuffer(), "h200"));
}

void set(Machine &machine, Quantity quantity, double value) {
  machine.values[size_t(quantity)].value = value;
}

const ChipInfo &getChip() { return cantFail(lookupChip("sm_90a")); }

ProblemInfo makeProduct(int64_t m, int64_t n, int64_t k) {
  ProblemInfo product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.batch = 1;
  product.typeA = product.typeB = ScalarType::BF16;
  return product;
}

/// The last value of a parameter counts.
KernelConfig readConfig(llvm::StringRef text) {
  KernelConfig config;
  config.schedule = Schedule::Wgmma;
  llvm::SmallVector<llvm::StringRef> items;
  llvm::SplitString(text, items);
  for (llvm::StringRef item : items)
    EXPECT_FALSE(errorToBool(config.apply(item))) << item.str();
  return config;
}

KernelPrediction predict(const Machine &machine, llvm::StringRef config,
                         const ProblemInfo &product) {
  llvm::Expected<KernelPrediction> prediction =
      predictKernel(machine, getChip(), readConfig(config), product);
  if (prediction)
    return *prediction;
  ADD_FAILURE() << toString(prediction.takeError());
  return {};
}

/// A machine for which the extensions have no effect.
Machine makePaperMachine() {
  Machine machine = readMachine();
  for (Quantity quantity : {Quantity::CopyLatency, Quantity::MemoryLatency,
                            Quantity::SlotRelease, Quantity::CtaPrologue})
    set(machine, quantity, 0);
  for (Quantity quantity : {Quantity::CacheRate, Quantity::UnsharedRate,
                            Quantity::MemoryRate, Quantity::MemoryStoreRate})
    set(machine, quantity, 1e18);
  set(machine, Quantity::LoadedClock, machine.get(Quantity::Clock));
  return machine;
}

TEST(KernelModel, ContainsThePapersModel) {
  RandomNumbers random;
  TilingProblem problem;
  problem.chip = &getChip();
  problem.machine = makePaperMachine();
  problem.space = TilingSpace::ofWgmma(256, 4, 8);
  int compared = 0;
  for (int64_t i = 0; i < 3000; ++i) {
    problem.product =
        makeProduct(64 * random.draw(1, 60), 64 * random.draw(1, 60),
                    64 * random.draw(1, 60));
    problem.base = chooseBase(problem.product);
    Tiling tiling;
    for (auto [value, values] :
         llvm::zip_equal(tiling.values, problem.space.values))
      value = random.draw(values);
    KernelConfig config = getConfig(problem, tiling);
    // The paper has one CTA on each multiprocessor, and knows no instructions
    // that take as long as wider ones, and no stores that depend on the number
    // of threads.
    if (!findViolations(problem, tiling).empty())
      continue;
    KernelWork work = describeWork(config, getChip(), problem.product);
    bool storesByFewThreads =
        work.storePath != StorePath::Tma && config.getSharers() < 2;
    if (work.residents != 1 || work.columns < work.leastColumns ||
        storesByFewThreads)
      continue;
    SCOPED_TRACE(random.describe(i));
    KernelPrediction prediction = cantFail(
        predictKernel(problem.machine, getChip(), config, problem.product));
    ASSERT_EQ(prediction.getTotal(), cantFail(simulateTiling(problem, tiling)));
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

constexpr llvm::StringLiteral kTile =
    "cta=128x256x64 warps=8x1x1 stages=4 epilogue=tma epilogue_buffers=1 ";

TEST(KernelModel, PersistentCtasComputeSeveralTiles) {
  // 264 tiles on 132 multiprocessors: two for each.
  Machine machine = makePaperMachine();
  ProblemInfo product = makeProduct(128 * 33, 256 * 8, 1024);
  KernelPrediction prediction =
      predict(machine, (kTile + "persistent=true").str(), product);
  PipelineTimes times;
  times.ring = {getCopyTime(machine, 128, 64, 16),
                getCopyTime(machine, 256, 64, 16),
                getMathTime(machine, {128, 256, 64}, 16),
                getEpilogueTime(machine, 128 * 256 * 2), 0};
  PipelineTrace expected =
      cantFail(simulatePipeline(times, {{16, 4, 1}, 1, 2}));
  EXPECT_EQ(prediction.waves, expected.end);
  EXPECT_EQ(prediction.first.epilogues, expected.epilogues);
  // Copies go on under the epilogue: faster than two waves.
  KernelPrediction waves = predict(machine, kTile, product);
  EXPECT_EQ(waves.first.epilogues.size(), 1u);
  EXPECT_EQ(waves.waves, 2 * waves.first.end);
  EXPECT_LT(prediction.waves, waves.waves);
}

TEST(KernelModel, DeepRingsHideTheLatencyOfMemory) {
  Machine machine = readMachine();
  set(machine, Quantity::MemoryLatency, 2 * machine.get(Quantity::CopyLatency));
  ProblemInfo product = makeProduct(128 * 11, 256 * 12, 4096);
  auto getTime = [&](llvm::StringRef stages, DataPlace place) {
    KernelConfig config = readConfig(
        ("cta=128x128x64 warps=8x1x1 epilogue=tma stages=" + stages).str());
    return cantFail(predictKernel(machine, getChip(), config, product, place))
        .getTotal();
  };
  Picoseconds shortRing = getTime("2", DataPlace::Memory);
  EXPECT_GT(shortRing, getTime("2", DataPlace::Cache));
  EXPECT_GT(getTime("6", DataPlace::Memory), getTime("6", DataPlace::Cache));
  EXPECT_LT(getTime("6", DataPlace::Memory), shortRing);
  // By default, nothing is in the cache.
  EXPECT_EQ(predict(machine, "cta=128x128x64 warps=8x1x1 epilogue=tma stages=2",
                    product)
                .getTotal(),
            shortRing);
}

TEST(KernelModel, OnlyFirstReadsWaitForMemory) {
  Machine machine = readMachine();
  double ofCache = machine.get(Quantity::CopyLatency);
  set(machine, Quantity::MemoryLatency, ofCache + 1000);
  auto getExtra = [&](llvm::StringRef more, const ProblemInfo &product) {
    std::string config =
        ("cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma " + more).str();
    return predict(machine, config, product).firstTimes.usual.latency -
           toPicoseconds(ofCache);
  };
  // The nanoseconds of a part of first reads. One in `tilesN` copies of a tile
  // of A is the first of its tile, and one in `tilesM` copies of B. Stages
  // without a first copy wait for two thirds on average.
  auto getWait = [](double part, double tilesM, double tilesN) {
    return toPicoseconds(1000 * part *
                         (1 - (1 - 1 / tilesM) * (1 - 1 / tilesN) / 3));
  };
  // All tiles run at the same time, or each has its own columns of B.
  EXPECT_EQ(getExtra("", makeProduct(128 * 11, 128 * 12, 512)),
            getWait(1, 11, 12));
  EXPECT_EQ(getExtra("persistent=true", makeProduct(128, 128 * 500, 512)),
            1'000'000);
  // 132 of 64 by 33 tiles: a band of 4 of 64 rows with all columns, or of 4 of
  // 33 columns with 33 of 64 rows.
  ProblemInfo large = makeProduct(128 * 64, 128 * 33, 512);
  EXPECT_EQ(getExtra("persistent=true raster=along_m raster_group=4", large),
            getWait(1, 64, 33));
  EXPECT_EQ(getExtra("persistent=true raster=along_n raster_group=4", large),
            getWait(1 - (1 - 33 / 64.0) * (1 - 4 / 33.0), 64, 33));
  // The two slices of a tile follow each other, so that half as many tiles are
  // in flight.
  EXPECT_EQ(
      getExtra("raster=along_n raster_group=4 split_k=2 slice_order=inner",
               large),
      getWait(1 - (1 - 16.5 / 64) * (1 - 4 / 33.0), 64, 33));
  EXPECT_EQ(getExtra("raster=along_n raster_group=4 split_k=2", large),
            getWait(1 - (1 - 33 / 64.0) * (1 - 4 / 33.0), 64, 33));
}

TEST(KernelModel, FewerCtasHaveALastTile) {
  Machine machine = readMachine();
  set(machine, Quantity::CacheRate, 1000);
  set(machine, Quantity::UnsharedRate, 1000);
  std::string config = "cta=64x64x64 warps=4x1x1 stages=4 epilogue=tma "
                       "persistent=true ";
  double bytes = 64 * 64 * 2;
  auto getCopy = [&](double ctas) {
    return toPicoseconds(machine.get(Quantity::CopyStartup) +
                         bytes * ctas / 1000);
  };
  // 18 of 132 CTAs have a second tile.
  KernelPrediction kernel =
      predict(machine, config, makeProduct(64 * 10, 64 * 15, 512));
  EXPECT_EQ(kernel.firstTimes.usual.ring.copyA, getCopy(132));
  EXPECT_EQ(kernel.firstTimes.last.ring.copyA, getCopy(18));
  EXPECT_EQ(kernel.first.epilogues.size(), 2u);
  // All have one.
  kernel = predict(machine, config, makeProduct(64 * 12, 64 * 22, 512));
  EXPECT_EQ(kernel.firstTimes.last.ring.copyA, getCopy(132));
  // Two CTAs of a multiprocessor share its products, and one of them has the
  // last tile.
  kernel = predict(machine, config + "min_ctas=2",
                   makeProduct(64 * 12, 64 * 33, 512));
  EXPECT_EQ(kernel.first.epilogues.size(), 2u);
  EXPECT_GT(kernel.firstTimes.usual.ring.math,
            3 * kernel.firstTimes.last.ring.math / 2);
}

TEST(KernelModel, EveryPathOfStoresHasItsRate) {
  Machine machine = readMachine();
  ProblemInfo product = makeProduct(128 * 11, 128 * 12, 512);
  for (auto [quantity, config] :
       {std::pair(Quantity::EpilogueRate, "epilogue=tma"),
        std::pair(Quantity::StagedRate, "epilogue=staged"),
        std::pair(Quantity::RowRate, "epilogue=direct"),
        std::pair(Quantity::ColumnRate, "epilogue=direct swap_ab=true")}) {
    std::string text =
        std::string("cta=128x128x64 warps=8x1x1 stages=4 ") + config;
    Picoseconds before = predict(machine, text, product).getTotal();
    Machine slower = machine;
    set(slower, quantity, machine.get(quantity) / 4);
    EXPECT_GT(predict(slower, text, product).getTotal(), before) << config;
    // The other paths do not count.
    Machine others = machine;
    for (Quantity other : {Quantity::EpilogueRate, Quantity::StagedRate,
                           Quantity::RowRate, Quantity::ColumnRate})
      if (other != quantity)
        set(others, other, 1);
    EXPECT_EQ(predict(others, text, product).getTotal(), before) << config;
  }
  EXPECT_EQ(getStoreRate(StorePath::Elements), Quantity::ElementRate);
}

TEST(KernelModel, ClustersHaveALaunchAndAnExchange) {
  // With one clock, a launch that takes longer changes nothing else.
  Machine machine = readMachine();
  set(machine, Quantity::LoadedClock, machine.get(Quantity::Clock));
  ProblemInfo product = makeProduct(128 * 4, 128 * 4, 4096);
  llvm::StringRef tile = "cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma ";
  for (auto [quantity, cluster, isSeen] :
       {std::tuple(Quantity::ClusterLaunch, "cluster=1x1x1", false),
        std::tuple(Quantity::ClusterLaunch, "cluster=2x1x1", true),
        std::tuple(Quantity::ExchangeStartup, "cluster=2x1x1", false),
        std::tuple(Quantity::ExchangeStartup, "cluster=1x1x2", true)}) {
    Picoseconds before =
        predict(machine, (tile + cluster).str(), product).getTotal();
    Machine slower = machine;
    set(slower, quantity, machine.get(quantity) + 5000);
    EXPECT_EQ(predict(slower, (tile + cluster).str(), product).getTotal() -
                  before,
              isSeen ? 5'000'000 : 0)
        << cluster;
  }
}

TEST(KernelModel, CtasStartOneAfterTheOther) {
  Machine machine = readMachine();
  set(machine, Quantity::StoreLaunch, machine.get(Quantity::Launch) + 900);
  Machine slower = machine;
  set(slower, Quantity::CtaLaunch, 2);
  llvm::StringRef tile = "cta=128x128x64 warps=8x1x1 stages=6 epilogue=tma ";
  // `launch` is that of 132 CTAs; one CTA starts 131 times 2 ns earlier.
  for (auto [tilesM, less] : {std::pair(132, 0), {1, 131 * 2}}) {
    ProblemInfo product = makeProduct(128 * tilesM, 128, 512);
    EXPECT_EQ(predict(machine, tile, product).launch -
                  predict(slower, tile, product).launch,
              less * 1000)
        << tilesM;
  }
}

TEST(KernelModel, TheLastStoresDependOnTheTile) {
  Machine machine = readMachine();
  ProblemInfo product = makeProduct(1024, 1024, 512);
  auto getStores = [&](llvm::StringRef config) {
    return predict(machine, config, product).launch -
           toPicoseconds(machine.get(Quantity::Launch));
  };
  llvm::StringRef small = "cta=64x64x64 warps=4x1x1 stages=4 epilogue=tma",
                  large = "cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma",
                  wide = "cta=128x256x64 warps=8x1x1 stages=4 epilogue=tma "
                         "epilogue_buffers=1";
  // A file without store_launch says nothing of them.
  for (llvm::StringRef config : {small, large, wide})
    EXPECT_EQ(getStores(config), 0) << config.str();
  set(machine, Quantity::StoreLaunch, machine.get(Quantity::Launch) + 500);
  set(machine, Quantity::LastStoreRate, 64);
  // 24 KiB less and 32 KiB more than the tile of the measurement.
  EXPECT_NEAR(double(getStores(small)), 500e3 - 24576e3 / 64, 1);
  EXPECT_NEAR(double(getStores(large)), 500e3, 1);
  EXPECT_NEAR(double(getStores(wide)), 500e3 + 32768e3 / 64, 1);
  set(machine, Quantity::LastStoreRate, 32);
  EXPECT_EQ(getStores(small), 0);
}

TEST(KernelModel, MemoryMovesAllBytes) {
  Machine machine = readMachine();
  set(machine, Quantity::LoadedClock, machine.get(Quantity::Clock));
  ProblemInfo product = makeProduct(8192, 8192, 64);
  product.epilogueBytes = 2;
  llvm::StringRef config = "cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma "
                           "persistent=true pingpong=true";
  set(machine, Quantity::MemoryRate, 4000);
  set(machine, Quantity::MemoryStoreRate, 1000);
  constexpr double inputs = 2 * 8192 * 64 * 2, results = 8192.0 * 8192 * 2;
  // Each of 132 CTAs computes its first tile before anything is stored.
  KernelPrediction kernel = predict(machine, config, product);
  EXPECT_EQ(kernel.waves, kernel.first.epilogues.front() +
                              toPicoseconds((1 - 132 / 4096.0) * inputs / 4000 +
                                            results / 1000));
  // Data in the cache is not read, and the results stay there.
  Picoseconds cached =
      cantFail(predictKernel(machine, getChip(), readConfig(config), product,
                             DataPlace::Cache))
          .waves;
  EXPECT_LT(cached, kernel.waves);
  // Where nearly all bytes are read, that is the limit.
  set(machine, Quantity::MemoryRate, 100);
  product = makeProduct(128, 128, 65536);
  EXPECT_GE(predict(machine, config, product).waves,
            toPicoseconds(2 * 128 * 65536 * 2 / 100.0));
}

TEST(KernelModel, CtasInFlightAreThoseThatRun) {
  Machine machine = readMachine();
  set(machine, Quantity::CacheRate, 1000);
  set(machine, Quantity::UnsharedRate, 1000);
  // Two CTAs on some of 132 multiprocessors: 143 share the L2 cache.
  llvm::StringRef config =
      "cta=64x64x64 warps=4x1x1 stages=4 epilogue=tma epilogue_buffers=1";
  KernelPrediction kernel =
      predict(machine, config, makeProduct(64 * 11, 64 * 13, 512));
  double bytes = 64 * 64 * 2;
  EXPECT_NEAR(
      double(kernel.firstTimes.usual.ring.copyA),
      machine.get(Quantity::CopyStartup) * 1e3 + bytes * 143 / 1000 * 1e3, 1);
}

TEST(KernelModel, RowsOutsideAnOperandCostTime) {
  Machine machine = readMachine();
  set(machine, Quantity::CopyStartup, 0);
  Machine slower = machine;
  set(slower, Quantity::OutsideRow, 100);
  llvm::StringRef tile = "cta=128x128x64 warps=8x1x1 stages=6 epilogue=tma";
  auto getCopies = [&](const Machine &machine, int64_t m) {
    RingTimes ring =
        predict(machine, tile, makeProduct(m, 128, 512)).firstTimes.usual.ring;
    return ring.copyA + ring.copyB;
  };
  EXPECT_EQ(getCopies(slower, 128), getCopies(machine, 128));
  EXPECT_NEAR(double(getCopies(slower, 96) - getCopies(machine, 96)),
              32 * 100e3, 2);
}

TEST(KernelModel, ClustersOfFourHaveFewerPlaces) {
  Machine machine = readMachine();
  set(machine, Quantity::LoadedClock, machine.get(Quantity::Clock));
  Machine grouped = machine;
  set(grouped, Quantity::ClusterProcessors, 128);
  ProblemInfo product = makeProduct(128 * 4, 128 * 33, 4096);
  std::string tile = "cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma ";
  auto getWaves = [&](const Machine &machine, llvm::StringRef more) {
    return predict(machine, (tile + more).str(), product).waves;
  };
  EXPECT_EQ(getWaves(grouped, "cluster=2x1x1"),
            getWaves(machine, "cluster=2x1x1"));
  // The 33rd cluster starts when another has ended.
  EXPECT_GT(getWaves(grouped, "cluster=4x1x1"),
            3 * getWaves(machine, "cluster=4x1x1") / 2);
  EXPECT_GT(getWaves(grouped, "cluster=4x1x1 persistent=true"),
            3 * getWaves(machine, "cluster=4x1x1 persistent=true") / 2);
  // Of 46 clusters' tiles, 13 of the 33 clusters have two. The last cluster has
  // one, and follows another one with one tile.
  product.n = 128 * 46;
  EXPECT_LT(getWaves(grouped, "cluster=4x1x1 persistent=true"),
            5 * getWaves(machine, "cluster=4x1x1 persistent=true") / 4);
}

TEST(KernelModel, CtasInStepShareTheCachesAnswers) {
  Machine machine = readMachine();
  set(machine, Quantity::CopyStartup, 0);
  set(machine, Quantity::CopyRate, 1e5);
  set(machine, Quantity::CacheRate, 4000);
  set(machine, Quantity::UnsharedRate, 2000);
  std::string tile = "cta=128x128x64 warps=8x1x1 stages=3 epilogue=tma ";
  auto getRing = [&](int64_t tilesN, llvm::StringRef more) {
    return predict(machine, (tile + more).str(),
                   makeProduct(128 * 12, 128 * tilesN, 4096))
        .firstTimes.usual.ring;
  };
  auto getCopies = [&](int64_t tilesN, llvm::StringRef more) {
    RingTimes ring = getRing(tilesN, more);
    return ring.copyA + ring.copyB;
  };
  Picoseconds inStep = getCopies(11, "persistent=false");
  // Requests for both tiles are answered together, in any order of tiles.
  std::string narrow = "cta=128x64x64 warps=8x1x1 stages=3 epilogue=tma ";
  for (llvm::StringRef raster : {"raster=along_m", "raster=along_n"}) {
    // 12 x 11 tiles of 128 x 64.
    RingTimes ring = predict(machine, narrow + raster.str(),
                             makeProduct(128 * 12, 64 * 11, 4096))
                         .firstTimes.usual.ring;
    EXPECT_EQ(ring.copyA, inStep / 2);
    EXPECT_EQ(ring.copyB, inStep / 4);
  }
  EXPECT_EQ(getCopies(5, "split_k=2"), inStep * 120 / 132);
  // Half of the requests are, if there are more tiles than places.
  EXPECT_EQ(getCopies(22, "persistent=true"), 3 * inStep / 2);
  EXPECT_EQ(getCopies(22, "persistent=false"), 3 * inStep / 2);
  // Those of clusters are answered one by one, whatever the number of tiles.
  EXPECT_EQ(getCopies(5, "cluster=1x1x2"), 2 * inStep * 120 / 132);
  for (int64_t tilesN : {10, 22}) {
    Picoseconds alone =
        toPicoseconds(128 * 128 * std::min(12 * tilesN, 132L) / 2000.0);
    std::string persistent = tilesN > 11 ? " persistent=true" : "";
    EXPECT_EQ(getRing(tilesN, "cluster=2x1x1" + persistent).copyA, alone);
    EXPECT_EQ(getRing(tilesN, "cluster=2x1x1" + persistent).copyB, alone / 2);
    EXPECT_EQ(getRing(tilesN, "cluster=1x2x1" + persistent).copyA, alone / 2);
    EXPECT_EQ(getRing(tilesN, "cluster=1x2x1" + persistent).copyB, alone);
  }
}

/// The rates are those of the experiments that measure them.
TEST(KernelModel, TheCacheHasItsMeasuredRates) {
  Machine machine = readMachine();
  set(machine, Quantity::CopyStartup, 0);
  set(machine, Quantity::CopyRate, 1e5);
  set(machine, Quantity::CacheRate, 4000);
  set(machine, Quantity::UnsharedRate, 3000);
  auto getCopies = [&](int64_t tilesN, llvm::StringRef more) {
    RingTimes ring =
        predict(
            machine,
            ("cta=128x128x64 warps=8x1x1 stages=3 epilogue=tma " + more).str(),
            makeProduct(128 * 11, 128 * tilesN, 4096))
            .firstTimes.usual.ring;
    return ring.copyA + ring.copyB;
  };
  EXPECT_EQ(getCopies(12, ""), 2 * toPicoseconds(128 * 128 * 132 / 4000.0));
  EXPECT_EQ(getCopies(6, "cluster=1x1x2"),
            2 * toPicoseconds(128 * 128 * 132 / 3000.0));
}

/// Copies write a stage while products read another one.
TEST(KernelModel, SharedMemoryLimitsAStage) {
  Machine machine = readMachine();
  auto getMath = [&](double rate) {
    set(machine, Quantity::SharedRate, rate);
    return predict(machine, "cta=64x64x64 warps=4x1x1 stages=8 epilogue=tma",
                   makeProduct(128, 128, 1024))
        .firstTimes.usual.ring.math;
  };
  Picoseconds products = getMath(1e9);
  EXPECT_EQ(getMath(1e8), products);
  // 16 KiB are written and as many read.
  EXPECT_GE(getMath(100),
            toPicoseconds(machine.get(Quantity::MathStartup) + 32768 / 100.0));
  EXPECT_GT(getMath(100), products);
}

TEST(KernelModel, EpiloguesOfPingPongHoldSharedMemory) {
  Machine machine = readMachine();
  ProblemInfo product = makeProduct(128 * 33, 128 * 33, 512);
  auto getHold = [&](llvm::StringRef more) {
    return predict(
               machine,
               ("cta=128x128x64 warps=8x1x1 stages=4 persistent=true " + more)
                   .str(),
               product)
        .firstTimes.usual.hold;
  };
  EXPECT_EQ(getHold("pingpong=true epilogue=tma"),
            toPicoseconds(2 * 128 * 128 * 2 / machine.get(Quantity::CopyRate)));
  EXPECT_EQ(getHold("pingpong=true epilogue=direct"), 0);
  EXPECT_EQ(getHold("epilogue=tma"), 0);
}

TEST(KernelModel, OneWarpgroupStoresWithHalfOfTheThreads) {
  Machine machine = readMachine();
  set(machine, Quantity::EpilogueStartup, 0);
  ProblemInfo product = makeProduct(128 * 11, 128 * 12, 512);
  auto getEpilogue = [&](llvm::StringRef config) {
    return predict(machine, ("stages=4 " + config).str(), product)
        .firstTimes.usual.ring.epilogue;
  };
  double rate = machine.get(Quantity::RowRate);
  EXPECT_EQ(getEpilogue("cta=128x128x64 warps=8x1x1 epilogue=direct"),
            toPicoseconds(128 * 128 * 2 / rate));
  EXPECT_EQ(getEpilogue("cta=128x128x64 warps=4x1x1 epilogue=direct"),
            toPicoseconds(2 * 128 * 128 * 2 / rate));
  EXPECT_EQ(getEpilogue("cta=128x128x64 warps=4x1x1 epilogue=tma"),
            getEpilogue("cta=128x128x64 warps=8x1x1 epilogue=tma"));
}

TEST(KernelModel, SensitivitiesAreThePartsOfTheTime) {
  Machine machine = readMachine();
  ProblemInfo product = makeProduct(4096, 4096, 4096);
  auto getAll = [&](llvm::StringRef config) {
    return getSensitivities(machine, getChip(), readConfig(config), product);
  };
  auto getPlace = [](Quantity quantity) {
    return llvm::count_if(
        getQuantityInfos().take_front(size_t(quantity)),
        [](const QuantityInfo &info) { return !info.isWhole; });
  };
  std::vector<double> all = getAll((kTile + "persistent=true").str());
  ASSERT_EQ(all.size(), size_t(llvm::count_if(getQuantityInfos(),
                                              [](const QuantityInfo &info) {
                                                return !info.isWhole;
                                              })));
  // Products decide, and become faster.
  EXPECT_LT(all[getPlace(Quantity::MathRate)], -0.5);
  EXPECT_EQ(all[getPlace(Quantity::RowRate)], 0);
  EXPECT_GT(all[getPlace(Quantity::CtaPrologue)], 0);
  // The model does not describe this kernel.
  std::vector<double> none =
      getAll("schedule=mma_sync cta=128x128x32 warps=2x2x1 stages=3");
  EXPECT_EQ(none, std::vector<double>(all.size(), 0));
}

TEST(KernelModel, PackedOperandsAreAKernelOfTheirOwn) {
  Machine machine = readMachine();
  ProblemInfo aligned = makeProduct(1024, 1024, 1008);
  EXPECT_EQ(predict(machine, kTile, aligned).packing, 0);
  // A and B are read and written.
  KernelPrediction packed =
      predict(machine, kTile, makeProduct(1024, 1024, 1001));
  EXPECT_EQ(packed.packing, getReductionTime(machine, 2 * 2 * 1024 * 1001 * 2));
  EXPECT_EQ(packed.getTotal(), packed.packing + packed.launch + packed.waves);
}

TEST(KernelModel, NarrowInstructionsWaitForTheirRows) {
  Machine machine = readMachine();
  set(machine, Quantity::LoadedClock, machine.get(Quantity::Clock));
  ProblemInfo product = makeProduct(64, 64, 4096);
  auto getMath = [&](llvm::StringRef columns) {
    return predict(machine,
                   ("cta=64x" + columns +
                    "x64 warps=4x1x1 stages=4 epilogue=direct")
                       .str(),
                   product)
        .firstTimes.usual.ring.math;
  };
  EXPECT_EQ(getMath("8"), getMath("32"));
  EXPECT_LT(getMath("32"), getMath("64"));
}

TEST(KernelModel, PingPongHidesTheEpilogue) {
  ProblemInfo product = makeProduct(128 * 33, 128 * 32, 1024);
  llvm::StringRef tile = "cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma "
                         "epilogue_buffers=1 persistent=true ";
  KernelPrediction cooperative = predict(readMachine(), tile, product);
  KernelPrediction pingpong =
      predict(readMachine(), (tile + "pingpong=true").str(), product);
  EXPECT_LT(pingpong.waves, cooperative.waves);
  EXPECT_GT(pingpong.tensorShare, cooperative.tensorShare);
}

TEST(KernelModel, ClustersReadSharedTilesOnce) {
  Machine machine = readMachine();
  set(machine, Quantity::CacheRate, 2000);
  ProblemInfo product = makeProduct(128 * 32, 256 * 4, 4096);
  KernelPrediction alone = predict(machine, kTile, product);
  KernelPrediction cluster =
      predict(machine, (kTile + "cluster=2x1x1").str(), product);
  EXPECT_LT(cluster.waves, alone.waves);
  // Where nothing is gained, a slot's release over the cluster costs time.
  set(machine, Quantity::CacheRate, 1e18);
  set(machine, Quantity::SlotRelease, 2000);
  alone = predict(machine, kTile, product);
  cluster = predict(machine, (kTile + "cluster=2x1x1").str(), product);
  EXPECT_GT(cluster.waves, alone.waves);
}

TEST(KernelModel, CtasInFlightShareCacheAndMemory) {
  Machine machine = readMachine();
  set(machine, Quantity::CacheRate, 2000);
  // One CTA has all of the cache's rate, 132 have a part each.
  KernelPrediction one = predict(machine, kTile, makeProduct(128, 256, 4096));
  KernelPrediction all =
      predict(machine, kTile, makeProduct(128 * 33, 256 * 4, 4096));
  EXPECT_LT(one.waves, all.waves);
  // A last wave of few CTAs is shorter than a full one.
  KernelPrediction both =
      predict(machine, kTile, makeProduct(128 * 34, 256 * 4, 4096));
  EXPECT_LT(both.waves, 2 * both.first.end);
  EXPECT_GT(both.waves, both.first.end);
  Machine slow = readMachine();
  set(slow, Quantity::MemoryRate, 100);
  EXPECT_LT(predict(readMachine(), kTile, makeProduct(1024, 1024, 1024)).waves,
            predict(slow, kTile, makeProduct(1024, 1024, 1024)).waves);
}

TEST(KernelModel, SlicesAreSummed) {
  ProblemInfo product = makeProduct(512, 512, 8192);
  Machine machine = readMachine();
  KernelPrediction whole = predict(machine, kTile, product);
  EXPECT_EQ(whole.reduction, 0);
  KernelPrediction split =
      predict(machine, (kTile + "split_k=8").str(), product);
  EXPECT_EQ(split.reduction,
            getReductionTime(machine, 512 * 512 * (8 * 4 + 2)));
  EXPECT_LT(split.getTotal(), whole.getTotal());
  KernelPrediction cluster =
      predict(machine,
              "cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma "
              "epilogue_buffers=1 cluster=1x1x2",
              product);
  EXPECT_EQ(cluster.reduction, 0);
  EXPECT_EQ(cluster.first.stages.size(), whole.first.stages.size() / 2);
}

TEST(KernelModel, ClockFallsWithTheTensorCores) {
  Machine machine = readMachine();
  KernelPrediction busy = predict(machine, (kTile + "persistent=true").str(),
                                  makeProduct(128 * 33, 256 * 8, 8192));
  KernelPrediction idle = predict(machine, kTile, makeProduct(128, 256, 64));
  EXPECT_LT(busy.clock, idle.clock);
  EXPECT_GE(busy.clock, machine.get(Quantity::LoadedClock));
  EXPECT_LE(idle.clock, machine.get(Quantity::Clock));
  EXPECT_GT(busy.tensorShare, 0.8);
  EXPECT_LT(idle.tensorShare, 0.01);
}

TEST(KernelModel, CopiesLowerTheClock) {
  Machine machine = readMachine();
  auto set = [&](Quantity quantity, double value) {
    machine.values[size_t(quantity)].value = value;
  };
  set(Quantity::Clock, 2);
  set(Quantity::BusyClock, 1.6);
  for (double loaded : {1.6, 1.2}) {
    set(Quantity::LoadedClock, loaded);
    EXPECT_DOUBLE_EQ(getClock(machine, 1, kBusyBytesPerMac), loaded);
    // Where busy_clock is measured, a multiply-add takes 1.25 times as long as
    // without copies, and 1.5 times with twice the bytes.
    EXPECT_DOUBLE_EQ(getClock(machine, 1, 0), 1.25 * loaded);
    EXPECT_DOUBLE_EQ(getClock(machine, 1, 2 * kBusyBytesPerMac),
                     1.25 / 1.5 * loaded);
    EXPECT_DOUBLE_EQ(getClock(machine, 0, 2 * kBusyBytesPerMac), 2);
  }
  // The tile decides the clock of kernels that only products limit.
  for (Quantity rate :
       {Quantity::CopyRate, Quantity::CacheRate, Quantity::UnsharedRate,
        Quantity::SharedRate, Quantity::MemoryRate, Quantity::EpilogueRate})
    set(rate, 1e9);
  set(Quantity::CopyLatency, 0);
  set(Quantity::MemoryLatency, 0);
  auto getTileClock = [&](llvm::StringRef tile) {
    return predict(machine,
                   ("schedule=wgmma warps=8x1x1 stages=4 "
                    "persistent=true cta=" +
                    tile)
                       .str(),
                   makeProduct(128 * 33, 256 * 8, 8192))
        .clock;
  };
  EXPECT_LT(getTileClock("128x64x64"), getTileClock("128x256x64") - 0.05);
}

TEST(KernelModel, RefusesWhatItDoesNotDescribe) {
  auto getError = [](llvm::StringRef config, const ProblemInfo &product) {
    return toString(
        predictKernel(readMachine(), getChip(), readConfig(config), product)
            .takeError());
  };
  ProblemInfo product = makeProduct(1024, 1024, 1024);
  llvm::StringRef prefix = "the simulator does not describe kernels with ";
  EXPECT_EQ(getError("schedule=mma_sync", product),
            (prefix + "schedule mma_sync").str());
  EXPECT_EQ(getError((kTile + "producer=cp_async").str(), product),
            (prefix + "producer = cp_async").str());
  EXPECT_EQ(getError("cta=128x128x64 warps=8x1x1 stages=4 promote_sums=true",
                     product),
            (prefix + "promote_sums = true").str());
  EXPECT_NE(getError((kTile + "warps=4x1x1").str(), product).find("registers"),
            std::string::npos);
}

} // namespace
