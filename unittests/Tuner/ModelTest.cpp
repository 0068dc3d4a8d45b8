//===- ModelTest.cpp - The analytic model and its fit ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/LeastSquares.h"
#include "TunerTestUtils.h"
#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Store/ShippedMachines.h"
#include "tcgemm/Tuner/CostModel.h"
#include "tcgemm/Tuner/ModelFit.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tcgemm;

namespace {

const ChipInfo &getChip() { return *lookupChip("sm_90a"); }

double estimate(llvm::StringRef config, const TuningProblem &problem,
                const ScheduleConstants &constants = {}) {
  return estimateTime(
      describeWork(makeConfig(config), getChip(), problem.getInfo()),
      constants);
}

/// Rosenbrock's valley, whose minimum is at (1, 1).
std::vector<double> getRosenbrock(llvm::ArrayRef<double> x) {
  return {10 * (x[1] - x[0] * x[0]), 1 - x[0]};
}

TEST(LeastSquares, FindsTheMinimum) {
  LeastSquaresOptions options;
  options.tolerance = 1e-14;
  auto place = minimizeSquares({-1.2, 1.0}, options, getRosenbrock);
  EXPECT_NEAR(place[0], 1, 1e-4);
  EXPECT_NEAR(place[1], 1, 1e-4);
}

TEST(LeastSquares, KeepsItsBudget) {
  LeastSquaresOptions options;
  options.iterations = 1;
  unsigned evaluations = 0;
  auto count = [&](llvm::ArrayRef<double> x) {
    ++evaluations;
    return getRosenbrock(x);
  };
  auto place = minimizeSquares({-1.2, 1.0}, options, count);
  // The start, two derivatives, and the tries of one step.
  EXPECT_GE(evaluations, 4u);
  EXPECT_LE(evaluations, 3u + 12u);
  EXPECT_GT(std::abs(place[0] - 1), 0.1);
}

/// A coordinate that changes nothing stays, and without a better place the
/// start is returned.
TEST(LeastSquares, AcceptsCoordinatesWithoutEffect) {
  LeastSquaresOptions options;
  auto place = minimizeSquares({3, 7}, options, [](llvm::ArrayRef<double> x) {
    return std::vector<double>{x[0] - 2};
  });
  EXPECT_NEAR(place[0], 2, 1e-4);
  EXPECT_EQ(place[1], 7);
  place = minimizeSquares({2}, options, [](llvm::ArrayRef<double> x) {
    return std::vector<double>{1};
  });
  EXPECT_EQ(place[0], 2);
}

TEST(AnalyticModel, CountsRounds) {
  // 132 tiles are one round of the chip's SMs, 133 are two.
  llvm::StringRef config = "schedule=wgmma,cta=128x256x64,warps=8x1x1,"
                           "stages=4,epilogue=tma";
  KernelWork one = describeWork(makeConfig(config), getChip(),
                                makeProblem(128, 256 * 132, 4096).getInfo());
  EXPECT_EQ(one.ctas, 132);
  EXPECT_EQ(one.residents, 1);
  EXPECT_EQ(one.iterations, 64);
  double first = estimate(config, makeProblem(128, 256 * 132, 4096));
  double second = estimate(config, makeProblem(128, 256 * 133, 4096));
  EXPECT_GT(second, 1.5 * first);
  EXPECT_LT(second, 2.2 * first);
}

TEST(AnalyticModel, KnowsWhatEachParameterChanges) {
  TuningProblem deep = makeProblem(64, 512, 16384);
  llvm::StringRef base = "schedule=wgmma,cta=64x64x64,warps=4x1x1";
  auto with = [&](llvm::StringRef change) {
    return estimate((base + "," + change).str(), deep);
  };
  // Slices use SMs that would be idle; too few stages leave latency bare.
  EXPECT_LT(with("stages=8,split_k=8"), 0.5 * with("stages=8,split_k=1"));
  EXPECT_GT(with("stages=2"), 1.5 * with("stages=8"));
  // A cluster halves what comes through L2.
  auto l2 = [&](llvm::StringRef change) {
    return describeWork(makeConfig((base + "," + change).str()), getChip(),
                        deep.getInfo())
        .l2Bytes;
  };
  EXPECT_EQ(l2("cluster=1x2x1"), 0.75 * l2("cluster=1x1x1"));
  // Its CTAs have to find each other.
  ScheduleConstants slow;
  slow.clusterLaunch += 1000;
  TuningProblem wide = makeProblem(128, 512, 16384);
  for (auto [cluster, more] : {std::pair("1x1x1", 0.), {"1x2x1", 1000.}}) {
    std::string config = (base + ",cluster=" + cluster).str();
    EXPECT_NEAR(estimate(config, wide, slow) - estimate(config, wide), more,
                1e-6);
  }
  // Pitches that are no multiple of 16 bytes are packed first.
  KernelWork ragged = describeWork(makeConfig(base), getChip(),
                                   makeProblem(777, 1333, 2111).getInfo());
  EXPECT_EQ(ragged.packBytes, 4.0 * (777 + 1333) * 2111);
}

/// What the next CTA reads at the same time costs less; rows outside A cost
/// more.
TEST(AnalyticModel, KnowsNeighboursAndRowsOutside) {
  auto get = [](int64_t m, int64_t n, llvm::StringRef more = "") {
    return describeWork(makeConfig(("schedule=wgmma,warps=4x1x1,stages=4,"
                                    "cta=64x128x64" +
                                    more)
                                       .str()),
                        getChip(), makeProblem(m, n, 1024).getInfo());
  };
  constexpr double bytesA = 2 * 64 * 64, bytesB = 2 * 128 * 64;
  EXPECT_EQ(get(1024, 1024).neighbourBytes, bytesB);
  EXPECT_EQ(get(1024, 1024, ",raster=along_n").neighbourBytes, bytesA);
  EXPECT_EQ(get(64, 1024).neighbourBytes, bytesA);
  EXPECT_EQ(get(1024, 128, ",raster=along_n").neighbourBytes, bytesB);
  EXPECT_EQ(get(64, 128).neighbourBytes, 0);
  EXPECT_EQ(get(1024, 1024, ",cluster=2x1x1").neighbourBytes, 0);
  EXPECT_EQ(get(1024, 1024, ",cluster=1x1x2").neighbourBytes, 0);
  // 16 of the last of four tiles' 64 rows are inside.
  EXPECT_DOUBLE_EQ(get(208, 1024).outsidePart, std::sqrt(0.75 / 4 * 0.75));
  EXPECT_EQ(get(256, 1024).outsidePart, 0);
  ScheduleConstants constants;
  constants.l2Rate = 100;
  constants.sharpness = 50;
  auto time = [&](const KernelWork &work) {
    return estimateTime(work, constants);
  };
  KernelWork work = get(208, 1024), other = work;
  other.neighbourBytes = 0;
  EXPECT_GT(time(other), 1.2 * time(work));
  other = work;
  other.outsidePart = 0;
  EXPECT_LT(time(other), 0.9 * time(work));
}

/// A slot is not free while its copy runs and while it is multiplied from.
TEST(AnalyticModel, RingsTakeTheirCopiesAndProducts) {
  TuningProblem deep = makeProblem(128, 256 * 132, 16384);
  ScheduleConstants constants;
  constants.held = 1;
  auto time = [&](const char *stages) {
    return estimate(std::string("schedule=wgmma,cta=128x256x64,warps=8x1x1,"
                                "stages=") +
                        stages,
                    deep, constants);
  };
  double longer = time("2") / time("4");
  constants.held = 1e-6;
  EXPECT_GT(longer, 1.1 * time("2") / time("4"));
}

/// Lines of 128 bytes: rows that begin anywhere lie in nearly twice as many.
TEST(AnalyticModel, CountsLinesOfTheCache) {
  auto get = [](llvm::StringRef cta, int64_t n, int64_t k) {
    return describeWork(makeConfig(("schedule=wgmma,warps=4x1x1,stages=4,"
                                    "epilogue=tma,cta=" +
                                    cta)
                                       .str()),
                        getChip(), makeProblem(1024, n, k).getInfo());
  };
  KernelWork whole = get("64x128x64", 1024, 1024);
  EXPECT_EQ(whole.l2Bytes, 2 * 64 * (64 + 128));
  EXPECT_EQ(get("64x128x64", 1024, 1056).l2Bytes, 1.5 * whole.l2Bytes);
  EXPECT_EQ(get("64x128x64", 1024, 1000).l2Bytes, 1.875 * whole.l2Bytes);
  // An odd pitch is packed to a multiple of 16 bytes.
  EXPECT_EQ(get("64x128x64", 1024, 1017).l2Bytes, whole.l2Bytes);
  EXPECT_EQ(get("64x96x64", 1024, 1024).tileBytes,
            1.5 * 0.75 * whole.tileBytes);
  EXPECT_EQ(get("64x128x64", 1000, 1024).tileBytes, 1.875 * whole.tileBytes);
}

/// Kernels with one round or several, clusters, ping-pong, slices and packing.
std::vector<KernelWork> makeWorks() {
  std::vector<KernelWork> works;
  for (auto [config, problem] :
       {std::pair("cta=128x256x64,warps=8x1x1,stages=4,persistent=true",
                  makeProblem(4096, 4096, 4096)),
        {"cta=64x64x64,warps=4x1x1,stages=6,cluster=2x1x1",
         makeProblem(1024, 1024, 512)},
        {"cta=128x128x64,warps=8x1x1,stages=4,persistent=true,pingpong=true",
         makeProblem(8192, 8192, 64)},
        {"cta=64x64x64,warps=4x1x1,stages=4,split_k=4",
         makeProblem(64, 512, 4096)},
        {"cta=64x128x64,warps=4x1x1,stages=3", makeProblem(777, 1333, 2111)}})
    works.push_back(
        describeWork(makeConfig(std::string("schedule=wgmma,") + config),
                     getChip(), problem.getInfo()));
  return works;
}

TEST(AnalyticModel, IsTheSumOfItsParts) {
  ScheduleConstants constants;
  for (const KernelWork &work : makeWorks()) {
    TimeParts parts = estimateParts(work, constants);
    double time = estimateTime(work, constants);
    EXPECT_NEAR(parts.getTotal(), time, 1e-9 * time);
    for (double part :
         {parts.launch, parts.prologue, parts.products, parts.epilogue})
      EXPECT_GT(part, 0);
    for (double part : {parts.loads, parts.wait, parts.memory, parts.others})
      EXPECT_GE(part, 0);
    EXPECT_EQ(parts.rounds, std::ceil(parts.waves));
    EXPECT_EQ(parts.others > 0, work.packBytes + work.reduceBytes > 0);
  }
}

/// The board's power is a limit beside that of memory. It holds under load
/// only.
TEST(AnalyticModel, PowerLimitsBoardsUnderLoad) {
  ScheduleConstants constants;
  ScheduleConstants noLimit = constants;
  noLimit.loadedRate = noLimit.loadedDramRate = 1e12;
  for (const KernelWork &work : makeWorks()) {
    double rested = estimateTime(work, constants);
    double loaded = estimateTime(work, constants, BoardLoad::Loaded);
    EXPECT_GT(loaded, rested);
    double macs = work.ctas * work.iterations * work.rowMacs * work.columns;
    EXPECT_GT(loaded, macs / (constants.loadedRate * work.processors) +
                          work.dramBytes / constants.loadedDramRate);
    EXPECT_NEAR(estimateTime(work, noLimit, BoardLoad::Loaded), rested,
                1e-6 * rested);
    EXPECT_EQ(estimateTime(work, noLimit), rested);
  }
}

/// A stage takes longer with each warpgroup that multiplies.
TEST(AnalyticModel, CountsTheWarpgroupsOfATile) {
  ScheduleConstants constants, without;
  without.perWarpgroup = 1e-9;
  auto getAdded = [&](const char *config) {
    KernelWork work = describeWork(makeConfig(config), getChip(),
                                   makeProblem(64, 128, 4096).getInfo());
    return estimateTime(work, constants) - estimateTime(work, without);
  };
  EXPECT_NEAR(getAdded("schedule=wgmma,cta=64x128x64,warps=4x1x1"), 0, 1e-6);
  // 64 stages, one warpgroup more.
  EXPECT_GT(getAdded("schedule=wgmma,cta=128x128x64,warps=8x1x1"),
            0.9 * 64 * constants.perWarpgroup);
}

/// If all times and reciprocals of rates grow by a factor, so does the time.
TEST(AnalyticModel, SensitivitiesToTimesAndRatesAddUp) {
  ScheduleConstants constants;
  for (const KernelWork &work : makeWorks()) {
    std::vector<double> sensitivities = getSensitivities(work, constants);
    double sum = 0;
    for (auto [info, sensitivity] :
         llvm::zip_equal(getConstantInfos(), sensitivities)) {
      bool isRate = info.name.ends_with("rate");
      bool isNumber = llvm::is_contained(
          {"least_columns", "neighbour_part", "outside", "held", "quad_part",
           "exposed_persistent", "exposed_pingpong", "partial", "sharpness"},
          info.name);
      sum += isRate ? -sensitivity : isNumber ? 0 : sensitivity;
    }
    EXPECT_NEAR(sum, 1, 1e-4);
  }
  // A launch of nearly no work.
  EXPECT_NEAR(getSensitivities(makeWorks()[1],
                               [] {
                                 ScheduleConstants slow;
                                 slow.launch = 1e9;
                                 return slow;
                               }())[0],
              1, 1e-3);
}

TEST(ModelConstants, AreWrittenAndRead) {
  ModelConstants constants;
  constants.chip = "sm_90a";
  constants.schedules[Schedule::Wgmma].launch = 1234;
  constants.schedules[Schedule::MmaSync].sharpness = 0.5;
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeModelConstants(constants, stream);
  ModelConstants read = unwrap(parseModelConstants(text, "file"));
  EXPECT_EQ(read.chip, "sm_90a");
  for (Schedule schedule : {Schedule::Wgmma, Schedule::MmaSync})
    for (const ConstantInfo &info : getConstantInfos())
      EXPECT_EQ(read.find(schedule)->*info.member,
                constants.find(schedule)->*info.member);
  EXPECT_EQ(read.find(Schedule::Simt), nullptr);
  auto replace = [&](llvm::StringRef from, llvm::StringRef to) {
    size_t place = text.find(from.str());
    return text.substr(0, place) + to.str() + text.substr(place + from.size());
  };
  EXPECT_EQ(getError(parseModelConstants(replace("sm_90a", "sm_1"), "file"))
                .substr(0, 6),
            "file: ");
  EXPECT_NE(getError(parseModelConstants(replace("1234", "0"), "file"))
                .find("launch must be above 0"),
            std::string::npos);
  EXPECT_NE(getError(parseModelConstants(replace("prologue", "epilog"), "file"))
                .find("file:"),
            std::string::npos);
}

/// Times of another set of constants.
std::vector<Record> makeRecords(const ScheduleConstants &constants) {
  std::vector<Record> records;
  for (int64_t m : {64, 512, 2048, 4096})
    for (int64_t k : {512, 4096})
      for (const char *tile : {"64x64x64", "64x128x64", "64x256x64"})
        for (const char *stages : {"3", "6"})
          for (const char *split : {"1", "4"}) {
            std::string config =
                std::string("schedule=wgmma,warps=4x1x1,cta=") + tile +
                ",stages=" + stages + ",split_k=" + split;
            TuningProblem problem = makeProblem(m, 4096, k);
            records.push_back(makeRecord(
                problem, config, estimate(config, problem, constants) / 1000));
          }
  return records;
}

TEST(ModelFit, RecoversConstants) {
  ScheduleConstants truth;
  truth.tensorRate = 1600;
  truth.latency = 1500;
  truth.reduceLaunch = 6000;
  ModelConstants start;
  start.chip = "sm_90a";
  std::vector<Record> records = makeRecords(truth);
  FitResult result = unwrap(fitModel(records, start));
  const FitQuality &quality = result.qualities[Schedule::Wgmma];
  EXPECT_EQ(quality.records, records.size());
  EXPECT_EQ(quality.problems, 8u);
  EXPECT_EQ(result.qualities.count(Schedule::MmaSync), 0u);
  EXPECT_LT(quality.error, 0.005);
  // The constants of the start are far off.
  FitOptions none;
  none.iterations = 0;
  EXPECT_GT(
      unwrap(fitModel(records, start, none)).qualities[Schedule::Wgmma].error,
      0.02);
  const ScheduleConstants &wgmma = *result.constants.find(Schedule::Wgmma);
  EXPECT_NEAR(wgmma.tensorRate, 1600, 160);
  EXPECT_NEAR(wgmma.latency, 1500, 150);
  // What has no records stays.
  EXPECT_EQ(result.constants.find(Schedule::MmaSync)->tensorRate,
            start.find(Schedule::MmaSync)->tensorRate);
  // It is deterministic.
  EXPECT_EQ(
      unwrap(fitModel(records, start)).constants.find(Schedule::Wgmma)->latency,
      wgmma.latency);
}

TEST(ModelFit, NeedsSuccesses) {
  ModelConstants start;
  start.chip = "sm_90a";
  EXPECT_EQ(getError(fitModel({}, start)),
            "there is no measured success to fit to");
}

TEST(CostModel, IsReadByName) {
  EXPECT_TRUE(bool(unwrap(readCostModel(""))));
  EXPECT_TRUE(bool(unwrap(readCostModel("default"))));
  EXPECT_NE(getError(readCostModel("/nowhere.yaml")).find("cannot read"),
            std::string::npos);
}

TEST(CostModel, TheDefaultModelKnowsOtherSchedules) {
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  setTypes(problem, ScalarType::F32);
  Space space = unwrap(readSpace("simt-quick"));
  SearchSpace simt = unwrap(SearchSpace::create(space, getChip(), problem));
  KernelConfig config = simt.getConfig(simt.getPoint(simt.getLegal()[0]));
  double expected = getDefaultCostModel()(simt, config);
  EXPECT_EQ(unwrap(readCostModel("nvidia-h200"))(simt, config), expected);
  EXPECT_EQ(unwrap(readCostModel(""))(simt, config), expected);
  Space quick = unwrap(readSpace("mma_sync-quick"));
  SearchSpace mma = unwrap(
      SearchSpace::create(quick, getChip(), makeProblem(1024, 1024, 1024)));
  config = mma.getConfig(mma.getPoint(mma.getLegal()[0]));
  EXPECT_NE(unwrap(readCostModel(""))(mma, config),
            getDefaultCostModel()(mma, config));
}

/// Both are those of a board that has rested.
TEST(CostModel, MachineFilesHaveTimesAndSensitivities) {
  constexpr llvm::StringLiteral name = "nvidia-h200.machine.yaml";
  Machine rested = getRested(llvm::cantFail(readMachine(name)));
  TuningProblem problem = makeProblem(4096, 4096, 4096);
  KernelConfig config = makeConfig(
      "schedule=wgmma cta=128x256x64 warps=8x1x1 stages=4 epilogue=tma");
  TimeModel model = llvm::cantFail(readTimeModel(name));
  std::optional<Picoseconds> time =
      findKernelTime(rested, getChip(), config, problem.getInfo());
  ASSERT_TRUE(time);
  EXPECT_DOUBLE_EQ(model(config, getChip(), problem.getInfo()),
                   double(*time) * 1e-6);
  std::vector<double> expected =
      getSensitivities(rested, getChip(), config, problem.getInfo());
  for (double &each : expected)
    each *= 0.4;
  ModelFeatures features = llvm::cantFail(readModelFeatures(name));
  SearchSpace space = unwrap(SearchSpace::create(
      unwrap(readSpace("wgmma-quick")), getChip(), problem));
  EXPECT_EQ(features(space, config), expected);
}

} // namespace
