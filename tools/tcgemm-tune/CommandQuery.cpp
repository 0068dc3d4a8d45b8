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

/// The best records of the database, for each problem and platform.
static Expected<std::vector<Record>> readBest(const Flags &flags) {
  RecordFilter filter;
  filter.chip = flags.device.chip;
  Expected<std::unique_ptr<Store>> store =
      Store::open(flags.output.database, Store::Mode::ReadOnly);
  if (!store)
    return store.takeError();
  return (*store)->getBest(filter);
}

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
  Expected<Prediction> prediction = predictRecord(flags, problem);
  if (!prediction)
    return prediction.takeError();
  print(flags, *prediction);
  return llvm::Error::success();
}

int tcgemm::runBest(const Flags &flags) {
  Expected<std::vector<TuningProblem>> wanted = readGivenProblems(flags);
  if (!wanted)
    return fail(wanted.takeError(), kExitBadInput);
  bool mayUseShipped = !isDatabaseGiven(flags) && !wanted->empty();
  std::vector<Record> known;
  if (!mayUseShipped || llvm::sys::fs::exists(flags.output.database)) {
    Expected<std::vector<Record>> best = readBest(flags);
    if (!best)
      return fail(best.takeError(), kExitBadInput);
    known = std::move(*best);
  }
  bool hasAny = false;
  if (wanted->empty())
    for (const Record &record : known) {
      hasAny = true;
      print(flags, record, "");
    }
  for (const TuningProblem &problem : *wanted) {
    std::vector<Record> records = selectProblem(flags, known, problem);
    for (const Record &record : records)
      print(flags, record, "");
    hasAny |= !records.empty() || mayUseShipped;
    if (!records.empty() || !mayUseShipped)
      continue;
    if (llvm::Error error = printShipped(flags, problem))
      return fail(std::move(error), kExitNoConfig);
  }
  if (hasAny)
    return kExitSuccess;
  return fail(
      llvm::createStringError("no record in '" + flags.output.database + "'" +
                              (wanted->empty() ? "" : " of this shape")),
      kExitNoConfig);
}
