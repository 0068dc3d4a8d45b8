//===- EmulatorDeviceTest.cpp - Tests of the emulated device --------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device by itself, and whole problems on it, with and without faults.
//
//===----------------------------------------------------------------------===//

#include "EmulatedKernels.h"

#include "tcgemm/Runtime/EmulatorDevice.h"
#include "tcgemm/Runtime/Problem.h"
#include "tcgemm/Target/EmulatedTensorMap.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace tcgemm;

namespace {

std::unique_ptr<Device> open(const EmulatorOptions &options = {}) {
  return llvm::cantFail(openEmulator(options));
}

template <typename T> std::string getError(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

KernelArgument pointer(const Buffer &buffer) {
  uint64_t address = buffer.getAddress();
  KernelArgument bytes(sizeof(address));
  std::memcpy(bytes.data(), &address, sizeof(address));
  return bytes;
}

TEST(EmulatorDevice, HasTheChipsProperties) {
  const DeviceProperties p = open()->getProperties();
  EXPECT_EQ(p.name, "emulator (sm_90a)");
  EXPECT_TRUE(p.isEmulated);
  EXPECT_EQ(p.major, 9);
  EXPECT_EQ(p.smCount, 132);
  EXPECT_EQ(p.sharedMemoryPerBlock, 232448);
  EmulatorOptions options;
  options.chip = "sm_86";
  options.smCount = 7;
  const DeviceProperties q = open(options)->getProperties();
  EXPECT_EQ(q.minor, 6);
  EXPECT_EQ(q.smCount, 7);
  options.chip = "sm_1";
  EXPECT_NE(getError(openEmulator(options)).find("unknown chip 'sm_1'"),
            std::string::npos);
}

TEST(EmulatorDevice, Memory) {
  std::unique_ptr<Device> device = open();
  Buffer a = llvm::cantFail(device->allocate(16, "a"));
  Buffer b = llvm::cantFail(device->allocate(0));
  EXPECT_EQ(a.getAddress() % 256, 0U);
  EXPECT_NE(b.getAddress(), 0U);
  llvm::cantFail(device->fill32(a.getAddress(), 7, 4));
  llvm::cantFail(device->copyOnDevice(b.getAddress(), a.getAddress() + 8, 8));
  uint32_t words[2] = {};
  llvm::cantFail(device->copyFromDevice(words, b.getAddress(), 8));
  EXPECT_EQ(words[1], 7U);
  llvm::Error error = device->copyToDevice(a.getAddress() + 12, words, 8);
  EXPECT_TRUE(error.isA<DeviceError>());
  llvm::consumeError(std::move(error));
}

TEST(EmulatorDevice, EncodesTensorMaps) {
  std::unique_ptr<Device> device = open();
  TensorMapDescription map;
  map.dims = {64, 8};
  map.strides = {128};
  map.box = {64, 8};
  map.base = 4096;
  TensorMapImage image = llvm::cantFail(device->encodeTensorMap(map));
  EXPECT_TRUE(llvm::cantFail(decodeEmulatedTensorMap(image)) == map);
  map.strides = {30};
  EXPECT_NE(getError(device->encodeTensorMap(map)).find("strides[0]"),
            std::string::npos);
}

TEST(EmulatorDevice, RefusesWhatItCannotRun) {
  std::unique_ptr<Device> device = open();
  EXPECT_NE(getError(device->loadModule({"", "cubin"})).find("has no PTX"),
            std::string::npos);
  EXPECT_NE(getError(device->loadModule({"nonsense", ""})).find("line 1"),
            std::string::npos);
  std::unique_ptr<Module> module =
      llvm::cantFail(device->loadModule({kCopyPTX, ""}));
  EXPECT_EQ(getError(module->getKernel("other")),
            "no kernel 'other' in the PTX, which has: copy");
  LaunchConfig config;
  config.sharedMemory = 300000;
  EXPECT_NE(
      llvm::toString(device->launch(*llvm::cantFail(module->getKernel("copy")),
                                    config, {}))
          .find("300000 bytes of shared memory"),
      std::string::npos);
  auto nothing = [] { return llvm::Error::success(); };
  EXPECT_NE(getError(device->time(nothing)).find("nothing can be measured"),
            std::string::npos);
}

/// Runs `copy` of the words 1, 2, 3, 4.
class CopyTest : public testing::Test {
protected:
  void launch(uint32_t threads, const EmulatorOptions &options = {}) {
    device = open(options);
    x = llvm::cantFail(device->allocate(16, "x"));
    y = llvm::cantFail(device->allocate(16, "y"));
    uint32_t words[] = {1, 2, 3, 4};
    llvm::cantFail(device->copyToDevice(x.getAddress(), words, 16));
    module = llvm::cantFail(device->loadModule({kCopyPTX, ""}));
    kernel = llvm::cantFail(module->getKernel("copy"));
    config.block[0] = threads;
    llvm::cantFail(enqueue());
  }
  llvm::Error enqueue() {
    return device->launch(*kernel, config, {pointer(x), pointer(y)});
  }
  uint32_t read(unsigned index) {
    uint32_t word = 0;
    llvm::cantFail(
        device->copyFromDevice(&word, y.getAddress() + 4 * index, 4));
    return word;
  }
  ~CopyTest() override {
    // Before the device.
    module.reset();
    x = Buffer();
    y = Buffer();
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Module> module;
  Kernel *kernel = nullptr;
  LaunchConfig config;
  Buffer x, y;
};

TEST_F(CopyTest, Runs) {
  launch(3);
  EXPECT_EQ(read(2), 3U);
  AccessChecker &checker = *device->getAccessChecker();
  Observations seen = checker.takeObservations();
  EXPECT_FALSE(seen.hasFindings());
  EXPECT_GT(seen.instructions, 5U);
  EXPECT_EQ(checker.takeObservations().instructions, 0U);
  auto ranges = llvm::cantFail(checker.findUndefined(y.getAddress(), 16));
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0], (std::pair<uint64_t, uint64_t>(12, 4)));
  llvm::cantFail(checker.markUndefined(y.getAddress(), 8));
  ranges = llvm::cantFail(checker.findUndefined(y.getAddress(), 16));
  EXPECT_EQ(ranges.size(), 2U);
}

TEST_F(CopyTest, FindingsNameBuffers) {
  launch(5);
  Observations seen = device->getAccessChecker()->takeObservations();
  ASSERT_EQ(seen.findings.size(), 2U);
  EXPECT_EQ(seen.findings[0].kind, emu::FindingKind::OutOfBounds);
  EXPECT_EQ(seen.findings[0].thread[0], 4U);
  EXPECT_NE(seen.findings[0].message.find("'x'"), std::string::npos);
  EXPECT_NE(seen.findings[1].message.find("'y'"), std::string::npos);
  BufferInfo info;
  info.isWritable = false;
  info.columns = 2;
  info.pitch = 8;
  info.elementBytes = 4;
  llvm::cantFail(device->getAccessChecker()->describe(y.getAddress(), info));
  config.block[0] = 4;
  llvm::cantFail(enqueue());
  seen = device->getAccessChecker()->takeObservations();
  ASSERT_EQ(seen.findings.size(), 1U);
  EXPECT_EQ(seen.findings[0].kind, emu::FindingKind::ReadOnlyWrite);
  EXPECT_NE(seen.findings[0].message.find("'y'[0, 0]"), std::string::npos);
}

TEST_F(CopyTest, GraphsAreReplayed) {
  launch(4);
  llvm::cantFail(device->fill32(y.getAddress(), 0, 4));
  std::unique_ptr<Graph> graph =
      llvm::cantFail(device->capture([&] { return enqueue(); }));
  EXPECT_EQ(read(1), 0U);
  llvm::cantFail(graph->launch());
  EXPECT_EQ(read(1), 2U);
  EXPECT_EQ(
      getError(device->capture([] { return llvm::createStringError("no"); })),
      "no");
  llvm::cantFail(device->fill32(y.getAddress(), 0, 4));
  llvm::cantFail(enqueue());
  EXPECT_EQ(read(1), 2U);
}

TEST(EmulatorDevice, StopsWhereItIsTold) {
  EmulatorOptions options;
  std::atomic<bool> cancel{true};
  options.cancel = &cancel;
  std::unique_ptr<Device> device = open(options);
  std::unique_ptr<Module> module =
      llvm::cantFail(device->loadModule({kEndlessPTX, ""}));
  llvm::Error error =
      device->launch(*llvm::cantFail(module->getKernel("endless")), {}, {});
  EXPECT_TRUE(error.isA<DeviceError>());
  EXPECT_NE(llvm::toString(std::move(error)).find("cancelled"),
            std::string::npos);
}

TEST_F(CopyTest, WatchersSeeLaunches) {
  struct Watcher : LaunchWatcher {
    std::string kernel;
    uint64_t blocks = 0;
    bool hasEnded = false;
    void begin(llvm::StringRef name, uint64_t count) override {
      kernel = name.str();
      blocks = count;
    }
    void update(uint64_t, uint64_t) override {}
    void end() override { hasEnded = true; }
  } watcher;
  EmulatorOptions options;
  options.watcher = &watcher;
  options.profile = true;
  config.grid = {3, 2, 1};
  launch(1, options);
  EXPECT_EQ(watcher.kernel, "copy");
  EXPECT_EQ(watcher.blocks, 6U);
  EXPECT_TRUE(watcher.hasEnded);
  Observations seen = device->getAccessChecker()->takeObservations();
  ASSERT_EQ(seen.profiles.size(), 1U);
  EXPECT_EQ(*seen.profiles[0].ptx, kCopyPTX);
}

//===----------------------------------------------------------------------===//
// Whole problems
//===----------------------------------------------------------------------===//

class EmulatedProblemTest : public testing::Test {
protected:
  EmulatedProblemTest() {
    options.sizes = {int64_t(5), int64_t(6), int64_t(9), std::nullopt};
    options.variant = "general";
  }
  LaunchResult run(const std::string &fault = "",
                   emu::Checks checks = emu::Checks()) {
    KernelPack pack = makeEmulatedPack(fault);
    EmulatorOptions emulator;
    emulator.checks = checks;
    std::unique_ptr<Device> device = open(emulator);
    Problem problem = llvm::cantFail(Problem::create(pack, options));
    llvm::cantFail(problem.fill());
    Executor executor(*device, pack);
    return llvm::cantFail(runAndVerify(*device, executor, problem, {}))
        .launches.at(0);
  }
  static std::string getKind(const LaunchResult &result) {
    const auto &findings = result.observed.findings;
    return findings.empty() ? "" : emu::getName(findings[0].kind).str();
  }

  ProblemOptions options;
};

TEST_F(EmulatedProblemTest, RightKernelsPass) {
  for (auto [padding, offset] :
       {std::pair(0, 0), std::pair(3, 0), std::pair(5, 1)})
    for (emu::Checks checks : {emu::Checks(), emu::Checks::none()}) {
      options.defaultRowPadding = padding;
      options.defaultOffset = offset;
      LaunchResult result = run("", checks);
      EXPECT_TRUE(result.passed())
          << result.report.summarize() << result.damage << result.missed;
      EXPECT_FALSE(result.observed.hasFindings())
          << toString(result.observed.findings[0]);
    }
}

TEST_F(EmulatedProblemTest, MissedElementsAreNamed) {
  const char *fault = R"(
  setp.eq.u32 %p1, %r1, 3;
  setp.ge.u32 %p2, %r2, 4;
  and.pred %p1, %p1, %p2;
  @%p1 ret;
)";
  LaunchResult result = run(fault);
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.missed, "arg2 (out0): 2 of 30 elements were not written: "
                           "[3, 4] [3, 5]");
  EXPECT_EQ(result.report.numUnwritten, 2);
  // Without the check, the poison reveals missed elements.
  result = run(fault, emu::Checks::none());
  EXPECT_EQ(result.missed, "");
  EXPECT_EQ(result.report.numUnwritten, 2);
}

TEST_F(EmulatedProblemTest, WritesToThePaddingAreDamage) {
  options.defaultRowPadding = 2;
  const char *fault = R"(
  setp.eq.u32 %p1, %r1, 3;
  setp.eq.u32 %p2, %r2, 5;
  and.pred %p1, %p1, %p2;
  @%p1 st.global.b16 [%rd8+2], %h1;
)";
  for (emu::Checks checks : {emu::Checks(), emu::Checks::none()})
    EXPECT_NE(run(fault, checks).damage.find("in the padding at"),
              std::string::npos);
}

TEST_F(EmulatedProblemTest, ReadsOfThePaddingAreFindings) {
  options.defaultRowPadding = 1;
  const char *fault = R"(
  setp.eq.u32 %p1, %r1, 2;
  @%p1 ld.global.b16 %h1, [%rd6+18];
)";
  EXPECT_EQ(getKind(run(fault)), "uninitialised-global");
}

TEST_F(EmulatedProblemTest, AccessesOutsideAreFindings) {
  LaunchResult result = run("ld.global.b16 %h2, [%rd6+-18];");
  EXPECT_EQ(getKind(result), "out-of-bounds");
  EXPECT_NE(result.observed.findings[0].message.find("'A'"), std::string::npos);
  result = run("st.global.b16 [%rd7], %h1;");
  EXPECT_EQ(getKind(result), "read-only-write");
  EXPECT_NE(result.observed.findings[0].message.find("'B'["),
            std::string::npos);
}

TEST_F(EmulatedProblemTest, ComparingCanBeLeftOut) {
  KernelPack pack = makeEmulatedPack("mov.b16 %h1, 0;");
  std::unique_ptr<Device> device = open();
  Problem problem = llvm::cantFail(Problem::create(pack, options));
  llvm::cantFail(problem.fill());
  Executor executor(*device, pack);
  VerifyOptions verify;
  EXPECT_FALSE(llvm::cantFail(runAndVerify(*device, executor, problem, verify))
                   .passed());
  verify.compare = false;
  RunResult result =
      llvm::cantFail(runAndVerify(*device, executor, problem, verify));
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.launches[0].report.method, "not compared");
}

} // namespace
