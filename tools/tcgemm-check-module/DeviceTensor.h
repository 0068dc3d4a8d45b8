//===- DeviceTensor.h - A tensor in guarded device memory -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_CHECKMODULE_DEVICETENSOR_H
#define TCGEMM_TOOLS_CHECKMODULE_DEVICETENSOR_H

#include "tcgemm/Runtime/HostTensor.h"

namespace tcgemm {

/// Has guard bytes on both sides, unless the device finds each access outside
/// of an allocation by itself. Errors of copies are the thread's.
class DeviceTensor {
public:
  DeviceTensor(const HostTensor &contents, bool hasGuards);
  ~DeviceTensor();
  DeviceTensor(DeviceTensor &&other) noexcept;
  DeviceTensor(const DeviceTensor &) = delete;

  void *getData() const;
  /// The elements; false if a guard byte has changed.
  bool read(HostTensor &target) const;

private:
  void *memory = nullptr;
  size_t bytes;
  size_t guard;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_CHECKMODULE_DEVICETENSOR_H
