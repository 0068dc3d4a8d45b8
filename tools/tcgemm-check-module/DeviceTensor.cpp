//===- DeviceTensor.cpp - A tensor in guarded device memory ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTensor.h"

#include "tcgemm/GpuRuntime/GpuRuntime.h"

#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;

static constexpr size_t kGuardBytes = 4096;
static constexpr uint8_t kGuard = 0xa5;

DeviceTensor::DeviceTensor(const HostTensor &contents, bool hasGuards)
    : bytes(contents.bytes.size()), guard(hasGuards ? kGuardBytes : 0) {
  std::vector<uint8_t> image(guard, kGuard);
  image.insert(image.end(), contents.bytes.begin(), contents.bytes.end());
  image.resize(image.size() + guard, kGuard);
  memory = mgpuMemAlloc(image.size(), nullptr, false);
  mgpuMemcpy(memory, image.data(), image.size(), nullptr);
}

DeviceTensor::DeviceTensor(DeviceTensor &&other) noexcept
    : memory(std::exchange(other.memory, nullptr)), bytes(other.bytes),
      guard(other.guard) {}

DeviceTensor::~DeviceTensor() { mgpuMemFree(memory, nullptr); }

void *DeviceTensor::getData() const {
  return static_cast<char *>(memory) + guard;
}

bool DeviceTensor::read(HostTensor &target) const {
  std::vector<uint8_t> image(bytes + 2 * guard, kGuard);
  mgpuMemcpy(image.data(), memory, image.size(), nullptr);
  llvm::ArrayRef<uint8_t> all = image;
  llvm::ArrayRef<uint8_t> elements = all.slice(guard, bytes);
  target.bytes.assign(elements.begin(), elements.end());
  auto isIntact = [](uint8_t byte) { return byte == kGuard; };
  return llvm::all_of(all.take_front(guard), isIntact) &&
         llvm::all_of(all.take_back(guard), isIntact);
}
