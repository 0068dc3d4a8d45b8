//===- PlannerGemv.cpp - The plan of the gemv schedule -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program takes any K: only the starts of rows must be aligned to its
// loads. Packing costs more than the product, and is for what no load reads.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;
using namespace tcgemm;
using llvm::formatv;

void Planner::addGemvVariant(StringRef variantName, StringRef guard,
                             ProgramOp program, const KernelConfig &c,
                             ArrayRef<unsigned> packed) {
  Bindings bindings;
  SmallVector<StepAttr> steps;
  std::string workspace = pack(packed, steps, bindings);
  // An operand that is not packed has no zeros behind K.
  bindings.erase("i32 K");
  addSteps(
      variantName, guard, program,
      formatv("batch * ceildiv(M, {0}) * ceildiv(N, {1})", c.cta[0], c.cta[1])
          .str(),
      c, workspace, bindings, steps);
}

void Planner::addGemv() {
  ProgramOp main = buildGemvProgram(kernel, module, config, name("main"));
  std::string a = alignment(0, config.copyA), b = alignment(1, config.copyB);
  addGemvVariant("aligned", a + " && " + b, main, config, {});
  int64_t bytes = getUnalignedBytes(config.unaligned);
  if (bytes && bytes < std::max(config.copyA, config.copyB)) {
    KernelConfig narrow = config;
    narrow.copyA = narrow.copyB = bytes;
    // The variant has the value's name: `copy_8`.
    std::string variantName = config.get("unaligned");
    addGemvVariant(variantName,
                   alignment(0, bytes) + " && " + alignment(1, bytes),
                   buildGemvProgram(kernel, module, narrow, name(variantName)),
                   narrow, {});
  }
  addGemvVariant("pack_b", a, main, config, {1});
  addGemvVariant("pack_a", b, main, config, {0});
  addGemvVariant("pack_ab", "1", main, config, {0, 1});
}
