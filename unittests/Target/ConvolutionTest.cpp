//===- ConvolutionTest.cpp - Tests of the windows of convolutions ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Convolution.h"

#include "gtest/gtest.h"

#include <functional>

using namespace tcgemm;

namespace {

Convolution makeConvolution() {
  Convolution c;
  c.image = {7, 9};
  c.channels = 4;
  c.filter = {3, 2};
  c.strides = {2, 1};
  c.dilations = {1, 3};
  c.before = {1, 0};
  c.after = {0, 2};
  return c;
}

TEST(Convolution, CountsPixels) {
  Convolution c = makeConvolution();
  // 7 + 1 rows have room for windows of 3 at 0, 2 and 4; 9 + 2 columns for
  // windows of 4 at 0 to 7.
  EXPECT_EQ(c.getOutput(0), 3);
  EXPECT_EQ(c.getOutput(1), 8);
  EXPECT_EQ(c.getOutputPixels(), 24);
  EXPECT_EQ(c.getImagePixels(), 63);
  EXPECT_EQ(c.getDepth(), 24);
}

TEST(Convolution, LocatesElements) {
  Convolution c = makeConvolution();
  int64_t m = 0;
  for (int64_t image = 0; image != 2; ++image)
    for (int64_t row = 0; row != 3; ++row)
      for (int64_t column = 0; column != 8; ++column, ++m) {
        int64_t k = 0;
        for (int64_t y = 0; y != 3; ++y)
          for (int64_t x = 0; x != 2; ++x)
            for (int64_t channel = 0; channel != 4; ++channel, ++k) {
              ImagePlace place = c.locate(m, k);
              EXPECT_EQ(place.image, image);
              EXPECT_EQ(place.row, 2 * row - 1 + y);
              EXPECT_EQ(place.column, column + 3 * x);
              EXPECT_EQ(place.channel, channel);
              EXPECT_EQ(c.isInside(place),
                        2 * row - 1 + y >= 0 && column + 3 * x < 9);
            }
      }
}

std::string getViolation(const std::function<void(Convolution &)> &change) {
  Convolution c = makeConvolution();
  change(c);
  return findViolation(c).value_or("");
}

TEST(Convolution, NamesWhatIsBroken) {
  EXPECT_EQ(getViolation([](auto &) {}), "");
  EXPECT_EQ(getViolation([](auto &c) { c.channels = 0; }),
            "channels has 0, must be 1 to 1048576");
  EXPECT_EQ(getViolation([](auto &c) { c.before[1] = -1; }),
            "before has -1, must be 0 to 1048576");
  EXPECT_EQ(getViolation([](auto &c) { c.strides[0] = 1048577; }),
            "strides has 1048577, must be 1 to 1048576");
  EXPECT_EQ(getViolation([](auto &c) { c.filter[0] = 9; }),
            "the filter reaches over 9 rows, but the image and its padding "
            "have only 8");
  EXPECT_EQ(getViolation([](auto &c) { c.dilations[1] = 11; }),
            "the filter reaches over 12 columns, but the image and its padding "
            "have only 11");
  EXPECT_EQ(getViolation([](auto &c) {
              c.image = c.filter = {65536, 65536};
              c.dilations = {1, 1};
            }),
            "the filter has 65536x65536x4 elements, must have less than "
            "2147483648");
  EXPECT_EQ(getViolation([](auto &c) { c.image = {65536, 32768}; }),
            "2147483648 pixels, must be less than 2147483648");
}

TEST(Convolution, LeavesOutDefaults) {
  Convolution c;
  unsigned numWritten = 0;
  for (const ConvolutionField &field : getConvolutionFields())
    numWritten += isWritten(field, c);
  EXPECT_EQ(numWritten, 3U);
  c.after[1] = 1;
  EXPECT_TRUE(isWritten(getConvolutionFields().back(), c));
}

} // namespace
