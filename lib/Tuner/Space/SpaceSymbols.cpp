//===- SpaceSymbols.cpp - Symbols of restrictions -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Space/SpaceSymbols.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral kParts[] = {"m", "n", "k"};

constexpr StringLiteral kDerived[] = {"threads", "shared_bytes",
                                      "estimated_registers"};
constexpr StringLiteral kSurroundings[] = {"M",     "N",        "K",
                                           "batch", "sm_count", "element_bits"};

int64_t getKeywordValue(StringRef word) {
  if (word == "true" || word == "false")
    return word == "true";
  // Positive, and larger than any size, so that comparisons with sizes are
  // false.
  return static_cast<int64_t>(xxh3_64bits(word) >> 2 | uint64_t(1) << 61);
}

void collect(const Expr &expr, std::vector<std::string> &names) {
  if (expr.getKind() == ExprKind::Symbol &&
      !is_contained(names, expr.getSymbol()))
    names.push_back(expr.getSymbol().str());
  if (expr.getKind() != ExprKind::Symbol && expr.getKind() != ExprKind::Literal)
    for (const Expr &operand : expr.getOperands())
      collect(operand, names);
}

} // namespace

bool isSpaceKeyword(StringRef word) {
  if (word.empty() || isDigit(word.front()))
    return false;
  return any_of(KernelConfig::keys(), [&](StringRef key) {
    KernelConfig config;
    Error error = config.set(key, word);
    bool isValue = !error;
    consumeError(std::move(error));
    return isValue;
  });
}

bool isDerivedSymbol(StringRef name) { return is_contained(kDerived, name); }

/// Returns whether the parameter has three parts.
static bool isTriple(StringRef key) {
  return KernelConfig().findTriple(key) != nullptr;
}

std::optional<ParameterName> parseParameterName(StringRef name) {
  auto [key, part] = name.split('.');
  // The keys of the list outlive `name`.
  const auto *known = find(KernelConfig::keys(), key);
  if (known == KernelConfig::keys().end())
    return std::nullopt;
  if (key == name)
    return ParameterName{*known, std::nullopt};
  const auto *found = find(kParts, part);
  if (!isTriple(key) || found == std::end(kParts))
    return std::nullopt;
  return ParameterName{*known, static_cast<unsigned>(found - kParts)};
}

Expected<ParameterName> requireParameterName(StringRef name) {
  if (std::optional<ParameterName> parameter = parseParameterName(name))
    return *parameter;
  return createStringError("unknown parameter '" + name + "'; known are " +
                           join(KernelConfig::keys(), ", ") +
                           ", and parts as cta.m");
}

Error setParameter(KernelConfig &config, const ParameterName &name,
                   StringRef value) {
  if (!name.part)
    return config.set(name.key, value);
  int64_t number = 0;
  if (value.getAsInteger(10, number) || number < 0 || number > 1 << 20)
    return createStringError("config parameter '" + name.key + "." +
                             kParts[*name.part] +
                             "': expected an integer from 0 to 1048576, but "
                             "got '" +
                             value + "'");
  (*config.findTriple(name.key))[*name.part] = number;
  return Error::success();
}

std::string getParameter(const KernelConfig &config,
                         const ParameterName &name) {
  if (!name.part)
    return config.get(name.key);
  return std::to_string((*config.findTriple(name.key))[*name.part]);
}

bool isSpaceSymbol(StringRef name) {
  if (is_contained(kDerived, name) || is_contained(kSurroundings, name))
    return true;
  if (std::optional<ParameterName> parameter = parseParameterName(name))
    return parameter->part || !isTriple(parameter->key);
  return isSpaceKeyword(name);
}

std::string listSpaceSymbols() {
  SmallVector<std::string> names;
  for (StringRef key : KernelConfig::keys())
    if (isTriple(key))
      names.push_back((key + ".m, " + key + ".n, " + key + ".k").str());
    else
      names.push_back(key.str());
  for (StringRef name : concat<const StringLiteral>(kDerived, kSurroundings))
    names.push_back(name.str());
  return join(names, ", ");
}

StringRef getSymbolKey(StringRef name) {
  if (is_contained(kDerived, name))
    return "*";
  if (std::optional<ParameterName> parameter = parseParameterName(name))
    return parameter->part ? name.split('.').first : name;
  return "";
}

std::optional<int64_t> getSpaceSymbol(StringRef name,
                                      const KernelConfig &config,
                                      const ChipInfo &chip,
                                      const ProblemInfo &problem) {
  if (name == "M")
    return problem.m;
  if (name == "N")
    return problem.n;
  if (name == "K")
    return problem.getDepth();
  if (name == "batch")
    return problem.batch;
  if (name == "element_bits")
    return problem.getBitsA();
  if (name == "sm_count")
    return chip.speed.numSMs;
  // Symbols that cannot be computed have no value.
  if (is_contained(kDerived, name) && !isComputable(config))
    return std::nullopt;
  if (name == "threads")
    return config.getNumThreads();
  if (name == "shared_bytes")
    return planSharedMemory(config, problem).getTotal();
  if (name == "estimated_registers")
    return estimateRegisters(config, problem);
  if (std::optional<ParameterName> parameter = parseParameterName(name)) {
    if (parameter->part)
      return (*config.findTriple(parameter->key))[*parameter->part];
    if (isTriple(parameter->key))
      return std::nullopt;
    std::string text = config.get(parameter->key);
    int64_t number = 0;
    return StringRef(text).getAsInteger(10, number) ? getKeywordValue(text)
                                                    : number;
  }
  if (isSpaceKeyword(name))
    return getKeywordValue(name);
  return std::nullopt;
}

std::vector<std::string> collectSymbols(const Expr &expr) {
  std::vector<std::string> names;
  collect(expr, names);
  return names;
}

} // namespace tcgemm
