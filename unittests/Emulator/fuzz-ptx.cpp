//===- fuzz-ptx.cpp - Fuzzes the reader and decoder of PTX ----------------===//
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
//
//===----------------------------------------------------------------------===//

#include "CheckTree.h"

#include "tcgemm/Emulator/Emulator.h"

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

/// Decoding takes a module of its own. Small ones only: what is large is slow
/// under the sanitizers, and no different.
static void decode(const ptx::Module &module) {
  if (module.text.size() > 1 << 14)
    return;
  emu::Emulator emulator;
  auto loaded = emulator.load(module.text);
  if (!loaded)
    llvm::consumeError(loaded.takeError());
}

/// What is done with each module that was read, in this order: add here what
/// takes the syntax tree, such as a decoder.
static constexpr void (*kStages[])(const ptx::Module &) = {checkTree, decode};

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
