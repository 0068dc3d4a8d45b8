//===- FragmentMap.h - Functions of fragments' elements ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_FRAGMENTMAP_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_FRAGMENTMAP_H

#include "LoweringContext.h"

namespace tcgemm {

/// Evaluates the body of a fragment.map on registers.
class FragmentMap : public Lowering {
public:
  /// The index along k, within the fragment, of an element of a register.
  using GetIndex = llvm::function_ref<mlir::Value(llvm::ArrayRef<int64_t>)>;

  FragmentMap(LoweringContext &c, FragmentMapOp op);
  /// `value` is one element, a vector whose rows are registers, or a register
  /// of wgmma.
  mlir::Value evaluate(mlir::Value value, GetIndex getIndex);

private:
  mlir::Value getPadding(mlir::Type type, unsigned operand);
  mlir::Value apply(mlir::Value element);
  mlir::Value keepValid(mlir::Value result, llvm::ArrayRef<int64_t> position,
                        GetIndex getIndex);
  mlir::Value evaluateWord(mlir::Value word, GetIndex getIndex);
  mlir::Value evaluateRow(mlir::Value row, int64_t number, GetIndex getIndex);

  FragmentMapOp op;
  /// True if the body is computed on pairs of elements.
  bool inPairs;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_FRAGMENTMAP_H
