//===- InstructionsTest.cpp - The table of matrix instructions ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Instructions.h"
#include "tcgemm/Target/Precision.h"
#include "gtest/gtest.h"
#include <set>
#include <tuple>

using namespace tcgemm;
using T = ScalarType;

TEST(Instructions, RowsDiffer) {
  std::set<std::tuple<InstructionKind, T, T, T, int64_t, int64_t>> seen;
  for (const MatrixInstruction &row : getMatrixInstructions()) {
    EXPECT_TRUE(
        seen.insert({row.kind, row.a, row.b, row.accumulator, row.m, row.k})
            .second);
    const MatrixInstruction *first =
        findInstruction(row.kind, row.a, row.b, row.accumulator);
    ASSERT_TRUE(first && first->hasSameTypes(row));
    // The widest comes first.
    EXPECT_GE(first->m * first->n * first->k, row.m * row.n * row.k);
    EXPECT_EQ(findInstruction(*first, row.getShape()), &row);
  }
}

// A warp's fragment has 32 bytes along k, whatever the type; but of f64 at
// least that.
TEST(Instructions, TensorCoresTake32BytesAlongK) {
  for (const MatrixInstruction &row : getMatrixInstructions())
    if (row.kind == InstructionKind::MmaSync ||
        row.kind == InstructionKind::Wgmma) {
      int64_t bits = getBitWidth(row.a);
      int64_t depth = getFragmentDepth(row, row.a, row.b);
      EXPECT_EQ(depth * bits % 256, 0);
      EXPECT_EQ(depth % row.k, 0);
      EXPECT_TRUE(bits == 64 || depth * bits == 256);
      // ldmatrix and wgmma transpose 16 bits; f64 needs neither.
      EXPECT_EQ(row.takesTransposed, bits == 16 || bits == 64);
    }
}

TEST(Instructions, ShapesOfDoubleDependOnTheChip) {
  const MatrixInstruction *first =
      findInstruction(InstructionKind::MmaSync, T::F64, T::F64, T::F64);
  ASSERT_TRUE(first);
  EXPECT_EQ(getShapeNames(*first),
            "[16, 8, 16], [16, 8, 8], [16, 8, 4], [8, 8, 4]");
  ChipInfo hopper{"sm_90", 90, 0, 0, 0, 80, {}, {}};
  ChipInfo ampere = hopper;
  ampere.capability = 80;
  EXPECT_EQ(findWidest(*first, hopper), first);
  EXPECT_EQ(findWidest(*first, ampere)->getShape(),
            (std::array<int64_t, 3>{8, 8, 4}));
  ChipInfo turing = ampere;
  turing.capability = 75;
  EXPECT_EQ(findWidest(*first, turing), nullptr);
  EXPECT_EQ(findInstruction(*first, {16, 8, 32}), nullptr);
  EXPECT_EQ(getAccumulationError(T::F64, T::F64, T::F64), 0x1p-52);
}

// A fragment of tf32 is one instruction or two of half the depth.
TEST(Instructions, ShapesOfTF32) {
  const MatrixInstruction *first =
      findInstruction(InstructionKind::MmaSync, T::TF32, T::TF32, T::F32);
  ASSERT_TRUE(first);
  EXPECT_EQ(getShapeNames(*first), "[16, 8, 8], [16, 8, 4]");
  const MatrixInstruction *narrow = findInstruction(*first, {16, 8, 4});
  ASSERT_TRUE(narrow);
  EXPECT_EQ(getFragmentDepth(*first, T::TF32, T::TF32), 8);
  EXPECT_EQ(getFragmentDepth(*narrow, T::TF32, T::TF32), 8);
}

TEST(Instructions, WmmaHasShapesOfOneSize) {
  auto getShapes = [](T a, T b, T sum) -> std::string {
    const MatrixInstruction *first =
        findInstruction(InstructionKind::Wmma, a, b, sum);
    return first ? getShapeNames(*first) : "none";
  };
  constexpr const char *three = "[16, 16, 16], [32, 8, 16], [8, 32, 16]";
  EXPECT_EQ(getShapes(T::F16, T::F16, T::F32), three);
  EXPECT_EQ(getShapes(T::F16Acc16, T::F16Acc16, T::F32), three);
  EXPECT_EQ(getShapes(T::I8, T::I8, T::I32), three);
  EXPECT_EQ(getShapes(T::U8, T::U8, T::I32), three);
  EXPECT_EQ(getShapes(T::TF32, T::TF32, T::F32), "[16, 16, 8]");
  // Both operands have the same type, and nothing is converted.
  EXPECT_EQ(getShapes(T::I8, T::U8, T::I32), "none");
  EXPECT_EQ(getShapes(T::I4, T::I4, T::I32), "none");
  EXPECT_EQ(getShapes(T::F32, T::F32, T::F32), "none");
}

TEST(Instructions, ThreadsMultiplyWordsOfBytes) {
  for (T a : {T::I8, T::U8})
    for (T b : {T::I8, T::U8}) {
      const MatrixInstruction *row =
          findInstruction(InstructionKind::Fma, a, b, T::I32);
      ASSERT_TRUE(row);
      EXPECT_EQ(row->k, 4);
      EXPECT_FALSE(row->takesTransposed);
    }
  EXPECT_FALSE(findInstruction(InstructionKind::Fma, T::I8, T::I4, T::I32));
}

TEST(Instructions, WgmmaOfIntegersHasFewerWidths) {
  const MatrixInstruction *integers =
      findInstruction(InstructionKind::Wgmma, T::U8, T::I8, T::I32);
  const MatrixInstruction *floats =
      findInstruction(InstructionKind::Wgmma, T::E4M3, T::E5M2, T::F32);
  ASSERT_TRUE(integers && floats);
  for (int64_t columns : {8, 16, 24, 32, 48, 176, 256}) {
    EXPECT_TRUE(integers->hasColumns(columns)) << columns;
    EXPECT_TRUE(floats->hasColumns(columns)) << columns;
  }
  for (int64_t columns : {40, 168, 248}) {
    EXPECT_FALSE(integers->hasColumns(columns)) << columns;
    EXPECT_TRUE(floats->hasColumns(columns)) << columns;
  }
  for (int64_t columns : {0, 4, 264}) {
    EXPECT_FALSE(integers->hasColumns(columns)) << columns;
    EXPECT_FALSE(floats->hasColumns(columns)) << columns;
  }
}

TEST(Instructions, TypesDecideOnTheSum) {
  EXPECT_EQ(getAccumulatorTypes(T::I8, T::U8).front(), T::I32);
  EXPECT_EQ(getAccumulatorTypes(T::E5M2, T::E4M3).front(), T::F32);
  EXPECT_EQ(getAccumulatorTypes(T::F32, T::F32).front(), T::F32);
  EXPECT_TRUE(getAccumulatorTypes(T::F16, T::BF16).empty());
  EXPECT_EQ(getAccumulatorTypes(T::F64, T::F64).front(), T::F64);
  EXPECT_TRUE(getAccumulatorTypes(T::F64, T::F32).empty());
  EXPECT_TRUE(canTranspose(T::F32, T::F32));
  EXPECT_FALSE(canTranspose(T::I8, T::I8));
  EXPECT_EQ(getAccumulationError(T::I8, T::I8, T::I32), 0);
  EXPECT_LT(getAccumulationError(T::BF16, T::BF16, T::F32),
            getAccumulationError(T::E4M3, T::E4M3, T::F32));
}

// Buffers of f32 hold operands of tf32, and those of i8 unsigned operands.
TEST(Instructions, OperandsMayDifferFromTheirBuffers) {
  EXPECT_EQ(getBufferType(T::TF32), T::F32);
  EXPECT_EQ(getBufferType(T::U8), T::I8);
  EXPECT_EQ(getBufferType(T::BF16), T::BF16);
  EXPECT_TRUE(roundsOperands(T::TF32));
  EXPECT_FALSE(roundsOperands(T::U8));
  EXPECT_FALSE(roundsOperands(T::F32));
  EXPECT_EQ(getByteSize(T::TF32), 4u);
  EXPECT_EQ(getBufferTypeNames().find("tf32"), std::string::npos);
  EXPECT_NE(getOperandTypeNames().find("tf32"), std::string::npos);
}

// Operands of 4 bits become i8, or what a partner of 16 bits is.
TEST(Instructions, PackedOperandsAreConverted) {
  using Pair = std::pair<T, T>;
  EXPECT_EQ(getMultipliedTypes(T::BF16, T::I4), Pair(T::BF16, T::BF16));
  EXPECT_EQ(getMultipliedTypes(T::U4, T::U4), Pair(T::I8, T::I8));
  EXPECT_EQ(getMultipliedTypes(T::I4, T::U8), Pair(T::I8, T::U8));
  EXPECT_EQ(getMultipliedTypes(T::E4M3, T::I4), Pair(T::E4M3, T::E4M3));
  EXPECT_EQ(getMultipliedTypes(T::U4, T::E5M2), Pair(T::E4M3, T::E5M2));
  EXPECT_EQ(getAccumulatorTypes(T::I4, T::U4).front(), T::I32);
  EXPECT_EQ(getAccumulatorTypes(T::U4, T::F16).front(), T::F32);
  EXPECT_EQ(getAccumulatorTypes(T::E4M3, T::I4).front(), T::F32);
  EXPECT_TRUE(findInstruction(InstructionKind::Wgmma, T::I4, T::E5M2, T::F32));
  EXPECT_FALSE(findInstruction(InstructionKind::Wgmma, T::I4, T::I4, T::I32));
  EXPECT_TRUE(findInstruction(InstructionKind::MmaSync, T::I4, T::I4, T::I32));
  EXPECT_TRUE(isOperandType(T::I4));
}

// Only integers that become bf16 are scaled, wherever they are.
TEST(Instructions, IntegersBecomeScaledNumbersOfBF16) {
  for (T type : {T::I8, T::U8, T::I4, T::U4, T::I4Interleaved}) {
    EXPECT_EQ(getProductExponent(T::BF16, type), -6);
    EXPECT_EQ(getProductExponent(type, T::BF16), -6);
    EXPECT_EQ(getProductExponent(T::F16, type), 0);
  }
  EXPECT_EQ(getProductExponent(T::BF16, T::BF16), 0);
  EXPECT_EQ(getProductExponent(T::BF16, T::E4M3), 0);
  EXPECT_EQ(getProductExponent(T::E4M3, T::U4), 0);
  EXPECT_EQ(getProductExponent(T::I8, T::I4), 0);
}

TEST(Instructions, ThreadsMultiplyWhatTheyCanConvert) {
  using T = ScalarType;
  EXPECT_TRUE(multipliesInThreads(T::BF16, T::BF16, T::F32));
  EXPECT_TRUE(multipliesInThreads(T::BF16, T::U4, T::F32));
  EXPECT_TRUE(multipliesInThreads(T::E5M2, T::F16, T::F32));
  EXPECT_TRUE(multipliesInThreads(T::I8, T::U8, T::I32));
  EXPECT_TRUE(multipliesInThreads(T::F64, T::F64, T::F64));
  EXPECT_FALSE(multipliesInThreads(T::BF16, T::F16, T::F32));
  EXPECT_FALSE(multipliesInThreads(T::BF16, T::I8, T::I32));
  EXPECT_FALSE(multipliesInThreads(T::E4M3, T::E4M3, T::F32));
  EXPECT_FALSE(multipliesInThreads(T::TF32, T::TF32, T::F32));
  EXPECT_FALSE(multipliesInThreads(T::I4, T::I8, T::I32));
  EXPECT_FALSE(multipliesInThreads(T::F32, T::F32, T::F64));
}

TEST(Instructions, ElementsOf4BitsShareBytes) {
  EXPECT_EQ(getPackedElements(T::U4), 2);
  EXPECT_EQ(getPackedElements(T::I1), 1);
  EXPECT_EQ(getByteSize(T::I4), 1u);
  EXPECT_EQ(getByteCount(T::I4, 7), 4);
  EXPECT_EQ(getByteOffset(T::I4, 7), 3);
  EXPECT_EQ(getByteCount(T::F32, 7), 28);
  EXPECT_EQ(getByteOffset(T::F32, 7), 28);
  EXPECT_EQ(getBufferType(T::U4), T::I4);
  EXPECT_EQ(parseOperandType("s4"), T::I4);
}

TEST(Instructions, OnlyWgmmaMultipliesInterleavedElements) {
  T signedType = T::I4Interleaved, unsignedType = T::U4Interleaved;
  EXPECT_EQ(parseOperandType("u4i"), unsignedType);
  EXPECT_EQ(getBufferType(unsignedType), T::I4);
  EXPECT_EQ(getTypeInOrder(unsignedType), T::U4);
  EXPECT_EQ(getInterleavedType(T::I4), signedType);
  EXPECT_EQ(getInterleavedType(T::I8), std::nullopt);
  EXPECT_EQ(getPackedElements(signedType), 2);
  EXPECT_EQ(getRowUnit(signedType), 32);
  EXPECT_EQ(getRowUnit(T::I4), 2);
  EXPECT_TRUE(isUnsignedType(unsignedType));
  EXPECT_FALSE(isUnsignedType(signedType));
  EXPECT_TRUE(isOperandType(signedType));
  for (T partner : {T::F16, T::BF16}) {
    EXPECT_TRUE(
        findInstruction(InstructionKind::Wgmma, partner, unsignedType, T::F32));
    EXPECT_TRUE(
        findInstruction(InstructionKind::Wgmma, signedType, partner, T::F32));
    EXPECT_FALSE(findInstruction(InstructionKind::MmaSync, partner,
                                 unsignedType, T::F32));
    EXPECT_FALSE(multipliesInThreads(partner, unsignedType, T::F32));
  }
  for (T partner : {T::E4M3, T::I8, T::I4, unsignedType})
    EXPECT_TRUE(getAccumulatorTypes(partner, unsignedType).empty());
}

// A word has what one lane multiplies: neighbours along k are four elements
// apart.
TEST(Instructions, InterleavedPlaces) {
  std::set<int64_t> places;
  for (int64_t k = 0; k < 64; ++k)
    places.insert(getInterleavedPlace(k));
  EXPECT_EQ(places.size(), 64u);
  EXPECT_EQ(*places.rbegin(), 63);
  EXPECT_EQ(getInterleavedPlace(0), 0);
  EXPECT_EQ(getInterleavedPlace(1), 4);
  EXPECT_EQ(getInterleavedPlace(2), 8);
  EXPECT_EQ(getInterleavedPlace(8), 1);
  EXPECT_EQ(getInterleavedPlace(31), 31);
  EXPECT_EQ(getInterleavedPlace(32 + 9), 32 + 5);
}

TEST(Instructions, EightBitsShareAByte) {
  EXPECT_EQ(getPackedElements(T::U1), 8);
  EXPECT_EQ(getByteCount(T::U1, 17), 3);
  EXPECT_EQ(getByteOffset(T::U1, 15), 1);
  // Buffers of other uses have a byte for each.
  EXPECT_EQ(getByteCount(T::I1, 17), 17);
  EXPECT_EQ(getBufferType(T::U1), T::I1);
  EXPECT_EQ(parseOperandType("b1"), T::U1);
  EXPECT_TRUE(isUnsignedType(T::U1));
  EXPECT_NE(getBufferTypeNames().find(", i1,"), std::string::npos);
  const MatrixInstruction *mma =
      findInstruction(InstructionKind::MmaSync, T::U1, T::U1, T::I32);
  ASSERT_TRUE(mma);
  EXPECT_EQ(getPtxOperation(*mma), ".and.popc");
  // Bits are not converted: a fragment has those of one instruction.
  EXPECT_EQ(getFragmentDepth(*mma, T::U1, T::U1), 256);
  EXPECT_TRUE(findInstruction(InstructionKind::Wgmma, T::U1, T::U1, T::I32));
  EXPECT_FALSE(findInstruction(InstructionKind::MmaSync, T::U1, T::I8, T::I32));
  EXPECT_FALSE(multipliesInThreads(T::U1, T::U1, T::I32));
  EXPECT_EQ(getPtxOperation(*findInstruction(InstructionKind::MmaSync, T::I8,
                                             T::I8, T::I32)),
            "");
}

// An operand of 8 bits takes the type of a partner of 16 bits.
TEST(Instructions, NarrowOperandsAreConverted) {
  using Pair = std::pair<T, T>;
  EXPECT_EQ(getMultipliedTypes(T::BF16, T::I8), Pair(T::BF16, T::BF16));
  EXPECT_EQ(getMultipliedTypes(T::E5M2, T::F16), Pair(T::F16, T::F16));
  EXPECT_EQ(getMultipliedTypes(T::F32, T::U8), Pair(T::F32, T::U8));
  EXPECT_EQ(getMultipliedTypes(T::I8, T::E4M3), Pair(T::I8, T::E4M3));
  EXPECT_EQ(getMultipliedTypes(T::BF16, T::F16), Pair(T::BF16, T::F16));
  const MatrixInstruction *found =
      findInstruction(InstructionKind::MmaSync, T::F16, T::E4M3, T::F32);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->b, T::F16);
  found = findInstruction(InstructionKind::Wgmma, T::F16, T::E4M3, T::F32);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->b, T::F16);
  EXPECT_FALSE(
      findInstruction(InstructionKind::MmaSync, T::I8, T::F32, T::F32));
  // 4 bits by 8 are converted to 8, which only mma.sync does.
  EXPECT_TRUE(findInstruction(InstructionKind::Wgmma, T::U4, T::BF16, T::F32));
  EXPECT_FALSE(findInstruction(InstructionKind::Wgmma, T::I4, T::I8, T::I32));
  EXPECT_EQ(getConvertedOperand(T::BF16, T::I8), 1u);
  EXPECT_EQ(getConvertedOperand(T::U4, T::F16), 0u);
  EXPECT_EQ(getConvertedOperand(T::I8, T::U8), std::nullopt);
  EXPECT_EQ(getConvertedOperand(T::I4, T::U4), std::nullopt);
  EXPECT_EQ(getRegisterDepth(T::E4M3), 16);
  EXPECT_EQ(getRegisterDepth(T::I4), 32);
  EXPECT_EQ(getAccumulationError(T::BF16, T::E4M3, T::F32), 0x1p-23);
  EXPECT_FALSE(canTranspose(T::BF16, T::I8));
  EXPECT_EQ(getConversionCapability(T::U8), 80);
  EXPECT_EQ(getConversionCapability(T::E5M2), 89);
}

TEST(Precision, IsOfOneType) {
  EXPECT_EQ(cantFail(parsePrecision("ieee")), Precision::IEEE);
  EXPECT_EQ(cantFail(parsePrecision("tf32")), Precision::TF32);
  EXPECT_EQ(toString(parsePrecision("tf19").takeError()),
            "precision: 'tf19' is none of ieee, tf32, tf32x3, bf16x3, bf16x6, "
            "f16");
  EXPECT_EQ(getOperandType(T::F32, Precision::TF32), T::TF32);
  EXPECT_EQ(getOperandType(T::F32, Precision::IEEE), T::F32);
  EXPECT_EQ(getOperandType(T::BF16, Precision::TF32), T::BF16);
  EXPECT_EQ(getPrecision(T::TF32), Precision::TF32);
  EXPECT_EQ(getPrecision(T::BF16), Precision::IEEE);
}

TEST(Precision, EachTypeInMemoryHasItsOwn) {
  using Precisions = llvm::SmallVector<Precision>;
  EXPECT_EQ(getPrecisions(T::F32),
            (Precisions{Precision::IEEE, Precision::TF32, Precision::TF32X3,
                        Precision::BF16X3, Precision::BF16X6}));
  EXPECT_EQ(getPrecisions(T::F16),
            (Precisions{Precision::IEEE, Precision::F16}));
  EXPECT_EQ(getPrecisions(T::E4M3), Precisions{Precision::IEEE});
}

TEST(Precision, SumsOfHalfAreInstructionsOwn) {
  EXPECT_EQ(getOperandType(T::F16, Precision::F16), T::F16Acc16);
  EXPECT_EQ(getOperandType(T::BF16, Precision::F16), T::BF16);
  EXPECT_EQ(getPrecision(T::F16Acc16), Precision::F16);
  EXPECT_FALSE(isSplitType(T::F16Acc16));
  EXPECT_FALSE(roundsOperands(T::F16Acc16));
  EXPECT_EQ(getBufferType(T::F16Acc16), T::F16);
  EXPECT_EQ(getInstructionSum(T::F16Acc16, T::F32), T::F16);
  EXPECT_EQ(getInstructionSum(T::F16, T::F32), T::F32);
  EXPECT_TRUE(canTranspose(T::F16Acc16, T::F16Acc16));
  EXPECT_EQ(getAccumulatorTypes(T::F16Acc16, T::F16Acc16).front(), T::F32);
  EXPECT_TRUE(getAccumulatorTypes(T::F16Acc16, T::F16).empty());
  for (InstructionKind kind :
       {InstructionKind::MmaSync, InstructionKind::Wgmma})
    EXPECT_EQ(findInstruction(kind, T::F16Acc16, T::F16Acc16, T::F32),
              findInstruction(kind, T::F16, T::F16, T::F16));
  // 2048 is the last integer up to which all integers are f16.
  EXPECT_EQ(2 / getAccumulationError(T::F16Acc16, T::F16Acc16, T::F32), 2048);
  EXPECT_GT(getSumError(T::F16Acc16, T::F16Acc16, T::F32, 64),
            1000 * getSumError(T::F16, T::F16, T::F32, 64));
}

// Instructions multiply the parts, which are stored along k.
TEST(Precision, SplitOperandsHaveParts) {
  for (auto [type, part] :
       {std::pair(T::TF32X3, T::TF32), std::pair(T::BF16X3, T::BF16),
        std::pair(T::BF16X6, T::BF16)}) {
    EXPECT_EQ(getPartType(type), part);
    EXPECT_TRUE(isSplitType(type));
    EXPECT_FALSE(isSplitType(part));
    EXPECT_EQ(getBufferType(type), T::F32);
    EXPECT_EQ(roundsOperands(type), part == T::TF32);
    for (InstructionKind kind :
         {InstructionKind::MmaSync, InstructionKind::Wgmma})
      EXPECT_EQ(findInstruction(kind, type, type, T::F32),
                findInstruction(kind, part, part, T::F32));
    // A part by an operand that is not split is no product of f32.
    EXPECT_TRUE(getAccumulatorTypes(type, part).empty());
    EXPECT_FALSE(canTranspose(type, type));
    EXPECT_EQ(parseScalarType(getTypeName(type)), type);
    EXPECT_NE(getPrecision(type), Precision::IEEE);
  }
  EXPECT_EQ(getNumProducts(T::BF16X6), 6);
  EXPECT_EQ(getNumProducts(T::TF32X3), 3);
  EXPECT_EQ(getNumProducts(T::TF32), 1);
  EXPECT_EQ(getSplit(T::F32), nullptr);
}

TEST(Instructions, ChipsDiffer) {
  ChipInfo ada{"sm_89", 89, 0, 0, 0, 80, {}, {}};
  ChipInfo ampere = ada;
  ampere.capability = 80;
  const MatrixInstruction *fp8 =
      findInstruction(InstructionKind::MmaSync, T::E4M3, T::E4M3, T::F32);
  EXPECT_TRUE(hasInstruction(ada, *fp8));
  EXPECT_FALSE(hasInstruction(ampere, *fp8));
  const MatrixInstruction *wgmma =
      findInstruction(InstructionKind::Wgmma, T::I8, T::I8, T::I32);
  ChipInfo hopper = ada;
  hopper.capability = 90;
  EXPECT_FALSE(hasInstruction(hopper, *wgmma));
  hopper.features.wgmma = true;
  EXPECT_TRUE(hasInstruction(hopper, *wgmma));
}

TEST(Instructions, TypesHaveTwoNames) {
  for (T type : {T::I8, T::U8, T::E4M3, T::E5M2, T::BF16, T::TF32}) {
    EXPECT_EQ(parseOperandType(getPtxTypeName(type)), type);
    EXPECT_EQ(parseOperandType(getTypeName(type)), type);
    EXPECT_EQ(parseScalarType(getTypeName(type)), type);
  }
  EXPECT_EQ(getTypeName(T::E4M3), "f8E4M3FN");
  EXPECT_EQ(getPtxTypeName(T::U8), "u8");
  EXPECT_EQ(parseScalarType("e4m3"), std::nullopt);
}
