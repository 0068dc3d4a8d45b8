//===- CublasShimTest.h - Functions on the emulated driver -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_CUBLASSHIM_CUBLASSHIMTEST_H
#define TCGEMM_UNITTESTS_CUBLASSHIM_CUBLASSHIMTEST_H

#include "FakeCublas.h"
#include "tcgemm/Target/ScalarType.h"
#include "tcgemm_cublas.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tcgemm {

void *findDriverFunction(const char *name);

/// Calls a function of the emulated driver; its result must be 0.
template <typename... Parameters, typename... Arguments>
void callDriver(const char *name, Arguments... arguments) {
  auto *function =
      reinterpret_cast<int (*)(Parameters...)>(findDriverFunction(name));
  ASSERT_NE(function, nullptr) << name;
  EXPECT_EQ(function(static_cast<Parameters>(arguments)...), 0) << name;
}

/// Device memory.
class DeviceBytes {
public:
  explicit DeviceBytes(const std::vector<uint8_t> &contents);
  ~DeviceBytes();
  DeviceBytes(const DeviceBytes &) = delete;
  DeviceBytes &operator=(const DeviceBytes &) = delete;
  void *get(size_t offset = 0) const {
    return reinterpret_cast<void *>(address + offset); // NOLINT(performance-*)
  }
  std::vector<uint8_t> read() const;

private:
  unsigned long long address = 0;
  size_t bytes;
};

/// A matrix, or several, of small integers, on the host and on the device.
class Operand {
public:
  Operand(DataType type, int64_t rows, int64_t columns, int64_t gap = 0,
          int64_t batch = 1, bool isRowMajor = false);

  double get(int64_t matrix, int64_t i, int64_t j) const;
  void set(int64_t matrix, int64_t i, int64_t j, double value);
  void *address() const { return memory->get(offset); }
  /// Copies what the host has to other memory, `bytes` behind its beginning.
  void upload(size_t bytes = 0);
  /// The number of elements in the device's memory, gaps included, that differ
  /// from the host's. Zeros of both signs are equal.
  size_t countWrong() const;
  /// The same for elements, which may have an error.
  double getLargestError() const;

  DataType type;
  int64_t rows, columns, ld, stride, batch;
  bool isRowMajor;

private:
  size_t indexOf(int64_t matrix, int64_t i, int64_t j) const;

  ScalarType scalar;
  std::vector<uint8_t> bytes;
  size_t offset = 0;
  std::unique_ptr<DeviceBytes> memory;
};

/// D = alpha * op(A) * op(B) + beta * C, then the bias of each row, and a
/// function. C may be D.
struct Reference {
  bool isTA, isTB;
  double alpha = 1, beta = 0;
  const Operand *bias = nullptr;
  double (*function)(double) = nullptr;
  void compute(const Operand &a, const Operand &b, const Operand &c,
               Operand &d) const;
};

/// alpha and beta in host or device memory, in the type that products expect.
class Scalars {
public:
  Scalars(DataType type, double alpha, double beta);
  const void *alpha(PointerMode mode) const { return find(0, mode); }
  const void *beta(PointerMode mode) const { return find(1, mode); }

private:
  const void *find(size_t index, PointerMode mode) const;
  size_t size;
  std::vector<uint8_t> host;
  DeviceBytes device;
};

/// A handle of cuBLAS, with the primary context current.
class CublasShimTest : public testing::Test {
protected:
  static void SetUpTestSuite();
  void SetUp() override;
  void TearDown() override;

  /// Expects one more served call, and none forwarded, since the last one.
  void expectServed();
  /// Expects one more call that was forwarded to that function.
  void expectForwarded(const std::string &name);
  /// The same, with the reason in the log.
  void expectForwarded(const std::string &name, const std::string &reason);
  /// The lines of the log since the last call.
  static std::string takeLog();

  Handle handle = nullptr;

private:
  uint64_t served = 0, forwarded = 0;
};

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_CUBLASSHIM_CUBLASSHIMTEST_H
