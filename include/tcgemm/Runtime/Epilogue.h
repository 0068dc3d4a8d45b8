//===- Epilogue.h - Interpreter of epilogue programs ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a kernel's epilogue on the host, as the reference for the device's
// results. Every operation is computed in double, and its result is rounded
// once to its type (also for math on f16 and bf16).
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
  /// One for each argument of the program: the accumulators, then inputs and
  /// scalars, with `count` values each (a scalar is repeated).
  std::vector<const double *> arguments;
};

/// Deliberate errors, which show how a result depends on roundings. The result
/// of each float operation is scaled by 1 ± its relative error before it is
/// rounded; `pattern` determines the signs.
struct Perturbation {
  unsigned pattern = 0;
  double arithmetic = 0x1p-23; ///< In f32; a part of 2⁻²⁹ in f64.
  double math = 0x1p-20;
};

class EpilogueInterpreter {
public:
  /// Prepares a program. Errors name an unknown operation or predicate, a wrong
  /// number of operands, or operand types that do not fit.
  static llvm::Expected<EpilogueInterpreter> create(const KernelInfo &kernel);
  /// The same for the program of A's (0) or B's (1) elements, which has one.
  static llvm::Expected<EpilogueInterpreter>
  createTransform(const KernelInfo &kernel, unsigned operand);

  /// Evaluates a run and stores the values of yield i to `results[i]`. Sets
  /// `inexact`, if given, to 1 for each element where an operation before the
  /// last one rounded. Contraction and order may change the device's result
  /// there.
  void evaluate(const EpilogueRun &run, const Perturbation *perturbation,
                std::vector<std::vector<double>> &results,
                std::vector<uint8_t> *inexact) const;

  /// Returns the number of the scalar argument that makes argument `index`
  /// count as 0 where that scalar is 0 (BLAS's rule for beta); nothing if there
  /// is none.
  std::optional<unsigned> getZeroScalar(unsigned index) const;

  unsigned getNumArguments() const { return numArguments; }
  /// Returns whether yield `index` is the accumulator, or only rounds it.
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
  llvm::Error prepare(const EpilogueProgram &program);

  std::vector<Op> ops;
  std::vector<unsigned> yields;
  std::vector<unsigned> numUses; ///< The uses of each value.
  std::vector<std::optional<unsigned>> zeroScalars;
  unsigned numArguments = 0;
};

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_EPILOGUE_H
