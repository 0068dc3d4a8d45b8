//===- RaiseGroup.h - The operations of one kernel --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to raise. A group describes one contraction and the elementwise
// operations fused with it, without changing the IR. matchContraction creates a
// group, collectConsumers adds operations, and buildKernel writes a kernel and
// a launch.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUP_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUP_H

#include "Raise/KernelPool.h"
#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Precision.h"
#include "llvm/ADT/MapVector.h"
#include <array>
#include <optional>
#include <string>

namespace tcgemm::raise {

/// The reasons why operations were not taken.
using Reasons = llvm::DenseMap<mlir::Operation *, std::string>;

/// The source of a value that an operation of the group reads.
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

/// How one result of a reduction combines values: the value in its body, and
/// by which combiner. `index` is the value that becomes an index; null if none
/// does.
struct Reduction {
  mlir::Value value;
  ReductionAttr info;
  mlir::Value index;
};

/// One elementwise operation of a group, or a reduction.
struct FusedOp {
  mlir::linalg::LinalgOp op;
  /// The letter of each of its loops.
  std::string letters;
  /// One for each operand; none if the body does not read the operand.
  llvm::SmallVector<std::optional<Source>> sources;
  /// One reduction for each result; empty for elementwise operations.
  llvm::SmallVector<Reduction> reductions;
};

/// A part of the function of an operand's elements: a value in the body of one
/// operation.
struct ElementStep {
  mlir::linalg::LinalgOp op;
  /// The letter of each of its loops.
  std::string letters;
  /// The body's argument that stands for the element, and what the body
  /// computes from it.
  mlir::BlockArgument element;
  mlir::Value result;
  /// The sources of the body's other arguments.
  llvm::MapVector<mlir::Value, Source> sources;
};

/// Of a dual product: the contraction that multiplies A by another B, which has
/// the dims of the first; null of a single product.
struct SecondProduct {
  mlir::linalg::LinalgOp contraction;
  mlir::Value b;
};

/// The scales of the operands' elements.
struct OperandScales {
  /// The scales of blocks of A and B, and the zero points of both, in the order
  /// of kBlockScales.
  std::array<std::optional<Source>, std::size(kBlockScales)> values;
  /// True if zero points are unsigned.
  bool hasUnsignedZeros = false;
  /// The elements along k of a group with a scale; 0 for scales of FP8.
  int64_t groupDepth = 0;
};

/// How a sum of products becomes the result of a body.
enum class SumUse {
  Added,      ///< C + A·B
  Subtracted, ///< C - A·B
  Tested,     ///< C or (A·B != 0), where A and B are bits
};

/// The kind of a kernel's groups. `isChecked` lets the kernel check their
/// sizes.
struct GroupDivision {
  GroupKind kind = GroupKind::Contiguous;
  bool isChecked = false;
};

/// How the body or operations before it read the integers of a matrix.
struct ElementFormat {
  bool isUnsigned = false; ///< The body extends them without their sign.
  /// They are interleaved in memory: see Target/ScalarType.h.
  bool isInterleaved = false;
};

/// On tensors, the contraction computes its result. On buffers it computes the
/// buffer that it writes, and only a fill of that buffer is fused.
struct Group {
  mlir::linalg::LinalgOp contraction;
  /// The letter of each of the contraction's loops: that of the kernel's
  /// dimension, or a capital letter for an outer part of a join.
  std::string letters;
  /// Loops that are one dimension of the kernel, outermost first. The last
  /// letter is that of the dimension.
  llvm::SmallVector<std::string> joins;
  /// The number of outer dimensions: b, c, d.
  unsigned numOuter = 0;
  /// The letter behind those, but not b, of an outer part of k that is summed
  /// over; 0 if there is none.
  char summed = 0;
  /// True if results that kernels do not store as they are may be transposed
  /// behind the launch.
  bool transposes = false;
  /// Those of m and n that the contraction lacks: one for the product of a
  /// matrix and a vector, both for that of two vectors. A kernel has these
  /// dimensions with the size 1.
  std::string units;
  mlir::Value a, b;
  SecondProduct second;
  /// The sizes of groups; null if there are none.
  mlir::Value offsets;
  GroupDivision division;
  std::string aDims, bDims;
  OperandScales scales;
  /// The function of the elements of A and B, in the order of evaluation.
  std::array<llvm::SmallVector<ElementStep>, 2> steps;
  /// Elementwise producers of A and B that are not part of it, with the
  /// reasons.
  llvm::MapVector<mlir::Operation *, std::string> leftProducers;
  /// The sign and the order of the elements of A and B.
  std::array<ElementFormat, 2> formats{};
  /// How the sum of products becomes the result.
  SumUse use = SumUse::Added;
  /// The body's operations in place of multiplication and addition.
  Algebra algebra;
  /// How products are computed: see Target/Precision.h.
  Precision precision = Precision::IEEE;
  /// The value that is added to the sum; none if it is zero.
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
  /// Operations of the same block that are not in the group but need one of its
  /// values, directly or through other operations, in program order.
  llvm::SetVector<mlir::Operation *> dependents;

  bool onBuffers() const {
    return mlir::linalg::LinalgOp(contraction).hasPureBufferSemantics();
  }
  /// Returns whether joins that an operand with these dims has are whole and in
  /// order.
  bool canFold(llvm::StringRef dims) const;
  /// The kernel's sizes. `known` has those of loops that are static.
  llvm::SmallVector<int64_t>
  joinSizes(llvm::SmallDenseMap<char, int64_t> known) const;
  /// The same dims in the order in which kernels store them best.
  std::string getStoredOrder(llvm::StringRef dims) const;
  /// The dims whose parts are joined, and these parts.
  std::string fold(llvm::StringRef dims) const;
  llvm::SmallVector<mlir::ReassociationIndices>
  getReassociation(llvm::StringRef dims) const;
  /// The dims of A (0) or B (1).
  llvm::StringRef getDims(unsigned operand) const {
    return operand ? bDims : aDims;
  }
  /// The reduction that computes the value; null if none does.
  const Reduction *findReduction(mlir::Value value) const;
  /// The values with users outside the group, and at least one of all elements:
  /// those of reductions come last.
  llvm::SmallVector<mlir::Value> getOutputs() const;
  /// Makes it the product of B and A, whose result is the transpose: m and n
  /// change places everywhere. A vector becomes the only row.
  void exchangeOperands();
  /// The operation at which all operands are available.
  mlir::Operation *getLast() const;
  /// The size of a dimension, which A, B or the sizes of groups have.
  mlir::Value createSize(mlir::OpBuilder &builder, mlir::Location loc,
                         char letter) const;
};

/// Returns whether the kernel may be that of B and A.
bool canExchangeOperands(const Group &group);
/// Returns whether kernels store a result with these dims, with whole runs.
bool canStore(const Group &group, llvm::StringRef dims);
/// Returns whether kernels know the coordinate of a loop.
bool hasCoordinate(const Group &group, char letter);

/// The letters that `map` selects, or none if it is not a projected
/// permutation of the loops.
std::optional<std::string> getDims(mlir::AffineMap map,
                                   llvm::StringRef letters);

/// Replaces the result of a copy, transposition or broadcast by its source.
/// Returns whether there was one.
bool lookThrough(mlir::Value &value, std::string &dims);

/// The source of the tensor or scalar `value`, read through `map`, for an
/// epilogue; none and the `reason` if an epilogue cannot read it. `offsets` are
/// the ends of the kernel's contiguous groups of rows; null if it has none.
std::optional<Source> resolve(mlir::Value value, mlir::AffineMap map,
                              llvm::StringRef letters, std::string &reason,
                              mlir::Value offsets = {});

/// The value and what the body computes it from: arguments, results and
/// captured values.
llvm::SetVector<mlir::Value> getNeeded(mlir::Block *body, mlir::Value value);

/// The number of the argument, A (0) or B (1), of which a contraction's body
/// computes the value; none if it reads both, neither, or the sum.
std::optional<unsigned> findElement(mlir::Value value, mlir::Block *body);

/// Determines the functions of elements that the contraction's body multiplies,
/// of which `left` and `right` are the results. Returns why a kernel does not
/// support them; empty if it does.
std::string matchElements(Group &group, mlir::Value left, mlir::Value right);

/// Replaces A (0) or B (1) by what its elementwise producer reads, whose
/// function the kernel then computes. Returns whether there is one.
bool fuseProducer(Group &group, unsigned operand);

/// Returns whether a kernel supports the dims of A (`row` = m) or B (n), after
/// it adds the units.
bool isMatrix(const Group &group, llvm::StringRef dims, char row);

/// Returns whether the operation is a sum of products of functions of two
/// operands' elements, or of two operands and their scales, of any types and
/// dimensions.
bool isProductSum(mlir::linalg::LinalgOp op);
/// The scalar addition or subtraction in the body of a sum of products.
mlir::Operation *getAddition(mlir::linalg::LinalgOp op);
/// Returns whether the product is subtracted from the sum.
bool isSubtraction(mlir::Operation *addition);
/// The value that the body of a sum of products adds.
mlir::Value getProduct(mlir::linalg::LinalgOp op);

/// Returns whether the value is a product of the block's arguments but the
/// last, each once and extended or not. An element of 4 bits may be less its
/// zero point.
bool isProductOfInputs(mlir::Value value, mlir::Block *body);

/// Fuses operations that scale elements of 4 bits, as RaiseGroups.cpp explains,
/// with the products that `select` returns true for.
void fuseDequantization(
    mlir::func::FuncOp function,
    llvm::function_ref<bool(mlir::linalg::LinalgOp)> select);

/// Determines the scales of A and B, which are the contraction's other inputs.
/// Returns why a kernel does not support them; empty if it does.
std::string matchScales(Group &group);

/// Returns whether the operation is a product of matrices with zero points.
bool isQuantizedProduct(mlir::Operation *op);

/// Replaces a quantized product by a product and the terms of its zero points.
/// Returns the reason if that cannot be done, and nothing otherwise.
std::string expandZeroPoints(mlir::linalg::LinalgOp op);

/// The reason why a kernel does not support an operand of `type`; empty if it
/// does.
std::string checkOperandType(mlir::Type type);
/// The same for what an epilogue reads or writes.
std::string checkEpilogueType(mlir::Type type);

/// The algebra of a body that combines its first two arguments and reduces the
/// result with the last one; none if products cannot have it.
std::optional<Algebra> matchAlgebra(mlir::linalg::LinalgOp op);
/// Why a body that has the form of a product has no algebra; empty if it has
/// another form.
std::string explainAlgebra(mlir::linalg::LinalgOp op);
/// Prepares a group for the algebra of its body. Returns why products of its
/// types cannot have it; empty if they can.
std::string checkAlgebra(Group &group);
/// The contraction's result of the sum of products and the initial value `c`,
/// which is null if it is neutral.
mlir::Value createResult(mlir::OpBuilder &b, mlir::Location loc,
                         const Group &group, mlir::Value c, mlir::Value sum);
/// Returns whether a sum that starts with `constant` starts with nothing.
bool isNeutral(const Group &group, mlir::TypedAttr constant);

/// The type of the sums of products of elements of types `a` and `b`, which
/// some instruction multiplies.
ScalarType getSumType(mlir::Type a, mlir::Type b);

/// The group of one contraction, or none and the reason. Transposes buffers
/// whose innermost dimension is not the contiguous one. `mayHaveSummed` is that
/// of Contraction.
std::optional<Group> matchContraction(mlir::linalg::LinalgOp op,
                                      mlir::AliasAnalysis &aliases,
                                      bool mayHaveSummed, std::string &reason);

/// Returns why a matrix, A (`row` = m) or B (n), whose elements share bytes
/// cannot be an operand; empty if it can.
std::string checkPackedMatrix(mlir::Value matrix, llvm::StringRef dims,
                              char row);

/// Replaces A (0) or B (1), if other operations put its interleaved elements
/// into order, by the matrix that has them interleaved. Does nothing if no
/// instruction multiplies those.
void readInterleaved(Group &group, unsigned operand);

/// The reason why the contraction of `group`, which is on buffers, cannot be
/// taken. Stores assumptions in the group.
std::string checkBuffers(Group &group, mlir::AliasAnalysis &aliases);

/// Determines the initial value of a contraction on buffers: a preceding fill,
/// which becomes part of the group, or the output's contents.
void resolveBufferInit(Group &group, mlir::AliasAnalysis &aliases);

/// Makes each buffer's contiguous dimension the innermost one if the strides
/// are known.
void transposeBuffers(Group &group);

/// Adds every operation that can be fused, and stores the reasons for others.
void collectConsumers(Group &group, Reasons &reasons);

/// Determines how a reduction combines values. Returns why a kernel does not
/// support it; empty if it does.
std::string matchReduction(FusedOp &fused);
/// The same for a reduction with several results, which are the parts of a
/// state: the greatest value and its index, and others.
std::string matchStates(FusedOp &fused);
/// Determines the reduction of an operation that reads the result of one: the
/// sum of exp(x - m), where m is the greatest x. Returns why it is another one.
std::string matchSumOfExp(const Group &group, FusedOp &fused);
/// Checks that the index of a reduction is one that kernels compute: `kept` are
/// the letters of its results. Returns why kernels do not; empty if they do.
std::string checkIndex(const Group &group, const FusedOp &fused,
                       llvm::StringRef kept);
/// The order in which an index numbers the elements of a matrix.
enum class Numbering {
  Rows,   ///< Those of a row one after the other.
  Columns ///< Those of a column.
};
/// The order in which the group's reductions number elements, which is the same
/// for all; none if no reduction does.
std::optional<Numbering> findNumbering(const Group &group);
/// The values that the body of a reduction computes for those of its results
/// that are outputs. The kernel combines these values in its own way.
llvm::SetVector<mlir::Value>
getReducedValues(const FusedOp &fused, llvm::ArrayRef<mlir::Value> outputs);
/// The constant with which every element of the tensor starts; null if there is
/// none.
mlir::TypedAttr findInitial(mlir::Value init);
/// The letters of a reduction's results; none if they have both m and n, or are
/// written through another map than a projected permutation, or several ones.
std::optional<std::string> findReducedDims(const FusedOp &fused);

/// Erases the unused operations, and then operands without other users.
void eraseDead(llvm::SetVector<mlir::Operation *> ops);

/// Replaces the group by a launch of a kernel of `kernels`, which is added
/// under `name`, before `function`, if there is no equal one.
LaunchOp buildKernel(Group &group, KernelPool &kernels,
                     mlir::Operation *function, llvm::StringRef name);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEGROUP_H
