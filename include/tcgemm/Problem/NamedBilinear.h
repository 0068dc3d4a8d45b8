//===- NamedBilinear.h - Numbers of several components ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bilinear algebra multiplies numbers of several real components by structure
// constants T[q, r, p]: component q times component r gives T times component
// p. One table has those with names. Needs only LLVMSupport.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_NAMEDBILINEAR_H
#define TCGEMM_PROBLEM_NAMEDBILINEAR_H

#include "tcgemm/Problem/Contraction.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace tcgemm {

/// A constant that is not zero: component q times component r is `sign` times
/// component p.
struct StructureConstant {
  unsigned q, r, p;
  int sign;
};

/// The numbers of a row of the table.
struct BilinearInfo {
  llvm::StringLiteral name;
  unsigned numComponents;
  llvm::ArrayRef<StructureConstant> constants;
};

/// The rows of the table.
llvm::ArrayRef<BilinearInfo> getBilinearInfos();

/// An algebra of the table, with the conjugates of A's or B's elements. The
/// conjugate has the opposite signs of all components but the first.
struct BilinearAlgebra {
  const BilinearInfo *info = nullptr;
  std::array<bool, 2> conjugates{}; ///< Of A, of B.

  /// `complex`, `complex-conj-a`, `complex-conj-b` or `complex-conj-ab`.
  std::string str() const;
  /// Reads what `str` writes; none if the text is no such name.
  static std::optional<BilinearAlgebra> parse(llvm::StringRef text);
  int getConstant(unsigned q, unsigned r, unsigned p) const;
};

/// Where the index of the components is.
enum class ComponentLayout {
  Interleaved, ///< Innermost: the components of a number are neighbours.
  Rows,        ///< Outside the innermost index: each row has as many parts.
  Planes       ///< Outermost: there are as many matrices.
};

/// The letters of the components of A, B and D.
using ComponentLetters = std::array<char, kNumContracted>;

/// Adds the components to the operands of a contraction, with letters that it
/// does not have. Fails if none are left, or an operand gets too many indices.
llvm::Expected<ComponentLetters> addComponents(Contraction &contraction,
                                               const BilinearAlgebra &algebra,
                                               ComponentLayout layout);

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_NAMEDBILINEAR_H
