//===- ClusterFlags.h - Flags of clusters ----------------------*- C++ -*- ===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_CLUSTERFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_CLUSTERFLAGS_H

#include "../common/Numbers.h"
#include "Commands.h"

namespace tcgemm {

/// Work lists, and the jobs that work on them.
struct ClusterFlags {
  explicit ClusterFlags(Commands &commands) : commands(commands) {}

  Commands &commands;
  cl::opt<std::string> launcher{
      "launcher",
      cl::desc("The program that starts the tasks: none, slurm or mpi "
               "(default: none)"),
      cl::init("none"),
      cl::value_desc("name"),
      cl::cat(commands.cluster),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.launchCommand)};
  cl::opt<std::string> work{
      "work",
      cl::desc("The folder of a work list, which all tasks see"),
      cl::value_desc("folder"),
      cl::cat(commands.cluster),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.launchCommand)};
  NumberOption<unsigned> shardSize{
      "shard-size",
      cl::desc("Candidates that a task takes at a time (default: 32)"),
      cl::init(32), cl::cat(commands.cluster), cl::sub(commands.tuneCommands)};
  NumberOption<double> lease{
      "lease",
      cl::desc("Seconds after which the candidates of a task that does not "
               "answer are taken by another one (default: 300)"),
      cl::init(300),
      cl::cat(commands.cluster),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.statusCommand)};
  NumberOption<double> shareTimeout{
      "share-timeout",
      cl::desc(
          "Seconds in which the tasks of a job must see each other's files "
          "(default: 60)"),
      cl::init(60), cl::cat(commands.cluster), cl::sub(commands.tuneCommands)};
  cl::opt<bool> dryRun{
      "dry-run", cl::desc("Print the job's script; start nothing"),
      cl::cat(commands.cluster), cl::sub(commands.launchCommand)};
  NumberOption<unsigned> nodes{
      "nodes", cl::desc("Nodes of the job (default: 1)"), cl::init(1),
      cl::cat(commands.cluster), cl::sub(commands.launchCommand)};
  NumberOption<unsigned> tasksPerNode{
      "tasks-per-node",
      cl::desc("Tasks of a node, one for each GPU (default: 1)"), cl::init(1),
      cl::cat(commands.cluster), cl::sub(commands.launchCommand)};
  NumberOption<unsigned> compileNodes{
      "compile-nodes",
      cl::desc("Nodes of a job before it that only compiles, without GPUs; the "
               "flags of the search need --chip (default: 0, no such job)"),
      cl::init(0), cl::cat(commands.cluster), cl::sub(commands.launchCommand)};
  cl::opt<std::string> partition{
      "partition", cl::desc("The nodes' partition (Slurm)"),
      cl::value_desc("name"), cl::cat(commands.cluster),
      cl::sub(commands.launchCommand)};
  cl::opt<std::string> compilePartition{
      "compile-partition",
      cl::desc("The partition of the nodes that only compile (Slurm)"),
      cl::value_desc("name"), cl::cat(commands.cluster),
      cl::sub(commands.launchCommand)};
  cl::opt<std::string> time{
      "time", cl::desc("The job's limit of time, as the launcher reads it"),
      cl::value_desc("limit"), cl::cat(commands.cluster),
      cl::sub(commands.launchCommand)};
  cl::list<std::string> launchArguments{
      cl::Positional, cl::desc("-- MxNxK... and flags of the search"),
      cl::cat(commands.cluster), cl::OneOrMore,
      cl::sub(commands.launchCommand)};
  cl::opt<std::string> statusFolder{cl::Positional, cl::desc("DIR"),
                                    cl::cat(commands.cluster), cl::Required,
                                    cl::sub(commands.statusCommand)};
  cl::opt<bool> json{
      "json", cl::desc("Print one JSON object, with --watch one a line"),
      cl::cat(commands.cluster), cl::sub(commands.statusCommand)};
  NumberOption<double> watch{
      "watch",
      cl::desc("Show the state again after so many seconds, until all is done"),
      cl::value_desc("seconds"), cl::cat(commands.cluster),
      cl::sub(commands.statusCommand)};
  cl::opt<std::string> log{
      "log", cl::desc("Append each state to a file too, as JSON lines"),
      cl::value_desc("file"), cl::cat(commands.cluster),
      cl::sub(commands.statusCommand)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_CLUSTERFLAGS_H
