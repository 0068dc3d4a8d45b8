//===- CommandReport.cpp - tcgemm-tune report -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/FlagRange.h"
#include "ExchangeFlags.h"
#include "TuneInputs.h"
#include "tcgemm/Store/Timestamp.h"
#include "tcgemm/Target/OutputFile.h"
#include "tcgemm/Tuner/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <tuple>

using namespace tcgemm;
using llvm::Expected;
using llvm::StringRef;

/// The baseline of the option; by default the shipped times.
static Expected<std::optional<Baseline>> chooseBaseline(StringRef option) {
  if (option == "none")
    return std::nullopt;
  Expected<Baseline> baseline = readBaseline(option);
  if (!baseline)
    return baseline.takeError();
  return std::move(*baseline);
}

/// The number of an option, or `all`.
static Expected<uint64_t> parseDetails(StringRef text) {
  if (text == "all")
    return ReportOptions().details;
  uint64_t count = 0;
  if (text.getAsInteger(10, count))
    return llvm::createStringError("--details = '" + text +
                                   "', but it must be a number or all");
  return count;
}

static Expected<bool> hasNoRecords(const Store &store, StringRef chip) {
  RecordFilter filter;
  filter.chip = chip.str();
  filter.limit = 1;
  bool isEmpty = true;
  if (llvm::Error error = store.forEach(filter, [&](const Record &) {
        isEmpty = false;
        return llvm::Error::success();
      }))
    return std::move(error);
  return isEmpty;
}

/// Reads the flags that need no records.
static Expected<ReportOptions> readOptions(const ExchangeFlags &flags) {
  for (const NumberOption<double> *rate :
       {&flags.peakTflops, &flags.bandwidthGBs})
    if (llvm::Error error = checkFlagRange(*rate, 0, 1e9))
      return std::move(error);
  if (flags.watch && flags.reportOutput == "-")
    return llvm::createStringError(
        "--watch writes a page again and again, so -o must name a file");
  ReportOptions options;
  options.peakTflops = flags.peakTflops;
  options.bandwidthGBs = flags.bandwidthGBs;
  Expected<std::optional<Baseline>> baseline = chooseBaseline(flags.baseline);
  if (!baseline)
    return baseline.takeError();
  options.baseline = std::move(*baseline);
  Expected<uint64_t> details = parseDetails(flags.details);
  if (!details)
    return details.takeError();
  options.details = *details;
  options.chip = flags.shared.device.chip;
  options.reloadSeconds = flags.watch;
  if (!flags.split.empty()) {
    options.split = parseTime(flags.split);
    if (!options.split)
      return llvm::createStringError("--split = '" + flags.split +
                                     "', but it must be a time such as "
                                     "2026-11-21 or 2026-11-21T18:34:26");
  }
  return options;
}

/// The name of a file, or its path if another one has the same name.
static std::string getSourceName(StringRef path,
                                 llvm::ArrayRef<std::string> paths) {
  StringRef name = llvm::sys::path::filename(path);
  bool isUnique = llvm::none_of(paths, [&](StringRef other) {
    return other != path && llvm::sys::path::filename(other) == name;
  });
  return (isUnique ? name : path).str();
}

/// Writes the page once, and returns the exit code.
static int writePage(const ExchangeFlags &flags, const ReportOptions &options,
                     const std::vector<std::string> &paths) {
  // Copies and merged databases have the same records; one of each is shown.
  Expected<std::unique_ptr<Store>> store = openRecords(paths);
  if (!store)
    return fail(store.takeError(), kExitBadInput);
  Expected<bool> isEmpty = hasNoRecords(**store, options.chip);
  if (!isEmpty)
    return fail(isEmpty.takeError(), kExitRunFailed);
  if (*isEmpty)
    return fail(llvm::createStringError("there are no records to report"),
                kExitNoConfig);
  // Runs are those of single files, without merging.
  std::vector<std::unique_ptr<Store>> files;
  std::vector<ReportSource> sources;
  for (const std::string &path : paths) {
    const Store *source = store->get();
    if (paths.size() > 1) {
      Expected<std::unique_ptr<Store>> file = openRecords(path);
      if (!file)
        return fail(file.takeError(), kExitBadInput);
      source = files.emplace_back(std::move(*file)).get();
    }
    sources.push_back({getSourceName(path, paths), source});
  }
  bool isRead = true;
  llvm::Error error = writeOutputFile(
      flags.reportOutput, [&](llvm::raw_ostream &os) -> llvm::Error {
        llvm::Error failure = writeReport(**store, sources, options, os);
        isRead = !failure;
        return failure;
      });
  if (!error)
    return kExitSuccess;
  if (!isRead)
    return fail(std::move(error), kExitRunFailed);
  return fail(
      llvm::createStringError("cannot write " + toString(std::move(error))),
      kExitBadInput);
}

namespace {

/// The time and the size of a file of records, and of the second file that
/// SQLite writes first. One of them changes when records are written.
using FileState = std::tuple<llvm::sys::TimePoint<>, uint64_t>;

std::vector<FileState> getStates(const std::vector<std::string> &paths) {
  std::vector<FileState> states;
  for (const std::string &path : paths)
    for (const std::string &file : {path, path + "-wal"}) {
      llvm::sys::fs::file_status status;
      if (llvm::sys::fs::status(file, status))
        states.emplace_back();
      else
        states.emplace_back(status.getLastModificationTime(), status.getSize());
    }
  return states;
}

} // namespace

/// Writes the page whenever the files have changed, until SIGINT or SIGTERM.
static int watchRecords(const ExchangeFlags &flags,
                        const ReportOptions &options,
                        const std::vector<std::string> &paths) {
  const std::atomic<bool> &isInterrupted = catchInterrupts();
  std::vector<FileState> before;
  auto next = std::chrono::steady_clock::now();
  while (!isInterrupted) {
    // Before the records are read, so that no change is missed.
    std::vector<FileState> now = getStates(paths);
    if (now != before) {
      if (int code = writePage(flags, options, paths))
        return code;
      before = std::move(now);
    }
    next += std::chrono::seconds(flags.watch);
    while (!isInterrupted && std::chrono::steady_clock::now() < next)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return kExitInterrupted;
}

int tcgemm::runReport(const ExchangeFlags &flags) {
  Expected<ReportOptions> options = readOptions(flags);
  if (!options)
    return fail(options.takeError(), kExitBadInput);
  // A file that is named twice is one source.
  std::vector<std::string> paths;
  for (const std::string &path : flags.reported)
    if (!llvm::is_contained(paths, path))
      paths.push_back(path);
  return flags.watch ? watchRecords(flags, *options, paths)
                     : writePage(flags, *options, paths);
}
