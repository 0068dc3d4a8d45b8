//===- RaiseConvolution.cpp - Convolutions as products ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is replaced by tcgemm.im2col and a product whose rows are the
// pixels of the outputs. The product is then taken as any other, with what is
// fused. Its kernel takes the images of the tcgemm.im2col as A.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseConvolution.h"
#include "Raise/RaiseGroup.h"
#include "Raise/RaiseIndices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

bool raise::isConvolution(linalg::LinalgOp op) {
  return isa<linalg::ConvolutionOpInterface>(op.getOperation()) &&
         isProductSum(op);
}

namespace {
/// A kind of convolution: the letters of the dimensions of images, filter and
/// result.
struct ConvolutionKind {
  StringRef images, filter, result;
};

/// A convolution and the operands of its product.
class Expansion {
public:
  Expansion(linalg::LinalgOp op, const ConvolutionKind &kind, bool transposes)
      : op(op), kind(kind), transposes(transposes), rewriter(op.getContext()),
        loc(op.getLoc()), images(op.getDpsInputOperand(0)->get()),
        filter(op.getDpsInputOperand(1)->get()),
        init(op.getDpsInitOperand(0)->get()) {}

  /// Determines the convolution. Returns why it is not taken.
  std::string match();
  void write();

private:
  bool isChannelOutermost() const { return kind.images != "nhwc"; }
  RankedTensorType getType(Value value) const {
    return cast<RankedTensorType>(value.getType());
  }
  int64_t getSize(Value value, StringRef dims, char dim) const {
    return getType(value).getDimSize(dims.find(dim));
  }
  void takePadding();
  bool isIdentity() const;
  Value createColumns();
  Value createMatrix(char &outermost);
  Value createProduct(Value columns, Value matrix, char outermost,
                      Value target);

  linalg::LinalgOp op;
  ConvolutionKind kind;
  bool transposes;
  IRRewriter rewriter;
  Location loc;
  Value images, filter, init;
  Convolution convolution;
};
} // namespace

static std::optional<ConvolutionKind> findKind(Operation *op) {
  if (isa<linalg::Conv2DNhwcHwcfOp>(op))
    return ConvolutionKind{"nhwc", "hwcf", "nhwf"};
  if (isa<linalg::Conv2DNhwcFhwcOp>(op))
    return ConvolutionKind{"nhwc", "fhwc", "nhwf"};
  if (isa<linalg::Conv2DNchwFchwOp>(op))
    return ConvolutionKind{"nchw", "fchw", "nfhw"};
  return std::nullopt;
}

/// Why a convolution of another kind is not taken.
static std::string explainKind(linalg::LinalgOp op) {
  StringRef name = op->getName().getStringRef();
  if (name.contains("depthwise"))
    return "it is a depthwise convolution: each channel has a filter of its "
           "own, and so it is no product of matrices";
  if (op.getNumReductionLoops() && op.getNumParallelLoops() == 5)
    return "it is a convolution with groups of channels; only those with one "
           "group are taken: make a convolution of each group";
  return "it is a convolution of another kind; conv_2d_nhwc_hwcf, "
         "conv_2d_nhwc_fhwc and conv_2d_nchw_fchw are taken";
}

/// If the images are padded by zeros along H and W, takes the padding.
void Expansion::takePadding() {
  auto pad = images.getDefiningOp<tensor::PadOp>();
  Value padding = pad ? pad.getConstantPaddingValue() : Value();
  if (!padding || pad.getNofold() ||
      !(matchPattern(padding, m_PosZeroFloat()) ||
        matchPattern(padding, m_Zero())))
    return;
  std::array<int64_t, 2> before{}, after{};
  for (auto [dim, low, high] :
       llvm::zip_equal(kind.images, pad.getStaticLow(), pad.getStaticHigh())) {
    bool isSide = dim == 'h' || dim == 'w';
    if (low < 0 || high < 0 || (!isSide && (low || high)))
      return; // Also those that are not static.
    if (isSide) {
      before[dim == 'w'] = low;
      after[dim == 'w'] = high;
    }
  }
  convolution.before = before;
  convolution.after = after;
  images = pad.getSource();
}

/// Returns whether the product's A is the images themselves.
bool Expansion::isIdentity() const {
  Convolution plain;
  plain.image = convolution.image;
  plain.channels = convolution.channels;
  return convolution == plain;
}

std::string Expansion::match() {
  if (!op.hasPureTensorSemantics())
    return "it works on buffers; convolutions are taken on tensors";
  Type type = getType(images).getElementType();
  if (type != getType(filter).getElementType() ||
      !(type.isF16() || type.isBF16() || type.isF32()))
    return llvm::formatv("its images and its filter have elements of {0} and "
                         "{1}; only f16, bf16 and f32, the same in both, are "
                         "supported",
                         type, getType(filter).getElementType())
        .str();
  takePadding();
  auto strides = op->getAttrOfType<DenseIntElementsAttr>("strides");
  auto dilations = op->getAttrOfType<DenseIntElementsAttr>("dilations");
  for (unsigned side : {0, 1}) {
    convolution.image[side] = getSize(images, kind.images, "hw"[side]);
    convolution.filter[side] = getSize(filter, kind.filter, "hw"[side]);
    if (strides)
      convolution.strides[side] = strides.getValues<int64_t>()[side];
    if (dilations)
      convolution.dilations[side] = dilations.getValues<int64_t>()[side];
  }
  convolution.channels = getSize(images, kind.images, 'c');
  for (int64_t size :
       {convolution.image[0], convolution.image[1], convolution.channels,
        convolution.filter[0], convolution.filter[1]})
    if (ShapedType::isDynamic(size))
      return "its images or its filter have sizes that are not known before "
             "run time; only the number of images and that of filters may be";
  if (std::optional<std::string> found = findViolation(convolution))
    return "of its numbers: " + *found;
  for (unsigned side : {0, 1})
    if (int64_t size = getSize(init, kind.result, "hw"[side]);
        size != convolution.getOutput(side))
      return llvm::formatv("its result has {0} {1}, but its windows fit {2} "
                           "times: take the result of all and a slice of it",
                           ShapedType::isDynamic(size) ? "a run-time number of"
                                                       : std::to_string(size),
                           side ? "columns" : "rows",
                           convolution.getOutput(side))
          .str();
  if (isChannelOutermost() && !transposes && !isIdentity())
    return "the channels of its images are outside of the pixels; the option "
           "transpose-operands transposes them";
  return "";
}

/// A of the product: N, output rows, output columns, K.
Value Expansion::createColumns() {
  if (isChannelOutermost()) {
    images = transposeTensor(rewriter, loc, images, kind.images, "nhwc");
    kind.images = "nhwc";
  }
  if (isIdentity())
    return images;
  auto type = RankedTensorType::get(
      {getType(images).getDimSize(0), convolution.getOutput(0),
       convolution.getOutput(1), convolution.getDepth()},
      getType(images).getElementType());
  return Im2colOp::create(
      rewriter, loc, type, images,
      ConvolutionAttr::get(rewriter.getContext(), convolution));
}

/// B of the product as a matrix, and whether filters (f) or elements of the
/// filter (k) are its rows.
Value Expansion::createMatrix(char &outermost) {
  Value matrix = filter;
  if (kind.filter == "fchw")
    matrix = transposeTensor(rewriter, loc, matrix, kind.filter, "fhwc");
  bool alongK = kind.filter != "hwcf";
  outermost = alongK ? 'f' : 'k';
  SmallVector<ReassociationIndices> groups{{0}, {1, 2, 3}};
  if (!alongK)
    groups = {{0, 1, 2}, {3}};
  return tensor::CollapseShapeOp::create(rewriter, loc, matrix, groups);
}

Value Expansion::createProduct(Value columns, Value matrix, char outermost,
                               Value target) {
  MLIRContext *context = rewriter.getContext();
  auto getMap = [&](ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops)
      exprs.push_back(rewriter.getAffineDimExpr(loop));
    return AffineMap::get(5, 0, exprs, context);
  };
  // The loops are N, output rows, output columns, F and K.
  AffineMap maps[] = {getMap({0, 1, 2, 4}),
                      outermost == 'f' ? getMap({3, 4}) : getMap({4, 3}),
                      getMap({0, 1, 2, 3})};
  SmallVector<utils::IteratorType> loops(5, utils::IteratorType::parallel);
  loops.back() = utils::IteratorType::reduction;
  auto product = linalg::GenericOp::create(rewriter, loc, target.getType(),
                                           ValueRange{columns, matrix}, target,
                                           maps, loops);
  rewriter.cloneRegionBefore(op->getRegion(0), product.getRegion(),
                             product.getRegion().begin());
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    product->setDiscardableAttr(attribute.getName(), attribute.getValue());
  if (auto hint = op->getAttrOfType<DenseI64ArrayAttr>(kSizeHintAttrName);
      hint && hint.size() == int64_t(op.getNumLoops()))
    product->setDiscardableAttr(
        kSizeHintAttrName,
        rewriter.getDenseI64ArrayAttr(
            {hint[0], convolution.getOutput(0), convolution.getOutput(1),
             hint[kind.result.find('f')], convolution.getDepth()}));
  return product.getResult(0);
}

void Expansion::write() {
  rewriter.setInsertionPoint(op);
  char outermost;
  Value columns = createColumns();
  Value matrix = createMatrix(outermost);
  Value target = init;
  bool isTransposed = kind.result != "nhwf";
  if (isTransposed)
    target = transposeTensor(rewriter, loc, init, kind.result, "nhwf");
  Value result = createProduct(columns, matrix, outermost, target);
  if (isTransposed)
    result = transposeTensor(rewriter, loc, result, "nhwf", kind.result);
  Operation *pad = op.getDpsInputOperand(0)->get().getDefiningOp();
  rewriter.replaceOp(op, result);
  if (pad && isOpTriviallyDead(pad))
    rewriter.eraseOp(pad);
}

std::string raise::expandConvolution(linalg::LinalgOp op, bool transposes) {
  std::optional<ConvolutionKind> kind = findKind(op);
  if (!kind)
    return explainKind(op);
  Expansion expansion(op, *kind, transposes);
  std::string reason = expansion.match();
  if (reason.empty())
    expansion.write();
  return reason;
}

std::string raise::checkWindows(const Group &group) {
  if (group.b.getDefiningOp<Im2colOp>())
    return "its B is what the filter of a convolution sees; only A may be";
  if (!group.a.getDefiningOp<Im2colOp>())
    return "";
  if (group.fold(group.aDims) != "mk" || group.numOuter)
    return "its A is what the filter of a convolution sees, whose pixels are "
           "not one dimension of the result";
  if (!group.steps[0].empty() || !group.steps[1].empty())
    return "it computes functions of the elements of a convolution";
  bool isRounded = group.precision == Precision::TF32;
  if (group.precision != Precision::IEEE && !isRounded &&
      hasPrecision(getElementTypeOrSelf(group.a.getType()), group.precision))
    return "it is a convolution with the precision " +
           getPrecisionName(group.precision).str() +
           "; only ieee and tf32 are supported";
  return "";
}

/// Images with their zeros around them.
static Value pad(OpBuilder &builder, Im2colOp op) {
  const Convolution &c = op.getConvolution().getValue();
  if (c.before == std::array<int64_t, 2>() &&
      c.after == std::array<int64_t, 2>())
    return op.getImages();
  Location loc = op.getLoc();
  RankedTensorType type = op.getImages().getType();
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  auto get = [&](const std::array<int64_t, 2> &sides) {
    return SmallVector<OpFoldResult>{
        builder.getIndexAttr(0), builder.getIndexAttr(sides[0]),
        builder.getIndexAttr(sides[1]), builder.getIndexAttr(0)};
  };
  return tensor::PadOp::create(builder, loc, Type(), op.getImages(),
                               get(c.before), get(c.after), zero);
}

/// A copy of each element of each window.
static void expand(Im2colOp op) {
  const Convolution &c = op.getConvolution().getValue();
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value images = pad(rewriter, op);
  RankedTensorType type = op.getType();
  SmallVector<OpFoldResult> sizes{
      tensor::getMixedSize(rewriter, loc, op.getImages(), 0)};
  for (int64_t size :
       {c.getOutput(0), c.getOutput(1), c.filter[0], c.filter[1], c.channels})
    sizes.push_back(rewriter.getIndexAttr(size));
  Value target =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  // The loops are N, output rows and columns, rows and columns of the filter,
  // and C.
  AffineExpr d[6];
  bindDims(op.getContext(), d[0], d[1], d[2], d[3], d[4], d[5]);
  AffineMap source =
      AffineMap::get(6, 0,
                     {d[0], d[1] * c.strides[0] + d[3] * c.dilations[0],
                      d[2] * c.strides[1] + d[4] * c.dilations[1], d[5]},
                     op.getContext());
  AffineMap maps[] = {source, rewriter.getMultiDimIdentityMap(6)};
  SmallVector<utils::IteratorType> loops(6, utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      rewriter, loc, target.getType(), images, target, maps, loops,
      [](OpBuilder &builder, Location place, ValueRange arguments) {
        linalg::YieldOp::create(builder, place, arguments.front());
      });
  SmallVector<ReassociationIndices> groups{{0}, {1}, {2}, {3, 4, 5}};
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
      op, type, copy.getResult(0), groups);
}

void raise::expandWindows(func::FuncOp function) {
  SmallVector<Im2colOp> left;
  function.walk([&](Im2colOp op) { left.push_back(op); });
  for (Im2colOp op : left) {
    if (op->use_empty())
      op->erase();
    else
      expand(op);
  }
}
