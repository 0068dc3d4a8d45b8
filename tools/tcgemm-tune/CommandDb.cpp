//===- CommandDb.cpp - Looking after databases ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "tcgemm/Tuner/WorkFolder.h"
#include "llvm/Support/FileSystem.h"

using namespace tcgemm;
using llvm::Expected;
using llvm::StringRef;

static int printStats(const Store &store, OutputStyle style) {
  Expected<StoreStats> stats = store.getStats();
  if (!stats)
    return fail(stats.takeError(), kExitRunFailed);
  llvm::json::Object object{
      {"problems", stats->problems},   {"configs", stats->configs},
      {"platforms", stats->platforms}, {"builds", stats->builds},
      {"binaries", stats->binaries},   {"binary_bytes", stats->binaryBytes}};
  for (unsigned i = 0; i != kNumOutcomes; ++i)
    object[("records_" + getOutcomeName(static_cast<Outcome>(i))).str()] =
        stats->records[i];
  if (style == OutputStyle::JSONLines)
    llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
  else
    for (const auto &entry : object)
      llvm::outs() << entry.first.str() << ' ' << entry.second << '\n';
  return kExitSuccess;
}

static int runVerify(const Store &store) {
  Expected<std::vector<std::string>> problems = store.verify();
  if (!problems)
    return fail(problems.takeError(), kExitRunFailed);
  for (const std::string &problem : *problems)
    llvm::outs() << problem << '\n';
  if (problems->empty())
    llvm::outs() << "ok\n";
  return problems->empty() ? kExitSuccess : kExitRunFailed;
}

/// Adds the records of a work list, which is a folder.
static Expected<uint64_t> mergeWork(Store &store, const std::string &source) {
  Expected<WorkRecords> all = readWorkRecords(source);
  if (!all)
    return all.takeError();
  if (all->incompleteLines > 0)
    llvm::errs() << "tcgemm-tune: note: " << source << ": "
                 << all->incompleteLines
                 << " incomplete lines of tasks that were killed are left "
                    "out\n";
  return store.merge(all->records);
}

static int runMerge(Store &store, llvm::ArrayRef<std::string> sources) {
  for (const std::string &source : sources) {
    if (llvm::sys::fs::is_directory(source)) {
      Expected<uint64_t> added = mergeWork(store, source);
      if (!added)
        return fail(added.takeError(), kExitBadInput);
      llvm::outs() << source << ": " << *added << " rows added\n";
      continue;
    }
    Expected<std::unique_ptr<Store>> other =
        Store::open(source, Store::Mode::ReadOnly);
    if (!other)
      return fail(other.takeError(), kExitBadInput);
    Expected<uint64_t> added = store.merge(**other);
    if (!added)
      return fail(added.takeError(), kExitRunFailed);
    llvm::outs() << source << ": " << *added << " rows added\n";
  }
  return kExitSuccess;
}

int tcgemm::runDb(const Flags &flags) {
  StringRef action = flags.output.dbArguments[0];
  size_t count = flags.output.dbArguments.size();
  bool isMerge = action == "merge";
  if (!isMerge && action != "stats" && action != "verify" && action != "prune")
    return fail(llvm::createStringError("db: '" + action +
                                        "' is none of stats, verify, prune, "
                                        "merge"),
                kExitBadInput);
  if (isMerge ? count < 3 : count != 2)
    return fail(llvm::createStringError(
                    "db " + action + " takes " +
                    (isMerge ? "a database and those to add" : "a database")),
                kExitBadInput);
  // Commands that only read do not change the file.
  bool writes = isMerge || action == "prune";
  Expected<std::unique_ptr<Store>> store =
      Store::open(flags.output.dbArguments[1],
                  writes ? Store::Mode::ReadWrite : Store::Mode::ReadOnly);
  if (!store)
    return fail(store.takeError(), kExitBadInput);
  if (action == "stats")
    return printStats(**store, flags.output.format);
  if (action == "verify")
    return runVerify(**store);
  if (isMerge)
    return runMerge(**store,
                    llvm::ArrayRef<std::string>(
                        &*flags.output.dbArguments.begin() + 2, count - 2));
  Expected<uint64_t> removed =
      (*store)->prune(flags.output.pruneVersions ? getGeneratorVersion() : "");
  if (!removed)
    return fail(removed.takeError(), kExitRunFailed);
  llvm::outs() << *removed << " rows and files removed\n";
  return kExitSuccess;
}
