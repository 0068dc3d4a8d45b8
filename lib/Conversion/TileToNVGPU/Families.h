//===- Families.h - The families of operations ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_FAMILIES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_FAMILIES_H

#include "LoweringContext.h"

namespace tcgemm {

/// The order in which tiles are computed.
void populateRasterPatterns(LoweringContext &c,
                            mlir::RewritePatternSet &patterns);
/// Groups of rows whose sizes are in memory.
void populateGroupPatterns(LoweringContext &c,
                           mlir::RewritePatternSet &patterns);
/// Rings of stages in shared memory.
void populateRingPatterns(LoweringContext &c,
                          mlir::RewritePatternSet &patterns);
/// Roles of warps, and what threads, CTAs and grids wait for.
void populateRolePatterns(LoweringContext &c,
                          mlir::RewritePatternSet &patterns);
/// Copies of operands from global to shared memory.
void populateCopyPatterns(LoweringContext &c,
                          mlir::RewritePatternSet &patterns);
/// Fragments, products and accumulators.
void populateProductPatterns(LoweringContext &c,
                             mlir::RewritePatternSet &patterns);
/// Sums of accumulators: over warps, clusters and slices of k.
void populateReductionPatterns(LoweringContext &c,
                               mlir::RewritePatternSet &patterns);
/// Elementwise work and stores.
void populateEpiloguePatterns(LoweringContext &c,
                              mlir::RewritePatternSet &patterns);
/// Events of traces.
void populateTracePatterns(LoweringContext &c,
                           mlir::RewritePatternSet &patterns);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_FAMILIES_H
