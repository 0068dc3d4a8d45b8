//===- Launcher.cpp - The tasks of a cluster's job ----------------------------
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Launcher.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// The variables of one way to start tasks. An empty name: there is none.
struct Variables {
  StringLiteral rank, size, localRank, job;
  bool isSimultaneous;
};

struct LauncherInfo {
  StringLiteral name;
  StringLiteral advice; ///< The command that sets the variables.
  ArrayRef<Variables> variables;
  StringLiteral program; ///< Takes the script of a job; empty: no jobs.
  StringLiteral nameFlag, afterFlag; ///< As in SubmitCommand.
  bool hasPartitions;
  void (*writeScript)(raw_ostream &os, const JobRequest &request,
                      StringRef command);
};

/// A task of `srun` has a rank in its step. Other tasks of an array have the
/// array's index.
constexpr Variables kSlurm[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_LOCALID",
     "SLURM_ARRAY_JOB_ID", false},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_JOB_ID", true},
};
constexpr Variables kMPI[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK", "PMIX_NAMESPACE", true},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "PMI_JOBID", true},
    {"PMIX_RANK", "", "", "PMIX_NAMESPACE", false},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_JOB_ID", true},
};

void writeSlurmScript(raw_ostream &os, const JobRequest &request,
                      StringRef command) {
  os << "#!/bin/sh\n#SBATCH --job-name=" << request.name
     << "\n#SBATCH --nodes=" << request.nodes
     << "\n#SBATCH --ntasks-per-node=" << request.tasksPerNode
     << (request.isCompilation ? "\n#SBATCH --exclusive"
                               : "\n#SBATCH --gpus-per-task=1")
     << "\n#SBATCH --requeue\n";
  if (!request.partition.empty())
    os << "#SBATCH --partition=" << request.partition << '\n';
  if (!request.time.empty())
    os << "#SBATCH --time=" << request.time << '\n';
  os << "# The end of one task does not end the others: another one takes its\n"
        "# shard.\n"
        "srun --kill-on-bad-exit=0 "
     << command << '\n';
}

void writeMPIScript(raw_ostream &os, const JobRequest &request,
                    StringRef command) {
  unsigned tasks = request.nodes * request.tasksPerNode;
  os << "#!/bin/sh\n"
     << "mpirun -n " << tasks << " --map-by ppr:" << request.tasksPerNode
     << ":node " << command << '\n';
}

const LauncherInfo kLaunchers[] = {
    {"none", "", {}, "", "", "", false, nullptr},
    // After any end: tasks with a device compile what is missing.
    {"slurm", "start the tasks by srun or as a job array", kSlurm, "sbatch",
     "--parsable", "--dependency=afterany:", true, writeSlurmScript},
    {"mpi", "start the tasks by mpirun or srun", kMPI, "sh", "", "", false,
     writeMPIScript},
};

Expected<const LauncherInfo &> findLauncher(StringRef name) {
  const LauncherInfo *found = find_if(
      kLaunchers, [&](const LauncherInfo &each) { return each.name == name; });
  if (found != std::end(kLaunchers))
    return *found;
  return createStringError("launcher '" + name + "' is none of " +
                           join(getLauncherNames(), ", "));
}

/// Reads a number. A variable that is not set keeps `value`.
Error readNumber(EnvironmentLookup getVariable, StringRef name,
                 unsigned &value) {
  std::optional<std::string> text = getVariable(name);
  if (!text || !StringRef(*text).getAsInteger(10, value))
    return Error::success();
  return createStringError("variable " + name + " is '" + *text +
                           "', but it must be a number from 0 to 4294967295");
}

/// Text as one word of a shell.
std::string quote(StringRef text) {
  constexpr StringLiteral plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQR"
                                  "STUVWXYZ0123456789-_=+./,:@%";
  if (!text.empty() && text.find_first_not_of(plain) == StringRef::npos)
    return text.str();
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace

std::vector<std::string> getLauncherNames() {
  std::vector<std::string> names;
  for (const LauncherInfo &each : kLaunchers)
    names.push_back(each.name.str());
  return names;
}

Expected<TaskPlace> readTaskPlace(StringRef launcher,
                                  EnvironmentLookup getVariable) {
  Expected<const LauncherInfo &> info = findLauncher(launcher);
  if (!info)
    return info.takeError();
  TaskPlace place;
  if (info->variables.empty())
    return place;
  for (const Variables &names : info->variables) {
    if (!getVariable(names.rank))
      continue;
    place.isSimultaneous = names.isSimultaneous;
    place.size = 0;
    for (auto [name, value] : {std::pair(names.rank, &place.rank),
                               std::pair(names.size, &place.size),
                               std::pair(names.localRank, &place.localRank)})
      if (Error error = readNumber(getVariable, name, *value))
        return std::move(error);
    place.job = getVariable(names.job).value_or("");
    return place;
  }
  std::vector<std::string> ranks;
  for (const Variables &names : info->variables)
    ranks.push_back(names.rank.str());
  return createStringError("--launcher=" + launcher +
                           ": none of the variables " + join(ranks, ", ") +
                           " is set; " + info->advice);
}

Expected<std::string> writeJobScript(StringRef launcher,
                                     const JobRequest &request) {
  Expected<const LauncherInfo &> info = findLauncher(launcher);
  if (!info)
    return info.takeError();
  if (!info->writeScript)
    return createStringError("launcher '" + launcher + "' starts no jobs");
  if (!request.partition.empty() && !info->hasPartitions)
    return createStringError("launcher '" + launcher +
                             "' knows no partitions, but partition '" +
                             request.partition + "' is wanted");
  std::string command = quote(request.program);
  for (const std::string &flag : request.flags)
    command += " " + quote(flag);
  command += " --launcher=" + launcher.str() + " --work=" + quote(request.work);
  if (request.isCompilation)
    command += " --compile-only";
  std::string script;
  raw_string_ostream os(script);
  info->writeScript(os, request, command);
  return script;
}

Expected<SubmitCommand> getSubmitCommand(StringRef launcher) {
  Expected<const LauncherInfo &> info = findLauncher(launcher);
  if (!info)
    return info.takeError();
  if (info->program.empty())
    return createStringError("launcher '" + launcher + "' starts no jobs");
  return SubmitCommand{info->program.str(), info->nameFlag.str(),
                       info->afterFlag.str()};
}

} // namespace tcgemm
