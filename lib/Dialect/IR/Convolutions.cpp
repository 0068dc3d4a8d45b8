//===- Convolutions.cpp - Kernels of convolutions -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/Convolutions.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Parses `[1, 2]` with as many numbers as there are in `numbers`.
template <typename T>
static ParseResult parseNumbers(AsmParser &parser, MutableArrayRef<T> numbers) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<T> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(list.emplace_back());
      }))
    return failure();
  if (list.size() != numbers.size())
    return parser.emitError(location)
           << "expected " << numbers.size() << " numbers, but there are "
           << list.size();
  llvm::copy(list, numbers.begin());
  return success();
}

template <typename T>
static void printNumbers(AsmPrinter &printer, ArrayRef<T> numbers) {
  printer << '[';
  llvm::interleaveComma(numbers, printer.getStream());
  printer << ']';
}

/// Parses `strides = [1, 2]`. `given` has the names of the fields before it.
static ParseResult parseField(AsmParser &parser, Convolution &value,
                              SmallVectorImpl<StringRef> &given) {
  SMLoc location = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  for (const ConvolutionField &field : getConvolutionFields()) {
    if (field.name != name || llvm::is_contained(given, name))
      continue;
    given.push_back(field.name);
    return failure(parser.parseEqual() ||
                   parseNumbers(parser, field.get(value)));
  }
  return parser.emitError(location)
         << "'" << name << "' is no field of a convolution, or given twice";
}

Attribute ConvolutionAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  Convolution value;
  SmallVector<StringRef> given;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseField(parser, value, given);
      }))
    return {};
  for (const ConvolutionField &field : getConvolutionFields())
    if (field.isAlwaysWritten && !llvm::is_contained(given, field.name)) {
      parser.emitError(location)
          << "a convolution needs the field '" << field.name << "'";
      return {};
    }
  return getChecked([&] { return parser.emitError(location); },
                    parser.getContext(), value);
}

void ConvolutionAttr::print(AsmPrinter &printer) const {
  Convolution value = getValue();
  StringRef separator = "<";
  for (const ConvolutionField &field : getConvolutionFields()) {
    if (!isWritten(field, value))
      continue;
    printer << separator << field.name << " = ";
    printNumbers<int64_t>(printer, field.get(value));
    separator = ", ";
  }
  printer << '>';
}

LogicalResult
ConvolutionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        // NOLINTNEXTLINE(performance-unnecessary-value-param)
                        Convolution value) {
  if (std::optional<std::string> found = findViolation(value))
    return emitError() << "convolution: " << *found;
  return success();
}

Attribute WindowAttr::parse(AsmParser &parser, Type) {
  TensorMapWindow value;
  if (parser.parseLess() || parser.parseKeyword("lower") ||
      parser.parseEqual() ||
      parseNumbers<int>(parser, MutableArrayRef(value.lower)) ||
      parser.parseComma() || parser.parseKeyword("upper") ||
      parser.parseEqual() ||
      parseNumbers<int>(parser, MutableArrayRef(value.upper)) ||
      parser.parseComma() || parser.parseKeyword("steps") ||
      parser.parseEqual() ||
      parseNumbers<unsigned>(parser, MutableArrayRef(value.steps)) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), value);
}

void WindowAttr::print(AsmPrinter &printer) const {
  const TensorMapWindow &value = getValue();
  printer << "<lower = ";
  printNumbers<int>(printer, value.lower);
  printer << ", upper = ";
  printNumbers<int>(printer, value.upper);
  printer << ", steps = ";
  printNumbers<unsigned>(printer, value.steps);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult Im2colOp::verify() {
  const Convolution &c = getConvolution().getValue();
  auto check = [&](StringRef what, RankedTensorType type,
                   ArrayRef<int64_t> expected) -> LogicalResult {
    if (type.getElementType() != getImages().getType().getElementType())
      return emitOpError() << what << " has elements of "
                           << type.getElementType() << ", but the images have "
                           << getImages().getType().getElementType();
    if (type.getRank() == 4 && type.getShape().drop_front() == expected)
      return success();
    auto diagnostic = emitOpError()
                      << what << " has the type " << type
                      << ", but behind the first dimension it must have ";
    llvm::interleave(expected, diagnostic, "x");
    return diagnostic;
  };
  RankedTensorType images = getImages().getType(), result = getType();
  if (failed(check("images", images, {c.image[0], c.image[1], c.channels})) ||
      failed(check("the result", result,
                   {c.getOutput(0), c.getOutput(1), c.getDepth()})))
    return failure();
  if (images.getDimSize(0) != result.getDimSize(0))
    return emitOpError() << "the result has the type " << result
                         << ", but it must have as many images as " << images;
  return success();
}

LogicalResult tcgemm::verifyConvolution(KernelOp op) {
  ConvolutionAttr attribute = op.getConvolution();
  if (!attribute)
    return success();
  const Convolution &c = attribute.getValue();
  if (op.getSizes().size() != 4 || op.getBatch() != 1)
    return op.emitOpError() << "has a convolution, and so the size of b must "
                               "be 1, without other outer dimensions";
  if (op.getK() != c.getDepth())
    return op.emitOpError()
           << "has a convolution whose filter has " << c.getDepth()
           << " elements, but K is " << op.getK();
  int64_t m = op.getSize('m'), pixels = c.getOutputPixels();
  if (ShapedType::isStatic(m) && pixels && m % pixels)
    return op.emitOpError()
           << "has a convolution whose outputs have " << pixels
           << " pixels, but M, " << m << ", is no multiple of it";
  Type type = op.getOperandInfo(0).getElementType();
  if (type != op.getOperandInfo(1).getElementType())
    return op.emitOpError()
           << "has a convolution of " << type << ", but B's elements are "
           << op.getOperandInfo(1).getElementType();
  return success();
}
