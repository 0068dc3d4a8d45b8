//===- DeviceProblem.h - A problem's data on a device -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common data of a problem's candidates, and a candidate with loaded
// modules and planned launches for every set of buffers.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_DEVICEPROBLEM_H
#define TCGEMM_LIB_TUNER_MEASURE_DEVICEPROBLEM_H

#include "Measure/DeviceComparer.h"
#include "tcgemm/Runtime/Problem.h"
#include "tcgemm/Target/FormatError.h"
#include "tcgemm/Tuner/Engine.h"

namespace tcgemm {

/// A lack of device memory, in contrast to a failure of the kernel.
class MemoryError : public TextError<MemoryError> {
public:
  static char ID;
  using TextError::TextError;
};

/// Sets of all buffers of a problem on the device, with equal contents.
class DeviceProblem {
public:
  /// `pack` is any kernel of the problem.
  static llvm::Expected<std::unique_ptr<DeviceProblem>>
  create(Device &device, const TuningProblem &problem, const KernelPack &pack,
         const EngineOptions &options);

  const ProblemOptions &getOptions() const { return problemOptions; }
  size_t getNumSets() const { return sets.size(); }
  /// Addresses of the buffers' images.
  llvm::ArrayRef<uint64_t> getSet(size_t set) const { return sets[set]; }
  /// The buffers with their contents on the device.
  llvm::ArrayRef<ProblemBuffer> getBuffers() const { return buffers; }

  /// A workspace of at least `bytes`, followed by a canary. Errors: it exceeds
  /// the limit or the available memory.
  llvm::Expected<uint64_t> getWorkspace(int64_t bytes);

  /// Fills the outputs of set 0 with poison, and the workspace.
  llvm::Error poison(int64_t workspaceBytes);
  /// Describes memory that was written without permission; empty if there is
  /// none.
  llvm::Expected<std::string> findDamage(int64_t workspaceBytes);
  /// Checks the outputs of set 0. Returns a description of the defect, or an
  /// empty text. The first right result is fetched. Later ones are compared
  /// with it on the device, and fetched only if they differ.
  llvm::Expected<std::string> checkResult(const LaunchPlan &plan,
                                          const ProblemLaunch &launch);
  /// Returns whether the host made the last check, while the device was idle.
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
  /// Plans and loads. Errors: no variant accepts the problem (a plain error), a
  /// module cannot be loaded (a DeviceError), a MemoryError.
  static llvm::Expected<std::unique_ptr<LoadedCandidate>>
  create(Device &device, DeviceProblem &shared, const KernelPack &pack);

  /// Must be called if another candidate was created since, because that may
  /// have moved the workspace.
  llvm::Error updateWorkspace();
  llvm::Error enqueue(size_t set);
  /// Captures `length` runs on one set after the other.
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
