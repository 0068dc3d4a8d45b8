//===- RaiseContraction.cpp - Recognition of contractions -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "Raise/RaiseIndices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Dialect/EpilogueTypes.h"
#include "tcgemm/Target/Instructions.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

std::optional<std::string> raise::getDims(AffineMap map, StringRef letters) {
  std::string dims;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || StringRef(dims).contains(letters[dim.getPosition()]))
      return std::nullopt;
    dims += letters[dim.getPosition()];
  }
  return dims;
}

bool raise::lookThrough(Value &value, std::string &dims) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      !op.hasPureTensorSemantics())
    return false;
  Block *body = op.getBlock();
  OpOperand *input = op.getDpsInputOperand(0);
  if (!isa<RankedTensorType>(input->get().getType()) ||
      !llvm::hasSingleElement(*body) ||
      body->getTerminator()->getOperand(0) != body->getArgument(0))
    return false;
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!outMap.isPermutation())
    return false;
  std::string letters(op.getNumLoops(), ' ');
  for (unsigned i = 0; i < outMap.getNumResults(); ++i)
    letters[outMap.getDimPosition(i)] = dims[i];
  std::optional<std::string> source =
      getDims(op.getMatchingIndexingMap(input), letters);
  if (!source)
    return false;
  value = input->get();
  dims = *source;
  return true;
}

std::string raise::checkOperandType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && tensor.getEncoding())
    return llvm::formatv("it has an operand with the encoding {0}; only "
                         "tensors without one are supported",
                         tensor.getEncoding())
        .str();
  Type element = getElementTypeOrSelf(type);
  if (isa<ComplexType>(element))
    return llvm::formatv("it has elements of type {0}; the pass "
                         "tcgemm-complex-to-real makes tensors of them real, "
                         "as docs/guide/algebras.md says",
                         element)
        .str();
  if (!element.isIntOrIndexOrFloat())
    return llvm::formatv("it has elements of type {0}", element).str();
  if (element.isIntOrFloat() &&
      element.getIntOrFloatBitWidth() > kMaxScalarBits)
    return llvm::formatv("it has elements of type {0}; at most {1} bits are "
                         "supported",
                         element, kMaxScalarBits)
        .str();
  for (int64_t size : isa<ShapedType>(type) ? cast<ShapedType>(type).getShape()
                                            : ArrayRef<int64_t>())
    if (ShapedType::isStatic(size) && size > kMaxSize)
      return llvm::formatv("it has an operand of type {0}; sizes up to {1} are "
                           "supported",
                           type, kMaxSize)
          .str();
  return "";
}

std::string raise::checkEpilogueType(Type type) {
  std::string reason = checkOperandType(type);
  Type element = getElementTypeOrSelf(type);
  if (!reason.empty() || isEpilogueType(element))
    return reason;
  return llvm::formatv("it has elements of type {0}; epilogues read and write "
                       "only {1}",
                       element, listEpilogueTypes())
      .str();
}

static std::optional<Source> resolveScalar(Value value, std::string &reason) {
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return Source{Source::Constant, value, "", constant};
  if (isEpilogueType(value.getType()))
    return Source{Source::Scalar, value, "", {}};
  reason = llvm::formatv("it reads a value of type {0}", value.getType()).str();
  return std::nullopt;
}

/// Replaces rows that repeat values of the groups with these ends by the
/// values. Returns whether there were such rows along m.
static bool lookThroughRows(Value &value, std::string &dims, Value offsets) {
  auto rows = value.getDefiningOp<GroupBroadcastOp>();
  if (!rows || rows.getOffsets() != offsets || dims.front() != 'm')
    return false;
  value = rows.getValues();
  dims.front() = 'b';
  return true;
}

std::optional<Source> raise::resolve(Value value, AffineMap map,
                                     StringRef letters, std::string &reason,
                                     Value offsets) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return resolveScalar(value, reason);
  reason = checkOperandType(type);
  if (!reason.empty())
    return std::nullopt;
  std::optional<std::string> dims = getDims(map, letters);
  if (!dims) {
    reason = llvm::formatv("it reads an operand through {0}, which is not a "
                           "projected permutation",
                           map)
                 .str();
    return std::nullopt;
  }
  while (lookThrough(value, *dims) || lookThroughRows(value, *dims, offsets))
    continue;
  if (value.getDefiningOp<GroupBroadcastOp>()) {
    reason = "it reads values of groups, but its rows are not those of a "
             "product with the same offsets";
    return std::nullopt;
  }
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return Source{Source::Constant, value, "",
                  elements.getSplatValue<TypedAttr>()};
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    if (fill.value().getType() == type.getElementType())
      return resolveScalar(fill.value(), reason);
  if (value.getDefiningOp<tensor::EmptyOp>()) {
    reason = "it reads a tensor.empty, whose content is undefined; fill it "
             "first";
    return std::nullopt;
  }
  reason = checkEpilogueType(type);
  if (!reason.empty())
    return std::nullopt;
  return Source{Source::Input, value, *dims, {}};
}

/// Returns whether `op` converts an integer of 8 bits, which may have been
/// extended, to a float type that represents all of its values.
static bool convertsNarrow(Operation *op) {
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op) ||
      op->getResult(0).getType().getIntOrFloatBitWidth() < 16)
    return false;
  Value integer = op->getOperand(0);
  Operation *extension = integer.getDefiningOp();
  if (isa_and_nonnull<arith::ExtUIOp>(extension) ||
      (isa_and_nonnull<arith::ExtSIOp>(extension) && isa<arith::SIToFPOp>(op)))
    integer = extension->getOperand(0);
  return integer.getType().isInteger(8) || integer.getType().isInteger(4);
}

/// Returns whether `op` is an extension or another conversion that keeps the
/// value.
static bool isExtension(Operation *op) {
  return convertsNarrow(op) ||
         isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op);
}

/// The value before extensions.
static Value skipExtensions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isExtension(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The value before roundings. The kernel keeps the sum in f32 and rounds it
/// once.
static Value skipRounding(Value value) {
  if (auto cast = value.getDefiningOp<arith::TruncFOp>())
    return cast.getIn();
  return value;
}

bool raise::isSubtraction(Operation *add) {
  return isa<arith::SubFOp, arith::SubIOp>(add);
}

/// Returns whether the operation, which adds `product`, has scales of A or B.
static bool hasScales(linalg::LinalgOp op, Value product) {
  unsigned inputs = op.getNumDpsInputs();
  return inputs > 2 && inputs <= 4 && isProductOfInputs(product, op.getBlock());
}

/// The number of the argument, A (0) or B (1), that the multiplication's
/// operand is computed from. Integers are multiplied as they are.
static std::optional<unsigned> findFactor(Operation *mul, unsigned operand) {
  Value factor = mul->getOperand(operand);
  if (isa<arith::MulIOp>(mul) && !isa<BlockArgument>(skipExtensions(factor)))
    return std::nullopt;
  return findElement(factor, mul->getBlock());
}

bool raise::isProductSum(linalg::LinalgOp op) {
  if (matchAlgebra(op))
    return true;
  // The last argument is the sum; further inputs are scales or belong to
  // functions of the elements.
  unsigned inputs = op.getNumDpsInputs();
  if (inputs < 2 || op.getNumDpsInits() != 1 || !op.getNumReductionLoops())
    return false;
  Block *body = op.getBlock();
  Value yielded = body->getTerminator()->getOperand(0);
  auto isArgument = [&](Value value, unsigned index) {
    return skipExtensions(value) == body->getArgument(index);
  };
  Operation *add = skipRounding(yielded).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::SubFOp,
                       arith::SubIOp>(add))
    return false;
  for (unsigned i : {0, 1}) {
    if (!isArgument(add->getOperand(i), inputs) || (i && isSubtraction(add)))
      continue;
    if (hasScales(op, add->getOperand(1 - i)))
      return true;
    Operation *mul = skipRounding(add->getOperand(1 - i)).getDefiningOp();
    if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul))
      continue;
    std::optional<unsigned> left = findFactor(mul, 0),
                            right = findFactor(mul, 1);
    if (left && right && *left != *right)
      return true;
  }
  return false;
}

static std::string checkTypes(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return "it works on tensors and buffers; only one of both is supported";
  for (Type type : op->getOperandTypes())
    if (std::string reason = checkOperandType(type); !reason.empty())
      return reason;
  Type a = getElementTypeOrSelf(op.getDpsInputOperand(0)->get());
  Type b = getElementTypeOrSelf(op.getDpsInputOperand(1)->get());
  Type c = getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
  for (Type type : {a, b})
    if (std::optional<ScalarType> scalar = getMatrixScalar(type);
        !scalar || !isOperandType(*scalar) ||
        (getBufferType(*scalar) != *scalar && !type.isInteger(1)))
      return llvm::formatv("its operands are {0}; only {1} are supported", type,
                           getBufferTypeNames())
          .str();
  if (getAccumulatorTypes(*getMatrixScalar(a), *getMatrixScalar(b)).empty())
    return llvm::formatv("its operands have the types {0} and {1}, which no "
                         "instruction multiplies",
                         a, b)
        .str();
  Type sum = getElementType(getSumType(a, b), a.getContext());
  bool isNarrow = c.isF16() || c.isBF16();
  if (c != sum && !(sum.isF32() && isNarrow))
    return llvm::formatv("its result is {0}; only {1} supported", c,
                         sum.isF32() ? "f32, f16 and bf16 are"
                                     : getTypeText(sum) + " is")
        .str();
  return "";
}

ScalarType raise::getSumType(Type a, Type b) {
  return getAccumulatorTypes(*getMatrixScalar(a), *getMatrixScalar(b)).front();
}

Operation *raise::getAddition(linalg::LinalgOp op) {
  Operation *end = op.getBlock()->getTerminator();
  return skipRounding(end->getOperand(0)).getDefiningOp();
}

Value raise::getProduct(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  Operation *add = getAddition(op);
  unsigned sum =
      skipExtensions(add->getOperand(0)) == body->getArguments().back();
  return add->getOperand(sum);
}

/// The scalar multiplication in the body of a sum of products, which may be
/// rounded on both sides of the addition.
static Operation *getMultiplication(linalg::LinalgOp op) {
  return skipRounding(getProduct(op)).getDefiningOp();
}

/// Notes whether integers that the body converts to floats are unsigned.
static void noteSignsOfConverted(Group &group) {
  Block *body = group.contraction.getBlock();
  auto isUnsigned = [&](unsigned argument) {
    return llvm::any_of(
        body->getArgument(argument).getUsers(),
        [](Operation *op) { return isa<arith::UIToFPOp, arith::ExtUIOp>(op); });
  };
  for (unsigned operand : {0, 1})
    group.formats[operand].isUnsigned = isUnsigned(operand);
}

/// Notes whether A and B are unsigned. Returns why the body's integers cannot
/// be multiplied; empty if they can.
static std::string noteSigns(Group &group) {
  linalg::LinalgOp op = group.contraction;
  Operation *mul = getMultiplication(op);
  if (!isa<arith::MulIOp>(mul)) {
    noteSignsOfConverted(group);
    return "";
  }
  if (llvm::all_of(mul->getOperands(), [](Value operand) {
        return isa<BlockArgument>(operand) && operand.getType().isInteger(32);
      }))
    return "";
  for (Value operand : mul->getOperands()) {
    Operation *extension = operand.getDefiningOp();
    // A wider operand would need an instruction of its own.
    if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension) ||
        !isa<BlockArgument>(extension->getOperand(0)))
      return llvm::formatv(
                 "its products are of {0}, which its operands are not "
                 "extended to in one step",
                 operand.getType())
          .str();
    if (isa<arith::ExtSIOp>(extension) &&
        extension->getOperand(0).getType().isInteger(1))
      return "it extends i1 by its sign, to 0 and -1; only arith.extui of i1 "
             "is supported";
    bool isA = extension->getOperand(0) == op.getBlock()->getArgument(0);
    group.formats[isA ? 0 : 1].isUnsigned = isa<arith::ExtUIOp>(extension);
  }
  return "";
}

bool raise::isMatrix(const Group &group, StringRef dims, char row) {
  return (StringRef(group.units).contains(row) || dims.contains(row)) &&
         dims.contains('k') && !isOuter(dims.back()) && group.canFold(dims);
}

static void lookThroughMatrix(const Group &group, Value &value,
                              std::string &dims, char row) {
  Value source = value;
  std::string sourceDims = dims;
  while (lookThrough(source, sourceDims))
    if (isMatrix(group, sourceDims, row)) {
      value = source;
      dims = sourceDims;
    }
}

/// Replaces A (0) or B (1) by the matrix from which other operations compute
/// it.
static void readMatrix(Group &group, unsigned operand) {
  do
    lookThroughMatrix(group, operand ? group.b : group.a,
                      operand ? group.bDims : group.aDims, operand ? 'n' : 'm');
  while (group.algebra.isDefault() && !group.summed &&
         fuseProducer(group, operand));
}

/// Determines the scales or the functions of the elements.
static std::string matchFactors(Group &group) {
  linalg::LinalgOp op = group.contraction;
  if (hasScales(op, getProduct(op)))
    return group.joins.empty() && group.numOuter < 2
               ? matchScales(group)
               : "it has scales and several dimensions of one kind; one m, n, "
                 "k and batch are supported";
  Operation *mul = getMultiplication(op);
  return matchElements(group, skipExtensions(mul->getOperand(0)),
                       skipExtensions(mul->getOperand(1)));
}

/// Determines the operands: the matrices from which other operations, such as
/// transpositions, compute the contraction's operands.
static std::string nameMatrices(Group &group) {
  linalg::LinalgOp op = group.contraction;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  group.a = op.getDpsInputOperand(0)->get();
  group.b = op.getDpsInputOperand(1)->get();
  group.aDims = *getDims(maps[0], group.letters);
  group.bDims = *getDims(maps[1], group.letters);
  if (group.algebra.isDefault()) {
    if (std::string reason = matchFactors(group); !reason.empty())
      return reason;
  }
  for (unsigned operand : {0, 1})
    readMatrix(group, operand);
  for (unsigned operand : {0, 1})
    readInterleaved(group, operand);
  if (!isMatrix(group, group.aDims, 'm') || !isMatrix(group, group.bDims, 'n'))
    return "an operand's innermost dimension is the batch";
  for (const auto &steps : group.steps)
    for (const ElementStep &step : steps)
      for (const auto &[argument, source] : step.sources)
        if (!group.canFold(source.dims))
          return "a function of its elements reads a part of dimensions that "
                 "the kernel joins";
  std::string reason = checkPackedMatrix(group.a, group.aDims, 'm');
  return reason.empty() ? checkPackedMatrix(group.b, group.bDims, 'n') : reason;
}

/// Determines the initial value of a contraction on tensors.
static std::string resolveTensorInit(Group &group) {
  linalg::LinalgOp op = group.contraction;
  OpOperand *init = op.getDpsInitOperand(0);
  std::string reason;
  AffineMap map = op.getMatchingIndexingMap(init);
  std::optional<Source> source =
      resolve(init->get(), map, group.letters, reason);
  // The kernel joins neighbours of the result. In the tensor that a
  // transposition reads they may be apart, but not in the transposed one.
  if (source && !group.canFold(source->dims))
    source =
        Source{Source::Input, init->get(), *getDims(map, group.letters), {}};
  if (source &&
      (source->kind != Source::Constant || !isNeutral(group, source->constant)))
    group.init = source;
  return reason;
}

std::optional<Group> raise::matchContraction(linalg::LinalgOp op,
                                             AliasAnalysis &aliases,
                                             bool mayHaveSummed,
                                             std::string &reason) {
  Group group;
  group.contraction = op;
  group.members.insert(op);
  if (std::optional<Algebra> algebra = matchAlgebra(op))
    group.algebra = *algebra;
  else if (isSubtraction(getAddition(op)))
    group.use = SumUse::Subtracted;
  reason = checkTypes(op);
  if (reason.empty())
    reason = group.algebra.isDefault() ? noteSigns(group) : checkAlgebra(group);
  if (reason.empty())
    reason = assignLetters(op, mayHaveSummed, group);
  if (reason.empty())
    reason = nameMatrices(group);
  if (!reason.empty())
    return std::nullopt;
  OpOperand *init = op.getDpsInitOperand(0);
  std::string dims = *getDims(op.getMatchingIndexingMap(init), group.letters);
  if (!group.onBuffers()) {
    reason = resolveTensorInit(group);
    group.values[op->getResult(0)] = dims;
  } else {
    group.values[init->get()] = dims;
    reason = checkBuffers(group, aliases);
  }
  if (!reason.empty())
    return std::nullopt;
  if (group.onBuffers()) {
    resolveBufferInit(group, aliases);
    transposeBuffers(group);
  }
  return group;
}
