//===- Families.h - The families of operations ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_FAMILIES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_FAMILIES_H

#include "HandlerTable.h"

namespace tcgemm {

/// Loops, branches and their terminators.
void populateStructuralHandlers(HandlerTable &handlers);
/// The order in which tiles are computed.
void populateRasterHandlers(HandlerTable &handlers);
/// Rings of stages in shared memory.
void populateRingHandlers(HandlerTable &handlers);
/// Roles of warps, and what threads, CTAs and grids wait for.
void populateRoleHandlers(HandlerTable &handlers);
/// Copies of operands from global to shared memory.
void populateCopyHandlers(HandlerTable &handlers);
/// Fragments, products and accumulators.
void populateProductHandlers(HandlerTable &handlers);
/// Sums of accumulators: over warps, clusters and slices of k.
void populateReductionHandlers(HandlerTable &handlers);
/// Elementwise work and stores.
void populateEpilogueHandlers(HandlerTable &handlers);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_FAMILIES_H
