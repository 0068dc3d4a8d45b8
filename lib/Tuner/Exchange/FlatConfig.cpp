//===- FlatConfig.cpp - Configurations in formats of other tuners ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/FlatConfig.h"
#include "Space/SpaceSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {

std::optional<int64_t> FlatValue::getNumber() const {
  int64_t number = 0;
  if (StringRef(text).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

json::Value FlatValue::getJSON() const {
  if (isTruth())
    return text == "true";
  if (std::optional<int64_t> number = getNumber())
    return *number;
  return text;
}

std::string FlatValue::getPythonText() const {
  if (isTruth())
    return text == "true" ? "True" : "False";
  return text;
}

std::string FlatValue::getPythonLiteral() const {
  return isTruth() || getNumber() ? getPythonText() : "'" + text + "'";
}

std::vector<FlatParameter> flatten(const KernelConfig &config) {
  constexpr StringLiteral sides[] = {"m", "n", "k"};
  std::vector<FlatParameter> parameters;
  for (StringRef key : KernelConfig::keys()) {
    std::string text = config.get(key);
    StringRef rest = text;
    if (!rest.consume_front("[")) {
      parameters.push_back({key.str(), {text}});
      continue;
    }
    rest.consume_back("]");
    SmallVector<StringRef> parts;
    rest.split(parts, ',');
    for (auto [part, side] : zip(parts, sides))
      parameters.push_back({(key + "_" + side).str(), {part.trim().str()}});
  }
  return parameters;
}

Expected<KernelConfig> unflatten(const json::Object &object) {
  KernelConfig config;
  for (const auto &[key, value] : object) {
    StringRef name = key;
    std::string text;
    if (std::optional<bool> truth = value.getAsBoolean())
      text = *truth ? "true" : "false";
    else if (std::optional<int64_t> number = value.getAsInteger())
      text = std::to_string(*number);
    else if (std::optional<StringRef> word = value.getAsString())
      text = word->str();
    else
      return createStringError("parameter '" + name +
                               "': expected a number, a truth value or a word");
    // The last underscore may replace the dot of a part.
    auto [first, last] = name.rsplit('_');
    std::optional<ParameterName> parameter = parseParameterName(name);
    if (!parameter)
      parameter = parseParameterName((first + "." + last).str());
    if (!parameter)
      return createStringError("'" + name + "' is not a parameter of tcgemm");
    if (Error error = setParameter(config, *parameter, text))
      return std::move(error);
  }
  return config;
}

json::Object describeGroup(const Record &record) {
  const Platform &platform = record.platform;
  return json::Object{{"kernel", record.problem.kernel.str()},
                      {"sizes", record.problem.sizes.str()},
                      {"tag", record.problem.tag},
                      {"chip", platform.chip},
                      {"device", platform.device},
                      {"driver", platform.driver},
                      {"ptxas", platform.ptxas},
                      {"tcgemm", platform.tcgemm}};
}

json::Object describeRecord(const Record &record) {
  json::Object object = toJSON(record);
  for (const auto &[key, value] : describeGroup(record))
    object.erase(key);
  // These are members of the format itself.
  for (StringRef key : {"config", "timestamp", "samples", "microseconds"})
    object.erase(key);
  return object;
}

} // namespace tcgemm
