//===- RaiseFusion.cpp - Fusion with a contraction --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch has the position of the last fused operation, where all operands
// are available. Operations before that position that need an output of the
// group move after it. A dependent operation with side effects therefore ends
// the fusion, and an operation that reads a dependent's result cannot be fused.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tcgemm/Dialect/EpilogueTypes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

SmallVector<Value> Group::getOutputs() const {
  if (onBuffers())
    return {values.front().first};
  SmallVector<Value> outputs, reduced;
  Value last;
  for (const auto &[value, dims] : values) {
    bool isReduced = findReduction(value);
    if (!isReduced)
      last = value;
    if (llvm::any_of(value.getUsers(),
                     [&](Operation *user) { return !members.contains(user); }))
      (isReduced ? reduced : outputs).push_back(value);
  }
  if (outputs.empty() && !reduced.empty())
    outputs.push_back(last);
  llvm::append_range(outputs, reduced);
  return outputs;
}

const Reduction *Group::findReduction(Value value) const {
  for (const FusedOp &op : fused)
    for (auto [number, reduction] : llvm::enumerate(op.reductions))
      if (op.op->getResult(number) == value)
        return &reduction;
  return nullptr;
}

static void swapLetters(std::string &letters) {
  for (char &letter : letters)
    letter = letter == 'm' ? 'n' : letter == 'n' ? 'm' : letter;
}

bool raise::canExchangeOperands(const Group &group) {
  // Both products of a kernel share A, and only A has windows. The blocks of
  // A's scales differ from those of B's, but groups do not. Groups of rows are
  // those of A.
  return !group.second.contraction && !group.offsets &&
         !group.a.getDefiningOp<Im2colOp>() &&
         (group.scales.groupDepth ||
          (!group.scales.values[0] && !group.scales.values[1]));
}

void Group::exchangeOperands() {
  if (units == "n")
    units = "m";
  std::swap(a, b);
  std::swap(aDims, bDims);
  std::swap(formats[0], formats[1]);
  std::swap(steps[0], steps[1]);
  for (auto &function : steps)
    for (ElementStep &step : function)
      for (auto &[argument, source] : step.sources)
        swapLetters(source.dims);
  for (unsigned row : {0, 2})
    std::swap(scales.values[row], scales.values[row + 1]);
  for (std::optional<Source> &source : scales.values)
    if (source)
      swapLetters(source->dims);
  swapLetters(aDims);
  swapLetters(bDims);
  swapLetters(letters);
  if (init)
    swapLetters(init->dims);
  for (auto &[value, dims] : values)
    swapLetters(dims);
  for (std::string &join : joins)
    swapLetters(join);
  for (FusedOp &op : fused) {
    swapLetters(op.letters);
    for (std::optional<Source> &source : op.sources)
      if (source)
        swapLetters(source->dims);
  }
}

Operation *Group::getLast() const {
  linalg::LinalgOp last = fused.empty() ? contraction : fused.back().op;
  return last.getOperation();
}

Value Group::createSize(OpBuilder &builder, Location loc, char letter) const {
  size_t position = aDims.find(letter);
  Value value = a;
  if (position == std::string::npos) {
    position = bDims.find(letter);
    value = b;
  }
  // Groups along k have no dimension of A or B.
  if (position == std::string::npos) {
    position = 0;
    value = offsets;
  }
  // Only the number of images may be dynamic.
  if (auto windows = value.getDefiningOp<Im2colOp>(); windows && !position)
    value = windows.getImages();
  if (auto band = value.getDefiningOp<BandOp>())
    value = band.getMatrix();
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(position))
    return arith::ConstantIndexOp::create(builder, loc,
                                          type.getDimSize(position));
  return tensor::DimOp::create(builder, loc, value, position);
}

static bool isRead(linalg::LinalgOp op, OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  Block *body = op.getBlock();
  return number < body->getNumArguments() &&
         !body->getArgument(number).use_empty();
}

/// Checks that the body is scalar arithmetic that an epilogue supports.
static std::string checkBody(Block *body) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  for (Operation &inner : body->without_terminator()) {
    bool isScalarMath =
        isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
        llvm::all_of(inner.getOperandTypes(), isScalar) &&
        llvm::all_of(inner.getResultTypes(), isScalar);
    for (Type type : inner.getResultTypes())
      if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() > kMaxScalarBits)
        return llvm::formatv("its body computes a value of type {0}; at most "
                             "{1} bits are supported",
                             type, kMaxScalarBits)
            .str();
    if (!isScalarMath && !isa<linalg::IndexOp>(inner))
      return llvm::formatv("its body holds '{0}', which is not scalar arith "
                           "or math",
                           inner.getName())
          .str();
  }
  return "";
}

/// Names the loops of `op` after the dims of the group's values that it reads.
static std::string nameLoops(const Group &group, FusedOp &fused) {
  linalg::LinalgOp op = fused.op;
  bool found = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto it = group.values.find(operand.get());
    if (it == group.values.end() || !isRead(op, operand) ||
        group.findReduction(operand.get()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.getNumLoops() != it->second.size())
      return llvm::formatv("it has {0} dimensions, the contraction's result "
                           "{1}",
                           op.getNumLoops(), it->second.size())
          .str();
    if (!map.isPermutation())
      return llvm::formatv("it reads the contraction's result through {0}, "
                           "which is not a permutation",
                           map)
          .str();
    std::string letters(op.getNumLoops(), ' ');
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      letters[map.getDimPosition(i)] = it->second[i];
    if (found && letters != fused.letters)
      return "it reads the contraction's result in two different orders";
    fused.letters = letters;
    found = true;
  }
  return found ? "" : "it only overwrites the contraction's result";
}

/// Determines the sources of the operands and captured values.
static std::string resolveOperands(const Group &group, FusedOp &fused) {
  linalg::LinalgOp op = fused.op;
  std::string reason;
  Value endsOfRows =
      group.division.kind == GroupKind::Contiguous ? group.offsets : Value();
  auto needsGroup = [&](Value value) {
    Operation *definition = value.getDefiningOp();
    return definition && group.dependents.contains(definition);
  };
  for (OpOperand &operand : op->getOpOperands()) {
    fused.sources.emplace_back();
    if (!isRead(op, operand) ||
        (!fused.reductions.empty() && op.isDpsInit(&operand)) ||
        group.findReduction(operand.get()))
      continue;
    if (group.values.contains(operand.get())) {
      fused.sources.back() = Source{Source::Group, operand.get(), "", {}};
      continue;
    }
    if (needsGroup(operand.get()))
      return llvm::formatv("its operand {0} needs the contraction's result "
                           "itself",
                           operand.getOperandNumber())
          .str();
    fused.sources.back() =
        resolve(operand.get(), op.getMatchingIndexingMap(&operand),
                fused.letters, reason, endsOfRows);
    if (!fused.sources.back())
      return reason;
    StringRef dims = fused.sources.back()->dims;
    if (!group.canFold(group.transposes ? group.getStoredOrder(dims)
                                        : dims.str()))
      return llvm::formatv("its operand {0} has a part of dimensions that the "
                           "kernel joins",
                           operand.getOperandNumber())
          .str();
  }
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured) {
    if (needsGroup(value))
      return "its body captures a value that needs the contraction's result "
             "itself";
    if (!isEpilogueType(value.getType()))
      return llvm::formatv("its body captures a value of type {0}",
                           value.getType())
          .str();
  }
  return "";
}

/// Checks that kernels know the coordinates that the body reads.
static std::string checkCoordinates(const Group &group, FusedOp &fused) {
  for (auto index : fused.op.getBlock()->getOps<linalg::IndexOp>())
    if (!hasCoordinate(group, fused.letters[index.getDim()]))
      return llvm::formatv("it reads the coordinate of loop {0}, which the "
                           "kernel joins with others or has as one of several "
                           "outer dimensions",
                           index.getDim())
          .str();
  return "";
}

/// Adds a reduction to the group, or returns the reason why that is impossible.
static std::string addReduction(Group &group, FusedOp fused) {
  linalg::LinalgOp op = fused.op;
  if (group.offsets)
    return "it is a reduction, which kernels for groups do not compute";
  std::optional<std::string> kept = findReducedDims(fused);
  if (!kept)
    return "it is a reduction that has a result for each row and column";
  if (std::string reason = checkIndex(group, fused, *kept); !reason.empty())
    return reason;
  for (Value operand : op->getOperands())
    if (group.findReduction(operand) && group.values[operand] != *kept)
      return "it needs the result of a reduction along other dimensions";
  for (Value result : op->getResults())
    group.values[result] = *kept;
  group.members.insert(op);
  group.fused.push_back(std::move(fused));
  return "";
}

/// Adds `op` to the group, or returns the reason why that is impossible.
static std::string fuse(Group &group, linalg::LinalgOp op) {
  if (op->hasAttr(kSkipAttrName))
    return "it is marked tcgemm.skip";
  if (!op.hasPureTensorSemantics())
    return "it works on buffers";
  FusedOp fused{op, "", {}, {}};
  std::string reason;
  if (llvm::any_of(op->getOperands(),
                   [&](Value value) { return group.findReduction(value); }))
    reason = matchSumOfExp(group, fused);
  else if (op.getNumLoops() != op.getNumParallelLoops())
    reason = matchReduction(fused);
  if (reason.empty())
    reason = nameLoops(group, fused);
  if (reason.empty())
    reason = checkBody(op.getBlock());
  if (reason.empty())
    reason = checkCoordinates(group, fused);
  if (reason.empty())
    reason = resolveOperands(group, fused);
  if (!reason.empty())
    return reason;
  if (!fused.reductions.empty())
    return addReduction(group, std::move(fused));
  SmallVector<std::string> dims;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isPermutation())
      return llvm::formatv("it writes its result through {0}, which is not a "
                           "permutation",
                           map)
          .str();
    if (reason = checkEpilogueType(init.get().getType()); !reason.empty())
      return reason;
    dims.push_back(*getDims(map, fused.letters));
    if (!group.transposes && !group.canFold(dims.back()))
      return "its result separates dimensions that the kernel joins";
    if (group.offsets && !StringRef(dims.back()).ends_with("mn"))
      return "its result is transposed, but groups are stored by rows";
  }
  for (auto [result, resultDims] : llvm::zip(op->getResults(), dims))
    group.values[result] = resultDims;
  group.members.insert(op);
  group.fused.push_back(std::move(fused));
  return "";
}

/// Returns whether `op`, or anything inside it, uses a value of the group.
static bool needs(const Group &group, Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *definition = operand.getDefiningOp();
          if (group.values.contains(operand) ||
              (definition && group.dependents.contains(definition)))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Replaces the size of a tensor that the group computes by that of an operand,
/// so that users of the size do not need the group's result.
static bool resolveSize(Group &group, Operation *op) {
  auto size = dyn_cast<tensor::DimOp>(op);
  if (!size)
    return false;
  auto it = group.values.find(size.getSource());
  std::optional<int64_t> index = size.getConstantIndex();
  if (it == group.values.end() || !index || *index < 0 ||
      *index >= int64_t(it->second.size()))
    return false;
  OpBuilder builder(op);
  size.replaceAllUsesWith(
      group.createSize(builder, op->getLoc(), it->second[*index]));
  size.erase();
  return true;
}

/// The destination of an elementwise operation that becomes linalg: an operand
/// of its type, or a new tensor.
static Value createDestination(const Group &group, Operation *op,
                               OpBuilder &builder) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  StringRef dims;
  for (Value operand : op->getOperands()) {
    if (operand.getType() == type)
      return operand;
    if (auto it = group.values.find(operand); it != group.values.end())
      dims = it->second;
  }
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(group.createSize(builder, op->getLoc(), dims[i]));
  return tensor::EmptyOp::create(builder, op->getLoc(), type, sizes);
}

/// Creates the linalg equivalent of an elementwise operation on tensors (arith,
/// math) that reads the group. The new operation has no users yet.
static linalg::GenericOp generalize(const Group &group, Operation *op) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || !OpTrait::hasElementwiseMappableTraits(op))
    return {};
  OpBuilder builder(op);
  MLIRContext *context = op->getContext();
  SmallVector<AffineMap> maps;
  for (Type operand : op->getOperandTypes())
    maps.push_back(isa<RankedTensorType>(operand)
                       ? builder.getMultiDimIdentityMap(type.getRank())
                       : AffineMap::get(type.getRank(), 0, context));
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, op->getLoc(), type, op->getOperands(),
      createDestination(group, op, builder), maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        OperationState state(loc, op->getName());
        state.addOperands(arguments.drop_back());
        state.addTypes(type.getElementType());
        state.addAttributes(op->getAttrs());
        linalg::YieldOp::create(b, loc, b.create(state)->getResults());
      });
}

void raise::eraseDead(SetVector<Operation *> ops) {
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        ops.insert(definition);
    op->erase();
  }
}

/// Adds `op`, which needs a value of the group, or returns the reason why that
/// is impossible.
static std::string tryToFuse(Group &group, Operation *op, Operation *barrier) {
  bool reads = llvm::any_of(op->getOperands(), [&](Value value) {
    return group.values.contains(value);
  });
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (reads && linalgOp && isProductSum(linalgOp))
    return "it is a contraction itself";
  if (!reads || (!linalgOp && !OpTrait::hasElementwiseMappableTraits(op)))
    return "it needs the contraction's result through other operations";
  if (barrier)
    return llvm::formatv("it follows '{0}', which uses the "
                         "contraction's result and has side effects",
                         barrier->getName())
        .str();
  if (linalgOp)
    return fuse(group, linalgOp);
  linalg::GenericOp general = generalize(group, op);
  if (!general)
    return "it is not elementwise on ranked tensors";
  std::string reason = fuse(group, general);
  if (!reason.empty()) {
    SetVector<Operation *> unused;
    unused.insert(general);
    eraseDead(std::move(unused));
    return reason;
  }
  op->replaceAllUsesWith(general);
  op->erase();
  return "";
}

void raise::collectConsumers(Group &group, Reasons &reasons) {
  if (group.onBuffers())
    return;
  Operation *barrier = nullptr;
  Operation *next = nullptr;
  for (Operation *op = group.contraction->getNextNode(); op; op = next) {
    next = op->getNextNode();
    if (!needs(group, op) || resolveSize(group, op))
      continue;
    std::string reason = tryToFuse(group, op, barrier);
    if (reason.empty())
      continue;
    group.dependents.insert(op);
    reasons.try_emplace(op, reason);
    if (!barrier && !isMemoryEffectFree(op))
      barrier = op;
  }
}
