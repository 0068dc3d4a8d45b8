//===- Instructions.h - Instructions that multiply matrices -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table holds the matrix instructions: their types, their shape, and the
// layouts of operands that they take. Legality, default configurations, models
// and code generation read it. Needs only LLVMSupport.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_INSTRUCTIONS_H
#define TCGEMM_TARGET_INSTRUCTIONS_H

#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/ScalarType.h"

#include <array>
#include <optional>
#include <vector>

namespace tcgemm {

enum class InstructionKind {
  MmaSync, ///< mma.sync: a warp, operands in registers.
  Wgmma,   ///< wgmma.mma_async: a warpgroup, operands in shared memory, or A in
           ///< registers.
  Wmma,    ///< wmma.mma: a warp, operands in opaque registers.
  Fma,     ///< fma, or dp4a of bytes: a thread, one sum at a time.
};

/// One instruction for operands of two types.
struct MatrixInstruction {
  InstructionKind kind;
  ScalarType a, b, accumulator;
  /// Rows, columns and depth. wgmma has a range of columns; `n` is the step.
  int64_t m, n, k;
  /// The step of n from 32 columns on; equal to `n` for most types.
  int64_t wideStep;
  /// True if shared memory may hold operands whose rows run along m or n. If
  /// not, they must run along k.
  bool takesTransposed;
  /// The first compute capability that executes it.
  int64_t capability;
  /// The first version of the PTX ISA that has it, as in ChipInfo; 0 if the
  /// version of every chip has it.
  int64_t ptxVersion = 0;

  /// The largest number of columns that wgmma has.
  static constexpr int64_t kMostColumns = 256;
  /// Returns whether wgmma has this instruction with `columns` columns.
  bool hasColumns(int64_t columns) const;
  std::array<int64_t, 3> getShape() const { return {m, n, k}; }
  /// Returns whether both have the same kind and types, in any shape.
  bool hasSameTypes(const MatrixInstruction &other) const {
    return kind == other.kind && a == other.a && b == other.b &&
           accumulator == other.accumulator;
  }
};

/// All instructions. Of those with the same types, wider ones come first.
llvm::ArrayRef<MatrixInstruction> getMatrixInstructions();

/// The widest instruction of `kind` for operands of type `a` and `b`, or for
/// the types that they are converted to; null if there is none.
const MatrixInstruction *findInstruction(InstructionKind kind, ScalarType a,
                                         ScalarType b, ScalarType accumulator);

/// The instruction for the types of `first` with this shape; null if there is
/// none.
const MatrixInstruction *findInstruction(const MatrixInstruction &first,
                                         std::array<int64_t, 3> shape);
/// The widest instruction for the types of `first` that `chip` executes; null
/// if there is none.
const MatrixInstruction *findWidest(const MatrixInstruction &first,
                                    const ChipInfo &chip);
/// The shapes for the types of `first`, as configurations write them.
std::string getShapeNames(const MatrixInstruction &first);

/// Returns whether `chip` executes `instruction`.
bool hasInstruction(const ChipInfo &chip, const MatrixInstruction &instruction);
/// The end of the instruction's name in PTX, which says how it combines
/// elements and sums: `.and.popc` for bits, empty for all others.
llvm::StringRef getPtxOperation(const MatrixInstruction &instruction);
/// Returns whether `chip` executes `instruction` by others that multiply wider
/// types, as its machine code shows.
bool isEmulated(const MatrixInstruction &instruction, const ChipInfo &chip);

/// The types as which instructions multiply operands of type `a` and `b`. An
/// operand of 4 or 8 bits whose partner is f16 or bf16 is converted to the
/// partner's type, and one of 4 bits to i8 if its partner is an integer, or to
/// e4m3 if its partner is e4m3 or e5m2. These types represent each of its
/// values. All other types stay.
std::pair<ScalarType, ScalarType> getMultipliedTypes(ScalarType a,
                                                     ScalarType b);
/// The power of two by which products of such elements are multiplied, as an
/// exponent. That of integers converted to bf16 is -6: that conversion is the
/// fastest one. It is 0 for all other types.
int64_t getProductExponent(ScalarType a, ScalarType b);
/// The operand (0 is A) that is converted for the other; none if neither is or
/// both are.
std::optional<unsigned> getConvertedOperand(ScalarType a, ScalarType b);
/// The elements along k in a warp's fragments of operands of type `a` and `b`.
/// Where one of them has 4 bits and is converted, they are those of two
/// instructions, and a lane
/// holds neighbours along k in whole words. They have 32 bytes at least, which
/// are two instructions of tf32 with k = 4.
int64_t getFragmentDepth(const MatrixInstruction &instruction, ScalarType a,
                         ScalarType b);
/// The elements along k of a row in a warpgroup's fragment of A: those of 16
/// bytes, as a lane loads them.
int64_t getRegisterDepth(ScalarType type);
/// The first compute capability that converts operands of `type`.
int64_t getConversionCapability(ScalarType type);

/// Returns whether threads can multiply such elements and add the products to a
/// sum, as schedule gemv does: converted to f32, or as f64 or integers.
bool multipliesInThreads(ScalarType a, ScalarType b, ScalarType sum);

/// Returns whether instructions take tiles of such operands whose rows run
/// along m or n.
bool canTranspose(ScalarType a, ScalarType b);

/// The types of the sums of products of `a` and `b`. Empty if no instruction
/// multiplies them.
llvm::ArrayRef<ScalarType> getAccumulatorTypes(ScalarType a, ScalarType b);

/// The relative error of one addition in the accumulator: 2⁻²³ for f32 sums of
/// 16-bit operands, 2⁻¹⁰ for f16 sums, 2⁻⁵² for f64, 0 for integers. Tensor
/// cores add products of FP8 with 13 bits after the binary point.
double getAccumulationError(ScalarType a, ScalarType b, ScalarType accumulator);

/// Returns whether some instruction multiplies operands of `type`.
bool isOperandType(ScalarType type);
/// The types of operands that some instruction multiplies.
std::vector<ScalarType> getOperandTypes();
/// Their names, as MLIR has them, by commas.
std::string getOperandTypeNames();
/// The names of those that buffers have.
std::string getBufferTypeNames();

} // namespace tcgemm

#endif // TCGEMM_TARGET_INSTRUCTIONS_H
