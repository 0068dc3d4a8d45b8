//===- Keywords.h - Words on the command line -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_COMMON_KEYWORDS_H
#define TCGEMM_TOOLS_COMMON_KEYWORDS_H

#include "OptionListing.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>

namespace tcgemm {

/// The one of `known` that `text` is a misspelling of, if any.
inline std::optional<std::string>
findSimilar(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> known) {
  std::optional<std::string> best;
  // Short words are similar to too many others.
  unsigned least = text.size() < 3 ? 1 : text.size() < 6 ? 2 : 3;
  for (llvm::StringRef word : known)
    if (unsigned distance = text.edit_distance(word); distance < least) {
      least = distance;
      best = word.str();
    }
  return best;
}

/// Reads an enumeration's keyword. In contrast to LLVM's parser, the error
/// lists the keywords and the one that was probably meant, and the listing of
/// the options has them.
template <typename T> class KeywordParser : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;

  /// LLVM calls it when the option is complete.
  void initialize() { listKeywords(this->Owner, *this); }

  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef text, T &value) {
    llvm::SmallVector<llvm::StringRef> known;
    for (const auto &entry : this->Values) {
      if (entry.Name == text) {
        value = entry.V.getValue();
        return false;
      }
      known.push_back(entry.Name);
    }
    std::string message =
        ("'" + text + "' is none of " + llvm::join(known, ", ")).str();
    if (std::optional<std::string> similar = findSimilar(text, known))
      message += "; did you mean '" + *similar + "'?";
    return option.error(message, name);
  }
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_COMMON_KEYWORDS_H
