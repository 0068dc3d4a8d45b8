//===- RaiseGroup.h - What one kernel is made of -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to raise. A group is one contraction and the elementwise operations
// fused with it, described without changing the IR: matchContraction starts
// one, collectConsumers grows it, buildKernel writes it as a kernel and a
// launch.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISEGROUP_H
#define TCGEMM_LIB_TRANSFORMS_RAISEGROUP_H

#include "KernelPool.h"
#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "llvm/ADT/MapVector.h"
#include <optional>
#include <string>

namespace tcgemm::raise {

/// Why an operation was left as it is.
using Reasons = llvm::DenseMap<mlir::Operation *, std::string>;

/// Where an epilogue finds a value that an operation of the group reads.
struct Source {
  enum Kind {
    Group,    ///< A value that the group computes.
    Constant, ///< `constant`.
    Scalar,   ///< `value`, of a scalar type.
    Input     ///< An element of the tensor or buffer `value`, with dims `dims`.
  };
  Kind kind;
  mlir::Value value;
  std::string dims;
  mlir::TypedAttr constant;
};

/// One elementwise operation of a group.
struct FusedOp {
  mlir::linalg::LinalgOp op;
  /// The letter of each of its loops.
  std::string letters;
  /// One per operand; none where the body does not read it.
  llvm::SmallVector<std::optional<Source>> sources;
};

/// On tensors, what the contraction computes is its result. On buffers it is
/// the buffer that it writes, and nothing is fused but a fill of that.
struct Group {
  mlir::linalg::LinalgOp contraction;
  /// The letter (b, m, n or k) of each of the contraction's loops.
  std::string letters;
  /// m or n where the contraction lacks it: the product of a matrix and a
  /// vector. A kernel has it with the size 1.
  char unit = 0;
  mlir::Value a, b;
  std::string aDims, bDims;
  /// What is added to the sum; none if that is zero.
  std::optional<Source> init;
  /// The fill of the output that the launch replaces; on buffers only.
  mlir::linalg::FillOp fill;
  /// On buffers: the matrices that the output is assumed not to overlap,
  /// because that cannot be proven.
  std::string assumedApart;
  llvm::SmallVector<FusedOp> fused;
  /// The tensors or buffers that the group computes, with their dims.
  llvm::MapVector<mlir::Value, std::string> values;
  /// The contraction and the operations in `fused`.
  llvm::DenseSet<mlir::Operation *> members;
  /// Operations of the same block that need a value of the group and are not
  /// in it, directly or through others, in program order.
  llvm::SetVector<mlir::Operation *> dependents;

  bool onBuffers() const {
    return mlir::linalg::LinalgOp(contraction).hasPureBufferSemantics();
  }
  bool contains(mlir::Operation *op) const { return members.contains(op); }
  /// The values that something outside the group reads.
  llvm::SmallVector<mlir::Value> getOutputs() const;
  /// The operation at which all operands are available.
  mlir::Operation *getLast() const;
  /// The size of a dimension, which A or B has.
  mlir::Value createSize(mlir::OpBuilder &builder, mlir::Location loc,
                         char letter) const;
};

/// The letters that `map` selects, or none if it is not a projected
/// permutation of the loops.
std::optional<std::string> getDims(mlir::AffineMap map,
                                   llvm::StringRef letters);

/// Replaces a tensor that a copy, transposition or broadcast makes by the
/// tensor that it is made of. Returns whether it did.
bool lookThrough(mlir::Value &value, std::string &dims);

/// How the tensor or scalar `value`, read through `map`, reaches an epilogue;
/// none, and the `reason`, if it cannot.
std::optional<Source> resolve(mlir::Value value, mlir::AffineMap map,
                              llvm::StringRef letters, std::string &reason);

/// Whether the operation multiplies two operands and sums up, whatever its
/// types and dimensions.
bool isProductSum(mlir::linalg::LinalgOp op);

/// Why a kernel cannot have `type` as an operand; empty if it can.
std::string checkOperandType(mlir::Type type);

/// The group of one contraction, or none and the reason. Transposes buffers
/// whose innermost dimension is not the contiguous one.
std::optional<Group> matchContraction(mlir::linalg::LinalgOp op,
                                      mlir::AliasAnalysis &aliases,
                                      std::string &reason);

/// Why the contraction of `group`, which works on buffers, cannot be taken.
/// Notes what is assumed.
std::string checkBuffers(Group &group, mlir::AliasAnalysis &aliases);

/// What a contraction on buffers accumulates onto: a fill that stands before
/// it, which becomes the group's, or the output's content.
void resolveBufferInit(Group &group, mlir::AliasAnalysis &aliases);

/// Makes each buffer's contiguous dimension its innermost where the strides are
/// known.
void transposeBuffers(Group &group);

/// Adds every operation that can be fused; tells why others cannot.
void collectConsumers(Group &group, Reasons &reasons);

/// Erases the operations that nothing uses, and what they alone used.
void eraseDead(llvm::SetVector<mlir::Operation *> ops);

/// Replaces the group by a launch of a kernel of `kernels`, which is added
/// under `name`, before `function`, if there is no equal one.
LaunchOp buildKernel(Group &group, KernelPool &kernels,
                     mlir::Operation *function, llvm::StringRef name);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISEGROUP_H
