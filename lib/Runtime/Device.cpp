//===- Device.cpp - Devices that run kernels ------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of all implementations of Device.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Device.h"

#include "llvm/Support/raw_ostream.h"

using namespace tcgemm;

char DeviceError::ID = 0;

llvm::Error tcgemm::addContext(const llvm::Twine &context, llvm::Error error) {
  bool isDevice = error.isA<DeviceError>();
  std::string text = (context + ": " + llvm::toString(std::move(error))).str();
  if (isDevice)
    return llvm::make_error<DeviceError>(std::move(text));
  return llvm::createStringError(text);
}

Kernel::~Kernel() = default;
Module::~Module() = default;
llvm::Expected<std::pair<uint64_t, uint64_t>>
Module::getVariable(llvm::StringRef name) {
  return llvm::createStringError("the device cannot tell where variable '" +
                                 name + "' lies");
}
Graph::~Graph() = default;
Device::~Device() = default;

Buffer::~Buffer() {
  if (device && address)
    device->freeMemory(address);
}

llvm::Expected<TensorMapImage>
Device::encodeTensorMap(const TensorMapDescription &) {
  return llvm::createStringError("the device '" + getProperties().name +
                                 "' has no tensor maps");
}

llvm::Expected<Buffer> Device::allocate(size_t bytes, llvm::StringRef name) {
  // A zero-size allocation is an error in CUDA, and a null base would conceal
  // mistakes. A buffer therefore always has memory.
  size_t size = bytes == 0 ? 256 : bytes;
  llvm::Expected<uint64_t> address = allocateMemory(size, name);
  if (!address)
    return address.takeError();
  return Buffer(*this, *address, size);
}
