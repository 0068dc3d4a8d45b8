//===- NamedEpilogue.h - Epilogues that have a name -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_NAMEDEPILOGUE_H
#define TCGEMM_PROBLEM_NAMEDEPILOGUE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tcgemm {

/// An elementwise operation on the sums.
enum class EpiloguePart {
  Bias,    ///< Adds a vector along n.
  RowBias, ///< Adds a vector along m.
  Relu,
  Gelu,
  GeluTanh,
  Silu,
  Residual,        ///< Adds a matrix.
  Gate,            ///< Multiplies by a matrix.
  Scale,           ///< Multiplies by a number in memory.
  RowScale,        ///< Multiplies by a vector along m.
  ColumnScale,     ///< Multiplies by a vector along n.
  OutBias,         ///< Adds a vector along n, of D's type.
  OutRowBias,      ///< Adds a vector along m, of D's type.
  GroupBias,       ///< Adds a vector along n of each group.
  GroupScale,      ///< Multiplies by a number of each group.
  GroupColumnScale ///< Multiplies by a vector along n of each group.
};

/// The shape of the operand that a part reads.
enum class EpilogueOperand {
  None,
  Number, ///< A tensor without dimensions.
  AlongN,
  AlongM,
  Matrix ///< Of D's shape.
};

llvm::StringRef getPartName(EpiloguePart part);
/// The names of all parts, by commas.
std::string getPartNames();
EpilogueOperand getPartOperand(EpiloguePart part);
/// Returns whether the part multiplies by its operand. Others add it.
bool multiplies(EpiloguePart part);
/// Returns whether the part's operand has the type of D. Others have the type
/// in which the epilogue computes.
bool hasOutputType(EpiloguePart part);
/// Returns whether the part's operand has a tensor of that shape for each group
/// of a grouped product. Others are shared by all groups.
bool isOfGroups(EpiloguePart part);
/// Returns the part that adds, or multiplies by, an operand of that shape, with
/// a tensor for each group or without. No part adds a number; RowBias, which
/// adds the same to a row, stands for it.
EpiloguePart getPartOfOperand(EpilogueOperand operand, bool multiplies,
                              bool isOfGroups);
/// Returns whether the part reads a matrix of D's shape.
bool readsMatrix(EpiloguePart part);
/// Returns whether the part reads an operand.
bool readsOperand(EpiloguePart part);

/// Parts in the order in which they are applied.
struct NamedEpilogue {
  std::vector<EpiloguePart> parts;

  /// `none`, or the names of the parts joined by `_`.
  std::string str() const;
  /// Reads what `str` writes. The error names the word that is no part.
  static llvm::Expected<NamedEpilogue> parse(llvm::StringRef text);
  /// The number of matrices that the parts read.
  int64_t countMatrices() const;
  bool operator==(const NamedEpilogue &other) const {
    return parts == other.parts;
  }
};

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_NAMEDEPILOGUE_H
