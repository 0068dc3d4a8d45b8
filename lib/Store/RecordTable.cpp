//===- RecordTable.cpp - The rows of records ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordTable.h"
#include "tcgemm/Target/BoundedJSON.h"

#include <set>
#include <tuple>

using namespace llvm;

namespace tcgemm {

/// The query of all columns of records in a schema of that version.
static std::string getSelectRecords(int64_t version) {
  std::string state = version >= 2 ? "r.sm_clock, r.memory_clock, r.power, "
                                     "r.temperature, r.clock_events"
                                   : "NULL, NULL, NULL, NULL, NULL";
  return "SELECT p.kernel, p.m, p.n, p.k, p.batch, p.tag, c.text, f.chip, "
         "f.device, f.driver, f.ptxas, f.tcgemm, r.outcome, r.message, "
         "r.variant, r.stage, r.median, r.low, r.high, r.samples, "
         "r.registers, r.spill_bytes, r.shared_memory, r.threads, "
         "r.workspace, r.binary, r.compile_ms, r.verify_ms, r.measure_ms, "
         "r.timestamp, " +
         state +
         " FROM records r JOIN problems p ON p.id = r.problem JOIN configs c "
         "ON c.id = r.config JOIN platforms f ON f.id = r.platform ";
}

static std::string printSamples(const std::vector<double> &samples) {
  std::string text;
  raw_string_ostream(text) << json::Value(json::Array(samples));
  return text;
}

Error RecordTable::put(const Record &record) {
  const auto &[kernel, sizes, tag] = record.problem;
  const Platform &platform = record.platform;
  std::string kernelText = kernel.str(), config = record.config.str();
  auto run = [&](StringRef sql, const auto &...values) -> Error {
    Expected<sqlite::Statement> statement = connection.prepare(sql);
    if (!statement)
      return statement.takeError();
    return statement->bind(values...).run();
  };
  // A later tag does not replace an existing one.
  if (Error error =
          run("INSERT INTO problems(kernel, m, n, k, batch, tag) "
              "VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
              "tag = excluded.tag WHERE excluded.tag <> ''",
              kernelText, sizes.m, sizes.n, sizes.k, sizes.batch, tag))
    return error;
  if (Error error =
          run("INSERT OR IGNORE INTO configs(text) VALUES(?)", config))
    return error;
  if (Error error = run("INSERT OR IGNORE INTO platforms(chip, device, driver, "
                        "ptxas, tcgemm) VALUES(?, ?, ?, ?, ?)",
                        platform.chip, platform.device, platform.driver,
                        platform.ptxas, platform.tcgemm))
    return error;
  const Timing &timing = record.timing;
  const Resources &resources = record.resources;
  const DeviceState &state = record.state;
  return run(
      "INSERT OR REPLACE INTO records VALUES("
      "(SELECT id FROM problems WHERE kernel = ?1 AND m = ?2 AND n = ?3 AND "
      "k = ?4 AND batch = ?5), (SELECT id FROM configs WHERE text = ?6), "
      "(SELECT id FROM platforms WHERE chip = ?7 AND device = ?8 AND "
      "driver = ?9 AND ptxas = ?10 AND tcgemm = ?11), ?12, ?13, ?14, ?15, ?16, "
      "?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, "
      "?31, ?32, ?33, ?34)",
      kernelText, sizes.m, sizes.n, sizes.k, sizes.batch, config, platform.chip,
      platform.device, platform.driver, platform.ptxas, platform.tcgemm,
      getOutcomeName(record.outcome), record.message, record.variant,
      getTimingStageName(timing.stage), timing.median, timing.low, timing.high,
      printSamples(timing.samples), resources.registers, resources.spillBytes,
      resources.sharedMemory, resources.threads, resources.workspace,
      resources.binary, record.costs.compile, record.costs.verify,
      record.costs.measure, record.timestamp, state.smClock, state.memoryClock,
      state.power, state.temperature, state.clockEvents);
}

static Expected<Record> readRecord(const sqlite::Statement &row) {
  Record record;
  Expected<KernelSpec> kernel = KernelSpec::parse(row.getText(0));
  if (!kernel)
    return kernel.takeError();
  record.problem.kernel = *kernel;
  record.problem.sizes = {row.getInteger(1), row.getInteger(2),
                          row.getInteger(3), row.getInteger(4)};
  record.problem.tag = row.getText(5);
  if (Error error = record.config.apply(row.getText(6)))
    return std::move(error);
  record.platform = {row.getText(7), row.getText(8), row.getText(9),
                     row.getText(10), row.getText(11)};
  std::optional<Outcome> outcome = parseOutcome(row.getText(12));
  std::optional<TimingStage> stage = parseTimingStage(row.getText(15));
  if (!outcome || !stage)
    return createStringError("database: outcome '" + row.getText(12) +
                             "' or stage '" + row.getText(15) + "' is unknown");
  record.outcome = *outcome;
  record.message = row.getText(13);
  record.variant = row.getText(14);
  record.timing.stage = *stage;
  record.timing.median = row.getReal(16);
  record.timing.low = row.getReal(17);
  record.timing.high = row.getReal(18);
  Expected<json::Value> samples = parseBoundedJSON(row.getText(19));
  if (!samples)
    return samples.takeError();
  if (const json::Array *array = samples->getAsArray())
    for (const json::Value &sample : *array)
      record.timing.samples.push_back(sample.getAsNumber().value_or(0));
  record.resources = {row.getInteger(20), row.getInteger(21),
                      row.getInteger(22), row.getInteger(23),
                      row.getInteger(24), row.getText(25)};
  record.costs = {row.getReal(26), row.getReal(27), row.getReal(28)};
  record.timestamp = row.getInteger(29);
  record.state = {row.getOptionalInteger(30), row.getOptionalInteger(31),
                  row.getOptionalReal(32), row.getOptionalInteger(33),
                  row.getOptionalInteger(34)};
  if (Error error = checkNumbers(record))
    return std::move(error);
  return record;
}

Error RecordTable::forEachRecord(sqlite::Statement &statement,
                                 function_ref<Error(Record)> visit) const {
  return statement.forEach([&]() -> Error {
    Expected<Record> record = readRecord(statement);
    if (!record)
      return record.takeError();
    return visit(std::move(*record));
  });
}

Expected<std::optional<Record>>
RecordTable::get(const TuningProblem &problem, const KernelConfig &config,
                 const Platform &platform) const {
  Expected<sqlite::Statement> statement = connection.prepare(
      getSelectRecords(version) +
      "WHERE p.kernel = ? AND p.m = ? AND p.n = ? AND p.k = ? AND p.batch = ? "
      "AND c.text = ? AND f.chip = ? AND f.device = ? AND f.driver = ? AND "
      "f.ptxas = ? AND f.tcgemm = ?");
  if (!statement)
    return statement.takeError();
  const MatmulSizes &sizes = problem.sizes;
  statement->bind(problem.kernel.str(), sizes.m, sizes.n, sizes.k, sizes.batch,
                  config.str(), platform.chip, platform.device, platform.driver,
                  platform.ptxas, platform.tcgemm);
  std::optional<Record> found;
  if (Error error = forEachRecord(*statement, [&](Record r) {
        found = std::move(r);
        return Error::success();
      }))
    return std::move(error);
  return found;
}

Expected<std::vector<Record>> RecordTable::query(const RecordFilter &filter,
                                                 StringRef condition) const {
  std::string where;
  SmallVector<std::string> values;
  auto require = [&](StringRef column, StringRef value) {
    if (value.empty())
      return;
    where += (where.empty() ? "WHERE " : " AND ") + column.str() + " = ?";
    values.push_back(value.str());
  };
  require("p.kernel", filter.kernel ? filter.kernel->str() : "");
  if (filter.sizes)
    for (auto [column, size] :
         {std::pair("p.m", filter.sizes->m), std::pair("p.n", filter.sizes->n),
          std::pair("p.k", filter.sizes->k),
          std::pair("p.batch", filter.sizes->batch)})
      where += (where.empty() ? "WHERE " : " AND ") + std::string(column) +
               " = " + std::to_string(size);
  require("f.chip", filter.chip);
  require("f.device", filter.device);
  require("f.driver", filter.driver);
  require("f.ptxas", filter.ptxas);
  require("f.tcgemm", filter.tcgemm);
  if (filter.outcome)
    require("r.outcome", getOutcomeName(*filter.outcome));
  if (filter.stage)
    require("r.stage", getTimingStageName(*filter.stage));
  if (!condition.empty())
    where += (where.empty() ? "WHERE " : " AND ") + condition.str();
  Expected<sqlite::Statement> statement = connection.prepare(
      getSelectRecords(version) + where +
      " ORDER BY p.id, r.outcome <> 'success', r.median, c.text" +
      (filter.limit ? " LIMIT " + std::to_string(filter.limit) : ""));
  if (!statement)
    return statement.takeError();
  for (const std::string &value : values)
    statement->bind(value);
  std::vector<Record> records;
  if (Error error = forEachRecord(*statement, [&](Record r) {
        records.push_back(std::move(r));
        return Error::success();
      }))
    return std::move(error);
  return records;
}

Expected<std::vector<Record>>
RecordTable::getBest(const RecordFilter &filter) const {
  RecordFilter successes = filter;
  successes.outcome = Outcome::Success;
  // Reading all records of a sweep takes seconds. Finalists have the most
  // precise times; all records with equal times are read.
  Expected<std::vector<Record>> records = query(
      successes,
      "(r.problem, r.platform, r.config) IN (SELECT problem, platform, config "
      "FROM (SELECT problem, platform, config, RANK() OVER (PARTITION BY "
      "problem, platform ORDER BY stage <> 'final', median) AS place FROM "
      "records WHERE outcome = 'success') WHERE place = 1)");
  if (!records)
    return records.takeError();
  std::vector<Record> best;
  std::set<std::vector<std::string>> seen;
  for (Record &record : *records) {
    const Platform &platform = record.platform;
    if (seen.insert({record.problem.str(), platform.chip, platform.device,
                     platform.driver, platform.ptxas, platform.tcgemm})
            .second)
      best.push_back(std::move(record));
  }
  return best;
}

/// A final is better than a screening, and more samples are better than fewer.
/// If they are equal, the later record is better.
static bool isBetter(const Record &record, const Record &than) {
  auto rank = [](const Record &r) {
    return std::make_tuple(r.isSuccess(), r.timing.stage,
                           r.timing.samples.size(), r.timestamp);
  };
  return rank(record) > rank(than);
}

Error RecordTable::addBetter(ArrayRef<Record> records, uint64_t &added) {
  for (const Record &record : records) {
    Expected<std::optional<Record>> known =
        get(record.problem, record.config, record.platform);
    if (!known)
      return known.takeError();
    if (*known && !isBetter(record, **known))
      continue;
    if (Error error = put(record))
      return error;
    ++added;
  }
  return Error::success();
}

} // namespace tcgemm
