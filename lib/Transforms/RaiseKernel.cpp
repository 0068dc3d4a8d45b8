//===- RaiseKernel.cpp - Write a group as kernel and launch -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

namespace {
class KernelBuilder {
public:
  explicit KernelBuilder(Group &group);
  LaunchOp build(SymbolTable &symbols, Operation *function, StringRef name);

private:
  void swapOperands();
  Value addOperand(OperandRole role, Value value, StringRef dims);
  Value materialize(const Source &source);
  void buildAccumulator();
  void buildBody(FusedOp &fused);
  SmallVector<int64_t> getSizes();
  Value getSize(char letter);
  Value getDestination(Value output);

  Group &group;
  Location loc;
  SmallVector<Value> outputs;
  Region region;
  OpBuilder body;  ///< Writes the epilogue.
  OpBuilder outer; ///< Writes beside the launch.
  SmallVector<Attribute> infos;
  SmallVector<Value> inputs;
  llvm::DenseMap<std::pair<Value, StringAttr>, Value> loaded;
  /// The scalar that stands for each of the group's tensors.
  llvm::DenseMap<Value, Value> scalars;
  llvm::DenseSet<Value> destinations;
};
} // namespace

KernelBuilder::KernelBuilder(Group &group)
    : group(group), loc(group.contraction.getLoc()),
      outputs(group.getOutputs()), body(loc.getContext()),
      outer(group.getLast()) {
  Block &block = region.emplaceBlock();
  block.addArgument(body.getF32Type(), loc);
  body.setInsertionPointToEnd(&block);
}

static void swapLetters(std::string &letters) {
  for (char &letter : letters)
    letter = letter == 'm' ? 'n' : letter == 'n' ? 'm' : letter;
}

/// Where every output has n outside m, computes the transpose instead, so that
/// the kernel writes along rows.
void KernelBuilder::swapOperands() {
  if (!llvm::all_of(outputs, [&](Value output) {
        StringRef dims = group.values[output];
        return dims.find('n') < dims.find('m');
      }))
    return;
  std::swap(group.a, group.b);
  std::swap(group.aDims, group.bDims);
  swapLetters(group.aDims);
  swapLetters(group.bDims);
  swapLetters(group.letters);
  if (group.init)
    swapLetters(group.init->dims);
  for (auto &[value, dims] : group.values)
    swapLetters(dims);
  for (FusedOp &fused : group.fused) {
    swapLetters(fused.letters);
    for (std::optional<Source> &source : fused.sources)
      if (source)
        swapLetters(source->dims);
  }
}

/// Declares an operand; gives its element in the epilogue if it is an input.
Value KernelBuilder::addOperand(OperandRole role, Value value, StringRef dims) {
  Type type = getElementTypeOrSelf(value);
  auto info = OperandAttr::get(loc.getContext(), role, type, dims);
  if (role == OperandRole::Output) {
    infos.push_back(info);
    return {};
  }
  bool isMatrix = role == OperandRole::A || role == OperandRole::B;
  auto key = std::pair(value, body.getStringAttr(dims));
  if (Value element = loaded.lookup(key); element && !isMatrix)
    return element;
  infos.push_back(info);
  inputs.push_back(value);
  if (isMatrix)
    return {};
  return loaded[key] = region.front().addArgument(type, value.getLoc());
}

Value KernelBuilder::materialize(const Source &source) {
  switch (source.kind) {
  case Source::Group:
    return scalars.lookup(source.value);
  case Source::Constant:
    return arith::ConstantOp::create(body, loc, source.constant);
  case Source::Scalar:
    return addOperand(OperandRole::Scalar, source.value, "");
  case Source::Input:
    return addOperand(OperandRole::Input, source.value, source.dims);
  }
  llvm_unreachable("covered switch");
}

/// The contraction's own result: the sum and C, in f32, then rounded once.
void KernelBuilder::buildAccumulator() {
  Value result = group.contraction->getResult(0);
  Type type = getElementTypeOrSelf(result);
  Value sum = region.front().getArgument(0);
  if (group.init) {
    Value added = materialize(*group.init);
    if (added.getType() != sum.getType())
      added = arith::ExtFOp::create(body, loc, sum.getType(), added);
    sum = arith::AddFOp::create(body, loc, sum, added);
  }
  if (type != sum.getType())
    sum = arith::TruncFOp::create(body, loc, type, sum);
  scalars[result] = sum;
}

void KernelBuilder::buildBody(FusedOp &fused) {
  IRMapping mapping;
  Block *block = fused.op.getBlock();
  for (auto [index, source] : llvm::enumerate(fused.sources))
    if (source)
      mapping.map(block->getArgument(index), materialize(*source));
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(fused.op->getRegions(), captured);
  for (Value value : captured) {
    TypedAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      mapping.map(value,
                  arith::ConstantOp::create(body, value.getLoc(), constant));
    else
      mapping.map(value, addOperand(OperandRole::Scalar, value, ""));
  }
  for (Operation &inner : block->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (!index) {
      body.clone(inner, mapping);
      continue;
    }
    char letter = fused.letters[index.getDim()];
    mapping.map(index.getResult(),
                IndexOp::create(body, inner.getLoc(), body.getIndexType(),
                                StringRef(&letter, 1)));
  }
  for (auto [result, value] :
       llvm::zip(fused.op->getResults(), block->getTerminator()->getOperands()))
    scalars[result] = mapping.lookupOrDefault(value);
}

/// Every static size that some operand knows.
SmallVector<int64_t> KernelBuilder::getSizes() {
  const StringRef letters = "bmnk";
  SmallVector<int64_t> sizes(4, ShapedType::kDynamic);
  if (!StringRef(group.letters).contains('b'))
    sizes[0] = 1;
  auto note = [&](Value value, StringRef dims) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    for (size_t i = 0; type && i < dims.size(); ++i)
      if (!type.isDynamicDim(i))
        sizes[letters.find(dims[i])] = type.getDimSize(i);
  };
  note(group.a, group.aDims);
  note(group.b, group.bDims);
  for (auto &[value, dims] : group.values)
    note(value, dims);
  for (auto [input, info] : llvm::zip(inputs, infos))
    note(input, cast<OperandAttr>(info).getDims());
  for (auto [loop, size] :
       llvm::enumerate(group.contraction.getStaticLoopRanges()))
    if (ShapedType::isStatic(size))
      sizes[letters.find(group.letters[loop])] = size;
  return sizes;
}

/// The run-time size of a dimension, from A or B.
Value KernelBuilder::getSize(char letter) {
  size_t position = group.aDims.find(letter);
  if (position != std::string::npos)
    return tensor::DimOp::create(outer, loc, group.a, position);
  position = group.bDims.find(letter);
  return tensor::DimOp::create(outer, loc, group.b, position);
}

/// The tensor that an output overwrites: what its operation overwrote, unless
/// the group computes that, another output has it, or it comes too late.
Value KernelBuilder::getDestination(Value output) {
  Value destination = output;
  while (group.values.contains(destination)) {
    auto result = cast<OpResult>(destination);
    auto op = cast<linalg::LinalgOp>(result.getOwner());
    destination = op.getDpsInits()[result.getResultNumber()];
  }
  // A fill or broadcast was read through; what it wrote to will do.
  Value source = destination;
  std::string dims = group.values[output];
  if (auto fill = destination.getDefiningOp<linalg::FillOp>())
    destination = fill.output();
  else if (lookThrough(source, dims))
    destination =
        destination.getDefiningOp<linalg::LinalgOp>().getDpsInits()[0];
  Operation *definition = destination.getDefiningOp();
  bool isConstant = definition && definition->hasTrait<OpTrait::ConstantLike>();
  if (destination.getType() == output.getType() && !isConstant &&
      !(definition && group.dependents.contains(definition)) &&
      destinations.insert(destination).second)
    return destination;
  auto type = cast<RankedTensorType>(output.getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(getSize(group.values[output][i]));
  return tensor::EmptyOp::create(outer, loc, type, sizes);
}

LaunchOp KernelBuilder::build(SymbolTable &symbols, Operation *function,
                              StringRef name) {
  swapOperands();
  addOperand(OperandRole::A, group.a, group.aDims);
  addOperand(OperandRole::B, group.b, group.bDims);
  buildAccumulator();
  for (FusedOp &fused : group.fused)
    buildBody(fused);
  SmallVector<Value> results, targets;
  for (Value output : outputs) {
    addOperand(OperandRole::Output, output, group.values[output]);
    results.push_back(scalars[output]);
    targets.push_back(getDestination(output));
  }
  YieldOp::create(body, loc, results);

  OpBuilder builder(function);
  auto kernel = KernelOp::create(builder, loc, name, getSizes(),
                                 builder.getArrayAttr(infos),
                                 /*size_hint=*/nullptr, /*chip=*/nullptr,
                                 /*config=*/nullptr, /*provided=*/false,
                                 /*plan=*/nullptr);
  kernel.getEpilogue().takeBody(region);
  symbols.insert(kernel); // Makes the name unique.
  auto launch = LaunchOp::create(
      outer, group.getLast()->getLoc(), ValueRange(targets).getTypes(),
      FlatSymbolRefAttr::get(kernel.getSymNameAttr()), inputs, targets);
  for (auto [output, result] : llvm::zip(outputs, launch.getResults()))
    output.replaceAllUsesWith(result);
  return launch;
}

/// Erases the operations that nothing uses any more, and what they alone used.
static void eraseDead(SetVector<Operation *> worklist) {
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        worklist.insert(definition);
    op->erase();
  }
}

LaunchOp raise::buildKernel(Group &group, SymbolTable &symbols,
                            Operation *function, StringRef name) {
  Operation *last = group.getLast();
  LaunchOp launch = KernelBuilder(group).build(symbols, function, name);
  // Users of the outputs that stood between move behind, in their order.
  Operation *position = last;
  for (Operation *op : group.dependents) {
    if (!op->isBeforeInBlock(last))
      continue;
    op->moveAfter(position);
    position = op;
  }
  SetVector<Operation *> replaced;
  replaced.insert(group.contraction);
  for (FusedOp &fused : group.fused)
    replaced.insert(fused.op);
  eraseDead(std::move(replaced));
  return launch;
}
