//===- DeviceProblem.h - A problem's data on a device -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the candidates of a problem share, and one of them with its modules
// loaded and its launches planned for every set of buffers.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_DEVICEPROBLEM_H
#define TCGEMM_LIB_TUNER_MEASURE_DEVICEPROBLEM_H

#include "Measure/DeviceComparer.h"
#include "tcgemm/Runtime/Problem.h"
#include "tcgemm/Tuner/Engine.h"

namespace tcgemm {

/// A failure for want of device memory, as against one of the kernel.
class MemoryError : public llvm::ErrorInfo<MemoryError> {
public:
  static char ID;
  explicit MemoryError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

/// Sets of all buffers of a problem on the device, equal in content.
class DeviceProblem {
public:
  /// `pack` is any kernel of the problem's.
  static llvm::Expected<std::unique_ptr<DeviceProblem>>
  create(Device &device, const TuningProblem &problem, const KernelPack &pack,
         const EngineOptions &options);

  const ProblemOptions &getOptions() const { return problemOptions; }
  size_t getNumSets() const { return sets.size(); }
  /// Addresses of the buffers' images.
  llvm::ArrayRef<uint64_t> getSet(size_t set) const { return sets[set]; }
  /// With their contents, as the device has them.
  llvm::ArrayRef<ProblemBuffer> getBuffers() const { return buffers; }

  /// At least `bytes`, with a canary behind. An error: more than the limit, or
  /// than there is.
  llvm::Expected<uint64_t> getWorkspace(int64_t bytes);

  /// Fills the outputs of set 0 with poison, and the workspace.
  llvm::Error poison(int64_t workspaceBytes);
  /// Says what was written that must not be; empty if nothing.
  llvm::Expected<std::string> findDamage(int64_t workspaceBytes);
  /// Checks the outputs of set 0: empty, or what is wrong. The first right
  /// result is fetched; later ones are compared with it on the device, and
  /// fetched if they differ.
  llvm::Expected<std::string> checkResult(const LaunchPlan &plan,
                                          const ProblemLaunch &launch);
  /// Whether the last check was the host's, while the device had nothing to do.
  bool wasCheckedOnHost() const { return checkedOnHost; }

private:
  explicit DeviceProblem(Device &device) : device(device) {}
  llvm::Error makeSets(const TimingOptions &timing);
  llvm::Expected<bool> hasCanary(uint64_t address, int64_t bytes);
  /// The only output, or null.
  const ProblemBuffer *getOutput() const;

  Device &device;
  ProblemOptions problemOptions;
  std::vector<ProblemBuffer> buffers;
  std::vector<Buffer> memory;
  std::vector<std::vector<uint64_t>> sets;
  Buffer workspace;
  int64_t memoryLimit = 0;
  ResultChecker checker;
  std::unique_ptr<DeviceComparer> comparer;
  bool checkedOnHost = false;
  std::vector<std::vector<uint8_t>> images; ///< Fetched outputs.
};

/// A candidate that is ready to be launched on any set.
class LoadedCandidate {
public:
  /// Plans and loads. Errors: no variant takes the problem (a plain error), a
  /// module cannot be loaded (a DeviceError), a MemoryError.
  static llvm::Expected<std::unique_ptr<LoadedCandidate>>
  create(Device &device, DeviceProblem &shared, const KernelPack &pack);

  /// To be called where another candidate was made since: it may have moved
  /// the workspace.
  llvm::Error updateWorkspace();
  llvm::Error enqueue(size_t set);
  /// Runs of one set after the other, `length` in all.
  llvm::Expected<std::unique_ptr<Graph>> capture(size_t length);

  const Problem &getProblem() const { return problem; }
  const LaunchPlan &getPlan() const { return plans.front(); }
  Resources getResources() const;

private:
  LoadedCandidate(Device &device, DeviceProblem &shared, Problem problem,
                  const KernelPack &pack)
      : device(device), shared(shared), problem(std::move(problem)),
        executor(device, pack) {}

  Device &device;
  DeviceProblem &shared;
  Problem problem;
  Executor executor;
  std::vector<LaunchPlan> plans; ///< One for each set.
  uint64_t workspace = 0;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_DEVICEPROBLEM_H
