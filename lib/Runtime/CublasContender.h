//===- CublasContender.h - cuBLASLt's answers to a problem ------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a benchmark runs beside tcgemm: cuBLASLt's plain product, or the whole
// function as a library's user gets it: the product with cuBLASLt's fused bias,
// then one elementwise kernel for what is left of the epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_CUBLASCONTENDER_H
#define TCGEMM_LIB_RUNTIME_CUBLASCONTENDER_H

#include "CublasLt.h"

#include "tcgemm/Runtime/Benchmark.h"

namespace tcgemm {

class CublasContender {
public:
  /// For the first launch of a filled problem. Errors: those of
  /// CublasLtMatmul::create; with `fuseCublasLt`, an epilogue that has no
  /// elementwise kernel, or matrices that it cannot take; those of the device.
  static llvm::Expected<std::unique_ptr<CublasContender>>
  create(Device &device, const Problem &problem,
         const BenchmarkOptions &options);

  const CublasLtMatmul &getMatmul() const { return *matmul; }
  /// Whether the results are those of the kernel, with its epilogue.
  bool isWhole() const { return whole; }

  /// Enqueues one run with algorithm `index`; `addresses` are those of all the
  /// problem's images.
  llvm::Error enqueue(unsigned index, llvm::ArrayRef<uint64_t> addresses) const;

private:
  CublasContender(Device &device, const Problem &problem)
      : device(device), problem(problem) {}
  llvm::Error createBias(unsigned operand);
  llvm::Error createElementwise(const struct EpilogueSplit &split);
  uint64_t getElement(llvm::ArrayRef<uint64_t> addresses,
                      unsigned operand) const;
  unsigned findOperand(OperandUse role) const;

  Device &device;
  const Problem &problem;
  std::unique_ptr<CublasLtMatmul> matmul;
  Buffer workspace, bias;
  bool whole = false;
  /// The elementwise kernel, if one is needed; its matrices besides the output,
  /// and its launch, whose arguments' addresses are set for each run.
  std::unique_ptr<Module> module;
  Kernel *kernel = nullptr;
  std::vector<unsigned> inputs;
  std::vector<KernelArgument> values;
  LaunchConfig config;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_CUBLASCONTENDER_H
