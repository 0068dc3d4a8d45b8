//===- ComplexPatterns.h - Complex tensors as real ones ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to tcgemm-complex-to-real. A tensor of complex numbers becomes one of
// their components, which are its innermost dimension.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_COMPLEX_COMPLEXPATTERNS_H
#define TCGEMM_LIB_TRANSFORMS_COMPLEX_COMPLEXPATTERNS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/DialectConversion.h"
#include <string>

namespace tcgemm::complex_to_real {

/// Returns whether the type is a tensor of complex numbers.
bool isComplexTensor(mlir::Type type);
/// Returns whether an operand, a result or a type of an argument of a region is
/// such a tensor.
bool hasComplexTensor(mlir::Operation *op);

/// Returns whether the operation is a sum of products of two tensors, of which
/// one or both are complex.
bool isComplexProduct(mlir::linalg::LinalgOp op);

/// The reason why an operation on complex tensors has no real form; empty if it
/// has one.
std::string checkOperation(mlir::Operation *op);

/// Makes complex tensors real ones, and leaves other types as they are.
class ComponentTypes : public mlir::TypeConverter {
public:
  ComponentTypes();
};

/// Adds the patterns of all operations that checkOperation accepts but those of
/// functions and of control flow.
void populateComplexPatterns(mlir::RewritePatternSet &patterns,
                             const ComponentTypes &types);

/// Adds those of linalg operations.
void populateStructuredPatterns(mlir::RewritePatternSet &patterns,
                                const ComponentTypes &types);
/// The reason why a linalg operation has no real form; empty if it has one.
std::string checkStructured(mlir::linalg::LinalgOp op);

} // namespace tcgemm::complex_to_real

#endif // TCGEMM_LIB_TRANSFORMS_COMPLEX_COMPLEXPATTERNS_H
