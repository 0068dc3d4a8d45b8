//===- CommandReport.cpp - tcgemm-tune report -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExchangeFlags.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Tuner/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
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

/// The key of a record in a database.
static std::string getKey(const Record &record) {
  const Platform &p = record.platform;
  return llvm::join(llvm::ArrayRef<std::string>{record.problem.str(),
                                                record.config.str(), p.chip,
                                                p.device, p.driver, p.ptxas,
                                                p.tcgemm},
                    "\n");
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
  std::vector<Record> records;
  llvm::StringSet<> known;
  const std::string &chip = flags.shared.device.chip;
  for (const std::string &source : flags.reported) {
    Expected<std::vector<Record>> more = readAllRecords(source);
    if (!more)
      return fail(more.takeError(), kExitBadInput);
    // Copies and merged databases have the same records.
    for (Record &record : *more)
      if ((chip.empty() || record.platform.chip == chip) &&
          known.insert(getKey(record)).second)
        records.push_back(std::move(record));
    options.sources.push_back(llvm::sys::path::filename(source).str());
  }
  if (records.empty())
    return fail(llvm::createStringError("there are no records to report"),
                kExitNoConfig);
  return writeOutput(flags.reportOutput, [&](llvm::raw_ostream &os) {
    writeReport(records, options, os);
  });
}
