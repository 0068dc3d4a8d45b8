//===- Handle.h - Handles and plans -----------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_HANDLE_H
#define TCGEMM_LIB_LIBRARY_HANDLE_H

#include "LaunchProgram.h"
#include "Selection.h"

#include <shared_mutex>
#include <unordered_map>

namespace tcgemm::library {

/// A product that is ready to run. It does not need its handle.
class Plan {
public:
  tcgemmStatus run(const RunValues &values, cuda::Stream stream) const;

  uint64_t getWorkspaceBytes() const {
    return program ? program->getWorkspaceBytes() : 0;
  }

  double alpha = 1, beta = 0; ///< The descriptor's factors.
  tcgemmScaling scaling = TCGEMM_UNSCALED;
  std::string config; ///< Empty, like the program, if D has no elements.
  std::optional<LaunchProgram> program;
};

/// The properties that calls of tcgemmGemmEx with one plan share.
struct GemmKey {
  int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  uint32_t words = 0; ///< Types, transpositions, scaling and alignment.

  bool operator==(const GemmKey &other) const {
    return m == other.m && n == other.n && k == other.k && lda == other.lda &&
           ldb == other.ldb && ldc == other.ldc && words == other.words;
  }
};
struct GemmKeyHash {
  size_t operator()(const GemmKey &key) const;
};

class Handle {
public:
  static llvm::Expected<std::unique_ptr<Handle>> open(int ordinal);

  llvm::Expected<std::unique_ptr<Plan>> plan(const tcgemmMatmulDesc &desc);
  /// The plan for `key`, made from `desc` if there is none.
  llvm::Expected<const Plan *> getPlan(const GemmKey &key,
                                       const tcgemmMatmulDesc &desc);
  /// The plan for `key`; null if there is none.
  const Plan *findPlan(const GemmKey &key) const;
  /// Runs a plan with a workspace of the stream's memory pool.
  tcgemmStatus runWithOwnWorkspace(const Plan &plan, RunValues &values,
                                   cuda::Stream stream) const;

private:
  explicit Handle(std::shared_ptr<DeviceContext> device)
      : device(device), selection(device->getChip()), kernels(device) {}
  llvm::Expected<KernelConfig> choose(const Description &description);

  std::shared_ptr<DeviceContext> device;
  Selection selection;
  Kernels kernels;
  std::mutex configMutex;
  std::map<std::string, KernelConfig> configs; ///< By problem and overrides.
  mutable std::shared_mutex gemmMutex;
  std::unordered_map<GemmKey, std::unique_ptr<Plan>, GemmKeyHash> gemms;
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_HANDLE_H
