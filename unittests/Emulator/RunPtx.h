//===- RunPtx.h - Runs pieces of PTX in tests -------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_RUNPTX_H
#define TCGEMM_UNITTESTS_RUNPTX_H

#include "tcgemm/Emulator/Emulator.h"

#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

namespace tcgemm::emu {

/// An entry `test` with parameters p0, p1 … of 64 bits.
inline std::string makeEntry(unsigned params, const std::string &body) {
  std::string text = ".version 8.7\n.target sm_90a\n.address_size 64\n"
                     ".visible .entry test(";
  for (unsigned i = 0; i != params; ++i)
    text += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
  return text + ") {\n" + body + "ret;\n}\n";
}

/// Why the emulator does not take the PTX's kernel `test`; empty: it does.
inline std::string getSupportError(const std::string &ptx) {
  Emulator emulator;
  auto module = emulator.load(ptx);
  if (!module)
    return llvm::toString(module.takeError());
  return llvm::toString(checkSupport(*(*module)->find("test")));
}

/// Runs `test` with the inputs' addresses and then the output's; the findings.
inline std::vector<Finding>
runPtx(const std::string &ptx,
       const std::vector<const std::vector<uint32_t> *> &inputs,
       std::vector<uint32_t> &output, unsigned threads = 32,
       unsigned blocks = 1, unsigned hostThreads = 0) {
  Emulator emulator;
  auto module = emulator.load(ptx);
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError()) << "\n" << ptx;
    return {};
  }
  Launch launch;
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  auto add = [&](const std::vector<uint32_t> &words) {
    uint64_t address = llvm::cantFail(emulator.allocate(words.size() * 4));
    llvm::cantFail(emulator.write(address, words.data(), words.size() * 4));
    std::vector<uint8_t> bytes(8);
    memcpy(bytes.data(), &address, 8);
    launch.arguments.push_back(bytes);
    return address;
  };
  for (const std::vector<uint32_t> *input : inputs)
    add(*input);
  uint64_t result = add(output);
  LaunchOptions options;
  options.threads = hostThreads;
  auto launched = emulator.launch(*(*module)->find("test"), launch, options);
  if (!launched) {
    ADD_FAILURE() << llvm::toString(launched.takeError()) << "\n" << ptx;
    return {};
  }
  llvm::cantFail(emulator.read(output.data(), result, output.size() * 4));
  return launched->findings;
}

} // namespace tcgemm::emu

#endif // TCGEMM_UNITTESTS_RUNPTX_H
