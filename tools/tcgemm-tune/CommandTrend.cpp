//===- CommandTrend.cpp - tcgemm-tune trend -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrendFlags.h"
#include "tcgemm/Tuner/Trend.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <ctime>

using namespace tcgemm;
using llvm::Expected;
using llvm::formatv;
using llvm::json::Object;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string getLabel(size_t version) {
  return "v" + std::to_string(version + 1);
}

/// The day of a timestamp in UTC, whatever the place of the machine.
static std::string getDay(int64_t timestamp) {
  std::time_t seconds = timestamp;
  std::tm parts = {};
  std::array<char, 32> text = {};
  if (!::gmtime_r(&seconds, &parts))
    return std::to_string(timestamp);
  return {text.data(),
          std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

static void printVersions(const DeviceTrend &trend) {
  llvm::outs() << trend.device << ", " << trend.chip << '\n';
  for (auto [i, version] : llvm::enumerate(trend.versions))
    llvm::outs() << formatv("  {0}  {1}, first record {2}, {3} "
                            "problems\n",
                            getLabel(i), version.name, getDay(version.first),
                            version.problems);
}

static void printRow(const TrendRow &row, size_t width) {
  llvm::outs() << llvm::left_justify(row.problem.str(), width);
  for (const std::optional<Record> &best : row.best)
    llvm::outs() << formatv(" {0,10}",
                            best ? formatv("{0:f2}", best->timing.median).str()
                                 : std::string("-"));
  std::string ratio = "-", interval = "-";
  if (row.ratio) {
    ratio = formatv("{0:f3}", row.ratio->ratio);
    interval = formatv("{0:f3} to {1:f3}", row.ratio->low, row.ratio->high);
  }
  llvm::outs() << formatv(" {0,8} {1,16}  {2}{3}\n", ratio, interval,
                          getVerdictName(row.verdict),
                          row.hasOtherTools() ? " *" : "");
}

static void printTotals(const DeviceTrend &trend, llvm::StringRef ratio) {
  if (llvm::any_of(trend.rows,
                   [](const TrendRow &row) { return row.hasOtherTools(); }))
    llvm::outs() << "* another driver or ptxas\n";
  uint64_t compared = llvm::count_if(
      trend.rows, [](const TrendRow &row) { return row.ratio.has_value(); });
  if (trend.mean)
    llvm::outs() << formatv("geometric mean of {0}, {1} problems: {2:f3} "
                            "({3:f3} to {4:f3})\n",
                            ratio, compared, trend.mean->ratio, trend.mean->low,
                            trend.mean->high);
  llvm::ListSeparator separator;
  for (unsigned i = 0; i != kNumTrendVerdicts; ++i)
    llvm::outs() << separator << getVerdictName(static_cast<TrendVerdict>(i))
                 << ' ' << trend.counts[i];
  llvm::outs() << '\n';
  if (trend.onlyFirst + trend.onlyLast > 0)
    llvm::outs() << formatv("not compared: {0} problems with a result only in "
                            "v1, {1} only in {2}\n",
                            trend.onlyFirst, trend.onlyLast,
                            getLabel(trend.versions.size() - 1));
}

static std::string getIntervalTitle(double confidence) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%g", confidence) << "% interval";
  return text;
}

static void printTrend(const DeviceTrend &trend, double confidence) {
  printVersions(trend);
  size_t width = 8;
  for (const TrendRow &row : trend.rows)
    width = std::max(width, row.problem.str().size());
  std::string ratio = getLabel(trend.versions.size() - 1) + "/v1";
  llvm::outs() << llvm::left_justify("problem", width);
  for (size_t i = 0; i != trend.versions.size(); ++i)
    llvm::outs() << formatv(" {0,10}", getLabel(i) + ", us");
  llvm::outs() << formatv(" {0,8} {1,16}  verdict\n", ratio,
                          getIntervalTitle(confidence));
  for (const TrendRow &row : trend.rows)
    printRow(row, width);
  printTotals(trend, ratio);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void addInterval(Object &object, llvm::StringRef name,
                        const std::optional<RatioInterval> &ratio) {
  if (!ratio)
    return;
  object[name] = ratio->ratio;
  object["low"] = ratio->low;
  object["high"] = ratio->high;
}

static Object describeDevice(const DeviceTrend &trend) {
  return Object{{"device", trend.device},
                {"chip", trend.chip},
                {"from", trend.versions.front().name},
                {"to", trend.versions.back().name}};
}

static void printTrendJSON(const DeviceTrend &trend) {
  for (const TrendRow &row : trend.rows) {
    Object object = describeDevice(trend);
    object["problem"] = row.problem.str();
    object["tag"] = row.problem.tag;
    object["verdict"] = getVerdictName(row.verdict);
    object["other_tools"] = row.hasOtherTools();
    llvm::json::Array versions;
    for (auto [version, best] : llvm::zip_equal(trend.versions, row.best)) {
      Object cell{{"tcgemm", version.name}};
      if (best) {
        cell["microseconds"] = best->timing.median;
        cell["samples"] = best->timing.samples.size();
        cell["stage"] = getTimingStageName(best->timing.stage);
        cell["driver"] = best->platform.driver;
        cell["ptxas"] = best->platform.ptxas;
        cell["config"] = best->config.str();
      }
      versions.push_back(std::move(cell));
    }
    object["versions"] = std::move(versions);
    addInterval(object, "ratio", row.ratio);
    llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
  }
  Object object = describeDevice(trend);
  object["problems"] = trend.rows.size();
  object["only_from"] = trend.onlyFirst;
  object["only_to"] = trend.onlyLast;
  Object counts;
  for (unsigned i = 0; i != kNumTrendVerdicts; ++i)
    counts[getVerdictName(static_cast<TrendVerdict>(i))] = trend.counts[i];
  object["verdicts"] = std::move(counts);
  addInterval(object, "geometric_mean", trend.mean);
  llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
}

int tcgemm::runTrend(const TrendFlags &flags) {
  constexpr double percent = 0.01;
  TrendOptions options;
  options.from = flags.from;
  options.to = flags.to;
  options.device = flags.device;
  options.threshold = flags.threshold * percent;
  options.confidence = flags.confidence * percent;
  std::vector<std::string> sources(flags.sources.begin(), flags.sources.end());
  Expected<std::unique_ptr<Store>> store = openRecords(sources);
  if (!store)
    return fail(store.takeError(), kExitBadInput);
  Expected<std::vector<DeviceTrend>> trends = computeTrend(**store, options);
  if (!trends)
    return fail(trends.takeError(), kExitBadInput);
  bool hasRows = false, hasRegression = false;
  for (const DeviceTrend &trend : *trends) {
    hasRows |= !trend.rows.empty();
    hasRegression |= trend.hasRegression();
    if (flags.shared.output.format == OutputStyle::JSONLines)
      printTrendJSON(trend);
    else
      printTrend(trend, flags.confidence);
  }
  if (!hasRows)
    return fail(llvm::createStringError(
                    "no device has records of a problem in both versions"),
                kExitNoConfig);
  return hasRegression ? kExitRegression : kExitSuccess;
}
