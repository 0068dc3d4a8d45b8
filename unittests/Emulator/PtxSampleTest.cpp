//===- PtxSampleTest.cpp - Tests of PTX from compilers --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs/ has output of tcgemm-opt, nvcc 13.0 and llc 22, shortened by omitting
// instructions and lines of debug sections.
//
//===----------------------------------------------------------------------===//

#include "TestPtx.h"

#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace tcgemm::ptx;

namespace {

std::unique_ptr<Module> readSample(llvm::StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(
      (TCGEMM_SOURCE_DIR "/unittests/Emulator/Inputs/" + name).str());
  if (!buffer) {
    ADD_FAILURE() << "cannot read " << name.str();
    return nullptr;
  }
  return readAll((*buffer)->getBuffer());
}

unsigned count(const Function &function, llvm::StringRef opcode) {
  return llvm::count_if(function.instructions, [&](const Instruction &each) {
    return each.opcode == opcode;
  });
}

TEST(PtxSample, Tcgemm) {
  std::unique_ptr<Module> module = readSample("tcgemm-matmul.ptx");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->target, "sm_90");
  ASSERT_EQ(module->variables.size(), 1u);
  EXPECT_TRUE(module->variables[0].isExtern);
  EXPECT_EQ(module->variables[0].align, 1024u);
  const Function *kernel = module->findFunction("f_0_main");
  ASSERT_TRUE(kernel);
  EXPECT_NE(kernel->maxThreads[0], 0u);
  EXPECT_EQ(count(*kernel, "mma"), 4u);
  EXPECT_EQ(count(*kernel, "ldmatrix"), 6u);
  for (const Instruction &each : kernel->instructions)
    if (each.opcode == "mma")
      EXPECT_EQ(each.operands.size(), 4u);
}

TEST(PtxSample, NvccCalls) {
  std::unique_ptr<Module> module = readSample("nvcc-calls.ptx");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->versionMajor, 9u);
  EXPECT_FALSE(module->findFunction("vprintf")->isDefinition);
  const Function &kernel = *module->findFunction("_Z1kP6float4i1S");
  EXPECT_EQ(kernel.params.size(), 3u);
  // Each call sequence has its own param0.
  std::set<uint32_t> params;
  for (const Instruction &each : kernel.instructions)
    if (each.opcode == "call")
      params.insert(each.operands[2].elements[0].index);
  EXPECT_EQ(params.size(), count(kernel, "call"));
  ASSERT_EQ(kernel.branchTables.size(), 1u);
  auto table = llvm::find_if(module->variables, [](const Variable &each) {
    return each.name == "fps";
  });
  ASSERT_EQ(table->relocations.size(), 2u);
  EXPECT_EQ(table->relocations[1].at, 8u);
  EXPECT_EQ(table->relocations[1].symbol, "_Z2f2i");
}

TEST(PtxSample, NvccHopper) {
  std::unique_ptr<Module> module = readSample("nvcc-hopper.ptx");
  ASSERT_TRUE(module);
  const Function &kernel = module->functions.back();
  EXPECT_EQ(kernel.requiredCluster, (std::array<uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(kernel.params[0].bytes, 128u);
  EXPECT_EQ(kernel.params[0].align, 64u);
  EXPECT_EQ(count(kernel, "wgmma"), 4u);
  for (const Instruction &each : kernel.instructions)
    if (each.opcode == "cp") {
      ASSERT_EQ(each.operands.size(), 3u);
      EXPECT_EQ(each.operands[1].elements[1].elements.size(), 2u);
    }
}

TEST(PtxSample, NvccDebug) {
  for (const char *name : {"nvcc-debug.ptx", "nvcc-lineinfo.ptx"}) {
    std::unique_ptr<Module> module = readSample(name);
    ASSERT_TRUE(module);
    EXPECT_TRUE(module->findFunction("_Z1kPii")->isDefinition);
  }
}

TEST(PtxSample, LLVMCalls) {
  std::unique_ptr<Module> module = readSample("llc-calls.ptx");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->findFunction("al"), module->findFunction("f"));
  const Function &indirect = *module->findFunction("indirect");
  ASSERT_EQ(indirect.branchTables.size(), 2u);
  EXPECT_EQ(indirect.branchTables[1].targets.size(), 5u);
  auto packed = llvm::find_if(module->variables, [](const Variable &each) {
    return each.name == "packed";
  });
  ASSERT_EQ(packed->relocations.size(), 8u);
  EXPECT_EQ(packed->relocations[7].shift, 56u);
  EXPECT_TRUE(packed->relocations[7].isGeneric);
  // Two copies of inline assembly with the same label.
  const Function &kernel = *module->findFunction("k");
  ASSERT_EQ(kernel.labels.size(), 2u);
  EXPECT_EQ(kernel.labels[0].name, "DONE");
  EXPECT_EQ(kernel.labels[1].name, "DONE#2");
}

} // namespace
