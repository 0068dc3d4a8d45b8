//===- ElementFunctions.h - Functions of operands' elements -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand with an element region is multiplied as the function that the
// region computes. A main program computes it in registers if its schedule can
// and the function reads scalars only. Otherwise the program that packs the
// operand does.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_ELEMENTFUNCTIONS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_ELEMENTFUNCTIONS_H

#include "Common/ProgramBuilder.h"
#include "tcgemm/Config/KernelConfig.h"

namespace tcgemm {

/// Returns whether main programs compute the function of A's (0) or B's (1)
/// elements.
bool mapsInRegisters(KernelOp kernel, const KernelConfig &config,
                     unsigned operand);
/// Returns whether the program that packs the operand computes it.
bool mapsInPack(KernelOp kernel, const KernelConfig &config, unsigned operand);

/// Returns whether a main program has to replace the function's values beyond K
/// by zeros. Both operands have zeros there, but the function of 0 may be any
/// number: it is multiplied by the other operand's zero if it is finite.
bool needsZeros(KernelOp kernel, const KernelConfig &config, unsigned operand);

/// Returns whether ptxas may compile the function to code with branches, as a
/// division has. Products of wgmma that are in flight must not span them: ptxas
/// would let each product end before the next one (its remark C7513).
bool mayBranch(KernelOp kernel, unsigned operand);

/// Computes the function of a fragment's elements. With `valid`, those from
/// that number on along k become zero.
mlir::Value mapFragment(ProgramBuilder &p, unsigned operand,
                        mlir::Value fragment, mlir::Value valid);

/// Replaces the elements of A from `valid` on along k by the neutral element of
/// the product's algebra.
mlir::Value padFragment(ProgramBuilder &p, mlir::Value fragment,
                        mlir::Value valid);

/// Computes the function of single elements of one row of a matrix, or of
/// vectors of them.
class ElementFunction {
public:
  /// A coordinate (i64) of the row along one of the operand's dims but
  /// `columnDim`.
  using GetCoordinate = llvm::function_ref<mlir::Value(char dim)>;
  /// The operand must have a function. Loads what the whole row shares.
  ElementFunction(ProgramBuilder &p, unsigned operand, char columnDim,
                  GetCoordinate getCoordinate);

  /// The value for an element in column `column` (i32), which is inside the
  /// matrix.
  mlir::Value apply(mlir::Value element, mlir::Value column);
  /// The same for neighbours from column `first` on, in 32-bit words.
  void applyToWords(llvm::MutableArrayRef<mlir::Value> words, mlir::Value first,
                    mlir::Type element);

private:
  struct Input {
    unsigned operand;
    mlir::Value offset, value; // value is null if it depends on the column
  };
  mlir::Value load(const Input &input, mlir::Value offset);

  ProgramBuilder &p;
  mlir::Block &body;
  char columnDim;
  llvm::SmallVector<std::optional<Input>> inputs; // of each further argument
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_ELEMENTFUNCTIONS_H
