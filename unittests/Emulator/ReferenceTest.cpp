//===- ReferenceTest.cpp - The emulator against a GPU ---------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the kernels of reference/, which nvcc has compiled, and compares their
// results with those of an H200; reference/README.md says how these came about.
// Results are equal to the bit, but for launches with a tolerance: where PTX
// specifies a function or a sum only approximately.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Emulator/Emulator.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

using namespace tcgemm::emu;

namespace {

const char *const directory = TCGEMM_SOURCE_DIR "/unittests/Emulator/reference";

std::string readFile(const llvm::Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    ADD_FAILURE() << path.str() << ": " << buffer.getError().message();
    return "";
  }
  return (*buffer)->getBuffer().str();
}

llvm::json::Value readJSON(const llvm::Twine &path) {
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

/// Null for integers. tf32 is an f32 whose lower mantissa is 0.
const llvm::fltSemantics *getSemantics(llvm::StringRef type) {
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

unsigned getBits(llvm::StringRef type) {
  if (const llvm::fltSemantics *semantics = getSemantics(type))
    return llvm::APFloat::getSizeInBits(*semantics);
  unsigned bits = 0;
  type.drop_front().getAsInteger(10, bits);
  return bits;
}

/// Significant digits, the leading one counted.
unsigned getDigits(llvm::StringRef type) {
  return type == "tf32"
             ? 11
             : llvm::APFloat::semanticsPrecision(*getSemantics(type));
}

unsigned getExponentBits(llvm::StringRef type) {
  return getBits(type) - llvm::APFloat::semanticsPrecision(*getSemantics(type));
}

uint64_t encode(double value, llvm::StringRef type) {
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(*getSemantics(type), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result.bitcastToAPInt().getZExtValue();
}

double decode(uint64_t bits, llvm::StringRef type) {
  llvm::APFloat result(*getSemantics(type), llvm::APInt(getBits(type), bits));
  bool losesInfo;
  result.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result.convertToDouble();
}

bool isNaN(uint64_t bits, llvm::StringRef type) {
  return llvm::APFloat(*getSemantics(type), llvm::APInt(getBits(type), bits))
      .isNaN();
}

//===----------------------------------------------------------------------===//
// Launches, as JSON describes them
//===----------------------------------------------------------------------===//

struct Tolerance {
  double relative, absolute;
};

/// A kernel's argument: bytes, or the address of a buffer.
struct Argument {
  std::vector<uint8_t> bytes;
  // If `bytes` is empty:
  std::string name, type, fill, table;
  uint64_t count = 0, rowLength = 0, seed = 0;
  uint64_t value = 0;                         ///< `value`
  int64_t min = 0, max = 0;                   ///< `range`
  int64_t log2 = 0;                           ///< `unit`
  uint64_t divisor = 1, until = ~uint64_t{0}; ///< `edges`
  bool isOutput = false, anyNaN = false;
  std::optional<Tolerance> tolerance;
};

struct ReferenceLaunch {
  std::string file, name, entry;
  std::array<uint32_t, 3> grid{}, block{}, cluster{1, 1, 1};
  uint32_t sharedMemory = 0;
  unsigned repeat = 1;
  std::vector<Argument> arguments;
};

void PrintTo(const ReferenceLaunch &launch, std::ostream *os) {
  *os << launch.file << ".ptx: " << launch.name;
}

Argument parseArgument(const llvm::json::Object &object, unsigned number) {
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

std::vector<ReferenceLaunch> readLaunches() {
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
        launch.grid[d] = *(*object.getArray("grid"))[d].getAsInteger();
        launch.block[d] = *(*object.getArray("block"))[d].getAsInteger();
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
// Inputs: the recorder has the same in Python
//===----------------------------------------------------------------------===//

uint64_t splitmix64(uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Lists of interesting values by name.
const std::vector<uint64_t> &getTable(const std::string &name) {
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

uint64_t getElement(const Argument &argument, uint64_t i) {
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
    return encode(std::ldexp(value, argument.log2 + 1 - digits), type);
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

std::vector<uint8_t> fillBuffer(const Argument &argument) {
  unsigned size = getBits(argument.type) / 8;
  std::vector<uint8_t> data(argument.count * size);
  for (uint64_t i = 0; i != argument.count; ++i) {
    uint64_t value = getElement(argument, i);
    for (unsigned b = 0; b != size; ++b)
      data[i * size + b] = static_cast<uint8_t>(value >> (8 * b));
  }
  return data;
}

uint64_t readElement(llvm::ArrayRef<uint8_t> data, llvm::StringRef type,
                     uint64_t i) {
  unsigned size = getBits(type) / 8;
  uint64_t value = 0;
  for (unsigned b = 0; b != size; ++b)
    value |= uint64_t{data[i * size + b]} << (8 * b);
  return value;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// FNV-1a, 64 bits.
uint64_t hashBytes(llvm::ArrayRef<uint8_t> data) {
  uint64_t h = 0xcbf29ce484222325;
  for (uint8_t byte : data)
    h = (h ^ byte) * 0x100000001b3;
  return h;
}

/// One NaN for all.
void canonicalize(std::vector<uint8_t> &data, llvm::StringRef type) {
  unsigned size = getBits(type) / 8;
  for (uint64_t i = 0; i != data.size() / size; ++i)
    if (isNaN(readElement(data, type, i), type))
      for (unsigned b = 0; b != size; ++b)
        data[i * size + b] = b + 1 == size ? 0x7f : 0xff;
}

/// `// row 12: add.sat.s32` in an entry: the names of what it writes.
std::vector<std::string> findRowNames(llvm::StringRef ptx,
                                      llvm::StringRef entry) {
  std::map<unsigned, std::string> rows;
  size_t at = ptx.find((".entry " + entry + "(").str());
  llvm::StringRef body = ptx.drop_front(at);
  body = body.drop_front(strlen(".entry "));
  body = body.take_front(body.find(".entry "));
  while (!body.empty()) {
    llvm::StringRef line;
    std::tie(line, body) = body.split('\n');
    line = line.trim();
    unsigned number;
    if (line.consume_front("// row ") && !line.consumeInteger(10, number) &&
        line.consume_front(": "))
      rows[number] = line.str();
  }
  std::vector<std::string> names;
  if (!rows.empty())
    names.resize(rows.rbegin()->first - rows.begin()->first + 1);
  for (const auto &[number, name] : rows)
    names[number - rows.begin()->first] = name;
  return names;
}

struct LoadedModule {
  std::string ptx;
  Emulator emulator;
  std::unique_ptr<Module> module;
  std::string error;
};

/// A file's module; loaded once.
LoadedModule &getModule(const std::string &file) {
  static std::map<std::string, std::unique_ptr<LoadedModule>> modules;
  std::unique_ptr<LoadedModule> &loaded = modules[file];
  if (loaded)
    return *loaded;
  loaded = std::make_unique<LoadedModule>();
  loaded->ptx = readFile(directory + llvm::Twine("/") + file + ".ptx");
  if (auto module = loaded->emulator.load(loaded->ptx))
    loaded->module = std::move(*module);
  else
    loaded->error = llvm::toString(module.takeError());
  return *loaded;
}

class ReferenceTest : public testing::TestWithParam<ReferenceLaunch> {
protected:
  void SetUp() override {
    loaded = &getModule(GetParam().file);
    ASSERT_TRUE(loaded->module) << loaded->error;
    rowNames = findRowNames(loaded->ptx, GetParam().entry);
    arguments = GetParam().arguments;
    for (Argument &argument : arguments) {
      if (argument.rowLength && !argument.count)
        argument.count =
            argument.rowLength * std::max<uint64_t>(rowNames.size(), 1);
      if (argument.bytes.empty())
        inputs.push_back(fillBuffer(argument));
      else
        inputs.emplace_back();
    }
  }

  void run(const LaunchOptions &options);
  void compare(llvm::ArrayRef<std::vector<uint8_t>> outputs);
  void compareValues(const Argument &argument, llvm::ArrayRef<uint8_t> got,
                     llvm::ArrayRef<uint8_t> expected);
  std::string describeElement(const Argument &argument, uint64_t i) const;

  LoadedModule *loaded = nullptr;
  std::vector<std::string> rowNames;
  std::vector<Argument> arguments;
  std::vector<std::vector<uint8_t>> inputs; ///< Of each argument.
};

void ReferenceTest::run(const LaunchOptions &options) {
  const KernelCode *kernel = loaded->module->find(GetParam().entry);
  ASSERT_TRUE(kernel);
  Emulator &emulator = loaded->emulator;
  Launch launch;
  launch.grid = GetParam().grid;
  launch.block = GetParam().block;
  launch.cluster = GetParam().cluster;
  launch.sharedMemory = GetParam().sharedMemory;
  std::vector<uint64_t> addresses;
  for (auto [argument, data] : llvm::zip_equal(arguments, inputs)) {
    if (!argument.bytes.empty()) {
      launch.arguments.push_back(argument.bytes);
      continue;
    }
    llvm::Expected<uint64_t> address =
        emulator.allocate(data.size(), argument.name);
    ASSERT_TRUE(bool(address)) << llvm::toString(address.takeError());
    addresses.push_back(*address);
    llvm::cantFail(emulator.write(*address, data.data(), data.size()));
    if (!argument.isOutput)
      llvm::cantFail(emulator.setWritable(*address, false));
    std::vector<uint8_t> bytes(8);
    llvm::support::endian::write64le(bytes.data(), *address);
    launch.arguments.push_back(std::move(bytes));
  }
  for (unsigned k = 0; k != GetParam().repeat; ++k) {
    llvm::Expected<LaunchResult> result =
        emulator.launch(*kernel, launch, options);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      break;
    }
    // These kernels have no defects.
    for (const Finding &finding :
         llvm::ArrayRef(result->findings).take_front(3))
      ADD_FAILURE() << toString(finding);
    EXPECT_GT(result->instructions, 0u);
  }
  std::vector<std::vector<uint8_t>> outputs;
  unsigned at = 0;
  for (auto [argument, data] : llvm::zip_equal(arguments, inputs)) {
    if (!argument.bytes.empty())
      continue;
    uint64_t address = addresses[at++];
    if (argument.isOutput) {
      std::vector<uint8_t> output(data.size());
      llvm::cantFail(emulator.read(output.data(), address, output.size()));
      outputs.push_back(std::move(output));
    }
    llvm::cantFail(emulator.free(address));
  }
  if (!HasFatalFailure())
    compare(outputs);
}

std::string ReferenceTest::describeElement(const Argument &argument,
                                           uint64_t i) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  uint64_t length = argument.rowLength ? argument.rowLength : argument.count;
  os << argument.name << " row " << i / length;
  if (i / length < rowNames.size())
    os << " (" << rowNames[i / length] << ")";
  os << " element " << i % length;
  if (rowNames.empty())
    return text;
  // A row's elements belong to those of the inputs, or to several at once.
  for (auto [input, data] : llvm::zip_equal(arguments, inputs)) {
    if (data.empty() || input.isOutput || input.count % length)
      continue;
    uint64_t each = input.count / length;
    for (uint64_t k = 0; k != each; ++k)
      os << ' ' << input.name << '='
         << llvm::format_hex(
                readElement(data, input.type, i % length * each + k),
                getBits(input.type) / 4 + 2);
  }
  return text;
}

void ReferenceTest::compareValues(const Argument &argument,
                                  llvm::ArrayRef<uint8_t> got,
                                  llvm::ArrayRef<uint8_t> expected) {
  llvm::StringRef type = argument.type;
  uint64_t length = argument.rowLength ? argument.rowLength : argument.count;
  bool isFloat = getSemantics(type);
  unsigned badRows = 0;
  for (uint64_t row = 0; row != argument.count / length; ++row) {
    uint64_t bad = 0, first = 0;
    for (uint64_t i = row * length; i != (row + 1) * length; ++i) {
      uint64_t g = readElement(got, type, i),
               e = readElement(expected, type, i);
      if (g == e)
        continue;
      if (isFloat && argument.anyNaN && isNaN(g, type) && isNaN(e, type))
        continue;
      if (argument.tolerance) {
        double x = decode(g, type), y = decode(e, type);
        double error = std::fabs(x - y);
        if (x == y || error <= argument.tolerance->absolute ||
            error <= argument.tolerance->relative * std::fabs(y))
          continue;
      }
      if (!bad++)
        first = i;
    }
    if (!bad || ++badRows > 16)
      continue;
    uint64_t g = readElement(got, type, first),
             e = readElement(expected, type, first);
    std::string values = llvm::formatv("got {0:x}, expected {1:x}", g, e).str();
    if (isFloat)
      values += llvm::formatv(" ({0}, {1})", decode(g, type), decode(e, type));
    ADD_FAILURE() << describeElement(argument, first) << ": " << values << "; "
                  << bad << " of the row's " << length << " differ";
  }
  if (badRows > 16)
    ADD_FAILURE() << badRows << " rows differ";
}

void ReferenceTest::compare(llvm::ArrayRef<std::vector<uint8_t>> outputs) {
  // With all of the recorder's --values at hand, hashes are not needed.
  std::string base = directory + std::string("/expected/") + GetParam().name;
  std::string path = base + ".bin";
  if (const char *values = std::getenv("TCGEMM_REFERENCE_VALUES"))
    path = std::string(values) + "/" + GetParam().name + ".bin";
  bool isHashed = !llvm::sys::fs::exists(path);
  std::string expected = readFile(isHashed ? base + ".hash" : path);
  llvm::ArrayRef<uint8_t> left(
      reinterpret_cast<const uint8_t *>(expected.data()), expected.size());
  unsigned k = 0;
  for (const Argument &argument : arguments) {
    if (!argument.isOutput)
      continue;
    llvm::ArrayRef<uint8_t> output = outputs[k++];
    if (!isHashed) {
      ASSERT_GE(left.size(), output.size());
      compareValues(argument, output, left.take_front(output.size()));
      left = left.drop_front(output.size());
      continue;
    }
    std::vector<uint8_t> values = output.vec();
    if (argument.anyNaN)
      canonicalize(values, argument.type);
    llvm::ArrayRef<uint8_t> canonical = values;
    uint64_t length = argument.rowLength ? argument.rowLength : argument.count;
    uint64_t size = length * getBits(argument.type) / 8;
    for (uint64_t row = 0; row != argument.count / length; ++row) {
      ASSERT_GE(left.size(), 8u);
      uint64_t hash = llvm::support::endian::read64le(left.data());
      left = left.drop_front(8);
      if (hashBytes(canonical.slice(row * size, size)) != hash)
        ADD_FAILURE() << argument.name << " row " << row << " ("
                      << (row < rowNames.size() ? rowNames[row] : "")
                      << ") differs";
    }
  }
  EXPECT_TRUE(left.empty());
}

TEST_P(ReferenceTest, Checked) {
  LaunchOptions options;
  options.profile = true;
  run(options);
}

TEST_P(ReferenceTest, Unchecked) {
  LaunchOptions options;
  options.checks = Checks::none();
  run(options);
}

INSTANTIATE_TEST_SUITE_P(
    Gpu, ReferenceTest, testing::ValuesIn(readLaunches()),
    [](const testing::TestParamInfo<ReferenceLaunch> &info) {
      return info.param.name;
    });

} // namespace
