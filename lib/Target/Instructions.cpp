//===- Instructions.cpp - Instructions that multiply matrices -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Instructions.h"
#include "tcgemm/Target/Precision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

namespace {
using T = ScalarType;
constexpr auto Mma = InstructionKind::MmaSync;
constexpr auto Wg = InstructionKind::Wgmma;
constexpr auto Wm = InstructionKind::Wmma;
constexpr auto Fma = InstructionKind::Fma;

// kind, A, B, accumulator, m, n, k, wide step, transposed, capability, PTX
constexpr MatrixInstruction kInstructions[] = {
    {Mma, T::F16, T::F16, T::F32, 16, 8, 16, 8, true, 80},
    {Mma, T::F16, T::F16, T::F16, 16, 8, 16, 8, true, 80},
    {Mma, T::BF16, T::BF16, T::F32, 16, 8, 16, 8, true, 80},
    {Mma, T::TF32, T::TF32, T::F32, 16, 8, 8, 8, false, 80},
    {Mma, T::TF32, T::TF32, T::F32, 16, 8, 4, 8, false, 80},
    {Mma, T::I8, T::I8, T::I32, 16, 8, 32, 8, false, 80},
    {Mma, T::I8, T::U8, T::I32, 16, 8, 32, 8, false, 80},
    {Mma, T::U8, T::I8, T::I32, 16, 8, 32, 8, false, 80},
    {Mma, T::U8, T::U8, T::I32, 16, 8, 32, 8, false, 80},
    {Mma, T::U1, T::U1, T::I32, 16, 8, 256, 8, false, 80},
    {Mma, T::E4M3, T::E4M3, T::F32, 16, 8, 32, 8, false, 89, 84},
    {Mma, T::E4M3, T::E5M2, T::F32, 16, 8, 32, 8, false, 89, 84},
    {Mma, T::E5M2, T::E4M3, T::F32, 16, 8, 32, 8, false, 89, 84},
    {Mma, T::E5M2, T::E5M2, T::F32, 16, 8, 32, 8, false, 89, 84},
    {Mma, T::F64, T::F64, T::F64, 16, 8, 16, 8, true, 90},
    {Mma, T::F64, T::F64, T::F64, 16, 8, 8, 8, true, 90},
    {Mma, T::F64, T::F64, T::F64, 16, 8, 4, 8, true, 90},
    {Mma, T::F64, T::F64, T::F64, 8, 8, 4, 8, true, 80},
    {Wg, T::F16, T::F16, T::F32, 64, 8, 16, 8, true, 90},
    {Wg, T::F16, T::F16, T::F16, 64, 8, 16, 8, true, 90},
    {Wg, T::BF16, T::BF16, T::F32, 64, 8, 16, 8, true, 90},
    {Wg, T::TF32, T::TF32, T::F32, 64, 8, 8, 8, false, 90},
    {Wg, T::I8, T::I8, T::I32, 64, 8, 32, 16, false, 90},
    {Wg, T::I8, T::U8, T::I32, 64, 8, 32, 16, false, 90, 84},
    {Wg, T::U8, T::I8, T::I32, 64, 8, 32, 16, false, 90, 84},
    {Wg, T::U8, T::U8, T::I32, 64, 8, 32, 16, false, 90},
    {Wg, T::U1, T::U1, T::I32, 64, 8, 256, 16, false, 90},
    {Wg, T::E4M3, T::E4M3, T::F32, 64, 8, 32, 8, false, 90},
    {Wg, T::E4M3, T::E5M2, T::F32, 64, 8, 32, 8, false, 90},
    {Wg, T::E5M2, T::E4M3, T::F32, 64, 8, 32, 8, false, 90},
    {Wg, T::E5M2, T::E5M2, T::F32, 64, 8, 32, 8, false, 90},
    {Wm, T::F16, T::F16, T::F32, 16, 16, 16, 16, true, 70},
    {Wm, T::F16, T::F16, T::F32, 32, 8, 16, 8, true, 70},
    {Wm, T::F16, T::F16, T::F32, 8, 32, 16, 32, true, 70},
    {Wm, T::F16, T::F16, T::F16, 16, 16, 16, 16, true, 70},
    {Wm, T::F16, T::F16, T::F16, 32, 8, 16, 8, true, 70},
    {Wm, T::F16, T::F16, T::F16, 8, 32, 16, 32, true, 70},
    {Wm, T::I8, T::I8, T::I32, 16, 16, 16, 16, false, 72},
    {Wm, T::I8, T::I8, T::I32, 32, 8, 16, 8, false, 72},
    {Wm, T::I8, T::I8, T::I32, 8, 32, 16, 32, false, 72},
    {Wm, T::U8, T::U8, T::I32, 16, 16, 16, 16, false, 72},
    {Wm, T::U8, T::U8, T::I32, 32, 8, 16, 8, false, 72},
    {Wm, T::U8, T::U8, T::I32, 8, 32, 16, 32, false, 72},
    {Wm, T::TF32, T::TF32, T::F32, 16, 16, 8, 16, false, 80},
    {Wm, T::U1, T::U1, T::I32, 8, 8, 128, 8, false, 80},
    {Fma, T::F32, T::F32, T::F32, 1, 1, 1, 1, true, 70},
    {Fma, T::F64, T::F64, T::F64, 1, 1, 1, 1, true, 70},
    {Fma, T::I8, T::I8, T::I32, 1, 1, 4, 1, false, 61},
    {Fma, T::I8, T::U8, T::I32, 1, 1, 4, 1, false, 61},
    {Fma, T::U8, T::I8, T::I32, 1, 1, 4, 1, false, 61},
    {Fma, T::U8, T::U8, T::I32, 1, 1, 4, 1, false, 61},
    {Fma, T::I32, T::I32, T::I32, 1, 1, 1, 1, true, 70},
};
} // namespace

bool MatrixInstruction::hasColumns(int64_t columns) const {
  return columns > 0 && columns <= kMostColumns &&
         columns % (columns > 32 ? wideStep : n) == 0;
}

ArrayRef<MatrixInstruction> getMatrixInstructions() { return kInstructions; }

/// Returns whether schedules with instructions of `kind` convert operands to
/// `type`. Of wgmma only A can be in registers, where it is converted.
static bool convertsOperands(InstructionKind kind, T type) {
  return kind == Mma ||
         (kind == Wg && (type == T::F16 || type == T::BF16 || isFP8(type)));
}

/// Returns whether instructions of `kind` multiply such elements. Those that
/// are interleaved have the order of wgmma's registers.
static bool takesOrder(InstructionKind kind, T a, T b) {
  return kind == Wg || (!isInterleaved(a) && !isInterleaved(b));
}

std::pair<ScalarType, ScalarType> getMultipliedTypes(ScalarType a,
                                                     ScalarType b) {
  auto isWide = [](T type) { return type == T::F16 || type == T::BF16; };
  auto isSmall = [](T type) { return type == T::I4 || type == T::U4; };
  auto isNarrow = [&](T type) {
    return type == T::I8 || type == T::U8 || isFP8(type) || isSmall(type) ||
           isInterleaved(type);
  };
  if (isWide(a) && isNarrow(b))
    return {a, a};
  if (isNarrow(a) && isWide(b))
    return {b, b};
  // i8 and e4m3 represent the values of ui4 too. e5m2 has one bit less.
  auto widen = [&](T type, T other) {
    if (!isSmall(type))
      return type;
    bool isInteger = other == T::I8 || other == T::U8 || isSmall(other);
    return isInteger ? T::I8 : isFP8(other) ? T::E4M3 : type;
  };
  return {widen(a, b), widen(b, a)};
}

int64_t getProductExponent(ScalarType a, ScalarType b) {
  std::optional<unsigned> converted = getConvertedOperand(a, b);
  if (!converted || getMultipliedTypes(a, b).first != T::BF16)
    return 0;
  return isFloatType(*converted ? b : a) ? 0 : -6;
}

std::optional<unsigned> getConvertedOperand(ScalarType a, ScalarType b) {
  auto [left, right] = getMultipliedTypes(a, b);
  if ((left != a) == (right != b))
    return std::nullopt;
  return left != a ? 0 : 1;
}

int64_t getRegisterDepth(ScalarType type) { return 128 / getBitWidth(type); }

int64_t getFragmentDepth(const MatrixInstruction &instruction, ScalarType a,
                         ScalarType b) {
  int64_t packed = getPackedElements(instruction.a);
  bool isPacked =
      getPackedElements(a) > packed || getPackedElements(b) > packed;
  int64_t least = 256 / static_cast<int64_t>(getBitWidth(instruction.a));
  return isPacked ? 2 * instruction.k : std::max(instruction.k, least);
}

int64_t getConversionCapability(ScalarType type) {
  return isFP8(type) ? 89 : 80;
}

/// Returns whether `row` multiplies operands of these types, their parts, or
/// what they are converted to.
static bool multiplies(const MatrixInstruction &row, ScalarType a,
                       ScalarType b) {
  auto [left, right] = getMultipliedTypes(a, b);
  bool converts = left != a || right != b;
  return getPrecision(a) == getPrecision(b) && row.a == getPartType(left) &&
         row.b == getPartType(right) &&
         (!converts || convertsOperands(row.kind, row.a)) &&
         takesOrder(row.kind, a, b);
}

const MatrixInstruction *findInstruction(InstructionKind kind, ScalarType a,
                                         ScalarType b, ScalarType accumulator) {
  ScalarType sum = getInstructionSum(a, accumulator);
  const auto *found = find_if(kInstructions, [&](const MatrixInstruction &row) {
    return row.kind == kind && multiplies(row, a, b) && row.accumulator == sum;
  });
  return found == std::end(kInstructions) ? nullptr : found;
}

const MatrixInstruction *findInstruction(const MatrixInstruction &first,
                                         std::array<int64_t, 3> shape) {
  const auto *found = find_if(kInstructions, [&](const MatrixInstruction &row) {
    return first.hasSameTypes(row) && row.getShape() == shape;
  });
  return found == std::end(kInstructions) ? nullptr : found;
}

const MatrixInstruction *findWidest(const MatrixInstruction &first,
                                    const ChipInfo &chip) {
  const auto *found = find_if(kInstructions, [&](const MatrixInstruction &row) {
    return first.hasSameTypes(row) && hasInstruction(chip, row);
  });
  return found == std::end(kInstructions) ? nullptr : found;
}

std::string getShapeNames(const MatrixInstruction &first) {
  std::string names;
  for (const MatrixInstruction &row : kInstructions)
    if (first.hasSameTypes(row))
      names += (names.empty() ? "[" : ", [") + std::to_string(row.m) + ", " +
               std::to_string(row.n) + ", " + std::to_string(row.k) + "]";
  return names;
}

bool hasInstruction(const ChipInfo &chip,
                    const MatrixInstruction &instruction) {
  bool hasFeature =
      instruction.kind != InstructionKind::Wgmma || chip.features.wgmma;
  return hasFeature && chip.capability >= instruction.capability;
}

StringRef getPtxOperation(const MatrixInstruction &instruction) {
  return instruction.a == T::U1 ? ".and.popc" : "";
}

bool isEmulated(const MatrixInstruction &instruction, const ChipInfo &chip) {
  // Conversions and HMMA.16816.F32.
  return instruction.kind == InstructionKind::MmaSync && isFP8(instruction.a) &&
         chip.capability == 90;
}

bool multipliesInThreads(ScalarType a, ScalarType b, ScalarType sum) {
  if (isInterleaved(a) || isInterleaved(b))
    return false;
  auto isByte = [](T type) { return type == T::I8 || type == T::U8; };
  if (sum == T::I32)
    return isByte(a) && isByte(b);
  if (sum == T::F64)
    return a == T::F64 && b == T::F64;
  auto [left, right] = getMultipliedTypes(a, b);
  return sum == T::F32 && left == right &&
         (left == T::F16 || left == T::BF16 || left == T::F32);
}

bool canTranspose(ScalarType a, ScalarType b) {
  // Parts are stored along k.
  return !isSplitType(a) &&
         any_of(kInstructions, [&](const MatrixInstruction &row) {
           return row.a == getPartType(a) && row.b == getPartType(b) &&
                  row.takesTransposed;
         });
}

ArrayRef<ScalarType> getAccumulatorTypes(ScalarType a, ScalarType b) {
  // The result is a slice of this list.
  static constexpr ScalarType types[] = {T::F32, T::I32, T::F64};
  for (const ScalarType &type : types)
    for (const MatrixInstruction &row : kInstructions)
      if (multiplies(row, a, b) && row.accumulator == type)
        return ArrayRef<ScalarType>(&type, 1);
  return {};
}

double getAccumulationError(ScalarType a, ScalarType b,
                            ScalarType accumulator) {
  if (!isFloatType(accumulator))
    return 0;
  if (accumulator == T::F64)
    return 0x1p-52;
  if (getInstructionSum(a, accumulator) == T::F16)
    return 0x1p-10;
  return isFP8(getMultipliedTypes(a, b).first) ? 0x1p-13 : 0x1p-23;
}

bool isOperandType(ScalarType type) {
  type = getTypeInOrder(type);
  ScalarType multiplied = getPartType(getMultipliedTypes(type, type).first);
  return any_of(kInstructions, [&](const MatrixInstruction &row) {
    return row.a == multiplied || row.b == multiplied;
  });
}

std::vector<ScalarType> getOperandTypes() {
  std::vector<ScalarType> types;
  for (const MatrixInstruction &row : kInstructions)
    if (!is_contained(types, row.a))
      types.push_back(row.a);
  for (unsigned i = 0; i <= static_cast<unsigned>(kLastScalarType); ++i)
    if (auto type = static_cast<ScalarType>(i);
        isOperandType(type) && !is_contained(types, type))
      types.push_back(type);
  return types;
}

std::string getOperandTypeNames() {
  return join(map_range(getOperandTypes(), getTypeName), ", ");
}

std::string getBufferTypeNames() {
  SmallVector<ScalarType> types;
  for (ScalarType type : getOperandTypes()) {
    ScalarType buffer = getBufferType(type);
    // Most types of buffers are types of operands too: i1 is none.
    if (buffer == type || !isOperandType(buffer))
      types.push_back(buffer);
  }
  return join(map_range(types, getTypeName), ", ");
}

} // namespace tcgemm
