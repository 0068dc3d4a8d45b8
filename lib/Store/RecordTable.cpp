//===- RecordTable.cpp - The rows of records ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordTable.h"
#include "RecordColumns.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace llvm;

namespace tcgemm {

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The number that a statement returns; none without a row.
template <typename... Ts>
static Expected<std::optional<int64_t>>
getNumber(sqlite::Connection &connection, StringRef sql, const Ts &...values) {
  Expected<sqlite::Statement> statement = connection.prepare(sql);
  if (!statement)
    return statement.takeError();
  Expected<bool> hasRow = statement->bind(values...).step();
  if (!hasRow)
    return hasRow.takeError();
  if (!*hasRow)
    return std::nullopt;
  return statement->getInteger(0);
}

/// The number of the row that `select` finds, or else of the one that `insert`
/// adds.
template <typename... Ts>
static Expected<int64_t> addRow(sqlite::Connection &connection,
                                StringRef select, StringRef insert,
                                const Ts &...values) {
  for (StringRef sql : {select, insert}) {
    Expected<std::optional<int64_t>> number =
        getNumber(connection, sql, values...);
    if (!number)
      return number.takeError();
    if (*number)
      return **number;
  }
  return createStringError("database: a row that was added has no number");
}

// The tables are named as those of `main`. While another database is attached,
// a name alone may be its table, if another process has just made ours.
RecordWriter::RecordWriter(sqlite::Connection &connection, Rule rule)
    : connection(connection),
      insert("INSERT INTO main.records VALUES(?, ?, ?") {
  for (unsigned i = 0; i != getNumResultColumns(); ++i)
    insert += ", ?";
  insert += ")" + getConflictClause(rule == Rule::IfBetter);
}

Expected<int64_t> RecordWriter::addProblem(const TuningProblem &problem) {
  const auto &[kernel, sizes, tag] = problem;
  std::string kernelText = kernel.str();
  auto [entry, isNew] =
      problems.try_emplace(kernelText + " " + sizes.str() + "\n" + tag);
  if (!isNew)
    return entry->second;
  Expected<int64_t> number = addRow(
      connection,
      "SELECT id FROM main.problems WHERE kernel = ? AND m = ? AND n = ? AND "
      "k = ? AND batch = ?",
      "INSERT INTO main.problems(kernel, m, n, k, batch, tag) "
      "VALUES(?, ?, ?, ?, ?, '') RETURNING id",
      kernelText, sizes.m, sizes.n, sizes.k, sizes.batch);
  if (!number)
    return number;
  entry->second = *number;
  if (tag.empty())
    return number;
  Expected<sqlite::Statement> update = connection.prepare(
      "UPDATE main.problems SET tag = ? WHERE id = ? AND tag <> ?1");
  if (!update)
    return update.takeError();
  if (Error error = update->bind(tag, *number).run())
    return std::move(error);
  return number;
}

Expected<int64_t> RecordWriter::addConfig(StringRef text) {
  auto [entry, isNew] = configs.try_emplace(text);
  if (!isNew)
    return entry->second;
  Expected<int64_t> number =
      addRow(connection, "SELECT id FROM main.configs WHERE text = ?",
             "INSERT INTO main.configs(text) VALUES(?) RETURNING id", text);
  if (number)
    entry->second = *number;
  return number;
}

Expected<int64_t> RecordWriter::addPlatform(const Platform &p) {
  auto [entry, isNew] = platforms.try_emplace(
      join(ArrayRef<StringRef>{p.chip, p.device, p.driver, p.ptxas, p.tcgemm},
           "\n"));
  if (!isNew)
    return entry->second;
  Expected<int64_t> number =
      addRow(connection,
             "SELECT id FROM main.platforms WHERE chip = ? AND device = ? AND "
             "driver = ? AND ptxas = ? AND tcgemm = ?",
             "INSERT INTO main.platforms(chip, device, driver, ptxas, tcgemm) "
             "VALUES(?, ?, ?, ?, ?) RETURNING id",
             p.chip, p.device, p.driver, p.ptxas, p.tcgemm);
  if (number)
    entry->second = *number;
  return number;
}

Error RecordWriter::write(const Record &record, uint64_t &count) {
  Expected<int64_t> problem = addProblem(record.problem);
  if (!problem)
    return problem.takeError();
  Expected<int64_t> config = addConfig(record.config.str());
  if (!config)
    return config.takeError();
  Expected<int64_t> platform = addPlatform(record.platform);
  if (!platform)
    return platform.takeError();
  Expected<sqlite::Statement> statement = connection.prepare(insert);
  if (!statement)
    return statement.takeError();
  statement->bind(*problem, *config, *platform);
  bindResult(*statement, record);
  if (Error error = statement->run())
    return error;
  count += connection.getNumChanges();
  return Error::success();
}

Error RecordTable::put(const Record &record) {
  uint64_t count = 0;
  return RecordWriter(connection, RecordWriter::Rule::Always)
      .write(record, count);
}

Error RecordTable::addBetter(ArrayRef<Record> records, uint64_t &added) {
  RecordWriter writer(connection, RecordWriter::Rule::IfBetter);
  for (const Record &record : records)
    if (Error error = writer.write(record, added))
      return error;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kKeyColumns =
    "p.kernel, p.m, p.n, p.k, p.batch, p.tag, f.chip, f.device, f.driver, "
    "f.ptxas, f.tcgemm";
/// The first column behind them.
static constexpr unsigned kNumKeyColumns = 11;

RecordTable::RecordTable(sqlite::Connection &connection, int64_t version)
    : connection(connection) {
  std::string result = getResultColumns(version);
  select = "SELECT " + kKeyColumns.str() + ", c.text, " + result +
           " FROM records r JOIN problems p ON p.id = r.problem JOIN configs c "
           "ON c.id = r.config JOIN platforms f ON f.id = r.platform ";
  selectResult =
      "SELECT p.tag, " + result +
      " FROM problems p, configs c, platforms f, records r "
      "WHERE p.kernel = ? AND p.m = ? AND p.n = ? AND p.k = ? AND p.batch = ? "
      "AND c.text = ? AND f.chip = ? AND f.device = ? AND f.driver = ? AND "
      "f.ptxas = ? AND f.tcgemm = ? AND r.problem = p.id AND r.platform = f.id "
      "AND r.config = c.id";
}

namespace {

/// Reads rows. Kernels and configurations that were read before are not parsed
/// again, because that takes longer than the row.
class RecordReader {
public:
  /// The columns of kKeyColumns.
  Error readKey(const sqlite::Row &row, TuningProblem &problem,
                Platform &platform);
  Expected<Record> read(const sqlite::Row &row);

private:
  /// The value of a text. Errors: it is no such value.
  template <typename T, typename Parse>
  Expected<const T &> find(StringMap<T> &known, StringRef text, Parse parse);

  StringMap<KernelSpec> kernels;
  StringMap<KernelConfig> configs;
};

} // namespace

template <typename T, typename Parse>
Expected<const T &> RecordReader::find(StringMap<T> &known, StringRef text,
                                       Parse parse) {
  // Tens of megabytes.
  constexpr unsigned most = 1 << 16;
  auto found = known.find(text);
  if (found != known.end())
    return found->second;
  Expected<T> value = parse(text);
  if (!value)
    return value.takeError();
  if (known.size() >= most)
    known.clear();
  return known.try_emplace(text, std::move(*value)).first->second;
}

Error RecordReader::readKey(const sqlite::Row &row, TuningProblem &problem,
                            Platform &platform) {
  Expected<const KernelSpec &> kernel =
      find(kernels, row.getBytes(0), KernelSpec::parse);
  if (!kernel)
    return kernel.takeError();
  problem.kernel = *kernel;
  problem.sizes = {row.getInteger(1), row.getInteger(2), row.getInteger(3),
                   row.getInteger(4)};
  problem.tag = row.getText(5);
  platform = {row.getText(6), row.getText(7), row.getText(8), row.getText(9),
              row.getText(10)};
  return checkSizes(problem.sizes);
}

Expected<Record> RecordReader::read(const sqlite::Row &row) {
  Record record;
  if (Error error = readKey(row, record.problem, record.platform))
    return std::move(error);
  Expected<const KernelConfig &> config =
      find(configs, row.getBytes(kNumKeyColumns),
           [](StringRef text) -> Expected<KernelConfig> {
             KernelConfig parsed;
             if (Error error = parsed.apply(text))
               return std::move(error);
             return parsed;
           });
  if (!config)
    return config.takeError();
  record.config = *config;
  if (Error error = readResult(row, kNumKeyColumns + 1, record))
    return std::move(error);
  return record;
}

Expected<std::optional<Record>>
RecordTable::get(const TuningProblem &problem, const KernelConfig &config,
                 const Platform &platform) const {
  Expected<sqlite::Statement> statement = connection.prepare(selectResult);
  if (!statement)
    return statement.takeError();
  const MatmulSizes &sizes = problem.sizes;
  Expected<bool> hasRow =
      statement
          ->bind(problem.kernel.str(), sizes.m, sizes.n, sizes.k, sizes.batch,
                 config.str(), platform.chip, platform.device, platform.driver,
                 platform.ptxas, platform.tcgemm)
          .step();
  if (!hasRow)
    return hasRow.takeError();
  if (!*hasRow)
    return std::nullopt;
  Record record;
  record.problem = {problem.kernel, sizes, statement->getText(0)};
  record.config = config;
  record.platform = platform;
  if (Error error = readResult(*statement, 1, record))
    return std::move(error);
  return record;
}

namespace {

/// The condition of a filter in SQL, with its values.
class Condition {
public:
  explicit Condition(const RecordFilter &filter) {
    require("p.kernel", filter.kernel ? filter.kernel->str() : "");
    if (filter.sizes)
      for (auto [column, size] : {std::pair("p.m", filter.sizes->m),
                                  std::pair("p.n", filter.sizes->n),
                                  std::pair("p.k", filter.sizes->k),
                                  std::pair("p.batch", filter.sizes->batch)})
        require(column, std::to_string(size));
    require("f.chip", filter.chip);
    require("f.device", filter.device);
    require("f.driver", filter.driver);
    require("f.ptxas", filter.ptxas);
    require("f.tcgemm", filter.tcgemm);
    if (filter.outcome)
      require("r.outcome", getOutcomeName(*filter.outcome));
    if (filter.stage)
      require("r.stage", getTimingStageName(*filter.stage));
  }

  const std::string &getText() const { return text; }
  void bindTo(sqlite::Statement &statement) const {
    for (const std::string &value : values)
      statement.bind(value);
  }

private:
  /// An empty value matches all. The columns' types convert the text.
  void require(StringRef column, StringRef value) {
    if (value.empty())
      return;
    text += (" AND " + column + " = ?").str();
    values.push_back(value.str());
  }

  std::string text = "WHERE true";
  SmallVector<std::string> values;
};

} // namespace

static Error forEachRow(const sqlite::Connection &connection,
                        const std::string &sql, const Condition &condition,
                        function_ref<Error(const sqlite::Row &)> visit) {
  Expected<sqlite::Statement> statement = connection.prepare(sql);
  if (!statement)
    return statement.takeError();
  condition.bindTo(*statement);
  return statement->forEach([&] { return visit(*statement); });
}

Expected<uint64_t> RecordTable::countTies(const Record &best) const {
  const auto &[kernel, sizes, tag] = best.problem;
  const Platform &platform = best.platform;
  // By the index of the fastest. Finalists have the most precise times.
  std::string sql =
      "SELECT count(*) - 1 FROM problems p, platforms f, records r WHERE "
      "p.kernel = ? AND p.m = ? AND p.n = ? AND p.k = ? AND p.batch = ? AND "
      "f.chip = ? AND f.device = ? AND f.driver = ? AND f.ptxas = ? AND "
      "f.tcgemm = ? AND r.problem = p.id AND r.platform = f.id AND r.outcome = "
      "'success' AND (r.stage <> 'final') = ? AND r.median > 0 AND r.low <= ?";
  Expected<std::optional<int64_t>> count =
      getNumber(connection, sql, kernel.str(), sizes.m, sizes.n, sizes.k,
                sizes.batch, platform.chip, platform.device, platform.driver,
                platform.ptxas, platform.tcgemm,
                best.timing.stage != TimingStage::Final, best.timing.high);
  if (!count)
    return count.takeError();
  return std::max<int64_t>(0, count->value_or(0));
}

static Expected<std::vector<Record>>
readAll(const sqlite::Connection &connection, const std::string &sql,
        const Condition &condition) {
  std::vector<Record> records;
  RecordReader reader;
  if (Error error = forEachRow(connection, sql, condition,
                               [&](const sqlite::Row &row) -> Error {
                                 Expected<Record> record = reader.read(row);
                                 if (!record)
                                   return record.takeError();
                                 records.push_back(std::move(*record));
                                 return Error::success();
                               }))
    return std::move(error);
  return records;
}

Expected<std::vector<Record>>
RecordTable::query(const RecordFilter &filter) const {
  Condition condition(filter);
  return readAll(
      connection,
      select + condition.getText() +
          " ORDER BY p.id, r.outcome <> 'success', r.median, c.text" +
          (filter.limit ? " LIMIT " + std::to_string(filter.limit) : ""),
      condition);
}

Error RecordTable::forEach(const RecordFilter &filter,
                           function_ref<Error(Record)> visit) const {
  Condition condition(filter);
  RecordReader reader;
  return forEachRow(
      connection,
      select + condition.getText() + " ORDER BY r.problem, r.platform" +
          (filter.limit ? " LIMIT " + std::to_string(filter.limit) : ""),
      condition, [&](const sqlite::Row &row) -> Error {
        Expected<Record> record = reader.read(row);
        if (!record)
          return record.takeError();
        return visit(std::move(*record));
      });
}

Expected<std::vector<RecordSummary>>
RecordTable::summarize(const RecordFilter &filter) const {
  Condition condition(filter);
  std::string counts = ", sum(r.outcome = 'success' AND r.median > 0)";
  for (unsigned i = 0; i != kNumOutcomes; ++i)
    counts +=
        (", sum(r.outcome = '" + getOutcomeName(static_cast<Outcome>(i)) + "')")
            .str();
  // Rows are counted before their problem and platform are looked up.
  std::string sql =
      "SELECT " + kKeyColumns.str() +
      ", g.* FROM (SELECT r.problem, r.platform, min(r.timestamp), "
      "max(r.timestamp)" +
      counts +
      " FROM records r JOIN problems p ON p.id = r.problem JOIN platforms f ON "
      "f.id = r.platform " +
      condition.getText() +
      " GROUP BY r.problem, r.platform) g JOIN problems p ON p.id = g.problem "
      "JOIN platforms f ON f.id = g.platform ORDER BY g.problem, g.platform";
  std::vector<RecordSummary> summaries;
  RecordReader reader;
  if (Error error = forEachRow(
          connection, sql, condition, [&](const sqlite::Row &row) -> Error {
            RecordSummary summary;
            if (Error failure =
                    reader.readKey(row, summary.problem, summary.platform))
              return failure;
            unsigned next = kNumKeyColumns + 2;
            summary.first = row.getInteger(next++);
            summary.last = row.getInteger(next++);
            summary.numTimed = row.getInteger(next++);
            for (uint64_t &count : summary.counts)
              count = row.getInteger(next++);
            summaries.push_back(std::move(summary));
            return Error::success();
          }))
    return std::move(error);
  return summaries;
}

Expected<std::vector<Record>>
RecordTable::getBest(const RecordFilter &filter) const {
  RecordFilter others = filter;
  others.outcome.reset();
  Condition condition(others);
  // Finalists have the most precise times. Each pair of a problem and a
  // platform is looked up in the index; all records with equal times are read.
  // The expressions are those of the index, or else it is not used.
  auto getFirst = [](StringRef what) {
    return ("(SELECT " + what +
            " FROM records WHERE problem = p.id AND platform = f.id AND "
            "outcome = 'success' ORDER BY problem, platform, stage <> 'final', "
            "median LIMIT 1)")
        .str();
  };
  std::string sql = select;
  StringRef join = " FROM records r JOIN ";
  size_t from = sql.find(join);
  sql = sql.substr(0, from) +
        " FROM problems p CROSS JOIN platforms f CROSS JOIN records r JOIN "
        "configs c ON c.id = r.config " +
        condition.getText() +
        " AND r.problem = p.id AND r.platform = f.id AND r.outcome = 'success' "
        "AND (r.stage <> 'final') = " +
        getFirst("stage <> 'final'") + " AND r.median = " + getFirst("median") +
        " ORDER BY p.id, r.median, c.text";
  Expected<std::vector<Record>> records = readAll(connection, sql, condition);
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

} // namespace tcgemm
