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

void Planner::addGemvVariant(StringRef variantName, const Conditions &guard,
                             ProgramOp program, const KernelConfig &c,
                             ArrayRef<unsigned> packed) {
  Bindings bindings(context);
  SmallVector<StepAttr> steps;
  Expr workspace = pack(packed, steps, bindings);
  // An operand that is not packed has no zeros behind K.
  bindings.erase(Argument::i32(getSizeSymbol('k')));
  Expr grid =
      product({getSizeSymbol('b'), countTiles(getSizeSymbol('m'), c.cta[0]),
               countTiles(getSizeSymbol('n'), c.cta[1])});
  addSteps(variantName, guard, program, grid, c, workspace, bindings, steps);
}

void Planner::addGemv() {
  ProgramOp main = buildGemvProgram(kernel, module, config, name("main"));
  addGemvVariant("aligned", bothAligned(config.copyA, config.copyB), main,
                 config, {});
  int64_t bytes = getUnalignedBytes(config.unaligned);
  if (bytes && bytes < std::max(config.copyA, config.copyB)) {
    KernelConfig narrow = config;
    narrow.copyA = narrow.copyB = bytes;
    // The variant has the value's name: `copy_8`.
    std::string variantName = config.get("unaligned");
    addGemvVariant(variantName, bothAligned(bytes, bytes),
                   buildGemvProgram(kernel, module, narrow, name(variantName)),
                   narrow, {});
  }
  addGemvVariant("pack_b", alignment(0, config.copyA), main, config, {1});
  addGemvVariant("pack_a", alignment(1, config.copyB), main, config, {0});
  addGemvVariant("pack_ab", {}, main, config, {0, 1});
}
