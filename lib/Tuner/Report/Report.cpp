//===- Report.cpp - Records as an HTML page -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page's data are columns, with dictionaries for repeated values. Twenty
// thousand records have about two megabytes. lib/Tuner/Report/page/data.js
// reads them.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Report.h"
#include "Report/PageFiles.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace tcgemm {
namespace {

/// Texts and their indices, in order of appearance.
class Dictionary {
public:
  /// The index, and whether the text is new.
  std::pair<unsigned, bool> insert(StringRef text) {
    auto [entry, isNew] = indices.try_emplace(text, texts.size());
    if (isNew)
      texts.push_back(text.str());
    return {entry->second, isNew};
  }
  unsigned getIndex(StringRef text) { return insert(text).first; }
  size_t size() const { return texts.size(); }
  void write(json::OStream &json) const {
    json.array([&] {
      for (const std::string &text : texts)
        json.value(json::fixUTF8(text));
    });
  }

private:
  StringMap<unsigned> indices;
  std::vector<std::string> texts;
};

/// Five digits exceed the precision of a time, and need fewer bytes than all
/// digits.
void writeNumbers(json::OStream &json, StringRef name,
                  const std::vector<double> &values) {
  json.attributeBegin(name);
  json.rawValue([&](raw_ostream &os) {
    os << '[';
    ListSeparator separator(",");
    for (double value : values) {
      os << separator;
      bool isInteger = std::abs(value) < 1e15 && value == std::floor(value);
      if (isInteger)
        os << static_cast<int64_t>(value);
      else
        os << format("%.5g", value);
    }
    os << ']';
  });
  json.attributeEnd();
}

/// Collects the page's data from records.
class ReportData {
public:
  ReportData(ArrayRef<Record> records, const ReportOptions &options)
      : options(options) {
    for (const Record &record : records)
      start = std::min(start, record.timestamp);
    for (const Record &record : records)
      add(record);
  }

  void write(json::OStream &json) const;

private:
  using Column = std::vector<double>;

  void add(const Record &record);
  unsigned getConfig(const KernelConfig &config);
  void writeConfigs(json::OStream &json) const;
  void writePlatforms(json::OStream &json) const;
  void writeProblems(json::OStream &json) const;
  void writeBaselines(json::OStream &json) const;

  const ReportOptions &options;
  int64_t start = std::numeric_limits<int64_t>::max();
  Dictionary messages, variants, configTexts, problemTexts, platformTexts;
  std::vector<const TuningProblem *> problems;
  std::vector<const Platform *> platforms;
  std::vector<std::string> hashes;
  /// By parameter: the texts of its values, and one for each configuration.
  std::vector<Dictionary> values;
  std::vector<Column> valueIndices;
  MapVector<StringRef, Column> columns;
};

unsigned ReportData::getConfig(const KernelConfig &config) {
  auto [index, isNew] = configTexts.insert(config.str());
  if (!isNew)
    return index;
  hashes.push_back(config.hash());
  ArrayRef<StringRef> keys = KernelConfig::keys();
  values.resize(keys.size());
  valueIndices.resize(keys.size());
  for (auto [key, dictionary, indices] : zip_equal(keys, values, valueIndices))
    indices.push_back(dictionary.getIndex(config.get(key)));
  return index;
}

void ReportData::add(const Record &record) {
  const Platform &p = record.platform;
  auto [problem, isNewProblem] = problemTexts.insert(record.problem.str());
  if (isNewProblem)
    problems.push_back(&record.problem);
  auto [platform, isNewPlatform] = platformTexts.insert(
      join(ArrayRef<StringRef>{p.chip, p.device, p.driver, p.ptxas, p.tcgemm},
           "\n"));
  if (isNewPlatform)
    platforms.push_back(&p);
  auto put = [&](StringRef name, double value) {
    columns[name].push_back(value);
  };
  put("problem", problem);
  put("platform", platform);
  put("config", getConfig(record.config));
  put("outcome", static_cast<double>(record.outcome));
  put("stage", static_cast<double>(record.timing.stage));
  put("time", record.timing.median);
  put("low", record.timing.low);
  put("high", record.timing.high);
  put("registers", static_cast<double>(record.resources.registers));
  put("spill", static_cast<double>(record.resources.spillBytes));
  put("shared", static_cast<double>(record.resources.sharedMemory));
  put("threads", static_cast<double>(record.resources.threads));
  put("workspace", static_cast<double>(record.resources.workspace));
  put("compile", record.costs.compile);
  put("verify", record.costs.verify);
  put("measure", record.costs.measure);
  put("timestamp", static_cast<double>(record.timestamp - start));
  // Messages of compilers can be long; the first lines suffice.
  put("message", messages.getIndex(StringRef(record.message).take_front(400)));
  put("variant", variants.getIndex(record.variant));
}

void ReportData::writeConfigs(json::OStream &json) const {
  json.attributeObject("configs", [&] {
    json.attributeArray("hash", [&] {
      for (const std::string &hash : hashes)
        json.value(hash);
    });
    json.attributeObject("values", [&] {
      if (hashes.empty())
        return;
      for (auto [i, key] : enumerate(KernelConfig::keys()))
        json.attributeObject(key, [&, i = i] {
          json.attributeBegin("names");
          values[i].write(json);
          json.attributeEnd();
          writeNumbers(json, "index",
                       values[i].size() > 1 ? valueIndices[i] : Column());
        });
    });
  });
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

void ReportData::writePlatforms(json::OStream &json) const {
  json.attributeArray("platforms", [&] {
    for (const Platform *platform : platforms)
      json.object([&] {
        auto [peak, bandwidth] = getRoofline(platform->chip, options);
        json.attribute("chip", platform->chip);
        json.attribute("device", platform->device);
        json.attribute("driver", platform->driver);
        json.attribute("ptxas", platform->ptxas);
        json.attribute("tcgemm", platform->tcgemm);
        json.attribute("peak", peak);
        json.attribute("bandwidth", bandwidth);
      });
  });
}

void ReportData::writeProblems(json::OStream &json) const {
  json.attributeArray("problems", [&] {
    for (const TuningProblem *problem : problems)
      json.object([&] {
        const KernelSpec &kernel = problem->kernel;
        json.attribute("kernel", kernel.str());
        kernel.writeAttributes(json);
        json.attribute("static", kernel.isStatic);
        problem->sizes.writeAttributes(json);
        json.attribute("tag", json::fixUTF8(problem->tag));
        json.attribute("flops", problem->getFlops());
        json.attribute("bytes", problem->getLeastBytes());
      });
  });
}

void ReportData::writeBaselines(json::OStream &json) const {
  json.attribute("baseline",
                 options.baseline ? json::fixUTF8(options.baseline->name) : "");
  json.attributeArray("baselines", [&] {
    if (!options.baseline)
      return;
    for (auto [p, problem] : enumerate(problems))
      for (auto [f, platform] : enumerate(platforms))
        if (std::optional<double> us =
                options.baseline->find(*problem, platform->device))
          json.object([&, p = p, f = f] {
            json.attribute("problem", p);
            json.attribute("platform", f);
            json.attribute("us", *us);
          });
  });
}

void ReportData::write(json::OStream &json) const {
  json.object([&] {
    json.attribute(
        "made",
        formatv("{0:%Y-%m-%d %H:%M}", std::chrono::system_clock::now()).str());
    json.attribute("tcgemm", getGeneratorVersion());
    json.attribute("start", start);
    json.attributeArray("sources", [&] {
      for (const std::string &source : options.sources)
        json.value(json::fixUTF8(source));
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
    writeConfigs(json);
    json.attributeBegin("messages");
    messages.write(json);
    json.attributeEnd();
    json.attributeBegin("variants");
    variants.write(json);
    json.attributeEnd();
    json.attributeObject("records", [&] {
      for (const auto &[name, column] : columns)
        writeNumbers(json, name, column);
    });
  });
}

} // namespace

void writeReport(ArrayRef<Record> records, const ReportOptions &options,
                 raw_ostream &os) {
  std::string data;
  raw_string_ostream stream(data);
  json::OStream json(stream);
  ReportData(records, options).write(json);
  // No text may end the HTML element of the data.
  for (size_t at = 0; (at = data.find('<', at)) != std::string::npos; ++at)
    data.replace(at, 1, "\\u003c");
  // Each script uses declarations of previous scripts.
  std::string script;
  for (StringRef name : {"data.js", "plot.js", "summary.js", "explore.js",
                         "scatter.js", "main.js"})
    script += getFileText(getPageFiles(), name).str();
  StringRef rest = getFileText(getPageFiles(), "report.html");
  for (auto [mark, text] :
       {std::pair<StringRef, StringRef>(
            "/*@STYLE@*/", getFileText(getPageFiles(), "report.css")),
        {"/*@DATA@*/", data},
        {"/*@SCRIPT@*/", script}}) {
    auto [before, after] = rest.split(mark);
    os << before << text;
    rest = after;
  }
  os << rest;
}

} // namespace tcgemm
