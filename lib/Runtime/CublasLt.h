//===- CublasLt.h - cuBLASLt by dlopen --------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's library as a contender: own declarations of the few calls that a
// matrix product needs, and the product itself with its heuristic's answers.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_CUBLASLT_H
#define TCGEMM_LIB_RUNTIME_CUBLASLT_H

#include "tcgemm/Runtime/Problem.h"

#include <memory>

namespace tcgemm {

/// One product D = A·B, perhaps with a bias along n (row-major D, f32
/// accumulation), with all algorithms that cuBLASLt's heuristic offers, best
/// first by its own estimate.
class CublasLtMatmul {
public:
  static constexpr size_t kWorkspaceBytes = size_t(64) << 20;

  /// Loads the library (`path`, or the usual names) and asks for at most
  /// `maxAlgorithms`. `bias` is the address of N elements of D's type that the
  /// library's fused epilogue adds to each row, or 0. Errors: no library, an
  /// operand that cuBLASLt cannot take, no algorithm. The device's context must
  /// be current.
  static llvm::Expected<std::unique_ptr<CublasLtMatmul>>
  create(llvm::StringRef path, const Problem &problem, unsigned maxAlgorithms,
         uint64_t bias = 0);
  ~CublasLtMatmul();

  unsigned getNumAlgorithms() const;
  /// The library's version, `13.0.2`.
  std::string getVersion() const;

  /// Enqueues algorithm `index`. Addresses are those of the operands' elements.
  llvm::Error enqueue(unsigned index, uint64_t a, uint64_t b, uint64_t d,
                      uint64_t workspace, void *stream) const;

private:
  struct Implementation;
  explicit CublasLtMatmul(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_CUBLASLT_H
