//===- DeviceImage.cpp - A problem's buffer on a device -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uploads images and finds elements that a kernel has not written.
//
//===----------------------------------------------------------------------===//

#include "DeviceImage.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

static bool tracksContents(Device &device) {
  AccessChecker *checker = device.getAccessChecker();
  return checker && checker->tracksContents();
}

/// `arg0 (A)`, or the only name of the buffer.
static std::string getLabel(const ProblemBuffer &buffer) {
  return buffer.name == buffer.operandName
             ? buffer.name
             : buffer.name + " (" + buffer.operandName + ")";
}

/// `[3, 5]`: the coordinates of the element at `column` of row `row`.
static std::string formatIndex(const StridedShape &shape, int64_t row,
                               int64_t column) {
  llvm::SmallVector<int64_t, 4> index = {column};
  unsigned rank = shape.getRank();
  for (unsigned d = rank == 0 ? 0 : rank - 1; d-- != 0;) {
    index.push_back(row % shape.sizes[d]);
    row /= shape.sizes[d];
  }
  std::string text;
  for (int64_t i : llvm::reverse(index))
    text += (text.empty() ? "[" : ", ") + std::to_string(i);
  return text + "]";
}

Expected<DeviceImage> DeviceImage::create(Device &device,
                                          const ProblemBuffer &buffer,
                                          llvm::StringRef name) {
  DeviceImage image;
  image.bytes = buffer.getImageSize();
  if (device.getAccessChecker()) {
    int64_t end =
        buffer.getStart() + getByteCount(buffer.type, buffer.shape.getExtent());
    image.skipped = ProblemBuffer::kRedZone;
    image.bytes = end - ProblemBuffer::kRedZone;
  }
  Expected<Buffer> memory = device.allocate(image.bytes, name);
  if (!memory)
    return memory.takeError();
  image.memory = std::move(*memory);
  if (Error error = image.upload(device, buffer))
    return std::move(error);
  return image;
}

/// The first byte, and the bytes, of `count` elements from `offset` on.
static std::pair<int64_t, int64_t> getByteRange(ScalarType type, int64_t offset,
                                                int64_t count) {
  int64_t first = getByteOffset(type, offset);
  return {first, getByteCount(type, offset + count) - first};
}

Error DeviceImage::upload(Device &device, const ProblemBuffer &buffer) const {
  const uint8_t *source = buffer.image.data() + skipped;
  if (!tracksContents(device))
    return device.copyToDevice(memory.getAddress(), source, bytes);
  if (!buffer.isRead)
    return Error::success();
  int64_t row = buffer.shape.getRowSize();
  Error error = Error::success();
  buffer.shape.forEachRow([&](int64_t offset) {
    auto [first, size] = getByteRange(buffer.type, offset, row);
    int64_t at = buffer.getStart() - skipped + first;
    if (!error)
      error = device.copyToDevice(memory.getAddress() + at, source + at, size);
  });
  return error;
}

Error DeviceImage::upload(Device &device, const ProblemBuffer &buffer,
                          const BufferPart &part) const {
  const uint8_t *source = buffer.image.data() + skipped;
  if (!tracksContents(device))
    return device.copyToDevice(memory.getAddress(), source, bytes);
  Error error = Error::success();
  part.shape.forEachRun([&](int64_t offset, int64_t count) {
    auto [first, size] = getByteRange(buffer.type, offset, count);
    int64_t at = part.getStart(buffer) - skipped + first;
    if (!error)
      error = device.copyToDevice(memory.getAddress() + at, source + at, size);
  });
  return error;
}

Error DeviceImage::prepare(Device &device, const ProblemBuffer &buffer,
                           bool isWritable,
                           llvm::ArrayRef<BufferPart> undefined) const {
  AccessChecker *checker = device.getAccessChecker();
  if (!checker)
    return Error::success();
  int64_t elementBytes = getByteSize(buffer.type);
  BufferInfo info;
  info.isWritable = isWritable;
  unsigned rank = buffer.shape.getRank();
  if (rank != 0) {
    info.start = buffer.getStart() - skipped;
    info.elementBytes = elementBytes;
    int64_t row = buffer.shape.getRowSize();
    info.columns = getByteCount(buffer.type, row) / elementBytes;
    info.pitch = getByteCount(buffer.type,
                              rank > 1 ? buffer.shape.strides[rank - 2] : row);
  }
  if (Error error = checker->describe(memory.getAddress(), info))
    return error;
  Error error = Error::success();
  if (!checker->tracksContents())
    return error;
  for (const BufferPart &part : undefined)
    part.shape.forEachRun([&](int64_t offset, int64_t count) {
      if (!error)
        error = checker->markUndefined(getAddress() + part.getStart(buffer) +
                                           offset * elementBytes,
                                       count * elementBytes);
    });
  return error;
}

/// Describes the elements of `part` that have an undefined byte; `isDefined`
/// has one entry for each byte of the image's memory.
static std::string findMissed(const ProblemBuffer &buffer,
                              const BufferPart &part, int64_t skipped,
                              llvm::ArrayRef<uint8_t> isDefined) {
  constexpr int64_t kMaxNamed = 4;
  int64_t elementBytes = getByteSize(buffer.type), numMissed = 0, index = 0;
  int64_t rowSize = part.shape.getRowSize();
  std::string names;
  const uint8_t *start = isDefined.data() + part.getStart(buffer) - skipped;
  part.shape.forEachRun([&](int64_t offset, int64_t count) {
    for (int64_t i = 0; i != count; ++i, ++index)
      if (std::memchr(start + (offset + i) * elementBytes, 0, elementBytes) &&
          ++numMissed <= kMaxNamed)
        names +=
            " " + formatIndex(part.shape, index / rowSize, index % rowSize);
  });
  if (!numMissed)
    return "";
  return getLabel(buffer) + ": " + std::to_string(numMissed) + " of " +
         std::to_string(part.shape.getNumElements()) +
         " elements were not written:" + names +
         (numMissed > kMaxNamed ? " ..." : "");
}

Expected<std::vector<uint8_t>>
DeviceImage::download(Device &device, const ProblemBuffer &buffer,
                      llvm::ArrayRef<BufferPart> parts,
                      std::string &missed) const {
  std::vector<uint8_t> image = buffer.image;
  uint8_t *target = image.data() + skipped;
  if (!tracksContents(device)) {
    if (Error error = device.copyFromDevice(target, memory.getAddress(), bytes))
      return std::move(error);
    return image;
  }
  auto ranges =
      device.getAccessChecker()->findUndefined(memory.getAddress(), bytes);
  if (!ranges)
    return ranges.takeError();
  std::vector<uint8_t> contents(bytes), isDefined(bytes, 1);
  if (Error error =
          device.copyFromDevice(contents.data(), memory.getAddress(), bytes))
    return std::move(error);
  for (auto [offset, size] : *ranges)
    std::memset(isDefined.data() + offset, 0, size);
  for (int64_t i = 0; i != bytes; ++i)
    if (isDefined[i])
      target[i] = contents[i];
  for (const BufferPart &part : parts)
    if (std::string found = findMissed(buffer, part, skipped, isDefined);
        !found.empty())
      missed = found;
  return image;
}

BufferPart tcgemm::getWhole(const ProblemBuffer &buffer) {
  return {0, 0, buffer.shape};
}

std::string tcgemm::findDamage(const ProblemBuffer &buffer,
                               llvm::ArrayRef<BufferPart> parts,
                               const std::vector<uint8_t> &before,
                               const std::vector<uint8_t> &after) {
  int64_t start = buffer.getStart(), bytes = getByteSize(buffer.type);
  // The previous image, with the parts that may change.
  std::vector<uint8_t> expected = before;
  bool isWhole = true;
  for (const BufferPart &part : parts) {
    int64_t first = part.getStart(buffer);
    isWhole &= part.shape.getNumElements() == buffer.shape.getNumElements();
    part.shape.forEachRun([&](int64_t offset, int64_t count) {
      std::memcpy(expected.data() + first + offset * bytes,
                  after.data() + first + offset * bytes, count * bytes);
    });
  }
  auto [found, other] =
      std::mismatch(expected.begin(), expected.end(), after.begin());
  if (found == expected.end())
    return "";
  int64_t damaged = found - expected.begin();
  int64_t end = start + buffer.shape.getExtent() * bytes;
  std::string where =
      damaged < start  ? std::to_string(start - damaged) + " bytes before it"
      : damaged >= end ? std::to_string(damaged - end) + " bytes after its end"
                       : (isWhole ? "in the padding" : "outside the view") +
                             std::string(" at element offset ") +
                             std::to_string((damaged - start) / bytes);
  return getLabel(buffer) + ": memory outside of it was written, " + where;
}
