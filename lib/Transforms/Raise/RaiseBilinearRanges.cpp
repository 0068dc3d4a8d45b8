//===- RaiseBilinearRanges.cpp - Products without zero blocks -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of some algebras make whole blocks of B's representation zero:
// component p of the result does not depend on component q of A. If A's and D's
// components are slices with contiguous rows, there is one product for each p,
// of the components of A that it depends on: three quarters of the work for
// dual numbers. Interleaved components are separated where that saves time.
//
//===----------------------------------------------------------------------===//

#include "Raise/BilinearExpansion.h"
#include "Raise/RaiseGroup.h"
#include "Raise/RaiseInterleaved.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The constants of one component of D, without the loop of a single component
/// of A.
BilinearExpansion::Factor
BilinearExpansion::createConstants(const ComponentRange &range) {
  DenseElementsAttr constants = getConstants();
  Factor result;
  SmallVector<int64_t> shape;
  if (range.count > 1) {
    result.loops.push_back(components.ofA);
    shape.push_back(range.count);
  }
  result.loops.push_back(components.ofB);
  shape.push_back(getConstantSize(components.ofB));
  SmallVector<Attribute> values;
  for (int64_t q = range.first; q < range.first + range.count; ++q)
    for (int64_t r = 0; r < shape.back(); ++r)
      values.push_back(getConstant(constants, range.p, q, r));
  result.value = arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             RankedTensorType::get(shape, constants.getElementType()), values));
  return result;
}

static bool isZero(Attribute value) {
  return cast<FloatAttr>(value).getValue().isZero();
}

/// The components of A that a component of D depends on.
ComponentRange BilinearExpansion::findRange(DenseElementsAttr constants,
                                            int64_t p) {
  int64_t numOfA = getConstantSize(components.ofA), first = numOfA, last = -1;
  for (int64_t q = 0; q < numOfA; ++q)
    for (int64_t r = 0; r < getConstantSize(components.ofB); ++r)
      if (!isZero(getConstant(constants, p, q, r))) {
        first = std::min(first, q);
        last = q;
      }
  // A component that is always zero depends on any.
  return last < 0 ? ComponentRange{p, 0, 1}
                  : ComponentRange{p, first, last - first + 1};
}

/// The reason why all components are one product although `zeroBlocks` could be
/// left out; empty if they need not be.
std::string BilinearExpansion::explainWhole(int64_t zeroBlocks) {
  if (llvm::any_of(op->getUsers(), llvm::IsaPred<linalg::LinalgOp>))
    return "a linalg operation reads its result, which can be fused with one "
           "product only";
  if (!isInterleaved(op, components))
    return "";
  if (!choices.maySeparate)
    return "the components are innermost in A or in its result, and no copies "
           "separate them without the option separate-components, which is "
           "for packs and whole modules";
  return explainInterleaved(op, components, zeroBlocks);
}

/// The components of A for each component of D if some are left out and there
/// is a product for each of D's; otherwise nothing.
SmallVector<ComponentRange> BilinearExpansion::findRanges() {
  DenseElementsAttr constants = getConstants();
  if (!constants)
    return {};
  int64_t work = 0;
  SmallVector<ComponentRange> ranges;
  for (int64_t p = 0; p < getConstantSize(components.ofD); ++p) {
    ranges.push_back(findRange(constants, p));
    work += ranges.back().count;
  }
  int64_t all =
      getConstantSize(components.ofA) * static_cast<int64_t>(ranges.size());
  if (work == all)
    return {};
  std::string reason = explainWhole(all - work);
  if (reason.empty())
    return ranges;
  remark::missed(
      op->getLoc(),
      remark::RemarkOpts::name("zero-blocks").category("tcgemm-raise"))
      << remark::metric("Blocks", all) << remark::metric("NonZero", work)
      << remark::reason("blocks of zeros are multiplied: {0}", reason);
  return {};
}

/// The part of a tensor with `count` places along a loop, without that loop if
/// it is one.
BilinearExpansion::Part BilinearExpansion::locate(const Factor &factor,
                                                  unsigned loop, int64_t first,
                                                  int64_t count) {
  auto type = cast<RankedTensorType>(factor.value.getType());
  Part part;
  SmallVector<int64_t> shape;
  for (auto [dim, other] : llvm::enumerate(factor.loops)) {
    bool isCut = other == loop;
    part.offsets.push_back(b.getIndexAttr(isCut ? first : 0));
    part.sizes.push_back(isCut
                             ? OpFoldResult(b.getIndexAttr(count))
                             : tensor::getMixedSize(b, b.getLoc(), factor.value,
                                                    static_cast<int64_t>(dim)));
    part.strides.push_back(b.getIndexAttr(1));
    if (isCut && count == 1)
      continue;
    part.keptSizes.push_back(part.sizes.back());
    part.loops.push_back(other);
    shape.push_back(isCut ? count : type.getShape()[dim]);
  }
  part.type = RankedTensorType::get(shape, type.getElementType());
  return part;
}

/// The tensor of such a part.
BilinearExpansion::Factor BilinearExpansion::slice(const Factor &factor,
                                                   unsigned loop, int64_t first,
                                                   int64_t count) {
  Part part = locate(factor, loop, first, count);
  if (part.type == factor.value.getType())
    return factor;
  return {tensor::ExtractSliceOp::create(b, part.type, factor.value,
                                         part.offsets, part.sizes,
                                         part.strides),
          part.loops};
}

/// Adds the initial value to a product that started with zero: the product then
/// needs no copy of it.
Value BilinearExpansion::addInit(Value product, const Factor &init,
                                 ArrayRef<OpFoldResult> sizes) {
  Value empty = tensor::EmptyOp::create(
      b, sizes, getElementTypeOrSelf(init.value.getType()));
  AffineMap identity = b.getMultiDimIdentityMap(init.loops.size());
  AffineMap maps[] = {identity, identity, identity};
  SmallVector<utils::IteratorType> iterators(init.loops.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, TypeRange{init.value.getType()},
             ValueRange{product, init.value}, ValueRange{empty}, maps,
             iterators,
             [](OpBuilder &builder, Location loc, ValueRange elements) {
               Type sum = elements[0].getType(), result = elements[1].getType();
               Value other = elements[1];
               if (sum != result)
                 other = arith::ExtFOp::create(builder, loc, sum, other);
               Value added =
                   arith::AddFOp::create(builder, loc, elements[0], other);
               if (sum != result)
                 added = arith::TruncFOp::create(builder, loc, result, added);
               linalg::YieldOp::create(builder, loc, added);
             })
      .getResult(0);
}

/// The component of B that is the whole representation of a range, as a part of
/// B or of the representation of an earlier range. None if the range has more,
/// or if the component has no contiguous rows in either.
std::optional<BilinearExpansion::Factor>
BilinearExpansion::findComponent(const ComponentRange &range) {
  DenseElementsAttr constants = getConstants();
  std::optional<int64_t> element =
      range.count == 1 ? findElement(constants, range.p, range.first)
                       : std::nullopt;
  if (!element || *element < 0)
    return std::nullopt;
  if (getLoops(kB).back() != components.ofB)
    return slice({op->getOperand(kB), getLoops(kB)}, components.ofB,
                 *element - 1, 1);
  if (!represented || represented->second.loops.back() == components.ofA)
    return std::nullopt;
  const auto &[other, factor] = *represented;
  for (int64_t q = other.first; q < other.first + other.count; ++q)
    if (findElement(constants, other.p, q) == element)
      return slice(factor, components.ofA, q - other.first, 1);
  return std::nullopt;
}

/// B's representation for one component of D: one component of B itself if its
/// only constant is 1.
BilinearExpansion::Factor
BilinearExpansion::representRange(const ComponentRange &range,
                                  const Loops &kept) {
  if (std::optional<Factor> component = findComponent(range))
    return *component;
  Loops order;
  for (unsigned loop : orderLoops())
    if (llvm::is_contained(kept, loop))
      order.push_back(loop);
  Factor result{represent(order, createConstants(range)), order};
  if (range.count > 1)
    represented = {range, result};
  return result;
}

/// Computes one component of D and inserts it into `target`.
Value BilinearExpansion::multiplyRange(const ComponentRange &range,
                                       Value target) {
  Loops kept;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != components.ofB && loop != components.ofD &&
        (loop != components.ofA || range.count > 1))
      kept.push_back(loop);
  Factor a = slice({op->getOperand(kA), getLoops(kA)}, components.ofA,
                   range.first, range.count);
  Factor representation = representRange(range, kept);
  // Sizes of what was filled, so that nothing reads the fill.
  auto fill = op->getOperand(kD).getDefiningOp<linalg::FillOp>();
  Factor init = {fill ? fill.output() : op->getOperand(kD), getLoops(kD)};
  Part part = locate(init, components.ofD, range.p, 1);
  Type type = getType(kD);
  if (!fill && type.getIntOrFloatBitWidth() < 32)
    type = b.getF32Type(); // Which adds the products, too.
  Value start =
      fill ? fill.value() : arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value empty = tensor::EmptyOp::create(b, part.keptSizes, type);
  Value product =
      createProduct({a.value, representation.value},
                    linalg::FillOp::create(b, start, empty).getResult(0),
                    {getMap(a.loops, kept), getMap(representation.loops, kept),
                     getMap(part.loops, kept)},
                    kept, isSubtraction(getAddition(op)));
  if (!fill)
    product = addInit(product, slice(init, components.ofD, range.p, 1),
                      part.keptSizes);
  return tensor::InsertSliceOp::create(b, product, target, part.offsets,
                                       part.sizes, part.strides);
}

Value BilinearExpansion::multiplyRanges(SmallVector<ComponentRange> ranges) {
  // Components of B that are neighbours are separated by the representation of
  // the longest range, of which the other ones use parts.
  if (getLoops(kB).back() == components.ofB)
    llvm::stable_sort(ranges,
                      [](const ComponentRange &a, const ComponentRange &b) {
                        return a.count > b.count;
                      });
  Value result = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, op.getLoc(), op->getOperand(kD)),
      getType(kD));
  for (const ComponentRange &range : ranges)
    result = multiplyRange(range, result);
  return result;
}
