//===- ElementTransform.h - Named functions of elements ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function of the elements of A or B that is multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_ELEMENTTRANSFORM_H
#define TCGEMM_PROBLEM_ELEMENTTRANSFORM_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tcgemm {

/// A function of one element, in the element's type.
enum class TransformPart {
  Relu,
  AddOne, ///< x + 1
  Silu,
  Exp,
  Inverse ///< 1 / x
};

llvm::StringRef getTransformName(TransformPart part);

/// Parts in the order in which they are applied.
struct ElementTransform {
  std::vector<TransformPart> parts;
  /// True if it is a function without a name.
  bool isOther = false;

  bool isIdentity() const { return parts.empty() && !isOther; }
  /// `none`, or the names of the parts joined by `_`, such as `add1_relu`.
  std::string str() const;
  /// Reads what `str` writes for named functions. The error names the word that
  /// is no part.
  static llvm::Expected<ElementTransform> parse(llvm::StringRef text);
  bool operator==(const ElementTransform &other) const {
    return parts == other.parts && isOther == other.isOther;
  }
};

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_ELEMENTTRANSFORM_H
