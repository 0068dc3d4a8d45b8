//===- PtxArguments.cpp - Arguments of foreign kernels --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses arguments; an error describes the defect of an invalid text.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/PtxLaunch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <limits>

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
  ArgumentParser(StringRef text, std::string name) : text(text), rest(text) {
    result.buffer.name = std::move(name);
  }
  Expected<PtxArgument> parse();
  /// Removes `NAME=struct:` and sets the name; false if the prefix is missing.
  bool takeStruct(std::string &name);
  StringRef getRest() const { return rest; }

private:
  Error fail(const Twine &what) const {
    return llvm::createStringError("argument '" + text + "': " + what);
  }
  void takeName();
  Expected<ElementType> parseType(StringRef name);
  Error parseScalar(StringRef type, StringRef value);
  Error parseBytes(StringRef digits);
  Expected<std::vector<int64_t>> parseSizes(StringRef sizes);
  Error parseShape(StringRef sizes);
  Error parseMap(StringRef map);
  Error parseSpec(StringRef spec);
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

/// Removes `NAME=`. A path after the fill's colon may also contain an equals
/// sign.
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
      getPackedElements(*type) > 1 || (isUnsigned && isFloatType(*type)))
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

Error ArgumentParser::parseBytes(StringRef digits) {
  std::string bytes;
  if (digits.empty() || digits.size() % 2 != 0 ||
      !llvm::tryGetFromHex(digits, bytes))
    return fail("'" + digits +
                "' is not bytes: expected pairs of hexadecimal digits");
  result.isScalar = true;
  result.typeName = "bytes";
  result.scalar.assign(bytes.begin(), bytes.end());
  return Error::success();
}

Expected<std::vector<int64_t>> ArgumentParser::parseSizes(StringRef sizes) {
  std::vector<int64_t> shape;
  llvm::SmallVector<StringRef> parts;
  sizes.split(parts, 'x');
  // The limit of the host and of the emulated address space.
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
  return shape;
}

Error ArgumentParser::parseShape(StringRef sizes) {
  Expected<std::vector<int64_t>> shape = parseSizes(sizes);
  if (!shape)
    return shape.takeError();
  // With a size of 0, the limit above does not apply to the other sizes.
  Expected<StridedShape> created = StridedShape::createRowMajor(*shape);
  if (!created)
    return fail(llvm::toString(created.takeError()));
  result.buffer.shape = std::move(*created);
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

/// BOX:ARRAY or BOX:swizzle=N:ARRAY.
Error ArgumentParser::parseMap(StringRef map) {
  auto [box, array] = map.split(':');
  Expected<std::vector<int64_t>> sizes = parseSizes(box);
  if (!sizes)
    return sizes.takeError();
  TensorMapDescription description;
  if (array.consume_front("swizzle=")) {
    auto [swizzle, behind] = array.split(':');
    if (swizzle.getAsInteger(10, description.swizzle))
      return fail("swizzle '" + swizzle + "' is none of 0, 32, 64, 128");
    array = behind;
  }
  StringRef kind = array.split(':').first;
  if (kind != "in" && kind != "out" && kind != "inout")
    return fail("a tensor map is of an array: expected "
                "map:BOX[:swizzle=N]:in:TYPE[SIZES], inout: or out:");
  if (Error error = parseSpec(array))
    return error;
  const ProblemBuffer &buffer = result.buffer;
  if (sizes->size() != buffer.shape.getRank())
    return fail("a box of rank " + Twine(sizes->size()) +
                " for an array of rank " + Twine(buffer.shape.getRank()));
  description.type = buffer.type;
  for (size_t i = sizes->size(); i-- != 0;) {
    description.dims.push_back(buffer.shape.sizes[i]);
    // The limit of the rules is much lower. Larger values must be reported, not
    // truncated.
    description.box.push_back(static_cast<unsigned>(
        std::min<int64_t>((*sizes)[i], std::numeric_limits<unsigned>::max())));
    if (i != 0)
      description.strides.push_back(buffer.shape.strides[i - 1] *
                                    getByteSize(buffer.type));
  }
  if (Error error = checkTensorMap(description))
    return fail("no such tensor map: " + llvm::toString(std::move(error)));
  result.map = std::move(description);
  return Error::success();
}

Error ArgumentParser::parseSpec(StringRef spec) {
  auto [kind, value] = spec.split(':');
  if (!spec.contains(':'))
    return fail("expected TYPE:VALUE, in:TYPE[SIZES]:FILL, "
                "inout:TYPE[SIZES]:FILL, out:TYPE[SIZES], bytes:HEX, "
                "map:BOX:ARRAY or struct:FIELD,FIELD");
  ProblemBuffer &buffer = result.buffer;
  buffer.isRead = kind == "in" || kind == "inout";
  buffer.isWritten = kind == "out" || kind == "inout";
  if (buffer.isRead || buffer.isWritten)
    return parseArray(value);
  if (kind == "bytes")
    return parseBytes(value);
  if (kind == "map")
    return parseMap(value);
  if (kind == "struct")
    return fail("a struct within a struct: write its fields in place");
  return parseScalar(kind, value);
}

Expected<PtxArgument> ArgumentParser::parse() {
  takeName();
  ProblemBuffer &buffer = result.buffer;
  buffer.operandName = buffer.name;
  if (Error error = parseSpec(rest))
    return std::move(error);
  buffer.isScalar = result.isScalar;
  return std::move(result);
}

bool ArgumentParser::takeStruct(std::string &name) {
  takeName();
  name = result.buffer.name;
  return rest.consume_front("struct:");
}

uint64_t PtxArgument::getByteSize() const {
  return isScalar ? scalar.size()
         : map    ? std::tuple_size<TensorMapImage>::value
                  : sizeof(uint64_t);
}

/// The alignment of a field in C.
static uint64_t getAlignment(const PtxArgument &argument) {
  constexpr uint64_t kMapAlignment = 64;
  if (argument.map)
    return kMapAlignment;
  return argument.typeName == "bytes" ? 1 : argument.getByteSize();
}

Expected<std::vector<PtxArgument>> tcgemm::parsePtxArgument(StringRef text,
                                                            unsigned index) {
  std::string name;
  ArgumentParser whole(text, "arg" + std::to_string(index));
  llvm::SmallVector<StringRef> parts;
  bool isStruct = whole.takeStruct(name);
  if (isStruct)
    whole.getRest().split(parts, ',');
  else
    parts.push_back(text);
  std::vector<PtxArgument> arguments;
  uint64_t end = 0;
  for (auto [i, part] : llvm::enumerate(parts)) {
    Expected<PtxArgument> argument =
        ArgumentParser(part, isStruct ? name + "_" + std::to_string(i) : name)
            .parse();
    if (!argument)
      return argument.takeError();
    argument->parameter = index;
    argument->isField = isStruct;
    argument->offset = llvm::alignTo(end, getAlignment(*argument));
    end = argument->offset + argument->getByteSize();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}
