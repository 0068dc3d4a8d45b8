//===- WorkRunner.h - A task of a work list ------------------------*- C++ -*-
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes shards of a work list until all are done: its own, and those of tasks
// that were killed.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_WORKRUNNER_H
#define TCGEMM_TUNER_WORKRUNNER_H

#include "tcgemm/Tuner/Evaluator.h"
#include "tcgemm/Tuner/Finalists.h"
#include "tcgemm/Tuner/WorkFolder.h"

#include <atomic>

namespace tcgemm {

struct WorkOptions {
  std::string path;          ///< The folder's path.
  double leaseSeconds = 300; ///< As in WorkFolderOptions.
  /// The place of the task, which decides with which shard it begins.
  unsigned rank = 0, size = 1;
  /// The finalists of a problem are timed on one device.
  FinalistRules finalists;
  /// False for tasks that only compile: results are builds, not records.
  bool keepsRecords = true;
  const std::atomic<bool> *interrupted = nullptr;
};

/// Receives the progress of a task. All calls come from one thread.
class WorkObserver {
public:
  virtual ~WorkObserver();
  /// `number` is that of the claim: above 0, another task began the shard.
  virtual void beginShard(const Shard &shard, unsigned number) {}
  virtual void record(const Record &record) {}
  /// `isComplete`: no candidate of the shard is left.
  virtual void endShard(const Shard &shard, bool isComplete) {}
};

struct WorkSummary {
  uint64_t shards = 0;      ///< That this task completed.
  uint64_t candidates = 0;  ///< That this task measured.
  double seconds = 0;       ///< Duration of the task's work.
  double folderSeconds = 0; ///< The part of it for claims and records.
  /// True if all shards of the list are done, false after an interrupt.
  bool isComplete = false;
};

/// The shards of a command, in groups. The task asks for a group when it comes
/// to it, so that no task enumerates everything before it begins.
class ShardSource {
public:
  virtual ~ShardSource();
  virtual size_t getNumGroups() const = 0;
  /// The shards of a group, of one problem. They need not have their
  /// candidates.
  virtual llvm::Expected<std::vector<Shard>> getShards(size_t group) = 0;
  virtual llvm::Expected<std::vector<KernelConfig>>
  getConfigs(size_t group, const Shard &shard) = 0;
};

/// Works until all shards are done by this or other tasks. Errors: those of the
/// source, the folder and the evaluator. The claim of the current shard is then
/// released.
llvm::Expected<WorkSummary> runWork(WorkFolder &folder, ShardSource &source,
                                    Evaluator &evaluator,
                                    const WorkOptions &options,
                                    WorkObserver &observer);
/// The same with shards that are known, with their candidates.
llvm::Expected<WorkSummary>
runWork(WorkFolder &folder, llvm::ArrayRef<Shard> shards, Evaluator &evaluator,
        const WorkOptions &options, WorkObserver &observer);

} // namespace tcgemm

#endif // TCGEMM_TUNER_WORKRUNNER_H
