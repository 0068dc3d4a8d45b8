//===- CalibrationTest.cpp - Quantities from times of experiments ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Calibration.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Store/Problems.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cmath>
#include <thread>

using namespace tcgemm;
using llvm::cantFail;

namespace {

Machine readFitted() {
  auto buffer = llvm::MemoryBuffer::getFile(
      TCGEMM_SOURCE_DIR "/unittests/Model/Inputs/fitted.machine.yaml");
  return cantFail(parseMachine((*buffer)->getBuffer(), "h200"));
}

/// A machine whose quantities all differ from those of the other one.
Machine makeOther() {
  Machine machine = readFitted();
  auto set = [&](Quantity quantity, double value) {
    machine.values[size_t(quantity)].value = value;
  };
  set(Quantity::Processors, 78);
  set(Quantity::Launch, 1400);
  set(Quantity::CopyStartup, 17);
  set(Quantity::CopyRate, 95);
  set(Quantity::CacheRate, 5100);
  set(Quantity::MathStartup, 9);
  set(Quantity::MathRate, 1500);
  set(Quantity::EpilogueStartup, 333);
  set(Quantity::EpilogueRate, 41);
  set(Quantity::ReductionLaunch, 1777);
  set(Quantity::ReductionRate, 2500);
  set(Quantity::CopyLatency, 840);
  set(Quantity::SlotRelease, 55);
  set(Quantity::CtaPrologue, 610);
  set(Quantity::MemoryRate, 1900);
  set(Quantity::Clock, 1.755);
  set(Quantity::LoadedClock, 1.41);
  set(Quantity::MemoryLatency, 1234);
  set(Quantity::ClusterLaunch, 1789);
  set(Quantity::ExchangeStartup, 222);
  set(Quantity::ExchangeRate, 27);
  set(Quantity::StagedRate, 23);
  set(Quantity::ElementRate, 13);
  set(Quantity::RowRate, 9);
  set(Quantity::ColumnRate, 19);
  set(Quantity::StoreLaunch, 1911);
  set(Quantity::LastStoreRate, 37);
  set(Quantity::CtaLaunch, 1.75);
  set(Quantity::MemoryStoreRate, 1500);
  set(Quantity::OutsideRow, 6.5);
  set(Quantity::ClusterProcessors, 72);
  set(Quantity::UnsharedRate, 3100);
  set(Quantity::SharedRate, 140);
  set(Quantity::BusyClock, 1.62);
  return machine;
}

CalibrationOptions getOptions(const Machine &machine) {
  DeviceProperties properties;
  properties.smCount = machine.getProcessors();
  CalibrationOptions options;
  options.scale = CalibrationScale::of(properties);
  return options;
}

const CalibrationProgress kQuiet = [](const llvm::Twine &) {};

Calibration calibrateModel(const Machine &machine, double noise) {
  auto runner = createModelRunner(machine, noise);
  return cantFail(calibrate(*runner, getOptions(machine), kQuiet));
}

TEST(Calibration, FindsTheQuantitiesOfAModel) {
  // Epilogues are no limit for memory, nor copies or products for shared
  // memory. Products are the limit of whole ones with 128x256 tiles.
  Machine fitted = readFitted();
  fitted.values[size_t(Quantity::MemoryStoreRate)].value = 2000;
  fitted.values[size_t(Quantity::SharedRate)].value = 150;
  for (const Machine &machine : {fitted, makeOther()}) {
    Calibration calibration = calibrateModel(machine, 0);
    EXPECT_EQ(calibration.countFailures(), 0u);
    EXPECT_EQ(calibration.rounds, 21u);
    for (auto [info, estimate, truth] : llvm::zip_equal(
             getQuantityInfos(), calibration.estimates, machine.values)) {
      ASSERT_TRUE(estimate.value) << info.name.str();
      // The simulator's times are whole picoseconds.
      EXPECT_NEAR(estimate.value->value, truth.value, 1e-4 * truth.value + 1e-3)
          << info.name.str();
      EXPECT_LE((*estimate.value->interval)[0], estimate.value->value);
      EXPECT_GE((*estimate.value->interval)[1], estimate.value->value);
      EXPECT_FALSE(estimate.method.empty());
    }
  }
}

TEST(Calibration, IntervalsCoverTheNoise) {
  Machine machine = makeOther();
  Calibration calibration = calibrateModel(machine, 0.002);
  unsigned inside = 0, wide = 0;
  for (auto [estimate, truth] :
       llvm::zip_equal(calibration.estimates, machine.values)) {
    ASSERT_TRUE(estimate.value);
    auto [low, high] = *estimate.value->interval;
    inside += low <= truth.value && truth.value <= high;
    wide += low < high;
  }
  // Of 32 intervals of 95 % some may miss; the counts have no noise.
  EXPECT_GE(inside, 27u);
  EXPECT_EQ(wide, kNumQuantities - 2);
}

TEST(Calibration, IsTheSameAgain) {
  Machine machine = makeOther();
  Calibration first = calibrateModel(machine, 0.01);
  Calibration second = calibrateModel(machine, 0.01);
  for (auto [a, b] : llvm::zip_equal(first.estimates, second.estimates))
    EXPECT_EQ(a.value->value, b.value->value);
}

TEST(Calibration, EveryExperimentFitsItsMachine) {
  for (int64_t processors : {1, 2, 7, 78, 132, 144}) {
    CalibrationScale scale;
    scale.processors = processors;
    std::vector<Experiment> experiments = getExperiments(scale);
    ASSERT_EQ(experiments.size(), kNumExperiments);
    for (const Experiment &experiment : experiments) {
      EXPECT_FALSE(experiment.name.empty());
      EXPECT_EQ((experiment.getM() + experiment.outsideRows) %
                    experiment.kernel.tileM,
                0);
      EXPECT_EQ(experiment.getK() % 64, 0);
    }
    auto get = [&](ExperimentId id) { return experiments[size_t(id)]; };
    EXPECT_EQ(get(ExperimentId::Empty).getCTAs(), processors);
    EXPECT_EQ(get(ExperimentId::EmptyWaves).getWaves(processors), scale.waves);
    EXPECT_EQ(get(ExperimentId::CacheMiss).getCTAs(), processors);
    // Epilogues are those of a few CTAs, which do not share the L2 cache's
    // rate.
    EXPECT_EQ(get(ExperimentId::EpilogueLarge).getCTAs(), 4);
    EXPECT_EQ(get(ExperimentId::EpilogueLarge).getTilesOfCTA(), 1);
    EXPECT_EQ(get(ExperimentId::EpilogueLargeMore).getCTAs(), 4);
    EXPECT_EQ(get(ExperimentId::EpilogueLargeMore).getTilesOfCTA(),
              scale.tilesOfCTA);
  }
}

/// Waves are counted by multiprocessors, and the L2 cache is not shared by
/// several CTAs of one.
TEST(Calibration, OneCTAFillsAMultiprocessor) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  KernelSpec kernel = cantFail(KernelSpec::parse("bf16 tn bf16 none"));
  for (const Experiment &experiment : getExperiments(CalibrationScale())) {
    TuningProblem problem{
        kernel, {experiment.getM(), experiment.getN(), experiment.getK()}, ""};
    KernelConfig config = experiment.kernel.getConfig();
    EXPECT_FALSE(bool(checkConfig(config, chip, problem.getInfo())))
        << experiment.name;
    KernelWork work = describeWork(config, chip, problem.getInfo());
    EXPECT_EQ(work.residents == 1, experiment.kernel.depth > 2)
        << experiment.name;
    EXPECT_EQ(work.ctas, experiment.getTiles()) << experiment.name;
    EXPECT_EQ(work.isPersistent, experiment.kernel.isPersistent)
        << experiment.name;
    EXPECT_EQ(work.iterations, experiment.stages) << experiment.name;
    EXPECT_EQ(work.packBytes, 0) << experiment.name;
  }
}

/// Rounds in which every time is `time`.
std::vector<CalibrationRound> makeRounds(llvm::ArrayRef<Experiment> experiments,
                                         llvm::ArrayRef<double> times) {
  std::vector<CalibrationRound> rounds;
  for (double time : times) {
    CalibrationRound &round = rounds.emplace_back();
    round.experiments = experiments;
    round.times.assign(experiments.size(), time);
    round.processors = 132;
    round.clock = 1.5;
    round.loadedClock = 1.6;
  }
  return rounds;
}

TEST(Calibration, TimesThatDoNotDifferAreNoRates) {
  std::vector<Experiment> experiments = getExperiments(CalibrationScale());
  auto estimates = estimateQuantities(makeRounds(experiments, {60, 60, 60}));
  Calibration calibration;
  calibration.estimates = estimates;
  EXPECT_FALSE(calibration.hasRates());
  const Estimate &rate = estimates[size_t(Quantity::CopyRate)];
  EXPECT_FALSE(rate.value);
  EXPECT_EQ(rate.failure, "the median of its values is inf bytes/ns, but it "
                          "must be 0.01 to 1e+06");
  const Estimate &launch = estimates[size_t(Quantity::Launch)];
  ASSERT_TRUE(launch.value);
  EXPECT_EQ(launch.value->value, 60);
  // A clock under load above the other one counts as that.
  EXPECT_EQ(estimates[size_t(Quantity::LoadedClock)].value->value, 1.5);
  EXPECT_FALSE(estimates[size_t(Quantity::BusyClock)].value);
}

TEST(Calibration, IntervalsAreRanksOfTheRounds) {
  std::vector<Experiment> experiments = getExperiments(CalibrationScale());
  std::vector<double> times = {9, 1, 2, 8, 3, 7, 4, 6, 5};
  auto estimates = estimateQuantities(makeRounds(experiments, times));
  const MachineValue &launch = *estimates[size_t(Quantity::Launch)].value;
  EXPECT_EQ(launch.value, 5);
  // n = 9: ranks 9/2 - 0.98 * 3 and 9/2 + 1 + 0.98 * 3, outwards.
  EXPECT_EQ((*launch.interval)[0], 1);
  EXPECT_EQ((*launch.interval)[1], 9);
}

TEST(Calibration, StartupsBelowZeroCountAsZero) {
  Machine machine = makeOther();
  std::vector<Experiment> experiments =
      getExperiments(getOptions(machine).scale);
  auto rounds = makeRounds(experiments, {0});
  auto set = [&](ExperimentId id, double time) {
    rounds.front().times[size_t(id)] = time;
  };
  // 192 stages; the copy of twice the bytes takes three times as long.
  set(ExperimentId::CopySmallStages, 192 * 2 * 50);
  set(ExperimentId::CopyLargeStages, 192 * 2 * 150);
  auto estimates = estimateQuantities(rounds);
  const Estimate &startup = estimates[size_t(Quantity::CopyStartup)];
  ASSERT_TRUE(startup.value);
  EXPECT_EQ(startup.value->value, 0);
  EXPECT_NE(startup.method.find("the median -50.000 is below 0"),
            std::string::npos)
      << startup.method;
  EXPECT_NEAR(estimates[size_t(Quantity::CopyRate)].value->value, 81.92, 1e-9);
}

/// A runner that is slow, or that fails.
class FaultyRunner : public ExperimentRunner {
public:
  llvm::Error prepare(llvm::ArrayRef<Experiment>) override {
    return llvm::Error::success();
  }
  llvm::Expected<double> time(size_t) override {
    if (fails)
      return llvm::createStringError("the device is lost");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 1;
  }
  llvm::Expected<ClockReading> readClock(bool) override {
    return ClockReading{1, 1};
  }
  double getEventStep() const override { return 0; }
  bool fails = false;
};

TEST(Calibration, EndsWithItsBudget) {
  FaultyRunner runner;
  CalibrationOptions options;
  options.budget = 0.01;
  llvm::Expected<Calibration> calibration = calibrate(runner, options, kQuiet);
  ASSERT_FALSE(bool(calibration));
  std::string text = toString(calibration.takeError());
  EXPECT_TRUE(llvm::StringRef(text).starts_with(
      "the budget is 0.01 s, but 3 rounds take longer: "))
      << text;
}

TEST(Calibration, NamesTheExperimentThatFails) {
  FaultyRunner runner;
  runner.fails = true;
  llvm::Expected<Calibration> calibration =
      calibrate(runner, CalibrationOptions(), kQuiet);
  ASSERT_FALSE(bool(calibration));
  std::string text = toString(calibration.takeError());
  EXPECT_TRUE(llvm::StringRef(text).ends_with(": the device is lost")) << text;
}

TEST(Calibration, MachineFilesSayWhatIsNotMeasured) {
  Machine base = readFitted(), machine = makeOther();
  Calibration calibration = calibrateModel(machine, 0);
  MachineOrigin origin{"2026-11-25", "CUDA driver 13.0",
                       "0.1.0+1",    "tcgemm-tune calibrate",
                       21,           32,
                       0.5};
  auto write = [&](bool isMeasured) {
    Machine made = makeMachine(calibration, base, origin, isMeasured);
    std::string text;
    llvm::raw_string_ostream os(text);
    writeMachine(made, os);
    return cantFail(parseMachine(text, "written"));
  };
  Machine whole = write(true);
  EXPECT_TRUE(whole.isCalibrated);
  ASSERT_TRUE(whole.origin);
  EXPECT_EQ(whole.origin->timerStep, 32);
  EXPECT_EQ(whole.origin->eventStep, 0.5);
  EXPECT_FALSE(write(false).isCalibrated);
  Estimate &rate = calibration.estimates[size_t(Quantity::MemoryRate)];
  rate.value.reset();
  rate.failure = "of a reason";
  Machine partial = write(true);
  EXPECT_FALSE(partial.isCalibrated);
  const MachineValue &value = partial.values[size_t(Quantity::MemoryRate)];
  EXPECT_EQ(value.value, base.get(Quantity::MemoryRate));
  EXPECT_FALSE(value.interval);
  EXPECT_EQ(value.source, "not measured, because of a reason; the value of "
                          "NVIDIA H200");
}

TEST(Calibration, ClocksOfAnotherMachineDoNotContradict) {
  Machine base = readFitted(), machine = makeOther();
  for (auto [missing, measured, value] :
       {std::tuple(Quantity::LoadedClock, Quantity::Clock, 1.5),
        std::tuple(Quantity::BusyClock, Quantity::Clock, 1.5),
        std::tuple(Quantity::Clock, Quantity::LoadedClock, 2.0),
        std::tuple(Quantity::Clock, Quantity::BusyClock, 2.0)}) {
    Calibration calibration = calibrateModel(machine, 0);
    calibration.estimates[size_t(missing)].value.reset();
    Estimate &estimate = calibration.estimates[size_t(measured)];
    estimate.value->value = value;
    estimate.value->interval = {value, value};
    Machine made = makeMachine(calibration, base, MachineOrigin(), true);
    EXPECT_EQ(made.get(measured), value);
    EXPECT_EQ(made.get(missing), value);
    llvm::StringRef source = made.values[size_t(missing)].source;
    EXPECT_TRUE(source.ends_with(", limited by the other clock"));
  }
}

} // namespace
