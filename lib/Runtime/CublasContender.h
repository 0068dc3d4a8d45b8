//===- CublasContender.h - cuBLASLt as a contender --------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A benchmark compares tcgemm with cuBLASLt's plain product, or with the whole
// function for a user of the library: the product with cuBLASLt's fused bias,
// followed by one elementwise kernel for the rest of the epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_CUBLASCONTENDER_H
#define TCGEMM_LIB_RUNTIME_CUBLASCONTENDER_H

#include "CublasLt.h"

#include "tcgemm/Runtime/Benchmark.h"

namespace tcgemm {

class CublasContender {
public:
  /// Creates the contender for the first launch of a filled problem. Errors:
  /// those of CublasLtMatmul::create and of the device; with `fuseCublasLt`, an
  /// epilogue without an elementwise kernel, or matrices that it does not
  /// support.
  static llvm::Expected<std::unique_ptr<CublasContender>>
  create(Device &device, const Problem &problem,
         const BenchmarkOptions &options);

  const CublasLtMatmul &getMatmul() const { return *matmul; }
  /// Returns whether the results are those of the kernel with its epilogue.
  bool isWhole() const { return whole; }

  /// Enqueues one run with algorithm `index`; `addresses` has the address of
  /// each image of the problem.
  llvm::Error enqueue(unsigned index, llvm::ArrayRef<uint64_t> addresses) const;

private:
  CublasContender(Device &device, const Problem &problem)
      : device(device), problem(problem) {}
  llvm::Error createScales(llvm::ArrayRef<unsigned> operands,
                           CublasLtOptions &library);
  llvm::Error createBias(unsigned operand);
  void setFactors(const struct EpilogueSplit &split, CublasLtOptions &library);
  llvm::Error createElementwise(const struct EpilogueSplit &split);
  uint64_t getElement(llvm::ArrayRef<uint64_t> addresses,
                      unsigned operand) const;
  unsigned findOperand(OperandUse role) const;

  Device &device;
  const Problem &problem;
  std::unique_ptr<CublasLtMatmul> matmul;
  Buffer workspace, scales, bias;
  bool whole = false;
  std::optional<unsigned> addend; ///< The operand C.
  /// The elementwise kernel, if one is needed, its matrices except the output,
  /// and its launch. The addresses of the arguments are set for each run.
  std::unique_ptr<Module> module;
  Kernel *kernel = nullptr;
  std::vector<unsigned> inputs;
  std::vector<KernelArgument> values;
  LaunchConfig config;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_CUBLASCONTENDER_H
