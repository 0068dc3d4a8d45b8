//===- Plan.cpp - The plan of the gemv schedule ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program supports any K: only the starts of rows must be aligned to its
// loads. Packing is slower than the product, and is used only if loads cannot
// read an operand.
//
//===----------------------------------------------------------------------===//

#include "Gemv/Family.h"

using namespace mlir;
using namespace tcgemm;

static void addVariant(PlanBuilder &plan, StringRef name,
                       const Conditions &guard, ProgramOp program,
                       const KernelConfig &c, ArrayRef<unsigned> packed) {
  if (!plan.canRead(packed))
    return;
  VariantDraft draft = plan.start(name, guard, c, packed);
  // Elements that share a byte are multiplied together.
  for (unsigned operand : {0, 1})
    llvm::append_range(draft.guard, plan.getWholeBytes(operand));
  // An operand that is not packed has no zeros after K.
  draft.bindings.erase(Argument::i32(getSizeSymbol('k')));
  plan.finish(std::move(draft), program,
              product({getProductCount(plan.getKernel()),
                       countTiles(getSizeSymbol('m'), c.cta[0]),
                       countTiles(getSizeSymbol('n'), c.cta[1])}));
}

void tcgemm::planGemv(PlanBuilder &plan) {
  const KernelConfig &config = plan.getConfig();
  auto build = [&](const KernelConfig &c, StringRef suffix) {
    return buildGemvProgram(plan.getKernel(), plan.getModule(), c,
                            plan.getName(suffix));
  };
  ProgramOp main = build(config, "main");
  addVariant(plan, "aligned", plan.getAlignments(config.copyA, config.copyB),
             main, config, {});
  int64_t bytesA = getUnalignedBytes(config.unaligned, plan.getProblem(), 0);
  int64_t bytesB = getUnalignedBytes(config.unaligned, plan.getProblem(), 1);
  if (bytesA && (bytesA < config.copyA || bytesB < config.copyB)) {
    KernelConfig narrow = config;
    narrow.copyA = bytesA;
    narrow.copyB = bytesB;
    // The value is the name of the variant: `copy_8`.
    std::string name = config.get("unaligned");
    addVariant(plan, name, plan.getAlignments(bytesA, bytesB),
               build(narrow, name), narrow, {});
  }
  addVariant(plan, "pack_b", plan.getAlignment(0, config.copyA), main, config,
             {1});
  addVariant(plan, "pack_a", plan.getAlignment(1, config.copyB), main, config,
             {0});
  addVariant(plan, "pack_ab", {}, main, config, {0, 1});
}
