//===- PtxArguments.cpp - Arguments of foreign kernels --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every text that is no argument is an error that says what is wrong with it.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/PtxLaunch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct ElementType {
  ScalarType type;
  bool isUnsigned = false;
};

class ArgumentParser {
public:
  ArgumentParser(StringRef text, unsigned index) : text(text), rest(text) {
    result.buffer.name = "arg" + std::to_string(index);
  }
  Expected<PtxArgument> parse();

private:
  Error fail(const Twine &what) const {
    return llvm::createStringError("argument '" + text + "': " + what);
  }
  void takeName();
  Expected<ElementType> parseType(StringRef name);
  Error parseScalar(StringRef type, StringRef value);
  Error parseShape(StringRef sizes);
  Error parseArray(StringRef text);

  StringRef text, rest;
  PtxArgument result;
};

} // namespace

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// A path behind the fill's colon may hold an equals sign too.
void ArgumentParser::takeName() {
  auto [name, spec] = rest.split('=');
  if (!rest.contains('=') || !isIdentifier(name))
    return;
  result.buffer.name = name.str();
  rest = spec;
}

Expected<ElementType> ArgumentParser::parseType(StringRef name) {
  StringRef signedName = name;
  std::string integer;
  bool isUnsigned = signedName.consume_front("u");
  if (isUnsigned)
    signedName = integer = "i" + signedName.str();
  std::optional<ScalarType> type = parseScalarType(signedName);
  if (!type || *type == ScalarType::I1 || *type == ScalarType::Index ||
      (isUnsigned && isFloatType(*type)))
    return fail("'" + name +
                "' is none of i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, "
                "f32, f64");
  result.typeName = name.str();
  return ElementType{*type, isUnsigned};
}

Error ArgumentParser::parseScalar(StringRef name, StringRef value) {
  Expected<ElementType> type = parseType(name);
  if (!type)
    return type.takeError();
  result.isScalar = true;
  unsigned bits = getBitWidth(type->type);
  result.scalar.resize(bits / 8);
  if (isFloatType(type->type)) {
    double number = 0;
    if (value.getAsDouble(number))
      return fail("'" + value + "' is not a number");
    storeElement(type->type, number, result.scalar.data());
    return Error::success();
  }
  uint64_t word = 0;
  if (type->isUnsigned) {
    if (value.getAsInteger(0, word))
      return fail("'" + value + "' is not an unsigned integer");
    if (bits != 64 && word >> bits)
      return fail("'" + value + "' does not fit " + name);
  } else {
    int64_t number = 0;
    if (value.getAsInteger(0, number))
      return fail("'" + value + "' is not an integer");
    if (!llvm::isIntN(bits, number))
      return fail("'" + value + "' does not fit " + name);
    word = static_cast<uint64_t>(number);
  }
  std::memcpy(result.scalar.data(), &word, bits / 8); // Little-endian.
  return Error::success();
}

Error ArgumentParser::parseShape(StringRef sizes) {
  std::vector<int64_t> shape;
  llvm::SmallVector<StringRef> parts;
  sizes.split(parts, 'x');
  // What a host and the emulated address space hold.
  constexpr int64_t kMaxElements = int64_t(1) << 36;
  int64_t elements = 1;
  for (StringRef part : parts) {
    int64_t size = 0;
    if (part.getAsInteger(10, size) || size < 0)
      return fail("'[" + sizes + "]' is not a shape: expected [4] or [4x5]");
    if (size > kMaxElements || (size && elements > kMaxElements / size))
      return fail("'[" + sizes + "]' is too large");
    elements *= size;
    shape.push_back(size);
  }
  result.buffer.shape = StridedShape::rowMajor(shape);
  return Error::success();
}

/// TYPE[SIZES] or TYPE[SIZES]:FILL.
Error ArgumentParser::parseArray(StringRef array) {
  size_t open = array.find('['), close = array.find(']');
  if (open == StringRef::npos || close == StringRef::npos || close < open)
    return fail("expected TYPE[SIZES], as f32[64x64]");
  Expected<ElementType> type = parseType(array.take_front(open));
  if (!type)
    return type.takeError();
  ProblemBuffer &buffer = result.buffer;
  buffer.type = type->type;
  if (Error error = parseShape(array.slice(open + 1, close)))
    return error;
  StringRef fill = array.drop_front(close + 1);
  if (fill.empty()) {
    buffer.fill.kind =
        isFloatType(type->type) ? FillOptions::Normal : FillOptions::Integers;
    return Error::success();
  }
  if (!fill.consume_front(":"))
    return fail("unexpected '" + fill + "' after the shape");
  if (!buffer.isRead)
    return fail("an output has no contents: '" + fill +
                "' is for in and inout");
  Expected<FillOptions> parsed = parseFill(fill);
  if (!parsed)
    return fail(llvm::toString(parsed.takeError()));
  buffer.fill = std::move(*parsed);
  return Error::success();
}

Expected<PtxArgument> ArgumentParser::parse() {
  takeName();
  auto [kind, value] = rest.split(':');
  if (!rest.contains(':'))
    return fail("expected TYPE:VALUE, in:TYPE[SIZES]:FILL, "
                "inout:TYPE[SIZES]:FILL or out:TYPE[SIZES]");
  ProblemBuffer &buffer = result.buffer;
  buffer.operandName = buffer.name;
  buffer.isRead = kind == "in" || kind == "inout";
  buffer.isWritten = kind == "out" || kind == "inout";
  bool isArray = buffer.isRead || buffer.isWritten;
  if (Error error = isArray ? parseArray(value) : parseScalar(kind, value))
    return std::move(error);
  buffer.isScalar = result.isScalar;
  return std::move(result);
}

Expected<PtxArgument> tcgemm::parsePtxArgument(StringRef text, unsigned index) {
  return ArgumentParser(text, index).parse();
}
