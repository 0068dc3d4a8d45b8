//===- LauncherCallsTest.cpp - Calls of launchers to the emulated driver --===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that only programs of others make.
//
//===----------------------------------------------------------------------===//

#include "../../lib/GpuRuntime/CudaTypes.h"
#include "TestModule.h"

#include "gtest/gtest.h"

#include <cstring>
#include <fstream>
#include <string>

using namespace tcgemm;
using namespace tcgemm::cuda;

namespace {

template <typename... Types> Result call(const char *name, Types... arguments) {
  auto *function =
      reinterpret_cast<Result (*)(Types...)>(findEmulatedDriverFunction(name));
  EXPECT_NE(function, nullptr) << name;
  return function ? function(arguments...) : NotFound;
}

std::string getErrorText(Result result) {
  const char *text = nullptr;
  EXPECT_EQ(call("cuGetErrorString", result, &text), Success);
  return text;
}

/// With a context of cuCtxCreate instead of the primary one's calls.
class LauncherCalls : public testing::Test {
protected:
  LauncherCalls() {
    EXPECT_EQ(call("cuInit", 0u), Success);
    EXPECT_EQ(call("cuCtxCreate_v2", &context, 0u, 0), Success);
  }
  ~LauncherCalls() override {
    EXPECT_EQ(call("cuCtxDestroy_v2", context), Success);
  }

  Context context = nullptr;
};

TEST_F(LauncherCalls, ACreatedContextIsCurrentUntilItIsDestroyed) {
  Context current = nullptr, other = nullptr;
  EXPECT_EQ(call("cuCtxGetCurrent", &current), Success);
  EXPECT_EQ(current, context);
  ASSERT_EQ(call("cuCtxCreate_v2", &other, 0u, 0), Success);
  EXPECT_EQ(call("cuCtxDestroy_v2", other), Success);
  EXPECT_EQ(call("cuCtxGetCurrent", &current), Success);
  EXPECT_EQ(current, context);
  EXPECT_EQ(call("cuCtxCreate_v2", &other, 0u, 7), InvalidDevice);
  EXPECT_NE(call("cuCtxDestroy_v2", Context()), Success);
}

TEST_F(LauncherCalls, ProcAddressesAreOfTheNewestForm) {
  auto find = [](const char *name) {
    void *function = nullptr;
    int status = -1;
    Result result = call("cuGetProcAddress_v2", name, &function, 12000,
                         uint64_t(0), &status);
    EXPECT_EQ(result == Success, function != nullptr) << name;
    EXPECT_EQ(status, result == Success ? 0 : 1) << name;
    return function;
  };
  EXPECT_EQ(find("cuMemAlloc"), findEmulatedDriverFunction("cuMemAlloc_v2"));
  EXPECT_EQ(find("cuInit"), findEmulatedDriverFunction("cuInit"));
  EXPECT_EQ(find("cuGetProcAddress"),
            findEmulatedDriverFunction("cuGetProcAddress_v2"));
  EXPECT_EQ(find("cuNoSuchFunction"), nullptr);
  EXPECT_NE(getErrorText(NotFound).find("cuNoSuchFunction"), std::string::npos);
  void *function = nullptr;
  EXPECT_EQ(call("cuGetProcAddress", static_cast<const char *>("cuInit"),
                 &function, 12000, uint64_t(0)),
            Success);
  EXPECT_NE(function, nullptr);
}

TEST_F(LauncherCalls, WorkHasEndedWhenItIsAskedFor) {
  Stream stream = nullptr;
  Event event = nullptr;
  ASSERT_EQ(call("cuStreamCreateWithPriority", &stream, 0u, -1), Success);
  ASSERT_EQ(call("cuEventCreate", &event, 0u), Success);
  EXPECT_EQ(call("cuEventRecordWithFlags", event, stream, 0u), Success);
  EXPECT_EQ(call("cuEventQuery", event), Success);
  EXPECT_EQ(call("cuStreamQuery", stream), Success);
  EXPECT_EQ(call("cuEventDestroy_v2", event), Success);
  EXPECT_EQ(call("cuStreamDestroy_v2", stream), Success);
  EXPECT_EQ(call("cuEventQuery", event), InvalidHandle);
  EXPECT_EQ(call("cuStreamQuery", stream), InvalidHandle);
}

TEST_F(LauncherCalls, MemoryIsCounted) {
  size_t before = 0, after = 0, total = 0;
  ASSERT_EQ(call("cuMemGetInfo_v2", &before, &total), Success);
  DevicePointer memory = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &memory, size_t(1 << 20)), Success);
  ASSERT_EQ(call("cuMemGetInfo_v2", &after, &total), Success);
  EXPECT_GE(before, after + (1 << 20));
  EXPECT_GE(total, before);

  void *host = nullptr;
  ASSERT_EQ(call("cuMemAllocHost_v2", &host, size_t(16)), Success);
  EXPECT_EQ(call("cuMemsetD8Async", memory, static_cast<unsigned char>(7),
                 size_t(16), Stream()),
            Success);
  EXPECT_EQ(call("cuMemcpyDtoH_v2", host, memory, size_t(16)), Success);
  const std::string expected(16, '\7');
  EXPECT_EQ(std::memcmp(host, expected.data(), 16), 0);
  EXPECT_EQ(call("cuMemFreeHost", host), Success);
  EXPECT_EQ(call("cuMemFree_v2", memory), Success);
}

TEST_F(LauncherCalls, ModulesComeFromFiles) {
  std::string path = testing::TempDir() + "/launcher-calls.ptx";
  std::ofstream(path) << kTestModule;
  ModuleHandle module = nullptr;
  Function function = nullptr;
  ASSERT_EQ(call("cuModuleLoad", &module, path.c_str()), Success);
  ASSERT_EQ(call("cuModuleGetFunction", &function, module,
                 static_cast<const char *>("add")),
            Success);
  int value = 0;
  EXPECT_EQ(call("cuFuncGetAttribute", &value, 0, function), Success);
  EXPECT_EQ(value, 1024);
  EXPECT_EQ(call("cuFuncSetAttribute", function, 8, 100000), Success);
  EXPECT_EQ(call("cuFuncGetAttribute", &value, 8, function), Success);
  EXPECT_EQ(value, 100000);
  EXPECT_EQ(call("cuFuncGetAttribute", &value, 14, function), Success);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(call("cuFuncGetAttribute", &value, 99, function), InvalidValue);
  EXPECT_EQ(call("cuFuncGetAttribute", &value, 8, Function()), InvalidHandle);
  EXPECT_EQ(call("cuModuleUnload", module), Success);
  EXPECT_EQ(call("cuModuleLoad", &module,
                 static_cast<const char *>("/no/such/file.ptx")),
            FileNotFound);
  EXPECT_NE(getErrorText(FileNotFound).find("/no/such/file.ptx"),
            std::string::npos);
}

TEST_F(LauncherCalls, TheDeviceIsDescribed) {
  int major = 0, minor = -1, value = 0;
  EXPECT_EQ(call("cuDeviceComputeCapability", &major, &minor, 0), Success);
  EXPECT_EQ(major, 9);
  EXPECT_EQ(minor, 0);
  EXPECT_EQ(call("cuDeviceComputeCapability", &major, &minor, 7),
            InvalidDevice);
  const int expected[][2] = {{1, 1024},  {4, 64},  {5, INT32_MAX}, {6, 65535},
                             {8, 49152}, {10, 32}, {12, 65536},    {41, 1}};
  for (auto [attribute, wanted] : expected) {
    EXPECT_EQ(call("cuDeviceGetAttribute", &value, attribute, 0), Success);
    EXPECT_EQ(value, wanted) << attribute;
  }
}

} // namespace
