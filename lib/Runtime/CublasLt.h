//===- CublasLt.h - cuBLASLt by dlopen --------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's library as a contender: declarations of the calls for a matrix
// product, and the product with the algorithms of the library's heuristic.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_CUBLASLT_H
#define TCGEMM_LIB_RUNTIME_CUBLASLT_H

#include "tcgemm/Runtime/Problem.h"

#include <memory>
#include <optional>

namespace tcgemm {

/// Parts of a product by cuBLASLt besides A·B. Addresses are those of the
/// device; 0 leaves a part out.
struct CublasLtOptions {
  std::string path;            ///< The library; empty: the usual names.
  unsigned maxAlgorithms = 16; ///< Limit of the heuristic's answers.
  uint64_t bias = 0;           ///< N elements of D's type, added to each row.
  /// One f32 each, by which FP8 operands are multiplied.
  uint64_t scaleA = 0, scaleB = 0;
  /// D = alpha·A·B + beta·C. C is the operand `addend`, if there is one.
  double alpha = 1, beta = 0;
  std::optional<unsigned> addend;
  /// FP8: whether all of k is summed by the tensor cores, with fewer bits.
  bool fastAccumulation = true;
};

/// What cuBLASLt does not compute of the kernel; empty if there is nothing.
std::string findRefused(const KernelInfo &kernel);

/// One product D = alpha·A·B + beta·C (row-major D and C), with all algorithms
/// of cuBLASLt's heuristic. The fastest by its estimate is first.
class CublasLtMatmul {
public:
  static constexpr size_t kWorkspaceBytes = size_t(64) << 20;

  /// Loads the library and describes the product of the first launch. Errors:
  /// no library, an operand that cuBLASLt does not support, no algorithm. The
  /// device's context must be current.
  static llvm::Expected<std::unique_ptr<CublasLtMatmul>>
  create(const Problem &problem, const CublasLtOptions &options);
  ~CublasLtMatmul();

  unsigned getNumAlgorithms() const;
  /// The library's version, `13.0.2`.
  std::string getVersion() const;

  /// Enqueues algorithm `index`. Addresses are those of the operands' elements.
  /// C's is D's if there is no C.
  llvm::Error enqueue(unsigned index, uint64_t a, uint64_t b, uint64_t c,
                      uint64_t d, uint64_t workspace, void *stream) const;

private:
  struct Implementation;
  explicit CublasLtMatmul(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_CUBLASLT_H
