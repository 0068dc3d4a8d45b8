//===- DeviceImage.cpp - A problem's buffer on a device -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is uploaded, and which elements a kernel has missed.
//
//===----------------------------------------------------------------------===//

#include "DeviceImage.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

static bool tracksContents(Device &device) {
  AccessChecker *checker = device.getAccessChecker();
  return checker && checker->tracksContents();
}

/// `arg0 (A)`, or the one name of a buffer that has no other.
static std::string getLabel(const ProblemBuffer &buffer) {
  return buffer.name == buffer.operandName
             ? buffer.name
             : buffer.name + " (" + buffer.operandName + ")";
}

/// `[3, 5]`: the element at `column` of the row number `row`.
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
        buffer.getStart() + buffer.shape.getExtent() * getByteSize(buffer.type);
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

Error DeviceImage::upload(Device &device, const ProblemBuffer &buffer) const {
  const uint8_t *source = buffer.image.data() + skipped;
  if (!tracksContents(device))
    return device.copyToDevice(memory.getAddress(), source, bytes);
  if (!buffer.isRead)
    return Error::success();
  int64_t elementBytes = getByteSize(buffer.type);
  int64_t rowBytes = buffer.shape.getRowSize() * elementBytes;
  Error error = Error::success();
  buffer.shape.forEachRow([&](int64_t offset) {
    int64_t at = buffer.getStart() - skipped + offset * elementBytes;
    if (!error)
      error =
          device.copyToDevice(memory.getAddress() + at, source + at, rowBytes);
  });
  return error;
}

Error DeviceImage::prepare(Device &device, const ProblemBuffer &buffer,
                           bool isInput, bool isOutput) const {
  AccessChecker *checker = device.getAccessChecker();
  if (!checker)
    return Error::success();
  BufferInfo info;
  info.isWritable = isOutput;
  unsigned rank = buffer.shape.getRank();
  if (rank != 0) {
    info.start = buffer.getStart() - skipped;
    info.elementBytes = getByteSize(buffer.type);
    info.columns = buffer.shape.getRowSize();
    info.pitch = (rank > 1 ? buffer.shape.strides[rank - 2] : info.columns) *
                 info.elementBytes;
  }
  if (Error error = checker->describe(memory.getAddress(), info))
    return error;
  if (!isOutput || isInput || !checker->tracksContents())
    return Error::success();
  return checker->markUndefined(memory.getAddress(), bytes);
}

Expected<std::vector<uint8_t>>
DeviceImage::download(Device &device, const ProblemBuffer &buffer,
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

  constexpr int64_t kMaxNamed = 4;
  int64_t elementBytes = getByteSize(buffer.type), numMissed = 0, row = 0;
  std::string names;
  buffer.shape.forEachRow([&](int64_t offset) {
    const uint8_t *at =
        isDefined.data() + buffer.getStart() - skipped + offset * elementBytes;
    for (int64_t i = 0; i != buffer.shape.getRowSize(); ++i)
      if (std::memchr(at + i * elementBytes, 0, elementBytes) &&
          ++numMissed <= kMaxNamed)
        names += " " + formatIndex(buffer.shape, row, i);
    ++row;
  });
  if (numMissed)
    missed = getLabel(buffer) + ": " + std::to_string(numMissed) + " of " +
             std::to_string(buffer.shape.getNumElements()) +
             " elements were not written:" + names +
             (numMissed > kMaxNamed ? " ..." : "");
  return image;
}

std::string tcgemm::findDamage(const ProblemBuffer &buffer,
                               const std::vector<uint8_t> &before,
                               const std::vector<uint8_t> &after) {
  int64_t start = buffer.getStart(), bytes = getByteSize(buffer.type);
  int64_t position = 0, damaged = -1;
  auto compareTo = [&](int64_t end) {
    if (damaged < 0 &&
        std::memcmp(before.data() + position, after.data() + position,
                    end - position) != 0)
      for (int64_t i = position; damaged < 0; ++i)
        if (before[i] != after[i])
          damaged = i;
  };
  buffer.shape.forEachRow([&](int64_t offset) {
    compareTo(start + offset * bytes);
    position = start + (offset + buffer.shape.getRowSize()) * bytes;
  });
  compareTo(static_cast<int64_t>(after.size()));
  if (damaged < 0)
    return "";
  int64_t end = start + buffer.shape.getExtent() * bytes;
  std::string where =
      damaged < start  ? std::to_string(start - damaged) + " bytes before it"
      : damaged >= end ? std::to_string(damaged - end) + " bytes after its end"
                       : "in the padding at element offset " +
                             std::to_string((damaged - start) / bytes);
  return getLabel(buffer) + ": memory outside of it was written, " + where;
}
