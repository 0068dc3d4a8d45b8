//===- ReferenceInputs.cpp - Launches of the reference kernels ------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceInputs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cmath>
#include <map>

using namespace reference;

static const char *const directory =
    TCGEMM_SOURCE_DIR "/unittests/Emulator/reference";

std::string reference::readFile(const llvm::Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    ADD_FAILURE() << path.str() << ": " << buffer.getError().message();
    return "";
  }
  return (*buffer)->getBuffer().str();
}

static llvm::json::Value readJSON(const llvm::Twine &path) {
  auto value = llvm::json::parse(readFile(path));
  if (!value) {
    ADD_FAILURE() << path.str() << ": " << llvm::toString(value.takeError());
    return nullptr;
  }
  return std::move(*value);
}

//===----------------------------------------------------------------------===//
// Types of elements
//===----------------------------------------------------------------------===//

const llvm::fltSemantics *reference::getSemantics(llvm::StringRef type) {
  if (type == "f16")
    return &llvm::APFloat::IEEEhalf();
  if (type == "bf16")
    return &llvm::APFloat::BFloat();
  if (type == "f32" || type == "tf32")
    return &llvm::APFloat::IEEEsingle();
  if (type == "f64")
    return &llvm::APFloat::IEEEdouble();
  if (type == "e4m3")
    return &llvm::APFloat::Float8E4M3FN();
  if (type == "e5m2")
    return &llvm::APFloat::Float8E5M2();
  return nullptr;
}

unsigned reference::getBits(llvm::StringRef type) {
  if (const llvm::fltSemantics *semantics = getSemantics(type))
    return llvm::APFloat::getSizeInBits(*semantics);
  unsigned bits = 0;
  type.drop_front().getAsInteger(10, bits);
  return bits;
}

/// Significant digits, the leading one counted.
static unsigned getDigits(llvm::StringRef type) {
  return type == "tf32"
             ? 11
             : llvm::APFloat::semanticsPrecision(*getSemantics(type));
}

static unsigned getExponentBits(llvm::StringRef type) {
  return getBits(type) - llvm::APFloat::semanticsPrecision(*getSemantics(type));
}

static uint64_t encode(double value, llvm::StringRef type) {
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(*getSemantics(type), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result.bitcastToAPInt().getZExtValue();
}

double reference::decode(uint64_t bits, llvm::StringRef type) {
  llvm::APFloat result(*getSemantics(type), llvm::APInt(getBits(type), bits));
  bool losesInfo;
  result.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result.convertToDouble();
}

bool reference::isNaN(uint64_t bits, llvm::StringRef type) {
  return llvm::APFloat(*getSemantics(type), llvm::APInt(getBits(type), bits))
      .isNaN();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void reference::PrintTo(const ReferenceLaunch &launch, std::ostream *os) {
  *os << launch.file << ".ptx: " << launch.name;
}

static Argument parseArgument(const llvm::json::Object &object,
                              unsigned number) {
  Argument argument;
  if (auto bytes = object.getString("bytes")) {
    std::string decoded = llvm::fromHex(*bytes);
    argument.bytes.assign(decoded.begin(), decoded.end());
    return argument;
  }
  auto getInteger = [&](llvm::StringRef key, int64_t otherwise) {
    return object.getInteger(key).value_or(otherwise);
  };
  argument.name = object.getString("name").value_or("");
  argument.type = object.getString("type").value_or("");
  argument.fill = object.getString("fill").value_or("zero");
  argument.table = object.getString("table").value_or(argument.type);
  argument.rowLength = getInteger("rowLength", 0);
  argument.count = getInteger("count", 0);
  argument.seed = getInteger("seed", number + 1);
  argument.min = getInteger("min", 0);
  argument.max = getInteger("max", 0);
  argument.log2 = getInteger("log2", 0);
  argument.divisor = getInteger("divisor", 1);
  argument.until = getInteger("until", -1);
  if (auto value = object.getString("value"))
    value->getAsInteger(0, argument.value);
  argument.isOutput = object.getBoolean("output").value_or(false);
  argument.anyNaN = object.getString("nan") == "any";
  if (const llvm::json::Object *tolerance = object.getObject("tolerance"))
    argument.tolerance = {tolerance->getNumber("rel").value_or(0),
                          tolerance->getNumber("abs").value_or(0)};
  return argument;
}

std::vector<ReferenceLaunch> reference::readLaunches() {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(directory, error), end;
       it != end && !error; it.increment(error))
    if (llvm::sys::path::extension(it->path()) == ".json")
      files.push_back(llvm::sys::path::stem(it->path()).str());
  llvm::sort(files);
  std::vector<ReferenceLaunch> launches;
  for (const std::string &file : files) {
    if (file == "tables")
      continue;
    llvm::json::Value json =
        readJSON(directory + llvm::Twine("/") + file + ".json");
    for (const llvm::json::Value &value :
         *json.getAsObject()->getArray("launches")) {
      const llvm::json::Object &object = *value.getAsObject();
      ReferenceLaunch &launch = launches.emplace_back();
      launch.file = file;
      launch.name = object.getString("name")->str();
      launch.entry = object.getString("entry").value_or(launch.name);
      for (unsigned d = 0; d != 3; ++d) {
        launch.grid[d] = (*object.getArray("grid"))[d].getAsInteger().value();
        launch.block[d] = (*object.getArray("block"))[d].getAsInteger().value();
        if (const llvm::json::Array *cluster = object.getArray("cluster"))
          launch.cluster[d] = *(*cluster)[d].getAsInteger();
      }
      launch.sharedMemory = object.getInteger("shared").value_or(0);
      launch.repeat = object.getInteger("repeat").value_or(1);
      for (const llvm::json::Value &argument : *object.getArray("arguments"))
        launch.arguments.push_back(
            parseArgument(*argument.getAsObject(), launch.arguments.size()));
    }
  }
  return launches;
}

//===----------------------------------------------------------------------===//
// Inputs, which the recorder computes in Python
//===----------------------------------------------------------------------===//

static uint64_t splitmix64(uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Lists of edge values by name.
static const std::vector<uint64_t> &getTable(const std::string &name) {
  static const std::map<std::string, std::vector<uint64_t>> tables = [] {
    std::map<std::string, std::vector<uint64_t>> result;
    llvm::json::Value json = readJSON(directory + llvm::Twine("/tables.json"));
    for (const auto &[key, values] : *json.getAsObject())
      for (const llvm::json::Value &value : *values.getAsArray()) {
        uint64_t bits = 0;
        value.getAsString()->getAsInteger(0, bits);
        result[key.str()].push_back(bits);
      }
    return result;
  }();
  return tables.at(name);
}

static uint64_t getElement(const Argument &argument, uint64_t i) {
  const std::string &type = argument.type;
  unsigned bits = getBits(type);
  bool isFloat = getSemantics(type);
  uint64_t h = splitmix64(argument.seed * 0x9e3779b97f4a7c15 + i);
  auto getRaw = [&](uint64_t h) { return h >> (64 - bits); };
  // A number whose exponent is near 0.
  auto getNear = [&](uint64_t h) {
    unsigned exponentBits = getExponentBits(type);
    unsigned mantissaBits = bits - 1 - exponentBits;
    uint64_t exponent = (uint64_t{1} << (exponentBits - 1)) - 9 + (h >> 4 & 15);
    return (h & 1) << (bits - 1) | exponent << mantissaBits |
           h >> (64 - mantissaBits);
  };

  llvm::StringRef fill = argument.fill;
  if (fill == "zero")
    return 0;
  if (fill == "value")
    return argument.value;
  if (fill == "raw")
    return getRaw(h);
  if (fill == "near")
    return getNear(h);
  if (fill == "range") {
    int64_t value =
        argument.min +
        static_cast<int64_t>(
            h % static_cast<uint64_t>(argument.max - argument.min + 1));
    if (isFloat)
      return encode(static_cast<double>(value), type);
    return static_cast<uint64_t>(value) &
           llvm::maskTrailingOnes<uint64_t>(bits);
  }
  if (fill == "unit") {
    unsigned digits = getDigits(type);
    double value = static_cast<double>(h >> (64 - digits)) -
                   static_cast<double>(uint64_t{1} << (digits - 1));
    return encode(
        std::ldexp(value, static_cast<int>(argument.log2 + 1 - digits)), type);
  }
  const std::vector<uint64_t> &table = getTable(argument.table);
  if (fill == "pick")
    return table[(h >> 8) % table.size()];
  if (fill == "mixed")
    return h & 1 ? table[(h >> 8) % table.size()] : getRaw(splitmix64(h));
  EXPECT_EQ(fill, "edges");
  uint64_t until =
      argument.until == ~uint64_t{0} ? table.size() : argument.until;
  if (i < until)
    return table[i / argument.divisor % table.size()];
  return isFloat && (i & 1) ? getNear(h) : getRaw(h);
}

std::vector<uint8_t> reference::fillBuffer(const Argument &argument) {
  unsigned size = getBits(argument.type) / 8;
  std::vector<uint8_t> data(argument.count * size);
  for (uint64_t i = 0; i != argument.count; ++i) {
    uint64_t value = getElement(argument, i);
    for (unsigned b = 0; b != size; ++b)
      data[i * size + b] = static_cast<uint8_t>(value >> (8 * b));
  }
  return data;
}

uint64_t reference::readElement(llvm::ArrayRef<uint8_t> data,
                                llvm::StringRef type, uint64_t i) {
  unsigned size = getBits(type) / 8;
  uint64_t value = 0;
  for (unsigned b = 0; b != size; ++b)
    value |= uint64_t{data[i * size + b]} << (8 * b);
  return value;
}
