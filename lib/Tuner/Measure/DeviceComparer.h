//===- DeviceComparer.h - Comparing results on the device -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares results after the first one, like ResultChecker, without fetching
// them, by a kernel in PTX, which the driver compiles.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_DEVICECOMPARER_H
#define TCGEMM_LIB_TUNER_MEASURE_DEVICECOMPARER_H

#include "Measure/ResultChecker.h"

namespace tcgemm {

class DeviceComparer {
public:
  /// Keeps the right result at `address`. None if the kernel does not support
  /// its layout, or if it cannot be kept; results must then be fetched.
  static llvm::Expected<std::unique_ptr<DeviceComparer>>
  create(Device &device, const ResultChecker::Scale &scale, ScalarType type,
         uint64_t address);

  /// Returns whether each element at `address` is close enough to the kept one
  /// for two right results.
  llvm::Expected<bool> isNear(uint64_t address);

private:
  DeviceComparer(Device &device, const ResultChecker::Scale &scale)
      : device(device), m(scale.m), n(scale.n), rows(scale.rows.size()) {}

  Device &device;
  int64_t m, n, rows;
  std::unique_ptr<Module> module;
  Kernel *kernel = nullptr;
  Buffer kept, rowErrors, columnNorms, result;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_DEVICECOMPARER_H
