//===- PrintFormat.cpp - Format strings of printf -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/PrintFormat.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <cstring>

namespace tcgemm::emu {

namespace {

/// A width or precision: none, a number, or an argument.
struct Count {
  bool isGiven = false;
  bool isArgument = false;
  int value = 0;
};

/// `%-8.3f`
struct Conversion {
  std::string flags;
  Count width, precision;
  llvm::StringRef size; ///< `h`, `hh`, `l`, `ll` or nothing.
  char type = 0;
};

/// Formats one string; every step is false where a value is missing.
class Printer {
public:
  Printer(const PrintArguments &arguments, std::string &out)
      : arguments(arguments), out(out) {}

  bool print(Conversion conversion);
  int used = 0;

private:
  bool take(unsigned bytes, uint64_t &value);
  bool resolve(Conversion &conversion);
  template <class T>
  void append(const Conversion &conversion, llvm::StringRef type, T value);
  void appendInteger(const Conversion &conversion, uint64_t bits);
  bool appendString(const Conversion &conversion, uint64_t address);

  const PrintArguments &arguments;
  std::string &out;
};

} // namespace

/// A wider field is not a conversion but text.
static constexpr int kMaxCount = 4096;

static bool parseCount(llvm::StringRef &rest, Count &count) {
  count.isGiven = true;
  if (rest.consume_front("*")) {
    count.isArgument = true;
    return true;
  }
  llvm::StringRef digits =
      rest.take_while([](char c) { return llvm::isDigit(c); });
  rest = rest.drop_front(digits.size());
  // No digits: 0, as of `%.f`.
  return digits.empty() ||
         (!digits.getAsInteger(10, count.value) && count.value <= kMaxCount);
}

/// Reads and removes the conversion behind a `%`; none if there is none.
static std::optional<Conversion> parseConversion(llvm::StringRef &text) {
  Conversion conversion;
  llvm::StringRef rest = text;
  conversion.flags = rest.take_while([](char c) {
                           return llvm::StringRef("-+ #0").contains(c);
                         })
                         .str();
  rest = rest.drop_front(conversion.flags.size());
  if (!rest.empty() && (rest.front() == '*' || llvm::isDigit(rest.front())) &&
      !parseCount(rest, conversion.width))
    return std::nullopt;
  if (rest.consume_front(".") && !parseCount(rest, conversion.precision))
    return std::nullopt;
  for (llvm::StringRef size : {"hh", "h", "ll", "l"})
    if (rest.consume_front(size)) {
      conversion.size = size;
      break;
    }
  if (rest.empty() ||
      !llvm::StringRef("diouxXcspeEfFgGaA").contains(rest.front()))
    return std::nullopt;
  conversion.type = rest.front();
  text = rest.drop_front();
  return conversion;
}

bool Printer::take(unsigned bytes, uint64_t &value) {
  std::optional<uint64_t> next = arguments.next(bytes);
  if (!next)
    return false;
  ++used;
  value = *next;
  return true;
}

/// Replaces `*` by the arguments.
bool Printer::resolve(Conversion &conversion) {
  for (Count *count : {&conversion.width, &conversion.precision}) {
    uint64_t bits = 0;
    if (!count->isArgument)
      continue;
    if (!take(4, bits))
      return false;
    int64_t value = static_cast<int32_t>(bits);
    if (value < 0 && count == &conversion.width) {
      conversion.flags += '-';
      value = -value;
    } else if (value < 0) {
      count->isGiven = false;
    }
    count->value = static_cast<int>(std::min<int64_t>(value, kMaxCount));
  }
  return true;
}

template <class T>
void Printer::append(const Conversion &conversion, llvm::StringRef type,
                     T value) {
  std::string format = "%" + conversion.flags;
  if (conversion.width.isGiven)
    format += std::to_string(conversion.width.value);
  if (conversion.precision.isGiven)
    format += "." + std::to_string(conversion.precision.value);
  format += type;
  int length = std::snprintf(nullptr, 0, format.c_str(), value);
  if (length <= 0)
    return;
  size_t start = out.size();
  out.resize(start + length + 1);
  std::snprintf(out.data() + start, length + 1, format.c_str(), value);
  out.pop_back(); // The end mark.
}

void Printer::appendInteger(const Conversion &conversion, uint64_t bits) {
  bool isSigned = conversion.type == 'd' || conversion.type == 'i';
  unsigned width = conversion.size == "hh"            ? 8
                   : conversion.size == "h"           ? 16
                   : conversion.size.starts_with("l") ? 64
                                                      : 32;
  std::string type = std::string("ll") + conversion.type;
  unsigned unused = 64 - width;
  if (isSigned)
    append(
        conversion, type,
        static_cast<long long>(static_cast<int64_t>(bits << unused) >> unused));
  else
    append(conversion, type,
           static_cast<unsigned long long>(bits << unused >> unused));
}

bool Printer::appendString(const Conversion &conversion, uint64_t address) {
  std::optional<std::string> text = arguments.readString(address);
  if (!text)
    return false;
  append(conversion, "s", text->c_str());
  return true;
}

bool Printer::print(Conversion conversion) {
  char type = conversion.type;
  bool isInteger = llvm::StringRef("diouxX").contains(type);
  bool isWide =
      isInteger ? conversion.size.starts_with("l") : conversion.type != 'c';
  uint64_t bits = 0;
  if (!resolve(conversion) || !take(isWide ? 8 : 4, bits))
    return false;
  if (type == 's')
    return appendString(conversion, bits);
  if (type == 'c') {
    append(conversion, "c", static_cast<int>(bits & 255));
  } else if (type == 'p') {
    conversion.flags += '#';
    append(conversion, "llx", static_cast<unsigned long long>(bits));
  } else if (isInteger) {
    appendInteger(conversion, bits);
  } else {
    double number = 0;
    std::memcpy(&number, &bits, sizeof(number));
    append(conversion, llvm::StringRef(&type, 1), number);
  }
  return true;
}

int formatPrint(llvm::StringRef format, const PrintArguments &arguments,
                std::string &out) {
  Printer printer(arguments, out);
  while (!format.empty()) {
    size_t percent = std::min(format.find('%'), format.size());
    out += format.take_front(percent);
    format = format.drop_front(percent);
    if (!format.consume_front("%"))
      break;
    if (format.consume_front("%")) {
      out += '%';
      continue;
    }
    std::optional<Conversion> conversion = parseConversion(format);
    if (!conversion)
      out += '%';
    else if (!printer.print(std::move(*conversion)))
      return -1;
  }
  return printer.used;
}

} // namespace tcgemm::emu
