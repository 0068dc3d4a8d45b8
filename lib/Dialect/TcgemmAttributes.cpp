//===- TcgemmAttributes.cpp - Attributes -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectImplementation.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/TensorMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tcgemm;

#define GET_ATTRDEF_CLASSES
#include "tcgemm/Dialect/TcgemmAttributes.cpp.inc"

void TcgemmDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tcgemm/Dialect/TcgemmAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ConfigAttr
//===----------------------------------------------------------------------===//

/// Parses one value as the text that KernelConfig::set takes.
static ParseResult parseConfigValue(AsmParser &parser, std::string &text) {
  int64_t integer;
  StringRef keyword;
  if (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<int64_t> list;
    if (parser.parseCommaSeparatedList(
            [&] { return parser.parseInteger(list.emplace_back()); }) ||
        parser.parseRSquare())
      return failure();
    auto texts =
        llvm::map_range(list, [](int64_t v) { return std::to_string(v); });
    text = "[" + llvm::join(texts, ",") + "]";
    return success();
  }
  // Before the integer, which `true` and `false` would pass for.
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    text = keyword.str();
    return success();
  }
  if (parser.parseInteger(integer))
    return failure();
  text = std::to_string(integer);
  return success();
}

Attribute ConfigAttr::parse(AsmParser &parser, Type) {
  KernelConfig config;
  auto parseEntry = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef key;
    std::string value;
    if (parser.parseKeyword(&key) || parser.parseEqual() ||
        parseConfigValue(parser, value))
      return failure();
    if (llvm::Error error = config.set(key, value))
      return parser.emitError(location, llvm::toString(std::move(error)));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalLessGreater,
                                     parseEntry))
    return {};
  return ConfigAttr::get(parser.getContext(), config);
}

void ConfigAttr::print(AsmPrinter &printer) const {
  // Only what differs from the default, so that it can be read.
  KernelConfig config = getValue(), standard;
  printer << "<";
  StringRef comma = "";
  for (StringRef key : KernelConfig::keys())
    if (key == "schedule" || config.get(key) != standard.get(key))
      printer << std::exchange(comma, ", ") << key << " = " << config.get(key);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// OperandAttr
//===----------------------------------------------------------------------===//

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  OperandRole role, Type type, StringRef dims) {
  llvm::SmallDenseSet<char> seen;
  for (char dim : dims)
    if (!StringRef("bmnk").contains(dim) || !seen.insert(dim).second)
      return emitError() << "operand dims '" << dims
                         << "' must be distinct letters of b, m, n, k";
  auto holds = [&](StringRef letters) {
    return llvm::all_of(letters, [&](char c) { return dims.contains(c); });
  };
  switch (role) {
  case OperandRole::A:
  case OperandRole::B: {
    bool isA = role == OperandRole::A;
    if (!holds(isA ? "mk" : "nk") || dims.contains(isA ? 'n' : 'm') ||
        dims.back() == 'b')
      return emitError() << "dims of "
                         << (isA ? "A must be m, k" : "B must be n, k")
                         << " and perhaps b, the innermost not b, but are '"
                         << dims << "'";
    if (!type.isF16() && !type.isBF16() && !type.isF32())
      return emitError()
             << "element type of A and B must be f16, bf16 or f32, but is "
             << type;
    return success();
  }
  case OperandRole::Input:
  case OperandRole::Output:
    if (dims.contains('k'))
      return emitError() << "an " << stringifyOperandRole(role)
                         << " cannot have the dimension k";
    if (role == OperandRole::Output && !holds("mn"))
      return emitError()
             << "an output must have the dimensions m and n, but has '" << dims
             << "'";
    break;
  case OperandRole::Scalar:
    if (!dims.empty())
      return emitError() << "a scalar has no dimensions, but got '" << dims
                         << "'";
    break;
  }
  if (!type.isIntOrIndexOrFloat())
    return emitError()
           << "element type must be an integer, index or float, but is "
           << type;
  return success();
}

//===----------------------------------------------------------------------===//
// TensorMapAttr and StepAttr
//===----------------------------------------------------------------------===//

LogicalResult
TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      StringAttr name, Type elementType, StringAttr base,
                      ArrayRef<StringAttr> dims, ArrayRef<StringAttr> strides,
                      ArrayRef<unsigned> box, unsigned swizzle,
                      unsigned l2Promotion) {
  auto fail = [&]() {
    return emitError() << "tensor map '" << name.getValue() << "': ";
  };
  std::string typeName;
  llvm::raw_string_ostream(typeName) << elementType;
  std::optional<ScalarType> type = parseScalarType(typeName);
  if (!type)
    return fail() << elementType << " is not an element type";
  StringRef kind = base.getValue().split(' ').first;
  if (kind != "pointer" && kind != "workspace")
    return fail() << "base must be pointer or workspace, but is '"
                  << base.getValue() << "'";
  if (auto found = findTensorMapViolation(*type, dims.size(), strides.size(),
                                          box, swizzle, l2Promotion))
    return fail() << found->field << ": " << found->text;
  return success();
}

LogicalResult StepAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               SymbolRefAttr, ArrayRef<StringAttr>,
                               ArrayRef<int64_t> cluster, int64_t, int64_t,
                               ArrayRef<TensorMapAttr> tensorMaps,
                               ArrayRef<StringAttr> arguments, StringAttr,
                               bool) {
  if (!cluster.empty() && cluster.size() != 3)
    return emitError() << "cluster must have 3 sizes, but has "
                       << cluster.size();
  for (int64_t size : cluster)
    if (size < 1)
      return emitError() << "cluster has a size " << size
                         << ", but each must be at least 1";
  for (StringAttr argument : arguments) {
    auto [kind, text] = argument.getValue().split(' ');
    size_t index = 0;
    if (kind == "tensor_map" &&
        (text.getAsInteger(10, index) || index >= tensorMaps.size()))
      return emitError() << "argument '" << argument.getValue()
                         << "' names none of the " << tensorMaps.size()
                         << " tensor maps";
  }
  return success();
}
