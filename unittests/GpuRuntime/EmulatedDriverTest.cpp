//===- EmulatedDriverTest.cpp - Tests of the emulated driver --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that the runtime library does not make, and calls that are wrong.
//
//===----------------------------------------------------------------------===//

#include "../../lib/GpuRuntime/CudaTypes.h"
#include "TestModule.h"

#include "gtest/gtest.h"

#include <vector>

using namespace tcgemm;
using namespace tcgemm::cuda;

namespace {

template <typename... Types> Result call(const char *name, Types... arguments) {
  auto *function =
      reinterpret_cast<Result (*)(Types...)>(findEmulatedDriverFunction(name));
  EXPECT_NE(function, nullptr) << name;
  return function ? function(arguments...) : NotFound;
}

class EmulatedDriver : public testing::Test {
protected:
  EmulatedDriver() {
    Context context = nullptr;
    EXPECT_EQ(call("cuInit", 0u), Success);
    EXPECT_EQ(call("cuDevicePrimaryCtxRetain", &context, 0), Success);
    EXPECT_EQ(call("cuCtxSetCurrent", context), Success);
    EXPECT_EQ(call("cuModuleLoadData", &module,
                   static_cast<const void *>(kTestModule.c_str())),
              Success);
  }
  ~EmulatedDriver() override {
    EXPECT_EQ(call("cuModuleUnload", module), Success);
    EXPECT_EQ(call("cuCtxSetCurrent", Context()), Success);
  }

  ModuleHandle module = nullptr;
};

TEST_F(EmulatedDriver, GlobalsHaveAddressesAndContents) {
  DevicePointer table = 0;
  size_t bytes = 0;
  ASSERT_EQ(call("cuModuleGetGlobal_v2", &table, &bytes, module,
                 static_cast<const char *>("table")),
            Success);
  EXPECT_EQ(bytes, 16u);
  std::vector<uint32_t> words(4);
  auto read = [&] {
    return call("cuMemcpyDtoH_v2", static_cast<void *>(words.data()), table,
                size_t(16));
  };
  EXPECT_EQ(read(), Success);
  EXPECT_EQ(words, std::vector<uint32_t>({10, 20, 30, 40}));
  EXPECT_EQ(call("cuMemsetD32_v2", table, 7u, size_t(2)), Success);
  EXPECT_EQ(read(), Success);
  EXPECT_EQ(words, std::vector<uint32_t>({7, 7, 30, 40}));
  EXPECT_EQ(call("cuModuleGetGlobal_v2", &table, &bytes, module,
                 static_cast<const char *>("chair")),
            NotFound);
}

TEST_F(EmulatedDriver, Attributes) {
  int value = 0;
  auto get = [&](int attribute) {
    return call("cuDeviceGetAttribute", &value, attribute, 0);
  };
  EXPECT_EQ(get(ComputeCapabilityMajor), Success);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(get(ComputeCapabilityMinor), Success);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(get(MaxSharedMemoryPerBlockOptin), Success);
  EXPECT_EQ(value, 232448);
  EXPECT_EQ(get(MemoryPoolsSupported), Success);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(get(12345), InvalidValue);
  unsigned type = 0;
  DevicePointer memory = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &memory, size_t(4)), Success);
  EXPECT_EQ(
      call("cuPointerGetAttribute", static_cast<void *>(&type), 2, memory),
      Success);
  EXPECT_EQ(type, 2u);
  EXPECT_EQ(call("cuMemFree_v2", memory), Success);
}

TEST_F(EmulatedDriver, BadHandles) {
  int something = 0;
  auto *wrong = reinterpret_cast<Stream>(&something);
  Function function = nullptr;
  EXPECT_EQ(call("cuStreamSynchronize", wrong), InvalidHandle);
  EXPECT_EQ(call("cuStreamDestroy_v2", wrong), InvalidHandle);
  EXPECT_EQ(call("cuEventRecord", Event(), Stream()), InvalidHandle);
  EXPECT_EQ(call("cuModuleUnload", ModuleHandle()), InvalidHandle);
  EXPECT_EQ(call("cuModuleGetFunction", &function, ModuleHandle(),
                 static_cast<const char *>("add")),
            InvalidHandle);
  EXPECT_EQ(call("cuFuncSetAttribute", Function(), 8, 0), InvalidHandle);
  DevicePointer memory = 0;
  EXPECT_EQ(call("cuMemAllocAsync", &memory, size_t(4), wrong), InvalidHandle);
}

TEST_F(EmulatedDriver, FunctionsGoWithTheirModule) {
  ModuleHandle other = nullptr;
  Function function = nullptr;
  ASSERT_EQ(call("cuModuleLoadData", &other,
                 static_cast<const void *>(kTestModule.c_str())),
            Success);
  ASSERT_EQ(call("cuModuleGetFunction", &function, other,
                 static_cast<const char *>("add")),
            Success);
  EXPECT_EQ(call("cuFuncSetAttribute", function, 8, 100000), Success);
  EXPECT_EQ(call("cuFuncSetAttribute", function, 8, 300000), InvalidValue);
  EXPECT_EQ(call("cuModuleUnload", other), Success);
  EXPECT_EQ(call("cuFuncSetAttribute", function, 8, 100000), InvalidHandle);
}

TEST_F(EmulatedDriver, SharedMemoryHasToBeAllowed) {
  Function function = nullptr;
  ASSERT_EQ(call("cuModuleGetFunction", &function, module,
                 static_cast<const char *>("add")),
            Success);
  std::vector<uint32_t> words(4);
  DevicePointer memory = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &memory, size_t(16)), Success);
  ASSERT_EQ(call("cuMemcpyHtoD_v2", memory,
                 static_cast<const void *>(words.data()), size_t(16)),
            Success);
  uint32_t y = 0;
  void *arguments[] = {&memory, &y};
  auto launch = [&](unsigned sharedMemory) {
    return call("cuLaunchKernel", function, 1u, 1u, 1u, 4u, 1u, 1u,
                sharedMemory, Stream(), static_cast<void **>(arguments),
                static_cast<void **>(nullptr));
  };
  EXPECT_EQ(launch(48 << 10), Success);
  EXPECT_EQ(launch(50000), InvalidValue);
  EXPECT_EQ(call("cuFuncSetAttribute", function, 8, 50000), Success);
  EXPECT_EQ(launch(50000), Success);
  EXPECT_EQ(call("cuMemFree_v2", memory), Success);
}

TEST_F(EmulatedDriver, NeedsAContext) {
  Context popped = nullptr;
  DevicePointer memory = 0;
  ASSERT_EQ(call("cuCtxPopCurrent_v2", &popped), Success);
  EXPECT_EQ(call("cuMemAlloc_v2", &memory, size_t(4)), InvalidContext);
  EXPECT_EQ(call("cuCtxPushCurrent_v2", popped), Success);
  EXPECT_EQ(call("cuMemAlloc_v2", &memory, size_t(4)), Success);
  EXPECT_EQ(call("cuMemFree_v2", memory), Success);
}

} // namespace
