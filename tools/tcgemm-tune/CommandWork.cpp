//===- CommandWork.cpp - Tasks of a cluster ----------------------------------
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandWork.h"

#include "../common/FlagRange.h"
#include "Screen.h"
#include "WorkShards.h"
#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Tuner/Launcher.h"
#include "tcgemm/Tuner/WorkRunner.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {

/// Prints the shards of a task as lines, and its records as JSON.
class WorkScreen : public WorkObserver {
public:
  WorkScreen(const TaskPlace &place, bool isJSON)
      : prefix(formatv("[task {0}] ", place.rank)), isJSON(isJSON) {}

  void beginShard(const Shard &shard, unsigned number) override {
    numRecords = numFailures = 0;
    if (number > 0)
      llvm::errs() << prefix << shard.id.substr(0, 8)
                   << ": continues what another task began\n";
  }
  void record(const Record &record) override {
    ++numRecords;
    numFailures += !record.isSuccess();
    if (!isJSON)
      return;
    llvm::json::Object event = toJSON(record);
    event["event"] = "record";
    llvm::outs() << llvm::json::Value(std::move(event)) << '\n';
  }
  void endShard(const Shard &shard, bool isComplete) override {
    llvm::errs() << prefix << shard.id.substr(0, 8) << " of "
                 << shard.problem.str() << ": " << numRecords << " measured, "
                 << numFailures << " failed"
                 << (isComplete ? "" : ", not complete") << '\n';
  }

private:
  std::string prefix;
  bool isJSON;
  uint64_t numRecords = 0, numFailures = 0;
};

} // namespace

/// A database of this task alone. Unless the user names one, it is SQLite's
/// database without a name, which leaves no file if the task is killed.
static Expected<std::unique_ptr<Store>> openTaskStore(const Flags &flags) {
  bool isNamed = flags.output.database.getNumOccurrences() > 0;
  std::string path = flags.output.database;
  return Store::open(isNamed ? path : "", Store::Mode::ReadWrite);
}

/// What does not go with a work list.
static Error checkWorkFlags(const Flags &flags, const TuneInputs &inputs) {
  auto refuse = [](const llvm::Twine &flag, llvm::StringRef why) {
    return llvm::createStringError(flag + " does not go with --work: " + why);
  };
  if (!flags.search.budget.empty())
    return refuse("--budget", "a work list has all candidates of the spaces");
  if (flags.search.strategy.getNumOccurrences() > 0 &&
      flags.search.strategy != "exhaustive")
    return refuse("--strategy=" + flags.search.strategy,
                  "a work list has all candidates, in the order of their "
                  "hashes; use exhaustive");
  if (Error error = checkFlagRange(flags.cluster.shardSize, 1, 100000))
    return error;
  if (Error error =
          checkFlagRange(flags.cluster.shareTimeout, 0.001, 86400, " s"))
    return error;
  return checkFlagRange(flags.cluster.lease, 1, 86400, " s");
}

/// The device of a task: with `cuda`, that of its rank among the tasks of the
/// node.
static Expected<std::string> chooseDevice(llvm::StringRef device,
                                          const TaskPlace &place) {
  if (device == "cuda" && place.localRank == 0)
    return device.str();
  Expected<std::vector<std::string>> devices =
      expandDevices(device == "cuda" ? "cuda:all" : device);
  if (!devices)
    return devices.takeError();
  return (*devices)[place.localRank % devices->size()];
}

/// Opens the folder and finds what does not work with it.
static Expected<WorkFolder> openFolder(const Flags &flags,
                                       const TaskPlace &place) {
  Expected<WorkFolder> folder = WorkFolder::open(
      flags.cluster.work, {flags.cluster.lease, getGeneratorVersion()});
  if (!folder)
    return folder.takeError();
  Expected<double> difference = folder->getClockDifference();
  if (!difference)
    return difference.takeError();
  constexpr double most = 5;
  if (std::abs(*difference) > most)
    llvm::errs() << formatv(
        "tcgemm-tune: warning: the clock of this node differs from that of the "
        "folder by {0:f0} s, more than {1:f0} s; leases use the folder's "
        "clock, "
        "but the times of records are wrong\n",
        *difference, most);
  if (place.isSimultaneous && place.size > 1)
    if (Error error = folder->checkShared(place.job, place.rank,
                                          flags.cluster.shareTimeout))
      return std::move(error);
  return folder;
}

static int work(const Flags &flags, const TuneInputs &inputs,
                const TaskPlace &place, WorkFolder &folder,
                Evaluator &evaluator) {
  bool isCompilation = flags.device.compileOnly;
  Platform platform = evaluator.getPlatform();
  if (isCompilation) {
    // The work of these tasks is not that of tasks with a device.
    platform.driver =
        platform.device.empty() ? "compilation" : "compilation to PTX";
    platform.device.clear();
  }
  Expected<std::unique_ptr<WorkShards>> source =
      WorkShards::create(flags, inputs, folder, platform);
  if (!source)
    return fail(source.takeError(), kExitBadInput);
  if (Error error = (*source)->announce())
    return fail(std::move(error), kExitRunFailed);
  WorkScreen screen(place, flags.output.format == OutputStyle::JSONLines);
  WorkOptions options;
  options.path = flags.cluster.work;
  options.leaseSeconds = flags.cluster.lease;
  options.rank = place.rank;
  options.size = place.size;
  options.finalists = inputs.options.finalists;
  options.keepsRecords = !isCompilation;
  options.interrupted = inputs.engine.interrupted;
  Expected<WorkSummary> summary =
      runWork(folder, **source, evaluator, options, screen);
  if (!summary) {
    Error error = summary.takeError();
    bool isDevice = error.isA<DeviceError>();
    return fail(std::move(error), isDevice ? kExitNoDevice : kExitRunFailed);
  }
  llvm::errs() << formatv(
      "tcgemm-tune: task {0}: {1} candidates, {2} shards in {3}, of which the "
      "work list took {4:f2} s\n",
      place.rank, summary->candidates, summary->shards,
      formatSeconds(summary->seconds), summary->folderSeconds);
  if (summary->isComplete && (*source)->getNumCandidates() == 0)
    return fail(llvm::createStringError("no configuration of the spaces is "
                                        "legal for any problem: --count shows "
                                        "what excludes them"),
                kExitRunFailed);
  if (summary->isComplete)
    return kExitSuccess;
  llvm::errs() << "tcgemm-tune: interrupted; another task or the same command "
                  "continues from here\n";
  return kExitInterrupted;
}

int tcgemm::runWorkTask(const Flags &flags, TuneInputs &inputs,
                        const std::atomic<bool> &interrupted) {
  if (Error error = checkWorkFlags(flags, inputs))
    return fail(std::move(error), kExitBadInput);
  Expected<TaskPlace> place =
      readTaskPlace(flags.cluster.launcher, [](llvm::StringRef name) {
        return name.empty() ? std::nullopt : llvm::sys::Process::GetEnv(name);
      });
  if (!place)
    return fail(place.takeError(), kExitBadInput);
  Expected<WorkFolder> folder = openFolder(flags, *place);
  if (!folder)
    return fail(folder.takeError(), kExitBadInput);
  bool isCompilation = flags.device.compileOnly;
  if (!isCompilation) {
    Expected<std::string> device = chooseDevice(inputs.engine.device, *place);
    if (!device)
      return fail(device.takeError(), kExitNoDevice);
    inputs.engine.device = *device;
  }
  inputs.engine.interrupted = &interrupted;
  inputs.engine.workFolder = flags.cluster.work;
  Expected<std::unique_ptr<Store>> store = openTaskStore(flags);
  if (!store)
    return fail(store.takeError(), kExitRunFailed);
  Expected<std::unique_ptr<Evaluator>> engine =
      isCompilation ? createCompileEngine(**store, inputs.engine)
                    : createEngine(**store, inputs.engine);
  if (!engine)
    return fail(engine.takeError(), kExitNoDevice);
  return work(flags, inputs, *place, *folder, **engine);
}
