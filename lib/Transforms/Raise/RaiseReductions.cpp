//===- RaiseReductions.cpp - Reductions of a contraction's result ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction's body computes a value from the elements of its inputs, as an
// elementwise operation does, and combines it with the result so far. The value
// becomes part of the epilogue; the kernel combines the values in an order of
// its own.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

TypedAttr raise::findInitial(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getInputs().front();
  TypedAttr constant;
  if (!matchPattern(init, m_Constant(&constant)))
    return {};
  if (auto elements = dyn_cast<DenseElementsAttr>(constant))
    return elements.isSplat()
               ? cast<TypedAttr>(elements.getSplatValue<Attribute>())
               : TypedAttr();
  return constant;
}

/// The names of the combiners that are operations of arith.
static std::string getValueCombiners() {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i < kNumCombiners; ++i)
    if (getStateKind(Combiner(i)) == StateKind::Value)
      names.push_back(getCombinerName(Combiner(i)));
  return llvm::join(names, ", ");
}

std::string raise::matchReduction(FusedOp &fused) {
  linalg::LinalgOp op = fused.op;
  if (op.getNumDpsInits() != 1)
    return matchStates(fused);
  if (op.hasIndexSemantics())
    return "it is a reduction of one result with coordinates";
  BlockArgument total = op.getRegionOutputArgs().front();
  Operation *combination =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  StringRef name =
      combination ? combination->getName().stripDialect() : StringRef();
  std::optional<Combiner> combiner = parseCombiner(name);
  if (!combiner || getStateKind(*combiner) != StateKind::Value ||
      !isa<arith::ArithDialect>(combination->getDialect()) ||
      !total.hasOneUse() || *total.user_begin() != combination)
    return llvm::formatv("it is a reduction that does not combine by one of "
                         "{0}",
                         getValueCombiners())
        .str();
  std::optional<ScalarType> type = getScalarType(total.getType());
  if (!type || !canCombine(*combiner, *type))
    return llvm::formatv("it combines values of type {0}; reductions of f32, "
                         "f64 and i32 are fused",
                         total.getType())
        .str();
  TypedAttr initial = findInitial(op.getDpsInits().front());
  if (!initial)
    return "it is a reduction whose initial value is not a constant";
  unsigned other = combination->getOperand(0) == total ? 1 : 0;
  fused.reductions = {{combination->getOperand(other),
                       ReductionAttr::get(op.getContext(), *combiner, initial),
                       {}}};
  return "";
}

SetVector<Value> raise::getReducedValues(const FusedOp &fused,
                                         ArrayRef<Value> outputs) {
  SetVector<Value> values;
  linalg::LinalgOp op = fused.op;
  for (auto [result, reduction] : llvm::zip(op->getResults(), fused.reductions))
    if (llvm::is_contained(outputs, result))
      values.insert_range(getNeeded(op.getBlock(), reduction.value));
  return values;
}

std::optional<std::string> raise::findReducedDims(const FusedOp &fused) {
  linalg::LinalgOp op = fused.op;
  // Partial results have one batch, and rows and columns of one index each.
  if (StringRef(fused.letters).find_first_not_of("bmn") != StringRef::npos)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.getMatchingIndexingMap(&init) != map)
      return std::nullopt;
  std::optional<std::string> dims = getDims(map, fused.letters);
  if (dims && StringRef(*dims).contains('m') && StringRef(*dims).contains('n'))
    return std::nullopt;
  return dims;
}
