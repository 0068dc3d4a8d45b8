//===- HostTensorTest.cpp - Tests of host tensors -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions against cases worked out by hand, shapes, fills.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/HostTensor.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <set>

using namespace tcgemm;

namespace {

uint16_t encode(ScalarType type, double value) {
  uint16_t bits = 0;
  storeElement(type, value, &bits);
  return bits;
}

TEST(HostTensor, RoundsToNearestEven) {
  EXPECT_EQ(roundToType(ScalarType::BF16, 1 + 0x1p-8), 1);
  EXPECT_EQ(roundToType(ScalarType::BF16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(roundToType(ScalarType::BF16, 1 + 3 * 0x1p-8), 1 + 0x1p-6);
  EXPECT_EQ(roundToType(ScalarType::BF16, -(1 + 3 * 0x1p-8)), -(1 + 0x1p-6));
  EXPECT_EQ(roundToType(ScalarType::F16, 1 + 0x1p-11), 1);
  EXPECT_EQ(roundToType(ScalarType::F16, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(roundToType(ScalarType::F16, 65519), 65504);
  EXPECT_EQ(roundToType(ScalarType::F16, 65520), HUGE_VAL);
  EXPECT_EQ(roundToType(ScalarType::F16, 0x1p-25), 0);
  EXPECT_EQ(roundToType(ScalarType::F16, 3 * 0x1p-25), 0x1p-23);
  EXPECT_EQ(roundToType(ScalarType::BF16, 3.5e38), HUGE_VAL);
  EXPECT_EQ(roundToType(ScalarType::F32, 1 + 0x1p-24), 1);
  EXPECT_TRUE(std::isnan(roundToType(ScalarType::BF16, NAN)));
}

TEST(HostTensor, Encodes) {
  EXPECT_EQ(encode(ScalarType::BF16, 1), 0x3f80);
  EXPECT_EQ(encode(ScalarType::BF16, -2.5), 0xc020);
  EXPECT_EQ(encode(ScalarType::F16, 1), 0x3c00);
  EXPECT_EQ(encode(ScalarType::F16, -0.0), 0x8000);
  EXPECT_EQ(encode(ScalarType::F16, 0x1p-24), 0x0001);
  EXPECT_EQ(encode(ScalarType::F16, 65504), 0x7bff);
  EXPECT_EQ(encode(ScalarType::F16, 1e9), 0x7c00);
}

TEST(HostTensor, EveryHalfRoundTrips) {
  for (ScalarType type : {ScalarType::F16, ScalarType::BF16})
    for (unsigned bits = 0; bits != 0x10000; ++bits) {
      auto half = static_cast<uint16_t>(bits);
      double value = loadElement(type, &half);
      if (std::isnan(value))
        continue;
      ASSERT_EQ(encode(type, value), half) << getTypeName(type).str();
    }
}

TEST(HostTensor, EveryByteFloatRoundTrips) {
  for (ScalarType type : {ScalarType::E4M3, ScalarType::E5M2})
    for (unsigned bits = 0; bits != 0x100; ++bits) {
      auto byte = static_cast<uint8_t>(bits);
      double value = loadElement(type, &byte);
      if (std::isnan(value)) {
        EXPECT_GE(bits & 0x7f, type == ScalarType::E4M3 ? 0x7fu : 0x7du);
        continue;
      }
      uint8_t encoded = 0;
      storeElement(type, value, &encoded);
      EXPECT_EQ(encoded, byte);
    }
}

TEST(HostTensor, ByteFloatsFollowOCP) {
  EXPECT_EQ(getLargest(ScalarType::E4M3), 448);
  EXPECT_EQ(getLargest(ScalarType::E5M2), 57344);
  EXPECT_EQ(getSmallestNormal(ScalarType::E4M3), 0x1p-6);
  EXPECT_EQ(getUlp(ScalarType::E4M3, 0), 0x1p-9);
  EXPECT_EQ(getUlp(ScalarType::E5M2, 0), 0x1p-16);
  EXPECT_EQ(encode(ScalarType::E4M3, 1), 0x38);
  EXPECT_EQ(encode(ScalarType::E4M3, -448), 0xfe);
  EXPECT_EQ(encode(ScalarType::E5M2, 1), 0x3c);
  EXPECT_EQ(encode(ScalarType::E5M2, HUGE_VAL), 0x7c);
  // Ties go to even.
  EXPECT_EQ(roundToType(ScalarType::E4M3, 1 + 0x1p-4), 1);
  EXPECT_EQ(roundToType(ScalarType::E4M3, 1 + 3 * 0x1p-4), 1.25);
  EXPECT_EQ(roundToType(ScalarType::E4M3, 0x1p-10), 0);
  EXPECT_EQ(roundToType(ScalarType::E4M3, 3 * 0x1p-10), 0x1p-8);
  EXPECT_EQ(roundToType(ScalarType::E5M2, 1 + 0x1p-3), 1);
  // E4M3 has no infinity: an overflow is a NaN.
  EXPECT_EQ(roundToType(ScalarType::E4M3, 464), 448);
  EXPECT_TRUE(std::isnan(roundToType(ScalarType::E4M3, 465)));
  EXPECT_TRUE(std::isnan(roundToType(ScalarType::E4M3, -HUGE_VAL)));
  EXPECT_EQ(roundToType(ScalarType::E5M2, 61439), 57344);
  EXPECT_EQ(roundToType(ScalarType::E5M2, 61440), HUGE_VAL);
}

// Operands of tf32 are f32 in memory. They are rounded to nearest, ties to
// even.
TEST(HostTensor, TFloatsAreRoundedWhereTheyAreRead) {
  auto read = [](float value) { return loadElement(ScalarType::TF32, &value); };
  EXPECT_EQ(read(1 + 0x1p-10f), 1 + 0x1p-10);
  EXPECT_EQ(read(1 + 0x1p-11f), 1);
  EXPECT_EQ(read(1 + 3 * 0x1p-11f), 1 + 0x1p-9);
  EXPECT_EQ(read(1 + 0x1.8p-11f), 1 + 0x1p-10);
  EXPECT_EQ(read(-0x1.FFEp3f), -0x1p4);
  EXPECT_EQ(read(0x1p-149f), 0);
  EXPECT_EQ(read(0x1p-136f), 0x1p-136);
  EXPECT_EQ(read(0x1.FFFFFEp127f), HUGE_VAL);
  EXPECT_TRUE(std::isnan(read(NAN)));
  EXPECT_EQ(getUlp(ScalarType::TF32, 1), 0x1p-10);
}

TEST(HostTensor, UnsignedBytesHaveNoSign) {
  uint8_t byte = 0xff;
  EXPECT_EQ(loadElement(ScalarType::I8, &byte), -1);
  EXPECT_EQ(loadElement(ScalarType::U8, &byte), 255);
  storeElement(ScalarType::U8, 200, &byte);
  EXPECT_EQ(byte, 200);
}

TEST(HostTensor, ElementsOf4BitsShareBytes) {
  HostTensor tensor(ScalarType::I4, StridedShape::rowMajor({2, 4}), 0xff);
  ASSERT_EQ(tensor.bytes.size(), 4u);
  for (int64_t i = 0; i < 8; ++i)
    tensor.set(i, static_cast<double>(i) - 4);
  EXPECT_EQ(tensor.bytes, (std::vector<uint8_t>{0xdc, 0xfe, 0x10, 0x32}));
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(tensor.get(i), static_cast<double>(i) - 4);
  std::vector<float> row(4);
  decodeRun(ScalarType::I4, tensor.bytes.data(), 1, 2, 4, row.data());
  EXPECT_EQ(row, (std::vector<float>{-3, -1, 1, 3}));
  tensor.type = ScalarType::U4;
  EXPECT_EQ(tensor.get(0), 12);
  EXPECT_EQ(encodeScalar(ScalarType::I4, int64_t(-3)),
            std::vector<uint8_t>{0xdd});
}

TEST(HostTensor, EightBitsShareAByte) {
  HostTensor tensor(ScalarType::U1, StridedShape::rowMajor({2, 8}), 0xff);
  ASSERT_EQ(tensor.bytes.size(), 2u);
  for (int64_t i = 0; i < 16; ++i)
    tensor.set(i, i % 3 == 0);
  EXPECT_EQ(tensor.bytes, (std::vector<uint8_t>{0x49, 0x92}));
  for (int64_t i = 0; i < 16; ++i)
    EXPECT_EQ(tensor.get(i), i % 3 == 0);
  std::vector<float> row(4);
  decodeRun(ScalarType::U1, tensor.bytes.data(), 1, 2, 4, row.data());
  EXPECT_EQ(row, (std::vector<float>{0, 1, 0, 0}));
  EXPECT_EQ(encodeScalar(ScalarType::U1, int64_t(1)),
            std::vector<uint8_t>{0xff});
  FillOptions options;
  EXPECT_FALSE(bool(fillTensor(tensor, options, 1)));
  double ones = 0;
  for (int64_t i = 0; i < 16; ++i)
    ones += tensor.get(i);
  EXPECT_TRUE(ones > 0 && ones < 16) << ones;
  // A buffer of i1 has a byte for each element.
  EXPECT_EQ(
      HostTensor(ScalarType::I1, StridedShape::rowMajor({16})).bytes.size(),
      16u);
}

TEST(HostTensor, FillsOf4BitsCoverTheirRange) {
  for (ScalarType type : {ScalarType::I4, ScalarType::U4}) {
    HostTensor tensor(type, StridedShape::rowMajor({16, 64}));
    FillOptions options;
    EXPECT_FALSE(bool(fillTensor(tensor, options, 1)));
    std::set<double> values;
    for (int64_t i = 0; i < 1024; ++i)
      values.insert(tensor.get(i));
    EXPECT_EQ(values.size(), 16u);
    EXPECT_EQ(*values.begin(), type == ScalarType::I4 ? -8 : 0);
  }
}

TEST(HostTensor, Ulp) {
  EXPECT_EQ(getUlp(ScalarType::BF16, 1), 0x1p-7);
  EXPECT_EQ(getUlp(ScalarType::F16, 3), 0x1p-9);
  EXPECT_EQ(getUlp(ScalarType::F32, 0), 0x1p-149);
}

TEST(HostTensor, PaddedShapes) {
  StridedShape shape = StridedShape::rowMajor({2, 3, 4}, 5);
  EXPECT_EQ(shape.strides, (std::vector<int64_t>{27, 9, 1}));
  EXPECT_EQ(shape.getExtent(), 27 + 18 + 3 + 1);
  std::vector<int64_t> rows;
  shape.forEachRow([&](int64_t offset) { rows.push_back(offset); });
  EXPECT_EQ(rows, (std::vector<int64_t>{0, 9, 18, 27, 36, 45}));
  EXPECT_EQ(StridedShape::rowMajor({2, 0}).getExtent(), 0);
  EXPECT_EQ(StridedShape::rowMajor({}).getExtent(), 1);
}

TEST(HostTensor, LimitsShapesFromOutside) {
  auto isTaken = [](llvm::ArrayRef<int64_t> sizes, int64_t padding) {
    auto shape = StridedShape::createRowMajor(sizes, padding);
    bool result = bool(shape);
    llvm::consumeError(shape.takeError());
    return result;
  };
  constexpr int64_t most = StridedShape::kMaxElements;
  EXPECT_TRUE(isTaken({most}, 0));
  EXPECT_FALSE(isTaken({most}, 1));
  EXPECT_FALSE(isTaken({most + 1}, 0));
  EXPECT_FALSE(isTaken({most / 2, 3}, 0));
  EXPECT_FALSE(isTaken({2, 1}, most));
  EXPECT_TRUE(isTaken({0, most}, 0));
  EXPECT_FALSE(isTaken({0, 9, most}, 0));
}

TEST(HostTensor, FillsAreSeededAndLeavePaddingAlone) {
  FillOptions normal;
  HostTensor a(ScalarType::F32, StridedShape::rowMajor({300, 301}, 3), 0xff);
  HostTensor b(ScalarType::F32, StridedShape::rowMajor({300, 301}), 0xff);
  HostTensor c = b;
  ASSERT_FALSE(bool(fillTensor(a, normal, 1)));
  ASSERT_FALSE(bool(fillTensor(b, normal, 1)));
  ASSERT_FALSE(bool(fillTensor(c, normal, 2)));
  double sum = 0, squares = 0;
  int64_t same = 0;
  for (int64_t i = 0; i != 300; ++i) {
    for (int64_t j = 0; j != 301; ++j) {
      double value = b.get(i * 301 + j);
      ASSERT_EQ(a.get(i * 304 + j), value);
      same += value == c.get(i * 301 + j);
      sum += value;
      squares += value * value;
    }
    for (int64_t j = 301; j != 304 && i != 299; ++j)
      EXPECT_TRUE(std::isnan(a.get(i * 304 + j)));
  }
  EXPECT_LT(same, 100);
  EXPECT_NEAR(sum / 90300, 0, 0.02);
  EXPECT_NEAR(squares / 90300, 1, 0.02);
}

TEST(HostTensor, IntegersCoverTheirRange) {
  llvm::Expected<FillOptions> fill = parseFill("int");
  ASSERT_TRUE(bool(fill));
  HostTensor tensor(ScalarType::BF16, StridedShape::rowMajor({9000}));
  ASSERT_FALSE(bool(fillTensor(tensor, *fill, 3)));
  std::vector<int> counts(9);
  for (int64_t i = 0; i != 9000; ++i) {
    double value = tensor.get(i);
    ASSERT_EQ(value, std::nearbyint(value));
    ASSERT_LE(std::fabs(value), 4);
    ++counts[static_cast<int>(value) + 4];
  }
  for (int count : counts)
    EXPECT_NEAR(count, 1000, 200);
}

TEST(HostTensor, SpecialFillsHaveAllKinds) {
  for (ScalarType type : {ScalarType::F16, ScalarType::BF16, ScalarType::F32}) {
    HostTensor tensor(type, StridedShape::rowMajor({1 << 18}));
    ASSERT_FALSE(
        bool(fillTensor(tensor, llvm::cantFail(parseFill("special")), 3)));
    int nan = 0, infinite[2] = {}, zero[2] = {}, subnormal[2] = {},
        largest[2] = {}, smallest[2] = {}, ordinary = 0;
    for (int64_t i = 0; i != 1 << 18; ++i) {
      double value = tensor.get(i), magnitude = std::fabs(value);
      bool sign = std::signbit(value);
      nan += std::isnan(value);
      infinite[sign] += std::isinf(value);
      zero[sign] += value == 0;
      largest[sign] += magnitude == getLargest(type);
      smallest[sign] += magnitude == getSmallestNormal(type);
      subnormal[sign] += value != 0 && magnitude < getSmallestNormal(type);
      ordinary += magnitude > 1e-6 && magnitude < 10;
    }
    EXPECT_GT(nan, 0);
    for (auto *counts : {infinite, zero, subnormal, largest, smallest}) {
      EXPECT_GT(counts[0], 0);
      EXPECT_GT(counts[1], 0);
    }
    EXPECT_LT(nan + infinite[0] + infinite[1], 200);
    EXPECT_GT(ordinary, 240000);
  }
  // Integers have no special values.
  HostTensor integers(ScalarType::I8, StridedShape::rowMajor({1000}));
  ASSERT_FALSE(
      bool(fillTensor(integers, llvm::cantFail(parseFill("special")), 3)));
  for (int64_t i = 0; i != 1000; ++i)
    EXPECT_LE(std::fabs(integers.get(i)), 4);
}

TEST(HostTensor, ParsesFills) {
  llvm::Expected<FillOptions> fill = parseFill("constant:2.5");
  ASSERT_TRUE(bool(fill));
  EXPECT_EQ(fill->value, 2.5);
  for (const char *bad : {"", "constant:", "constant:x", "gauss"}) {
    llvm::Expected<FillOptions> refused = parseFill(bad);
    EXPECT_FALSE(bool(refused)) << bad;
    llvm::consumeError(refused.takeError());
  }
}

} // namespace
