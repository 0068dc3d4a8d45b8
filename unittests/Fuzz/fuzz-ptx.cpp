//===- fuzz-ptx.cpp - Fuzzes the emulator's reader, decoder and execution -===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Emulator/CheckTree.h"
#include "Fuzz.h"

#include "tcgemm/Emulator/Emulator.h"
#include "tcgemm/Target/EmulatedTensorMap.h"

using namespace tcgemm;
using namespace tcgemm::fuzz;

/// Any text is either read, or refused with a line.
static std::unique_ptr<ptx::Module> readModule(llvm::StringRef text) {
  llvm::Expected<std::unique_ptr<ptx::Module>> module = ptx::parse(text);
  if (module)
    return std::move(*module);
  std::string message = llvm::toString(module.takeError());
  llvm::StringRef rest = message;
  unsigned line = 0;
  require(rest.consume_front("line ") && !rest.consumeInteger(10, line) &&
              line != 0 && rest.starts_with(": "),
          "an error without its line: " + message);
  return nullptr;
}

/// Bytes of an argument: the address of a buffer whose second half is
/// uninitialised, a tensor map of such a buffer, or a small number.
static std::vector<uint8_t> makeArgument(emu::Emulator &emulator,
                                         const ptx::Variable &parameter) {
  constexpr uint64_t kBuffer = 1 << 12;
  std::vector<uint8_t> bytes(parameter.bytes);
  bool isMap = bytes.size() == sizeof(TensorMapImage);
  if (bytes.size() != sizeof(uint64_t) && !isMap) {
    if (!bytes.empty())
      bytes[0] = 3;
    return bytes;
  }
  uint64_t address = acceptAgain(emulator.allocate(kBuffer), "a buffer");
  const std::vector<uint8_t> contents(kBuffer / 2, 0x3c);
  if (llvm::Error error =
          emulator.write(address, contents.data(), contents.size()))
    fail(llvm::toString(std::move(error)));
  if (!isMap) {
    memcpy(bytes.data(), &address, sizeof(address));
    return bytes;
  }
  TensorMapDescription map;
  map.base = address;
  map.dims = {16, 8};
  map.strides = {32};
  map.box = {8, 8};
  TensorMapImage image =
      acceptAgain(encodeEmulatedTensorMap(map), "a tensor map");
  memcpy(bytes.data(), image.data(), image.size());
  return bytes;
}

/// Runs an entry in two clusters of blocks, for a few instructions.
static void run(emu::Emulator &emulator, const emu::Module &code,
                const ptx::Function &function) {
  constexpr uint64_t kMaxParameters = 1 << 12;
  const emu::KernelCode *kernel = code.find(function.name);
  require(kernel, "an entry that was read has no code");
  emu::Launch launch;
  launch.block = {33, 1, 1};
  if (function.requiredThreads[0] != 0)
    launch.block = function.requiredThreads;
  if (function.requiredCluster[0] != 0)
    launch.cluster = function.requiredCluster;
  launch.grid = {2 * std::min(launch.cluster[0], 1U << 20), launch.cluster[1],
                 launch.cluster[2]};
  launch.sharedMemory = 1024;
  uint64_t bytes = 0;
  for (const ptx::Variable &parameter : function.params) {
    bytes += parameter.bytes;
    if (bytes > kMaxParameters || launch.arguments.size() == 16)
      return;
    launch.arguments.push_back(makeArgument(emulator, parameter));
  }
  emu::LaunchOptions options;
  options.threads = 1;
  options.maxInstructions = 2000;
  options.profile = true;
  auto result = accept(emulator.launch(*kernel, launch, options));
  if (!result)
    return;
  for (const emu::Finding &finding : result->findings)
    require(!toString(finding).empty(), "a finding without text");
}

/// Large modules are slow under the sanitizers, and no different.
static void execute(const ptx::Module &module) {
  if (module.text.size() > 1 << 14)
    return;
  emu::Emulator emulator;
  auto code = accept(emulator.load(module.text));
  if (!code)
    return;
  unsigned left = 3;
  for (const ptx::Function &function : module.functions)
    if (function.isEntry && function.isDefinition && left-- != 0)
      run(emulator, **code, function);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::unique_ptr<ptx::Module> module = readModule(getText(data, size));
  if (!module)
    return 0;
  if (const char *problem = ptx::TreeChecker(*module).check())
    fail(llvm::Twine("the tree is wrong: ") + problem);
  execute(*module);
  return 0;
}
