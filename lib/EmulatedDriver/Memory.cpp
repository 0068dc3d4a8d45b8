//===- Memory.cpp - Memory and tensor maps --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "EntryPoints.h"
#include "tcgemm/Target/EmulatedTensorMap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tcgemm;
using namespace tcgemm::emulated_driver;
using llvm::Error;
using llvm::Expected;

namespace {

Result copy(DevicePointer target, DevicePointer source, size_t bytes,
            Stream stream = nullptr) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    if (Error error = state.checkAssertion())
      return error;
    return state.copy(target, source, bytes);
  });
}

template <typename T>
Result fill(DevicePointer target, T value, size_t count,
            Stream stream = nullptr) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    if (!State::isOnDevice(target) || target % sizeof(T))
      return fail(InvalidValue, "not an aligned address of the device");
    std::vector<T> values(count, value);
    return state.current->device->copyToDevice(target, values.data(),
                                               count * sizeof(T));
  });
}

/// Inverts getTensorMapTypeCode and the functions for the other codes.
Expected<TensorMapDescription>
describeTensorMap(int type, uint32_t rank, void *base, const uint64_t *dims,
                  const uint64_t *strides, llvm::ArrayRef<uint32_t> box,
                  int swizzle, int promotion) {
  TensorMapDescription map;
  bool isKnown = false;
  for (ScalarType each : {ScalarType::I8, ScalarType::I16, ScalarType::I32,
                          ScalarType::I64, ScalarType::F16, ScalarType::BF16,
                          ScalarType::F32, ScalarType::F64, ScalarType::TF32})
    if (getTensorMapTypeCode(each) == static_cast<unsigned>(type)) {
      map.type = each;
      isKnown = true;
    }
  if (!isKnown || rank < kMinTensorMapRank || rank > kMaxTensorMapRank ||
      swizzle < 0 || swizzle > 3 || promotion < 0 || promotion > 3)
    return fail(InvalidValue, "a code of a tensor map is not known");
  map.base = toAddress(base);
  map.dims.assign(dims, dims + rank);
  map.strides.assign(strides, strides + rank - 1);
  map.box.assign(box.begin(), box.end());
  constexpr unsigned spans[] = {0, 32, 64, 128},
                     promotions[] = {0, 64, 128, 256};
  map.swizzle = spans[swizzle];
  map.l2Promotion = promotions[promotion];
  return map;
}

/// Writes the map's bytes to `map`.
Error encode(State &state, const Expected<TensorMapDescription> &description,
             void *map) {
  Expected<TensorMapImage> image =
      state.current->device->encodeTensorMap(*description);
  if (!image)
    return image.takeError();
  std::memcpy(map, image->data(), image->size());
  return Error::success();
}

} // namespace

Result cuMemAllocAsync(DevicePointer *address, size_t bytes, Stream stream) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    return state.allocate(*address, bytes);
  });
}

Result cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  return cuMemAllocAsync(address, bytes, nullptr);
}

Result cuMemFreeAsync(DevicePointer address, Stream stream) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    return state.free(address);
  });
}

Result cuMemFree_v2(DevicePointer address) {
  return cuMemFreeAsync(address, nullptr);
}

/// The memory of the host is not that of the device, as everywhere here.
Result cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  return run([&](State &) -> Error {
    *address = std::malloc(bytes);
    return *address ? Error::success()
                    : fail(OutOfMemory,
                           "the host has not " + llvm::Twine(bytes) + " bytes");
  });
}

Result cuMemAllocHost_v2(void **address, size_t bytes) {
  return cuMemHostAlloc(address, bytes, 0);
}

Result cuMemFreeHost(void *address) {
  std::free(address);
  return Success;
}

Result cuMemGetInfo_v2(size_t *available, size_t *total) {
  return run([&](State &state) {
    *total = state.getCapacity();
    *available = *total - std::min<size_t>(*total, state.current->allocated);
    return Error::success();
  });
}

Result cuPointerGetAttribute(void *value, int attribute,
                             DevicePointer address) {
  enum { MemoryType = 2, DeviceMemory = 2 };
  return run([&](State &) -> Error {
    if (attribute != MemoryType || !State::isOnDevice(address))
      return fail(InvalidValue, "not memory of the driver, or an attribute "
                                "that is not known");
    *static_cast<unsigned *>(value) = DeviceMemory;
    return Error::success();
  });
}

Result cuMemcpy(DevicePointer target, DevicePointer source, size_t bytes) {
  return copy(target, source, bytes);
}

Result cuMemcpyAsync(DevicePointer target, DevicePointer source, size_t bytes,
                     Stream stream) {
  return copy(target, source, bytes, stream);
}

Result cuMemcpyHtoD_v2(DevicePointer target, const void *source, size_t bytes) {
  return copy(target, toAddress(source), bytes);
}

Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void *source,
                            size_t bytes, Stream stream) {
  return copy(target, toAddress(source), bytes, stream);
}

Result cuMemcpyDtoH_v2(void *target, DevicePointer source, size_t bytes) {
  return copy(toAddress(target), source, bytes);
}

Result cuMemcpyDtoHAsync_v2(void *target, DevicePointer source, size_t bytes,
                            Stream stream) {
  return copy(toAddress(target), source, bytes, stream);
}

Result cuMemcpyDtoD_v2(DevicePointer target, DevicePointer source,
                       size_t bytes) {
  return copy(target, source, bytes);
}

Result cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source,
                            size_t bytes, Stream stream) {
  return copy(target, source, bytes, stream);
}

Result cuMemsetD8_v2(DevicePointer target, unsigned char value, size_t count) {
  return fill(target, value, count);
}

Result cuMemsetD8Async(DevicePointer target, unsigned char value, size_t count,
                       Stream stream) {
  return fill(target, value, count, stream);
}

Result cuMemsetD16_v2(DevicePointer target, unsigned short value,
                      size_t count) {
  return fill(target, value, count);
}

Result cuMemsetD16Async(DevicePointer target, unsigned short value,
                        size_t count, Stream stream) {
  return fill(target, value, count, stream);
}

Result cuMemsetD32_v2(DevicePointer target, unsigned value, size_t count) {
  return fill(target, value, count);
}

Result cuMemsetD32Async(DevicePointer target, unsigned value, size_t count,
                        Stream stream) {
  return fill(target, value, count, stream);
}

Result cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *base,
                              const uint64_t *dims, const uint64_t *strides,
                              const uint32_t *box, const uint32_t *, int,
                              int swizzle, int promotion, int) {
  return run([&](State &state) -> Error {
    Expected<TensorMapDescription> description = describeTensorMap(
        type, rank, base, dims, strides, {box, rank}, swizzle, promotion);
    if (!description)
      return description.takeError();
    return encode(state, description, map);
  });
}

Result cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *base,
                               const uint64_t *dims, const uint64_t *strides,
                               const int *lower, const int *upper,
                               uint32_t channels, uint32_t pixels,
                               const uint32_t *steps, int, int swizzle,
                               int promotion, int) {
  return run([&](State &state) -> Error {
    Expected<TensorMapDescription> description =
        describeTensorMap(type, rank, base, dims, strides, {channels, pixels},
                          swizzle, promotion);
    if (!description)
      return description.takeError();
    if (rank != kWindowRank)
      return fail(InvalidValue, "an im2col map must have rank 4");
    TensorMapWindow &window = description->window.emplace();
    for (unsigned i : {0, 1}) {
      window.lower[i] = lower[i];
      window.upper[i] = upper[i];
      window.steps[i] = steps[i + 1];
    }
    return encode(state, description, map);
  });
}

Result cuTensorMapReplaceAddress(void *map, void *base) {
  return run([&](State &) -> Error {
    Expected<TensorMapDescription> description = decodeEmulatedTensorMap(
        {static_cast<const uint8_t *>(map), sizeof(TensorMapImage)});
    if (!description)
      return description.takeError();
    description->base = toAddress(base);
    Expected<TensorMapImage> image = encodeEmulatedTensorMap(*description);
    if (!image)
      return image.takeError();
    std::memcpy(map, image->data(), image->size());
    return Error::success();
  });
}
