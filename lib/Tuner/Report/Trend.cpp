//===- Trend.cpp - Times of several versions ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Trend.h"
#include "Report/RatioInterval.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>
#include <tuple>

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral kVerdicts[] = {"faster", "slower", "same",
                                       "not enough data", "failed"};
static_assert(std::size(kVerdicts) == kNumTrendVerdicts);

/// The records of a problem with a version.
struct Cell {
  std::optional<Record> best; ///< Of those that were measured.
  bool hasSuccess = false;    ///< Of a model's times, too.
};

/// What is known of a device.
struct DeviceRecords {
  std::string device, chip;
  std::vector<TrendVersion> versions;
  /// By the problem's text.
  MapVector<StringRef, TuningProblem> problems;
  /// By version and problem.
  StringMap<StringMap<Cell>> cells;

  const Cell *find(StringRef version, StringRef problem) const {
    auto ofVersion = cells.find(version);
    if (ofVersion == cells.end())
      return nullptr;
    auto cell = ofVersion->second.find(problem);
    return cell == ofVersion->second.end() ? nullptr : &cell->second;
  }
};

/// Finalists have the most precise times.
bool isBetter(const Record &record, const Record &than) {
  auto rank = [](const Record &r) {
    return std::tuple(r.timing.stage != TimingStage::Final, r.timing.median);
  };
  return rank(record) < rank(than);
}

class TrendReader {
public:
  TrendReader(const Store &store, const TrendOptions &options)
      : store(store), options(options) {}
  /// The devices in the order of their first records.
  Expected<std::vector<DeviceRecords>> read();

private:
  DeviceRecords &getDevice(const Platform &platform) {
    DeviceRecords &found = devices[{platform.device, platform.chip}];
    found.device = platform.device;
    found.chip = platform.chip;
    return found;
  }
  bool isWanted(const Platform &platform) const {
    return StringRef(platform.device).contains_insensitive(options.device);
  }
  void add(const RecordSummary &summary);
  Error checkDevices(ArrayRef<RecordSummary> summaries) const;

  const Store &store;
  const TrendOptions &options;
  MapVector<std::pair<std::string, std::string>, DeviceRecords,
            std::map<std::pair<std::string, std::string>, unsigned>>
      devices;
};

void TrendReader::add(const RecordSummary &summary) {
  DeviceRecords &device = getDevice(summary.platform);
  const std::string &name = summary.platform.tcgemm;
  auto version = find_if(device.versions,
                         [&](const TrendVersion &v) { return v.name == name; });
  if (version == device.versions.end())
    version = device.versions.insert(version, {name, summary.first, 0});
  version->first = std::min(version->first, summary.first);
  Cell &cell = device.cells[name][summary.problem.str()];
  cell.hasSuccess |= summary.counts[unsigned(Outcome::Success)] > 0;
}

Error TrendReader::checkDevices(ArrayRef<RecordSummary> summaries) const {
  if (summaries.empty())
    return createStringError("there are no records");
  if (!devices.empty())
    return Error::success();
  std::set<std::string> names;
  for (const RecordSummary &summary : summaries)
    names.insert(summary.platform.device);
  return createStringError("no device's name contains '" + options.device +
                           "'; the devices are " + join(names, ", "));
}

Expected<std::vector<DeviceRecords>> TrendReader::read() {
  Expected<std::vector<RecordSummary>> summaries = store.summarize({});
  if (!summaries)
    return summaries.takeError();
  for (const RecordSummary &summary : *summaries)
    if (isWanted(summary.platform))
      add(summary);
  if (Error error = checkDevices(*summaries))
    return std::move(error);
  Expected<std::vector<Record>> best = store.getBest({});
  if (!best)
    return best.takeError();
  for (Record &record : *best) {
    // A model's times are not measured.
    if (!isWanted(record.platform) || record.timing.median <= 0 ||
        record.timing.stage == TimingStage::Model)
      continue;
    Cell &cell = getDevice(record.platform)
                     .cells[record.platform.tcgemm][record.problem.str()];
    if (!cell.best || isBetter(record, *cell.best))
      cell.best = std::move(record);
  }
  std::vector<DeviceRecords> list;
  for (auto &[key, device] : devices) {
    for (TrendVersion &version : device.versions)
      version.problems = device.cells[version.name].size();
    llvm::sort(device.versions,
               [](const TrendVersion &a, const TrendVersion &b) {
                 return std::tie(a.first, a.name) < std::tie(b.first, b.name);
               });
    list.push_back(std::move(device));
  }
  // In the order of the first records, as the store lists them.
  for (const RecordSummary &summary : *summaries)
    for (DeviceRecords &device : list)
      if (device.device == summary.platform.device &&
          device.chip == summary.platform.chip)
        device.problems.insert({device.cells[summary.platform.tcgemm]
                                    .find(summary.problem.str())
                                    ->first(),
                                summary.problem});
  return list;
}

/// The version that a text names: by itself, or by how it or its fingerprint
/// begins.
Expected<std::string> findVersion(StringRef text,
                                  ArrayRef<DeviceRecords> devices) {
  std::set<std::string> all, found;
  for (const DeviceRecords &device : devices)
    for (const TrendVersion &version : device.versions) {
      StringRef name = version.name;
      all.insert(version.name);
      if (name == text)
        return version.name;
      if (name.starts_with(text) || name.split('+').second.starts_with(text))
        found.insert(version.name);
    }
  if (found.empty())
    return createStringError("no record has the version '" + text +
                             "'; the versions are " + join(all, ", "));
  if (found.size() > 1)
    return createStringError("version '" + text + "' is one of " +
                             join(found, ", ") + ": give more of it");
  return *found.begin();
}

/// The positions of the compared versions of a device. None if it lacks one.
std::optional<std::pair<size_t, size_t>>
chooseVersions(ArrayRef<TrendVersion> versions, StringRef from, StringRef to) {
  auto find = [&](StringRef name) {
    return find_if(versions,
                   [&](const TrendVersion &v) { return v.name == name; }) -
           versions.begin();
  };
  size_t last = to.empty() ? versions.size() - 1 : find(to);
  if (last >= versions.size() || (from.empty() && last == 0))
    return std::nullopt;
  size_t first = from.empty() ? last - 1 : find(from);
  if (first >= versions.size() || first == last)
    return std::nullopt;
  return std::pair(first, last);
}

TrendVerdict judge(const RatioInterval &ratio, double threshold) {
  double most = 1 + threshold, least = 1 / most;
  if (ratio.low > most)
    return TrendVerdict::Slower;
  if (ratio.high < least)
    return TrendVerdict::Faster;
  return ratio.low >= least && ratio.high <= most ? TrendVerdict::Same
                                                  : TrendVerdict::Unclear;
}

/// The row of a problem; none if a version lacks it, which is counted.
std::optional<TrendRow> makeRow(const DeviceRecords &device,
                                const TuningProblem &problem,
                                const TrendOptions &options,
                                DeviceTrend &trend) {
  TrendRow row;
  row.problem = problem;
  std::string name = problem.str();
  auto find = [&](const TrendVersion &version) {
    return device.find(version.name, name);
  };
  const Cell *first = find(trend.versions.front()),
             *last = find(trend.versions.back());
  bool hasFirst = first && first->best, hasLast = last && last->best;
  bool isFailed = hasFirst && last && !last->hasSuccess;
  if (!hasFirst || (!hasLast && !isFailed)) {
    trend.onlyFirst += hasFirst;
    trend.onlyLast += hasLast;
    return std::nullopt;
  }
  for (const TrendVersion &version : trend.versions) {
    const Cell *cell = find(version);
    row.best.push_back(cell ? cell->best : std::nullopt);
  }
  if (isFailed) {
    row.verdict = TrendVerdict::Failed;
    return row;
  }
  row.ratio = estimateRatio(first->best->timing.samples,
                            last->best->timing.samples, options.confidence);
  if (row.ratio)
    row.verdict = judge(*row.ratio, options.threshold);
  return row;
}

DeviceTrend compare(const DeviceRecords &device, size_t first, size_t last,
                    const TrendOptions &options) {
  DeviceTrend trend;
  trend.device = device.device;
  trend.chip = device.chip;
  trend.versions.assign(device.versions.begin() + std::min(first, last),
                        device.versions.begin() + std::max(first, last) + 1);
  // A comparison with an older version is possible, too.
  if (first > last)
    std::reverse(trend.versions.begin(), trend.versions.end());
  std::vector<RatioInterval> ratios;
  for (const auto &[name, problem] : device.problems) {
    std::optional<TrendRow> row = makeRow(device, problem, options, trend);
    if (!row)
      continue;
    ++trend.counts[unsigned(row->verdict)];
    if (row->ratio)
      ratios.push_back(*row->ratio);
    trend.rows.push_back(std::move(*row));
  }
  trend.mean = getGeometricMean(ratios, options.confidence);
  return trend;
}

/// Written so that a NaN fails.
Error checkRange(const char *name, double value, double least, double most) {
  if (value >= least && value <= most)
    return Error::success();
  return createStringError(
      "the %s is %g %%, but it must be from %g %% to %g %%", name, 100 * value,
      100 * least, 100 * most);
}

} // namespace

StringRef getVerdictName(TrendVerdict verdict) {
  return kVerdicts[static_cast<unsigned>(verdict)];
}

bool TrendRow::hasOtherTools() const {
  if (best.empty() || !best.front() || !best.back())
    return false;
  const Platform &a = best.front()->platform, &b = best.back()->platform;
  return a.driver != b.driver || a.ptxas != b.ptxas;
}

Expected<std::vector<DeviceTrend>> computeTrend(const Store &store,
                                                const TrendOptions &options) {
  if (Error error = checkRange("threshold", options.threshold, 0, 1))
    return std::move(error);
  if (Error error = checkRange("confidence", options.confidence, 0.5, 0.9999))
    return std::move(error);
  Expected<std::vector<DeviceRecords>> devices =
      TrendReader(store, options).read();
  if (!devices)
    return devices.takeError();
  std::string from, to;
  for (auto [text, name] :
       {std::pair(&options.from, &from), std::pair(&options.to, &to)}) {
    if (text->empty())
      continue;
    Expected<std::string> found = findVersion(*text, *devices);
    if (!found)
      return found.takeError();
    *name = std::move(*found);
  }
  if (!from.empty() && from == to)
    return createStringError("both versions are '" + from + "'");
  std::vector<DeviceTrend> trends;
  for (const DeviceRecords &device : *devices)
    if (auto chosen = chooseVersions(device.versions, from, to))
      trends.push_back(compare(device, chosen->first, chosen->second, options));
  return trends;
}

} // namespace tcgemm
