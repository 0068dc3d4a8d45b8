//===- ExportRecords.cpp - Records for other tuners' tools ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/FlatConfig.h"
#include "tcgemm/Tuner/Exchange.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr double kMicroPerMilli = 1000;

/// The name of a failure in Kernel Tuner.
StringRef getKernelTunerError(Outcome outcome) {
  switch (outcome) {
  case Outcome::Success:
    return "";
  case Outcome::Constraints:
  case Outcome::Pruned:
    return "InvalidConfig";
  case Outcome::Compile:
  case Outcome::CompileTimeout:
    return "CompilationFailedConfig";
  case Outcome::Memory:
  case Outcome::Runtime:
  case Outcome::Timeout:
  case Outcome::Correctness:
  case Outcome::Crash:
    return "RuntimeFailedConfig";
  }
  return "RuntimeFailedConfig";
}

StringRef getT4Invalidity(Outcome outcome) {
  switch (outcome) {
  case Outcome::Success:
    return "correct";
  case Outcome::Constraints:
  case Outcome::Pruned:
    return "constraints";
  case Outcome::Compile:
  case Outcome::CompileTimeout:
    return "compile";
  case Outcome::Timeout:
    return "timeout";
  case Outcome::Correctness:
    return "correctness";
  case Outcome::Memory:
  case Outcome::Runtime:
  case Outcome::Crash:
    return "runtime";
  }
  return "runtime";
}

json::Array getMilliseconds(ArrayRef<double> samples) {
  json::Array array;
  for (double sample : samples)
    array.push_back(sample / kMicroPerMilli);
  return array;
}

std::string getCacheKey(ArrayRef<FlatParameter> parameters) {
  SmallVector<std::string> texts;
  for (const FlatParameter &parameter : parameters)
    texts.push_back(parameter.value.getPythonText());
  return join(texts, ",");
}

void writeCacheRow(json::OStream &json, const Record &record,
                   ArrayRef<FlatParameter> parameters) {
  for (const FlatParameter &parameter : parameters)
    json.attribute(parameter.name, parameter.value.getJSON());
  StringRef failure = getKernelTunerError(record.outcome);
  if (failure.empty()) {
    json.attribute("time", record.timing.median / kMicroPerMilli);
    json.attribute("times", getMilliseconds(record.timing.samples));
    json.attribute("GFLOP/s", 1000 * record.getTflops());
  } else {
    json.attribute("time", failure);
    json.attribute("__error__", failure);
  }
  json.attribute("registers", record.resources.registers);
  json.attribute("shared_memory", record.resources.sharedMemory);
  json.attribute("compile_time", record.costs.compile);
  json.attribute("verification_time", record.costs.verify);
  json.attribute("benchmark_time", record.costs.measure);
  json.attribute("strategy_time", 0.0);
  json.attribute("framework_time", 0.0);
  json.attribute("timestamp", formatTimestamp(record.timestamp));
}

void writeTuneParams(json::OStream &json, const RecordGroup &records,
                     ArrayRef<FlatParameter> names) {
  json.attributeArray("tune_params_keys", [&] {
    for (const FlatParameter &parameter : names)
      json.value(parameter.name);
  });
  // The values that occur; numbers are sorted by size.
  std::vector<std::vector<FlatValue>> values(names.size());
  for (const Record &record : records)
    for (auto [list, parameter] : zip_equal(values, flatten(record.config)))
      if (none_of(list, [&, &text = parameter.value.text](const FlatValue &v) {
            return v.text == text;
          }))
        list.push_back(parameter.value);
  json.attributeObject("tune_params", [&] {
    for (size_t i = 0; i != names.size(); ++i) {
      llvm::sort(values[i], [](const FlatValue &a, const FlatValue &b) {
        std::optional<int64_t> x = a.getNumber(), y = b.getNumber();
        return x && y ? *x < *y : a.text < b.text;
      });
      json.attributeArray(names[i].name, [&] {
        for (const FlatValue &value : values[i])
          json.value(value.getJSON());
      });
    }
  });
}

void writeT4Result(json::OStream &json, const Record &record) {
  json.attribute("timestamp", formatTimestamp(record.timestamp));
  json.attributeObject("configuration", [&] {
    for (const FlatParameter &parameter : flatten(record.config))
      json.attribute(parameter.name, parameter.value.getJSON());
  });
  json.attributeArray("objectives", [&] { json.value("time"); });
  json.attributeObject("times", [&] {
    json.attribute("compilation_time", record.costs.compile);
    json.attribute("benchmark", record.costs.measure);
    json.attribute("framework", 0.0);
    json.attribute("search_algorithm", 0.0);
    json.attribute("validation", record.costs.verify);
    json.attribute("runtimes", getMilliseconds(record.timing.samples));
  });
  json.attribute("invalidity", getT4Invalidity(record.outcome));
  json.attribute("correctness", record.isSuccess() ? 1 : 0);
  json.attributeArray("measurements", [&] {
    if (record.isSuccess())
      json.object([&] {
        json.attribute("name", "time");
        json.attribute("value", record.timing.median / kMicroPerMilli);
        json.attribute("unit", "ms");
      });
  });
  json.attribute("tcgemm", describeRecord(record));
}

} // namespace

std::vector<RecordGroup> groupRecords(ArrayRef<Record> records) {
  std::vector<RecordGroup> groups;
  StringMap<size_t> indices;
  for (const Record &record : records) {
    if (record.outcome == Outcome::Pruned)
      continue;
    const Platform &p = record.platform;
    std::string key =
        join(ArrayRef<std::string>{record.problem.str(), p.chip, p.device,
                                   p.driver, p.ptxas, p.tcgemm},
             "\n");
    auto [entry, isNew] = indices.try_emplace(key, groups.size());
    if (isNew)
      groups.emplace_back();
    groups[entry->second].push_back(record);
  }
  return groups;
}

void writeKernelTunerCache(const RecordGroup &records, raw_ostream &os) {
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    if (records.empty())
      return;
    const Record &first = records.front();
    const MatmulSizes &sizes = first.problem.sizes;
    json.attribute("schema_version", "1.1.0");
    json.attribute("device_name", first.platform.device);
    json.attribute("kernel_name", "tcgemm " + first.problem.kernel.str());
    json.attributeArray("problem_size", [&] {
      for (int64_t size : {sizes.m, sizes.n, sizes.k})
        json.value(size);
      if (sizes.batch != 1)
        json.value(sizes.batch);
    });
    writeTuneParams(json, records, flatten(first.config));
    json.attribute("objective", "time");
    // The dashboard takes each member of a row that is no array for a number or
    // a text to plot, so that the rest of a record cannot be in its row.
    json::Object own = describeGroup(first), rest;
    for (const Record &record : records)
      rest[getCacheKey(flatten(record.config))] = describeRecord(record);
    own["records"] = std::move(rest);
    json.attribute("tcgemm", std::move(own));
    std::vector<const Record *> sorted;
    for (const Record &record : records)
      sorted.push_back(&record);
    llvm::sort(sorted, [](const Record *a, const Record *b) {
      return std::tuple(!a->isSuccess(), a->timing.median, a->config.str()) <
             std::tuple(!b->isSuccess(), b->timing.median, b->config.str());
    });
    json.attributeObject("cache", [&] {
      for (const Record *record : sorted) {
        std::vector<FlatParameter> parameters = flatten(record->config);
        json.attributeObject(getCacheKey(parameters),
                             [&] { writeCacheRow(json, *record, parameters); });
      }
    });
  });
  os << '\n';
}

void writeT4Results(const RecordGroup &records, raw_ostream &os) {
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema_version", "1.0.0");
    json.attributeObject("metadata", [&] {
      json.attribute("timeunit", "milliseconds");
      if (!records.empty())
        json.attribute("tcgemm", describeGroup(records.front()));
    });
    json.attributeArray("results", [&] {
      for (const Record &record : records)
        json.object([&] { writeT4Result(json, record); });
    });
  });
  os << '\n';
}

void writeRecordLines(ArrayRef<Record> records, raw_ostream &os) {
  for (const Record &record : records)
    os << json::Value(toJSON(record)) << '\n';
}

void writeRecordArray(ArrayRef<Record> records, raw_ostream &os) {
  json::OStream json(os, /*IndentSize=*/1);
  json.array([&] {
    for (const Record &record : records)
      json.value(toJSON(record));
  });
  os << '\n';
}

} // namespace tcgemm
