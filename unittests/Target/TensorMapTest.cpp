//===- TensorMapTest.cpp - Tests of the rules on tensor maps --------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule at its limit, and one step beyond. The rules on ranks and boxes are
// in ManifestTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/TensorMap.h"

#include "gtest/gtest.h"

#include <functional>

using namespace tcgemm;

namespace {

/// The largest values that the rules allow.
TensorMapDescription makeMap() {
  TensorMapDescription map;
  map.type = ScalarType::BF16;
  map.base = 0x7f0000000010;
  map.dims = {1, int64_t(1) << 32, 7};
  map.strides = {0, (int64_t(1) << 40) - 16};
  map.box = {64, 256, 1};
  map.swizzle = 128;
  map.l2Promotion = 256;
  return map;
}

std::string
getError(const std::function<void(TensorMapDescription &)> &change) {
  TensorMapDescription map = makeMap();
  change(map);
  return llvm::toString(checkTensorMap(map));
}

TEST(TensorMap, AcceptsTheLimits) {
  EXPECT_EQ(getError([](auto &) {}), "");
  EXPECT_EQ(getError([](auto &map) { map.swizzle = 0, map.box[0] = 256; }), "");
  EXPECT_EQ(getError([](auto &map) { map.box = {64, 152, 12}; }), "");
  EXPECT_EQ(getBoxBytes(makeMap()), 64 * 256 * 2);
}

TEST(TensorMap, NamesWhatIsBroken) {
  EXPECT_EQ(getError([](auto &map) { map.base = 8; }),
            "base: 8 must be a multiple of 16");
  EXPECT_EQ(getError([](auto &map) { map.dims[0] = 0; }),
            "dims[0]: 0 elements, must be 1 to 4294967296");
  EXPECT_EQ(getError([](auto &map) { ++map.dims[1]; }),
            "dims[1]: 4294967297 elements, must be 1 to 4294967296");
  EXPECT_EQ(getError([](auto &map) { map.strides[0] = 8; }),
            "strides[0]: 8 bytes, must be a multiple of 16");
  EXPECT_EQ(getError([](auto &map) { map.strides[0] = -16; }),
            "strides[0]: -16 bytes, must be 0 to 1099511627775");
  EXPECT_EQ(getError([](auto &map) { map.strides[1] += 16; }),
            "strides[1]: 1099511627776 bytes, must be 0 to 1099511627775");
  EXPECT_EQ(getError([](auto &map) { map.type = ScalarType::F32; }),
            "box[0]: 64 elements of f32 are 256 bytes, must be at most the "
            "swizzle's 128");
  EXPECT_EQ(getError([](auto &map) { map.box[2] = 8; }),
            "box: 262144 bytes, must be at most 233472");
  EXPECT_EQ(getError([](auto &map) { map.strides.pop_back(); }),
            "strides: has 1 entries, must have 2, one less than dims");
}

/// A map in im2col mode with the largest values that the rules allow.
TensorMapDescription makeWindowMap() {
  TensorMapDescription map;
  map.dims = {64, 400, 256, 3};
  map.strides = {128, 128, 128};
  map.box = {64, 1024};
  map.swizzle = 128;
  map.window = TensorMapWindow{{-128, 127}, {127, -128}, {8, 8}};
  return map;
}

std::string
getWindowError(const std::function<void(TensorMapDescription &)> &change) {
  TensorMapDescription map = makeWindowMap();
  change(map);
  return llvm::toString(checkTensorMap(map));
}

TEST(TensorMap, AcceptsTheLimitsOfWindows) {
  EXPECT_EQ(getWindowError([](auto &) {}), "");
  EXPECT_EQ(getBoxBytes(makeWindowMap()), 64 * 1024 * 2);
}

TEST(TensorMap, NamesWhatIsBrokenInAWindow) {
  EXPECT_EQ(getWindowError([](auto &map) { --map.window->lower[0]; }),
            "window.lower[0]: -129, must be -128 to 127");
  EXPECT_EQ(getWindowError([](auto &map) { ++map.window->upper[0]; }),
            "window.upper[0]: 128, must be -128 to 127");
  EXPECT_EQ(getWindowError([](auto &map) { map.window->steps[1] = 9; }),
            "window.steps[1]: 9, must be 1 to 8");
  EXPECT_EQ(getWindowError([](auto &map) { map.window->steps[1] = 0; }),
            "window.steps[1]: 0, must be 1 to 8");
  EXPECT_EQ(getWindowError([](auto &map) { map.dims[2] = 255; }),
            "window: 0 pixels along H, must be at least 1");
  EXPECT_EQ(getWindowError([](auto &map) { ++map.box[1]; }),
            "box[1]: 1025 elements, must be 1 to 1024");
  EXPECT_EQ(getWindowError([](auto &map) { map.box.push_back(1); }),
            "box: has 3 entries, must have 2 with a window");
  EXPECT_EQ(getWindowError([](auto &map) {
              map.dims.push_back(1);
              map.strides.push_back(16);
            }),
            "dims: has 5 entries, must have 4 with a window");
}

TEST(TensorMap, Codes) {
  // The codes of cuda.h.
  EXPECT_EQ(getTensorMapTypeCode(ScalarType::F16), 6U);
  EXPECT_EQ(getTensorMapTypeCode(ScalarType::BF16), 9U);
  EXPECT_EQ(getTensorMapTypeCode(ScalarType::F32), 7U);
  EXPECT_EQ(getTensorMapSwizzleCode(0), 0U);
  EXPECT_EQ(getTensorMapSwizzleCode(64), 2U);
  EXPECT_EQ(getTensorMapSwizzleCode(128), 3U);
  EXPECT_EQ(getTensorMapPromotionCode(0), 0U);
  EXPECT_EQ(getTensorMapPromotionCode(128), 2U);
  EXPECT_EQ(getTensorMapPromotionCode(256), 3U);
}

} // namespace
