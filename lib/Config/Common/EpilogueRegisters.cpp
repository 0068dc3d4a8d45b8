//===- EpilogueRegisters.cpp - Registers beside the main loop's -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/EpilogueRegisters.h"
#include "Common/RegisterFile.h"

#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;

namespace {

/// The most moments that wait for the mean of a slice.
constexpr int64_t kSlice = 32;

/// The parts of a state that live in registers.
int64_t countParts(StateKind kind) {
  switch (kind) {
  case StateKind::Value:
    return 1;
  case StateKind::Index:
  case StateKind::SumExp:
    return 2;
  case StateKind::Moments:
    return 3;
  }
  llvm_unreachable("covered switch");
}

/// The kind of the states of a reduction.
StateKind getKind(const NamedReduction &reduction, const ProblemInfo &problem) {
  std::optional<Combiner> combiner =
      reduction.getCombiner(isFloatType(problem.accumulator));
  return combiner ? getStateKind(*combiner) : StateKind::Value;
}

/// The registers of the states of one reduction.
int64_t countStates(const NamedReduction &reduction,
                    const ThreadElements &elements,
                    const ProblemInfo &problem) {
  StateKind kind = getKind(reduction, problem);
  // An index and its value have 64 bits each, or together if both fit.
  bool isWide = reduction.axis == ReductionAxis::All ||
                problem.accumulator == ScalarType::F64;
  int64_t words = kind == StateKind::Index
                      ? (isWide ? 4 : 2)
                      : countParts(kind) * problem.getSumBytes() / 4;
  switch (reduction.axis) {
  case ReductionAxis::Row:
    return elements.rows * words;
  case ReductionAxis::Column:
    return elements.columns * words;
  case ReductionAxis::All:
    // The elements of a slice are combined at once: see MomentStates.cpp.
    return kind == StateKind::Moments
               ? words + std::min(kSlice, elements.rows * elements.columns / 2)
               : words;
  }
  llvm_unreachable("covered switch");
}

/// The results of `combine` that wait, in halves of one for each accumulator.
int64_t countWaitingHalves(const ProblemInfo &problem) {
  if (problem.algebra.isDefault())
    return 0;
  // f64 has no maximum: a comparison and two selections.
  if (problem.accumulator == ScalarType::F64)
    return 3;
  if (isFloatType(problem.accumulator))
    return 0;
  // One instruction, LOP3 or IADD3, takes the results of two combinations.
  switch (problem.algebra.reduce) {
  case AlgebraOperation::And:
  case AlgebraOperation::Or:
  case AlgebraOperation::Xor:
    return 3;
  case AlgebraOperation::Plus:
    return problem.getBitsA() < 32 ? 0 : 2;
  default:
    return 0;
  }
}

} // namespace

int64_t tcgemm::countReductionStates(const ThreadElements &elements,
                                     const ProblemInfo &problem) {
  int64_t states = 0;
  for (const NamedReduction &reduction : problem.reductions.list)
    states += countStates(reduction, elements, problem);
  // One without a name is of values, along an unknown dimension.
  if (problem.reductions.hasOther)
    states +=
        std::max(elements.rows, elements.columns) * problem.getSumBytes() / 4;
  return states;
}

int64_t tcgemm::countWaitingStates(const ProblemInfo &problem) {
  int64_t most = 0;
  for (const NamedReduction &reduction : problem.reductions.list) {
    StateKind kind = getKind(reduction, problem);
    // An index among all elements has twice the size.
    bool isWide =
        kind == StateKind::Index && reduction.axis == ReductionAxis::All;
    if (kind != StateKind::Value)
      most = std::max(most, isWide ? 2 * kSlice : kSlice);
  }
  return most;
}

int64_t tcgemm::countSeveralParts(ReductionAxis axis,
                                  const ProblemInfo &problem) {
  return llvm::count_if(
      problem.reductions.list, [&](const NamedReduction &reduction) {
        return reduction.axis == axis &&
               getKind(reduction, problem) != StateKind::Value;
      });
}

bool tcgemm::hasKind(ReductionKind kind, ReductionAxis axis,
                     const ProblemInfo &problem) {
  return llvm::is_contained(problem.reductions.list,
                            NamedReduction{axis, kind});
}

int64_t tcgemm::addReductions(int64_t ofLoop, int64_t accumulators,
                              int64_t others, const ThreadElements &elements,
                              const ProblemInfo &problem) {
  if (problem.reductions.empty())
    return ofLoop;
  int64_t states = countReductionStates(elements, problem);
  return std::max(ofLoop, accumulators + states + others);
}

int64_t tcgemm::countEarlyInputs(const ThreadElements &elements,
                                 const KernelConfig &config,
                                 const ProblemInfo &problem) {
  constexpr int64_t addresses = 8;
  if (!config.earlyInputs)
    return 0;
  int64_t read =
      std::max<int64_t>(0, problem.epilogueBytes - problem.mostOutputBytes);
  return elements.rows * elements.columns * read / 4 + addresses;
}

int64_t tcgemm::addCombinations(int64_t registers,
                                const ThreadElements &elements,
                                const KernelConfig &config,
                                const ProblemInfo &problem) {
  int64_t waiting = elements.rows * elements.columns *
                    countWaitingHalves(problem) * problem.getSumBytes() / 8;
  int64_t threads =
      std::max<int64_t>(1, config.minCtas) * config.getNumThreads();
  int64_t share =
      std::min(kMaxRegistersPerThread,
               kRegistersPerSM / std::max<int64_t>(1, threads) / 8 * 8);
  return std::max(registers, std::min(registers + waiting, share));
}
