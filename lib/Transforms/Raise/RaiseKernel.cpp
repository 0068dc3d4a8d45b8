//===- RaiseKernel.cpp - Write a group as kernel and launch -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "Raise/RaiseIndices.h"
#include "Raise/RaiseRepresentation.h"
#include "Raise/RaiseResults.h"
#include "Raise/RaiseShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  LaunchOp build(KernelPool &kernels, Operation *function, StringRef name);

private:
  void swapOperands();
  Value addOutput(Value output);
  Value addOperand(OperandRole role, Value value, StringRef dims);
  void addScales();
  void addGroupOffsets();
  Value materialize(const Source &source);
  void buildSecond();
  void buildAccumulator();
  void buildBody(FusedOp &fused);
  void buildTransform(unsigned operand);
  Value buildStep(OpBuilder &builder, const ElementStep &step, Value element);
  void finishTransforms();
  SmallVector<int64_t> getSizes();
  bool isInPlace(ValueRange targets) const;
  KernelOp createKernel(KernelPool &kernels, Operation *function,
                        StringRef name, bool isInPlace);

  Group &group;
  Location loc;
  SmallVector<Value> outputs;
  Region region, transforms[2];
  OpBuilder body;  ///< Writes the epilogue.
  OpBuilder outer; ///< Writes next to the launch.
  LaunchResults results;
  SmallVector<Attribute> infos;
  SmallVector<Value> inputs;
  llvm::DenseMap<std::pair<Value, StringAttr>, Value> loaded;
  /// The epilogue's scalar for each of the group's tensors.
  llvm::DenseMap<Value, Value> scalars;
};
} // namespace

KernelBuilder::KernelBuilder(Group &group)
    : group(group), loc(group.contraction.getLoc()),
      outputs(group.getOutputs()), body(loc.getContext()),
      outer(group.getLast()), results(group, outer) {
  Block &block = region.emplaceBlock();
  block.addArgument(
      getElementType(getSumType(getElementTypeOrSelf(group.a.getType()),
                                getElementTypeOrSelf(group.b.getType())),
                     loc.getContext()),
      loc);
  body.setInsertionPointToEnd(&block);
}

/// If every output has n outside m, computes the transpose instead, so that the
/// kernel writes along rows. A vector becomes the only row. Elements that are
/// numbered column by column are rows of the transpose.
void KernelBuilder::swapOperands() {
  auto isColumnMajor = [&](Value output) {
    StringRef dims = group.values[output];
    return group.findReduction(output) || dims.find('n') < dims.find('m');
  };
  std::optional<Numbering> numbering = findNumbering(group);
  bool exchanges = group.units.size() == 1 ? group.units == "n"
                   : numbering ? *numbering == Numbering::Columns
                               : llvm::all_of(outputs, isColumnMajor);
  if (exchanges && canExchangeOperands(group))
    group.exchangeOperands();
}

/// Declares an output. Returns what the launch overwrites.
Value KernelBuilder::addOutput(Value output) {
  std::string dims;
  Value target = results.createTarget(output, dims);
  const Reduction *reduction = group.findReduction(output);
  infos.push_back(OperandAttr::get(
      loc.getContext(), OperandRole::Output, getElementTypeOrSelf(output), dims,
      /*group=*/0, reduction ? reduction->info : ReductionAttr(),
      ConvolutionAttr(), BandAttr(), RepresentationAttr()));
  return target;
}

/// Declares an operand; returns its element in the epilogue if it is an input.
/// An input whose joined dimensions are apart is transposed before the launch.
Value KernelBuilder::addOperand(OperandRole role, Value value, StringRef dims) {
  // The epilogue does not read these.
  bool isA = role == OperandRole::A;
  bool isB = role == OperandRole::B || role == OperandRole::B2;
  bool isMatrix = isA || isB;
  Type type = getElementTypeOrSelf(value);
  auto key = std::pair(value, body.getStringAttr(dims));
  std::string stored = group.getStoredOrder(dims);
  if (role == OperandRole::Input && !group.canFold(dims)) {
    value = transposeTensor(outer, loc, value, dims, stored);
    dims = stored;
  }
  std::string kernelDims = group.fold(dims);
  auto windows = isA ? value.getDefiningOp<Im2colOp>() : Im2colOp();
  auto band = isMatrix ? value.getDefiningOp<BandOp>() : BandOp();
  RepresentOp represented = findRepresented(group, role);
  if (band)
    value = band.getMatrix();
  if (represented)
    value = collapseComponents(outer, represented.getNumbers());
  else if (windows)
    value = collapsePixels(outer, windows.getImages());
  else if (role != OperandRole::Scalar)
    value = foldDims(outer, group, value, dims);
  for (char unit : group.units)
    if (unit == 'm' ? isA : isB)
      value = addUnits(outer, value, kernelDims, StringRef(&unit, 1));
  if (isMatrix)
    type = getMatrixType(group, isB);
  auto info = OperandAttr::get(
      loc.getContext(), role, type, kernelDims, /*group=*/0, ReductionAttr(),
      windows ? windows.getConvolution() : ConvolutionAttr(),
      band ? band.getBand() : BandAttr(),
      represented ? represented.getRepresentation() : RepresentationAttr());
  if (Value element = loaded.lookup(key); element && !isMatrix)
    return element;
  infos.push_back(info);
  inputs.push_back(value);
  return isMatrix
             ? Value()
             : loaded[key] = region.front().addArgument(type, value.getLoc());
}

/// Declares the sizes of groups, which the epilogue does not read.
void KernelBuilder::addGroupOffsets() {
  if (!group.offsets)
    return;
  OperandRole role = getGroupKindInfo(group.division.kind).hasCounts
                         ? OperandRole::Counts
                         : OperandRole::Offsets;
  infos.push_back(OperandAttr::get(loc.getContext(), role,
                                   getElementTypeOrSelf(group.offsets), "b"));
  inputs.push_back(group.offsets);
}

/// Declares the scales and zero points, which the epilogue does not read.
void KernelBuilder::addScales() {
  constexpr OperandRole roles[] = {OperandRole::ScaleA, OperandRole::ScaleB,
                                   OperandRole::ZeroA, OperandRole::ZeroB};
  for (auto [scales, role] : llvm::zip_equal(group.scales.values, roles)) {
    if (!scales)
      continue;
    Type type = getElementTypeOrSelf(scales->value);
    if (group.scales.hasUnsignedZeros &&
        (role == OperandRole::ZeroA || role == OperandRole::ZeroB))
      type = IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(),
                              IntegerType::Unsigned);
    infos.push_back(OperandAttr::get(loc.getContext(), role, type, scales->dims,
                                     group.scales.groupDepth));
    inputs.push_back(scales->value);
  }
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

/// Builds the result of the second product: the sum, rounded once.
void KernelBuilder::buildSecond() {
  if (!group.second.contraction)
    return;
  addOperand(OperandRole::B2, group.second.b, group.bDims);
  Value result = group.second.contraction->getResult(0);
  Type type = getElementTypeOrSelf(result);
  Block &block = region.front();
  Value sum = block.addArgument(block.getArgument(0).getType(), loc);
  scalars[result] = type == sum.getType()
                        ? sum
                        : arith::TruncFOp::create(body, loc, type, sum);
}

/// Builds the contraction's result: the sum and C in the type of the sum,
/// rounded once.
void KernelBuilder::buildAccumulator() {
  Value result = group.contraction->getNumResults()
                     ? group.contraction->getResult(0)
                     : group.values.front().first;
  Type type = getElementTypeOrSelf(result);
  Value sum = region.front().getArgument(0), added;
  if (group.init) {
    added = materialize(*group.init);
    if (added.getType() != sum.getType())
      added = arith::ExtFOp::create(body, loc, sum.getType(), added);
  }
  sum = createResult(body, loc, group, added, sum);
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
  SetVector<Value> needed = getReducedValues(fused, outputs);
  for (Value value : captured) {
    TypedAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      mapping.map(value,
                  arith::ConstantOp::create(body, value.getLoc(), constant));
    else if (fused.reductions.empty() || needed.contains(value))
      mapping.map(value, addOperand(OperandRole::Scalar, value, ""));
  }
  for (Operation &inner : block->without_terminator()) {
    if (!fused.reductions.empty() && !needed.contains(inner.getResult(0)))
      continue;
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
  SmallVector<Value> values(block->getTerminator()->getOperands());
  for (auto [number, reduction] : llvm::enumerate(fused.reductions))
    values[number] = reduction.value;
  for (auto [result, value] : llvm::zip(fused.op->getResults(), values))
    scalars[result] = mapping.lookupOrDefault(value);
}

/// Writes a step of an element's function. Returns its value.
Value KernelBuilder::buildStep(OpBuilder &builder, const ElementStep &step,
                               Value element) {
  IRMapping mapping;
  Block *block = step.element.getOwner();
  SetVector<Value> needed = getNeeded(block, step.result);
  auto copyConstant = [&](Value value, TypedAttr constant) {
    mapping.map(value,
                arith::ConstantOp::create(builder, value.getLoc(), constant));
  };
  for (Value value : needed) {
    TypedAttr constant;
    if (value.getParentBlock() == block)
      continue;
    if (matchPattern(value, m_Constant(&constant)))
      copyConstant(value, constant);
    else
      mapping.map(value, addOperand(OperandRole::Scalar, value, ""));
  }
  for (const auto &[argument, source] : step.sources) {
    if (source.kind == Source::Constant)
      copyConstant(argument, source.constant);
    else
      mapping.map(argument, materialize(source));
  }
  mapping.map(step.element, element);
  for (Operation &inner : block->without_terminator())
    if (llvm::any_of(inner.getResults(),
                     [&](Value result) { return needed.contains(result); }))
      builder.clone(inner, mapping);
  return mapping.lookupOrDefault(step.result);
}

/// Writes the function of the elements of A (0) or B (1), with the arguments of
/// the epilogue for the inputs.
void KernelBuilder::buildTransform(unsigned operand) {
  if (group.steps[operand].empty())
    return;
  Block &block = transforms[operand].emplaceBlock();
  Value matrix = operand ? group.b : group.a;
  Value element = block.addArgument(getElementTypeOrSelf(matrix), loc);
  OpBuilder builder(loc.getContext());
  builder.setInsertionPointToEnd(&block);
  for (const ElementStep &step : group.steps[operand])
    element = buildStep(builder, step, element);
  YieldOp::create(builder, loc, element);
}

/// Gives the functions arguments of their own for the inputs.
void KernelBuilder::finishTransforms() {
  for (Region &transform : transforms)
    if (!transform.empty())
      for (BlockArgument shared : region.getArguments().drop_front()) {
        Value own = transform.addArgument(shared.getType(), shared.getLoc());
        shared.replaceUsesWithIf(own, [&](OpOperand &use) {
          return use.getOwner()->getParentRegion() == &transform;
        });
      }
}

/// The sizes that are static in at least one operand.
SmallVector<int64_t> KernelBuilder::getSizes() {
  llvm::SmallDenseMap<char, int64_t> known; // The extents of loops, by letter.
  auto note = [&](Value value, StringRef dims) {
    auto type = dyn_cast<ShapedType>(value.getType());
    for (size_t i = 0; type && i < dims.size(); ++i)
      if (!type.isDynamicDim(i))
        known[dims[i]] = type.getDimSize(i);
  };
  for (auto [input, info] : llvm::zip(inputs, infos))
    if (auto operand = cast<OperandAttr>(info);
        group.joins.empty() && !operand.getScales())
      note(input, operand.getDims());
  note(group.a, group.aDims);
  note(group.b, group.bDims);
  for (auto &[value, dims] : group.values)
    note(value, dims);
  for (auto [loop, size] :
       llvm::enumerate(group.contraction.getStaticLoopRanges()))
    if (ShapedType::isStatic(size))
      known[group.letters[loop]] = size;
  return group.joinSizes(std::move(known));
}

/// Returns true if launches may pass an input, such as C, as the output. On
/// tensors they do so only if it is writable; other kernels do not need the
/// checks.
bool KernelBuilder::isInPlace(ValueRange targets) const {
  if (group.onBuffers())
    return group.init && group.init->kind == Source::Input;
  auto isStored = [&](Value output) { return !group.findReduction(output); };
  if (llvm::count_if(outputs, isStored) != 1 ||
      !isWritableArgument(targets.front()))
    return false;
  std::string dims = group.values.lookup(outputs.front());
  return llvm::any_of(llvm::zip_first(inputs, infos), [&](auto operand) {
    auto info = cast<OperandAttr>(std::get<1>(operand));
    return info.getRole() == OperandRole::Input &&
           std::get<0>(operand) == targets.front() && info.getDims() == dims;
  });
}

KernelOp KernelBuilder::createKernel(KernelPool &kernels, Operation *function,
                                     StringRef name, bool isInPlace) {
  OpBuilder builder(function);
  auto kernel = KernelOp::create(
      builder, loc, name, getSizes(), builder.getArrayAttr(infos),
      getSizeHint(group), /*chip=*/nullptr,
      group.contraction->getDiscardableAttr(kConfigAttrName),
      /*provided=*/false, /*plan=*/nullptr, isInPlace,
      group.algebra.isDefault()
          ? AlgebraAttr()
          : AlgebraAttr::get(builder.getContext(), group.algebra),
      group.contraction->hasAttr(kSymmetricAttrName), group.division.isChecked);
  finishTransforms();
  kernel.getEpilogue().takeBody(region);
  kernel.getTransformA().takeBody(transforms[0]);
  kernel.getTransformB().takeBody(transforms[1]);
  return kernels.unify(kernel, name);
}

LaunchOp KernelBuilder::build(KernelPool &kernels, Operation *function,
                              StringRef name) {
  swapOperands();
  addOperand(OperandRole::A, group.a, group.aDims);
  addOperand(OperandRole::B, group.b, group.bDims);
  addGroupOffsets();
  buildSecond();
  addScales();
  for (unsigned operand : {0, 1})
    buildTransform(operand);
  buildAccumulator();
  for (FusedOp &fused : group.fused)
    buildBody(fused);
  SmallVector<Value> yielded, targets;
  for (Value output : outputs) {
    yielded.push_back(scalars[output]);
    targets.push_back(addOutput(output));
  }
  YieldOp::create(body, loc, yielded);
  KernelOp kernel = createKernel(kernels, function, name, isInPlace(targets));
  auto symbol = FlatSymbolRefAttr::get(kernel.getSymNameAttr());
  Location place = group.getLast()->getLoc();
  if (group.onBuffers())
    return LaunchOp::create(outer, place, TypeRange(), symbol, inputs, targets);
  auto launch = LaunchOp::create(outer, place, ValueRange(targets).getTypes(),
                                 symbol, inputs, targets);
  for (auto [output, result] : llvm::zip(outputs, launch.getResults()))
    output.replaceAllUsesWith(results.restore(result, output));
  return launch;
}

LaunchOp raise::buildKernel(Group &group, KernelPool &kernels,
                            Operation *function, StringRef name) {
  Operation *last = group.getLast();
  LaunchOp launch = KernelBuilder(group).build(kernels, function, name);
  // Users of the outputs before the launch move after it, in their order. All
  // are collected first, because moving invalidates the block's order.
  SmallVector<Operation *> moved;
  for (Operation *op : group.dependents)
    if (op->isBeforeInBlock(last))
      moved.push_back(op);
  Operation *position = last;
  for (Operation *op : moved) {
    op->moveAfter(position);
    position = op;
  }
  if (group.onBuffers()) {
    if (group.fill)
      group.fill->erase();
    group.contraction->erase();
    return launch;
  }
  SetVector<Operation *> replaced;
  replaced.insert(group.contraction);
  if (group.second.contraction)
    replaced.insert(group.second.contraction);
  for (FusedOp &fused : group.fused)
    replaced.insert(fused.op);
  eraseDead(std::move(replaced));
  return launch;
}
