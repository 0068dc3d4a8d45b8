//===- PtxLimitTest.cpp - Tests of malicious PTX --------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPtx.h"

using namespace tcgemm::ptx;

namespace {

constexpr const char *kTooLarge =
    "the module is too large: over the limit of 4194304 operands, a name "
    "counting as 4 and an instruction as 8";

std::string repeat(llvm::StringRef text, unsigned count) {
  std::string result;
  result.reserve(text.size() * count);
  for (unsigned i = 0; i != count; ++i)
    result += text;
  return result;
}

/// The error of `text` of a body without its line.
std::string getReason(const llvm::Twine &text) {
  std::string error = getBodyError(text);
  return llvm::StringRef(error).split(": ").second.str();
}

TEST(PtxLimits, Registers) {
  EXPECT_EQ(getReason(".reg .b32 %x<4000000000>;"),
            "the count of registers is over the limit of 524288");
  EXPECT_EQ(getReason(".reg .b32 %x<99999999999999999999>;"),
            "'99999999999999999999' is no number of 64 bits");
  EXPECT_EQ(getReason(".reg .b32 %x<500000>, %y<500000>;"),
            "registers are over the limit of 524288 of a function");
  EXPECT_EQ(getReason(".reg .b32 " + repeat("x", 1000) + "<500000>;"),
            kTooLarge);
}

TEST(PtxLimits, Sizes) {
  EXPECT_EQ(getError(".global .b8 x[1099511627776];"), "");
  EXPECT_EQ(getError(".global .b8 x[1099511627777];"),
            "line 2: the size of an array must be from 1 to 1099511627776");
  EXPECT_EQ(getError(".global .b64 x[1099511627776];"),
            "line 2: 'x' is over the limit of 1099511627776 bytes");
  EXPECT_EQ(getError(".global .b8 x[4294967296][4294967296][4294967296];"),
            "line 2: 'x' is over the limit of 1099511627776 bytes");
  EXPECT_EQ(getError(".global .b8 x" + repeat("[1]", 100) + ";"),
            "line 2: an array of more than 64 dimensions");
  EXPECT_EQ(getError(".global .align 2147483648 .b8 x;"),
            "line 2: an alignment is over the limit of 1048576");
  const char *tooMuch =
      "line 2: initial values are over the limit of 67108864 bytes";
  EXPECT_EQ(getError(".global .b8 x[1099511627776] = {1};"), tooMuch);
  EXPECT_EQ(getError(".global .b8 x[][1099511627776] = {{}, {1}};"), tooMuch);
  EXPECT_EQ(getError(".global .b8 x[40000000] = {}, y[40000000] = {};"),
            tooMuch);
  EXPECT_EQ(
      getError(".global .b8 x[][60000000] = {" + repeat("{},", 1000) + "{}};"),
      tooMuch);
}

TEST(PtxLimits, Nesting) {
  EXPECT_EQ(getReason(repeat("{", 60) + repeat("}", 60)), "");
  EXPECT_EQ(getReason(repeat("{", 100000)), "scopes are nested deeper than 64");
  for (const char *nested : {"(", "-", "!", "~", "1?", "1?1:", "(.u64)"})
    EXPECT_EQ(getReason("mov.b32 %r1, 1-" + repeat(nested, 100000)),
              "an expression is nested deeper than 64")
        << nested;
  EXPECT_EQ(getReason("mov.b32 %r1, " + repeat("1-", 100000) + "1;"), "");
  EXPECT_EQ(getReason("mov.b32 %r1, " + repeat("{", 100000)),
            "operands are nested deeper than 4");
  EXPECT_EQ(getReason("mov.b32 %r1, " + repeat("[", 100000)),
            "operands are nested deeper than 4");
  EXPECT_EQ(getReason(".global .b32 x[1] = " + repeat("{", 100000)),
            "expected a value, found '{'");
}

TEST(PtxLimits, Counts) {
  EXPECT_EQ(getReason(repeat("a;", 500000)), "");
  EXPECT_EQ(getReason(repeat("a;", 530000)), kTooLarge);
  EXPECT_EQ(getReason("a " + repeat("1,", 4200000) + "1;"), kTooLarge);
  EXPECT_EQ(getReason("mov.b32 %r1, " + repeat("1", 1000000) + ";"),
            "a number of more than 100 digits");
  EXPECT_EQ(getError(repeat(" ", 70000000)),
            "line 1: the text is over the limit of 67108864 bytes");
}

/// Text that is truncated or changed anywhere is rejected or read, without a
/// crash.
TEST(PtxLimits, EveryPrefixAndEveryChange) {
  std::string text =
      (kHead + makeKernel("{ .reg .pred q; @!q bra L; L: }\n"
                          "ld.v2.f32 {%f1, _}, [s+4]; setp.eq %p1|%p2, 1, -2;"
                          "T: .branchtargets M; M: call (%r1), f, (%r2);"
                          "mov.f32 %f1, 0f3F800000; x \"s\"; /* */ // \n"))
          .str();
  for (size_t i = 0; i != text.size(); ++i) {
    std::string error;
    readAll(text.substr(0, i), &error);
    for (char c : llvm::StringRef("\0\"{}[]().:;%1@x/+\xff", 18)) {
      std::string changed = text;
      changed[i] = c;
      readAll(changed, &error);
    }
  }
}

} // namespace
