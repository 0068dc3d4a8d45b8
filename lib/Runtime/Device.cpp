//===- Device.cpp - Where kernels run -------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every implementation of Device shares.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Device.h"

using namespace tcgemm;

Kernel::~Kernel() = default;
Module::~Module() = default;
Graph::~Graph() = default;
Device::~Device() = default;

Buffer::~Buffer() {
  if (device && address)
    device->freeMemory(address);
}

llvm::Expected<Buffer> Device::allocate(size_t bytes) {
  // A zero-size allocation is an error in CUDA, and a null base would hide
  // mistakes: there is always memory behind a buffer.
  size_t size = bytes == 0 ? 256 : bytes;
  llvm::Expected<uint64_t> address = allocateMemory(size);
  if (!address)
    return address.takeError();
  return Buffer(*this, *address, size);
}
