//===- RaiseContraction.cpp - Which operations are contractions -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
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

static std::optional<Source> resolveScalar(Value value, std::string &reason) {
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return Source{Source::Constant, value, "", constant};
  if (value.getType().isIntOrIndexOrFloat())
    return Source{Source::Scalar, value, "", {}};
  reason = llvm::formatv("it reads a value of type {0}", value.getType()).str();
  return std::nullopt;
}

std::optional<Source> raise::resolve(Value value, AffineMap map,
                                     StringRef letters, std::string &reason) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return resolveScalar(value, reason);
  std::optional<std::string> dims = getDims(map, letters);
  if (!dims) {
    reason = llvm::formatv("it reads an operand through {0}, which is not a "
                           "projected permutation",
                           map)
                 .str();
    return std::nullopt;
  }
  if (!type.getElementType().isIntOrIndexOrFloat()) {
    reason =
        llvm::formatv("it reads elements of type {0}", type.getElementType())
            .str();
    return std::nullopt;
  }
  while (lookThrough(value, *dims))
    continue;
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
  return Source{Source::Input, value, *dims, {}};
}

/// Goes up through extensions.
static Value skipExtensions(Value value) {
  while (auto cast = value.getDefiningOp<arith::ExtFOp>())
    value = cast.getIn();
  return value;
}

/// Rounding of sums is ours to place: the sum is kept in f32, rounded once.
static Value skipRounding(Value value) {
  if (auto cast = value.getDefiningOp<arith::TruncFOp>())
    return cast.getIn();
  return value;
}

bool raise::isProductSum(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.getNumReductionLoops())
    return false;
  Block *body = op.getBlock();
  Value yielded = body->getTerminator()->getOperand(0);
  auto isArgument = [&](Value value, unsigned index) {
    return skipExtensions(value) == body->getArgument(index);
  };
  // Integers are recognised, so that they get a remark of their own.
  Operation *add = skipRounding(yielded).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  for (unsigned i : {0, 1}) {
    if (!isArgument(add->getOperand(i), 2))
      continue;
    Operation *mul = skipRounding(add->getOperand(1 - i)).getDefiningOp();
    if (isa_and_nonnull<arith::MulIOp>(mul))
      return true;
    if (isa_and_nonnull<arith::MulFOp>(mul) &&
        ((isArgument(mul->getOperand(0), 0) &&
          isArgument(mul->getOperand(1), 1)) ||
         (isArgument(mul->getOperand(0), 1) &&
          isArgument(mul->getOperand(1), 0))))
      return true;
  }
  return false;
}

static std::string checkTypes(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return "it works on buffers; only tensors are raised";
  Type a = getElementTypeOrSelf(op.getDpsInputOperand(0)->get());
  Type b = getElementTypeOrSelf(op.getDpsInputOperand(1)->get());
  Type c = getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
  if (a != b)
    return llvm::formatv("its operands have the different types {0} and {1}", a,
                         b)
        .str();
  if (!a.isF16() && !a.isBF16() && !a.isF32())
    return llvm::formatv("its operands are {0}; only f16, bf16 and f32 are "
                         "supported",
                         a)
        .str();
  if (!c.isF32() && !c.isF16() && !c.isBF16())
    return llvm::formatv("its result is {0}; only f32, f16 and bf16 are "
                         "supported",
                         c)
        .str();
  return "";
}

/// Gives each loop its letter, or tells why that is impossible.
static std::string assignLetters(linalg::LinalgOp op, std::string &letters) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return "an indexing map is not a projected permutation";
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(maps);
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty())
    return "it needs one dimension of each kind: m (of A and the result), n "
           "(of B and the result), k (of A and B)";
  auto &[batch, m, n, k] = *dims;
  // An operand without the batch dimension makes that look like an m or n.
  for (auto *list : {&m, &n})
    if (batch.empty() && list->size() == 2) {
      bool first = *maps[2].getResultPosition(
                       getAffineDimExpr((*list)[0], op.getContext())) <
                   *maps[2].getResultPosition(
                       getAffineDimExpr((*list)[1], op.getContext()));
      batch.push_back((*list)[first ? 0 : 1]);
      list->erase(list->begin() + (first ? 0 : 1));
    }
  auto count = [](ArrayRef<unsigned> list, StringRef kind) -> std::string {
    if (list.size() <= 1)
      return "";
    return llvm::formatv("it has {0} {1} dimensions; one is supported",
                         list.size(), kind)
        .str();
  };
  for (const std::string &reason : {count(batch, "batch"), count(m, "m"),
                                    count(n, "n"), count(k, "reduction")})
    if (!reason.empty())
      return reason;
  letters.assign(op.getNumLoops(), ' ');
  for (const auto &[list, letter] : {std::pair(batch, 'b'), std::pair(m, 'm'),
                                     std::pair(n, 'n'), std::pair(k, 'k')})
    for (unsigned loop : list)
      letters[loop] = letter;
  if (StringRef(letters).contains(' '))
    return "a dimension is summed over that only one operand has";
  return "";
}

/// Whether the dims of A (`row` = m) or B (n) can be a kernel's.
static bool isMatrix(StringRef dims, char row) {
  return dims.contains(row) && dims.contains('k') && dims.back() != 'b';
}

static void lookThroughMatrix(Value &value, std::string &dims, char row) {
  Value source = value;
  std::string sourceDims = dims;
  while (lookThrough(source, sourceDims))
    if (isMatrix(sourceDims, row)) {
      value = source;
      dims = sourceDims;
    }
}

std::optional<Group> raise::matchContraction(linalg::LinalgOp op,
                                             std::string &reason) {
  reason = checkTypes(op);
  Group group;
  if (reason.empty())
    reason = assignLetters(op, group.letters);
  if (!reason.empty())
    return std::nullopt;
  group.contraction = op;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  group.a = op.getDpsInputOperand(0)->get();
  group.b = op.getDpsInputOperand(1)->get();
  group.aDims = *getDims(maps[0], group.letters);
  group.bDims = *getDims(maps[1], group.letters);
  lookThroughMatrix(group.a, group.aDims, 'm');
  lookThroughMatrix(group.b, group.bDims, 'n');
  if (!isMatrix(group.aDims, 'm') || !isMatrix(group.bDims, 'n')) {
    reason = "an operand's innermost dimension is the batch";
    return std::nullopt;
  }
  OpOperand *init = op.getDpsInitOperand(0);
  std::optional<Source> source =
      resolve(init->get(), maps[2], group.letters, reason);
  if (!source)
    return std::nullopt;
  if (source->kind != Source::Constant ||
      !matchPattern(source->constant, m_AnyZeroFloat()))
    group.init = source;
  group.values[op->getResult(0)] = *getDims(maps[2], group.letters);
  return group;
}
