//===- ProblemFiles.cpp - Problems from lines, CSV and JSON ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each format is converted to properties by name, which are interpreted in one
// place.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Target/BoundedJSON.h"
#include "tcgemm/Target/FormatError.h"
#include "tcgemm/Target/Precision.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// The properties of a problem in a file, by our names. Missing ones are left
/// out.
using Properties = StringMap<std::string>;

/// tcgemm's name of a column or member of other tools.
std::string getPropertyName(StringRef text) {
  std::string name = text.trim(" \t\r\"").lower();
  llvm::erase_if(name, [](char c) { return c == '_' || c == ' '; });
  return StringSwitch<std::string>(name)
      .Cases({"batchcount", "batchsize", "l"}, "batch")
      .Case("name", "tag")
      .Cases({"transa", "opa", "at", "ta"}, "transa")
      .Cases({"transb", "opb", "bt", "tb"}, "transb")
      .Case("abtype", "type")
      .Cases({"dtypea", "atype", "typea"}, "atype")
      .Cases({"dtypeb", "btype", "typeb"}, "btype")
      .Cases({"dtyped", "typed", "outtype"}, "outtype")
      .Cases({"dtypeacc", "acctype", "computetype"}, "acctype")
      .Default(name);
}

/// BF16 of `bfloat16`, `CUDA_R_16BF`, ...; none for other types.
std::optional<ScalarType> findType(StringRef text) {
  std::string name = text.trim(" \t\r\"").lower();
  StringRef word = name;
  word.consume_front("cuda_");
  word.consume_front("compute_");
  if (std::optional<ScalarType> type = parseOperandType(word);
      type && isSplitType(*type))
    return type;
  return StringSwitch<std::optional<ScalarType>>(word)
      .Cases({"bf16", "bfloat16", "r_16bf"}, ScalarType::BF16)
      .Cases({"f16", "fp16", "float16", "half", "r_16f"}, ScalarType::F16)
      .Cases({"f32", "fp32", "float32", "float", "r_32f", "32f"},
             ScalarType::F32)
      .Cases({"f64", "fp64", "float64", "double", "r_64f", "64f"},
             ScalarType::F64)
      .Cases({"tf32", "tfloat32"}, ScalarType::TF32)
      .Cases({"s8", "i8", "int8", "r_8i"}, ScalarType::I8)
      .Cases({"u8", "ui8", "uint8", "r_8u"}, ScalarType::U8)
      .Cases({"s4", "i4", "int4", "r_4i"}, ScalarType::I4)
      .Cases({"u4", "ui4", "uint4", "r_4u"}, ScalarType::U4)
      .Case("b1", ScalarType::U1)
      .Cases({"e4m3", "f8e4m3fn", "float8_e4m3fn", "r_8f_e4m3"},
             ScalarType::E4M3)
      .Cases({"e5m2", "f8e5m2", "float8_e5m2", "r_8f_e5m2"}, ScalarType::E5M2)
      .Cases({"s32", "i32", "int32", "r_32i", "32i"}, ScalarType::I32)
      .Default(std::nullopt);
}

/// BLAS' letter for `T`, `OP_N`, `1`, `false`, `row`, ...; 0 for others.
char getTransposition(StringRef text) {
  std::string name = text.trim(" \t\r\"").lower();
  StringRef word = name;
  word.consume_front("cublas_");
  word.consume_front("op_");
  return StringSwitch<char>(word)
      .Cases({"t", "1", "true", "row", "rowmajor"}, 't')
      .Cases({"n", "0", "false", "col", "column", "columnmajor"}, 'n')
      .Default(0);
}

char flip(char letter) { return letter == 't' ? 'n' : 't'; }

/// Reads the properties of one problem.
class PropertyReader {
public:
  PropertyReader(const Properties &properties, const KernelSpec &kernel)
      : properties(properties) {
    problem.kernel = kernel;
  }
  Expected<TuningProblem> read();

private:
  StringRef get(StringRef name) const {
    auto entry = properties.find(name);
    return entry == properties.end() ? StringRef()
                                     : StringRef(entry->second).trim(" \t\r\"");
  }
  Error readSizes();
  Error readGroups();
  Error divideRows();
  Error readLayout();
  Error readOperand(StringRef name, char &letter,
                    std::optional<ScalarType> &type);
  Error readType(StringRef name, std::optional<ScalarType> &type) const;
  Error readTypes();
  Error readFactors();
  Error readEpilogue();

  const Properties &properties;
  TuningProblem problem;
  char layout[3] = {0, 0, 't'}; ///< Letters of A, B and D.
};

Error PropertyReader::readSizes() {
  MatmulSizes &sizes = problem.sizes;
  for (auto [name, size] :
       {std::pair("m", &sizes.m), std::pair("n", &sizes.n),
        std::pair("k", &sizes.k), std::pair("batch", &sizes.batch)}) {
    StringRef text = get(name);
    if (text.empty() && StringRef(name) == "batch")
      continue;
    if (!parseSize(text, *size))
      return formatError("{0} is '{1}', but must be a size from 1 to {2}", name,
                         text, kMaxProblemSize);
  }
  if (Error error = readGroups())
    return error;
  problem.kernel.isBatched |= sizes.batch != 1;
  return Error::success();
}

/// The number of groups of rows takes the place of the batch.
Error PropertyReader::readGroups() {
  StringRef groups = get("groups"), batch = get("batch");
  if (groups.empty())
    return Error::success();
  problem.kernel.isGrouped = groups != "none";
  if (!problem.kernel.isGrouped) {
    problem.kernel.groupKind = GroupKind::Contiguous;
    return Error::success();
  }
  int64_t number = 0;
  if (!parseSize(groups, number))
    return formatError("groups is '{0}', but must be none or a number from 1 "
                       "to {1}",
                       groups, kMaxProblemSize);
  if (!batch.empty() && batch != groups)
    return formatError("batch is '{0}', but the rows are in {1} groups, of "
                       "which each has one matrix B",
                       batch, groups);
  problem.sizes.batch = number;
  return Error::success();
}

/// Checks that the rest of the product has kernels for groups, if there are
/// some, and needs none otherwise.
Error PropertyReader::divideRows() {
  if (!problem.kernel.isGrouped)
    return problem.kernel.checkFeatures();
  // Those of the transposed product would be groups of columns.
  if (layout[2] == 'n')
    return formatError("D is column-major, but groups of rows need a row-major "
                       "one");
  return problem.kernel.setGrouped(problem.kernel.groupKind);
}

Error PropertyReader::readLayout() {
  std::string usual = problem.kernel.getLayout();
  layout[0] = usual[0];
  layout[1] = usual[1];
  std::string text = get("layout").lower();
  bool valid = text.empty() || text.size() == 2 || text.size() == 3;
  for (size_t i = 0; valid && i != text.size(); ++i) {
    layout[i] = text[i];
    valid = text[i] == 't' || text[i] == 'n';
  }
  if (!valid)
    return formatError(
        "layout '{0}': expected t or n for each of A and B, and for D "
        "if it is given",
        text);
  for (auto [name, letter] :
       {std::pair("transa", &layout[0]), std::pair("transb", &layout[1])}) {
    StringRef given = get(name);
    if (given.empty())
      continue;
    *letter = getTransposition(given);
    if (!*letter)
      return formatError("{0} is '{1}', but must be t or n", name, given);
  }
  return Error::success();
}

/// CUTLASS' form of an operand: `f16:row`.
Error PropertyReader::readOperand(StringRef name, char &letter,
                                  std::optional<ScalarType> &type) {
  StringRef text = get(name);
  if (text.empty())
    return Error::success();
  auto [typeText, order] = text.split(':');
  type = findType(typeText);
  letter = getTransposition(order);
  if (!type || !letter)
    return formatError("operand {0} is '{1}', but must be as f16:row",
                       name.upper(), text);
  return Error::success();
}

Error PropertyReader::readType(StringRef name,
                               std::optional<ScalarType> &type) const {
  StringRef text = get(name);
  if (text.empty())
    return Error::success();
  type = findType(text);
  if (!type)
    return formatError(
        "{0} is '{1}', but must be bf16, f16, f32, tf32, f64, s8, u8, e4m3, "
        "e5m2 or s32",
        name, text);
  return Error::success();
}

Error PropertyReader::readTypes() {
  KernelSpec &kernel = problem.kernel;
  // D has A's type where nothing says otherwise.
  std::optional<ScalarType> out;
  if (kernel.output != getBufferType(kernel.typeA))
    out = kernel.output;
  Precision precision = getPrecision(kernel.typeA);
  std::optional<ScalarType> a = kernel.typeA, accumulator;
  for (StringRef name : {"type", "atype"})
    if (Error error = readType(name, a))
      return error;
  // With A's type it is the type of D, without it that of A and B.
  if (Error error = readType("dtype", get("atype").empty() ? a : out))
    return error;
  if (Error error = readOperand("a", layout[0], a))
    return error;
  std::optional<ScalarType> b = *a == kernel.typeA ? kernel.typeB : *a;
  if (Error error = readType("btype", b))
    return error;
  if (Error error = readOperand("b", layout[1], b))
    return error;
  if (Error error = readType("outtype", out))
    return error;
  // Older versions of the profiler have only C.
  for (StringRef name : {"c", "d"})
    if (Error error = readOperand(name, layout[2], out))
      return error;
  if (Error error = readType("acctype", accumulator))
    return error;
  // Instructions that add in f16 are a precision.
  if (accumulator == ScalarType::F16 && *a == ScalarType::F16) {
    precision = Precision::F16;
    accumulator = ScalarType::F32;
  }
  // The caller decides the precision of all other products.
  a = getOperandType(*a, precision);
  b = getOperandType(*b, precision);
  ArrayRef<ScalarType> sums = getAccumulatorTypes(*a, *b);
  if (sums.empty())
    return formatError("A is {0} and B is {1}, which no instruction multiplies",
                       getPtxTypeName(*a), getPtxTypeName(*b));
  if (accumulator.value_or(sums.front()) != sums.front())
    return formatError("sums are {0}, but must be {1}",
                       getPtxTypeName(*accumulator),
                       getPtxTypeName(sums.front()));
  kernel.typeA = *a;
  kernel.typeB = *b;
  kernel.accumulator = sums.front();
  return kernel.setOutputType(out ? getPtxTypeName(*out) : "");
}

/// Factors other than BLAS's defaults are operands of the kernel.
Error PropertyReader::readFactors() {
  KernelSpec &kernel = problem.kernel;
  for (auto [name, flag, usual] : {std::tuple("alpha", &kernel.hasAlpha, 1.0),
                                   std::tuple("beta", &kernel.hasBeta, 0.0)}) {
    StringRef text = get(name);
    double value = usual;
    if (!text.empty() && text.getAsDouble(value))
      return formatError("{0} is '{1}', but must be a number", name, text);
    *flag |= value != usual;
  }
  return Error::success();
}

/// The words of an epilogue, and the function of two products that share A.
Error PropertyReader::readEpilogue() {
  KernelSpec &kernel = problem.kernel;
  StringRef epilogue = get("epilogue"), dual = get("dual");
  if (epilogue.empty() && dual.empty())
    return Error::success();
  // The transposed product would need the epilogue's transpose.
  if (layout[2] == 'n')
    return formatError("D is column-major, but a product with an epilogue or "
                       "with two Bs needs a row-major one");
  if (!epilogue.empty()) {
    Expected<NamedEpilogue> parsed = NamedEpilogue::parse(epilogue);
    if (!parsed)
      return parsed.takeError();
    kernel.epilogue = std::move(*parsed);
  }
  return dual.empty() ? Error::success() : kernel.setDual(dual);
}

Expected<TuningProblem> PropertyReader::read() {
  if (Error error = readSizes())
    return std::move(error);
  if (Error error = readLayout())
    return std::move(error);
  if (Error error = readTypes())
    return std::move(error);
  if (Error error = readFactors())
    return std::move(error);
  if (Error error = readEpilogue())
    return std::move(error);
  if (layout[2] == 'n') {
    std::swap(problem.sizes.m, problem.sizes.n);
    std::swap(problem.kernel.typeA, problem.kernel.typeB);
    std::swap(layout[0], layout[1]);
    layout[0] = flip(layout[0]);
    layout[1] = flip(layout[1]);
  }
  problem.kernel.aKContiguous = layout[0] == 't';
  problem.kernel.bKContiguous = layout[1] == 'n';
  if (Error error = problem.kernel.checkPackedOperands())
    return std::move(error);
  // Those of the caller are for the types that the file has, too.
  StringRef groups = get("groupscales");
  if (Error error = problem.kernel.setGroupScales(
          groups.empty() ? problem.kernel.groups.str() : groups.str()))
    return std::move(error);
  if (Error error = problem.kernel.setAlgebra(problem.kernel.algebra.str()))
    return std::move(error);
  if (Error error = divideRows())
    return std::move(error);
  problem.tag = get("tag").str();
  return problem;
}

constexpr StringLiteral kLineFormat =
    "tag M N K [batch] [layout] [type] [groups=G]";

/// The properties of a line; none if it has another format.
std::optional<Properties> readLine(StringRef line) {
  SmallVector<StringRef> words;
  SplitString(line, words, " \t\r");
  if (words.size() < 4)
    return std::nullopt;
  Properties properties;
  constexpr StringLiteral names[] = {"tag", "m", "n", "k"};
  for (auto [name, word] : zip(names, words))
    properties[name] = word.str();
  for (StringRef word : drop_begin(words, 4)) {
    StringRef name = isDigit(word[0])                ? "batch"
                     : word.consume_front("groups=") ? "groups"
                     : word.trim("tn").empty()       ? "layout"
                     : findType(word)                ? "type"
                                                     : "";
    if (name.empty() || !properties.try_emplace(name, word.str()).second)
      return std::nullopt;
  }
  return properties;
}

Expected<std::vector<TuningProblem>>
parseLines(StringRef text, StringRef fileName, const KernelSpec &kernel) {
  std::vector<TuningProblem> problems;
  std::vector<std::string> columns; // Columns of CSV.
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [index, line] : enumerate(lines)) {
    size_t number = index + 1;
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    SmallVector<StringRef> words;
    line.split(words, ',');
    if (problems.empty() && columns.empty() && words.size() > 1) {
      for (StringRef word : words)
        columns.push_back(getPropertyName(word));
      for (StringRef wanted : {"m", "n", "k"})
        if (!is_contained(columns, wanted))
          return formatError(
              "{0}:{1}: CSV needs columns M, N and K, but its first "
              "line is '{2}'",
              fileName, number, line);
      continue;
    }
    std::optional<Properties> properties;
    if (columns.empty()) {
      properties = readLine(line);
    } else if (words.size() == columns.size()) {
      properties.emplace();
      for (auto [name, word] : zip_equal(columns, words))
        (*properties)[name] = word.str();
    }
    if (!properties)
      return formatError(
          "{0}:{1}: expected {2}, but got '{3}'", fileName, number,
          columns.empty() ? ("'" + kLineFormat + "'").str()
                          : "as many values as there are columns",
          line);
    Expected<TuningProblem> problem =
        PropertyReader(*properties, kernel).read();
    if (!problem)
      return formatError("{0}:{1}: {2}", fileName, number,
                         toString(problem.takeError()));
    problems.push_back(std::move(*problem));
  }
  return problems;
}

/// The text of a number, a string or a boolean; none for other values.
std::optional<std::string> getText(const json::Value &value) {
  if (std::optional<StringRef> text = value.getAsString())
    return text->str();
  if (value.kind() != json::Value::Number &&
      value.kind() != json::Value::Boolean)
    return std::nullopt;
  return formatv("{0}", value).str();
}

Expected<std::vector<TuningProblem>>
parseJSON(StringRef text, StringRef fileName, const KernelSpec &kernel) {
  Expected<json::Value> value = parseBoundedJSON(text);
  if (!value)
    return formatError("{0}: {1}", fileName, toString(value.takeError()));
  const json::Array *entries = value->getAsArray();
  if (!entries)
    return formatError("{0}: expected a list of objects", fileName);
  std::vector<TuningProblem> problems;
  for (auto [index, entry] : enumerate(*entries)) {
    const json::Object *object = entry.getAsObject();
    if (!object)
      return formatError("{0}: entry {1}: expected an object", fileName,
                         index + 1);
    Properties properties;
    for (const auto &[name, member] : *object)
      if (std::optional<std::string> memberText = getText(member))
        properties[getPropertyName(name)] = *memberText;
    Expected<TuningProblem> problem = PropertyReader(properties, kernel).read();
    if (!problem)
      return formatError("{0}: entry {1}: {2}", fileName, index + 1,
                         toString(problem.takeError()));
    problems.push_back(std::move(*problem));
  }
  return problems;
}

} // namespace

Expected<std::vector<TuningProblem>>
parseTuningProblems(StringRef text, StringRef fileName,
                    const KernelSpec &kernel) {
  StringRef start = text.ltrim();
  bool isJSON = start.starts_with("[") || start.starts_with("{");
  Expected<std::vector<TuningProblem>> problems =
      isJSON ? parseJSON(text, fileName, kernel)
             : parseLines(text, fileName, kernel);
  if (problems && problems->empty())
    return formatError("{0}: there is no problem in it", fileName);
  return problems;
}

} // namespace tcgemm
