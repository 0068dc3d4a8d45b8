//===- HostTensor.cpp - Tensors in host memory ----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element conversions and strided shapes.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/HostTensor.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

using namespace tcgemm;

template <typename T> static T load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

template <typename T> static void store(T value, void *data) {
  std::memcpy(data, &value, sizeof(T));
}

static float bitsToFloat(uint32_t bits) { return load<float>(&bits); }

static float halfToFloat(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 31, mantissa = half & 1023;
  if (exponent == 31)
    return bitsToFloat(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0)
    return bitsToFloat(sign | (exponent + 112) << 23 | mantissa << 13);
  float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
  return sign ? -magnitude : magnitude;
}

static uint16_t encodeHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7e00;
  double magnitude = std::fabs(roundToType(ScalarType::F16, value));
  if (std::isinf(magnitude))
    return sign | 0x7c00;
  if (magnitude < 0x1p-14)
    return sign | static_cast<uint16_t>(magnitude * 0x1p24);
  int exponent = std::ilogb(magnitude);
  auto mantissa =
      static_cast<uint16_t>(std::scalbn(magnitude, 10 - exponent) - 1024);
  return sign | static_cast<uint16_t>((exponent + 15) << 10) | mantissa;
}

static uint16_t encodeBFloat(double value) {
  if (std::isnan(value))
    return 0x7fc0;
  auto rounded = static_cast<float>(roundToType(ScalarType::BF16, value));
  return load<uint32_t>(&rounded) >> 16;
}

/// The magnitude bits of E4M3's NaN, its only special value.
static constexpr uint8_t kE4M3NaN = 0x7f;

static float decodeE5M2(uint8_t bits) {
  return halfToFloat(static_cast<uint16_t>(bits << 8));
}

static float decodeE4M3(uint8_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x80) << 24;
  uint32_t exponent = (bits >> 3) & 15, mantissa = bits & 7;
  if ((bits & 0x7f) == kE4M3NaN)
    return bitsToFloat(sign | 0x7fc00000);
  if (exponent != 0)
    return bitsToFloat(sign | (exponent + 120) << 23 | mantissa << 20);
  float magnitude = static_cast<float>(mantissa) * 0x1p-9F;
  return sign ? -magnitude : magnitude;
}

static uint8_t encodeE5M2(double value) {
  uint8_t sign = std::signbit(value) ? 0x80 : 0;
  double rounded = roundToType(ScalarType::E5M2, value);
  if (std::isnan(rounded))
    return sign | 0x7f;
  // Every E5M2 number is a half whose low byte is 0.
  return static_cast<uint8_t>(encodeHalf(rounded) >> 8);
}

static uint8_t encodeE4M3(double value) {
  uint8_t sign = std::signbit(value) ? 0x80 : 0;
  double magnitude = std::fabs(roundToType(ScalarType::E4M3, value));
  if (std::isnan(magnitude))
    return sign | kE4M3NaN;
  if (magnitude < 0x1p-6)
    return sign | static_cast<uint8_t>(magnitude * 0x1p9);
  int exponent = std::ilogb(magnitude);
  auto mantissa =
      static_cast<uint8_t>(std::scalbn(magnitude, 3 - exponent) - 8);
  return sign | static_cast<uint8_t>((exponent + 7) << 3) | mantissa;
}

double tcgemm::loadElement(ScalarType type, const void *data) {
  switch (type) {
  case ScalarType::I1:
  case ScalarType::U1: // The first of the byte.
    return load<uint8_t>(data) & 1;
  case ScalarType::I8:
    return load<int8_t>(data);
  case ScalarType::I16:
    return load<int16_t>(data);
  case ScalarType::I32:
    return load<int32_t>(data);
  case ScalarType::I64:
  case ScalarType::Index:
    return static_cast<double>(load<int64_t>(data));
  case ScalarType::F16:
  case ScalarType::F16Acc16:
    return halfToFloat(load<uint16_t>(data));
  case ScalarType::BF16:
    return bitsToFloat(static_cast<uint32_t>(load<uint16_t>(data)) << 16);
  case ScalarType::F32:
  case ScalarType::TF32X3:
  case ScalarType::BF16X3:
  case ScalarType::BF16X6:
    return load<float>(data);
  case ScalarType::F64:
    return load<double>(data);
  case ScalarType::U8:
    return load<uint8_t>(data);
  case ScalarType::I4: // The first of the byte.
  case ScalarType::I4Interleaved:
    return ((load<uint8_t>(data) & 15) ^ 8) - 8;
  case ScalarType::U4:
  case ScalarType::U4Interleaved:
    return load<uint8_t>(data) & 15;
  case ScalarType::E4M3:
    return decodeE4M3(load<uint8_t>(data));
  case ScalarType::E5M2:
    return decodeE5M2(load<uint8_t>(data));
  case ScalarType::TF32: // Kernels round what they read.
    return roundToType(type, load<float>(data));
  }
  return 0;
}

/// A conversion that is defined for every double.
static int64_t toInteger(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 0x1p63)
    return std::numeric_limits<int64_t>::max();
  if (value < -0x1p63)
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

void tcgemm::storeElement(ScalarType type, double value, void *data) {
  switch (type) {
  case ScalarType::I1:
    return store<uint8_t>(toInteger(value) & 1, data);
  case ScalarType::I8:
    return store(static_cast<int8_t>(toInteger(value)), data);
  case ScalarType::I16:
    return store(static_cast<int16_t>(toInteger(value)), data);
  case ScalarType::I32:
    return store(static_cast<int32_t>(toInteger(value)), data);
  case ScalarType::I64:
  case ScalarType::Index:
    return store(toInteger(value), data);
  case ScalarType::F16:
  case ScalarType::F16Acc16:
    return store(encodeHalf(value), data);
  case ScalarType::BF16:
    return store(encodeBFloat(value), data);
  case ScalarType::F32:
  case ScalarType::TF32X3:
  case ScalarType::BF16X3:
  case ScalarType::BF16X6:
    return store(static_cast<float>(value), data);
  case ScalarType::F64:
    return store(value, data);
  case ScalarType::U8:
    return store(static_cast<uint8_t>(toInteger(value)), data);
  case ScalarType::U1:
    return store(static_cast<uint8_t>((load<uint8_t>(data) & 0xfe) |
                                      (toInteger(value) & 1)),
                 data);
  case ScalarType::I4:
  case ScalarType::U4:
  case ScalarType::I4Interleaved:
  case ScalarType::U4Interleaved:
    return store(static_cast<uint8_t>((load<uint8_t>(data) & 0xf0) |
                                      (toInteger(value) & 15)),
                 data);
  case ScalarType::E4M3:
    return store(encodeE4M3(value), data);
  case ScalarType::E5M2:
    return store(encodeE5M2(value), data);
  case ScalarType::TF32:
    return store(static_cast<float>(roundToType(type, value)), data);
  }
}

/// The bits before the element with this offset in its byte.
static unsigned getFirstBit(ScalarType type, int64_t offset) {
  return offset % getPackedElements(type) * getBitWidth(type);
}

/// Rows of interleaved elements start at multiples of what is interleaved.
static int64_t getPlace(ScalarType type, int64_t offset) {
  return isInterleaved(type) ? getInterleavedPlace(offset) : offset;
}

double tcgemm::loadElement(ScalarType type, const uint8_t *data,
                           int64_t offset) {
  offset = getPlace(type, offset);
  const uint8_t *at = data + getByteOffset(type, offset);
  unsigned bit = getFirstBit(type, offset);
  if (bit == 0)
    return loadElement(type, at);
  uint8_t shifted = *at >> bit;
  return loadElement(type, &shifted);
}

void tcgemm::storeElement(ScalarType type, double value, uint8_t *data,
                          int64_t offset) {
  offset = getPlace(type, offset);
  uint8_t *at = data + getByteOffset(type, offset);
  unsigned bit = getFirstBit(type, offset);
  if (bit == 0)
    return storeElement(type, value, at);
  uint8_t element = 0;
  storeElement(type, value, &element);
  unsigned mask = (1U << getBitWidth(type)) - 1;
  *at = static_cast<uint8_t>((*at & ~(mask << bit)) | element << bit);
}

std::vector<uint8_t> tcgemm::encodeScalar(ScalarType type,
                                          const ScalarConstant &value) {
  std::vector<uint8_t> bytes(getByteSize(type));
  const auto *integer = std::get_if<int64_t>(&value);
  if (integer && type == ScalarType::I1)
    bytes[0] = *integer & 1;
  else if (integer && !isFloatType(type)) // A double has 53 bits only.
    std::memcpy(bytes.data(), integer, bytes.size());
  else if (integer)
    storeElement(type, static_cast<double>(*integer), bytes.data());
  else if (const auto *number = std::get_if<double>(&value))
    storeElement(type, *number, bytes.data());
  // All elements of the byte.
  uint8_t first = bytes[0];
  ScalarType inOrder = getTypeInOrder(type);
  for (int64_t i = 1; i < getPackedElements(type); ++i)
    storeElement(inOrder, loadElement(type, &first), bytes.data(), i);
  return bytes;
}

template <typename Result>
static void decode(ScalarType type, const void *data, int64_t offset,
                   int64_t stride, int64_t count, Result *result) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  if (type == ScalarType::BF16) {
    const uint8_t *from = bytes + offset * 2;
    for (int64_t i = 0; i < count; ++i)
      result[i] = bitsToFloat(
          static_cast<uint32_t>(load<uint16_t>(from + i * stride * 2)) << 16);
    return;
  }
  if (type == ScalarType::F16) {
    const uint8_t *from = bytes + offset * 2;
    for (int64_t i = 0; i < count; ++i)
      result[i] = halfToFloat(load<uint16_t>(from + i * stride * 2));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    result[i] =
        static_cast<Result>(loadElement(type, bytes, offset + i * stride));
}

void tcgemm::decodeRun(ScalarType type, const void *data, int64_t offset,
                       int64_t stride, int64_t count, float *result) {
  decode(type, data, offset, stride, count, result);
}

void tcgemm::decodeRun(ScalarType type, const void *data, int64_t offset,
                       int64_t stride, int64_t count, double *result) {
  decode(type, data, offset, stride, count, result);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

StridedShape StridedShape::rowMajor(llvm::ArrayRef<int64_t> sizes,
                                    int64_t padding) {
  StridedShape shape;
  shape.sizes.assign(sizes.begin(), sizes.end());
  shape.strides.resize(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    shape.strides[i] = stride;
    stride *= sizes[i];
    if (i + 1 == sizes.size())
      stride += padding;
  }
  return shape;
}

llvm::Expected<StridedShape>
StridedShape::createRowMajor(llvm::ArrayRef<int64_t> sizes, int64_t padding) {
  bool fits = padding <= kMaxElements;
  int64_t elements = 1;
  for (size_t i = sizes.size(); fits && i-- > 0;) {
    int64_t size = std::max<int64_t>(1, sizes[i]);
    fits = size <= kMaxElements / elements;
    if (!fits)
      break;
    elements *= size;
    if (i + 1 == sizes.size())
      elements += padding;
    fits = elements <= kMaxElements;
  }
  if (fits)
    return rowMajor(sizes, padding);
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  if (padding)
    text += " with " + std::to_string(padding) + " elements after each row";
  return llvm::createStringError("the shape " + text +
                                 " has more than 2^57 elements");
}

int64_t StridedShape::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

int64_t StridedShape::getExtent() const {
  int64_t last = 0;
  for (size_t i = 0; i != sizes.size(); ++i) {
    if (sizes[i] == 0)
      return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return last + 1;
}

void StridedShape::forEachRow(llvm::function_ref<void(int64_t)> row) const {
  if (getNumElements() == 0)
    return;
  if (getRank() < 2)
    return row(0);
  std::vector<int64_t> index(getRank() - 1, 0);
  for (;;) {
    int64_t offset = 0;
    for (size_t i = 0; i != index.size(); ++i)
      offset += index[i] * strides[i];
    row(offset);
    size_t dim = index.size();
    while (dim > 0 && ++index[dim - 1] == sizes[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

void StridedShape::forEachRun(
    llvm::function_ref<void(int64_t, int64_t)> run) const {
  if (llvm::is_contained(sizes, 0))
    return;
  // The number of elements in the inner dimensions that are contiguous
  // together.
  int64_t count = 1;
  size_t outer = sizes.size();
  while (outer > 0 && (sizes[outer - 1] == 1 || strides[outer - 1] == count))
    count *= sizes[--outer];
  StridedShape rest;
  rest.sizes.assign(sizes.begin(), sizes.begin() + outer);
  rest.strides.assign(strides.begin(), strides.begin() + outer);
  // A row of these has one element.
  rest.sizes.push_back(1);
  rest.strides.push_back(1);
  rest.forEachRow([&](int64_t offset) { run(offset, count); });
}

HostTensor::HostTensor(ScalarType type, StridedShape shape, uint8_t fill)
    : type(type), shape(std::move(shape)) {
  bytes.assign(getByteCount(type, this->shape.getExtent()), fill);
}

void tcgemm::parallelFor(int64_t count,
                         llvm::function_ref<void(int64_t)> body) {
  unsigned numThreads = static_cast<unsigned>(std::min<int64_t>(
      count, std::max(1U, std::thread::hardware_concurrency())));
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < count; i = next++)
      body(i);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < numThreads; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}
