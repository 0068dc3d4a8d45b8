//===- RaiseBuffers.cpp - Contractions on buffers ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction on tensors reads the old values of its operands. On buffers
// this holds only if its output overlaps neither A nor B. C and the output are
// the same buffer: a kernel reads an element of C immediately before it writes
// that element.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The buffer of which `value` is a view.
static Value getBase(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Returns whether two values are parts of one buffer that are known not to
/// overlap.
static bool areDisjointParts(Value left, Value right) {
  auto first = left.getDefiningOp<memref::SubViewOp>();
  auto second = right.getDefiningOp<memref::SubViewOp>();
  if (!first || !second || first.getSource() != second.getSource())
    return false;
  FailureOr<bool> overlap = ValueBoundsConstraintSet::areOverlappingSlices(
      left.getContext(), HyperrectangularSlice(first),
      HyperrectangularSlice(second));
  return succeeded(overlap) && !*overlap;
}

/// The reason why `output` must not be written while `input` is read. Adds the
/// input's name to `assumedApart` if overlap can be neither proven nor
/// excluded.
static std::string checkOverlap(Value output, Value input, StringRef name,
                                AliasAnalysis &aliases,
                                std::string &assumedApart) {
  if (aliases.alias(output, input).isNo())
    return "";
  if (getBase(output) != getBase(input)) {
    assumedApart += (assumedApart.empty() ? "" : " or ") + name.str();
    return "";
  }
  if (areDisjointParts(output, input))
    return "";
  return llvm::formatv("its output may overlap its operand {0}, which is a "
                       "view of the same buffer",
                       name)
      .str();
}

static bool isGlobalMemory(MemRefType type) {
  Attribute space = type.getMemorySpace();
  if (!space)
    return true;
  if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space))
    return gpuSpace.getValue() == gpu::AddressSpace::Global;
  auto number = dyn_cast<IntegerAttr>(space);
  return number && number.getValue().ule(1);
}

/// The type's strides; none if its layout is not strided.
static std::optional<SmallVector<int64_t>> getStrides(Value value) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(cast<MemRefType>(value.getType())
                 .getStridesAndOffset(strides, offset)))
    return std::nullopt;
  return strides;
}

/// The position of a dimension with contiguous elements, if it is not the
/// innermost dimension.
static std::optional<size_t> findContiguous(ArrayRef<int64_t> strides) {
  if (strides.empty() || strides.back() == 1 ||
      ShapedType::isDynamic(strides.back()))
    return std::nullopt;
  const int64_t *found = llvm::find(strides, 1);
  return found == strides.end()
             ? std::nullopt
             : std::optional<size_t>(found - strides.begin());
}

std::string raise::checkBuffers(Group &group, AliasAnalysis &aliases) {
  Value output = group.values.front().first;
  SmallVector<std::pair<Value, StringRef>> inputs{{group.a, "A"},
                                                  {group.b, "B"}};
  for (auto [scales, info] : llvm::zip(group.scales.values, kBlockScales))
    if (scales)
      inputs.emplace_back(scales->value, info.name);
  SmallVector<Value> buffers = llvm::to_vector(llvm::make_first_range(inputs));
  buffers.push_back(output);
  for (Value value : buffers) {
    auto type = cast<MemRefType>(value.getType());
    if (!isGlobalMemory(type))
      return llvm::formatv("it has a buffer in the memory space {0}; only "
                           "global memory is supported",
                           type.getMemorySpace())
          .str();
    if (!getStrides(value))
      return llvm::formatv("it has a buffer of type {0}, whose layout has no "
                           "strides",
                           type)
          .str();
  }
  std::optional<SmallVector<int64_t>> strides = getStrides(output);
  // A number has no neighbours.
  int64_t inner = strides->empty() ? 1 : strides->back();
  if (inner != 1 && ShapedType::isStatic(inner) && !findContiguous(*strides))
    return llvm::formatv("its output has elements {0} apart; a kernel writes "
                         "rows without gaps",
                         inner)
        .str();
  for (auto [value, name] : inputs)
    if (std::string reason =
            checkOverlap(output, value, name, aliases, group.assumedApart);
        !reason.empty())
      return reason;
  return "";
}

/// Returns whether `op`, or anything inside it, may read or write the memory of
/// `buffer`.
static bool mayTouch(Operation *op, Value buffer, AliasAnalysis &aliases) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](const auto &effect) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      return false;
    Value value = effect.getValue();
    return !value || !aliases.alias(value, buffer).isNo();
  });
}

/// The fill of `output` before `op`, if no operation between them may read or
/// write that memory.
static linalg::FillOp findFill(Operation *op, Value output,
                               AliasAnalysis &aliases) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (fill && fill.hasPureBufferSemantics() && fill.output() == output)
      return fill.value().getType() == getElementTypeOrSelf(output)
                 ? fill
                 : linalg::FillOp();
    if (mayTouch(before, output, aliases))
      return {};
  }
  return {};
}

void raise::resolveBufferInit(Group &group, AliasAnalysis &aliases) {
  auto &[output, dims] = group.values.front();
  group.fill = findFill(group.contraction, output, aliases);
  if (!group.fill) {
    group.init = Source{Source::Input, output, dims, {}};
    return;
  }
  TypedAttr constant;
  Value value = group.fill.value();
  if (!matchPattern(value, m_Constant(&constant)))
    group.init = Source{Source::Scalar, value, "", {}};
  else if (!isNeutral(group, constant))
    group.init = Source{Source::Constant, value, "", constant};
}

/// The buffer `value` with its contiguous dimension innermost.
static Value transpose(OpBuilder &builder, Location loc, Value value,
                       std::string &dims) {
  std::optional<SmallVector<int64_t>> strides = getStrides(value);
  std::optional<size_t> inner = findContiguous(*strides);
  // The batch cannot be a matrix's innermost dimension.
  if (!inner || isOuter(dims[*inner]))
    return value;
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < dims.size(); ++i)
    if (i != *inner)
      order.push_back(i);
  order.push_back(*inner);
  std::string transposed;
  for (unsigned i : order)
    transposed += dims[i];
  dims = transposed;
  return memref::TransposeOp::create(
      builder, loc, value,
      AffineMapAttr::get(
          AffineMap::getPermutationMap(order, builder.getContext())));
}

void raise::transposeBuffers(Group &group) {
  OpBuilder builder(group.contraction);
  Location loc = group.contraction.getLoc();
  group.a = transpose(builder, loc, group.a, group.aDims);
  group.b = transpose(builder, loc, group.b, group.bDims);
  auto [output, dims] = group.values.front();
  Value transposed = transpose(builder, loc, output, dims);
  group.values.clear();
  group.values[transposed] = dims;
  if (group.init && group.init->kind == Source::Input)
    group.init = Source{Source::Input, transposed, dims, {}};
}
