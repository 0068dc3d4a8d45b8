//===- CublasShimTest.cpp - Functions on the emulated driver --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasShimTest.h"
#include "tcgemm/Runtime/HostTensor.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <map>

using namespace tcgemm;

namespace {

/// Sets the environment of the whole program.
class Environment : public testing::Environment {
public:
  static llvm::SmallString<128> &getFolder() {
    static llvm::SmallString<128> folder;
    return folder;
  }
  static std::string getLogPath() { return (getFolder() + "/log").str(); }

  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tcgemm-cublas-tests",
                                                      getFolder()));
    std::string build = TCGEMM_BINARY_DIR, folder = getFolder().str().str();
    const std::map<const char *, std::string> variables = {
        {"XDG_CACHE_HOME", folder},
        {"XDG_DATA_HOME", folder + "/data"},
        {"TCGEMM_LOG", getLogPath()},
        {"TCGEMM_PTX", "1"},
        {"TCGEMM_RECORDS", "none"},
        {"TCGEMM_DRIVER_CHIP", "sm_80"},
        // C is D in most products of cuBLAS.
        {"TCGEMM_DRIVER_RACES", "0"},
        {"TCGEMM_CUDA_DRIVER",
         build + "/unittests/lib/libTcgemmEmulatedDriver.so"}};
    for (const auto &[name, value] : variables)
      setenv(name, value.c_str(), 1);
  }
  void TearDown() override {
    EXPECT_FALSE(
        llvm::sys::fs::remove_directories(getFolder(), /*IgnoreErrors=*/false));
  }
};

const auto *environment = testing::AddGlobalTestEnvironment(new Environment);

ScalarType getScalarType(DataType type) {
  static const std::map<DataType, ScalarType> types = {
      {R16F, ScalarType::F16}, {R16BF, ScalarType::BF16},
      {R32F, ScalarType::F32}, {R64F, ScalarType::F64},
      {R8I, ScalarType::I8},   {R32I, ScalarType::I32}};
  return types.at(type);
}

} // namespace

void *tcgemm::findDriverFunction(const char *name) {
  static void *library = dlopen(std::getenv("TCGEMM_CUDA_DRIVER"), RTLD_NOW);
  return library ? dlsym(library, name) : nullptr;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DeviceBytes::DeviceBytes(const std::vector<uint8_t> &contents)
    : bytes(contents.size()) {
  callDriver<unsigned long long *, size_t>("cuMemAlloc_v2", &address, bytes);
  callDriver<unsigned long long, const void *, size_t>(
      "cuMemcpyHtoD_v2", address, contents.data(), bytes);
}

DeviceBytes::~DeviceBytes() {
  callDriver<unsigned long long>("cuMemFree_v2", address);
}

std::vector<uint8_t> DeviceBytes::read() const {
  std::vector<uint8_t> contents(bytes);
  callDriver<void *, unsigned long long, size_t>(
      "cuMemcpyDtoH_v2", contents.data(), address, bytes);
  return contents;
}

Operand::Operand(DataType type, int64_t rows, int64_t columns, int64_t gap,
                 int64_t batch, bool isRowMajor)
    : type(type), rows(rows), columns(columns),
      ld((isRowMajor ? columns : rows) + gap),
      stride(ld * (isRowMajor ? rows : columns) + gap), batch(batch),
      isRowMajor(isRowMajor), scalar(getScalarType(type)),
      bytes((batch * stride + 8) * getByteSize(scalar)) {
  for (size_t i = 0; i != bytes.size() / getByteSize(scalar); ++i)
    storeElement(scalar, static_cast<double>((i * 7 + rows + i / 5) % 4) - 1,
                 bytes.data() + i * getByteSize(scalar));
  upload();
}

size_t Operand::indexOf(int64_t matrix, int64_t i, int64_t j) const {
  return (matrix * stride + (isRowMajor ? i * ld + j : j * ld + i)) *
         getByteSize(scalar);
}

double Operand::get(int64_t matrix, int64_t i, int64_t j) const {
  return loadElement(scalar, bytes.data() + indexOf(matrix, i, j));
}

void Operand::set(int64_t matrix, int64_t i, int64_t j, double value) {
  storeElement(scalar, value, bytes.data() + indexOf(matrix, i, j));
}

void Operand::upload(size_t newOffset) {
  offset = newOffset;
  std::vector<uint8_t> contents(offset);
  contents.insert(contents.end(), bytes.begin(), bytes.end());
  memory = std::make_unique<DeviceBytes>(contents);
}

size_t Operand::countWrong() const {
  std::vector<uint8_t> found = memory->read();
  size_t wrong = 0;
  for (size_t i = 0; i != bytes.size(); i += getByteSize(scalar))
    wrong += loadElement(scalar, found.data() + offset + i) !=
             loadElement(scalar, bytes.data() + i);
  return wrong;
}

double Operand::getLargestError() const {
  std::vector<uint8_t> found = memory->read();
  double largest = 0;
  for (size_t i = 0; i != bytes.size(); i += getByteSize(scalar))
    largest = std::fmax(
        largest, std::fabs(loadElement(scalar, found.data() + offset + i) -
                           loadElement(scalar, bytes.data() + i)));
  return largest;
}

void Reference::compute(const Operand &a, const Operand &b, const Operand &c,
                        Operand &d) const {
  int64_t depth = isTA ? a.rows : a.columns;
  for (int64_t batch = 0; batch != d.batch; ++batch)
    for (int64_t i = 0; i != d.rows; ++i)
      for (int64_t j = 0; j != d.columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k != depth; ++k)
          sum += (isTA ? a.get(batch, k, i) : a.get(batch, i, k)) *
                 (isTB ? b.get(batch, j, k) : b.get(batch, k, j));
        sum = alpha * sum + (beta == 0 ? 0 : beta * c.get(batch, i, j));
        if (bias)
          sum += bias->get(0, i, 0);
        d.set(batch, i, j, function ? function(sum) : sum);
      }
}

static std::vector<uint8_t> storeScalars(DataType type, double alpha,
                                         double beta) {
  ScalarType scalar = getScalarType(type);
  std::vector<uint8_t> bytes(2 * getByteSize(scalar));
  storeElement(scalar, alpha, bytes.data());
  storeElement(scalar, beta, bytes.data() + getByteSize(scalar));
  return bytes;
}

Scalars::Scalars(DataType type, double alpha, double beta)
    : size(getByteSize(getScalarType(type))),
      host(storeScalars(type, alpha, beta)), device(host) {}

const void *Scalars::find(size_t index, PointerMode mode) const {
  return mode == PointerHost ? host.data() + index * size
                             : device.get(index * size);
}

//===----------------------------------------------------------------------===//
// The fixture
//===----------------------------------------------------------------------===//

void CublasShimTest::SetUpTestSuite() {
  void *context = nullptr;
  callDriver<unsigned>("cuInit", 0);
  callDriver<void **, int>("cuDevicePrimaryCtxRetain", &context, 0);
  callDriver<void *>("cuCtxSetCurrent", context);
}

void CublasShimTest::SetUp() {
  ASSERT_EQ(cublasCreate_v2(&handle), StatusSuccess);
  tcgemmCublasGetCounts(&served, &forwarded);
  fakeCublasTakeCall();
  takeLog();
}

void CublasShimTest::TearDown() {
  EXPECT_EQ(cublasDestroy_v2(handle), StatusSuccess);
}

void CublasShimTest::expectServed() {
  uint64_t before[] = {served, forwarded};
  tcgemmCublasGetCounts(&served, &forwarded);
  EXPECT_EQ(served - before[0], 1u);
  EXPECT_EQ(forwarded - before[1], 0u) << takeLog();
  EXPECT_STREQ(fakeCublasTakeCall(), "");
}

void CublasShimTest::expectForwarded(const std::string &name) {
  uint64_t before[] = {served, forwarded};
  tcgemmCublasGetCounts(&served, &forwarded);
  EXPECT_EQ(served - before[0], 0u);
  EXPECT_EQ(forwarded - before[1], 1u);
  EXPECT_EQ(fakeCublasTakeCall(), name);
}

void CublasShimTest::expectForwarded(const std::string &name,
                                     const std::string &reason) {
  expectForwarded(name);
  std::string log = takeLog();
  EXPECT_NE(log.find(": forwarded: " + reason), std::string::npos) << log;
}

std::string CublasShimTest::takeLog() {
  static size_t numTaken = 0;
  auto buffer = llvm::MemoryBuffer::getFile(Environment::getLogPath());
  if (!buffer)
    return "";
  std::string log = (*buffer)->getBuffer().drop_front(numTaken).str();
  numTaken += log.size();
  return log;
}
