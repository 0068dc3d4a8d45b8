//===- DotRows.h - Rows that dot products read ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTROWS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTROWS_H

#include "LoweringContext.h"
#include "tcgemm/Target/ScalarType.h"

namespace tcgemm {

/// An operand of dot products. Addresses are i64 and in bytes: of the lane's
/// next vector in each of its rows.
struct DotSide {
  DotSide(mlir::Type element, int64_t loadBytes)
      : type(*getScalarType(element)), bits(getBitWidth(type)),
        loadBytes(loadBytes) {}

  /// The bytes of `count` elements.
  int64_t getBytes(int64_t count) const { return count * bits / 8; }
  int64_t getLoadElements() const { return loadBytes * 8 / bits; }
  /// Elements in one of the memref's, whose size is that of the smallest load.
  int64_t getPacked() const { return getPackedElements(type); }
  int64_t getStorageBytes() const { return getBytes(getPacked()); }

  ScalarType type;
  int64_t bits, loadBytes;
  /// The elements (i64) from one to the next along k; null if they are
  /// neighbours.
  mlir::Value step;
  Values addresses;
};

/// A matrix with one value for each row of the large operand and each group.
struct DotGroups {
  mlir::Value memory;
  Values starts;           ///< i64, in bytes: of the rows' first values.
  mlir::Value groupStride; ///< i64, in elements.
  int64_t bytes = 0;       ///< The bytes of a value.
};

/// The elements that the lanes of a warp read. The numbers are i32.
struct DotLanes {
  int64_t alongK;     ///< Lanes that read different vectors along k.
  mlir::Value number; ///< The lane's number among them.
  /// The lane's rows, from the first of the warp's; of loads of several rows
  /// the first of each load.
  Values fewRows, manyRows;
};

/// The rows that the lanes of a warp read, and their scales and zero points.
/// Addresses go through the loop, as LLVM would compute the rows' starts once
/// more to make such ones.
class DotRows : public Lowering {
public:
  /// The operand with few rows, or the one with many.
  enum Side : unsigned { Few, Many };

  DotRows(LoweringContext &c, AccDotOp op, const DotLanes &lanes);

  /// Elements of a vector along k; of those that a group's lanes have together.
  int64_t getVector() const {
    return sides[Many].step ? 1
                            : std::max(sides[Few].getLoadElements(),
                                       sides[Many].getLoadElements());
  }
  int64_t getRound() const { return lanes * slices * getVector(); }
  /// The elements that are loaded together at the end: those of a byte.
  int64_t getUnit() const {
    return std::max(sides[Few].getPacked(), sides[Many].getPacked());
  }
  /// `address` of an element, moved by `elements` along k.
  mlir::Value advance(Side side, mlir::Value address, int64_t elements);
  /// The same by `count` (i64) times `unit` elements.
  mlir::Value advance(Side side, mlir::Value address, mlir::Value count,
                      int64_t unit);

  /// The words of a vector of a row. If `left` (i32) is given, only where as
  /// many elements are left from the lane's first one on.
  Values loadVector(Side side, mlir::Value address, int64_t vector,
                    mlir::Value left);
  /// `bytes` at `address` + `offset`, as i32 words or, if there are two or one,
  /// as an i16. If `left` is given, only where it is at least `least`, and
  /// zeros elsewhere.
  Values loadWords(Side side, mlir::Value address, int64_t bytes,
                   int64_t offset, mlir::Value left, int64_t least);
  /// The scales of the lane's rows as they are in memory; none without scales.
  /// `position` (i32) is an element of the group.
  Values loadScales(mlir::Value position, mlir::Value left, int64_t least);
  /// The same in f32.
  Values widenScales(llvm::ArrayRef<mlir::Value> loaded);
  /// The zero points of the lane's rows as they are in memory; none without
  /// zero points.
  Values loadZeroPoints(mlir::Value position, mlir::Value left, int64_t least);
  /// The same in f32; a null for each row without zero points.
  Values widenZeroPoints(llvm::ArrayRef<mlir::Value> loaded);

  AccDotOp op;
  DotSide sides[2];
  mlir::Type sumType;
  int64_t slices, groupRows; ///< Warps that share rows, and those rows.
  std::optional<DotGroups> scales, zeroPoints;
  mlir::Value depth;  ///< i32.
  mlir::Value number; ///< i32, the lane's among those of its group of warps.
  mlir::Value firstNumber; ///< i32, that of the warp's first lanes.

private:
  void findRows(const DotLanes &place);
  Values loadSteps(Side side, mlir::Value address, int64_t first,
                   mlir::Value left, int64_t least);
  void addRows(Side side, mlir::Value base, mlir::Value address,
               mlir::Value stride, mlir::Value extent,
               llvm::ArrayRef<mlir::Value> rows);
  DotGroups findGroups(mlir::Value memory, mlir::ValueRange places);
  std::string formatLoad(llvm::StringRef hints, int64_t words,
                         llvm::StringRef type, int64_t offset);
  Values loadOfGroups(const DotGroups &groups, mlir::Value position,
                      mlir::Value left, int64_t least);

  int64_t lanes;
  Values manyRows; // i32, of the large operand
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTROWS_H
