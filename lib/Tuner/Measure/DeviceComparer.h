//===- DeviceComparer.h - Comparing results on the device -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ResultChecker does to results after the first, without fetching them: a
// kernel of our own, written in PTX, which the driver compiles.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_DEVICECOMPARER_H
#define TCGEMM_LIB_TUNER_MEASURE_DEVICECOMPARER_H

#include "Measure/ResultChecker.h"

namespace tcgemm {

class DeviceComparer {
public:
  /// Keeps the result at `address`, which is right. None if it is of a form
  /// that the kernel does not take, or cannot be kept: then results must be
  /// fetched.
  static llvm::Expected<std::unique_ptr<DeviceComparer>>
  create(Device &device, const ResultChecker::Scale &scale, ScalarType type,
         uint64_t address);

  /// Whether each element at `address` is as near the kept one as two right
  /// results are.
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
