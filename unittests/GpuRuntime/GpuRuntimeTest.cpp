//===- GpuRuntimeTest.cpp - Tests of the runtime library ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the emulated driver.
//
//===----------------------------------------------------------------------===//

#include "TestModule.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

using namespace tcgemm;
using testing::HasSubstr;
using Words = std::vector<uint32_t>;

namespace {

/// The thread's error, or an empty text.
std::string takeError() { return gpu_runtime::takeError().value_or(""); }

/// Words in the device's memory.
class DeviceWords {
public:
  explicit DeviceWords(const Words &words, void *stream = nullptr)
      : count(words.size()), stream(stream),
        data(mgpuMemAlloc(count * 4, stream, false)) {
    mgpuMemcpy(data, words.data(), count * 4, stream);
  }
  ~DeviceWords() { mgpuMemFree(data, stream); }
  Words read() const {
    Words words(count);
    mgpuMemcpy(words.data(), data, count * 4, nullptr);
    return words;
  }

  size_t count;
  void *stream;
  void *data;
};

class GpuRuntime : public testing::Test {
protected:
  GpuRuntime() {
    useEmulatedDriver();
    module = mgpuModuleLoad(kTestModule.c_str(), kTestModule.size() + 1);
    add = mgpuModuleGetFunction(module, "add");
    EXPECT_EQ(takeError(), "");
  }
  ~GpuRuntime() override {
    mgpuModuleUnload(module);
    EXPECT_EQ(takeError(), "");
  }

  /// Adds `y` and the table to `x` in blocks of four threads.
  void launch(void *x, uint32_t y, intptr_t blocks, void *stream = nullptr) {
    void *arguments[] = {static_cast<void *>(&x), static_cast<void *>(&y)};
    mgpuLaunchKernel(add, blocks, 1, 1, 4, 1, 1, 0, stream, arguments, nullptr,
                     2);
  }

  void *module = nullptr, *add = nullptr;
};

TEST_F(GpuRuntime, DescribesTheDevice) {
  auto device = gpu_runtime::openDevice();
  ASSERT_TRUE(device) << takeError();
  EXPECT_STREQ(device->name, "emulator (sm_90a)");
  EXPECT_STREQ(device->chip, "sm_90");
  EXPECT_STREQ(device->arch_chip, "sm_90a");
  EXPECT_EQ(device->sm_count, 132);
  EXPECT_FALSE(gpu_runtime::openDevice(1));
  EXPECT_THAT(takeError(), HasSubstr("cuDeviceGet: CUDA_ERROR_INVALID_DEVICE"));
}

TEST_F(GpuRuntime, CopiesInAllDirections) {
  void *stream = mgpuStreamCreate();
  for (void *each : {static_cast<void *>(nullptr), stream}) {
    Words words = {1, 2, 3, 4, 5};
    DeviceWords a(words, each), b(Words(5), each);
    mgpuMemcpy(b.data, a.data, 20, each);
    EXPECT_EQ(b.read(), words);
    Words copy(5);
    mgpuMemcpy(copy.data(), words.data(), 20, each);
    EXPECT_EQ(copy, words);
    mgpuMemset32(static_cast<char *>(b.data) + 4, 0x01020304, 2, each);
    mgpuMemset16(b.data, 0x0506, 1, each);
    EXPECT_EQ(b.read(), Words({0x0506, 0x01020304, 0x01020304, 4, 5}));
  }
  mgpuStreamSynchronize(stream);
  mgpuStreamDestroy(stream);
  EXPECT_EQ(takeError(), "");
}

TEST_F(GpuRuntime, NoBytesAreNoCall) {
  EXPECT_EQ(mgpuMemAlloc(0, nullptr, false), nullptr);
  mgpuMemcpy(nullptr, nullptr, 0, nullptr);
  mgpuMemset32(nullptr, 1, 0, nullptr);
  mgpuMemFree(nullptr, nullptr);
  EXPECT_EQ(takeError(), "");
}

TEST_F(GpuRuntime, LaunchesOnStreams) {
  void *first = mgpuStreamCreate(), *second = mgpuStreamCreate();
  DeviceWords x(Words(8));
  launch(x.data, 5, 2, first);
  void *event = mgpuEventCreate();
  mgpuEventRecord(event, first);
  mgpuStreamWaitEvent(second, event);
  launch(x.data, 100, 1, second);
  mgpuEventSynchronize(event);
  mgpuEventDestroy(event);
  mgpuStreamSynchronize(second);
  EXPECT_EQ(x.read(), Words({125, 145, 165, 185, 15, 25, 35, 45}));
  mgpuStreamDestroy(first);
  mgpuStreamDestroy(second);
}

TEST_F(GpuRuntime, LaunchesClusters) {
  DeviceWords x(Words(8));
  void *data = x.data;
  uint32_t y = 1;
  void *arguments[] = {static_cast<void *>(&data), static_cast<void *>(&y)};
  mgpuLaunchClusterKernel(add, 2, 1, 1, 2, 1, 1, 4, 1, 1, 0, nullptr, arguments,
                          nullptr);
  EXPECT_EQ(x.read(), Words({11, 21, 31, 41, 11, 21, 31, 41}));
  mgpuLaunchClusterKernel(add, 2, 1, 1, 3, 1, 1, 4, 1, 1, 0, nullptr, arguments,
                          nullptr);
  EXPECT_THAT(takeError(), HasSubstr("cluster dimension 0 is 2"));
}

TEST_F(GpuRuntime, GridsOutOfRange) {
  DeviceWords x(Words(4));
  launch(x.data, 1, 0);
  EXPECT_EQ(x.read(), Words(4));
  // Cut to 32 bits, this would be a launch of one block.
  launch(x.data, 1, (int64_t(1) << 32) + 1);
  EXPECT_EQ(takeError(), "grid dimension 0 is 4294967297, but it must be 0 to "
                         "2147483647");
  EXPECT_EQ(x.read(), Words(4));
}

TEST_F(GpuRuntime, CompilesText) {
  void *loaded = mgpuModuleLoadJIT(kTestModule.c_str(), 2);
  EXPECT_NE(mgpuModuleGetFunction(loaded, "add"), nullptr) << takeError();
  mgpuModuleUnload(loaded);
}

TEST_F(GpuRuntime, AnErrorStopsWorkUntilItIsTaken) {
  DeviceWords x(Words(4));
  EXPECT_EQ(mgpuModuleGetFunction(module, "sub"), nullptr);
  // The first error is stored; later calls do nothing.
  void *data = x.data;
  uint32_t y = 1;
  void *arguments[] = {static_cast<void *>(&data), static_cast<void *>(&y)};
  mgpuLaunchKernel(nullptr, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr,
                   2);
  launch(x.data, 1, 1);
  mgpuMemset32(x.data, 7, 4, nullptr);
  EXPECT_EQ(mgpuStreamCreate(), nullptr);
  mgpuStreamSynchronize(nullptr);
  EXPECT_EQ(tcgemm_encode_tensor_map(nullptr, 9, 2, nullptr, nullptr, nullptr,
                                     nullptr, 0, 0),
            0);
  EXPECT_THAT(takeError(), testing::AllOf(HasSubstr("cuModuleGetFunction: "
                                                    "CUDA_ERROR_NOT_FOUND"),
                                          HasSubstr("no kernel 'sub'")));
  EXPECT_EQ(takeError(), "");
  EXPECT_EQ(x.read(), Words(4));
}

TEST_F(GpuRuntime, ReleasesInSpiteOfAnError) {
  void *memory = mgpuMemAlloc(16, nullptr, false);
  launch(nullptr, 0, -1);
  mgpuMemFree(memory, nullptr);
  EXPECT_THAT(takeError(), HasSubstr("grid dimension 0 is -1"));
  mgpuMemFree(memory, nullptr);
  EXPECT_THAT(takeError(), HasSubstr("cuMemFree_v2: "
                                     "CUDA_ERROR_INVALID_VALUE"));
}

TEST_F(GpuRuntime, ErrorsOfBadCode) {
  EXPECT_EQ(mgpuModuleLoad("no code", 8), nullptr);
  EXPECT_THAT(takeError(), HasSubstr("cuModuleLoadDataEx: "
                                     "CUDA_ERROR_INVALID_PTX (218): line 1"));
  // The thread that failed to load it has another error.
  EXPECT_EQ(mgpuModuleGetFunction(nullptr, "add"), nullptr);
  EXPECT_EQ(takeError(),
            "mgpuModuleGetFunction: the module of kernel 'add' is not loaded");
}

TEST_F(GpuRuntime, AccessesOutOfBoundsAreErrors) {
  DeviceWords x(Words(3));
  launch(x.data, 1, 1);
  EXPECT_THAT(takeError(),
              testing::AllOf(HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"),
                             HasSubstr("out-of-bounds: load of 4 bytes")));
  Words words(4);
  mgpuMemcpy(words.data(), x.data, 16, nullptr);
  EXPECT_THAT(takeError(), HasSubstr("cuMemcpy: CUDA_ERROR_INVALID_VALUE"));
}

TEST_F(GpuRuntime, TooMuchMemory) {
  EXPECT_EQ(mgpuMemAlloc(uint64_t(1) << 50, nullptr, false), nullptr);
  EXPECT_THAT(takeError(), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST_F(GpuRuntime, ThreadsHaveErrorsOfTheirOwn) {
  std::atomic<int> numRight{0}, numErrors{0};
  auto work = [&](uint32_t index) {
    for (int i = 0; i != 20; ++i) {
      void *stream = mgpuStreamCreate();
      {
        DeviceWords x(Words(4), stream);
        // Every third thread reads beyond its memory.
        launch(x.data, index, index % 3 == 2 ? 2 : 1, stream);
        mgpuStreamSynchronize(stream);
        Words words = x.read();
        std::string error = takeError();
        numErrors += !error.empty();
        numRight += error.empty() && words == Words({10 + index, 20 + index,
                                                     30 + index, 40 + index});
      }
      mgpuStreamDestroy(stream);
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i != 6; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numRight, 80);
  EXPECT_EQ(numErrors, 40);
}

TEST_F(GpuRuntime, RegistersAllThatLoweredCodeCalls) {
  std::vector<std::string> names;
  gpu_runtime::forEachSymbol([&](const char *name, void *address) {
    EXPECT_NE(address, nullptr);
    names.push_back(name);
  });
  for (const char *name :
       {"mgpuModuleLoad", "mgpuModuleLoadJIT", "mgpuLaunchKernel",
        "mgpuLaunchClusterKernel", "mgpuMemAlloc", "tcgemm_encode_tensor_map"})
    EXPECT_THAT(names, testing::Contains(name));
}

TEST(GpuRuntimeDriver, IsLoadedOnce) {
  // In a process in which no test has used the driver, it is missing.
  if (tcgemm_gpu_set_driver("/nowhere/libcuda.so.1") == 0) {
    EXPECT_FALSE(gpu_runtime::openDevice());
    EXPECT_THAT(takeError(), HasSubstr("no CUDA driver: cannot load /nowhere"));
  } else {
    takeError();
  }
  useEmulatedDriver();
  EXPECT_TRUE(gpu_runtime::openDevice());
  EXPECT_NE(tcgemm_gpu_set_driver(nullptr), 0);
  EXPECT_EQ(takeError(), "tcgemm_gpu_set_driver: the driver is already in use");
}

} // namespace
