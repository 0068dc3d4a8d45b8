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
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(kBindingAttr, binding)));
  }
  program.setFunctionType(builder.getFunctionType(types, {}));
  program.setArgAttrsAttr(builder.getArrayAttr(attributes));
  return program;
}

Value ProgramBuilder::argument(StringRef binding, Type type) {
  return argument(builder.getStringAttr(binding), type);
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
  return argument("pointer " + kernel.getOperandName(index),
                  getGlobalType(element));
}

Value ProgramBuilder::workspace(StringRef offset, Type elementType) {
  return argument(("workspace " + offset).str(), getGlobalType(elementType));
}

Value ProgramBuilder::scalar(unsigned index) {
  return argument("scalar " + kernel.getOperandName(index),
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
  return argument(("i32 " + symbol).str(), builder.getI32Type());
}

Value ProgramBuilder::stride(unsigned index, char dim) {
  StringRef dims = kernel.getOperandInfo(index).getDims();
  size_t position = dims.find(dim);
  if (position == StringRef::npos)
    return i64(0);
  if (position + 1 == dims.size())
    return i64(1);
  return argument("i64 " + kernel.getOperandName(index) + ".stride" +
                      std::to_string(position),
                  builder.getI64Type());
}

Value ProgramBuilder::tensorMap(StringRef name, StringRef base, StringRef dims,
                                ArrayRef<std::string> strides, TileType box,
                                unsigned l2Promotion) {
  auto text = [&](const Twine &value) { return builder.getStringAttr(value); };
  Type element = box.getElementType();
  SmallVector<StringAttr> dimTexts, strideTexts;
  SmallVector<unsigned> boxSizes{unsigned(box.getColumns())};
  for (char dim : llvm::reverse(dims)) {
    dimTexts.push_back(text(dim == 'b'   ? "batch"
                            : dim == 'm' ? "M"
                            : dim == 'n' ? "N"
                                         : "K"));
    if (dimTexts.size() > 1)
      boxSizes.push_back(dim == 'b' ? 1 : box.getRows());
  }
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  for (const std::string &stride : llvm::reverse(strides))
    strideTexts.push_back(text(stride + " * " + Twine(bytes)));
  auto attribute = TensorMapAttr::get(
      builder.getContext(), text(name), element, text(base), dimTexts,
      strideTexts, boxSizes, box.getTmaSwizzle(), l2Promotion);
  return argument(attribute, TensorMapType::get(builder.getContext(), box));
}

Value ProgramBuilder::tensorMap(unsigned index, TileType box,
                                unsigned l2Promotion) {
  std::string name = kernel.getOperandName(index);
  StringRef dims = kernel.getOperandInfo(index).getDims();
  SmallVector<std::string> strides;
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    strides.push_back(name + ".stride" + std::to_string(i));
  return tensorMap(name, "pointer " + name, dims, strides, box, l2Promotion);
}

Value ProgramBuilder::expression(StringRef text, Type type) {
  return argument((type.isInteger(32) ? "i32 " : "i64 ") + text.str(), type);
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
