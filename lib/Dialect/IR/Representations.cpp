//===- Representations.cpp - Kernels that read numbers --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/Representations.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tcgemm;

/// Parses `<[[1, 2], [-2, 1]]>`. All rows have as many elements as there are
/// rows.
Attribute RepresentationAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<SmallVector<int64_t>> rows;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] {
            SmallVector<int64_t> &row = rows.emplace_back();
            return parser.parseCommaSeparatedList(
                AsmParser::Delimiter::Square,
                [&] { return parser.parseInteger(row.emplace_back()); });
          }) ||
      parser.parseGreater())
    return {};
  SmallVector<int64_t> elements;
  for (const SmallVector<int64_t> &row : rows) {
    if (row.size() != rows.size()) {
      parser.emitError(location)
          << "a representation has as many columns as rows, but there are "
          << row.size() << " and " << rows.size();
      return {};
    }
    llvm::append_range(elements, row);
  }
  llvm::Expected<Representation> value = Representation::get(elements);
  if (value)
    return get(parser.getContext(), *value);
  parser.emitError(location) << llvm::toString(value.takeError());
  return {};
}

void RepresentationAttr::print(AsmPrinter &printer) const {
  const Representation value = getValue();
  size_t count = value.getComponents();
  SmallVector<int64_t, 16> elements = value.getElements();
  printer << "<[";
  for (size_t row = 0; row < count; ++row) {
    printer << (row ? ", [" : "[");
    llvm::interleaveComma(ArrayRef(elements).slice(row * count, count),
                          printer.getStream());
    printer << ']';
  }
  printer << "]>";
}

LogicalResult RepresentOp::verify() {
  RankedTensorType numbers = getNumbers().getType(), result = getType();
  int64_t count = getRepresentation().getValue().getComponents();
  if (numbers.getRank() < 3 ||
      numbers.getDimSize(numbers.getRank() - 1) != count)
    return emitOpError() << "numbers have the type " << numbers
                         << ", but need rows, columns and " << count
                         << " components";
  SmallVector<int64_t> shape(numbers.getShape());
  shape.insert(shape.end() - 2, count);
  RankedTensorType expected =
      RankedTensorType::get(shape, numbers.getElementType());
  if (result != expected)
    return emitOpError() << "the result has the type " << result
                         << ", but it must be " << expected;
  return success();
}

LogicalResult tcgemm::verifyRepresentation(KernelOp op) {
  RepresentationAttr representation = op.getRepresentation();
  if (!representation)
    return success();
  int64_t count = representation.getValue().getComponents();
  for (char dim : {'n', 'k'})
    if (int64_t size = op.getSize(dim);
        ShapedType::isStatic(size) && size % count)
      return op.emitOpError()
             << "has a representation of numbers with " << count
             << " components, but " << (dim == 'n' ? "N" : "K") << ", " << size
             << ", is no multiple of it";
  Type a = op.getOperandInfo(0).getElementType(),
       b = op.getOperandInfo(1).getElementType();
  if (a != b)
    return op.emitOpError()
           << "has a representation of " << b << ", but A's elements are " << a;
  return success();
}
