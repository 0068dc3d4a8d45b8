//===- ProgramBuilder.cpp - Writes one tile-level program -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

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
  return Expr::symbol(dim == 'b'   ? "batch"
                      : dim == 'm' ? "M"
                      : dim == 'n' ? "N"
                                   : "K");
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

Value ProgramBuilder::size(StringRef symbol) {
  int64_t index = StringRef(symbol) == "batch" ? 0
                  : symbol == "M"              ? 1
                  : symbol == "N"              ? 2
                                               : 3;
  int64_t size = kernel.getSizes()[index];
  if (!ShapedType::isDynamic(size))
    return i32(size);
  return argument(Argument::i32(Expr::symbol(symbol)), getI32Type());
}

Value ProgramBuilder::depth() {
  if (!splitsOperands(kernel))
    return size("K");
  Expr depth = getDepth(kernel);
  int64_t k = kernel.getK();
  if (ShapedType::isDynamic(k))
    return expression(depth, getI32Type());
  return i32(llvm::cantFail(
      depth.evaluate([&](StringRef) -> std::optional<int64_t> { return k; })));
}

std::string ProgramBuilder::getDims(unsigned index) {
  return index < 2 ? getTileDims(kernel, index)
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
                                unsigned l2Promotion) {
  MLIRContext *context = getContext();
  std::string name = kernel.getOperandName(index);
  std::string dims = getDims(index);
  Type element = box.getElementType();
  // The map of an operand with elements that share bytes counts bytes.
  int64_t packed =
      index < 2 ? tcgemm::getPackedElements(kernel, index) : int64_t(1);
  if (packed > 1)
    element = getStorageType(element);
  int64_t bytes = getStorageBits(element) / 8;
  StringRef inMemory = kernel.getOperandInfo(index).getDims();
  SmallVector<ExprAttr> sizes, strides;
  SmallVector<unsigned> boxSizes;
  // Innermost first. The innermost dimension has no stride.
  for (size_t i = dims.size(); i-- > 0;) {
    bool isInnermost = i + 1 == dims.size();
    Expr size = dims[i] == 'k' ? getDepth(kernel) : getSizeSymbol(dims[i]);
    if (packed > 1 && dims[i] == 'k')
      size = Expr::make(ExprKind::Div, {size, packed});
    sizes.push_back(ExprAttr::get(context, size));
    boxSizes.push_back(isInnermost      ? box.getColumns()
                       : dims[i] == 'b' ? 1
                                        : box.getRows());
    if (isInnermost)
      continue;
    size_t position = inMemory.find(dims[i]);
    Expr stride = index < 2 ? getProgramStride(kernel, index, position)
                            : getStrideSymbol(name, position);
    strides.push_back(ExprAttr::get(
        context, Expr::make(ExprKind::Mul, {stride, Expr(bytes)})));
  }
  auto base = BindingAttr::get(context, Argument::pointer(name));
  auto attribute =
      TensorMapAttr::get(context, getStringAttr(name), element, base, sizes,
                         strides, boxSizes, box.getTmaSwizzle(), l2Promotion);
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
