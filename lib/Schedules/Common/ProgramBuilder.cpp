//===- ProgramBuilder.cpp - Writes one tile-level program -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/ProgramBuilder.h"
#include "Common/PlanExpressions.h"
#include "Common/Programs.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

MemRefType tcgemm::getGlobalType(Type elementType) {
  auto space = gpu::AddressSpaceAttr::get(elementType.getContext(),
                                          gpu::AddressSpace::Global);
  return MemRefType::get({ShapedType::kDynamic}, getStorageType(elementType),
                         MemRefLayoutAttrInterface(), space);
}

Expr tcgemm::getStrideSymbol(StringRef name, size_t position) {
  return Expr::symbol((name + ".stride" + Twine(position)).str());
}

Expr tcgemm::getSizeSymbol(char dim) {
  return Expr::symbol(getSizeName(*findDim(dim)));
}

Expr tcgemm::getProductCount(KernelOp kernel, StringRef dims) {
  SmallVector<Expr> sizes;
  for (char dim : kernel.getOuterDims())
    if (dims.contains(dim))
      sizes.push_back(getSizeSymbol(dim));
  return sizes.empty() ? Expr(1) : product(sizes);
}

Expr tcgemm::getProductCount(KernelOp kernel) {
  return getProductCount(kernel, kernel.getProductDims());
}

ProgramBuilder::ProgramBuilder(KernelOp kernel, gpu::GPUModuleOp module,
                               StringRef name, int64_t threads)
    : IntegerBuilder(kernel.getLoc(), kernel.getContext()), kernel(kernel) {
  setInsertionPointToEnd(module.getBody());
  program = create<ProgramOp>(name, getFunctionType({}, {}), threads,
                              kernel.getChip().value_or("sm_90"));
  program.setAlgebraAttr(kernel.getAlgebraAttr());
  setInsertionPointToStart(&program.getBody().front());
}

ProgramOp ProgramBuilder::finish() {
  create<ReturnOp>();
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (auto &[binding, value] : arguments) {
    types.push_back(value.getType());
    attributes.push_back(
        getDictionaryAttr(getNamedAttr(kBindingAttrName, binding)));
  }
  program.setFunctionType(getFunctionType(types, {}));
  program.setArgAttrsAttr(getArrayAttr(attributes));
  return program;
}

ProgramOp ProgramBuilder::finish(const KernelConfig &config) {
  finish();
  program.setMinCtas(config.minCtas);
  program.setMaxRegisters(config.maxRegisters);
  return program;
}

Value ProgramBuilder::argument(Argument binding, Type type) {
  return argument(BindingAttr::get(getContext(), std::move(binding)), type);
}

Value ProgramBuilder::argument(Attribute binding, Type type) {
  if (Value known = arguments.lookup(binding))
    return known;
  Value value = program.getBody().front().addArgument(type, getLoc());
  arguments[binding] = value;
  return value;
}

Value ProgramBuilder::pointer(unsigned index) {
  return pointer(index, getTileElement(kernel, index));
}

Value ProgramBuilder::pointer(unsigned index, Type element) {
  return argument(Argument::pointer(kernel.getOperandName(index)),
                  getGlobalType(element));
}

Value ProgramBuilder::workspace(const Expr &offset, Type elementType) {
  return argument(Argument::workspace(offset), getGlobalType(elementType));
}

Value ProgramBuilder::scalar(unsigned index) {
  return argument(Argument::scalar(kernel.getOperandName(index)),
                  kernel.getOperandInfo(index).getElementType());
}

Value ProgramBuilder::size(char dim) {
  int64_t size = kernel.getSize(dim);
  if (!ShapedType::isDynamic(size))
    return i32(size);
  return argument(Argument::i32(getSizeSymbol(dim)), getI32Type());
}

Value ProgramBuilder::size(StringRef symbol) {
  assert((symbol == "M" || symbol == "N" || symbol == "K") &&
         "outer dims have letters");
  return size(symbol == "M" ? 'm' : symbol == "N" ? 'n' : 'k');
}

Value ProgramBuilder::countProducts() {
  Value count;
  for (char dim : kernel.getProductDims())
    count = count ? mul(count, size(dim)) : size(dim);
  return count;
}

SmallVector<Value> ProgramBuilder::split(StringRef dims, Value index) {
  SmallVector<Value> coordinates(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    if (i == 0) {
      coordinates[i] = index;
      break;
    }
    Value quotient = divU(index, size(dims[i]));
    coordinates[i] = sub(index, mul(quotient, size(dims[i])));
    index = quotient;
  }
  return coordinates;
}

SmallVector<Value> ProgramBuilder::splitOuter(Value batch) {
  return split(kernel.getProductDims(), batch);
}

Value ProgramBuilder::outerCoordinate(char dim, Value batch) {
  return splitOuter(batch)[kOuterLetters.find(dim)];
}

Value ProgramBuilder::outerOffset(unsigned index, Value batch) {
  StringRef outer = kernel.getProductDims();
  Value offset;
  for (auto [dim, coordinate] : llvm::zip_equal(outer, splitOuter(batch))) {
    if (outer.size() > 1 &&
        !kernel.getOperandInfo(index).getDims().contains(dim))
      continue;
    Value part = mul(ext(coordinate), stride(index, dim));
    offset = offset ? add(offset, part) : part;
  }
  return offset ? offset : i64(0);
}

std::string ProgramBuilder::getOwnOuterDims(unsigned index) {
  std::string own;
  for (char dim : kernel.getOuterDims())
    if (kernel.getOperandInfo(index).getDims().contains(dim))
      own += dim;
  return own;
}

Value ProgramBuilder::ownOuterCoordinate(unsigned index, char dim,
                                         Value batch) {
  std::string own = getOwnOuterDims(index);
  return split(own, batch)[own.find(dim)];
}

Value ProgramBuilder::ownOuterOffset(unsigned index, Value batch) {
  std::string own = getOwnOuterDims(index);
  if (own.empty())
    return i64(0);
  Value offset;
  for (auto [dim, coordinate] :
       llvm::zip_equal(StringRef(own), split(own, batch))) {
    Value part = mul(ext(coordinate), stride(index, dim));
    offset = offset ? add(offset, part) : part;
  }
  return offset;
}

Value ProgramBuilder::depth(const KernelConfig &config) {
  if (!splitsOperands(kernel))
    return size("K");
  Expr depth = getDepth(kernel, config);
  int64_t k = kernel.getK();
  if (ShapedType::isDynamic(k))
    return expression(depth, getI32Type());
  return i32(llvm::cantFail(
      depth.evaluate([&](StringRef) -> std::optional<int64_t> { return k; })));
}

std::string ProgramBuilder::getDims(unsigned index) {
  return kernel.isMatrix(index) ? getTileDims(kernel, index)
                                : kernel.getOperandInfo(index).getDims().str();
}

Value ProgramBuilder::stride(unsigned index, char dim) {
  StringRef dims = kernel.getOperandInfo(index).getDims();
  size_t position = dims.find(dim);
  if (position == StringRef::npos)
    return i64(0);
  if (dim == getDims(index).back())
    return i64(1);
  return argument(Argument::i64(getProgramStride(kernel, index, position)),
                  getI64Type());
}

Value ProgramBuilder::tensorMap(unsigned index, TileType box,
                                unsigned l2Promotion, const Expr &depth) {
  MLIRContext *context = getContext();
  std::string name = kernel.getOperandName(index);
  std::string dims = getDims(index);
  Type element = box.getElementType();
  // The map of an operand with elements that share bytes counts bytes.
  int64_t packed = kernel.isMatrix(index)
                       ? tcgemm::getPackedElements(kernel, index)
                       : int64_t(1);
  if (packed > 1)
    element = getStorageType(element);
  int64_t bytes = getStorageBits(element) / 8;
  StringRef inMemory = kernel.getOperandInfo(index).getDims();
  SmallVector<ExprAttr> sizes, strides;
  SmallVector<unsigned> boxSizes;
  // Innermost first. The innermost dimension has no stride.
  for (size_t i = dims.size(); i-- > 0;) {
    bool isInnermost = i + 1 == dims.size();
    Expr size = dims[i] == 'k' ? depth : getSizeSymbol(dims[i]);
    if (packed > 1 && dims[i] == 'k')
      size = Expr::make(ExprKind::Div, {size, packed});
    sizes.push_back(ExprAttr::get(context, size));
    boxSizes.push_back(isInnermost        ? box.getColumns()
                       : isOuter(dims[i]) ? 1
                                          : box.getRows());
    if (isInnermost)
      continue;
    size_t position = inMemory.find(dims[i]);
    Expr stride = kernel.isMatrix(index)
                      ? getProgramStride(kernel, index, position)
                      : getStrideSymbol(name, position);
    strides.push_back(ExprAttr::get(
        context, Expr::make(ExprKind::Mul, {stride, Expr(bytes)})));
  }
  auto base = BindingAttr::get(context, Argument::pointer(name));
  // A program that stores tiles in two ways has two maps of an output.
  TensorMapAttr attribute;
  auto isOther = [&](const auto &known) {
    auto map = dyn_cast<TensorMapAttr>(known.first);
    return map && map != attribute && map.getName() == attribute.getName();
  };
  std::string mapName = name;
  do {
    attribute = TensorMapAttr::get(
        context, getStringAttr(mapName), element, base, sizes, strides,
        boxSizes, box.getTmaSwizzle(), l2Promotion, WindowAttr());
    mapName += "_turned";
  } while (llvm::any_of(arguments, isOther));
  return argument(attribute, TensorMapType::get(context, box));
}

Value ProgramBuilder::windowMap(TileType box, const TensorMapWindow &window,
                                unsigned l2Promotion) {
  MLIRContext *context = getContext();
  const Convolution &c = kernel.getConvolution().getValue();
  std::string name = kernel.getOperandName(0);
  auto get = [&](const Expr &value) { return ExprAttr::get(context, value); };
  Expr images = Expr::make(ExprKind::Div,
                           {getSizeSymbol('m'), Expr(c.getOutputPixels())});
  SmallVector<ExprAttr> sizes{get(c.channels), get(c.image[1]), get(c.image[0]),
                              get(images)};
  int64_t bytes = getStorageBits(box.getElementType()) / 8;
  SmallVector<ExprAttr> strides;
  for (int64_t pixels : {int64_t(1), c.image[1], c.getImagePixels()})
    strides.push_back(
        get(Expr::make(ExprKind::Mul, {getProgramStride(kernel, 0, 0),
                                       Expr(pixels * bytes)})));
  auto attribute = TensorMapAttr::get(
      context, getStringAttr(name), box.getElementType(),
      BindingAttr::get(context, Argument::pointer(name)), sizes, strides,
      {unsigned(box.getColumns()), unsigned(box.getRows())},
      box.getTmaSwizzle(), l2Promotion, WindowAttr::get(context, window));
  return argument(attribute, TensorMapType::get(context, box));
}

Value ProgramBuilder::expression(const Expr &value, Type type) {
  return argument(
      type.isInteger(32) ? Argument::i32(value) : Argument::i64(value), type);
}

Value ProgramBuilder::extend(Value acc) {
  auto type = cast<AccType>(acc.getType());
  Type element = kernel.getAccumulatorType();
  if (type.getElementType() == element)
    return acc;
  auto wide = AccType::get(type.getRows(), type.getColumns(), element,
                           type.getLayout());
  return create<AccExtendOp>(wide, acc);
}

Value ProgramBuilder::removeScale(Value acc) {
  ProblemInfo problem = getProblemInfo(kernel);
  int64_t exponent = getProductExponent(problem.typeA, problem.typeB);
  if (exponent == 0)
    return acc;
  return create<AccScaleOp>(acc.getType(), acc, -exponent);
}

Value ProgramBuilder::blockId(gpu::Dimension dimension) {
  Value id = create<gpu::BlockIdOp>(dimension);
  return create<arith::IndexCastUIOp>(getI32Type(), id);
}
Value ProgramBuilder::gridSize() {
  Value size = create<gpu::GridDimOp>(gpu::Dimension::x);
  return create<arith::IndexCastUIOp>(getI32Type(), size);
}
Value ProgramBuilder::threadId() {
  Value id = create<gpu::ThreadIdOp>(gpu::Dimension::x);
  return create<arith::IndexCastUIOp>(getI32Type(), id);
}
