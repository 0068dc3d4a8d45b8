//===- Space.cpp - Declared sets of configurations ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts YAML (which includes JSON) to a Space. Parameters are a list,
// because their order is the order of points. A mapping in LLVM's YAML I/O has
// no order.
//
//===----------------------------------------------------------------------===//

#include "Space/SpaceDocument.h"
#include "Space/SpaceSymbols.h"
#include "tcgemm/Target/FormatError.h"
#include "tcgemm/Target/YAMLDocument.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tcgemm {
namespace {

struct DeclaredRestriction {
  std::string name, require;
};
struct SpaceDocument {
  std::string name, description;
  std::vector<std::string> chips;
  std::vector<ParameterValue> fixed;
  std::vector<SpaceAxis> parameters, variables;
  std::vector<ParameterValue> derived;
  std::vector<DeclaredRestriction> restrictions;
};

} // namespace
} // namespace tcgemm

LLVM_YAML_IS_SEQUENCE_VECTOR(tcgemm::DeclaredRestriction)

namespace llvm::yaml {
template <> struct MappingTraits<tcgemm::DeclaredRestriction> {
  static void mapping(IO &io, tcgemm::DeclaredRestriction &restriction) {
    tcgemm::mapRequired(io, "name", restriction.name, "require",
                        restriction.require);
  }
};
template <> struct MappingTraits<tcgemm::SpaceDocument> {
  static void mapping(IO &io, tcgemm::SpaceDocument &document) {
    tcgemm::mapRequired(io, "name", document.name);
    tcgemm::mapOptional(io, "description", document.description, "chips",
                        document.chips, "fixed", document.fixed);
    tcgemm::mapRequired(io, "parameters", document.parameters);
    tcgemm::mapOptional(io, "variables", document.variables, "derived",
                        document.derived, "restrictions",
                        document.restrictions);
  }
};
} // namespace llvm::yaml

namespace tcgemm {
namespace {

/// Returns whether two names set the same parameter, wholly or in part.
bool overlaps(const ParameterName &a, const ParameterName &b) {
  return a.key == b.key && (!a.part || !b.part || a.part == b.part);
}

} // namespace

/// The names that the document has declared so far.
struct SpaceDeclaration {
  StringRef fileName;
  std::vector<ParameterName> parameters;
  StringSet<> variables;

  /// Errors: `name` is not a parameter, or is already declared.
  Expected<ParameterName> declare(StringRef name);
  /// Parses an expression of known names; `what` and `name` are for errors.
  Expected<Expr> parseExpression(StringRef what, StringRef name,
                                 StringRef text) const;
};

Error Space::declareAxes(SpaceDeclaration &declaration) {
  StringRef fileName = declaration.fileName;
  uint64_t size = 1;
  for (const SpaceAxis &axis : axes) {
    if (axis.values.empty() || axis.values.size() > UINT16_MAX)
      return formatError(
          "{0}: parameter '{1}' has {2} values, but it must have from "
          "1 to {3}",
          fileName, axis.name, axis.values.size(), UINT16_MAX);
    // Points are numbered.
    if (size > (uint64_t(1) << 62) / axis.values.size())
      return formatError(
          "{0}: the product of the parameters' values exceeds 2^62", fileName);
    size *= axis.values.size();
  }
  for (const SpaceAxis &axis : getParameters()) {
    Expected<ParameterName> parameter = declaration.declare(axis.name);
    if (!parameter)
      return parameter.takeError();
    for (const std::string &value : axis.values) {
      KernelConfig config;
      if (Error error = setParameter(config, *parameter, value))
        return formatError("{0}: {1}", fileName, toString(std::move(error)));
    }
  }
  for (const SpaceAxis &axis : getVariables()) {
    if (!Expr::isSymbolName(axis.name) || isSpaceSymbol(axis.name) ||
        is_contained(KernelConfig::keys(), axis.name))
      return formatError(
          "{0}: variable '{1}' has the name of something else, or none "
          "that an expression could use",
          fileName, axis.name);
    if (!declaration.variables.insert(axis.name).second)
      return formatError("{0}: variable '{1}' is declared twice", fileName,
                         axis.name);
    for (const std::string &value : axis.values)
      if (int64_t number; StringRef(value).getAsInteger(10, number) ||
                          number < 0 || number > 1 << 20)
        return formatError("{0}: variable '{1}': expected an integer from 0 to "
                           "1048576, but got '{2}'",
                           fileName, axis.name, value);
  }
  return Error::success();
}

Expected<Expr> SpaceDeclaration::parseExpression(StringRef what, StringRef name,
                                                 StringRef text) const {
  Expected<Expr> expression = Expr::parse(text);
  if (!expression)
    return formatError("{0}: {1} '{2}': {3}", fileName, what, name,
                       toString(expression.takeError()));
  for (const std::string &symbol : collectSymbols(*expression))
    if (!isSpaceSymbol(symbol) && !variables.contains(symbol))
      return formatError(
          "{0}: {1} '{2}': unknown name '{3}'; known are {4}, the "
          "parameters' keywords and the space's variables",
          fileName, what, name, symbol, listSpaceSymbols());
  return expression;
}

Expected<ParameterName> SpaceDeclaration::declare(StringRef name) {
  Expected<ParameterName> parameter = requireParameterName(name);
  if (!parameter)
    return formatError("{0}: {1}", fileName, toString(parameter.takeError()));
  for (const ParameterName &other : parameters)
    if (overlaps(*parameter, other))
      return formatError("{0}: parameter '{1}' is declared twice", fileName,
                         name);
  parameters.push_back(*parameter);
  return *parameter;
}

Expected<Space> Space::parse(StringRef text, StringRef fileName) {
  SpaceDocument document;
  if (Error error = readYAML(text, fileName, document))
    return std::move(error);
  Space space;
  space.name = document.name;
  space.description = document.description;
  space.chips = document.chips;
  for (const std::string &chip : space.chips)
    if (Expected<const ChipInfo &> known = lookupChip(chip); !known)
      return formatError("{0}: {1}", fileName, toString(known.takeError()));

  // Names refer to text of the document; the space has copies.
  space.axes = std::move(document.parameters);
  append_range(space.axes, document.variables);
  space.numVariables = document.variables.size();
  SpaceDeclaration declaration{fileName, {}, {}};
  for (const ParameterValue &fixed : document.fixed) {
    Expected<ParameterName> parameter = declaration.declare(fixed.name);
    if (!parameter)
      return parameter.takeError();
    if (Error error = setParameter(space.base, *parameter, fixed.value))
      return formatError("{0}: {1}", fileName, toString(std::move(error)));
  }
  if (Error error = space.declareAxes(declaration))
    return std::move(error);
  for (const ParameterValue &declared : document.derived) {
    Expected<ParameterName> parameter = declaration.declare(declared.name);
    if (!parameter)
      return parameter.takeError();
    KernelConfig config;
    if (Error error = setParameter(config, *parameter, "0")) {
      consumeError(std::move(error));
      return formatError("{0}: derived parameter '{1}' must be an integer",
                         fileName, declared.name);
    }
    Expected<Expr> value = declaration.parseExpression(
        "derived parameter", declared.name, declared.value);
    if (!value)
      return value.takeError();
    space.derived.push_back({declared.name, *value});
  }
  for (const DeclaredRestriction &declared : document.restrictions) {
    Expected<Expr> condition = declaration.parseExpression(
        "restriction", declared.name, declared.require);
    if (!condition)
      return condition.takeError();
    space.restrictions.push_back({declared.name, *condition});
  }
  return space;
}

Expected<Space> Space::read(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return formatError("cannot read space '{0}': {1}", path,
                       buffer.getError().message());
  return parse((*buffer)->getBuffer(), path);
}

} // namespace tcgemm
