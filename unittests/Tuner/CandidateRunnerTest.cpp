//===- CandidateRunnerTest.cpp - Checks and times on a device -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator replaces a GPU, with a clock that the tests set.
//
//===----------------------------------------------------------------------===//

#include "Measure/CandidateRunner.h"
#include "TunerTestUtils.h"
#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Runtime/EmulatorDevice.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

namespace {

/// The test sets the time of every launch. A launch outside a graph has an
/// additional overhead, and a graph's first run is 20 % slower.
class ClockDevice : public Device {
public:
  ClockDevice() : inner(unwrap(openEmulator(getOptions()))) {
    properties = inner->getProperties();
    properties.isEmulated = false;
    properties.l2Bytes = 65536;
  }

  static EmulatorOptions getOptions() {
    EmulatorOptions options;
    options.chip = "sm_80";
    return options;
  }

  const DeviceProperties &getProperties() const override { return properties; }
  Error copyToDevice(uint64_t address, const void *source,
                     size_t bytes) override {
    return inner->copyToDevice(address, source, bytes);
  }
  Error copyFromDevice(void *target, uint64_t address, size_t bytes) override {
    fetched += bytes;
    if (bytes > 8192) // A result, which the host checks.
      wakeUp = sleepy;
    return inner->copyFromDevice(target, address, bytes);
  }
  Error copyOnDevice(uint64_t target, uint64_t source, size_t bytes) override {
    return inner->copyOnDevice(target, source, bytes);
  }
  Error fill32(uint64_t address, uint32_t value, size_t count) override {
    return inner->fill32(address, value, count);
  }
  Expected<std::unique_ptr<Module>>
  loadModule(const ModuleImage &image) override {
    return inner->loadModule(image);
  }
  Error launch(Kernel &kernel, const LaunchConfig &config,
               llvm::ArrayRef<KernelArgument> arguments) override {
    ++launches;
    spent += microseconds + 8 + std::exchange(wakeUp, 0);
    return inner->launch(kernel, config, arguments);
  }
  Error synchronize() override { return inner->synchronize(); }

  /// Counts instead of running.
  class CountingGraph : public Graph {
  public:
    CountingGraph(ClockDevice &device, unsigned count)
        : device(device), count(count) {}
    Error launch() override {
      device.launches += count;
      device.spent += count * device.microseconds * (isFirst ? 1.2 : 1);
      isFirst = false;
      return Error::success();
    }
    ClockDevice &device;
    unsigned count;
    bool isFirst = true;
  };
  Expected<std::unique_ptr<Graph>>
  capture(llvm::function_ref<Error()> enqueue) override {
    unsigned before = launches;
    Expected<std::unique_ptr<Graph>> graph = inner->capture(enqueue);
    if (!graph)
      return graph.takeError();
    chain = launches - before;
    launches = before;
    return std::make_unique<CountingGraph>(*this, chain);
  }
  Expected<double> time(llvm::function_ref<Error()> enqueue) override {
    spent = 0;
    if (Error error = enqueue())
      return std::move(error);
    double noise = samples++ % 2 ? 1.001 : 1;
    return spent * noise / 1000;
  }

  std::unique_ptr<Device> inner;
  DeviceProperties properties;
  unsigned launches = 0, samples = 0, chain = 0;
  size_t fetched = 0;
  double microseconds = 10, spent = 0;
  /// The additional time of the first launch after the host was busy, and that
  /// of the next launch.
  double sleepy = 0, wakeUp = 0;

private:
  Expected<uint64_t> allocateMemory(size_t bytes,
                                    llvm::StringRef name) override {
    Expected<Buffer> buffer = inner->allocate(bytes, name);
    if (!buffer)
      return buffer.takeError();
    uint64_t address = buffer->getAddress();
    buffers.push_back(std::move(*buffer));
    return address;
  }
  void freeMemory(uint64_t address) override {
    llvm::erase_if(buffers, [&](const Buffer &buffer) {
      return buffer.getAddress() == address;
    });
  }
  std::vector<Buffer> buffers;
};

class CandidateRunnerTest : public testing::Test {
protected:
  CandidateRunnerTest() {
    options.timing.rotatedBytes = 0;
    options.timing.chainMilliseconds = 0.1;
    options.timing.warmUpMilliseconds = 0.5;
    options.timing.powerMilliseconds = 1;
  }

  KernelPack compile(const KernelConfig &config) {
    CompileOptions compile;
    compile.chip = "sm_80";
    compile.format = OutputFormat::PTX;
    compile.configText = config.str();
    return unwrap(compileToPack(problem.getSource(), compile));
  }
  RunOutcome run(int stages, double best = 0) {
    KernelConfig config =
        makeConfig("cta=64x64x32 warps=2x2x1 stages=" + std::to_string(stages));
    return runner.run(problem, compile(config), config, best);
  }

  EngineOptions options;
  ClockDevice device;
  TuningProblem problem = makeProblem(72, 64, 96);
  std::unique_ptr<DeviceMonitor> monitor =
      unwrap(DeviceMonitor::open("0000:3B:00.0", TCGEMM_BINARY_DIR
                                 "/unittests/fake-driver/libnvidia-ml.so.1"));
  CandidateRunner runner{device, *lookupChip("sm_80"), options, monitor.get()};
};

TEST_F(CandidateRunnerTest, TimesInChainsOverAllSets) {
  RunOutcome outcome = run(3);
  EXPECT_EQ(outcome.outcome, Outcome::Success) << outcome.message;
  EXPECT_EQ(outcome.timing.stage, TimingStage::Full);
  EXPECT_NEAR(outcome.timing.median, 10, 0.02);
  EXPECT_EQ(outcome.timing.samples.size(), 3u); // Precise enough at once.
  // 131,072 bytes are wanted, a set has 2 · (72 · 96 + 64 · 96 + 72 · 64).
  EXPECT_EQ(device.chain, 10u);
  EXPECT_EQ(outcome.variant, "aligned");
}

TEST_F(CandidateRunnerTest, TheFirstOfAProblemWarmsUp) {
  unsigned before = device.samples;
  run(3);
  // A single launch; 0.5 ms in chains of 0.1 ms and the time of their calls; a
  // chain that does not count, and three samples.
  EXPECT_EQ(device.samples - before, 1u + 5u + 1u + 3u);
  before = device.samples;
  RunOutcome outcome = run(2);
  EXPECT_EQ(device.samples - before, 1u + 1u + 3u);
  EXPECT_NEAR(outcome.timing.high, 10, 0.02);
}

TEST_F(CandidateRunnerTest, SlowOnesAreGivenUp) {
  device.microseconds = 100;
  RunOutcome outcome = run(3, /*best=*/10);
  EXPECT_EQ(outcome.timing.stage, TimingStage::Single);
  EXPECT_NEAR(outcome.timing.median, 108, 1);
  EXPECT_EQ(device.chain, 0u);
  run(3); // Warms up.
  // A first chain is too slow by more than its start explains, or a second one.
  for (double microseconds : {13, 11}) {
    device.microseconds = microseconds;
    outcome = run(3, /*best=*/10);
    EXPECT_EQ(outcome.timing.stage, TimingStage::Screened);
    EXPECT_EQ(outcome.timing.samples.size(), 1u);
    EXPECT_NEAR(outcome.timing.median, microseconds == 13 ? 15.6 : 11, 0.02);
  }
  device.microseconds = 10.5;
  EXPECT_EQ(run(3, /*best=*/10).timing.stage, TimingStage::Full);
}

TEST_F(CandidateRunnerTest, WhatTheHostHasCheckedIsWokenFirst) {
  problem.kernel.epilogue = {
      {EpiloguePart::Bias}}; // Checked on the host each time.
  EXPECT_EQ(run(3).outcome, Outcome::Success);
  device.sleepy = 500;
  RunOutcome outcome = run(2, /*best=*/10);
  EXPECT_EQ(outcome.outcome, Outcome::Success) << outcome.message;
  EXPECT_EQ(outcome.timing.stage, TimingStage::Full);
}

TEST_F(CandidateRunnerTest, LaterResultsStayOnTheDevice) {
  for (ScalarType type : {ScalarType::BF16, ScalarType::F16, ScalarType::F32}) {
    problem.kernel.typeA = problem.kernel.typeB =
        type == ScalarType::F32 ? ScalarType::BF16 : type;
    problem.kernel.output = type;
    EXPECT_EQ(run(3).outcome, Outcome::Success);
    device.fetched = 0;
    RunOutcome outcome = run(2);
    EXPECT_EQ(outcome.outcome, Outcome::Success) << outcome.message;
    // Red zones and a word, but no result.
    EXPECT_LE(device.fetched, 3 * 4096 + 16u + 8u) << getTypeName(type).str();
  }
}

TEST_F(CandidateRunnerTest, WrongResultsAreFoundOnTheDevice) {
  EXPECT_EQ(run(3).outcome, Outcome::Success);
  KernelConfig config = makeConfig("cta=64x64x32 warps=2x2x1 stages=2");
  KernelPack pack = compile(config);
  std::string &ptx = pack.images[0].ptx;
  size_t main = ptx.find(".entry main_0_main(");
  // One of a thread's elements loses its sign, and then its store.
  ptx.insert(ptx.find("bf16.f32", ptx.find("cvt.rn.", main)), "relu.");
  RunOutcome outcome = runner.run(problem, pack, config, 0);
  EXPECT_EQ(outcome.outcome, Outcome::Correctness);
  EXPECT_EQ(outcome.message.substr(0, 7), "out[0, ") << outcome.message;
  pack = compile(config);
  main = pack.images[0].ptx.find(".entry main_0_main(");
  pack.images[0].ptx.insert(pack.images[0].ptx.find("st.global", main), "//");
  outcome = runner.run(problem, pack, config, 0);
  EXPECT_EQ(outcome.outcome, Outcome::Correctness);
  EXPECT_NE(outcome.message.find("nan"), std::string::npos) << outcome.message;
  EXPECT_EQ(run(2).outcome, Outcome::Success);
}

TEST_F(CandidateRunnerTest, FinalistsAreTimedInTurns) {
  KernelConfig a = makeConfig("cta=64x64x32 warps=2x2x1 stages=2");
  KernelConfig b = makeConfig("cta=64x64x32 warps=2x2x1 stages=2 split_k=2");
  KernelPack packs[] = {compile(a), compile(b)};
  options.timing.finalRounds = 8;
  auto timings = unwrap(runner.refine(problem, {&packs[0], &packs[1]}));
  ASSERT_EQ(timings.size(), 2u);
  EXPECT_EQ(timings[0].timing.stage, TimingStage::Final);
  EXPECT_EQ(timings[0].timing.samples.size(), 8u);
  EXPECT_NEAR(timings[0].timing.median, 10, 0.1);
  EXPECT_NEAR(timings[1].timing.median, 20, 0.1); // With its reduction.
  // The power is read under the load of each finalist.
  EXPECT_EQ(timings[0].state.power, 612.5);
  EXPECT_EQ(timings[1].state.power, 612.5);
}

TEST_F(CandidateRunnerTest, StatesAreThoseOfTheDevice) {
  ::setenv("FAKE_NVML_EVENTS", "4", 1);
  RunOutcome outcome = run(3);
  ::unsetenv("FAKE_NVML_EVENTS");
  EXPECT_EQ(outcome.state.smClock, 1755);
  EXPECT_EQ(outcome.state.getThrottling(), "power cap");
  // Rejected candidates are unloaded.
  for (double microseconds : {100, 12}) {
    device.microseconds = microseconds;
    outcome = run(2, /*best=*/10);
    EXPECT_NE(outcome.timing.stage, TimingStage::Full);
    EXPECT_FALSE(outcome.state.isKnown());
  }
  // Without NVML all values are unknown, not zero.
  CandidateRunner blind(device, *lookupChip("sm_80"), options,
                        /*monitor=*/nullptr);
  KernelConfig config = makeConfig("cta=64x64x32 warps=2x2x1 stages=4");
  outcome = blind.run(problem, compile(config), config, 0);
  EXPECT_EQ(outcome.outcome, Outcome::Success) << outcome.message;
  EXPECT_FALSE(outcome.state.isKnown());
}

} // namespace
