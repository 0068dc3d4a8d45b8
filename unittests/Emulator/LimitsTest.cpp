//===- LimitsTest.cpp - More than the host or the emulator has ------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Memory.h"
#include "RunPtx.h"

using namespace tcgemm::emu;

namespace {

/// The error; empty: there was none.
std::string tryAllocate(Emulator &emulator, uint64_t bytes,
                        uint64_t *address = nullptr) {
  auto result = emulator.allocate(bytes, "x");
  if (!result)
    return llvm::toString(result.takeError());
  if (address)
    *address = *result;
  return "";
}

TEST(LimitsTest, AllocationsBeyondTheHost) {
  uint64_t host = getHostMemory();
  if (host > uint64_t(1) << 39)
    GTEST_SKIP() << "the emulated addresses end before the host's memory";
  Emulator emulator;
  EXPECT_NE(tryAllocate(emulator, host / 2 + 4096).find("the host has"),
            std::string::npos);
  // Each byte needs two bytes: one is the flag.
  uint64_t first = 0;
  EXPECT_EQ(tryAllocate(emulator, host * 3 / 8, &first), "");
  EXPECT_NE(tryAllocate(emulator, host * 3 / 8).find("the host has"),
            std::string::npos);
  llvm::cantFail(emulator.free(first));
  EXPECT_EQ(tryAllocate(emulator, host * 3 / 8), "");
}

TEST(LimitsTest, AllocationsBeyondTheAddresses) {
  Emulator emulator;
  for (uint64_t bytes : {uint64_t(1) << 40, ~uint64_t(0), ~uint64_t(0) / 2})
    EXPECT_NE(tryAllocate(emulator, bytes).find("cannot allocate"),
              std::string::npos);
}

/// Calls itself with `registers` registers, until it is stopped.
std::string runRecursion(unsigned registers) {
  std::string text = ".version 8.7\n.target sm_90a\n.address_size 64\n"
                     ".func f() { .reg .b64 %rd<" +
                     std::to_string(registers) +
                     ">;\ncall f, (); ret; }\n"
                     ".visible .entry test() { call f, (); ret; }\n";
  Emulator emulator;
  auto module = emulator.load(text);
  if (!module)
    return llvm::toString(module.takeError());
  auto result = emulator.launch(*(*module)->find("test"), Launch(), {});
  return result ? result->failure : llvm::toString(result.takeError());
}

TEST(LimitsTest, Recursion) {
  EXPECT_NE(runRecursion(4).find("calls 513 deep"), std::string::npos)
      << runRecursion(4);
  EXPECT_NE(runRecursion(100000).find("bytes of registers; at most 268435456"),
            std::string::npos)
      << runRecursion(100000);
  EXPECT_NE(runRecursion(500000).find("take more than 67108864 bytes"),
            std::string::npos)
      << runRecursion(500000);
}

} // namespace
