//===- CommandQuery.cpp - Answers from a database -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Screen.h"
#include "Selection.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Tuner/Exchange.h"
#include "llvm/Support/FileSystem.h"

using namespace tcgemm;
using llvm::Expected;

/// A configuration without a measurement has no outcome.
static void printJSON(const Record &record, llvm::StringRef source,
                      bool isMeasured = true) {
  llvm::json::Object object = toJSON(record);
  if (std::optional<double> joules = record.getJoules())
    object["joules"] = *joules;
  if (std::optional<double> efficiency = record.getTflopsPerWatt())
    object["tflops_per_watt"] = *efficiency;
  if (!source.empty())
    object["source"] = source;
  if (!isMeasured)
    object.erase("outcome");
  llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
}

/// `source` is where the record is from; empty: the database.
static void print(const Flags &flags, const Record &record,
                  llvm::StringRef source) {
  if (flags.output.format == OutputStyle::JSONLines)
    return printJSON(record, source);
  llvm::outs() << record.problem.str() << ": " << formatTime(record) << ", "
               << formatConfig(record.config) << "\n  "
               << record.platform.device << ", " << record.platform.chip << ", "
               << record.platform.driver << ", tcgemm "
               << record.platform.tcgemm << ", measured "
               << getTimingStageName(record.timing.stage)
               << (source.empty() ? "" : ", ") << source << '\n';
  if (std::string groups = formatGroups(record.problem); !groups.empty())
    llvm::outs() << "  " << groups << '\n';
  if (record.state.isKnown())
    llvm::outs() << "  " << formatState(record) << '\n';
}

static void print(const Flags &flags, const Prediction &prediction) {
  const Record &record = prediction.record;
  if (flags.output.format == OutputStyle::JSONLines)
    return printJSON(record, prediction.source, /*isMeasured=*/false);
  llvm::outs() << record.problem.str() << ": not measured, "
               << formatConfig(record.config) << "\n  " << record.platform.chip
               << ", " << prediction.source << '\n';
}

/// The answer for a problem that is not in the database: a shipped record, or
/// else a prediction.
static llvm::Error printShipped(const Flags &flags,
                                const TuningProblem &problem) {
  Expected<std::vector<Record>> shipped = getShippedRecords();
  if (!shipped)
    return shipped.takeError();
  std::vector<Record> records = selectProblem(flags, *shipped, problem);
  for (const RecordGroup &group : groupRecords(records))
    if (const Record *best = findBest(group))
      print(flags, *best, "of the shipped records");
  if (!records.empty())
    return llvm::Error::success();
  Expected<Prediction> prediction = predictRecord(
      problem,
      flags.device.chip.empty() ? "sm_90a" : flags.device.chip.getValue());
  if (!prediction)
    return prediction.takeError();
  print(flags, *prediction);
  return llvm::Error::success();
}

/// Prints the best records of the database that match, for each problem and
/// platform. Returns their number.
static Expected<size_t> printBest(const Flags &flags, const Store &store,
                                  const TuningProblem *problem) {
  RecordFilter filter;
  filter.chip = flags.device.chip;
  if (problem) {
    filter.kernel = problem->kernel;
    filter.sizes = problem->sizes;
  }
  Expected<std::vector<Record>> best = store.getBest(filter);
  if (!best)
    return best.takeError();
  for (const Record &record : *best)
    print(flags, record, "");
  return best->size();
}

int tcgemm::runBest(const Flags &flags) {
  Expected<std::vector<TuningProblem>> wanted = readGivenProblems(flags);
  if (!wanted)
    return fail(wanted.takeError(), kExitBadInput);
  bool mayUseShipped = !isDatabaseGiven(flags) && !wanted->empty();
  std::unique_ptr<Store> store;
  if (!mayUseShipped || llvm::sys::fs::exists(flags.output.database)) {
    auto opened = Store::open(flags.output.database, Store::Mode::ReadOnly);
    if (!opened)
      return fail(opened.takeError(), kExitBadInput);
    store = std::move(*opened);
  }
  std::vector<const TuningProblem *> asked;
  for (const TuningProblem &problem : *wanted)
    asked.push_back(&problem);
  if (asked.empty())
    asked.push_back(nullptr);
  bool hasAny = false;
  for (const TuningProblem *problem : asked) {
    size_t count = 0;
    if (store) {
      Expected<size_t> printed = printBest(flags, *store, problem);
      if (!printed)
        return fail(printed.takeError(), kExitBadInput);
      count = *printed;
    }
    hasAny |= count > 0 || mayUseShipped;
    if (count > 0 || !mayUseShipped)
      continue;
    if (llvm::Error error = printShipped(flags, *problem))
      return fail(std::move(error), kExitNoConfig);
  }
  if (hasAny)
    return kExitSuccess;
  return fail(
      llvm::createStringError("no record in '" + flags.output.database + "'" +
                              (wanted->empty() ? "" : " of this shape")),
      kExitNoConfig);
}
