//===- RaiseGroups.cpp - Scales of groups of 4-bit elements ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a product may convert an element of 4 bits, subtract its zero
// point and multiply by its scale. An operation of its own may do the same
// first: it is fused with the product, if its result is f32. One that rounds
// the elements is not, as the kernel would not round them.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "Raise/RaiseScales.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The block argument that `value` extends by integers of any width; null if it
/// does not. Sets whether it is extended without its sign.
static BlockArgument readExtended(Value value, bool &isUnsigned) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    isUnsigned = isa<arith::ExtUIOp>(op);
    value = op->getOperand(0);
  }
  return dyn_cast<BlockArgument>(value);
}

/// The block argument that `value` converts to a float; null if it does not.
static BlockArgument readConverted(Value value, bool &isUnsigned) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(op))
    return {};
  isUnsigned = isa<arith::UIToFPOp>(op);
  bool isExtendedUnsigned = isUnsigned;
  BlockArgument argument = readExtended(op->getOperand(0), isExtendedUnsigned);
  // A sign that was extended must be read as one.
  if (isUnsigned && !isExtendedUnsigned)
    return {};
  isUnsigned = isExtendedUnsigned;
  return argument;
}

static std::optional<ShiftedElement> readDifference(Value value) {
  ShiftedElement shifted;
  if (auto sub = value.getDefiningOp<arith::SubFOp>()) {
    shifted.element = readConverted(sub.getLhs(), shifted.isUnsigned);
    shifted.zeroPoint = readConverted(sub.getRhs(), shifted.isZeroUnsigned);
  } else if (auto convert = value.getDefiningOp<arith::SIToFPOp>()) {
    auto sub = convert.getIn().getDefiningOp<arith::SubIOp>();
    // The difference of two bytes needs more than 8 bits.
    if (!sub || sub.getType().getIntOrFloatBitWidth() < 16)
      return std::nullopt;
    shifted.element = readExtended(sub.getLhs(), shifted.isUnsigned);
    shifted.zeroPoint = readExtended(sub.getRhs(), shifted.isZeroUnsigned);
  }
  if (!shifted.element || !shifted.zeroPoint ||
      !shifted.zeroPoint.getType().isInteger(8))
    return std::nullopt;
  return shifted;
}

std::optional<ShiftedElement> raise::readShifted(Value value) {
  bool isUnsigned = false;
  std::optional<ShiftedElement> shifted = readDifference(value);
  if (BlockArgument element = readConverted(value, isUnsigned))
    shifted = ShiftedElement{element, {}, isUnsigned};
  if (!shifted || !shifted->element.getType().isInteger(4))
    return std::nullopt;
  return shifted;
}

std::optional<ShiftedElement> raise::findShifted(Block *body) {
  std::optional<ShiftedElement> found;
  for (Operation &op : *body)
    for (Value result : op.getResults())
      if (std::optional<ShiftedElement> shifted = readShifted(result);
          shifted && (!found || shifted->zeroPoint))
        found = shifted;
  return found;
}

/// Checks the dimensions of scales or zero points, and that they have the same
/// groups as others. Sets their letters.
static std::string readGroupDims(Group &group, OpOperand *input,
                                 const BlockScales &scales,
                                 std::string &letters) {
  SmallVector<ScaleDim> dims;
  linalg::LinalgOp op = group.contraction;
  std::string reason =
      readDims(op.getMatchingIndexingMap(input), group.letters, dims);
  if (!reason.empty())
    return reason;
  for (const ScaleDim &dim : dims)
    letters += dim.letter;
  reason = checkLetters(scales, letters);
  if (!reason.empty())
    return reason;
  for (const ScaleDim &dim : dims) {
    bool isDepth = dim.letter == 'k';
    if (isDepth ? !isGroupDepth(dim.block) : dim.block != 1)
      return llvm::formatv(
                 "it has a {0} of {1} for each {2} elements along {3}; {4} "
                 "supported",
                 scales.isZeroPoint ? "zero point" : "scale", scales.matrix,
                 dim.block, dim.letter,
                 isDepth ? "32, 64, 128 and 256 are" : "only 1 is")
          .str();
    if (isDepth && group.scales.groupDepth &&
        group.scales.groupDepth != dim.block)
      return llvm::formatv("its scales are for groups of {0} elements, but its "
                           "zero points for groups of {1}",
                           group.scales.groupDepth, dim.block)
          .str();
    if (isDepth)
      group.scales.groupDepth = dim.block;
  }
  return "";
}

const GroupType *raise::findGroupRow(Type partner) {
  std::optional<ScalarType> type = getScalarType(partner);
  return type ? findGroupType(ScalarType::I4, *type) : nullptr;
}

/// Checks what the types of the body and its inputs must be.
static std::string checkGroupTypes(const Group &group, unsigned narrow,
                                   const ShiftedElement &shifted) {
  Type other = getElementTypeOrSelf(narrow ? group.a : group.b);
  const GroupType *row = findGroupRow(other);
  if (!row)
    return llvm::formatv("it multiplies scaled elements of 4 bits by {0}; only "
                         "f16, bf16, f8E4M3FN and f8E5M2 are supported",
                         other)
        .str();
  if (shifted.zeroPoint && !row->takesZeroPoints)
    return llvm::formatv("it subtracts zero points from elements of 4 bits "
                         "that it multiplies by {0}; only f16 and bf16 are "
                         "supported",
                         other)
        .str();
  linalg::LinalgOp op = group.contraction;
  for (Operation &inner : *op.getBlock())
    if (isa<arith::MulFOp, arith::SubFOp>(inner) &&
        !inner.getResult(0).getType().isF32())
      return llvm::formatv("it computes scaled elements in {0}; only f32 is "
                           "supported",
                           inner.getResult(0).getType())
          .str();
  bool isUnsigned = group.formats[narrow].isUnsigned;
  if (shifted.zeroPoint && shifted.isZeroUnsigned && !isUnsigned)
    return "it subtracts unsigned zero points from signed elements";
  int64_t k = op.getStaticLoopRanges()[StringRef(group.letters).find('k')];
  if (ShapedType::isStatic(k) && k % group.scales.groupDepth)
    return llvm::formatv("it has {0} elements along k, which is no multiple of "
                         "the {1} of a group",
                         k, group.scales.groupDepth)
        .str();
  return "";
}

std::string raise::matchGroups(Group &group) {
  linalg::LinalgOp op = group.contraction;
  std::optional<ShiftedElement> shifted = findShifted(op.getBlock());
  // Further inputs are scales and zero points.
  if (!shifted || shifted->element.getArgNumber() > 1)
    return "it has scales, but does not convert elements of A or B of 4 bits";
  unsigned narrow = shifted->element.getArgNumber();
  for (OpOperand *input : op.getDpsInputOperands()) {
    unsigned number = input->getOperandNumber();
    if (number < 2)
      continue;
    bool isZero =
        shifted->zeroPoint && shifted->zeroPoint.getArgNumber() == number;
    const unsigned row = narrow + (isZero ? 2 : 0);
    Type type = input->get().getType(), element = getElementTypeOrSelf(type);
    if (!isa<ShapedType>(type) ||
        !(isZero || element.isF32() || element.isF16() || element.isBF16()))
      return llvm::formatv("it reads scales of type {0}; only tensors and "
                           "buffers of f32, f16 and bf16 are supported",
                           type)
          .str();
    std::string letters;
    std::string reason =
        readGroupDims(group, input, kBlockScales[row], letters);
    if (!reason.empty())
      return reason;
    if (group.scales.values[row])
      return llvm::formatv("it reads two operands with scales of {0}",
                           kBlockScales[row].matrix)
          .str();
    group.scales.values[row] = Source{Source::Input, input->get(), letters, {}};
  }
  if (!group.scales.values[narrow])
    return "it has zero points, but no scales";
  group.scales.hasUnsignedZeros = shifted->isZeroUnsigned;
  return checkGroupTypes(group, narrow, *shifted);
}

//===----------------------------------------------------------------------===//
// Operations that scale the elements
//===----------------------------------------------------------------------===//

/// Returns whether the operation computes f32 elements as kernels do:
/// converted, less a zero point, times a scale for each group.
static bool isDequantization(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumLoops() != op.getNumParallelLoops() ||
      !op.hasPureTensorSemantics() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  Block *body = op.getBlock();
  auto mul =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!mul || !mul.getType().isF32())
    return false;
  std::optional<ShiftedElement> left = readShifted(mul.getLhs()),
                                right = readShifted(mul.getRhs());
  const ShiftedElement *shifted = left ? &*left : right ? &*right : nullptr;
  return shifted && op.getNumDpsInputs() == (shifted->zeroPoint ? 3 : 2) &&
         shifted->element.getArgNumber() == 0;
}

/// Puts B, which is input `count`, before the scales of A and behind A's
/// elements: the first two inputs of a product are A and B.
static linalg::GenericOp moveScales(RewriterBase &rewriter,
                                    linalg::GenericOp op, unsigned count) {
  SmallVector<unsigned> order{0, count};
  for (unsigned i = 1; i < count; ++i)
    order.push_back(i);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<AffineMap> before = op.getIndexingMapsArray();
  for (unsigned i : order) {
    inputs.push_back(op.getInputs()[i]);
    maps.push_back(before[i]);
  }
  maps.push_back(before.back());
  auto moved = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        IRMapping mapping;
        for (auto [place, i] : llvm::enumerate(order))
          mapping.map(op.getBlock()->getArgument(i), arguments[place]);
        mapping.map(op.getBlock()->getArguments().back(), arguments.back());
        for (Operation &inner : *op.getBlock())
          builder.clone(inner, mapping);
      },
      linalg::getPrunedAttributeList(op));
  rewriter.replaceOp(op, moved.getResults());
  return moved;
}

static FailureOr<linalg::GenericOp> makeGeneric(RewriterBase &rewriter,
                                                linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  rewriter.setInsertionPoint(op);
  return linalg::generalizeNamedOp(rewriter, op);
}

/// The operation that computes an operand of `op`, if it scales elements of 4
/// bits as kernels do for such a partner.
static linalg::GenericOp findDequantization(linalg::LinalgOp op,
                                            unsigned operand) {
  Value value = op.getDpsInputOperand(operand)->get();
  Type other = getElementTypeOrSelf(op.getDpsInputOperand(1 - operand)->get());
  auto producer = value.getDefiningOp<linalg::GenericOp>();
  const GroupType *row = findGroupRow(other);
  // A dequantization with three inputs has zero points.
  bool fits = producer && isDequantization(producer) && row &&
              (row->takesZeroPoints || producer.getNumDpsInputs() < 3);
  return fits ? producer : nullptr;
}

/// Fuses `producer`, which computes an operand of `op`. The result has the
/// user's attributes of `op`.
static void fuseOperand(RewriterBase &rewriter, linalg::LinalgOp op,
                        unsigned operand, linalg::GenericOp producer) {
  DictionaryAttr attributes = op->getDiscardableAttrDictionary();
  FailureOr<linalg::GenericOp> generic = makeGeneric(rewriter, op);
  if (failed(generic))
    return;
  unsigned count = producer.getNumDpsInputs();
  rewriter.setInsertionPoint(*generic);
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter,
                                 generic->getDpsInputOperand(operand));
  if (failed(fused))
    return;
  auto result = cast<linalg::GenericOp>(fused->fusedOp);
  rewriter.replaceOp(*generic,
                     result->getResults().take_back(generic->getNumResults()));
  if (operand == 0)
    result = moveScales(rewriter, result, count);
  result->setDiscardableAttrs(attributes);
  if (producer->use_empty())
    rewriter.eraseOp(producer);
}

void raise::fuseDequantization(func::FuncOp function,
                               function_ref<bool(linalg::LinalgOp)> select) {
  SmallVector<linalg::LinalgOp> products;
  function.walk([&](linalg::LinalgOp op) {
    if (op.getNumDpsInputs() == 2 && op.hasPureTensorSemantics() &&
        isProductSum(op) && !matchAlgebra(op) && select(op))
      products.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : products)
    for (unsigned operand : {0, 1})
      if (linalg::GenericOp producer = findDequantization(op, operand)) {
        fuseOperand(rewriter, op, operand, producer);
        break;
      }
}
