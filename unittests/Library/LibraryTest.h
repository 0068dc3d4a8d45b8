//===- LibraryTest.h - The library on the emulated driver ----------*- C++
//-*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_LIBRARY_LIBRARYTEST_H
#define TCGEMM_UNITTESTS_LIBRARY_LIBRARYTEST_H

#include "tcgemm.h"
#include "tcgemm/Target/ScalarType.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tcgemm {

/// Calls a function of the driver that the library uses.
template <typename... Parameters, typename... Arguments>
int callDriver(const char *name, Arguments... arguments) {
  extern void *findDriverFunction(const char *name);
  auto *function =
      reinterpret_cast<int (*)(Parameters...)>(findDriverFunction(name));
  return function ? function(static_cast<Parameters>(arguments)...) : -1;
}

/// The bytes of values in memory.
template <typename T>
std::vector<uint8_t> toBytes(const std::vector<T> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Device memory.
class DeviceMemory {
public:
  explicit DeviceMemory(size_t bytes);
  DeviceMemory(const std::vector<uint8_t> &contents);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  void *get(size_t offset = 0) const {
    return reinterpret_cast<void *>(address + offset); // NOLINT(performance-*)
  }
  std::vector<uint8_t> read() const;

private:
  unsigned long long address = 0;
  size_t bytes = 0;
};

/// Calls of operator new by the calling thread.
uint64_t countAllocations();

/// The type of a type's elements in memory; F32 for those that no test stores.
ScalarType getScalarType(tcgemmType type);

/// Plans a product and runs it, with a workspace of its own.
void runProduct(tcgemmHandle_t handle, const tcgemmMatmulDesc &desc,
                const tcgemmOperands &operands);

/// A handle, with the primary context current.
class LibraryTest : public testing::Test {
protected:
  static void SetUpTestSuite();
  void SetUp() override;
  void TearDown() override { tcgemmDestroy(handle); }

  /// A descriptor of that size with defaults.
  static tcgemmMatmulDesc makeDesc(int64_t m, int64_t n, int64_t k);
  /// Expects that the product is refused with that status and message.
  void expectRefused(const tcgemmMatmulDesc &desc, tcgemmStatus status,
                     const std::string &message);
  /// The message of the last error.
  static std::string getMessage() { return tcgemmGetLastErrorMessage(); }
  /// The lines of the library's log since the last call.
  static std::string takeLog();

  tcgemmHandle_t handle = nullptr;
};

#define EXPECT_OK(call)                                                        \
  EXPECT_EQ(call, TCGEMM_SUCCESS) << tcgemmGetLastErrorMessage()
#define ASSERT_OK(call)                                                        \
  ASSERT_EQ(call, TCGEMM_SUCCESS) << tcgemmGetLastErrorMessage()

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_LIBRARY_LIBRARYTEST_H
