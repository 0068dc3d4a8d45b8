//===- RecordColumns.cpp - The columns of results -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordColumns.h"
#include "tcgemm/Target/BoundedJSON.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

struct Column {
  StringLiteral name;
  int64_t version; ///< The first version of the schema that has it.
};

/// In the order of the table, of readResult and of bindResult.
constexpr Column kColumns[] = {
    {"outcome", 1},     {"message", 1},       {"variant", 1},
    {"stage", 1},       {"median", 1},        {"low", 1},
    {"high", 1},        {"samples", 1},       {"registers", 1},
    {"spill_bytes", 1}, {"shared_memory", 1}, {"threads", 1},
    {"workspace", 1},   {"binary", 1},        {"compile_ms", 1},
    {"verify_ms", 1},   {"measure_ms", 1},    {"timestamp", 1},
    {"sm_clock", 2},    {"memory_clock", 2},  {"power", 2},
    {"temperature", 2}, {"clock_events", 2}};

/// The text of samples: an array of JSON. The shortest text of a number is
/// read back as the same number.
std::string printSamples(ArrayRef<double> samples) {
  std::string text = "[";
  char digits[32];
  for (double sample : samples) {
    if (text.size() > 1)
      text += ',';
    // JSON has neither infinities nor NaN.
    auto [end, error] = std::to_chars(std::begin(digits), std::end(digits),
                                      std::isfinite(sample) ? sample : 0);
    text.append(digits, end);
  }
  return text + "]";
}

/// Reads an array of numbers without spaces, as printSamples writes them; false
/// for other text.
bool readPlainSamples(StringRef text, std::vector<double> &samples) {
  if (!text.consume_front("[") || !text.consume_back("]"))
    return false;
  const char *at = text.begin();
  while (at != text.end()) {
    double value = 0;
    auto [end, error] = std::from_chars(at, text.end(), value);
    if (error != std::errc() || end == at)
      return false;
    samples.push_back(value);
    if (end == text.end())
      return true;
    at = end + 1;
    if (*end != ',' || at == text.end())
      return false;
  }
  return true;
}

Error readSamples(StringRef text, std::vector<double> &samples) {
  samples.clear();
  if (readPlainSamples(text, samples))
    return Error::success();
  samples.clear();
  Expected<json::Value> value = parseBoundedJSON(text);
  if (!value)
    return value.takeError();
  if (const json::Array *array = value->getAsArray())
    for (const json::Value &sample : *array)
      samples.push_back(sample.getAsNumber().value_or(0));
  return Error::success();
}

/// The order of records of one key, as a row of values in SQL.
std::string getRank(StringRef table) {
  std::string stage = "CASE " + table.str() + ".stage";
  for (unsigned i = 0; i <= unsigned(TimingStage::Model); ++i)
    stage += (" WHEN '" + getTimingStageName(static_cast<TimingStage>(i)) +
              "' THEN " + Twine(i))
                 .str();
  return ("(" + table + ".outcome = 'success', " + stage +
          " END, json_array_length(" + table + ".samples), " + table +
          ".timestamp)")
      .str();
}

} // namespace

std::string getResultColumns(int64_t version) {
  return join(map_range(kColumns,
                        [&](const Column &column) {
                          return column.version <= version
                                     ? ("r." + column.name).str()
                                     : "NULL";
                        }),
              ", ");
}

unsigned getNumResultColumns() { return std::size(kColumns); }

Error readResult(const sqlite::Row &row, unsigned first, Record &record) {
  unsigned next = first;
  StringRef outcomeName = row.getBytes(next++);
  std::optional<Outcome> outcome = parseOutcome(outcomeName);
  if (!outcome)
    return createStringError("database: outcome '" + outcomeName +
                             "' is unknown");
  record.outcome = *outcome;
  record.message = row.getText(next++);
  record.variant = row.getText(next++);
  StringRef stageName = row.getBytes(next++);
  std::optional<TimingStage> stage = parseTimingStage(stageName);
  if (!stage)
    return createStringError("database: stage '" + stageName + "' is unknown");
  Timing &timing = record.timing;
  timing.stage = *stage;
  for (double *value : {&timing.median, &timing.low, &timing.high})
    *value = row.getReal(next++);
  if (Error error = readSamples(row.getBytes(next++), timing.samples))
    return error;
  Resources &resources = record.resources;
  for (int64_t *value :
       {&resources.registers, &resources.spillBytes, &resources.sharedMemory,
        &resources.threads, &resources.workspace})
    *value = row.getInteger(next++);
  resources.binary = row.getText(next++);
  for (double *value :
       {&record.costs.compile, &record.costs.verify, &record.costs.measure})
    *value = row.getReal(next++);
  record.timestamp = row.getInteger(next++);
  DeviceState &state = record.state;
  state.smClock = row.getOptionalInteger(next++);
  state.memoryClock = row.getOptionalInteger(next++);
  state.power = row.getOptionalReal(next++);
  state.temperature = row.getOptionalInteger(next++);
  state.clockEvents = row.getOptionalInteger(next++);
  return checkResult(record);
}

void bindResult(sqlite::Statement &statement, const Record &record) {
  const Timing &timing = record.timing;
  const Resources &resources = record.resources;
  const DeviceState &state = record.state;
  statement.bind(
      getOutcomeName(record.outcome), record.message, record.variant,
      getTimingStageName(timing.stage), timing.median, timing.low, timing.high,
      printSamples(timing.samples), resources.registers, resources.spillBytes,
      resources.sharedMemory, resources.threads, resources.workspace,
      resources.binary, record.costs.compile, record.costs.verify,
      record.costs.measure, record.timestamp, state.smClock, state.memoryClock,
      state.power, state.temperature, state.clockEvents);
}

std::string getConflictClause(bool onlyIfBetter) {
  std::string text = " ON CONFLICT DO UPDATE SET ";
  text += join(
      map_range(kColumns,
                [](const Column &column) {
                  return (column.name + " = excluded." + column.name).str();
                }),
      ", ");
  if (onlyIfBetter)
    text += " WHERE " + getRank("excluded") + " > " + getRank("records");
  return text;
}

} // namespace tcgemm
