//===- ReferenceTest.cpp - The emulator against a GPU ---------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the kernels of reference/, compiled by nvcc, and compares their results
// with those of an H200 (see reference/README.md). Results must be equal bit by
// bit. A launch has a tolerance if PTX specifies a function or a sum only
// approximately.
//
//===----------------------------------------------------------------------===//

#include "ReferenceInputs.h"
#include "tcgemm/Emulator/Emulator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <map>

using namespace reference;
using namespace tcgemm::emu;

namespace {

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

/// Replaces every NaN by one NaN.
void canonicalize(std::vector<uint8_t> &data, llvm::StringRef type) {
  unsigned size = getBits(type) / 8;
  for (uint64_t i = 0; i != data.size() / size; ++i)
    if (isNaN(readElement(data, type, i), type))
      for (unsigned b = 0; b != size; ++b)
        data[i * size + b] = b + 1 == size ? 0x7f : 0xff;
}

/// The names of the rows that an entry writes, by its comments
/// `// row 12: add.sat.s32`.
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

/// The module of a file. It is loaded once.
LoadedModule &getModule(const std::string &file) {
  static std::map<std::string, std::unique_ptr<LoadedModule>> modules;
  std::unique_ptr<LoadedModule> &loaded = modules[file];
  if (loaded)
    return *loaded;
  loaded = std::make_unique<LoadedModule>();
  loaded->ptx = readFile(generated + llvm::Twine("/") + file + ".ptx");
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
  std::vector<std::vector<uint8_t>> inputs; ///< Bytes of each argument.
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
  // With the recorder's --values no hashes are needed.
  std::string base = generated + std::string("/expected/") + GetParam().name;
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
