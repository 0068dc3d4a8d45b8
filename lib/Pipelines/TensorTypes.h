//===- TensorTypes.h - Tensors of a generated product -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_TENSORTYPES_H
#define TCGEMM_LIB_PIPELINES_TENSORTYPES_H

#include "ScaledOperands.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"

#include <string>
#include <vector>

namespace tcgemm {

/// The types of a generated product's tensors and the maps that read them, as
/// MLIR's text.
class TensorTypes {
public:
  /// Keeps references to both.
  TensorTypes(const GenerateOptions &options, const Contraction &contraction)
      : options(options), contraction(contraction) {}

  /// `b, ` if the product is batched; otherwise empty.
  std::string getBatchIndex() const { return options.isBatched ? "b, " : ""; }
  /// Returns whether the extent of an index is compiled in.
  bool isFixed(char letter) const;

  /// The sizes of a tensor's type, those of batches first: `?x64x`.
  std::string getShape(std::vector<int64_t> sizes) const;
  /// The type of a tensor with these indices.
  std::string getType(llvm::StringRef letters, llvm::StringRef element) const;
  /// The type of A (0) or B (1).
  std::string getMatrixType(unsigned operand) const;
  /// The type of the elements of A (0) or B (1) in memory.
  std::string getElement(unsigned operand) const;
  /// The type of the ends of groups.
  std::string getOffsetsType() const { return getType("b", "i32"); }
  std::string getResultType(llvm::StringRef element) const {
    return getType(contraction.operands[2].letters, element);
  }
  /// The type of scales. Those of A have m innermost, as its scales of rows;
  /// those of B have k.
  std::string getScalesType(const ScaledOperand &scaled) const;

  /// The map from the loops of the result, and with `reduction` also those of
  /// the sum, to `results`.
  std::string map(const std::string &results, bool reduction = false) const;
  /// The map of an operand; that of D also in elementwise operations.
  std::string getMap(unsigned operand, bool reduction = false) const;
  std::string getScalesMap(const ScaledOperand &scaled) const;
  /// The results of such a map: `k floordiv 128, m`.
  std::string getScalesIndices(const ScaledOperand &scaled) const;
  /// `iterator_types = [...]` of the same loops.
  std::string getIteratorTypes(bool reduction = false) const;

private:
  std::string getShape(std::vector<int64_t> sizes, bool hasBatch) const;

  const GenerateOptions &options;
  const Contraction &contraction;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_TENSORTYPES_H
