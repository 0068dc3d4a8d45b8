//===- SpaceSymbols.h - Symbols of restrictions -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names in restrictions: parameters (`cta.m` for one of three parts), their
// keywords, values that are computed from a configuration (`threads`), and
// properties of the problem and the chip.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SPACE_SPACESYMBOLS_H
#define TCGEMM_LIB_TUNER_SPACE_SPACESYMBOLS_H

#include "tcgemm/Tuner/Space.h"

namespace tcgemm {

/// One part of a parameter with three parts (`cta.m`), or a whole parameter if
/// `part` is none.
struct ParameterName {
  llvm::StringRef key; ///< Refers to static storage.
  std::optional<unsigned> part;
};
/// The parameter `name`; none if there is no such parameter.
std::optional<ParameterName> parseParameterName(llvm::StringRef name);
/// The same, with an error that lists the known parameters.
llvm::Expected<ParameterName> requireParameterName(llvm::StringRef name);

/// Sets a parameter or a part of one. Errors are those of KernelConfig::set.
llvm::Error setParameter(KernelConfig &config, const ParameterName &name,
                         llvm::StringRef value);

/// The value of a parameter or a part of one, as text.
std::string getParameter(const KernelConfig &config, const ParameterName &name);

/// Returns whether restrictions may use `name`.
bool isSpaceSymbol(llvm::StringRef name);
/// Returns whether the symbol is computed from parameters. `threads` is the
/// number of a CTA's threads, although a parameter has the same name.
bool isDerivedSymbol(llvm::StringRef name);
/// Returns whether `name` is a keyword of some parameter: `staged`, `true`.
bool isSpaceKeyword(llvm::StringRef name);
/// All names except the keywords, for messages.
std::string listSpaceSymbols();

/// The parameters on which `name` depends: the key of one, all (`*`), or none.
llvm::StringRef getSymbolKey(llvm::StringRef name);

/// The value of a symbol. Keywords have distinct numbers.
std::optional<int64_t> getSpaceSymbol(llvm::StringRef name,
                                      const KernelConfig &config,
                                      const ChipInfo &chip,
                                      const ProblemInfo &problem);

/// All different symbols of an expression.
std::vector<std::string> collectSymbols(const Expr &expr);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SPACE_SPACESYMBOLS_H
