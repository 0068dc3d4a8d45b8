//===- LibraryTest.cpp - The library on the emulated driver
//-------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

using namespace tcgemm;

namespace {

/// Sets the library's environment for the whole program.
class Environment : public testing::Environment {
public:
  static llvm::SmallString<128> &getFolder() {
    static llvm::SmallString<128> folder;
    return folder;
  }
  static std::string getLogPath() { return (getFolder() + "/log").str(); }

  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tcgemm-library-tests",
                                                      getFolder()));
    std::string build = TCGEMM_BINARY_DIR;
    setenv("XDG_CACHE_HOME", getFolder().c_str(), 1);
    setenv("XDG_DATA_HOME", (getFolder() + "/data").str().c_str(), 1);
    setenv("TCGEMM_LOG", getLogPath().c_str(), 1);
    setenv("TCGEMM_PTX", "1", 1);
    setenv("TCGEMM_DRIVER_CHIP", "sm_90a", 1);
    setenv("TCGEMM_DRIVER_DEVICES", "2", 1);
    setenv("TCGEMM_RECORDS", "", 1);
    setenv("TCGEMM_COMPILER", (build + "/lib/libtcgemm-compiler.so").c_str(),
           1);
    setenv("TCGEMM_CUDA_DRIVER",
           (build + "/unittests/lib/libTcgemmEmulatedDriver.so").c_str(), 1);
  }
  void TearDown() override {
    EXPECT_FALSE(
        llvm::sys::fs::remove_directories(getFolder(), /*IgnoreErrors=*/false));
  }
};

const auto *environment = testing::AddGlobalTestEnvironment(new Environment);

} // namespace

namespace tcgemm {
void *findDriverFunction(const char *name) {
  static const std::string path = std::getenv("TCGEMM_CUDA_DRIVER");
  static void *library = dlopen(path.c_str(), RTLD_NOW);
  return library ? dlsym(library, name) : nullptr;
}
} // namespace tcgemm

static thread_local uint64_t numAllocations = 0;

uint64_t tcgemm::countAllocations() { return numAllocations; }

void *operator new(size_t bytes) {
  ++numAllocations;
  void *memory = std::malloc(bytes ? bytes : 1);
  if (!memory)
    std::abort();
  return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

// The driver allocates no memory of 0 bytes.
DeviceMemory::DeviceMemory(size_t bytes) : bytes(bytes) {
  int code = callDriver<unsigned long long *, size_t>(
      "cuMemAlloc_v2", &address, std::max<size_t>(bytes, 1));
  EXPECT_EQ(code, 0);
}

DeviceMemory::DeviceMemory(const std::vector<uint8_t> &contents)
    : DeviceMemory(contents.size()) {
  int code = callDriver<unsigned long long, const void *, size_t>(
      "cuMemcpyHtoD_v2", address, contents.data(), bytes);
  EXPECT_EQ(code, 0);
}

DeviceMemory::~DeviceMemory() {
  callDriver<unsigned long long>("cuMemFree_v2", address);
}

std::vector<uint8_t> DeviceMemory::read() const {
  std::vector<uint8_t> contents(bytes);
  int code = callDriver<void *, unsigned long long, size_t>(
      "cuMemcpyDtoH_v2", contents.data(), address, bytes);
  EXPECT_EQ(code, 0);
  return contents;
}

ScalarType tcgemm::getScalarType(tcgemmType type) {
  switch (type) {
  case TCGEMM_F16:
    return ScalarType::F16;
  case TCGEMM_BF16:
    return ScalarType::BF16;
  case TCGEMM_F64:
    return ScalarType::F64;
  case TCGEMM_S8:
    return ScalarType::I8;
  case TCGEMM_U8:
    return ScalarType::U8;
  default:
    return ScalarType::F32;
  }
}

void tcgemm::runProduct(tcgemmHandle_t handle, const tcgemmMatmulDesc &desc,
                        const tcgemmOperands &operands) {
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  DeviceMemory workspace(bytes + 256);
  EXPECT_OK(tcgemmRunOperands(
      plan, &operands, bytes ? workspace.get() : nullptr, bytes, nullptr));
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

void LibraryTest::expectRefused(const tcgemmMatmulDesc &desc,
                                tcgemmStatus status,
                                const std::string &message) {
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlan(handle, &desc, &plan), status);
  EXPECT_EQ(getMessage(), message);
  EXPECT_EQ(plan, nullptr);
}

void LibraryTest::SetUpTestSuite() {
  void *context = nullptr;
  ASSERT_EQ(callDriver<unsigned>("cuInit", 0), 0);
  int code = callDriver<void **, int>("cuDevicePrimaryCtxRetain", &context, 0);
  ASSERT_EQ(code, 0);
  ASSERT_EQ(callDriver<void *>("cuCtxSetCurrent", context), 0);
}

void LibraryTest::SetUp() { ASSERT_OK(tcgemmCreate(&handle, 0)); }

tcgemmMatmulDesc LibraryTest::makeDesc(int64_t m, int64_t n, int64_t k) {
  tcgemmMatmulDesc desc;
  EXPECT_OK(tcgemmMatmulDescInit(&desc));
  desc.m = m;
  desc.n = n;
  desc.k = k;
  return desc;
}

/// The file stays: a line that is written between reading and removing it would
/// be lost.
std::string LibraryTest::takeLog() {
  static size_t numTaken = 0;
  auto buffer = llvm::MemoryBuffer::getFile(Environment::getLogPath());
  if (!buffer)
    return "";
  std::string log = (*buffer)->getBuffer().drop_front(numTaken).str();
  numTaken += log.size();
  return log;
}
