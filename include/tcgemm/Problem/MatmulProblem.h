//===- MatmulProblem.h - The description of a matrix product ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = epilogue(alpha A B + beta C). All parts of the compiler and of the tuner
// describe a product with these types. They also read and write its texts.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_MATMULPROBLEM_H
#define TCGEMM_PROBLEM_MATMULPROBLEM_H

#include "tcgemm/Problem/ElementTransform.h"
#include "tcgemm/Problem/MatmulSizes.h"
#include "tcgemm/Problem/NamedDual.h"
#include "tcgemm/Problem/NamedEpilogue.h"
#include "tcgemm/Problem/NamedReduction.h"
#include "tcgemm/Target/Algebra.h"
#include "tcgemm/Target/Band.h"
#include "tcgemm/Target/Convolution.h"
#include "tcgemm/Target/Exclusions.h"
#include "tcgemm/Target/GroupKind.h"
#include "tcgemm/Target/Instructions.h"
#include "tcgemm/Target/Precision.h"
#include "tcgemm/Target/Representation.h"

#include <array>
#include <optional>

namespace tcgemm {

/// The scales and zero points of an operand of 4 bits: see
/// Target/BlockScales.h.
struct GroupScales {
  int64_t depth = 0; ///< Elements along k of a group; 0: there are no scales.
  ScalarType type = ScalarType::F32;      ///< The type of the scales.
  std::optional<ScalarType> zeroPoints{}; ///< I8 or U8, if there are any.

  bool operator==(const GroupScales &other) const {
    return depth == other.depth && type == other.type &&
           zeroPoints == other.zeroPoints;
  }
  /// `128`, `128xf16`, or `128xf16xu8` with zero points; `none`.
  std::string str() const;
};

/// A product without its sizes.
struct MatmulKind {
  ScalarType typeA = ScalarType::BF16, typeB = ScalarType::BF16;
  ScalarType accumulator = ScalarType::F32;
  /// The type of D.
  ScalarType output = ScalarType::BF16;
  /// True if k is the innermost dimension of A and of B.
  bool aKContiguous = true, bKContiguous = true;
  /// True if alpha and beta are scalar operands; otherwise they are 1 and 0.
  bool hasAlpha = false, hasBeta = false;
  /// A and B of FP8 may have scales of blocks: see Target/BlockScales.h.
  bool hasScalesA = false, hasScalesB = false;
  /// The functions of the elements of A and of B that are multiplied.
  ElementTransform transformA, transformB;
  /// An operand of 4 bits whose partner is a float may have scales of groups.
  GroupScales groups;
  /// The operations in place of multiplication and addition.
  Algebra algebra;
  /// True if there is a product for each of several groups, as many as the
  /// batch, whose sizes only the device knows.
  bool isGrouped = false;
  /// How they divide the operands. M or K is the number of all groups'
  /// elements, or, of padded groups, M is the most rows of one group.
  GroupKind groupKind = GroupKind::Contiguous;
  /// How the sums of a dual product, A·B and A·B2, become the value that the
  /// epilogue starts with; `None` for a single product.
  DualKind dual = DualKind::None;
  /// A is what the filter of a convolution sees of images.
  std::optional<Convolution> convolution;
  /// The bands outside which A and B are zero.
  std::array<std::optional<Band>, 2> bands;
  /// B is the representation of numbers, with rows and columns as in memory. A
  /// record of the real product is one of this, too, so that no key has it.
  std::optional<Representation> representation;
  /// D is symmetric: kernels compute the half of its tiles, and store both.
  bool isSymmetric = false;
  NamedEpilogue epilogue;
  /// The reductions of the epilogue's value, before a last `scale` and the
  /// conversion to D.
  NamedReductions reductions;

  /// The width of an element of A, and of B, that instructions multiply.
  int64_t getBitsA() const { return getBitWidth(getPartType(typeA)); }
  int64_t getBitsB() const { return getBitWidth(getPartType(typeB)); }
  /// The width of an element of A (0) or B (1).
  int64_t getBits(unsigned operand) const {
    return operand ? getBitsB() : getBitsA();
  }
  /// Returns whether the elements of A and of B have `bits` bits.
  bool hasElementBits(int64_t bits) const {
    return getBitsA() == bits && getBitsB() == bits;
  }
  /// The bytes of a sum.
  int64_t getSumBytes() const { return getByteSize(accumulator); }
  /// Returns whether kernels split A and B into parts, which they store.
  bool splitsOperands() const { return isSplitType(typeA); }
  /// Returns whether kernels round A or B after reading them.
  bool roundsOperands() const {
    return tcgemm::roundsOperands(typeA) || tcgemm::roundsOperands(typeB);
  }
  /// The width of the elements that instructions multiply. It is that of A, but
  /// for operands of 8 bits that are converted to the 16 bits of B.
  int64_t getMultipliedBits() const {
    return getBitWidth(getPartType(getMultipliedTypes(typeA, typeB).first));
  }
  /// Returns whether kernels convert A or B to the type of the other.
  bool convertsOperands() const {
    return getMultipliedTypes(typeA, typeB) != std::pair(typeA, typeB);
  }
  /// The operand (0 is A) that is converted to the type of the other.
  std::optional<unsigned> getConvertedOperand() const {
    return tcgemm::getConvertedOperand(typeA, typeB);
  }
  /// The width of the elements that are multiplied relative to 16 bits. Tensor
  /// cores multiply elements of half the width at twice the rate.
  double getRelativeWidth() const {
    return static_cast<double>(getMultipliedBits()) / 16;
  }
  /// The instruction of `kind` for these types; null if there is none.
  const MatrixInstruction *findInstruction(InstructionKind kind) const {
    return tcgemm::findInstruction(kind, typeA, typeB, accumulator);
  }
  /// Returns whether k is innermost in the tiles of A (0) or B (1). Some types
  /// are multiplied only so; then other operands are transposed when they are
  /// packed.
  bool hasTileAlongK(unsigned operand) const {
    return (operand ? bKContiguous : aKContiguous) ||
           !canTranspose(typeA, typeB);
  }
  /// Returns whether A and B have the types, layouts and scales of `other`, and
  /// functions of their elements where `other` has them.
  bool hasSameOperands(const MatmulKind &other) const {
    return typeA == other.typeA && typeB == other.typeB &&
           aKContiguous == other.aKContiguous &&
           bKContiguous == other.bKContiguous &&
           hasScalesA == other.hasScalesA && hasScalesB == other.hasScalesB &&
           groups == other.groups && algebra == other.algebra &&
           isGrouped == other.isGrouped && groupKind == other.groupKind &&
           isDual() == other.isDual() && convolution == other.convolution &&
           bands == other.bands && isSymmetric == other.isSymmetric &&
           transforms(0) == other.transforms(0) &&
           transforms(1) == other.transforms(1);
  }
  /// Returns whether a function of the elements of A (0) or B (1) is
  /// multiplied.
  bool transforms(unsigned operand) const {
    return !(operand ? transformB : transformA).isIdentity();
  }
  /// The rows of A (0) or B (1), as they are multiplied, that one row in memory
  /// has: those of a block of a representation.
  int64_t getRowsInMemoryRow(unsigned operand) const {
    return operand && representation ? representation->getComponents() : 1;
  }
  bool isDual() const { return dual != DualKind::None; }
  /// Returns whether only the device knows how many rows each group has.
  bool hasGroupsOfRows() const {
    return isGrouped && getGroupKindInfo(groupKind).hasRows();
  }
  /// Returns whether it knows how many terms of the sums each group has.
  bool hasGroupsAlongK() const {
    return isGrouped && !getGroupKindInfo(groupKind).hasRows();
  }
  /// Returns whether A (0), B (1) or D (2) of a grouped product has a matrix
  /// for each group.
  bool hasMatrixOfGroup(unsigned operand) const {
    return isGrouped && getGroupKindInfo(groupKind).hasBatch[operand];
  }
  /// Returns whether the sums of tiles have different numbers of terms.
  bool variesDepth() const { return hasBands() || hasGroupsAlongK(); }
  bool hasBands() const { return bands[0] || bands[1]; }
  /// Returns whether tiles differ in what is computed for them.
  bool isStructured() const { return hasBands() || isSymmetric; }
  /// The band of A (0) or B (1) with k along its columns, and m or n along its
  /// rows; the operand has one.
  Band getBandAlongK(unsigned operand) const {
    bool alongK = operand ? bKContiguous : aKContiguous;
    return alongK ? *bands[operand] : bands[operand]->transpose();
  }
  bool hasBlockScales() const { return hasScalesA || hasScalesB; }
  bool hasGroupScales() const { return groups.depth != 0; }
  bool hasScales() const { return hasBlockScales() || hasGroupScales(); }
  /// The operand that scales of groups are for: the one of 4 bits.
  unsigned getGroupedOperand() const {
    return getPackedElements(typeA) > 1 ? 0 : 1;
  }

  /// The layout as in BLAS, A then B: `t` for A and `n` for B: k is innermost.
  std::string getLayout() const;
  /// The types of A and B: `bf16`, or `u8xs8` where they differ.
  std::string getOperandTypeText() const;
  /// The readers of single words. Errors name the word and the valid ones.
  llvm::Error setLayout(llvm::StringRef text);
  /// Also sets the type of the sums.
  llvm::Error setOperandTypes(llvm::StringRef text);
  /// How products of operands that are f32 in memory are computed: see
  /// Target/Precision.h.
  llvm::Error setPrecision(llvm::StringRef text);
  /// An empty text is the default for the operands: their type in memory, but
  /// s32 for integers and bf16 for FP8.
  llvm::Error setOutputType(llvm::StringRef text);
  /// Fails if an operand with elements of 4 bits does not have k innermost.
  llvm::Error checkPackedOperands() const;
  /// Sets the operands that have scales of blocks: `none`, `a`, `b` or `ab`.
  llvm::Error setBlockScales(llvm::StringRef text);
  /// Sets the scales of groups: `none`, or as GroupScales::str writes them.
  llvm::Error setGroupScales(llvm::StringRef text);

  /// Sets the algebra, as Algebra::parse reads it. Fails if the types have no
  /// other than the default.
  llvm::Error setAlgebra(llvm::StringRef text);

  /// Sets the functions of the elements of A and of B. Fails if their types
  /// have none.
  llvm::Error setTransforms(llvm::StringRef a, llvm::StringRef b);
  /// Makes it a dual product: `none`, or a name in the table of NamedDual.h.
  llvm::Error setDual(llvm::StringRef text);
  /// Sets the bands of A and B: `none`, or as Band::str writes them. Fails for
  /// operands that cannot have one.
  llvm::Error setBands(llvm::StringRef a, llvm::StringRef b);
  /// Makes D symmetric. Fails if the product cannot be.
  llvm::Error setSymmetric();
  /// Sets the reductions: `none`, or as NamedReductions::str writes them.
  llvm::Error setReductions(llvm::StringRef text);
  /// The features that one kernel of the product needs together.
  FeatureSet getFeatures() const;
  /// Fails if two features exclude each other, or if the epilogue reads values
  /// of groups and there are none. The setters above ask it.
  llvm::Error checkFeatures() const;

  /// `bf16 tn bf16 none`, then any of `alpha` and `beta`.
  std::string str() const;
  /// Reads the first four words of `str`; alpha and beta stay as they are.
  llvm::Error read(llvm::StringRef type, llvm::StringRef layout,
                   llvm::StringRef outputType, llvm::StringRef epilogueText);
  /// Writes the attributes `layout`, `type`, `out`, `epilogue`, `alpha`, `beta`
  /// and, where there are any, `block_scales`, `group_scales`, `transform_a`,
  /// `transform_b`, `algebra`, `dual`, `band_a`, `band_b`, `symmetric` and
  /// `reduce`.
  void writeAttributes(llvm::json::OStream &json) const;
};

struct MatmulProblem : MatmulKind, MatmulSizes {
  /// The depth of the product that instructions compute: with split operands,
  /// that of all products of parts.
  int64_t getDepth() const { return k * getNumProducts(typeA); }
  /// Fails if rows of an operand with elements of 4 bits are not whole bytes.
  llvm::Error checkDepth() const;
  void setSizes(const MatmulSizes &sizes) {
    static_cast<MatmulSizes &>(*this) = sizes;
  }
};

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_MATMULPROBLEM_H
