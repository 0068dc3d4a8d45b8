//===- MatmulProblem.cpp - The description of a matrix product ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/MatmulProblem.h"

using namespace llvm;

namespace tcgemm {

/// Reads a type that A, B or D can have; `place` is for the error.
static Error readType(StringRef text, StringRef place, ScalarType &type) {
  std::optional<ScalarType> parsed = parseScalarType(text);
  if (parsed != ScalarType::BF16 && parsed != ScalarType::F16 &&
      parsed != ScalarType::F32)
    return createStringError("type of " + place + ": '" + text +
                             "' is none of bf16, f16, f32");
  type = *parsed;
  return Error::success();
}

std::string MatmulKind::getLayout() const {
  return {aKContiguous ? 't' : 'n', bKContiguous ? 'n' : 't'};
}

Error MatmulKind::setLayout(StringRef text) {
  if (text != "tn" && text != "nn" && text != "nt" && text != "tt")
    return createStringError("layout: '" + text +
                             "' is none of tn, nn, nt, tt");
  aKContiguous = text[0] == 't';
  bKContiguous = text[1] == 'n';
  return Error::success();
}

Error MatmulKind::setOperandTypes(StringRef text) {
  if (Error error = readType(text, "A and B", typeA))
    return error;
  typeB = typeA;
  return Error::success();
}

Error MatmulKind::setOutputType(StringRef text) {
  return readType(text, "D", output);
}

std::string MatmulKind::str() const {
  return (getTypeName(typeA) + " " + getLayout() + " " + getTypeName(output) +
          " " + epilogue.str() + (hasAlpha ? " alpha" : "") +
          (hasBeta ? " beta" : ""))
      .str();
}

Error MatmulKind::read(StringRef type, StringRef layout, StringRef outputType,
                       StringRef epilogueText) {
  if (Error error = setLayout(layout))
    return error;
  if (Error error = setOperandTypes(type))
    return error;
  if (Error error = setOutputType(outputType))
    return error;
  Expected<NamedEpilogue> parsed = NamedEpilogue::parse(epilogueText);
  if (!parsed)
    return parsed.takeError();
  epilogue = std::move(*parsed);
  return Error::success();
}

void MatmulKind::writeAttributes(json::OStream &json) const {
  json.attribute("layout", getLayout());
  json.attribute("type", getTypeName(typeA));
  json.attribute("out", getTypeName(output));
  json.attribute("epilogue", epilogue.str());
  json.attribute("alpha", hasAlpha);
  json.attribute("beta", hasBeta);
}

} // namespace tcgemm
