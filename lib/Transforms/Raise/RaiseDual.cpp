//===- RaiseDual.cpp - Two products in one kernel -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction and a later one that multiplies the same A by another B become
// one kernel if both results meet in an elementwise operation. A then is copied
// once, and no result is stored between the products.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseDual.h"
#include "Raise/RaiseShapes.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Target/Instructions.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// Returns whether the operation computes each element of its results from
/// those at the same place.
static bool isElementwise(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp)
    return linalgOp.getNumLoops() == linalgOp.getNumParallelLoops();
  return OpTrait::hasElementwiseMappableTraits(op);
}

/// The elementwise operations of the contraction's block that need its result.
static DenseSet<Operation *> findUsers(linalg::LinalgOp contraction) {
  DenseSet<Operation *> found;
  SmallVector<Operation *> work{contraction};
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers())
      if (user->getBlock() == contraction->getBlock() && isElementwise(user) &&
          found.insert(user).second)
        work.push_back(user);
  return found;
}

/// Returns whether one elementwise operation needs both results.
static bool meet(linalg::LinalgOp first, linalg::LinalgOp second) {
  DenseSet<Operation *> users = findUsers(first);
  return llvm::any_of(findUsers(second),
                      [&](Operation *user) { return users.contains(user); });
}

/// Returns whether an operation of the group reads what both products compute.
static bool haveMet(const Group &group) {
  llvm::SmallDenseMap<Value, unsigned> products;
  products[group.contraction->getResult(0)] = 1;
  products[group.second.contraction->getResult(0)] = 2;
  for (const FusedOp &fused : group.fused) {
    unsigned read = 0;
    for (const std::optional<Source> &source : fused.sources)
      if (source && source->kind == Source::Group)
        read |= products.lookup(source->value);
    if (read == 3)
      return true;
    for (Value result : fused.op->getResults())
      products[result] = read;
  }
  return false;
}

/// The reason why a kernel of two products does not support one of them.
static std::string checkProduct(const Group &group) {
  if (auto config =
          group.contraction->getAttrOfType<ConfigAttr>(kConfigAttrName);
      config &&
      !getFamily(config.getValue().schedule).takesDual(config.getValue()))
    return "its tcgemm.config is none for two products: they need schedule "
           "wgmma with A in the rows, TMA and one slice of k";
  if (!group.algebra.isDefault() || group.use != SumUse::Added)
    return "it does not add products";
  if (llvm::any_of(group.scales.values,
                   [](const auto &scales) { return scales.has_value(); }) ||
      !group.steps[0].empty() || !group.steps[1].empty())
    return "it has scales or functions of elements";
  if (group.a.getDefiningOp<BandOp>() || group.b.getDefiningOp<BandOp>())
    return "it has an operand with a band";
  if (!group.units.empty())
    return "it is the product of a matrix and a vector";
  if (group.summed)
    return "it has two k that are apart in memory";
  return "";
}

/// The reason why no instruction of a kernel with two products multiplies the
/// types.
static std::string checkTypes(const Group &group) {
  std::optional<ScalarType> a = getScalarType(getMatrixType(group, 0)),
                            b = getScalarType(getMatrixType(group, 1));
  if (a && b && !getAccumulatorTypes(*a, *b).empty() && !isSplitType(*a) &&
      getConvertedOperand(*a, *b) != 1 &&
      findInstruction(InstructionKind::Wgmma, *a, *b,
                      getAccumulatorTypes(*a, *b).front()))
    return "";
  return "no wgmma multiplies its types, or only with B in the rows or in "
         "parts";
}

/// The reason why `second` cannot be in the kernel of `first`.
static std::string checkPair(const Group &first, const Group &second) {
  linalg::LinalgOp op = first.contraction, other = second.contraction;
  for (const Group *group : {&first, &second})
    if (std::string reason = checkProduct(*group); !reason.empty())
      return reason;
  if (std::string reason = checkTypes(first); !reason.empty())
    return reason;
  if (getMatrixType(first, 1) != getMatrixType(second, 1) ||
      getMatrixType(first, 0) != getMatrixType(second, 0))
    return "the types of both products differ";
  if (first.aDims != second.aDims || first.bDims != second.bDims ||
      first.joins != second.joins || first.numOuter != second.numOuter ||
      first.values.front().second != second.values.front().second)
    return "the layouts of both products differ";
  if (second.init)
    return "its initial value is not zero";
  if (op->getAttr(kConfigAttrName) != other->getAttr(kConfigAttrName))
    return "the products differ in tcgemm.config";
  Operation *source = second.b.getDefiningOp();
  if (source && source->getBlock() == op->getBlock() &&
      !source->isBeforeInBlock(op))
    return "its B is computed after the other product: move that up";
  return "";
}

/// Returns whether the contraction reads `a` as its first operand, or what
/// operations that kernels look through make of it.
static bool multipliesBy(linalg::LinalgOp op, Value a) {
  Value read = op.getDpsInputOperand(0)->get();
  auto type = dyn_cast<RankedTensorType>(read.getType());
  if (!type)
    return false;
  std::string dims;
  for (int64_t i = 0; i < type.getRank(); ++i)
    dims += char('a' + i);
  do
    if (read == a)
      return true;
  while (lookThrough(read, dims));
  return false;
}

std::string raise::fuseSecond(Group &group, const Group &second,
                              Reasons &reasons) {
  if (std::string reason = checkPair(group, second); !reason.empty())
    return reason;
  Group dual = group;
  Reasons tried = reasons;
  dual.second = {second.contraction, second.b};
  dual.members.insert(second.contraction);
  dual.values[dual.second.contraction->getResult(0)] =
      second.values.front().second;
  collectConsumers(dual, tried);
  if (!haveMet(dual))
    return "the operation in which they meet is not fused";
  group = std::move(dual);
  reasons = std::move(tried);
  return "";
}

SmallVector<linalg::LinalgOp> raise::findSeconds(const Group &group) {
  SmallVector<linalg::LinalgOp> found;
  linalg::LinalgOp first = group.contraction;
  if (group.onBuffers())
    return found;
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    auto other = dyn_cast<linalg::LinalgOp>(op);
    if (other && other.hasPureTensorSemantics() && isProductSum(other) &&
        multipliesBy(other, group.a) && meet(first, other))
      found.push_back(other);
  }
  return found;
}
