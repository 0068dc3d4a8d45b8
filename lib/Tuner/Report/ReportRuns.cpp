//===- ReportRuns.cpp - The runs that a page compares ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/ReportRuns.h"
#include "tcgemm/Store/Timestamp.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

using namespace llvm;

namespace tcgemm {
namespace {

/// The order of `Store::getBest`: finalists have the most precise times.
bool isFaster(const Record &a, const Record &b) {
  auto getKey = [](const Record &record) {
    return std::tuple(record.timing.stage != TimingStage::Final,
                      record.timing.median, record.config.str());
  };
  return getKey(a) < getKey(b);
}

/// Collects the runs of one file.
class RunBuilder {
public:
  RunBuilder(const ReportSource &source, const ReportOptions &options)
      : source(source), options(options) {
    filter.chip = options.chip;
    filter.outcome = Outcome::Success;
  }

  Expected<std::vector<ReportRun>> run();

private:
  using Key = std::tuple<std::string, std::string, std::string, std::string,
                         std::string, bool>;
  void add(Record record);
  Error readBest();
  Error readAll();

  const ReportSource &source;
  const ReportOptions &options;
  RecordFilter filter;
  std::map<Key, ReportRun> runs;
  std::map<std::pair<Key, std::string>, size_t> positions;
};

void RunBuilder::add(Record record) {
  if (record.timing.median <= 0)
    return;
  const Platform &p = record.platform;
  bool isLater = options.split && record.timestamp >= *options.split;
  Key key(p.chip, p.device, p.driver, p.ptxas, p.tcgemm, isLater);
  auto [entry, isNew] = runs.try_emplace(key);
  ReportRun &run = entry->second;
  if (isNew) {
    run.source = source.name;
    run.platform = p;
    if (options.split)
      run.period =
          (isLater ? "since " : "before ") + formatTimestamp(*options.split);
  }
  run.last = std::max(run.last, record.timestamp);
  auto [position, isFirst] = positions.try_emplace(
      std::pair(key, record.problem.str()), run.best.size());
  if (isFirst)
    run.best.push_back(std::move(record));
  else if (isFaster(record, run.best[position->second]))
    run.best[position->second] = std::move(record);
}

/// Asks the index, which knows the best records but not those of a period.
Error RunBuilder::readBest() {
  Expected<std::vector<Record>> best = source.store->getBest(filter);
  if (!best)
    return best.takeError();
  for (Record &record : *best)
    add(std::move(record));
  return Error::success();
}

Error RunBuilder::readAll() {
  return source.store->forEach(filter, [&](Record record) {
    add(std::move(record));
    return Error::success();
  });
}

Expected<std::vector<ReportRun>> RunBuilder::run() {
  if (Error error = options.split ? readAll() : readBest())
    return std::move(error);
  std::vector<ReportRun> list;
  list.reserve(runs.size());
  for (auto &[key, run] : runs)
    list.push_back(std::move(run));
  llvm::sort(list, [](const ReportRun &a, const ReportRun &b) {
    auto getOrder = [](const ReportRun &run) {
      const Platform &p = run.platform;
      return std::tuple(run.last, p.chip, p.device, p.driver, p.ptxas, p.tcgemm,
                        run.period);
    };
    return getOrder(a) < getOrder(b);
  });
  return list;
}

} // namespace

Expected<std::vector<ReportRun>> listRuns(ArrayRef<ReportSource> sources,
                                          const ReportOptions &options) {
  std::vector<ReportRun> runs;
  for (const ReportSource &source : sources) {
    Expected<std::vector<ReportRun>> found = RunBuilder(source, options).run();
    if (!found)
      return found.takeError();
    llvm::append_range(runs, std::move(*found));
  }
  return runs;
}

} // namespace tcgemm
