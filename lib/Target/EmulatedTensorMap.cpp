//===- EmulatedTensorMap.cpp - Tensor maps of an emulator -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packing and unpacking of the layout in the header.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/EmulatedTensorMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

#include <cstring>

using namespace tcgemm;
using llvm::Expected;
using llvm::Twine;
using llvm::support::endian::read16le;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;
using llvm::support::endian::write16le;
using llvm::support::endian::write32le;
using llvm::support::endian::write64le;

namespace {
constexpr char kMagic[] = {'T', 'C', 'G', 'E', 'M', 'M', 'T', 'M'};
constexpr uint8_t kVersion = 1;

enum Offset : unsigned {
  Version = 8,
  Type = 9,
  Rank = 10,
  Swizzle = 11,
  Promotion = 12,
  Base = 16,
  Dims = 24,
  Box = 44,
  Strides = 56,
  Window = 88,
  Checksum = 120,
};

constexpr unsigned kSwizzles[] = {0, 32, 64, 128};
constexpr unsigned kPromotions[] = {0, 64, 128, 256};
} // namespace

static uint64_t computeChecksum(const uint8_t *bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned i = 0; i != Checksum; ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

Expected<TensorMapImage>
tcgemm::encodeEmulatedTensorMap(const TensorMapDescription &map) {
  if (llvm::Error error = checkTensorMap(map))
    return std::move(error);
  TensorMapImage image{};
  uint8_t *bytes = image.data();
  std::memcpy(bytes, kMagic, sizeof(kMagic));
  bytes[Version] = kVersion;
  bytes[Type] = static_cast<uint8_t>(map.type);
  bytes[Rank] = static_cast<uint8_t>(map.dims.size());
  bytes[Swizzle] = static_cast<uint8_t>(getTensorMapSwizzleCode(map.swizzle));
  bytes[Promotion] =
      static_cast<uint8_t>(getTensorMapPromotionCode(map.l2Promotion));
  write64le(bytes + Base, map.base);
  for (auto [i, dim] : llvm::enumerate(map.dims))
    write32le(bytes + Dims + 4 * i, static_cast<uint32_t>(dim - 1));
  for (auto [i, size] : llvm::enumerate(map.box))
    write16le(bytes + Box + 2 * i, static_cast<uint16_t>(size));
  for (auto [i, stride] : llvm::enumerate(map.strides))
    write64le(bytes + Strides + 8 * i, static_cast<uint64_t>(stride));
  if (map.window) {
    bytes[Window] = 1;
    for (unsigned i : {0, 1}) {
      bytes[Window + 1 + i] = static_cast<uint8_t>(map.window->lower[i]);
      bytes[Window + 3 + i] = static_cast<uint8_t>(map.window->upper[i]);
      bytes[Window + 5 + i] = static_cast<uint8_t>(map.window->steps[i]);
    }
  }
  write64le(bytes + Checksum, computeChecksum(bytes));
  return image;
}

Expected<TensorMapDescription>
tcgemm::decodeEmulatedTensorMap(llvm::ArrayRef<uint8_t> image) {
  auto fail = [](const Twine &text) {
    return llvm::createStringError("not a tensor map: " + text);
  };
  if (image.size() != std::tuple_size<TensorMapImage>::value)
    return fail(Twine(image.size()) + " bytes, must be 128");
  const uint8_t *bytes = image.data();
  if (std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0)
    return fail("it does not begin with 'TCGEMMTM'");
  if (bytes[Version] != kVersion)
    return fail("version " + Twine(unsigned(bytes[Version])) + ", must be " +
                Twine(unsigned(kVersion)));
  if (read64le(bytes + Checksum) != computeChecksum(bytes))
    return fail("the checksum is wrong: it was written to");
  unsigned rank = bytes[Rank];
  if (rank < kMinTensorMapRank || rank > kMaxTensorMapRank ||
      bytes[Type] > static_cast<uint8_t>(kLastScalarType) ||
      bytes[Swizzle] >= std::size(kSwizzles) ||
      bytes[Promotion] >= std::size(kPromotions))
    return fail("a field is out of range");
  TensorMapDescription map;
  map.type = static_cast<ScalarType>(bytes[Type]);
  map.base = read64le(bytes + Base);
  map.swizzle = kSwizzles[bytes[Swizzle]];
  map.l2Promotion = kPromotions[bytes[Promotion]];
  if (bytes[Window]) {
    map.window.emplace();
    for (unsigned i : {0, 1}) {
      map.window->lower[i] = static_cast<int8_t>(bytes[Window + 1 + i]);
      map.window->upper[i] = static_cast<int8_t>(bytes[Window + 3 + i]);
      map.window->steps[i] = bytes[Window + 5 + i];
    }
  }
  for (unsigned i = 0; i != rank; ++i) {
    map.dims.push_back(int64_t(read32le(bytes + Dims + 4 * i)) + 1);
    if (!map.window || i < 2)
      map.box.push_back(read16le(bytes + Box + 2 * i));
    if (i + 1 != rank)
      map.strides.push_back(
          static_cast<int64_t>(read64le(bytes + Strides + 8 * i)));
  }
  if (llvm::Error error = checkTensorMap(map))
    return fail(llvm::toString(std::move(error)));
  return map;
}
