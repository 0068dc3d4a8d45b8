//===- Handle.h - Handles and plans -----------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_HANDLE_H
#define TCGEMM_LIB_LIBRARY_HANDLE_H

#include "BackgroundTuner.h"
#include "LaunchProgram.h"
#include "Portable/calls.h"
#include "Selection.h"

#include <atomic>
#include <shared_mutex>
#include <unordered_map>

namespace tcgemm::library {

/// A kernel of a plan.
struct PlanVersion {
  std::string config;
  std::string explanation; ///< For readers: see tcgemmPlanExplain.
  LaunchProgram program;
};

/// A product that is ready to run. It does not need its handle. A faster kernel
/// may replace its first one, at any time and while it runs.
class Plan {
public:
  Plan(Description description, cuda::Context context, bool ownsWorkspace)
      : description(std::move(description)), context(context),
        ownsWorkspace(ownsWorkspace),
        readSlots(tcgemmGetReadSlots(&this->description.slots,
                                     this->description.scalarsInMemory)) {}

  /// Runs a kernel of the plan. Checks neither that nor how the addresses that
  /// it does not read are given.
  tcgemmStatus run(const PlanVersion *version, const RunValues &values,
                   cuda::Stream stream) const;

  /// The bytes that callers allocate: the need of the first kernel.
  uint64_t getWorkspaceBytes() const { return workspaceBytes; }
  /// The latest kernel; null if D has no elements.
  const PlanVersion *getVersion() const {
    return current.load(std::memory_order_acquire);
  }
  /// Makes `version` the latest one, and returns true. If callers allocate the
  /// workspace, it must need no more than the first one, or is dropped.
  bool add(std::unique_ptr<PlanVersion> version);

  const Description description;
  const cuda::Context context; ///< Its kernels are loaded into it.
  const bool ownsWorkspace;    ///< True if each run allocates its workspace.
  const uint64_t readSlots;    ///< A bit for each slot that runs read.

private:
  uint64_t workspaceBytes = 0;
  std::atomic<const PlanVersion *> current{nullptr};
  std::mutex mutex;
  /// Graphs may still launch old kernels, and other threads run them.
  std::vector<std::unique_ptr<PlanVersion>> versions;
};

struct GemmKeyHash {
  size_t operator()(const tcgemmGemmKey &key) const;
};
struct GemmKeyEqual {
  bool operator()(const tcgemmGemmKey &a, const tcgemmGemmKey &b) const;
};

class Handle {
public:
  static llvm::Expected<std::unique_ptr<Handle>> open(int ordinal);

  llvm::Expected<std::shared_ptr<Plan>>
  plan(llvm::Expected<Description> description, bool ownsWorkspace = false);
  /// The plan for `key`, made from `desc` if there is none.
  llvm::Expected<const Plan *> getPlan(const tcgemmGemmKey &key,
                                       const tcgemmMatmulDesc &desc);
  /// The plan for `key`; null if there is none.
  const Plan *findPlan(const tcgemmGemmKey &key) const;
  /// Runs a plan with a workspace of the stream's memory pool.
  tcgemmStatus runWithOwnWorkspace(const Plan &plan, RunValues &values,
                                   cuda::Stream stream) const;

  /// Tunes the product of a plan, and gives the plan its tuned kernel. Errors:
  /// those of tcgemmTunePlan.
  llvm::Error tuneNow(Plan &plan);

  /// Where tcgemmGemmEx finds alpha and beta.
  std::atomic<tcgemmPointerMode> pointerMode{TCGEMM_POINTER_HOST};

private:
  Handle(const std::shared_ptr<DeviceContext> &device, Mode mode,
         const std::string &database);
  llvm::Expected<ChosenConfig> choose(const Description &description);
  llvm::Expected<std::unique_ptr<PlanVersion>>
  makeVersion(const Description &description);
  void tuneLater(const std::shared_ptr<Plan> &plan);
  BackgroundTuner::Callbacks makeCallbacks();
  void forgetConfigs();
  llvm::Error replaceKernel(Plan &plan);
  void replaceKernels(const TuningProblem &tuned);

  std::shared_ptr<DeviceContext> device;
  const std::string database; ///< The user's; empty if it is not used.
  Selection selection;
  Kernels kernels;
  std::mutex configMutex;
  std::map<std::string, ChosenConfig> configs; ///< By problem and overrides.
  unsigned configGeneration = 0; ///< How often records were read again.
  mutable std::shared_mutex gemmMutex;
  std::unordered_map<tcgemmGemmKey, std::shared_ptr<Plan>, GemmKeyHash,
                     GemmKeyEqual>
      gemms;
  std::mutex waitingMutex;
  /// Plans whose problems are tuned, by the tuned problem.
  std::map<std::string, std::vector<std::weak_ptr<Plan>>> waiting;
  /// Null unless the mode is `tune`. The last member, because its thread uses
  /// the others.
  std::unique_ptr<BackgroundTuner> tuner;
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_HANDLE_H
