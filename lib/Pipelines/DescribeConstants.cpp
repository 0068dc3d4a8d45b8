//===- DescribeConstants.cpp - Constants of a pack --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Describe.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/KernelPack.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace tcgemm {

std::optional<ScalarConstant> describeScalar(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (integer.getValue().getBitWidth() == 1)
      return ScalarConstant(int64_t(integer.getValue().getZExtValue()));
    if (integer.getValue().getSignificantBits() <= 64)
      return ScalarConstant(integer.getValue().getSExtValue());
  }
  if (auto number = dyn_cast<FloatAttr>(value))
    return ScalarConstant(number.getValueAsDouble());
  return std::nullopt;
}

/// The elements in row-major order, in the layout of device memory; nothing if
/// the module stores them in another format.
static std::optional<std::string> getBytes(ElementsAttr elements) {
  std::string bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    bytes.assign(blob->getData().begin(), blob->getData().end());
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return std::nullopt;
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value);
    return bytes;
  }
  if (getPackedElements(dense.getElementType()) > 1) {
    for (auto [i, value] : llvm::enumerate(dense.getValues<APInt>()))
      if (i % 2 == 0)
        bytes.push_back(static_cast<char>(value.getZExtValue()));
      else
        bytes.back() |= static_cast<char>(value.getZExtValue() << 4);
    return bytes;
  }
  ArrayRef<char> raw = dense.getRawData();
  bytes.assign(raw.begin(), raw.end());
  return bytes;
}

std::string ConstantPool::add(memref::GlobalOp global, unsigned &index) {
  auto known = numbers.find(global.getSymName());
  if (known != numbers.end()) {
    index = known->second;
    return "";
  }
  auto elements = dyn_cast_or_null<ElementsAttr>(
      global.getInitialValue().value_or(Attribute()));
  if (!global.getConstant() || !elements)
    return "is not a constant";
  MemRefType type = global.getType();
  std::optional<ScalarType> scalar = getScalarType(type.getElementType());
  if (!scalar)
    return "has elements of type " + getTypeText(type.getElementType());
  PackConstant constant;
  constant.name = llvm::json::fixUTF8(global.getSymName());
  constant.type = *scalar;
  constant.shape = type.getShape().vec();
  std::optional<ScalarConstant> value;
  if (auto splat = dyn_cast<SplatElementsAttr>(elements))
    value = describeScalar(splat.getSplatValue<Attribute>());
  std::string data;
  if (value) {
    constant.splat = *value;
  } else {
    std::optional<std::string> bytes = getBytes(elements);
    if (!bytes ||
        int64_t(bytes->size()) != getByteCount(*scalar, type.getNumElements()))
      return "has elements that are not in the module as a dense array";
    data = std::move(*bytes);
    constant.file = "constant" + std::to_string(list.size()) + ".bin";
    constant.sha256 = getSHA256(data);
  }
  index = list.size();
  numbers[global.getSymName()] = index;
  list.push_back(std::move(constant));
  contents.push_back(std::move(data));
  return "";
}

} // namespace tcgemm
