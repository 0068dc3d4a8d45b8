//===- Sqlite.cpp - SQLite with errors and owners -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sqlite.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <sqlite3.h>

#include <chrono>
#include <thread>

using namespace llvm;

namespace tcgemm::sqlite {

/// Writers wait for each other: a commit takes milliseconds.
static constexpr int kBusyMilliseconds = 30000;

/// An error with the statement, for developers, and the remedy, for users.
static Error makeError(sqlite3 *database, const Twine &what) {
  const char *path = sqlite3_db_filename(database, "main");
  StringRef file = path ? path : "";
  switch (sqlite3_errcode(database)) {
  case SQLITE_FULL:
  case SQLITE_IOERR:
    // The code tells tools that no input is wrong.
    return createStringError(
        std::make_error_code(std::errc::no_space_on_device),
        "database '" + file +
            "' cannot be written or read: " + sqlite3_errmsg(database) +
            "; is the disk full, or a limit on files reached? What was "
            "committed "
            "is kept");
  case SQLITE_BUSY:
    return createStringError("database '" + file +
                             "' is locked by another process");
  default:
    return createStringError("database: " + what + ": " +
                             sqlite3_errmsg(database));
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

sqlite3_stmt *StatementCache::take(StringRef sql) {
  auto found = statements.find(sql);
  if (found == statements.end() || found->second.empty())
    return nullptr;
  return found->second.pop_back_val();
}

void StatementCache::give(sqlite3_stmt *statement) {
  constexpr size_t most = 4, mostTexts = 64;
  const char *sql = sqlite3_sql(statement);
  bool isNew = statements.size() < mostTexts || statements.contains(sql);
  if (!isNew || statements[sql].size() >= most) {
    sqlite3_finalize(statement);
    return;
  }
  // The error of the last step was reported by that step.
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  statements[sql].push_back(statement);
}

void StatementCache::clear() {
  for (auto &entry : statements)
    for (sqlite3_stmt *statement : entry.second)
      sqlite3_finalize(statement);
  statements.clear();
}

Statement::Statement(Statement &&other) noexcept
    : database(other.database), statement(other.statement),
      cache(std::move(other.cache)), next(other.next), failed(other.failed) {
  other.statement = nullptr;
}

Statement::~Statement() {
  if (statement)
    cache->give(statement);
}

void Statement::bindNext(StringRef text) {
  failed |= sqlite3_bind_text64(statement, next++, text.data(), text.size(),
                                SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK;
}

void Statement::bindNext(double value) {
  failed |= sqlite3_bind_double(statement, next++, value) != SQLITE_OK;
}

void Statement::bindInteger(int64_t value) {
  failed |= sqlite3_bind_int64(statement, next++, value) != SQLITE_OK;
}

Statement &Statement::bindBlob(StringRef bytes) {
  failed |= sqlite3_bind_blob64(statement, next++, bytes.data(), bytes.size(),
                                SQLITE_TRANSIENT) != SQLITE_OK;
  return *this;
}

Expected<bool> Statement::step() {
  if (failed)
    return makeError(database, "a value cannot be bound");
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW)
    return true;
  if (code == SQLITE_DONE)
    return false;
  return makeError(database, sqlite3_sql(statement));
}

Error Statement::run() { return step().takeError(); }

Error Statement::forEach(function_ref<Error()> row) {
  while (true) {
    Expected<bool> hasRow = step();
    if (!hasRow)
      return hasRow.takeError();
    if (!*hasRow)
      return Error::success();
    if (Error error = row())
      return error;
  }
}

std::optional<int64_t> Row::getOptionalInteger(unsigned column) const {
  if (isNull(column))
    return std::nullopt;
  return getInteger(column);
}

std::optional<double> Row::getOptionalReal(unsigned column) const {
  if (isNull(column))
    return std::nullopt;
  return getReal(column);
}

StringRef Statement::getBytes(unsigned column) const {
  const auto *bytes = static_cast<const char *>(
      sqlite3_column_blob(statement, static_cast<int>(column)));
  // The size is asked for after the bytes, which may have been converted.
  return bytes ? StringRef(bytes, sqlite3_column_bytes(
                                      statement, static_cast<int>(column)))
               : StringRef();
}

int64_t Statement::getInteger(unsigned column) const {
  return sqlite3_column_int64(statement, static_cast<int>(column));
}

double Statement::getReal(unsigned column) const {
  return sqlite3_column_double(statement, static_cast<int>(column));
}

bool Statement::isNull(unsigned column) const {
  return sqlite3_column_type(statement, static_cast<int>(column)) ==
         SQLITE_NULL;
}

namespace {

/// The arguments of a function.
class Arguments : public Row {
public:
  explicit Arguments(sqlite3_value **values) : values(values) {}

  StringRef getBytes(unsigned column) const override {
    const auto *bytes =
        static_cast<const char *>(sqlite3_value_blob(values[column]));
    return bytes ? StringRef(bytes, sqlite3_value_bytes(values[column]))
                 : StringRef();
  }
  int64_t getInteger(unsigned column) const override {
    return sqlite3_value_int64(values[column]);
  }
  double getReal(unsigned column) const override {
    return sqlite3_value_double(values[column]);
  }
  bool isNull(unsigned column) const override {
    return sqlite3_value_type(values[column]) == SQLITE_NULL;
  }

private:
  sqlite3_value **values;
};

} // namespace

//===----------------------------------------------------------------------===//
// Connections
//===----------------------------------------------------------------------===//

/// Returns whether nobody can write to the database's folder. SQLite creates
/// files there even to read a database in WAL mode.
static bool isImmutable(StringRef path) {
  StringRef parent = sys::path::parent_path(path);
  std::string folder = parent.empty() ? "." : parent.str();
  return sys::fs::access(folder, sys::fs::AccessMode::Write) &&
         !sys::fs::exists(path + "-wal");
}

/// SQLite's URI of a file, with options.
static std::string getURI(StringRef path, StringRef options) {
  // A URI that starts with two slashes would have the name of a host.
  SmallString<128> absolute(path);
  std::string uri = sys::fs::make_absolute(absolute) ? "file:" : "file://";
  for (char c : absolute) {
    if (c == '%' || c == '?' || c == '#')
      uri += "%" + toHex(StringRef(&c, 1));
    else
      uri += c;
  }
  return uri + "?" + options.str();
}

Expected<Connection> Connection::open(const std::string &path, bool create) {
  sqlite3 *database = nullptr;
  // A reader also recovers the log of a killed writer, if it may write;
  // otherwise SQLite falls back to reading only.
  int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  // Attached files are named by URIs, too.
  flags |= SQLITE_OPEN_URI;
  std::string name = path.empty() ? path : getURI(path, "");
  if (!create && isImmutable(path)) {
    flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    name = getURI(path, "immutable=1");
  }
  int code = sqlite3_open_v2(name.c_str(), &database, flags, nullptr);
  Connection connection(database); // Exists even after a failure.
  if (code != SQLITE_OK)
    return createStringError("cannot open database '" + path +
                             "': " + sqlite3_errstr(code));
  sqlite3_busy_timeout(database, kBusyMilliseconds);
  if (!create)
    if (Error error = connection.execute("PRAGMA query_only = ON"))
      return std::move(error);
  return std::move(connection);
}

Connection::~Connection() {
  if (cache)
    cache->clear();
  sqlite3_close_v2(database);
}

Error Connection::execute(const std::string &sql) {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) ==
      SQLITE_OK)
    return Error::success();
  return makeError(database, sql);
}

Error Connection::useWriteAheadLog() {
  // SQLite itself does not wait for the lock of this switch.
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds limit(kBusyMilliseconds), pause(5);
  Clock::time_point end = Clock::now() + limit;
  while (true) {
    Error error = execute("PRAGMA journal_mode = WAL");
    if (!error || sqlite3_errcode(database) != SQLITE_BUSY ||
        Clock::now() >= end)
      return error;
    consumeError(std::move(error));
    std::this_thread::sleep_for(pause);
  }
}

Expected<Statement> Connection::prepare(StringRef sql) const {
  sqlite3_stmt *statement = cache->take(sql);
  if (statement)
    return Statement(database, statement, cache);
  if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()),
                         &statement, nullptr) != SQLITE_OK)
    return makeError(database, sql);
  return Statement(database, statement, cache);
}

Expected<int64_t> Connection::getInteger(StringRef sql) const {
  Expected<Statement> statement = prepare(sql);
  if (!statement)
    return statement.takeError();
  Expected<bool> hasRow = statement->step();
  if (!hasRow)
    return hasRow.takeError();
  return *hasRow ? statement->getInteger(0) : 0;
}

Error Connection::attach(const std::string &path, StringRef schema) {
  Expected<Statement> statement = prepare(("ATTACH ? AS " + schema).str());
  if (!statement)
    return statement.takeError();
  return statement
      ->bind(getURI(path, isImmutable(path) ? "immutable=1" : "mode=ro"))
      .run();
}

Error Connection::detach(StringRef schema) {
  return execute(("DETACH " + schema).str());
}

Error Connection::addFunction(const std::string &name, Check check) {
  auto call = [](sqlite3_context *context, int, sqlite3_value **values) {
    const auto &function =
        *static_cast<const Check *>(sqlite3_user_data(context));
    if (Error error = function(Arguments(values))) {
      std::string text = toString(std::move(error));
      sqlite3_result_error(context, text.c_str(),
                           static_cast<int>(text.size()));
    } else {
      sqlite3_result_int(context, 1);
    }
  };
  auto destroy = [](void *function) { delete static_cast<Check *>(function); };
  // SQLite owns the function, also after a failure.
  if (sqlite3_create_function_v2(
          database, name.c_str(), /*nArg=*/-1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
          std::make_unique<Check>(std::move(check)).release(), call, nullptr,
          nullptr, destroy) != SQLITE_OK)
    return makeError(database, "function " + name);
  return Error::success();
}

uint64_t Connection::getNumChanges() const {
  return static_cast<uint64_t>(sqlite3_changes(database));
}

Error Connection::transact(function_ref<Error()> body) {
  if (Error error = execute("BEGIN IMMEDIATE"))
    return error;
  Error error = body();
  if (!error)
    error = execute("COMMIT");
  if (!error)
    return Error::success();
  // The first error is the relevant one.
  consumeError(execute("ROLLBACK"));
  return error;
}

Error Connection::read(function_ref<Error()> body) {
  if (Error error = execute("BEGIN"))
    return error;
  Error error = body();
  Error end = execute("ROLLBACK");
  if (!error)
    return end;
  consumeError(std::move(end));
  return error;
}

} // namespace tcgemm::sqlite
