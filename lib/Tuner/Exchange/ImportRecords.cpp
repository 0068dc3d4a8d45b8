//===- ImportRecords.cpp - Records from other tuners' files ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/FlatConfig.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Target/BoundedJSON.h"
#include "tcgemm/Tuner/Exchange.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

Error fail(const Twine &place, const Twine &what) {
  return createStringError(place + ": " + what);
}

Error fail(const Twine &place, Error error) {
  return fail(place, toString(std::move(error)));
}

double getNumber(const json::Object &object, StringRef name) {
  return object.getNumber(name).value_or(0);
}

std::vector<double> getMicroseconds(const json::Array *milliseconds) {
  std::vector<double> samples;
  if (milliseconds)
    for (const json::Value &value : *milliseconds)
      if (std::optional<double> number = value.getAsNumber())
        samples.push_back(*number * 1000);
  return samples;
}

/// Reads problem and platform from the file's member `tcgemm`; otherwise uses
/// the defaults.
Expected<Record> readGroup(const json::Object *own, StringRef device,
                           const json::Array *sizes,
                           const ImportDefaults &defaults) {
  Record record;
  record.problem.kernel = defaults.kernel;
  record.platform = {defaults.chip, device.empty() ? "unknown" : device.str(),
                     "unknown", "", "imported"};
  auto take = [&](StringRef name, std::string &text) {
    if (own)
      if (std::optional<StringRef> value = own->getString(name))
        text = value->str();
  };
  std::string kernel, shape;
  take("kernel", kernel);
  take("sizes", shape);
  take("tag", record.problem.tag);
  take("chip", record.platform.chip);
  take("device", record.platform.device);
  take("driver", record.platform.driver);
  take("ptxas", record.platform.ptxas);
  take("tcgemm", record.platform.tcgemm);
  if (!kernel.empty()) {
    Expected<KernelSpec> spec = KernelSpec::parse(kernel);
    if (!spec)
      return spec.takeError();
    record.problem.kernel = *spec;
  }
  if (shape.empty() && sizes && !defaults.sizes) {
    // Kernel Tuner's format: M, N, K and optionally the batch.
    SmallVector<std::string> parts;
    for (const json::Value &size : *sizes)
      parts.push_back(std::to_string(size.getAsInteger().value_or(0)));
    if (parts.size() == 4)
      std::rotate(parts.begin(), parts.begin() + 3, parts.end());
    shape = join(parts, "x");
  }
  if (!shape.empty()) {
    Expected<MatmulSizes> parsed = MatmulSizes::parse(shape);
    if (!parsed)
      return parsed.takeError();
    record.problem.sizes = *parsed;
  } else if (defaults.sizes) {
    record.problem.sizes = *defaults.sizes;
  } else {
    return createStringError("the problem's sizes are not there: give --sizes");
  }
  record.problem.kernel.isBatched |= record.problem.sizes.batch != 1;
  if (record.platform.chip.empty())
    return createStringError("the chip is not there: give --chip");
  return record;
}

/// Reads the data of a record that only tcgemm writes; files of other tools
/// lack it.
Error readOwn(const json::Object *own, Record &record) {
  if (!own) {
    if (record.isSuccess())
      record.timing = summarizeSamples(
          TimingStage::Full, record.timing.samples.empty()
                                 ? std::vector<double>{record.timing.median}
                                 : std::move(record.timing.samples));
    return checkNumbers(record);
  }
  // The reader of records checks types; members from other places are added.
  json::Object whole = *own;
  json::Object rest = toJSON(record);
  for (auto &[key, value] : rest)
    if (!whole.get(key))
      whole[key] = value;
  Expected<Record> read = recordFromJSON(whole);
  if (!read)
    return read.takeError();
  record = std::move(*read);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Kernel Tuner
//===----------------------------------------------------------------------===//

Outcome getKernelTunerOutcome(StringRef error) {
  return error == "InvalidConfig"             ? Outcome::Constraints
         : error == "CompilationFailedConfig" ? Outcome::Compile
                                              : Outcome::Runtime;
}

/// Reads a row; `own` has tcgemm's data of it, if there are any.
Expected<Record> readCacheRow(const json::Object &row, ArrayRef<StringRef> keys,
                              const json::Object *own, Record record) {
  json::Object parameters;
  for (StringRef key : keys) {
    const json::Value *value = row.get(key);
    if (!value)
      return createStringError("parameter '" + key + "' is missing");
    parameters[key] = *value;
  }
  Expected<KernelConfig> config = unflatten(parameters);
  if (!config)
    return config.takeError();
  record.config = *config;
  const json::Value *time = row.get("time");
  if (!time)
    return createStringError("'time' is missing");
  if (std::optional<StringRef> error = time->getAsString()) {
    record.outcome = getKernelTunerOutcome(*error);
    record.message = error->str();
  } else if (std::optional<double> number = time->getAsNumber();
             number && *number > 0) {
    record.timing.median = *number * 1000;
    record.timing.samples = getMicroseconds(row.getArray("times"));
  } else {
    return createStringError(
        "'time' is neither a number above 0 nor an error's name");
  }
  record.costs = {getNumber(row, "compile_time"),
                  getNumber(row, "verification_time"),
                  getNumber(row, "benchmark_time")};
  record.timestamp =
      parseTimestamp(row.getString("timestamp").value_or("")).value_or(0);
  if (Error error = readOwn(own, record))
    return std::move(error);
  return record;
}

Expected<std::vector<Record>> readCache(const json::Object &file,
                                        StringRef name,
                                        const ImportDefaults &defaults) {
  const json::Object *cache = file.getObject("cache");
  const json::Array *keyArray = file.getArray("tune_params_keys");
  SmallVector<StringRef> keys;
  for (size_t i = 0; keyArray && i != keyArray->size(); ++i)
    if (std::optional<StringRef> key = (*keyArray)[i].getAsString())
      keys.push_back(*key);
    else
      keyArray = nullptr;
  if (!cache || !keyArray)
    return fail(name, "a cache of Kernel Tuner has an object 'cache' and an "
                      "array of names 'tune_params_keys'");
  Expected<Record> group = readGroup(file.getObject("tcgemm"),
                                     file.getString("device_name").value_or(""),
                                     file.getArray("problem_size"), defaults);
  if (!group)
    return fail(name, group.takeError());
  const json::Object *own = file.getObject("tcgemm");
  const json::Object *details = own ? own->getObject("records") : nullptr;
  std::vector<Record> records;
  for (const auto &[key, value] : *cache) {
    const json::Object *row = value.getAsObject();
    if (!row)
      return fail(name + ": cache['" + key.str() + "']", "is not an object");
    // Older files have the data in the row.
    Expected<Record> record = readCacheRow(
        *row, keys,
        details ? details->getObject(key) : row->getObject("tcgemm"), *group);
    if (!record)
      return fail(name + ": cache['" + key.str() + "']", record.takeError());
    records.push_back(std::move(*record));
  }
  return records;
}

//===----------------------------------------------------------------------===//
// T4
//===----------------------------------------------------------------------===//

std::optional<Outcome> getT4Outcome(StringRef invalidity) {
  if (invalidity == "correct")
    return Outcome::Success;
  // Other failures have the names of tcgemm's outcomes.
  return parseOutcome(invalidity);
}

/// Milliseconds of a measurement, by its unit.
std::optional<double> getMeasuredTime(const json::Array *measurements) {
  for (size_t i = 0; measurements && i != measurements->size(); ++i) {
    const json::Object *measured = (*measurements)[i].getAsObject();
    if (!measured || measured->getString("name") != "time")
      continue;
    std::optional<double> value = measured->getNumber("value");
    StringRef unit = measured->getString("unit").value_or("ms");
    double scale = unit == "s" ? 1e3 : unit == "us" ? 1e-3 : 1;
    return value ? std::optional(*value * scale) : std::nullopt;
  }
  return std::nullopt;
}

Expected<Record> readResult(const json::Object &result, Record record) {
  const json::Object *configuration = result.getObject("configuration");
  const json::Object *times = result.getObject("times");
  std::optional<Outcome> outcome =
      getT4Outcome(result.getString("invalidity").value_or(""));
  if (!configuration || !times || !outcome)
    return createStringError(
        "needs 'configuration', 'times' and a known 'invalidity'");
  Expected<KernelConfig> config = unflatten(*configuration);
  if (!config)
    return config.takeError();
  record.config = *config;
  record.outcome = *outcome;
  record.costs = {getNumber(*times, "compilation_time"),
                  getNumber(*times, "validation"),
                  getNumber(*times, "benchmark")};
  record.timestamp =
      parseTimestamp(result.getString("timestamp").value_or("")).value_or(0);
  if (record.isSuccess()) {
    std::optional<double> time =
        getMeasuredTime(result.getArray("measurements"));
    record.timing.samples = getMicroseconds(times->getArray("runtimes"));
    if (!time && record.timing.samples.empty())
      return createStringError("has neither a measurement 'time' nor runtimes");
    record.timing.median =
        time
            ? *time * 1000
            : summarizeSamples(TimingStage::Full, record.timing.samples).median;
  }
  if (Error error = readOwn(result.getObject("tcgemm"), record))
    return std::move(error);
  return record;
}

Expected<std::vector<Record>> readResults(const json::Object &file,
                                          StringRef name,
                                          const ImportDefaults &defaults) {
  const json::Array *results = file.getArray("results");
  if (!results)
    return fail(name, "T4 results have an array 'results'");
  const json::Object *metadata = file.getObject("metadata");
  Expected<Record> group =
      readGroup(metadata ? metadata->getObject("tcgemm") : nullptr, "", nullptr,
                defaults);
  if (!group)
    return fail(name, group.takeError());
  std::vector<Record> records;
  for (auto [index, value] : enumerate(*results)) {
    const json::Object *result = value.getAsObject();
    if (!result)
      return fail(name + ": results[" + Twine(index) + "]", "is not an object");
    Expected<Record> record = readResult(*result, *group);
    if (!record)
      return fail(name + ": results[" + Twine(index) + "]", record.takeError());
    records.push_back(std::move(*record));
  }
  return records;
}

Expected<std::vector<Record>> readArray(const json::Array &array,
                                        StringRef name) {
  std::vector<Record> records;
  for (auto [index, value] : enumerate(array)) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return fail(name + ": [" + Twine(index) + "]", "is not an object");
    Expected<Record> record = recordFromJSON(*object);
    if (!record)
      return fail(name + ": [" + Twine(index) + "]", record.takeError());
    records.push_back(std::move(*record));
  }
  return records;
}

} // namespace

Expected<std::vector<Record>> importRecords(StringRef text, StringRef name,
                                            const ImportDefaults &defaults) {
  // Kernel Tuner leaves a cache open while it is written.
  std::string closed = text.rtrim().str();
  if (StringRef(closed).ends_with(",")) {
    closed.pop_back();
    closed += "}}";
  }
  Expected<json::Value> value = parseBoundedJSON(closed);
  if (!value) {
    // Lines of records are not a single value.
    consumeError(value.takeError());
    return parseRecords(text, name);
  }
  if (const json::Array *array = value->getAsArray())
    return readArray(*array, name);
  const json::Object *object = value->getAsObject();
  if (object && object->get("tune_params_keys"))
    return readCache(*object, name, defaults);
  if (object && object->get("results"))
    return readResults(*object, name, defaults);
  if (object && object->get("config"))
    return parseRecords(text, name);
  return fail(name, "is none of: records as JSON lines or an array, a cache of "
                    "Kernel Tuner, T4 results");
}

} // namespace tcgemm
