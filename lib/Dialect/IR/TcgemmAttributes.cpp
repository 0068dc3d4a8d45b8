//===- TcgemmAttributes.cpp - Attributes ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectImplementation.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Instructions.h"
#include "tcgemm/Target/TensorMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Expressions and bindings within other attributes
//===----------------------------------------------------------------------===//

/// Parses `"M * 2"`. An error names the column of the text.
static ParseResult parseExprText(AsmParser &parser, ExprAttr &attribute) {
  SMLoc location = parser.getCurrentLocation();
  std::string text;
  if (parser.parseOptionalString(&text))
    return parser.emitError(location, "expected an expression in quotes");
  llvm::Expected<Expr> expr = Expr::parse(text);
  if (!expr)
    return parser.emitError(location, llvm::toString(expr.takeError()));
  attribute = ExprAttr::get(parser.getContext(), std::move(*expr));
  return success();
}

static void printExprText(AsmPrinter &printer, ExprAttr attribute) {
  printer << '"' << attribute.getValue().str() << '"';
}

static ParseResult parseExprList(AsmParser &parser,
                                 SmallVector<ExprAttr> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseExprText(parser, list.emplace_back());
  });
}

static void printExprList(AsmPrinter &printer, ArrayRef<ExprAttr> list) {
  printer << '[';
  llvm::interleaveComma(list, printer,
                        [&](ExprAttr expr) { printExprText(printer, expr); });
  printer << ']';
}

/// Parses the dims and what only some operands have: `, group = 64` and
/// `, reduction = <…>`.
static ParseResult parseOperandDetails(AsmParser &parser, std::string &dims,
                                       int64_t &group, ReductionAttr &reduction,
                                       ConvolutionAttr &convolution,
                                       BandAttr &band,
                                       RepresentationAttr &representation) {
  group = 0;
  if (parser.parseString(&dims))
    return failure();
  while (succeeded(parser.parseOptionalComma())) {
    if (!group && succeeded(parser.parseOptionalKeyword("group"))) {
      if (parser.parseEqual() || parser.parseInteger(group))
        return failure();
      continue;
    }
    if (!convolution && succeeded(parser.parseOptionalKeyword("convolution"))) {
      FailureOr<ConvolutionAttr> parsed = failure();
      if (parser.parseEqual() ||
          failed(parsed = FieldParser<ConvolutionAttr>::parse(parser)))
        return failure();
      convolution = *parsed;
      continue;
    }
    if (!band && succeeded(parser.parseOptionalKeyword("band"))) {
      FailureOr<BandAttr> parsed = failure();
      if (parser.parseEqual() ||
          failed(parsed = FieldParser<BandAttr>::parse(parser)))
        return failure();
      band = *parsed;
      continue;
    }
    if (!representation &&
        succeeded(parser.parseOptionalKeyword("representation"))) {
      FailureOr<RepresentationAttr> parsed = failure();
      if (parser.parseEqual() ||
          failed(parsed = FieldParser<RepresentationAttr>::parse(parser)))
        return failure();
      representation = *parsed;
      continue;
    }
    if (reduction)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected '>' behind the reduction");
    if (parser.parseKeyword("reduction") || parser.parseEqual())
      return failure();
    FailureOr<ReductionAttr> parsed = FieldParser<ReductionAttr>::parse(parser);
    if (failed(parsed))
      return failure();
    reduction = *parsed;
  }
  return success();
}

static void printOperandDetails(AsmPrinter &printer, StringRef dims,
                                int64_t group, ReductionAttr reduction,
                                ConvolutionAttr convolution, BandAttr band,
                                RepresentationAttr representation) {
  printer.printString(dims);
  if (group)
    printer << ", group = " << group;
  if (convolution) {
    printer << ", convolution = ";
    printer.printStrippedAttrOrType(convolution);
  }
  if (band) {
    printer << ", band = ";
    printer.printStrippedAttrOrType(band);
  }
  if (representation) {
    printer << ", representation = ";
    printer.printStrippedAttrOrType(representation);
  }
  if (!reduction)
    return;
  printer << ", reduction = ";
  printer.printStrippedAttrOrType(reduction);
}

/// Parses the operand, the expression or the index that the kind takes.
static ParseResult parsePayload(AsmParser &parser, Argument &argument) {
  SMLoc location = parser.getCurrentLocation();
  if (argument.takesOperand()) {
    StringRef operand;
    if (parser.parseOptionalKeyword(&operand))
      return parser.emitError(location)
             << "expected the operand's name after '"
             << getArgumentKindName(argument.kind) << "'";
    argument.operand = operand.str();
    return success();
  }
  if (argument.kind == ArgumentKind::TensorMap) {
    int64_t index;
    if (parser.parseInteger(index))
      return failure();
    if (index < 0 || index > std::numeric_limits<int32_t>::max())
      return parser.emitError(location)
             << index << " is not the index of a tensor map";
    argument.index = index;
    return success();
  }
  ExprAttr expr;
  if (parseExprText(parser, expr))
    return failure();
  argument.value = expr.getValue();
  return success();
}

/// Parses `pointer A`, `i32 "M"` or `tensor_map 0`.
static ParseResult parseBinding(AsmParser &parser, BindingAttr &attribute) {
  SMLoc location = parser.getCurrentLocation();
  auto emitError = [&]() { return parser.emitError(location); };
  StringRef name;
  if (parser.parseOptionalKeyword(&name))
    return emitError() << "expected the kind of a binding";
  std::optional<ArgumentKind> kind = parseArgumentKind(name);
  if (!kind)
    return emitError() << "'" << name
                       << "' is not a kind of binding; the kinds are pointer, "
                          "scalar, i32, i64, workspace and tensor_map";
  Argument argument;
  argument.kind = *kind;
  if (parsePayload(parser, argument))
    return failure();
  attribute = BindingAttr::getChecked(emitError, parser.getContext(),
                                      std::move(argument));
  return success(attribute != nullptr);
}

static void printBinding(AsmPrinter &printer, BindingAttr attribute) {
  const Argument &argument = attribute.getValue();
  printer << getArgumentKindName(argument.kind) << ' ';
  if (argument.takesOperand())
    printer << argument.operand;
  else if (argument.kind == ArgumentKind::TensorMap)
    printer << argument.index;
  else
    printer << '"' << argument.value.str() << '"';
}

static ParseResult parseBindingList(AsmParser &parser,
                                    SmallVector<BindingAttr> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseBinding(parser, list.emplace_back());
  });
}

static void printBindingList(AsmPrinter &printer, ArrayRef<BindingAttr> list) {
  printer << '[';
  llvm::interleaveComma(list, printer, [&](BindingAttr binding) {
    printBinding(printer, binding);
  });
  printer << ']';
}

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

/// Parses one value as a text for KernelConfig::set.
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
  // Before the integer, because `true` and `false` would be parsed as integers.
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
  // Prints only parameters that differ from the default, for readability.
  KernelConfig config = getValue(), standard;
  printer << "<";
  StringRef comma = "";
  for (StringRef key : KernelConfig::keys())
    if (key == "schedule" || config.get(key) != standard.get(key))
      printer << std::exchange(comma, ", ") << key << " = " << config.get(key);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// ExprAttr and BindingAttr
//===----------------------------------------------------------------------===//

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  ExprAttr attribute;
  if (parser.parseLess() || parseExprText(parser, attribute) ||
      parser.parseGreater())
    return {};
  return attribute;
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExprText(printer, *this);
  printer << '>';
}

Attribute BindingAttr::parse(AsmParser &parser, Type) {
  BindingAttr attribute;
  if (parser.parseLess() || parseBinding(parser, attribute) ||
      parser.parseGreater())
    return {};
  return attribute;
}

void BindingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBinding(printer, *this);
  printer << '>';
}

LogicalResult BindingAttr::verify(
    function_ref<InFlightDiagnostic()> emitError,
    // NOLINTNEXTLINE(performance-unnecessary-value-param): TableGen's signature
    Argument argument) {
  if (argument.takesOperand() && !isOperandName(argument.operand))
    return emitError()
           << "'" << argument.operand
           << "' is not the name of an operand; the names are A, B, "
              "in<N> and out<N>";
  return success();
}

//===----------------------------------------------------------------------===//
// TensorMapAttr and StepAttr
//===----------------------------------------------------------------------===//

LogicalResult
TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      StringAttr name, Type elementType, BindingAttr base,
                      ArrayRef<ExprAttr> dims, ArrayRef<ExprAttr> strides,
                      ArrayRef<unsigned> box, unsigned swizzle,
                      unsigned l2Promotion, WindowAttr window) {
  auto fail = [&]() {
    return emitError() << "tensor map '" << name.getValue() << "': ";
  };
  std::string typeName;
  llvm::raw_string_ostream(typeName) << elementType;
  std::optional<ScalarType> type = parseScalarType(typeName);
  if (!type)
    return fail() << elementType << " is not an element type";
  ArgumentKind kind = base.getValue().kind;
  if (kind != ArgumentKind::Pointer && kind != ArgumentKind::Workspace)
    return fail() << "base must be pointer or workspace, but is "
                  << getArgumentKindName(kind);
  if (auto found = findTensorMapViolation(
          *type, dims.size(), strides.size(), box, swizzle, l2Promotion,
          window ? std::optional(window.getValue()) : std::nullopt))
    return fail() << found->field << ": " << found->text;
  return success();
}

/// Checks the limits of all devices.
static LogicalResult verifySizes(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> cluster, int64_t threads,
                                 int64_t sharedMemory) {
  if (!cluster.empty() && cluster.size() != 3)
    return emitError() << "cluster must have 3 sizes, but has "
                       << cluster.size();
  constexpr int64_t maxCluster = 16, maxThreads = 1024;
  for (int64_t size : cluster)
    if (size < 1 || size > maxCluster)
      return emitError() << "cluster has a size " << size
                         << ", but each must be from 1 to " << maxCluster;
  if (threads < 1 || threads > maxThreads)
    return emitError() << "threads must be from 1 to " << maxThreads
                       << ", but are " << threads;
  if (sharedMemory < 0 || sharedMemory > std::numeric_limits<int32_t>::max())
    return emitError() << "shared_memory must be a number of bytes, but is "
                       << sharedMemory;
  return success();
}

LogicalResult StepAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               SymbolRefAttr, ArrayRef<ExprAttr> grid,
                               ArrayRef<int64_t> cluster, int64_t threads,
                               int64_t sharedMemory,
                               ArrayRef<TensorMapAttr> tensorMaps,
                               ArrayRef<BindingAttr> arguments, ExprAttr,
                               bool) {
  if (grid.size() != 3)
    return emitError() << "grid must have 3 sizes, but has " << grid.size();
  if (failed(verifySizes(emitError, cluster, threads, sharedMemory)))
    return failure();
  for (BindingAttr argument : arguments) {
    const Argument &value = argument.getValue();
    if (value.kind == ArgumentKind::TensorMap &&
        value.index >= tensorMaps.size())
      return emitError() << "argument 'tensor_map " << value.index
                         << "' names none of the " << tensorMaps.size()
                         << " tensor maps";
  }
  return success();
}
