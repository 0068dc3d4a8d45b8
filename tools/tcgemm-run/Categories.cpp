//===- Categories.cpp - The parts of the help -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Categories.h"
#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;
using llvm::StringRef;

/// Quotes a word for a shell, if it needs that.
static std::string quoteWord(StringRef word) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || StringRef("-_=,.:/+%@").contains(c);
  };
  if (!word.empty() && llvm::all_of(word, isPlain))
    return word.str();
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string tcgemm::findGivenFlag(llvm::ArrayRef<const cl::Option *> options) {
  for (const cl::Option *option : options)
    if (option->getNumOccurrences())
      return ("--" + option->ArgStr).str();
  return "";
}

std::string tcgemm::formatGivenOptions(llvm::ArrayRef<const char *> arguments,
                                       const cl::OptionCategory &category,
                                       llvm::ArrayRef<StringRef> except) {
  auto &known = cl::getRegisteredOptions();
  std::string words;
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef word = arguments[i];
    StringRef name = word.ltrim('-').split('=').first;
    auto it = known.find(name);
    if (!word.starts_with("-") || it == known.end())
      continue;
    const cl::Option &option = *it->second;
    bool hasNext = !word.contains('=') && i + 1 < arguments.size() &&
                   option.getValueExpectedFlag() == cl::ValueRequired;
    bool isWanted =
        llvm::any_of(option.Categories,
                     [&](const auto *of) { return of == &category; }) &&
        !llvm::is_contained(except, name);
    for (StringRef part : llvm::ArrayRef(arguments).slice(i, 1 + hasNext))
      if (isWanted)
        words += (words.empty() ? "" : " ") + quoteWord(part);
    i += hasNext;
  }
  return words;
}
