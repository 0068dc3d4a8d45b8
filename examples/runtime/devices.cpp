//===- devices.cpp - The GPU runtime without MLIR -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names the first device and the chips to compile for, or why there is none.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/GpuRuntime/GpuRuntime.h"

#include <cstdio>

int main() {
  using namespace tcgemm::gpu_runtime;
  if (auto device = openDevice())
    std::printf("%s: %s %s, %d SMs\n", device->name, device->chip,
                device->arch_chip, int(device->sm_count));
  else
    std::printf("%s\n", takeError().value_or("no device").c_str());
  return 0;
}
