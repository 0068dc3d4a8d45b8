//===- WorkShards.h - The shards of a command -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_WORKSHARDS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_WORKSHARDS_H

#include "TuneInputs.h"
#include "tcgemm/Tuner/WorkRunner.h"

namespace tcgemm {

/// All candidates of all problems, in shards. The first task that comes to a
/// problem leaves the list of its shards in the folder. Other tasks read it,
/// and enumerate the candidates of a problem when they take a shard of it. No
/// task has the candidates of all problems in memory.
class WorkShards : public ShardSource {
public:
  /// Tasks that only compile have each build once, also if several problems
  /// need it. The problems of a kernel are then one group. Errors: a space is
  /// not meant for the chip.
  static llvm::Expected<std::unique_ptr<WorkShards>>
  create(const Flags &flags, const TuneInputs &inputs, WorkFolder &folder,
         const Platform &platform);

  /// Leaves the keys of all lists in the folder, for `status`.
  llvm::Error announce();
  size_t getNumGroups() const override { return groups.size(); }
  llvm::Expected<std::vector<Shard>> getShards(size_t group) override;
  llvm::Expected<std::vector<KernelConfig>>
  getConfigs(size_t group, const Shard &shard) override;
  /// The number of candidates that were listed or read by this task.
  uint64_t getNumCandidates() const { return numCandidates; }

private:
  struct Group {
    std::vector<const TuningProblem *> problems;
    std::string key; ///< A hash of everything on which the shards depend.
  };

  WorkShards(const Flags &flags, const TuneInputs &inputs, WorkFolder &folder,
             const Platform &platform)
      : flags(flags), inputs(inputs), folder(folder), platform(platform),
        isCompilation(flags.device.compileOnly) {}
  llvm::Error prepare();
  llvm::Error setKeys();
  std::string getGroupName(const TuningProblem &problem) const;
  std::optional<KernelConfig> getKnown(const TuningProblem &problem) const;
  llvm::Error enumerate(size_t group);

  const Flags &flags;
  const TuneInputs &inputs;
  WorkFolder &folder;
  Platform platform;
  bool isCompilation;
  const ChipInfo *chip = nullptr;
  SpacesByName spaces;
  std::vector<Group> groups;
  uint64_t numCandidates = 0;
  /// The group that was enumerated last, and its shards.
  size_t current = SIZE_MAX;
  std::vector<Shard> shards;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_WORKSHARDS_H
