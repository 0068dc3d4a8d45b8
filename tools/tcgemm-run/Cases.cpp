//===- Cases.cpp - Files of problems and of test cases --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Readers with errors that name line and key, and the conversion of a case to a
// command line.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "tcgemm/Target/BoundedJSON.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static Expected<std::unique_ptr<llvm::MemoryBuffer>> open(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  return std::move(*buffer);
}

static Error fail(StringRef path, size_t line, const Twine &what) {
  return llvm::createStringError(path + ":" + Twine(line) + ": " + what);
}

MatmulSizes NamedProblem::getSizes() const {
  MatmulSizes result;
  int64_t *targets[] = {&result.m, &result.n, &result.k, &result.batch};
  for (unsigned d = 0; d != kNumPlainDims; ++d)
    *targets[d] = sizes[d].value_or(*targets[d]);
  return result;
}

Expected<std::vector<NamedProblem>> tcgemm::readProblems(StringRef path) {
  auto buffer = open(path);
  if (!buffer)
    return buffer.takeError();
  std::vector<NamedProblem> problems;
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (size_t i = 0; i != lines.size(); ++i) {
    llvm::SmallVector<StringRef> words;
    llvm::SplitString(lines[i].split('#').first, words, " \t\r,");
    if (words.empty())
      continue;
    if (words.size() != 4 && words.size() != 5)
      return fail(path, i + 1, "expected 'tag M N K [batch]'");
    NamedProblem problem;
    problem.tag = words[0].str();
    for (size_t w = 1; w != words.size(); ++w) {
      int64_t size = 0;
      if (words[w].getAsInteger(10, size) || size < 0)
        return fail(path, i + 1, "'" + words[w] + "' is not a size");
      problem.sizes[w - 1] = size;
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

//===----------------------------------------------------------------------===//
// Test cases
//===----------------------------------------------------------------------===//

namespace {

/// Reads the keys of one case; `problem` is the first error.
class CaseReader {
public:
  Expected<TestCase> read(const json::Object &object);

private:
  void report(const Twine &what) {
    if (problem.empty())
      problem = what.str();
  }
  std::string getString(StringRef key, const json::Value &value) {
    if (auto string = value.getAsString())
      return string->str();
    report("'" + key + "' must be a string");
    return "";
  }
  int64_t getInteger(StringRef key, const json::Value &value) {
    std::optional<int64_t> integer = value.getAsInteger();
    if (integer && *integer >= 0)
      return *integer;
    report("'" + key + "' must be a non-negative integer");
    return 0;
  }
  /// JSON has no infinities and no NaN: they are strings.
  static std::optional<double> getNumber(const json::Value &value) {
    if (std::optional<StringRef> text = value.getAsString())
      return llvm::StringSwitch<std::optional<double>>(*text)
          .Case("inf", HUGE_VAL)
          .Case("-inf", -HUGE_VAL)
          .Case("nan", std::nan(""))
          .Default(std::nullopt);
    return value.getAsNumber();
  }
  FillOptions getFill(StringRef key, const json::Value &value) {
    Expected<FillOptions> fill = parseFill(getString(key, value));
    if (fill)
      return *fill;
    report("'" + key + "': " + llvm::toString(fill.takeError()));
    return {};
  }
  template <typename Function>
  void forEach(StringRef key, const json::Value &value, Function &&function) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return report("'" + key + "' must be an object");
    for (const auto &entry : *object)
      function(StringRef(entry.first).str(), entry.second);
  }
  void readKey(StringRef key, const json::Value &value);
  void readSizes(const json::Value &value);
  /// Reads arrays of numbers by the names of arguments.
  void readDimensions(StringRef key, const json::Value &value,
                      std::map<std::string, std::vector<int64_t>> &all) {
    forEach(key, value, [&](const std::string &name, const json::Value &v) {
      const json::Array *numbers = v.getAsArray();
      if (!numbers)
        return report("'" + key + "." + name + "' must be an array");
      for (const json::Value &number : *numbers)
        all[name].push_back(getInteger(key, number));
    });
  }

  TestCase result;
  std::string problem;
};

} // namespace

void CaseReader::readSizes(const json::Value &value) {
  forEach("sizes", value, [&](const std::string &name, const json::Value &v) {
    for (unsigned d = 0; d != kNumPlainDims; ++d)
      if (getSizeName(Dim(d)) == name) {
        result.options.sizes[d] = getInteger(name, v);
        return;
      }
    report("'sizes' has no '" + name + "'");
  });
}

void CaseReader::readKey(StringRef key, const json::Value &value) {
  ProblemOptions &options = result.options;
  if (key == "id") {
    result.id = getString(key, value);
  } else if (key == "pack") {
    result.pack = getString(key, value);
  } else if (key == "function") {
    options.function = getString(key, value);
  } else if (key == "variant") {
    options.variant = getString(key, value);
  } else if (key == "seed") {
    options.seed = getInteger(key, value);
  } else if (key == "repeat") {
    options.repeat = getInteger(key, value);
    if (options.repeat < 1)
      report("'repeat' must be 1 or more");
  } else if (key == "sizes") {
    readSizes(value);
  } else if (key == "shapes") {
    readDimensions(key, value, options.shapes);
  } else if (key == "fill") {
    options.defaultFill = getFill(key, value);
  } else if (key == "fills") {
    forEach(key, value, [&](const std::string &name, const json::Value &v) {
      options.fills[name] = getFill(name, v);
    });
  } else if (key == "scalars") {
    forEach(key, value, [&](const std::string &name, const json::Value &v) {
      std::optional<double> number = getNumber(v);
      if (!number)
        return report("'scalars." + name +
                      "' must be a number, \"inf\", \"-inf\" or \"nan\"");
      options.scalars[name] = *number;
    });
  } else if (key == "ld_pad") {
    options.defaultRowPadding = getInteger(key, value);
  } else if (key == "ld_pads") {
    forEach(key, value, [&](const std::string &name, const json::Value &v) {
      options.rowPaddings[name] = getInteger(name, v);
    });
  } else if (key == "strides") {
    readDimensions(key, value, options.strides);
  } else if (key == "offset") {
    options.defaultOffset = getInteger(key, value);
  } else if (key == "offsets") {
    forEach(key, value, [&](const std::string &name, const json::Value &v) {
      options.offsets[name] = getInteger(name, v);
    });
  } else {
    report("unknown key '" + key + "'");
  }
}

Expected<TestCase> CaseReader::read(const json::Object &object) {
  for (const auto &entry : object)
    readKey(StringRef(entry.first), entry.second);
  if (result.pack.empty())
    report("needs the key 'pack'");
  if (!problem.empty())
    return llvm::createStringError(problem);
  return result;
}

Expected<std::vector<TestCase>> tcgemm::readCases(StringRef path) {
  auto buffer = open(path);
  if (!buffer)
    return buffer.takeError();
  std::vector<TestCase> cases;
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (size_t i = 0; i != lines.size(); ++i) {
    if (lines[i].trim().empty())
      continue;
    Expected<json::Value> value = parseBoundedJSON(lines[i]);
    if (!value)
      return fail(path, i + 1, llvm::toString(value.takeError()));
    const json::Object *object = value->getAsObject();
    if (!object)
      return fail(path, i + 1, "a case is a JSON object");
    Expected<TestCase> test = CaseReader().read(*object);
    if (!test)
      return fail(path, i + 1, llvm::toString(test.takeError()));
    if (test->id.empty())
      test->id = std::to_string(i + 1);
    if (llvm::sys::path::is_relative(test->pack) && path != "-") {
      llvm::SmallString<256> absolute = llvm::sys::path::parent_path(path);
      llvm::sys::path::append(absolute, test->pack);
      test->pack = absolute.str().str();
    }
    cases.push_back(std::move(*test));
  }
  return cases;
}

/// Prints all digits, because the reproduction must have the same number.
static std::string formatNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  return text;
}

std::string tcgemm::formatFill(const FillOptions &fill) {
  switch (fill.kind) {
  case FillOptions::Normal:
    return "normal";
  case FillOptions::Uniform:
    return "uniform";
  case FillOptions::Integers:
    return "int";
  case FillOptions::Special:
    return "special";
  case FillOptions::Constant:
    return "constant:" + formatNumber(fill.value);
  case FillOptions::Values:
    return "values:" +
           llvm::join(llvm::map_range(
                          fill.values,
                          [](int64_t value) { return std::to_string(value); }),
                      ",");
  case FillOptions::File:
    break;
  }
  return fill.path;
}

std::string tcgemm::formatReproduction(StringRef pack, StringRef given,
                                       const ProblemOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tcgemm-run";
  if (!pack.empty())
    os << ' ' << pack;
  if (!given.empty())
    os << ' ' << given;
  constexpr StringRef flags[] = {"m", "n", "k", "batch"};
  for (unsigned d = 0; d != kNumPlainDims; ++d)
    if (options.sizes[d])
      os << " --" << flags[d] << '=' << *options.sizes[d];
  if (!options.function.empty())
    os << " --function=" << options.function;
  for (const auto &[name, sizes] : options.shapes) {
    os << " --shape=" << name << '=';
    llvm::interleave(sizes, os, "x");
  }
  for (const auto &[name, strides] : options.strides) {
    os << " --array-strides=" << name << '=';
    llvm::interleave(strides, os, "x");
  }
  os << " --fill=" << formatFill(options.defaultFill);
  for (const auto &[name, fill] : options.fills)
    os << " --fill=" << name << '=' << formatFill(fill);
  for (const auto &[name, value] : options.scalars)
    os << " --scalar=" << name << '=' << formatNumber(value);
  if (options.defaultRowPadding)
    os << " --ld-pad=" << options.defaultRowPadding;
  for (const auto &[name, value] : options.rowPaddings)
    os << " --ld-pad=" << name << '=' << value;
  if (options.defaultOffset)
    os << " --offset=" << options.defaultOffset;
  for (const auto &[name, value] : options.offsets)
    os << " --offset=" << name << '=' << value;
  if (!options.variant.empty())
    os << " --variant=" << options.variant;
  if (options.repeat != 1)
    os << " --repeat=" << options.repeat;
  os << " --seed=" << options.seed;
  return text;
}
