//===- Launcher.h - The tasks of a cluster's job --------------------*- C++ -*-
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task reads its rank from the environment that a launcher sets. No library
// of MPI or Slurm is needed.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_LAUNCHER_H
#define TCGEMM_TUNER_LAUNCHER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace tcgemm {

/// The place of a task in its job.
struct TaskPlace {
  unsigned rank = 0;
  unsigned size = 1;      ///< Tasks; 0: unknown.
  unsigned localRank = 0; ///< Among the tasks of this node.
  std::string job;        ///< The launcher's name of the job, or empty.
  /// True if the launcher starts all tasks of the job at the same time.
  bool isSimultaneous = false;
};

/// The value of an environment variable; none if it is not set.
using EnvironmentLookup =
    llvm::function_ref<std::optional<std::string>(llvm::StringRef name)>;

/// The names of all launchers: `none`, `slurm`, `mpi`.
std::vector<std::string> getLauncherNames();

/// The place that the launcher's variables state. Errors: the launcher is
/// unknown, none of its variables is set, or one is not a number.
llvm::Expected<TaskPlace> readTaskPlace(llvm::StringRef launcher,
                                        EnvironmentLookup getVariable);

/// A job for `launch`.
struct JobRequest {
  std::string name = "tcgemm-tune";
  unsigned nodes = 1, tasksPerNode = 1;
  /// The tasks only compile: they need no GPU, but all cores of a node.
  bool isCompilation = false;
  std::string partition;          ///< Of the cluster, or empty.
  std::string time;               ///< A limit as Slurm reads it, or empty.
  std::string program;            ///< The path of tcgemm-tune.
  std::string work;               ///< The folder of the work list.
  std::vector<std::string> flags; ///< The search's flags: shapes, spaces.
};

/// The shell script of a job. Errors: the launcher starts no jobs, or knows no
/// partitions.
llvm::Expected<std::string> writeJobScript(llvm::StringRef launcher,
                                           const JobRequest &request);
/// How a launcher takes scripts.
struct SubmitCommand {
  std::string program; ///< `sbatch`, `sh`.
  /// The flag by which the program prints the job's name, and the flag by which
  /// a job waits for the end of that job. Empty: the program itself waits.
  std::string nameFlag, afterFlag;
};
llvm::Expected<SubmitCommand> getSubmitCommand(llvm::StringRef launcher);

} // namespace tcgemm

#endif // TCGEMM_TUNER_LAUNCHER_H
