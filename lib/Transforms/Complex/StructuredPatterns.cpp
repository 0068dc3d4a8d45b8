//===- StructuredPatterns.cpp - linalg on components ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg operation gets one of four forms, which are tried in this order:
//
// * A fill with a number whose parts are equal stays a fill.
// * A product becomes one by structure constants, or a real product if one of
//   its operands is real.
// * A body that treats the components alike is executed for each component.
// * Any other body without a sum reads both components of each operand. It is
//   executed for each component of the result, of which it yields one.
//
//===----------------------------------------------------------------------===//

#include "Complex/BilinearBody.h"
#include "Complex/ComplexPatterns.h"
#include "Complex/ComponentBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::complex_to_real;
using utils::IteratorType;

/// The real attribute that both parts of the number that is filled with are.
static FloatAttr getFilledPart(linalg::FillOp fill) {
  ArrayAttr parts;
  if (auto constant = fill.value().getDefiningOp<complex::ConstantOp>())
    parts = constant.getValue();
  return parts && parts[0] == parts[1] ? cast<FloatAttr>(parts[0])
                                       : FloatAttr();
}

/// The element type, or that of its parts.
static FloatType getPartType(Value value) {
  Type type = getElementTypeOrSelf(value);
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return cast<FloatType>(type);
}

bool complex_to_real::isComplexProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.getNumReductionLoops() ||
      !isComplexTensor(op.getDpsInitOperand(0)->get().getType()))
    return false;
  // A body that reads only one of them sums the other's elements.
  bool hasTypes =
      llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
        Type type = operand->get().getType();
        return isa<RankedTensorType>(type) &&
               (isComplexTensor(type) ||
                isa<FloatType>(getElementTypeOrSelf(type))) &&
               !op.getMatchingBlockArgument(operand).use_empty();
      });
  // What is neither a product nor a sum of components is a product that
  // checkProduct refuses.
  std::string reason;
  return hasTypes && (matchBilinearBody(op, reason) || !isComponentwise(op));
}

/// The structure constants as a tensor of B's type; null if B's type does not
/// have them.
static DenseElementsAttr getConstants(const BilinearBody &body,
                                      FloatType type) {
  SmallVector<APFloat> values;
  for (double constant : body.constants) {
    APFloat value(constant);
    bool losesInfo = false;
    (void)value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                        &losesInfo);
    if (losesInfo)
      return {};
    values.push_back(value);
  }
  int64_t shape[] = {body.numComponents[0], body.numComponents[1],
                     kNumComponents};
  return DenseElementsAttr::get(RankedTensorType::get(shape, type), values);
}

/// The factor of all products of a real and a complex element, if there is one:
/// 1 or -1.
static std::optional<double> getSign(const BilinearBody &body) {
  double sign = body.get(0, 0, 0);
  bool isComplexA = body.numComponents[0] == kNumComponents;
  for (unsigned part = 0; part < kNumComponents; ++part)
    for (unsigned p = 0; p < kNumComponents; ++p)
      if (body.get(isComplexA ? part : 0, isComplexA ? 0 : part, p) !=
          (part == p ? sign : 0))
        return std::nullopt;
  return sign == 1 || sign == -1 ? std::optional(sign) : std::nullopt;
}

static bool isBilinear(const BilinearBody &body) {
  return body.numComponents[0] == kNumComponents &&
         body.numComponents[1] == kNumComponents;
}

/// Returns why a product is not taken; empty if it is.
static std::string checkProduct(linalg::LinalgOp op) {
  std::string reason;
  std::optional<BilinearBody> body = matchBilinearBody(op, reason);
  if (!body)
    return reason;
  FloatType type = getPartType(op.getDpsInputOperand(1)->get());
  if (isBilinear(*body)) {
    if (!getConstants(*body, type))
      return llvm::formatv("its body multiplies by a constant that {0} does "
                           "not have; scale the result instead",
                           type)
          .str();
  } else if (!getSign(*body)) {
    return "its body scales products of a real and a complex number, or takes "
           "their conjugates; do so in an operation of its own";
  }
  return "";
}

std::string complex_to_real::checkStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return "it works on buffers; only operations on tensors are supported";
  if (op->walk([&](Operation *inner) {
          return inner != op && hasComplexTensor(inner)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        }).wasInterrupted())
    return "its body reads a tensor";
  if (isComplexProduct(op))
    return checkProduct(op);
  auto isComplexInit = [](Value init) {
    return isComplexTensor(init.getType());
  };
  if (llvm::all_of(op.getDpsInits(), isComplexInit) && isComponentwise(op))
    return "";
  if (op.getNumReductionLoops())
    return "it combines values in another way than by sums of them; only such "
           "reductions and products are supported";
  if (llvm::any_of(op.getDpsInits(), isComplexInit) &&
      !llvm::all_of(op.getDpsInits(), isComplexInit))
    return "it has real and complex results; make an operation for each kind";
  return "";
}

namespace {
struct StructuredPattern : OpInterfaceConversionPattern<linalg::LinalgOp> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;
  LogicalResult
  matchAndRewrite(linalg::LinalgOp op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override;
};

/// Writes the real form of one operation.
class StructuredWriter {
public:
  StructuredWriter(linalg::LinalgOp op, ArrayRef<Value> operands,
                   ConversionPatternRewriter &rewriter)
      : op(op), operands(operands), rewriter(rewriter), loc(op.getLoc()),
        maps(op.getIndexingMapsArray()), iterators(op.getIteratorTypesArray()) {
  }

  Operation *writeFill(FloatAttr part);
  Operation *writeBilinear(const BilinearBody &body);
  /// A product by a real operand.
  Operation *writeScaled(double sign);
  Operation *writeComponentwise();
  Operation *writeWhole();

private:
  bool isComplex(unsigned operand) const {
    return isComplexTensor(op->getOperand(operand).getType());
  }
  unsigned getNumInputs() {
    return static_cast<unsigned>(op.getNumDpsInputs());
  }
  /// Returns whether the body reads the operand's elements.
  bool isRead(unsigned operand) {
    return !op.getBlock()->getArgument(operand).use_empty();
  }
  unsigned addLoop(IteratorType type);
  AffineMap extend(AffineMap map, std::optional<unsigned> loop);
  AffineMap select(AffineMap map, int64_t component);
  Value widen(OpBuilder &builder, Value value, Type type);
  Value getComplex(OpBuilder &builder, Value argument, ValueRange &arguments);
  Operation *
  write(ValueRange inputs, ArrayRef<AffineMap> allMaps,
        function_ref<void(OpBuilder &, Location, ValueRange)> writeBody);

  linalg::LinalgOp op;
  ArrayRef<Value> operands;
  ConversionPatternRewriter &rewriter;
  Location loc;
  SmallVector<AffineMap> maps;
  SmallVector<IteratorType> iterators;
};
} // namespace

unsigned StructuredWriter::addLoop(IteratorType type) {
  iterators.push_back(type);
  return iterators.size() - 1;
}

/// The map with all loops, and `loop` as its innermost index.
AffineMap StructuredWriter::extend(AffineMap map,
                                   std::optional<unsigned> loop) {
  auto results = llvm::to_vector(map.getResults());
  if (loop)
    results.push_back(rewriter.getAffineDimExpr(*loop));
  return AffineMap::get(iterators.size(), 0, results, rewriter.getContext());
}

/// The map of one component.
AffineMap StructuredWriter::select(AffineMap map, int64_t component) {
  auto results = llvm::to_vector(map.getResults());
  results.push_back(rewriter.getAffineConstantExpr(component));
  return AffineMap::get(iterators.size(), 0, results, rewriter.getContext());
}

/// Writes an operation with the attributes of the complex one.
Operation *StructuredWriter::write(
    ValueRange inputs, ArrayRef<AffineMap> allMaps,
    function_ref<void(OpBuilder &, Location, ValueRange)> writeBody) {
  ValueRange inits = ValueRange(operands).drop_front(getNumInputs());
  auto result =
      linalg::GenericOp::create(rewriter, loc, TypeRange(inits), inputs, inits,
                                allMaps, iterators, writeBody);
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  auto hint = op->getAttrOfType<DenseI64ArrayAttr>(kSizeHintAttrName);
  if (hint && hint.size() == static_cast<int64_t>(op.getNumLoops())) {
    auto extents = llvm::to_vector(hint.asArrayRef());
    extents.resize(iterators.size(), kNumComponents);
    result->setAttr(kSizeHintAttrName, rewriter.getDenseI64ArrayAttr(extents));
  }
  return result;
}

Operation *StructuredWriter::writeFill(FloatAttr part) {
  Value value = arith::ConstantOp::create(rewriter, loc, part);
  return linalg::FillOp::create(rewriter, loc, ValueRange{value},
                                ValueRange{operands.back()});
}

Value StructuredWriter::widen(OpBuilder &builder, Value value, Type type) {
  return value.getType() == type
             ? value
             : Value(arith::ExtFOp::create(builder, loc, type, value));
}

Operation *StructuredWriter::writeBilinear(const BilinearBody &body) {
  unsigned p = addLoop(IteratorType::parallel);
  unsigned q = addLoop(IteratorType::reduction);
  unsigned r = addLoop(IteratorType::reduction);
  Value constants = arith::ConstantOp::create(
      rewriter, loc, getConstants(body, getPartType(op->getOperand(1))));
  AffineMap ofConstants = extend(AffineMap::get(iterators.size(), 0,
                                                {rewriter.getAffineDimExpr(q),
                                                 rewriter.getAffineDimExpr(r)},
                                                rewriter.getContext()),
                                 p);
  return write(
      {operands[0], operands[1], constants},
      {extend(maps[0], q), extend(maps[1], r), ofConstants, extend(maps[2], p)},
      [&](OpBuilder &builder, Location, ValueRange elements) {
        Type type = elements[3].getType();
        Value product = arith::MulFOp::create(
            builder, loc, widen(builder, elements[0], type),
            widen(builder, elements[1], type));
        product = arith::MulFOp::create(builder, loc, product,
                                        widen(builder, elements[2], type));
        Value sum = arith::AddFOp::create(builder, loc, elements[3], product);
        linalg::YieldOp::create(builder, loc, sum);
      });
}

Operation *StructuredWriter::writeScaled(double sign) {
  unsigned p = addLoop(IteratorType::parallel);
  auto getMap = [&](unsigned operand) {
    return extend(maps[operand],
                  isComplex(operand) ? std::optional(p) : std::nullopt);
  };
  return write({operands[0], operands[1]}, {getMap(0), getMap(1), getMap(2)},
               [&](OpBuilder &builder, Location, ValueRange elements) {
                 Type type = elements[2].getType();
                 Value product = arith::MulFOp::create(
                     builder, loc, widen(builder, elements[0], type),
                     widen(builder, elements[1], type));
                 Value sum = sign > 0
                                 ? Value(arith::AddFOp::create(
                                       builder, loc, elements[2], product))
                                 : Value(arith::SubFOp::create(
                                       builder, loc, elements[2], product));
                 linalg::YieldOp::create(builder, loc, sum);
               });
}

Operation *StructuredWriter::writeComponentwise() {
  unsigned p = addLoop(IteratorType::parallel);
  SmallVector<AffineMap> extended;
  for (auto [i, map] : llvm::enumerate(maps))
    extended.push_back(
        extend(map, isComplex(i) ? std::optional(p) : std::nullopt));
  return write(ValueRange(operands).take_front(getNumInputs()), extended,
               [&](OpBuilder &builder, Location, ValueRange elements) {
                 linalg::YieldOp::create(builder, loc,
                                         writeComponent(builder, op, elements));
               });
}

/// The number that an argument of the complex body stands for: the next of
/// `arguments`, or the next two of them. `argument` is that of the body.
Value StructuredWriter::getComplex(OpBuilder &builder, Value argument,
                                   ValueRange &arguments) {
  unsigned count = isa<ComplexType>(argument.getType()) ? kNumComponents : 1;
  ValueRange parts = arguments.take_front(count);
  arguments = arguments.drop_front(count);
  return count == 1
             ? parts[0]
             : Value(complex::CreateOp::create(builder, loc, argument.getType(),
                                               parts[0], parts[1]));
}

Operation *StructuredWriter::writeWhole() {
  // Either all results are complex or none.
  std::optional<unsigned> p;
  if (isComplex(getNumInputs()))
    p = addLoop(IteratorType::parallel);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> allMaps;
  // Inits that the body reads are inputs, since it reads both components.
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!isRead(i))
      continue;
    if (isa<ComplexType>(operand.getType())) {
      // A number: its parts are numbers, which every kernel may have.
      inputs.push_back(complex::ReOp::create(rewriter, loc, operand));
      inputs.push_back(complex::ImOp::create(rewriter, loc, operand));
      allMaps.append(kNumComponents, extend(maps[i], std::nullopt));
      continue;
    }
    if (!isComplex(i)) {
      inputs.push_back(operand);
      allMaps.push_back(extend(maps[i], std::nullopt));
      continue;
    }
    for (unsigned component = 0; component < kNumComponents; ++component) {
      inputs.push_back(operand);
      allMaps.push_back(select(maps[i], component));
    }
  }
  for (unsigned i = getNumInputs(); i < operands.size(); ++i)
    allMaps.push_back(extend(maps[i], p));
  return write(
      inputs, allMaps, [&](OpBuilder &builder, Location, ValueRange elements) {
        IRMapping mapping;
        for (BlockArgument argument : op.getBlock()->getArguments())
          if (isRead(argument.getArgNumber()))
            mapping.map(argument, getComplex(builder, argument, elements));
        for (Operation &inner : op.getBlock()->without_terminator())
          builder.clone(inner, mapping);
        SmallVector<Value> results;
        for (Value value : op.getBlock()->getTerminator()->getOperands()) {
          value = mapping.lookupOrDefault(value);
          if (p) {
            Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
            Value isReal = arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::eq,
                linalg::IndexOp::create(builder, loc, *p), zero);
            value = arith::SelectOp::create(
                builder, loc, isReal,
                complex::ReOp::create(builder, loc, value),
                complex::ImOp::create(builder, loc, value));
          }
          results.push_back(value);
        }
        linalg::YieldOp::create(builder, loc, results);
      });
}

LogicalResult
StructuredPattern::matchAndRewrite(linalg::LinalgOp op,
                                   ArrayRef<Value> operands,
                                   ConversionPatternRewriter &rewriter) const {
  StructuredWriter writer(op, operands, rewriter);
  auto replace = [&](Operation *result) {
    rewriter.replaceOp(op, result);
    return success();
  };
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    if (FloatAttr part = getFilledPart(fill))
      return replace(writer.writeFill(part));
  if (isComplexProduct(op)) {
    std::string reason;
    std::optional<BilinearBody> body = matchBilinearBody(op, reason);
    if (!body)
      return failure();
    if (isBilinear(*body))
      return replace(writer.writeBilinear(*body));
    std::optional<double> sign = getSign(*body);
    return sign ? replace(writer.writeScaled(*sign)) : failure();
  }
  bool isComplexResult = isComplexTensor(op.getDpsInits()[0].getType());
  return replace(isComplexResult && isComponentwise(op)
                     ? writer.writeComponentwise()
                     : writer.writeWhole());
}

void complex_to_real::populateStructuredPatterns(RewritePatternSet &patterns,
                                                 const ComponentTypes &types) {
  patterns.add<StructuredPattern>(types, patterns.getContext());
}
