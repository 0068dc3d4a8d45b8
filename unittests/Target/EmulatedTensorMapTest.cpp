//===- EmulatedTensorMapTest.cpp - Tests of an emulator's tensor maps -----===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips, the documented bytes, and damage.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/EmulatedTensorMap.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace tcgemm;

namespace {

TensorMapDescription makeMap(unsigned rank) {
  TensorMapDescription map;
  map.type = ScalarType::BF16;
  map.base = 0x7f8899aabbccddf0;
  for (unsigned i = 0; i != rank; ++i) {
    map.dims.push_back(i == 1 ? int64_t(1) << 32 : 1000 + i);
    map.box.push_back(i == 0 ? 64 : 6 - i);
    if (i != 0)
      map.strides.push_back((int64_t(1) << 40) - 16 * i);
  }
  map.swizzle = 128;
  map.l2Promotion = 64;
  return map;
}

std::string getError(const TensorMapImage &image) {
  auto map = decodeEmulatedTensorMap(image);
  return map ? "" : llvm::toString(map.takeError());
}

TEST(EmulatedTensorMap, RoundTrips) {
  for (unsigned rank = 2; rank <= 5; ++rank)
    for (unsigned swizzle : {0, 32, 64, 128})
      for (unsigned promotion : {0, 64, 128, 256}) {
        TensorMapDescription map = makeMap(rank);
        map.swizzle = swizzle;
        map.l2Promotion = promotion;
        map.box[0] = 16;
        auto image = llvm::cantFail(encodeEmulatedTensorMap(map));
        auto again = decodeEmulatedTensorMap(image);
        ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
        EXPECT_TRUE(*again == map);
      }
}

TEST(EmulatedTensorMap, HasTheDocumentedLayout) {
  auto image = llvm::cantFail(encodeEmulatedTensorMap(makeMap(3)));
  EXPECT_EQ(std::memcmp(image.data(), "TCGEMMTM", 8), 0);
  const uint8_t head[] = {1, uint8_t(ScalarType::BF16), 3, 3, 1, 0, 0, 0};
  EXPECT_EQ(std::memcmp(image.data() + 8, head, 8), 0);
  const uint8_t base[] = {0xf0, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88, 0x7f};
  EXPECT_EQ(std::memcmp(image.data() + 16, base, 8), 0);
  const uint8_t dims[20] = {0xe7, 3, 0, 0, 255, 255, 255, 255, 0xe9, 3};
  EXPECT_EQ(std::memcmp(image.data() + 24, dims, 20), 0);
  const uint8_t box[12] = {64, 0, 5, 0, 4, 0};
  EXPECT_EQ(std::memcmp(image.data() + 44, box, 12), 0);
  const uint8_t strides[32] = {0xf0, 255, 255, 255, 255, 0, 0, 0,
                               0xe0, 255, 255, 255, 255, 0, 0, 0};
  EXPECT_EQ(std::memcmp(image.data() + 56, strides, 32), 0);
  const uint8_t zeros[32] = {};
  EXPECT_EQ(std::memcmp(image.data() + 88, zeros, 32), 0);
}

TEST(EmulatedTensorMap, HasTheDocumentedLayoutOfAWindow) {
  TensorMapDescription map;
  map.dims = {64, 300, 300, 3};
  map.strides = {128, 128, 128};
  map.box = {64, 1000};
  map.window = TensorMapWindow{{-128, -1}, {127, -3}, {2, 8}};
  auto image = llvm::cantFail(encodeEmulatedTensorMap(map));
  const uint8_t box[12] = {64, 0, 0xe8, 3};
  EXPECT_EQ(std::memcmp(image.data() + 44, box, 12), 0);
  const uint8_t window[32] = {1, 0x80, 0xff, 0x7f, 0xfd, 2, 8};
  EXPECT_EQ(std::memcmp(image.data() + 88, window, 32), 0);
  auto again = decodeEmulatedTensorMap(image);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_TRUE(*again == map);
}

TEST(EmulatedTensorMap, EveryDamagedByteIsFound) {
  auto image = llvm::cantFail(encodeEmulatedTensorMap(makeMap(4)));
  for (size_t i = 0; i != image.size(); ++i) {
    TensorMapImage damaged = image;
    damaged[i] ^= 1;
    EXPECT_NE(getError(damaged), "") << i;
  }
}

TEST(EmulatedTensorMap, SaysWhatIsWrong) {
  auto image = llvm::cantFail(encodeEmulatedTensorMap(makeMap(2)));
  EXPECT_EQ(getError(TensorMapImage{}),
            "not a tensor map: it does not begin with 'TCGEMMTM'");
  TensorMapImage other = image;
  other[8] = 2;
  EXPECT_EQ(getError(other), "not a tensor map: version 2, must be 1");
  other = image;
  other[24] = 0;
  EXPECT_EQ(getError(other),
            "not a tensor map: the checksum is wrong: it was written to");
  auto shorter =
      decodeEmulatedTensorMap(llvm::ArrayRef<uint8_t>(image).drop_back());
  EXPECT_EQ(llvm::toString(shorter.takeError()),
            "not a tensor map: 127 bytes, must be 128");
  TensorMapDescription map = makeMap(2);
  map.base += 8;
  EXPECT_EQ(llvm::toString(encodeEmulatedTensorMap(map).takeError()),
            "base: 9189763998223752696 must be a multiple of 16");
}

} // namespace
