//===- BandTest.cpp - Tests of bands --------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Band.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

Band parse(llvm::StringRef text) { return llvm::cantFail(Band::parse(text)); }

std::string getError(llvm::StringRef text) {
  llvm::Expected<Band> band = Band::parse(text);
  return band ? "" : llvm::toString(band.takeError());
}

TEST(Band, ReadsWhatItWrites) {
  for (llvm::StringRef text :
       {"lower", "upper", "strict-lower", "strict-upper", "unit-lower",
        "unit-upper", "band:2:3", "band:0:0", "band:-5:7", "band:4:-4",
        "band:*:5", "band:-2:*", "lower:zeros", "band:1:1:zeros"})
    EXPECT_EQ(parse(text).str(), text);
  // Bands with names have one text.
  EXPECT_EQ(parse("band:*:0").str(), "lower");
  EXPECT_EQ(parse("band:-1:*:zeros").str(), "strict-upper:zeros");
}

TEST(Band, Elements) {
  Band band = parse("band:1:2");
  for (int64_t row = 0; row != 6; ++row)
    for (int64_t column = 0; column != 6; ++column)
      EXPECT_EQ(band.contains(row, column),
                row - column <= 1 && column - row <= 2);
  EXPECT_TRUE(parse("lower").contains(3, 3));
  EXPECT_FALSE(parse("strict-lower").contains(3, 3));
  EXPECT_TRUE(parse("upper").contains(0, 1 << 30));
}

TEST(Band, Transpose) {
  EXPECT_EQ(parse("lower").transpose().str(), "upper");
  EXPECT_EQ(parse("strict-upper:zeros").transpose().str(),
            "strict-lower:zeros");
  EXPECT_EQ(parse("unit-upper").transpose().str(), "unit-lower");
  Band band = parse("band:3:-1"), other = band.transpose();
  for (int64_t row = 0; row != 6; ++row)
    for (int64_t column = 0; column != 6; ++column)
      EXPECT_EQ(band.contains(row, column), other.contains(column, row));
  EXPECT_EQ(other.transpose(), band);
  EXPECT_NE(other, band);
}

TEST(Band, Errors) {
  const char *names = "' is none of lower, upper, strict-lower, strict-upper, "
                      "unit-lower, unit-upper and band:L:U, with L diagonals "
                      "below and U above the main one, each a number up to "
                      "1073741824 or *";
  for (std::string text :
       {"", "diagonal", "lower:upper", "band:1", "band:1:x", "band:1:2:3",
        "zeros", "band:1073741825:0", "band:0:-99999999999999999999"})
    EXPECT_EQ(getError(text), "band: '" + text + names);
  EXPECT_EQ(getError("band:*:*"), "band: 'band:*:*' has no limit");
  EXPECT_EQ(getError("band:2:-3"),
            "band: 'band:2:-3' has no diagonal: it needs L + U of at least 0");
  EXPECT_EQ(getError("unit-upper:zeros"),
            "band: 'unit-upper:zeros' has ones on the diagonal, which the "
            "memory need not hold: it cannot have zeros");
}

} // namespace
