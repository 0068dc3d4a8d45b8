//===- RaiseIndices.cpp - The indices of a contraction ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction's loops become the dimensions of a kernel: m, n, k and outer
// ones. Problem/Contraction.h says which loops are one dimension, and whether
// operands have to be transposed.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseIndices.h"
#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Target/Instructions.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The letter of a loop in index strings.
static char getLoopName(unsigned loop) {
  return static_cast<char>(loop < 26 ? 'a' + loop : 'A' + loop - 26);
}
static unsigned getLoop(char name) {
  return name >= 'a' ? name - 'a' : name - 'A' + 26;
}

/// The strides of a buffer for index strings: those of a dense buffer are left
/// out. The strides of others are not used to join dimensions, because their
/// views cannot be reshaped.
static std::vector<int64_t> getStrides(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || type.getLayout().isIdentity())
    return {};
  std::vector<int64_t> known(type.getRank(), -1);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (succeeded(type.getStridesAndOffset(strides, offset)))
    if (const auto *unit = llvm::find(strides, 1); unit != strides.end())
      known[unit - strides.begin()] = 1;
  return known;
}

llvm::Expected<SmallVector<int64_t>>
raise::getExpectedExtents(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto hint = op->getAttrOfType<DenseI64ArrayAttr>(kSizeHintAttrName);
  if (!hint)
    return extents;
  if (hint.size() != int64_t(extents.size()))
    return llvm::createStringError("a %s of %d extents, but it has %d loops",
                                   kSizeHintAttrName.data(), int(hint.size()),
                                   int(extents.size()));
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    if (ShapedType::isStatic(extent) && extent != hint[loop])
      return llvm::createStringError(
          "a %s of %lld for loop %d, whose extent is %lld",
          kSizeHintAttrName.data(), static_cast<long long>(hint[loop]),
          int(loop), static_cast<long long>(extent));
    extent = hint[loop];
  }
  return extents;
}

llvm::Expected<Contraction> raise::getContraction(linalg::LinalgOp op) {
  // Further inputs are scales or belong to functions of elements.
  OpOperand *operands[] = {op.getDpsInputOperand(0), op.getDpsInputOperand(1),
                           op.getDpsInitOperand(0)};
  constexpr unsigned mostLoops = 52;
  if (op.getNumLoops() > mostLoops)
    return llvm::createStringError("%u loops, but at most %u are supported",
                                   op.getNumLoops(), mostLoops);
  Contraction contraction;
  for (auto [operand, indexed] :
       llvm::zip_equal(operands, contraction.operands)) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!map.isProjectedPermutation())
      return llvm::createStringError(
          "an indexing map that is not a projected permutation");
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      indexed.letters += getLoopName(map.getDimPosition(i));
    indexed.strides = getStrides(operand->get());
  }
  llvm::Expected<SmallVector<int64_t>> extents = getExpectedExtents(op);
  if (!extents)
    return extents.takeError();
  // They decide what is fast. Which loops are joined depends on the order of
  // dimensions only, because known strides are those of 1.
  for (auto [loop, size] : llvm::enumerate(*extents))
    contraction.extents[getLoopName(loop)] =
        ShapedType::isDynamic(size) ? -1 : size;
  if (llvm::Error error = contraction.verify())
    return llvm::createStringError("the indices " +
                                   llvm::toString(std::move(error)));
  return contraction;
}

/// Returns whether operations behind the contraction read coordinates, reduce,
/// or read operands with other dimensions or another order: they are fused only
/// if these dimensions are not joined. Also returns true for several results,
/// of which bufferization would copy those that are joined.
static bool needsSeparateDims(linalg::LinalgOp op) {
  Value init = op.getDpsInitOperand(0)->get();
  SmallVector<Value> pending(op->getResults());
  if (pending.empty())
    pending.push_back(init);
  DenseSet<Operation *> seen{op.getOperation()};
  unsigned numResults = 0;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    numResults += llvm::any_of(value.getUsers(), [](Operation *user) {
      return !isa<linalg::LinalgOp>(user);
    });
    for (Operation *user : value.getUsers()) {
      auto next = dyn_cast<linalg::LinalgOp>(user);
      if (!next || !seen.insert(user).second ||
          linalg::isaContractionOpInterface(next))
        continue;
      if (next.hasIndexSemantics() || next.getNumReductionLoops() ||
          llvm::any_of(next.getIndexingMapsArray(), [](AffineMap map) {
            return map.getNumResults() && !map.isIdentity();
          }))
        return true;
      llvm::append_range(pending, next->getResults());
    }
  }
  return numResults > 1;
}

/// Gives a batch that is joined with m or n its own letter, if there is no
/// other outer dimension.
static void separateBatch(Group &group) {
  if (group.numOuter || group.joins.size() != 1 || group.joins[0].size() != 2 ||
      group.joins[0].back() == 'k')
    return;
  llvm::replace(group.letters, group.joins[0].front(), 'b');
  group.joins.clear();
  group.numOuter = 1;
}

bool raise::canSumTwice(linalg::LinalgOp op, Precision precision) {
  auto config = op->getAttrOfType<ConfigAttr>(kConfigAttrName);
  if (op.getNumDpsInputs() != 2 || matchAlgebra(op) ||
      !isProductOfInputs(getProduct(op), op.getBlock()) ||
      (config && (!getFamily(config.getValue().schedule)
                       .getFeatures()
                       .has(Feature::SummedDimension) ||
                  config.getValue().wgmma.producer != ProducerKind::Tma)))
    return false;
  std::array<ScalarType, 2> types;
  for (unsigned operand : {0, 1}) {
    std::optional<ScalarType> type = getMatrixScalar(
        getElementTypeOrSelf(op.getDpsInputOperand(operand)->get()));
    if (!type || !isOperandType(*type) || getPackedElements(*type) > 1)
      return false;
    types[operand] = getOperandType(*type, precision);
  }
  ArrayRef<ScalarType> sums = getAccumulatorTypes(types[0], types[1]);
  return !sums.empty() && findInstruction(InstructionKind::Wgmma, types[0],
                                          types[1], sums.front());
}

std::string raise::assignLetters(linalg::LinalgOp op, bool mayHaveSummed,
                                 Group &group) {
  llvm::Expected<Contraction> contraction = getContraction(op);
  if (!contraction)
    return "it has " + llvm::toString(contraction.takeError());
  contraction->mayHaveSummed = mayHaveSummed;
  llvm::Expected<FoldedContraction> folded = fold(*contraction);
  if (!folded)
    return "it has the indices " + llvm::toString(folded.takeError());
  group.letters.assign(op.getNumLoops(), ' ');
  char next = 'A';
  auto assign = [&](const FoldedIndex &index, char letter) {
    std::string join;
    for (char name : index.letters) {
      join += name == index.letters.back() ? letter : next++;
      group.letters[getLoop(name)] = join.back();
    }
    if (join.size() > 1)
      group.joins.push_back(join);
  };
  for (auto [index, letter] :
       {std::pair(&folded->m, 'm'), std::pair(&folded->n, 'n')})
    if (*index)
      assign(**index, letter);
    else
      group.units += letter;
  assign(folded->k, 'k');
  for (auto [index, letter] : llvm::zip_first(folded->outer, kOuterLetters))
    assign(index, letter);
  static_assert(kMaxOuterIndices == kOuterLetters.size(),
                "each outer index needs a letter");
  group.numOuter = folded->outer.size();
  if (folded->summed) {
    group.summed = kOuterLetters[std::max(1u, group.numOuter)];
    assign(*folded->summed, group.summed);
  }
  if (needsSeparateDims(op))
    separateBatch(group);
  return "";
}

bool Group::canFold(StringRef dims) const {
  return llvm::all_of(joins, [&](StringRef join) {
    return dims.contains(join) || llvm::none_of(join, [&](char letter) {
             return dims.contains(letter);
           });
  });
}

SmallVector<int64_t>
Group::joinSizes(llvm::SmallDenseMap<char, int64_t> known) const {
  for (char unit : units)
    known[unit] = 1;
  if (!numOuter)
    known['b'] = 1;
  SmallVector<int64_t> sizes;
  size_t numLetters = std::max(1u, numOuter) + (summed ? 1 : 0);
  for (char dim :
       ("bmnk" + kOuterLetters.take_front(numLetters).drop_front()).str()) {
    std::string parts(1, dim);
    for (StringRef join : joins)
      if (join.back() == dim)
        parts = join.str();
    int64_t size = 1;
    for (char part : parts)
      size = known.contains(part) && ShapedType::isStatic(size)
                 ? size * known[part]
                 : ShapedType::kDynamic;
    sizes.push_back(size);
  }
  return sizes;
}

DenseI64ArrayAttr raise::getSizeHint(const Group &group) {
  linalg::LinalgOp op = group.contraction;
  if (!op->hasAttr(kSizeHintAttrName))
    return {};
  llvm::SmallDenseMap<char, int64_t> expected;
  for (auto [letter, extent] :
       llvm::zip_equal(group.letters, llvm::cantFail(getExpectedExtents(op))))
    expected[letter] = extent;
  SmallVector<int64_t> sizes = group.joinSizes(std::move(expected));
  constexpr size_t numHinted = 4;
  ArrayRef<int64_t> others = ArrayRef(sizes).drop_front(numHinted);
  int64_t summed = group.summed ? others.back() : 1;
  if (group.summed)
    others = others.drop_back();
  for (int64_t outer : others)
    sizes.front() *= outer;
  sizes[3] *= summed;
  sizes.truncate(numHinted);
  if (group.summed)
    sizes.push_back(summed);
  return DenseI64ArrayAttr::get(op.getContext(), sizes);
}

bool raise::canStore(const Group &group, StringRef dims) {
  return group.canFold(dims) && !isOuter(dims.back());
}

std::string Group::getStoredOrder(StringRef dims) const {
  std::string order;
  for (char letter : (kOuterLetters + "mn").str()) {
    std::string parts(1, letter);
    for (StringRef join : joins)
      if (join.back() == letter)
        parts = join.str();
    if (dims.contains(letter))
      order += parts;
  }
  return order;
}

bool raise::hasCoordinate(const Group &group, char letter) {
  bool isJoined = llvm::any_of(
      group.joins, [&](StringRef join) { return join.contains(letter); });
  return !isJoined && !(isOuter(letter) && group.numOuter > 1);
}

SmallVector<ReassociationIndices>
Group::getReassociation(StringRef dims) const {
  SmallVector<ReassociationIndices> groups;
  for (size_t i = 0; i < dims.size();) {
    size_t length = 1;
    for (StringRef join : joins)
      if (dims.drop_front(i).starts_with(join))
        length = join.size();
    groups.emplace_back();
    for (size_t end = i + length; i < end; ++i)
      groups.back().push_back(static_cast<int64_t>(i));
  }
  return groups;
}

std::string Group::fold(StringRef dims) const {
  std::string folded;
  for (const ReassociationIndices &indices : getReassociation(dims))
    folded += dims[indices.back()];
  return folded;
}

//===----------------------------------------------------------------------===//
// Transposition
//===----------------------------------------------------------------------===//

/// The positions in `before` of the letters of `after`.
static SmallVector<int64_t> getPositions(StringRef before, StringRef after) {
  SmallVector<int64_t> order;
  for (char letter : after)
    order.push_back(static_cast<int64_t>(before.find(letter)));
  return order;
}

Value raise::transposeTensor(OpBuilder &builder, Location loc, Value value,
                             StringRef before, StringRef after, Value target) {
  SmallVector<int64_t> order = getPositions(before, after);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t position : order)
    if (!target)
      sizes.push_back(tensor::getMixedSize(builder, loc, value, position));
  if (!target)
    target =
        tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, value, target, order)
      ->getResult(0);
}

linalg::LinalgOp raise::transposeOperands(linalg::LinalgOp op,
                                          bool mayHaveSummed) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      llvm::any_of(op->getOperands(), [](Value value) {
        return !isa<RankedTensorType>(value.getType());
      }))
    return op;
  llvm::Expected<Contraction> contraction = getContraction(op);
  if (!contraction) {
    llvm::consumeError(contraction.takeError());
    return op;
  }
  contraction->mayHaveSummed = mayHaveSummed;
  llvm::Expected<TransposedContraction> result = foldTransposed(*contraction);
  if (!result) {
    llvm::consumeError(result.takeError());
    return op;
  }
  if (llvm::none_of(result->isTransposed, [](bool set) { return set; }))
    return op;
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (unsigned i = 0; i < kNumContracted; ++i) {
    StringRef before = contraction->operands[i].letters,
              after = result->contraction.operands[i].letters;
    Value value = op->getOperand(i);
    SmallVector<AffineExpr> exprs;
    for (char name : after)
      exprs.push_back(rewriter.getAffineDimExpr(getLoop(name)));
    maps.push_back(AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext()));
    operands.push_back(
        result->isTransposed[i]
            ? transposeTensor(rewriter, loc, value, before, after)
            : value);
  }
  auto generic = linalg::GenericOp::create(
      rewriter, loc, operands[2].getType(), ValueRange(operands).take_front(2),
      operands[2], maps, op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op->getRegion(0), generic.getRegion(),
                             generic.getRegion().begin());
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Value value = generic.getResult(0);
  if (result->isTransposed[2])
    value = transposeTensor(rewriter, loc, value,
                            result->contraction.operands[2].letters,
                            contraction->operands[2].letters);
  rewriter.replaceOp(op, value);
  return generic;
}
