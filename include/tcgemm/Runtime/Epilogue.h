//===- Epilogue.h - Interpreter of epilogue programs ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a kernel's epilogue on the host, as the reference for what the
// device computes: every operation in double, its result rounded once to its
// type (math on f16 and bf16 too).
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_EPILOGUE_H
#define TCGEMM_RUNTIME_EPILOGUE_H

#include "tcgemm/Target/Manifest.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace tcgemm {

/// A run of elements along n to evaluate.
struct EpilogueRun {
  int64_t count = 0;
  int64_t b = 0, m = 0;
  llvm::ArrayRef<int64_t> n; ///< `count` columns.
  /// One per argument of the program: the accumulators, then inputs and
  /// scalars, `count` values each (a scalar is repeated).
  std::vector<const double *> arguments;
};

/// Deliberate errors, to learn how a result depends on roundings. Each float
/// operation's result is scaled by 1 ± its relative error before it is rounded;
/// `pattern` chooses the signs.
struct Perturbation {
  unsigned pattern = 0;
  double arithmetic = 0x1p-23;
  double math = 0x1p-20;
};

class EpilogueInterpreter {
public:
  /// Prepares a program. Errors name an unknown operation or predicate, a wrong
  /// number of operands, or operand types that do not fit.
  static llvm::Expected<EpilogueInterpreter> create(const KernelInfo &kernel);

  /// Evaluates a run: `results[i]` gets the values of yield i. `inexact`, if
  /// given, is set to 1 for the elements of which an operation before the last
  /// one rounded: there, contraction and order may change the device's result.
  void evaluate(const EpilogueRun &run, const Perturbation *perturbation,
                std::vector<std::vector<double>> &results,
                std::vector<uint8_t> *inexact) const;

  /// Whether argument `index` counts as 0 where scalar argument number
  /// `getZeroScalar` is 0 (BLAS's rule for beta); nothing if it never does.
  std::optional<unsigned> getZeroScalar(unsigned index) const;

  unsigned getNumArguments() const { return numArguments; }
  /// Whether yield `index` is the accumulator, or only rounds it.
  bool isPlainAccumulator(unsigned index) const;

  /// A prepared operation; public only for the implementation's tables.
  struct Op {
    unsigned code = 0;
    unsigned predicate = 0;
    ScalarType type = ScalarType::F32;
    ScalarType inputType = ScalarType::F32;
    std::vector<unsigned> operands;
    double floatConstant = 0;
    int64_t intConstant = 0;
    Dim dim = Dim::M;
    bool isYieldedOnly = false; ///< Its only use is to be yielded.
  };

private:
  std::vector<Op> ops;
  std::vector<unsigned> yields;
  std::vector<std::optional<unsigned>> zeroScalars;
  unsigned numArguments = 0;
};

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_EPILOGUE_H
