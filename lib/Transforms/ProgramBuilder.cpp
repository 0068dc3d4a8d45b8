//===- ProgramBuilder.cpp - Writes one tile-level program -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

MemRefType tcgemm::getGlobalType(Type elementType) {
  auto space = gpu::AddressSpaceAttr::get(elementType.getContext(),
                                          gpu::AddressSpace::Global);
  return MemRefType::get({ShapedType::kDynamic}, elementType,
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
    : kernel(kernel), builder(kernel.getLoc(), kernel.getContext()) {
  builder.setInsertionPointToEnd(module.getBody());
  program =
      builder.create<ProgramOp>(name, builder.getFunctionType({}, {}), threads,
                                kernel.getChip().value_or("sm_90"));
  builder.setInsertionPointToStart(&program.getBody().front());
}

ProgramOp ProgramBuilder::finish() {
  builder.create<ReturnOp>();
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (auto &[binding, value] : arguments) {
    types.push_back(value.getType());
    attributes.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kBindingAttrName, binding)));
  }
  program.setFunctionType(builder.getFunctionType(types, {}));
  program.setArgAttrsAttr(builder.getArrayAttr(attributes));
  return program;
}

Value ProgramBuilder::argument(Argument binding, Type type) {
  return argument(BindingAttr::get(builder.getContext(), std::move(binding)),
                  type);
}

Value ProgramBuilder::argument(Attribute binding, Type type) {
  if (Value known = arguments.lookup(binding))
    return known;
  Value value = program.getBody().front().addArgument(type, builder.getLoc());
  arguments[binding] = value;
  return value;
}

Value ProgramBuilder::pointer(unsigned index) {
  Type element = kernel.getOperandInfo(index).getElementType();
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
  return argument(Argument::i32(Expr::symbol(symbol)), builder.getI32Type());
}

Value ProgramBuilder::stride(unsigned index, char dim) {
  StringRef dims = kernel.getOperandInfo(index).getDims();
  size_t position = dims.find(dim);
  if (position == StringRef::npos)
    return i64(0);
  if (position + 1 == dims.size())
    return i64(1);
  return argument(
      Argument::i64(getStrideSymbol(kernel.getOperandName(index), position)),
      builder.getI64Type());
}

Value ProgramBuilder::tensorMap(unsigned index, TileType box,
                                unsigned l2Promotion) {
  MLIRContext *context = builder.getContext();
  std::string name = kernel.getOperandName(index);
  StringRef dims = kernel.getOperandInfo(index).getDims();
  Type element = box.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  SmallVector<ExprAttr> sizes, strides;
  SmallVector<unsigned> boxSizes;
  // Innermost first. The innermost dimension has no stride.
  for (size_t i = dims.size(); i-- > 0;) {
    bool isInnermost = i + 1 == dims.size();
    sizes.push_back(ExprAttr::get(context, getSizeSymbol(dims[i])));
    boxSizes.push_back(isInnermost      ? box.getColumns()
                       : dims[i] == 'b' ? 1
                                        : box.getRows());
    if (!isInnermost)
      strides.push_back(ExprAttr::get(
          context,
          Expr::make(ExprKind::Mul, {getStrideSymbol(name, i), Expr(bytes)})));
  }
  auto base = BindingAttr::get(context, Argument::pointer(name));
  auto attribute = TensorMapAttr::get(context, builder.getStringAttr(name),
                                      element, base, sizes, strides, boxSizes,
                                      box.getTmaSwizzle(), l2Promotion);
  return argument(attribute, TensorMapType::get(context, box));
}

Value ProgramBuilder::expression(const Expr &value, Type type) {
  return argument(
      type.isInteger(32) ? Argument::i32(value) : Argument::i64(value), type);
}

Value ProgramBuilder::i32(int64_t value) {
  return builder.create<arith::ConstantIntOp>(value, 32);
}
Value ProgramBuilder::i64(int64_t value) {
  return builder.create<arith::ConstantIntOp>(value, 64);
}
Value ProgramBuilder::ext(Value value) {
  return builder.createOrFold<arith::ExtUIOp>(builder.getI64Type(), value);
}
Value ProgramBuilder::add(Value x, Value y) {
  return builder.createOrFold<arith::AddIOp>(x, y);
}
Value ProgramBuilder::sub(Value x, Value y) {
  return builder.createOrFold<arith::SubIOp>(x, y);
}
Value ProgramBuilder::mul(Value x, Value y) {
  return builder.createOrFold<arith::MulIOp>(x, y);
}
Value ProgramBuilder::divU(Value x, Value y) {
  return builder.createOrFold<arith::DivUIOp>(x, y);
}
Value ProgramBuilder::remU(Value x, Value y) {
  return builder.createOrFold<arith::RemUIOp>(x, y);
}
Value ProgramBuilder::ceilDiv(Value x, int64_t y) {
  return divU(add(x, i32(y - 1)), i32(y));
}
Value ProgramBuilder::minU(Value x, Value y) {
  return builder.createOrFold<arith::MinUIOp>(x, y);
}
Value ProgramBuilder::cmp(arith::CmpIPredicate predicate, Value x, Value y) {
  return builder.createOrFold<arith::CmpIOp>(predicate, x, y);
}
Value ProgramBuilder::select(Value c, Value x, Value y) {
  return builder.createOrFold<arith::SelectOp>(c, x, y);
}
Value ProgramBuilder::blockId(gpu::Dimension dimension) {
  Value id = builder.create<gpu::BlockIdOp>(dimension);
  return builder.create<arith::IndexCastUIOp>(builder.getI32Type(), id);
}
Value ProgramBuilder::gridSize() {
  Value size = builder.create<gpu::GridDimOp>(gpu::Dimension::x);
  return builder.create<arith::IndexCastUIOp>(builder.getI32Type(), size);
}
Value ProgramBuilder::threadId() {
  Value id = builder.create<gpu::ThreadIdOp>(gpu::Dimension::x);
  return builder.create<arith::IndexCastUIOp>(builder.getI32Type(), id);
}
