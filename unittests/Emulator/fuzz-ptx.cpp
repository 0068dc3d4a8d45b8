//===- fuzz-ptx.cpp - Fuzzes the reader of PTX and its execution ----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built by the CMake option TCGEMM_FUZZ; needs libclang-rt-22-dev. To run:
//
//   mkdir corpus
//   export ASAN_OPTIONS=detect_container_overflow=0
//   build/release/unittests/bin/fuzz-ptx -dict=unittests/Emulator/ptx.dict
//     -max_total_time=600 -timeout=5 corpus unittests/Emulator/Inputs
//     unittests/Emulator/Checkers
//
//===----------------------------------------------------------------------===//

#include "CheckTree.h"

#include "tcgemm/Emulator/Emulator.h"
#include "tcgemm/Target/EmulatedTensorMap.h"

#include "llvm/Support/raw_ostream.h"

using namespace tcgemm;

/// Any text is either read, or refused with a line.
static std::unique_ptr<ptx::Module> readModule(llvm::StringRef text) {
  llvm::Expected<std::unique_ptr<ptx::Module>> module = ptx::parse(text);
  if (module)
    return std::move(*module);
  std::string message = llvm::toString(module.takeError());
  llvm::StringRef rest = message;
  unsigned line = 0;
  if (!rest.consume_front("line ") || rest.consumeInteger(10, line) ||
      line == 0 || !rest.starts_with(": ")) {
    llvm::errs() << "an error without its line: " << message << "\n";
    abort();
  }
  return nullptr;
}

static void checkTree(const ptx::Module &module) {
  if (const char *problem = ptx::TreeChecker(module).check()) {
    llvm::errs() << "the tree is wrong: " << problem << "\n";
    abort();
  }
}

/// Bytes of an argument: the address of a buffer, a tensor map or a small
/// number.
static std::vector<uint8_t> makeArgument(emu::Emulator &emulator,
                                         uint64_t bytes) {
  std::vector<uint8_t> argument(bytes, 0);
  if (argument.empty())
    return argument;
  argument[0] = 5;
  constexpr uint64_t kBufferBytes = 300;
  if (bytes != sizeof(uint64_t) && bytes != sizeof(TensorMapImage))
    return argument;
  auto address = emulator.allocate(kBufferBytes);
  if (!address) {
    llvm::consumeError(address.takeError());
    return argument;
  }
  const std::vector<uint8_t> contents(kBufferBytes / 2, 1);
  llvm::cantFail(emulator.write(*address, contents.data(), contents.size()));
  if (bytes == sizeof(uint64_t)) {
    memcpy(argument.data(), &*address, sizeof(uint64_t));
    return argument;
  }
  TensorMapDescription map;
  map.base = *address;
  map.dims = {16, 8};
  map.strides = {32};
  map.box = {8, 8};
  TensorMapImage image = llvm::cantFail(encodeEmulatedTensorMap(map));
  memcpy(argument.data(), image.data(), image.size());
  return argument;
}

static void runKernel(emu::Emulator &emulator, const emu::Module &module,
                      const ptx::Function &function) {
  const emu::KernelCode *kernel = module.find(function.name);
  if (!kernel)
    return;
  emu::Launch launch;
  launch.block = {33, 1, 1};
  for (unsigned i = 0; i != 3; ++i) {
    if (function.requiredThreads[0])
      launch.block[i] = std::max(1u, function.requiredThreads[i]);
    if (function.requiredCluster[0])
      launch.cluster[i] = std::max(1u, function.requiredCluster[i]);
  }
  launch.grid = launch.cluster;
  launch.grid[0] = std::min(launch.grid[0], 16u) * 2;
  launch.sharedMemory = 1024;
  for (const ptx::Variable &param : function.params)
    launch.arguments.push_back(makeArgument(emulator, param.bytes));
  emu::LaunchOptions options;
  options.threads = 1;
  options.profile = true;
  options.maxInstructions = 20000;
  auto result = emulator.launch(*kernel, launch, options);
  if (!result)
    return llvm::consumeError(result.takeError());
  for (const emu::Finding &finding : result->findings)
    (void)toString(finding);
}

/// Decoding and running take a module of their own. Small ones only: what is
/// large is slow under the sanitizers, and no different.
static void execute(const ptx::Module &module) {
  if (module.text.size() > 1 << 14)
    return;
  emu::Emulator emulator;
  auto loaded = emulator.load(module.text);
  if (!loaded)
    return llvm::consumeError(loaded.takeError());
  for (const ptx::Function &function : module.functions)
    if (function.isEntry && function.isDefinition)
      runKernel(emulator, **loaded, function);
}

/// What is done with each module that was read, in this order: add here what
/// takes the syntax tree, such as a decoder.
static constexpr void (*kStages[])(const ptx::Module &) = {checkTree, execute};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  std::unique_ptr<ptx::Module> module = readModule(text);
  if (!module)
    return 0;
  for (auto *stage : kStages)
    stage(*module);
  return 0;
}
