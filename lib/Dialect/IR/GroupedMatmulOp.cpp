//===- GroupedMatmulOp.cpp - Products of groups of rows -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/GroupsOfRows.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// A dimension of one operand.
struct DimUse {
  StringRef operand;
  char dim;
  int64_t size;
};
} // namespace

/// Every dimension of every operand.
static SmallVector<DimUse> getDimUses(GroupedMatmulOp op) {
  SmallVector<DimUse> uses;
  auto add = [&](StringRef name, RankedTensorType type, StringRef dims) {
    for (auto [dim, size] : llvm::zip_equal(dims, type.getShape()))
      uses.push_back({name, dim, size});
  };
  add("a", op.getA().getType(), "mk");
  add("b", op.getB().getType(), op.getDimsOfB());
  add("offsets", op.getOffsets().getType(), "b");
  add("the output", op.getOutput().getType(), "mn");
  return uses;
}

LogicalResult GroupedMatmulOp::verify() {
  auto hasRank = [&](StringRef name, RankedTensorType type, int64_t rank) {
    if (type.getRank() == rank)
      return true;
    emitOpError() << name << " has rank " << type.getRank()
                  << ", but it must be " << rank;
    return false;
  };
  if (!hasRank("a", getA().getType(), 2) ||
      !hasRank("b", getB().getType(), 3) ||
      !hasRank("offsets", getOffsets().getType(), 1) ||
      !hasRank("the output", getOutput().getType(), 2))
    return failure();
  if (getResult().getType() != getOutput().getType())
    return emitOpError() << "the result has the type " << getResult().getType()
                         << ", but the output has " << getOutput().getType();
  auto isMarkable = [&](bool isUnsigned, StringRef name, Type type) {
    if (!isUnsigned || type.isInteger())
      return true;
    emitOpError() << name << " has elements of type " << type << ", but with "
                  << "unsigned_" << name << " they must be integers";
    return false;
  };
  if (!isMarkable(getUnsignedA(), "a", getA().getType().getElementType()) ||
      !isMarkable(getUnsignedB(), "b", getB().getType().getElementType()))
    return failure();
  llvm::SmallDenseMap<char, DimUse> known;
  for (const DimUse &use : getDimUses(*this)) {
    if (ShapedType::isDynamic(use.size))
      continue;
    auto [place, isNew] = known.try_emplace(use.dim, use);
    if (!isNew && place->second.size != use.size) {
      StringRef name = use.dim == 'b'   ? "groups"
                       : use.dim == 'm' ? "rows"
                       : use.dim == 'n' ? "columns (N)"
                                        : "terms (K)";
      return emitOpError() << use.operand << " has " << use.size << " " << name
                           << ", but " << place->second.operand << " has "
                           << place->second.size;
    }
  }
  return success();
}

SmallVector<int64_t, 4> GroupedMatmulOp::getProductSizes() {
  SmallVector<int64_t, 4> sizes(4, ShapedType::kDynamic);
  for (const DimUse &use : getDimUses(*this))
    if (!ShapedType::isDynamic(use.size))
      sizes[StringRef("bmnk").find(use.dim)] = use.size;
  return sizes;
}

LogicalResult tcgemm::verifyGroupsOfRows(KernelOp op, unsigned index) {
  OperandAttr operand = op.getOperandInfo(index);
  StringRef dims = operand.getDims();
  auto fail = [&](const Twine &rule) {
    return op.emitOpError() << "operand " << index << ": with offsets " << rule;
  };
  switch (operand.getRole()) {
  case OperandRole::Offsets:
    return index == 2 ? success() : fail("they must follow B, once");
  case OperandRole::A:
    return dims == "mk" ? success()
                        : fail("A's dims must be 'mk', but are '" + dims + "'");
  case OperandRole::B:
    return dims.starts_with("b")
               ? success()
               : fail("B's dims must begin with b, but are '" + dims + "'");
  case OperandRole::Output:
    return dims == "mn"
               ? success()
               : fail("an output's dims must be 'mn', but are '" + dims + "'");
  default:
    return success();
  }
}
