//===- SpaceSymbols.h - What restrictions can ask for -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of a restriction's language: parameters (those of three parts as
// `cta.m`), their keywords, what follows from a configuration (`threads`), the
// problem's sizes and the chip's.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SPACE_SPACESYMBOLS_H
#define TCGEMM_LIB_TUNER_SPACE_SPACESYMBOLS_H

#include "tcgemm/Tuner/Space.h"

namespace tcgemm {

/// One part of a parameter of three, `cta.m`; or a whole parameter, with
/// `part` none.
struct ParameterName {
  llvm::StringRef key; ///< Of static storage.
  std::optional<unsigned> part;
};
/// None if `name` is no parameter.
std::optional<ParameterName> parseParameterName(llvm::StringRef name);
/// The same, with an error that lists what is known.
llvm::Expected<ParameterName> requireParameterName(llvm::StringRef name);

/// Sets a parameter or a part of one. Errors are those of KernelConfig::set.
llvm::Error setParameter(KernelConfig &config, const ParameterName &name,
                         llvm::StringRef value);

/// The value of a parameter or a part of one, as text.
std::string getParameter(const KernelConfig &config, const ParameterName &name);

/// Whether restrictions may use `name`.
bool isSpaceSymbol(llvm::StringRef name);
/// Whether it is computed from parameters: `threads`, a CTA's number of them,
/// though a parameter has that name too.
bool isDerivedSymbol(llvm::StringRef name);
/// Whether it is a keyword of some parameter: `staged`, `true`.
bool isSpaceKeyword(llvm::StringRef name);
/// All names but the keywords, for messages.
std::string listSpaceSymbols();

/// The parameters that `name` depends on: the key of one, all (`*`), or none.
llvm::StringRef getSymbolKey(llvm::StringRef name);

/// The value of a symbol. Keywords are numbers that differ from each other.
std::optional<int64_t> getSpaceSymbol(llvm::StringRef name,
                                      const KernelConfig &config,
                                      const ChipInfo &chip,
                                      const ProblemInfo &problem);

/// All symbols of an expression, each once.
std::vector<std::string> collectSymbols(const Expr &expr);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SPACE_SPACESYMBOLS_H
