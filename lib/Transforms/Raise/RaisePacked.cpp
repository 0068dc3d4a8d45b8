//===- RaisePacked.cpp - Operands whose elements share bytes --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of 4 bits and of one bit share bytes with their neighbours along k.
// A buffer of i1 has bytes of one element for all operations but products.
// Therefore only an argument of a function that nothing but products reads is
// an operand of them.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "Raise/RaiseShapes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tcgemm/Target/Instructions.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// Returns whether the operation gives a part or another shape of its first
/// operand, which stays where it is.
static bool isView(Operation *op) {
  return isa<ViewLikeOpInterface, tensor::CastOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op);
}

/// Returns whether a product that has been raised reads the operand as bits.
static bool isReadAsBits(OpOperand &use) {
  auto launch = dyn_cast<LaunchOp>(use.getOwner());
  if (!launch)
    return false;
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getKernelAttr());
  return kernel && kernel.getOperandInfo(use.getOperandNumber())
                       .getElementType()
                       .isUnsignedInteger(1);
}

/// Returns whether the operand is A or B of a product, which may still be
/// raised.
static bool isFactor(OpOperand &use) {
  auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return use.getOperandNumber() < 2 &&
         (op ? isProductSum(op) : isa<GroupedMatmulOp>(use.getOwner()));
}

/// Returns an operation that reads bytes of one element of `value` or of a view
/// of it; null if there is none.
static Operation *findOtherReader(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isView(user)) {
      if (Operation *reader = findOtherReader(user->getResult(0)))
        return reader;
      continue;
    }
    if (!isa<tensor::DimOp, memref::DimOp>(user) && !isReadAsBits(use) &&
        !isFactor(use))
      return user;
  }
  return nullptr;
}

/// Returns why the bytes of a matrix of i1 may have one element each; empty if
/// they have eight.
static std::string checkBits(Value matrix) {
  while (Operation *op = matrix.getDefiningOp()) {
    if (!isView(op))
      return llvm::formatv("its operand of i1 is the result of '{0}'; eight "
                           "elements share a byte, so that it must be an "
                           "argument of the function",
                           op->getName())
          .str();
    matrix = op->getOperand(0);
  }
  auto function =
      dyn_cast<func::FuncOp>(matrix.getParentBlock()->getParentOp());
  if (!function)
    return "its operand of i1 is an argument of a block; it must be one of the "
           "function";
  if (!SymbolTable::symbolKnownUseEmpty(function,
                                        function->getParentOfType<ModuleOp>()))
    return "its operand of i1 is an argument of a function that the module "
           "calls; eight elements share a byte, which callers do not know";
  if (Operation *reader = findOtherReader(matrix))
    return llvm::formatv("its operand of i1 is also used by '{0}'; eight "
                         "elements share a byte, so that only products can "
                         "read it",
                         reader->getName())
        .str();
  return "";
}

std::string raise::checkPackedMatrix(Value matrix, StringRef dims, char row) {
  auto type = cast<ShapedType>(matrix.getType());
  int64_t packed = getPackedElements(*getMatrixScalar(type.getElementType()));
  if (packed == 1)
    return "";
  if (dims.back() != 'k' || !dims.contains(row))
    return llvm::formatv("its operand of {0} must be a matrix with k innermost",
                         type.getElementType())
        .str();
  int64_t k = type.getShape().back();
  if (ShapedType::isStatic(k) && k % packed)
    return llvm::formatv("its operand of {0} has {1} elements along k; that "
                         "must be a multiple of {2}",
                         type.getElementType(), k, packed)
        .str();
  return type.getElementType().isInteger(1) ? checkBits(matrix) : "";
}

/// Returns whether the last dimension of a tensor of rank `rank` has four parts
/// in another shape, and each other dimension one.
static bool dividesLast(ArrayRef<ReassociationIndices> groups, int64_t rank) {
  return int64_t(groups.size()) == rank &&
         llvm::all_of(groups.drop_back(),
                      [](const auto &group) { return group.size() == 1; }) &&
         groups.back().size() == 4;
}

/// The matrix of interleaved elements that `value` has in order; null if it is
/// not computed from one. The blocks of 32 have the dimensions lane, half and
/// pair, in this order, and pair, lane and half when the elements are in order.
static Value findInterleaved(Value value) {
  auto collapsed = value.getDefiningOp<tensor::CollapseShapeOp>();
  int64_t rank = cast<ShapedType>(value.getType()).getRank();
  if (!collapsed || !getElementTypeOrSelf(value).isInteger(4) ||
      !dividesLast(collapsed.getReassociationIndices(), rank))
    return {};
  std::string dims, before;
  for (int64_t i = 0; i < rank; ++i)
    dims += char('A' + i); // The last one counts blocks.
  before = dims + "lhp";
  dims += "plh";
  Value source = collapsed.getSrc();
  while (lookThrough(source, dims)) {
  }
  auto expanded = source.getDefiningOp<tensor::ExpandShapeOp>();
  if (!expanded || dims != before ||
      !dividesLast(expanded.getReassociationIndices(), rank) ||
      expanded.getSrcType() != value.getType())
    return {};
  ArrayRef<int64_t> parts = expanded.getResultType().getShape().take_back(3);
  return parts == ArrayRef<int64_t>{4, 2, 4} ? expanded.getSrc() : Value();
}

void raise::readInterleaved(Group &group, unsigned operand) {
  Value &matrix = operand ? group.b : group.a;
  Value interleaved = findInterleaved(matrix);
  if (!interleaved || group.getDims(operand).back() != 'k')
    return;
  bool &isInterleaved = group.formats[operand].isInterleaved;
  isInterleaved = true;
  ScalarType a = *getScalarType(getMatrixType(group, 0)),
             b = *getScalarType(getMatrixType(group, 1));
  isInterleaved = !getAccumulatorTypes(a, b).empty();
  if (isInterleaved)
    matrix = interleaved;
}
