//===- GroupedMatmulOp.cpp - Products of groups ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/Groups.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/BlockScales.h"

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
  add("a", op.getA().getType(), op.getDims(0));
  add("b", op.getB().getType(), op.getDims(1));
  add("offsets", op.getOffsets().getType(), "b");
  add("the output", op.getOutput().getType(), op.getDims(2));
  return uses;
}

std::optional<GroupKind> GroupedMatmulOp::findGroupKind() {
  return tcgemm::findGroupKind({getA().getType().getRank(),
                                getB().getType().getRank(),
                                getOutput().getType().getRank()});
}

std::string GroupedMatmulOp::getDims(unsigned operand) {
  StringRef inner = operand == 0   ? getTransposeA() ? "km" : "mk"
                    : operand == 1 ? getTransposeB() ? "nk" : "kn"
                                   : "mn";
  return getGroupKindInfo(*findGroupKind()).getDims(operand, inner);
}

/// Checks what the kind of the groups says of the operands.
static LogicalResult verifyKind(GroupedMatmulOp op) {
  std::optional<GroupKind> kind = op.findGroupKind();
  if (!kind)
    return op.emitOpError() << "a, b and the output have the ranks "
                            << op.getA().getType().getRank() << ", "
                            << op.getB().getType().getRank() << " and "
                            << op.getOutput().getType().getRank()
                            << ", but they must be " << listGroupRanks();
  if (op.getTransposeA() && getGroupKindInfo(*kind).hasRows())
    return op.emitOpError()
           << "has transpose_a, but with " << getGroupKindInfo(*kind).name
           << " groups K must be innermost in a";
  if (int64_t rank = op.getOffsets().getType().getRank(); rank != 1)
    return op.emitOpError()
           << "offsets has rank " << rank << ", but it must be 1";
  return success();
}

/// The name of a dimension in diagnostics.
static StringRef getDimText(char dim) {
  return dim == 'b'   ? "groups"
         : dim == 'm' ? "rows"
         : dim == 'n' ? "columns (N)"
                      : "terms (K)";
}

LogicalResult GroupedMatmulOp::verify() {
  if (failed(verifyKind(*this)))
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
    if (!isNew && place->second.size != use.size)
      return emitOpError() << use.operand << " has " << use.size << " "
                           << getDimText(use.dim) << ", but "
                           << place->second.operand << " has "
                           << place->second.size;
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

//===----------------------------------------------------------------------===//
// Values of groups
//===----------------------------------------------------------------------===//

/// Checks that two static sizes are equal. The names say what they count.
static LogicalResult verifySizes(GroupBroadcastOp op, const Twine &name,
                                 int64_t size, const Twine &otherName,
                                 int64_t other) {
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(other) ||
      size == other)
    return success();
  return op.emitOpError() << name << " is " << size << ", but " << otherName
                          << " is " << other;
}

LogicalResult GroupBroadcastOp::verify() {
  RankedTensorType values = getValues().getType();
  RankedTensorType offsets = getOffsets().getType();
  RankedTensorType output = getOutput().getType();
  if (getResult().getType() != output)
    return emitOpError() << "the result has the type " << getResult().getType()
                         << ", but the output has " << output;
  if (offsets.getRank() != 1)
    return emitOpError() << "offsets has rank " << offsets.getRank()
                         << ", but it must be 1";
  if (values.getRank() == 0 || values.getRank() != output.getRank())
    return emitOpError() << "values has rank " << values.getRank()
                         << ", but it must be that of the output, "
                         << output.getRank() << ", and 1 or more";
  if (values.getElementType() != output.getElementType())
    return emitOpError() << "values has elements of type "
                         << values.getElementType() << ", but the output of "
                         << output.getElementType();
  for (int64_t dim = 1; dim < values.getRank(); ++dim)
    if (failed(verifySizes(*this, "dimension " + Twine(dim) + " of values",
                           values.getDimSize(dim), "that of the output",
                           output.getDimSize(dim))))
      return failure();
  return verifySizes(*this, "the number of groups of values",
                     values.getDimSize(0), "that of offsets",
                     offsets.getDimSize(0));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::optional<unsigned> KernelOp::findOffsets() {
  for (unsigned i = 0; i < getNumOperandInfos(); ++i)
    if (OperandRole role = getOperandInfo(i).getRole();
        role == OperandRole::Offsets || role == OperandRole::Counts)
      return i;
  return std::nullopt;
}

std::optional<GroupKind> KernelOp::findGroupKind() {
  std::optional<unsigned> sizes = findOffsets();
  if (!sizes || getNumOperandInfos() < 2)
    return std::nullopt;
  return tcgemm::findGroupKind(getOperandInfo(*sizes).getRole() ==
                                   OperandRole::Counts,
                               getOperandInfo(1).getDims().contains('b'));
}

/// Returns the rule that an operand with scales breaks; empty if it breaks none
/// or is another operand. Scales have a matrix for each group if A or B has.
static std::string findScalesViolation(OperandAttr operand,
                                       const GroupKindInfo &info) {
  const BlockScales *scales = operand.getScales();
  if (!scales)
    return "";
  bool isDue = info.hasBatch[scales->matrix == kBlockScales[1].matrix];
  if (operand.getDims().contains('b') == isDue)
    return "";
  return ((scales->isZeroPoint ? "the zero points of " : "the scales of ") +
          scales->matrix + (isDue ? " need" : " cannot have") +
          " the dimension b, but the dims are '" + operand.getDims() + "'")
      .str();
}

LogicalResult tcgemm::verifyGroupedOperand(KernelOp op, unsigned index) {
  OperandAttr operand = op.getOperandInfo(index);
  std::optional<GroupKind> kind = op.findGroupKind();
  if (!kind)
    return op.emitOpError()
           << "operand 1: with counts B's dims must begin with b, but are '"
           << op.getOperandInfo(1).getDims() << "'";
  const GroupKindInfo &info = getGroupKindInfo(*kind);
  auto fail = [&](const Twine &rule) {
    return op.emitOpError()
           << "operand " << index << ": with " << info.sizes << " " << rule;
  };
  std::string dims = operand.getDims().str();
  auto require = [&](StringRef name, const std::string &due) -> LogicalResult {
    return dims == due ? success()
                       : fail(name + " dims must be '" + due + "', but are '" +
                              dims + "'");
  };
  bool sharesBytes =
      !info.hasRows() && getElementBits(operand.getElementType()) < 8;
  std::string ofScales = findScalesViolation(operand, info);
  if (!ofScales.empty())
    return fail(ofScales);
  switch (operand.getRole()) {
  case OperandRole::Offsets:
  case OperandRole::Counts:
    return index == 2 ? success() : fail("they must follow B, once");
  case OperandRole::A:
    if (sharesBytes)
      return fail("A's elements must not share bytes");
    // Groups along k may have m innermost.
    if (!info.hasRows() && dims == info.getDims(0, "km"))
      return success();
    return require("A's", info.getDims(0, "mk"));
  case OperandRole::B:
    if (sharesBytes)
      return fail("B's elements must not share bytes");
    // The rest of the verifier leaves k and n.
    return StringRef(dims).starts_with("b") == info.hasBatch[1]
               ? success()
               : fail("B's dims must begin with b, but are '" + dims + "'");
  case OperandRole::Output:
    return require("an output's", info.getDims(2, "mn"));
  default:
    return success();
  }
}
