//===- AlgebraAttribute.cpp - The attribute of algebras -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectImplementation.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

using namespace mlir;
using namespace tcgemm;

static ParseResult parseOperation(AsmParser &parser, StringRef key,
                                  AlgebraOperation &operation) {
  if (parser.parseKeyword(key) || parser.parseEqual())
    return failure();
  SMLoc location = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<AlgebraOperation> known = parseAlgebraWord(word);
  if (!known)
    return parser.emitError(location)
           << "'" << word << "' is no operation of an algebra";
  operation = *known;
  return success();
}

Attribute AlgebraAttr::parse(AsmParser &parser, Type) {
  Algebra algebra;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parseOperation(parser, "reduce", algebra.reduce) ||
      parser.parseComma() ||
      parseOperation(parser, "combine", algebra.combine) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); },
                    parser.getContext(), algebra);
}

void AlgebraAttr::print(AsmPrinter &printer) const {
  printer << "<reduce = " << getAlgebraWord(getValue().reduce)
          << ", combine = " << getAlgebraWord(getValue().combine) << ">";
}

LogicalResult AlgebraAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Algebra value) {
  if (!value.isSupported())
    return emitError() << "no type has both the reduction "
                       << getAlgebraWord(value.reduce)
                       << " and the combination "
                       << getAlgebraWord(value.combine);
  return success();
}
