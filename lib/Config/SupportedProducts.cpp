//===- SupportedProducts.cpp - Types that schedules multiply --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/SupportedProducts.h"

#include "tcgemm/Config/ScheduleFamily.h"

using namespace llvm;

namespace tcgemm {

/// Returns whether the default parameters of `family` break none of `rules`.
static bool satisfies(const ScheduleFamily &family, const ChipInfo &chip,
                      const ProblemInfo &problem, ArrayRef<StringRef> rules) {
  KernelConfig config;
  config.schedule = family.getSchedule();
  family.completeInstruction(config);
  return none_of(
      family.findViolations(config, chip, problem, ViolationDetail::Rules),
      [&](const Violation &violation) {
        return is_contained(rules, violation.rule);
      });
}

static ChipSupport getSupport(const ScheduleFamily &family,
                              const ChipInfo &chip,
                              const ProblemInfo &problem) {
  if (!satisfies(family, chip, problem, {"chip", "element-type"}))
    return ChipSupport::None;
  const MatrixInstruction *first =
      problem.findInstruction(family.getInstructionKind());
  const MatrixInstruction *widest = first ? findWidest(*first, chip) : nullptr;
  return widest && isEmulated(*widest, chip) ? ChipSupport::Emulated
                                             : ChipSupport::Native;
}

/// How `family` takes operand A (0) or B (1) with rows along m or n. In
/// `problem` they run along k.
static TransposedSupport getTransposed(const ScheduleFamily &family,
                                       const ChipInfo &chip,
                                       const ProblemInfo &problem,
                                       unsigned operand) {
  ProblemInfo transposed = problem;
  (operand ? transposed.bKContiguous : transposed.aKContiguous) = false;
  if (Error error = transposed.checkPackedOperands()) {
    consumeError(std::move(error));
    return TransposedSupport::None;
  }
  // Parameters may break a rule of that name in all layouts.
  if (satisfies(family, chip, problem, {"layout"}) &&
      !satisfies(family, chip, transposed, {"layout"}))
    return TransposedSupport::None;
  // A schedule without a raster has no tiles, and reads operands as they are.
  bool hasTiles = is_contained(family.getKeys(), "raster");
  return hasTiles && transposed.hasTileAlongK(operand)
             ? TransposedSupport::Packed
             : TransposedSupport::Direct;
}

/// The products of `problem`'s types by `family`; none on any chip if the
/// family does not take them.
static SupportedProduct describe(const ScheduleFamily &family,
                                 const ProblemInfo &problem) {
  SupportedProduct product;
  product.a = problem.typeA;
  product.b = problem.typeB;
  product.schedule = family.getSchedule();
  product.instruction = problem.findInstruction(family.getInstructionKind());
  product.sum = product.instruction ? product.instruction->accumulator
                                    : problem.accumulator;
  product.transposed = {TransposedSupport::None, TransposedSupport::None};
  for (const ChipInfo &chip : getKnownChips()) {
    product.chips.push_back(getSupport(family, chip, problem));
    if (product.chips.back() != ChipSupport::None)
      for (unsigned operand : {0, 1})
        product.transposed[operand] =
            getTransposed(family, chip, problem, operand);
  }
  return product;
}

std::vector<SupportedProduct> listSupportedProducts() {
  std::vector<SupportedProduct> products;
  auto isSupported = [](ChipSupport support) {
    return support != ChipSupport::None;
  };
  for (ScalarType a : getOperandTypes())
    for (ScalarType b : getOperandTypes())
      for (ScalarType accumulator : getAccumulatorTypes(a, b)) {
        ProblemInfo problem;
        problem.typeA = a;
        problem.typeB = b;
        problem.accumulator = accumulator;
        cantFail(problem.setOutputType(""));
        for (const ScheduleFamily *family : getFamilies()) {
          SupportedProduct product = describe(*family, problem);
          if (any_of(product.chips, isSupported))
            products.push_back(std::move(product));
        }
      }
  return products;
}

} // namespace tcgemm
