//===- Report.cpp - Records as an HTML page -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group is a problem on a platform. The page has a summary of all groups,
// which SQL computes, and for each group a compressed block with its records.
// The page unpacks a block when its group is chosen. A million records have
// about twenty megabytes. lib/Tuner/Report/page/data.js reads the data.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Report.h"
#include "Report/PageFiles.h"
#include "Report/ReportColumns.h"
#include "Report/ReportRuns.h"
#include "Report/ReportWaves.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {
namespace {

std::string getPlatformText(const Platform &p) {
  return join(
      ArrayRef<StringRef>{p.chip, p.device, p.driver, p.ptxas, p.tcgemm}, "\n");
}

/// The peak rates of a board of the chip; 0 if the chip is not known.
std::pair<double, double> getRoofline(StringRef chip,
                                      const ReportOptions &options) {
  double peak = options.peakTflops, bandwidth = options.bandwidthGBs;
  if (Expected<const ChipInfo &> info = lookupChip(chip); info) {
    const ChipSpeed &speed = info->speed;
    if (peak == 0)
      peak = 2e-3 * speed.macsPerClock * speed.clockGHz *
             static_cast<double>(speed.numSMs);
    if (bandwidth == 0)
      bandwidth = speed.dramGBs;
  } else {
    consumeError(info.takeError()); // Imported records may have any chip.
  }
  return {peak, bandwidth};
}

class ReportWriter {
public:
  ReportWriter(const Store &store, ArrayRef<ReportSource> sources,
               const ReportOptions &options, raw_ostream &os)
      : store(store), sources(sources), options(options), os(os) {}

  Error run();

private:
  struct Group {
    RecordSummary summary;
    unsigned problem = 0, platform = 0;
    std::optional<Record> best;
    uint64_t ties = 0;
  };

  RecordFilter getFilter() const {
    RecordFilter filter;
    filter.chip = options.chip;
    return filter;
  }
  static std::string getKey(const TuningProblem &problem,
                            const Platform &platform) {
    return problem.str() + "\n" + getPlatformText(platform);
  }
  Error readGroups();
  Error readRuns();
  Error writeBlocks();
  void writeBlock(std::vector<Record> records);

  void writeSummary(json::OStream &json) const;
  void writePlatforms(json::OStream &json) const;
  void writeProblems(json::OStream &json) const;
  void writeGroups(json::OStream &json) const;
  void writeRuns(json::OStream &json) const;
  void writeBaselines(json::OStream &json) const;

  const Store &store;
  ArrayRef<ReportSource> sources;
  const ReportOptions &options;
  raw_ostream &os;
  std::vector<Group> groups;
  StringMap<unsigned> groupIndices, problemIndices, platformIndices;
  /// The first group of each.
  std::vector<unsigned> problems, platforms;
  /// Empty unless there are at least two.
  std::vector<ReportRun> runs;
};

Error ReportWriter::readGroups() {
  Expected<std::vector<RecordSummary>> summaries = store.summarize(getFilter());
  if (!summaries)
    return summaries.takeError();
  auto number = [&](StringMap<unsigned> &indices, std::vector<unsigned> &firsts,
                    StringRef text) {
    auto [entry, isNew] = indices.try_emplace(text, firsts.size());
    if (isNew)
      firsts.push_back(groups.size());
    return entry->second;
  };
  for (RecordSummary &summary : *summaries) {
    groupIndices[getKey(summary.problem, summary.platform)] = groups.size();
    unsigned problem = number(problemIndices, problems, summary.problem.str());
    unsigned platform =
        number(platformIndices, platforms, getPlatformText(summary.platform));
    Group group;
    group.summary = std::move(summary);
    group.problem = problem;
    group.platform = platform;
    groups.push_back(std::move(group));
  }
  Expected<std::vector<Record>> best = store.getBest(getFilter());
  if (!best)
    return best.takeError();
  for (Record &record : *best) {
    if (record.timing.median <= 0)
      continue;
    Group &group =
        groups[groupIndices.lookup(getKey(record.problem, record.platform))];
    Expected<uint64_t> ties = store.countTies(record);
    if (!ties)
      return ties.takeError();
    group.ties = *ties;
    group.best = std::move(record);
  }
  return Error::success();
}

Error ReportWriter::readRuns() {
  Expected<std::vector<ReportRun>> found = listRuns(sources, options);
  if (!found)
    return found.takeError();
  if (found->size() > 1)
    runs = std::move(*found);
  return Error::success();
}

void ReportWriter::writeBlock(std::vector<Record> records) {
  if (records.empty())
    return;
  unsigned index = groupIndices.lookup(
      getKey(records.front().problem, records.front().platform));
  GroupDetails details(std::move(records), options.details);
  os << "<script type=\"text/plain\" id=\"group-" << index << "\">"
     << encodeBlock(details.write()) << "</script>\n";
}

Error ReportWriter::writeBlocks() {
  if (options.details == 0)
    return Error::success();
  std::vector<Record> records;
  Error error = store.forEach(getFilter(), [&](Record record) {
    if (!records.empty() &&
        (record.problem.str() != records.front().problem.str() ||
         !(record.platform == records.front().platform)))
      writeBlock(std::exchange(records, {}));
    records.push_back(std::move(record));
    return Error::success();
  });
  if (error)
    return error;
  writeBlock(std::move(records));
  return Error::success();
}

void ReportWriter::writePlatforms(json::OStream &json) const {
  json.attributeArray("platforms", [&] {
    for (unsigned first : platforms)
      json.object([&] {
        const Platform &platform = groups[first].summary.platform;
        auto [peak, bandwidth] = getRoofline(platform.chip, options);
        json.attribute("chip", platform.chip);
        json.attribute("device", platform.device);
        json.attribute("driver", platform.driver);
        json.attribute("ptxas", platform.ptxas);
        json.attribute("tcgemm", platform.tcgemm);
        json.attribute("peak", peak);
        json.attribute("bandwidth", bandwidth);
      });
  });
}

void ReportWriter::writeProblems(json::OStream &json) const {
  json.attributeArray("problems", [&] {
    for (unsigned first : problems)
      json.object([&] {
        const TuningProblem &problem = groups[first].summary.problem;
        const KernelSpec &kernel = problem.kernel;
        json.attribute("kernel", kernel.str());
        kernel.writeAttributes(json);
        json.attribute("static", kernel.isStatic);
        problem.sizes.writeAttributes(json);
        json.attribute("tag", json::fixUTF8(problem.tag));
        json.attribute("flops", problem.getFlops());
        json.attribute("bytes", problem.getLeastBytes());
      });
  });
}

/// Columns, one value for each group. `best` counts the configurations of the
/// groups that have one.
void ReportWriter::writeGroups(json::OStream &json) const {
  MapVector<StringRef, NumberColumn> columns;
  ConfigColumns configs;
  double next = 0;
  for (const Group &group : groups) {
    auto put = [&](StringRef name, auto value) {
      columns[name].push_back(static_cast<double>(value));
    };
    put("problem", group.problem);
    put("platform", group.platform);
    put("timed", group.summary.numTimed);
    put("ties", group.ties);
    put("last", group.summary.last);
    for (unsigned i = 0; i != kNumOutcomes; ++i)
      put(getOutcomeName(static_cast<Outcome>(i)), group.summary.counts[i]);
    Timing timing = group.best ? group.best->timing : Timing();
    put("best", group.best ? next++ : -1);
    put("time", timing.median);
    put("low", timing.low);
    put("high", timing.high);
    put("stage", timing.stage);
    WaveCounts waves = group.best ? countWaves(*group.best) : WaveCounts();
    put("tiles", waves.tiles);
    put("places", waves.places);
    if (group.best)
      configs.add(group.best->config);
  }
  json.attributeObject("groups", [&] {
    for (const auto &[name, column] : columns)
      writeNumbers(json, name, column);
  });
  configs.write(json);
}

/// Each run has columns, one value for each of its problems. The configurations
/// of all runs are numbered in one sequence.
void ReportWriter::writeRuns(json::OStream &json) const {
  ConfigColumns configs;
  double next = 0;
  json.attributeObject("runs", [&] {
    json.attributeArray("list", [&] {
      for (const ReportRun &run : runs) {
        NumberColumn problem, config, time, low, high, stage;
        for (const Record &record : run.best) {
          // A file may have got records since `store` was read.
          auto found = problemIndices.find(record.problem.str());
          if (found == problemIndices.end())
            continue;
          problem.push_back(found->second);
          config.push_back(next++);
          time.push_back(record.timing.median);
          low.push_back(record.timing.low);
          high.push_back(record.timing.high);
          stage.push_back(static_cast<double>(record.timing.stage));
          configs.add(record.config);
        }
        json.object([&] {
          json.attribute("source", json::fixUTF8(run.source));
          json.attribute("chip", run.platform.chip);
          json.attribute("device", run.platform.device);
          json.attribute("driver", run.platform.driver);
          json.attribute("ptxas", run.platform.ptxas);
          json.attribute("tcgemm", run.platform.tcgemm);
          json.attribute("period", run.period);
          json.attribute("last", run.last);
          writeNumbers(json, "problem", problem);
          writeNumbers(json, "config", config);
          writeNumbers(json, "time", time);
          writeNumbers(json, "low", low);
          writeNumbers(json, "high", high);
          writeNumbers(json, "stage", stage);
        });
      }
    });
    configs.write(json);
  });
}

void ReportWriter::writeBaselines(json::OStream &json) const {
  json.attribute("baseline",
                 options.baseline ? json::fixUTF8(options.baseline->name) : "");
  json.attributeArray("baselines", [&] {
    if (!options.baseline)
      return;
    for (const Group &group : groups)
      if (std::optional<double> us = options.baseline->find(
              group.summary.problem, group.summary.platform.device))
        json.object([&] {
          json.attribute("problem", group.problem);
          json.attribute("platform", group.platform);
          json.attribute("us", *us);
        });
  });
}

void ReportWriter::writeSummary(json::OStream &json) const {
  json.object([&] {
    json.attribute(
        "made",
        formatv("{0:%Y-%m-%d %H:%M}", std::chrono::system_clock::now()).str());
    json.attribute("tcgemm", getGeneratorVersion());
    json.attribute("reload", options.reloadSeconds);
    json.attributeArray("sources", [&] {
      for (const ReportSource &source : sources)
        json.value(json::fixUTF8(source.name));
    });
    json.attributeArray("parameters", [&] {
      for (StringRef key : KernelConfig::keys())
        json.value(key);
    });
    json.attributeArray("outcomes", [&] {
      for (unsigned i = 0; i != kNumOutcomes; ++i)
        json.value(getOutcomeName(static_cast<Outcome>(i)));
    });
    json.attributeArray("stages", [&] {
      for (unsigned i = 0; i <= unsigned(TimingStage::Model); ++i)
        json.value(getTimingStageName(static_cast<TimingStage>(i)));
    });
    writePlatforms(json);
    writeProblems(json);
    writeBaselines(json);
    writeGroups(json);
    writeRuns(json);
  });
}

Error ReportWriter::run() {
  if (Error error = readGroups())
    return error;
  if (Error error = readRuns())
    return error;
  // Each script uses declarations of previous scripts.
  std::string script;
  for (StringRef name :
       {"data.js", "plot.js", "table.js", "summary.js", "waves.js",
        "compare.js", "explore.js", "parameters.js", "scatter.js", "main.js"})
    script += getFileText(getPageFiles(), name).str();
  StringRef rest = getFileText(getPageFiles(), "report.html");
  auto writeUpTo = [&](StringRef mark) {
    auto [before, after] = rest.split(mark);
    os << before;
    rest = after;
  };
  writeUpTo("<!--@RELOAD@-->");
  if (options.reloadSeconds)
    os << "<meta http-equiv=\"refresh\" content=\"" << options.reloadSeconds
       << "\">\n";
  writeUpTo("/*@STYLE@*/");
  os << getFileText(getPageFiles(), "report.css");
  writeUpTo("/*@BLOCKS@*/");
  if (Error error = writeBlocks())
    return error;
  // Behind the blocks, because it says which groups have one.
  writeUpTo("/*@DATA@*/");
  std::string data;
  raw_string_ostream stream(data);
  json::OStream json(stream);
  writeSummary(json);
  // No text may end the HTML element of the data.
  for (char c : data)
    c == '<' ? os << "\\u003c" : os << c;
  writeUpTo("/*@SCRIPT@*/");
  os << script << rest;
  return Error::success();
}

} // namespace

Error writeReport(const Store &store, ArrayRef<ReportSource> sources,
                  const ReportOptions &options, raw_ostream &os) {
  ReportWriter writer(store, sources, options, os);
  // Other processes may write at the same time.
  return store.readSnapshot([&] { return writer.run(); });
}

} // namespace tcgemm
