//===- EpilogueRegisters.h - Registers beside the main loop's ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Config. Fragments and addresses of the main loop are dead when an
// epilogue combines states of reductions, so that the larger of both needs
// counts. Some algebras make ptxas keep results of `combine`; it does so only
// while there are free registers.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_COMMON_EPILOGUEREGISTERS_H
#define TCGEMM_LIB_CONFIG_COMMON_EPILOGUEREGISTERS_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/ProblemInfo.h"

namespace tcgemm {

/// The elements of D of one thread.
struct ThreadElements {
  int64_t rows = 0, columns = 0;
};

/// Returns the registers of the states of all reductions.
int64_t countReductionStates(const ThreadElements &elements,
                             const ProblemInfo &problem);

/// Returns the registers of the states of single elements that wait until those
/// of a slice of the result are combined.
int64_t countWaitingStates(const ProblemInfo &problem);

/// Returns the number of reductions along `axis` whose states are more than a
/// value: an index, a sum of exp, a mean or a variance.
int64_t countSeveralParts(ReductionAxis axis, const ProblemInfo &problem);

/// Returns whether there is a reduction of that kind along `axis`.
bool hasKind(ReductionKind kind, ReductionAxis axis,
             const ProblemInfo &problem);

/// Returns the registers of a thread: the larger need of the main loop,
/// `ofLoop`, and of an epilogue with reductions, which has the accumulators,
/// the states and `others`.
int64_t addReductions(int64_t ofLoop, int64_t accumulators, int64_t others,
                      const ThreadElements &elements,
                      const ProblemInfo &problem);

/// Returns the registers of the matrix elements that the epilogue loads early,
/// and of their addresses.
int64_t countEarlyInputs(const ThreadElements &elements,
                         const KernelConfig &config,
                         const ProblemInfo &problem);

/// Returns the registers of a thread of a kernel that computes the problem's
/// algebra without tensor cores and otherwise needs `registers`.
int64_t addCombinations(int64_t registers, const ThreadElements &elements,
                        const KernelConfig &config, const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_COMMON_EPILOGUEREGISTERS_H
