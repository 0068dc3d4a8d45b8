//===- Representation.h - Numbers as blocks of a matrix ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The regular representation of an algebra writes a number of n components as a
// block of n x n real numbers, so that products of numbers are products of
// blocks. Each element of the block is one component, or its negative:
// re + im i is [[re, im], [-im, re]] as the right factor of row vectors.
//
// A matrix of R x C numbers becomes a real one of nR x nC. The memory of such
// an operand is that of the numbers, with the components innermost: a matrix of
// R x nC, of which n neighbouring rows of the representation read one row.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_REPRESENTATION_H
#define TCGEMM_TARGET_REPRESENTATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>

namespace tcgemm {

/// The block of a number.
class Representation {
public:
  /// The numbers of components that a block may have are 2 and 4: fragments of
  /// tensor cores have four elements along k.
  static constexpr unsigned kMostComponents = 4;

  /// Takes the elements of the block, row by row. An element is 1 + the number
  /// of its component, with a minus sign if the component is negated. The error
  /// names the number or the element that is not valid.
  static llvm::Expected<Representation> get(llvm::ArrayRef<int64_t> elements);

  unsigned getComponents() const { return components; }
  /// The component of an element of the block.
  unsigned getComponent(unsigned row, unsigned column) const {
    int8_t element = elements[row * components + column];
    return static_cast<unsigned>(element < 0 ? -element : element) - 1;
  }
  bool isNegated(unsigned row, unsigned column) const {
    return elements[row * components + column] < 0;
  }
  /// The elements as `get` takes them.
  llvm::SmallVector<int64_t, 16> getElements() const;

  friend bool operator==(const Representation &a, const Representation &b) {
    return a.components == b.components && a.elements == b.elements;
  }
  friend llvm::hash_code hash_value(const Representation &value) {
    return llvm::hash_combine(value.components,
                              llvm::hash_combine_range(value.elements));
  }

private:
  unsigned components = 1;
  std::array<int8_t, kMostComponents * kMostComponents> elements{1};
};

} // namespace tcgemm

#endif // TCGEMM_TARGET_REPRESENTATION_H
