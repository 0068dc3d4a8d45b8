//===- NpyTest.cpp - Tests of NumPy's file format -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips, and files that are damaged or of another kind.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Npy.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

std::string getError(llvm::StringRef bytes, ScalarType type) {
  llvm::Expected<HostTensor> tensor = parseNpy(bytes, type);
  return tensor ? "" : llvm::toString(tensor.takeError());
}

std::string makeFile(const std::string &header, const std::string &data,
                     char version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += version;
  bytes += '\0';
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  if (version == 2)
    bytes += std::string(2, '\0');
  return bytes + header + data;
}

const std::string kHeader =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n";

TEST(Npy, RoundTrips) {
  for (ScalarType type : {ScalarType::F16, ScalarType::BF16, ScalarType::F32,
                          ScalarType::F64, ScalarType::I32}) {
    HostTensor tensor(type, StridedShape::rowMajor({3, 5}, 2), 0xff);
    FillOptions integers;
    integers.kind = FillOptions::Integers;
    ASSERT_FALSE(bool(fillTensor(tensor, integers, 1)));
    std::string bytes = formatNpy(tensor);
    EXPECT_EQ(bytes.find('\n') % 64, 63U);
    llvm::Expected<HostTensor> read = parseNpy(bytes, type);
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(read->shape.sizes, tensor.shape.sizes);
    for (int64_t i = 0; i != 3; ++i)
      for (int64_t j = 0; j != 5; ++j)
        EXPECT_EQ(read->get(i * 5 + j), tensor.get(i * 7 + j));
  }
}

TEST(Npy, IntegersOfBuffersHaveNoSign) {
  auto read = [](llvm::StringRef descr, ScalarType type) {
    std::string header = ("{'descr': '" + descr +
                          "', 'fortran_order': False, 'shape': (2,), }\n")
                             .str();
    return parseNpy(
        makeFile(header, std::string(2 * getByteSize(type), '\xff')), type);
  };
  llvm::Expected<HostTensor> bytes = read("|u1", ScalarType::I8);
  ASSERT_TRUE(bool(bytes)) << llvm::toString(bytes.takeError());
  EXPECT_EQ(bytes->get(0), -1);
  llvm::Expected<HostTensor> words = read("<u4", ScalarType::I32);
  ASSERT_TRUE(bool(words)) << llvm::toString(words.takeError());
  EXPECT_EQ(words->get(1), -1);
  // Operands that are unsigned, and floats.
  EXPECT_EQ(llvm::toString(read("|i1", ScalarType::U8).takeError()),
            ".npy: has elements of type '|i1', expected '|u1' for ui8");
  EXPECT_EQ(llvm::toString(read("<i4", ScalarType::F32).takeError()),
            ".npy: has elements of type '<i4', expected '<f4' for f32");
}

TEST(Npy, ReadsBothVersions) {
  std::string data(8, '\0');
  EXPECT_EQ(getError(makeFile(kHeader, data), ScalarType::F32), "");
  EXPECT_EQ(getError(makeFile(kHeader, data, 2), ScalarType::F32), "");
  EXPECT_EQ(getError(makeFile(kHeader, data, 3), ScalarType::F32),
            ".npy: version 3 is not supported");
}

TEST(Npy, Refuses) {
  std::string data(8, '\0');
  EXPECT_EQ(getError("", ScalarType::F32), ".npy: not a NumPy file");
  EXPECT_EQ(getError(makeFile(kHeader, data).substr(0, 30), ScalarType::F32),
            ".npy: truncated inside its header");
  EXPECT_NE(getError(makeFile(kHeader, data.substr(1)), ScalarType::F32)
                .find("has 7 bytes of data"),
            std::string::npos);
  EXPECT_NE(getError(makeFile(kHeader, data), ScalarType::BF16)
                .find("has elements of type '<f4', expected '<u2' for bf16"),
            std::string::npos);
  EXPECT_NE(getError(makeFile("{'descr': '<f4', 'fortran_order': True, "
                              "'shape': (2,), }\n",
                              data),
                     ScalarType::F32)
                .find("C order"),
            std::string::npos);
  EXPECT_NE(getError(makeFile("{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (-2,), }\n",
                              data),
                     ScalarType::F32)
                .find("is not a size"),
            std::string::npos);
  EXPECT_EQ(getError(makeFile("{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (0, 9, 4611686018427387904), }\n",
                              ""),
                     ScalarType::F32),
            ".npy: the shape 0x9x4611686018427387904 has more than 2^57 "
            "elements");
  EXPECT_NE(getError(makeFile("{}\n", data), ScalarType::F32).find("descr"),
            std::string::npos);
}

} // namespace
