//===- MatmulProblem.h - Which matrix product is meant ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = epilogue(alpha A B + beta C). All parts of the compiler and of the tuner
// describe a product with this type.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_MATMULPROBLEM_H
#define TCGEMM_PROBLEM_MATMULPROBLEM_H

#include "tcgemm/Target/ScalarType.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tcgemm {

/// A product without its sizes.
struct MatmulKind {
  ScalarType typeA = ScalarType::BF16, typeB = ScalarType::BF16;
  ScalarType accumulator = ScalarType::F32;
  /// The type of D.
  ScalarType output = ScalarType::BF16;
  /// Whether k is the innermost dimension of A and of B.
  bool aKContiguous = true, bKContiguous = true;

  /// The layout as in BLAS, A then B: `t` for A and `n` for B: k is innermost.
  std::string getLayout() const;
  /// Errors: `text` is none of tn, nn, nt and tt.
  llvm::Error setLayout(llvm::StringRef text);
  /// The width of an element of A, and of B.
  int64_t getBitsA() const { return getBitWidth(typeA); }
  int64_t getBitsB() const { return getBitWidth(typeB); }
  /// The width of an element of A (0) or B (1).
  int64_t getBits(unsigned operand) const {
    return operand ? getBitsB() : getBitsA();
  }
  /// Whether the elements of A and of B have `bits` bits.
  bool hasElementBits(int64_t bits) const {
    return getBitsA() == bits && getBitsB() == bits;
  }
  /// Whether A and B have the types and layouts that they have in `other`.
  bool hasSameOperands(const MatmulKind &other) const {
    return typeA == other.typeA && typeB == other.typeB &&
           aKContiguous == other.aKContiguous &&
           bKContiguous == other.bKContiguous;
  }
};

struct MatmulProblem : MatmulKind {
  /// Sizes; -1 where they are known at run time only.
  int64_t batch = 1, m = -1, n = -1, k = -1;
};

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_MATMULPROBLEM_H
