//===- CommandReport.cpp - tcgemm-tune report -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExchangeFlags.h"
#include "tcgemm/Tuner/Report.h"
#include "llvm/Support/Path.h"

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

int tcgemm::runReport(const ExchangeFlags &flags) {
  if (flags.peakTflops < 0 || flags.bandwidthGBs < 0)
    return fail(llvm::createStringError(
                    "--peak-tflops and --bandwidth-gbs must not be negative"),
                kExitBadInput);
  ReportOptions options;
  options.peakTflops = flags.peakTflops;
  options.bandwidthGBs = flags.bandwidthGBs;
  Expected<std::optional<Baseline>> baseline = chooseBaseline(flags.baseline);
  if (!baseline)
    return fail(baseline.takeError(), kExitBadInput);
  options.baseline = std::move(*baseline);
  Expected<uint64_t> details = parseDetails(flags.details);
  if (!details)
    return fail(details.takeError(), kExitBadInput);
  options.details = *details;
  options.chip = flags.shared.device.chip;
  std::vector<std::string> paths(flags.reported.begin(), flags.reported.end());
  for (const std::string &path : paths)
    options.sources.push_back(llvm::sys::path::filename(path).str());
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
  bool isRead = true;
  llvm::Error error = llvm::writeToOutput(
      flags.reportOutput, [&](llvm::raw_ostream &os) -> llvm::Error {
        llvm::Error failure = writeReport(**store, options, os);
        isRead = !failure;
        return failure;
      });
  if (!error)
    return kExitSuccess;
  if (!isRead)
    return fail(std::move(error), kExitRunFailed);
  return fail(llvm::createStringError("cannot write '" + flags.reportOutput +
                                      "': " + toString(std::move(error))),
              kExitBadInput);
}
