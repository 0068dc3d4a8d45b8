//===- CommandStatus.cpp - tcgemm-tune status -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One display for all tasks of a work list, on any machine that sees its
// folder.
//
//===----------------------------------------------------------------------===//

#include "../common/FlagRange.h"
#include "Flags.h"
#include "Screen.h"
#include "tcgemm/Tuner/WorkFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <thread>
#include <unistd.h>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

static llvm::json::Object describe(const WorkStatus &status) {
  llvm::json::Array problems;
  for (const WorkStatus::Problem &problem : status.problems) {
    llvm::json::Object object{{"problem", problem.name},
                              {"shards", problem.shards},
                              {"done_shards", problem.doneShards},
                              {"claimed_shards", problem.claimedShards},
                              {"expired_shards", problem.expiredShards},
                              {"candidates", problem.candidates},
                              {"measured", problem.measured},
                              {"failed", problem.failed}};
    if (problem.isCompilation)
      object["compilation"] = true;
    if (problem.best)
      object["best"] = toJSON(*problem.best);
    problems.push_back(std::move(object));
  }
  llvm::json::Object object{{"tasks", status.tasks},
                            {"shards", status.shards},
                            {"done_shards", status.doneShards},
                            {"candidates", status.candidates},
                            {"measured", status.measured},
                            {"failed", status.failed},
                            {"unlisted_problems", status.unlisted},
                            {"incomplete_lines", status.incompleteLines},
                            {"problems", std::move(problems)}};
  if (status.secondsLeft >= 0)
    object["seconds_left"] = status.secondsLeft;
  return object;
}

static void print(llvm::raw_ostream &os, const WorkStatus &status) {
  for (const WorkStatus::Problem &problem : status.problems) {
    os << formatv(
        "{0}: {1} of {2} {3}, {4} failed; shards: {5} of {6} done, {7} "
        "claimed, {8} expired\n",
        problem.name, problem.measured, problem.candidates,
        problem.isCompilation ? "compiled" : "measured", problem.failed,
        problem.doneShards, problem.shards, problem.claimedShards,
        problem.expiredShards);
    if (problem.best)
      os << "  best " << formatTime(*problem.best) << ", "
         << formatConfig(problem.best->config) << '\n';
  }
  os << formatv("all: {0} of {1} candidates, {2} failed; {3} of {4} shards "
                "done\n{5} tasks have written records",
                status.measured, status.candidates, status.failed,
                status.doneShards, status.shards, status.tasks);
  if (status.unlisted > 0)
    os << formatv(", {0} problems are not begun", status.unlisted);
  if (status.incompleteLines > 0)
    os << formatv(", {0} incomplete lines", status.incompleteLines);
  if (status.secondsLeft > 0)
    os << ", " << formatSeconds(status.secondsLeft) << " to go";
  os << '\n';
}

/// Appends a state to the file of --log.
static Error writeLog(const std::string &path, const WorkStatus &status) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code, llvm::sys::fs::OF_Append);
  if (!code) {
    os << llvm::json::Value(describe(status)) << '\n';
    os.flush();
    code = os.error();
    os.clear_error();
  }
  if (!code)
    return Error::success();
  return llvm::createStringError("cannot write '" + path +
                                 "': " + code.message());
}

/// Shows a state. On a terminal, it replaces the one before.
static Error show(const Flags &flags, const WorkStatus &status) {
  if (!flags.cluster.log.empty())
    if (Error error = writeLog(flags.cluster.log, status))
      return error;
  llvm::raw_fd_ostream &os = llvm::outs();
  if (flags.cluster.json) {
    os << llvm::json::Value(describe(status)) << '\n';
  } else {
    bool isRedrawn = flags.cluster.watch.getNumOccurrences() > 0 &&
                     ::isatty(STDOUT_FILENO) != 0;
    if (isRedrawn) // To the first column of the first line; deletes the rest.
      os << "\033[H\033[J";
    print(os, status);
  }
  os.flush();
  return Error::success();
}

int tcgemm::runStatus(const Flags &flags) {
  bool isWatched = flags.cluster.watch.getNumOccurrences() > 0;
  if (isWatched)
    if (Error error = checkFlagRange(flags.cluster.watch, 0.1, 86400, " s"))
      return fail(std::move(error), kExitBadInput);
  if (Error error = checkFlagRange(flags.cluster.lease, 1, 86400, " s"))
    return fail(std::move(error), kExitBadInput);
  WorkStatusReader reader(flags.cluster.statusFolder, flags.cluster.lease);
  while (true) {
    Expected<WorkStatus> status = reader.read();
    if (!status)
      return fail(status.takeError(), kExitBadInput);
    if (Error error = show(flags, *status))
      return fail(std::move(error), kExitRunFailed);
    bool isDone = status->shards > 0 && status->unlisted == 0 &&
                  status->doneShards == status->shards;
    if (!isWatched || isDone)
      return kExitSuccess;
    std::this_thread::sleep_for(
        std::chrono::duration<double>(flags.cluster.watch));
  }
}
