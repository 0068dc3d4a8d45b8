//===- Sqlite.h - SQLite with errors and owners -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A connection, prepared statements and transactions, independent of tcgemm.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_SQLITE_H
#define TCGEMM_LIB_STORE_SQLITE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_value;

namespace tcgemm::sqlite {

/// Prepared statements that are not in use, by their text. Preparing takes
/// longer than inserting a row.
class StatementCache {
public:
  StatementCache() = default;
  StatementCache(const StatementCache &) = delete;
  StatementCache &operator=(const StatementCache &) = delete;
  ~StatementCache() { clear(); }

  /// A statement, or null.
  sqlite3_stmt *take(llvm::StringRef sql);
  /// Keeps a statement without its values. A few of each text are kept.
  void give(sqlite3_stmt *statement);
  void clear();

private:
  llvm::StringMap<llvm::SmallVector<sqlite3_stmt *, 1>> statements;
};

/// Values by their position, from 0: a row of results, or the arguments of a
/// function.
class Row {
public:
  virtual ~Row() = default;
  std::string getText(unsigned column) const { return getBytes(column).str(); }
  /// Text or a blob, until the next row.
  virtual llvm::StringRef getBytes(unsigned column) const = 0;
  virtual int64_t getInteger(unsigned column) const = 0;
  virtual double getReal(unsigned column) const = 0;
  virtual bool isNull(unsigned column) const = 0;
  // None for NULL.
  std::optional<int64_t> getOptionalInteger(unsigned column) const;
  std::optional<double> getOptionalReal(unsigned column) const;

protected:
  Row() = default;
  Row(Row &&) = default;
};

/// A prepared statement and its current row. Parameters are bound in order;
/// unbound ones are NULL.
class Statement : public Row {
public:
  Statement(Statement &&other) noexcept;
  Statement &operator=(Statement &&) = delete;
  ~Statement() override;

  template <typename... Ts> Statement &bind(const Ts &...values) {
    (bindNext(values), ...);
    return *this;
  }
  Statement &bindBlob(llvm::StringRef bytes);

  /// True for a row, false at the end.
  llvm::Expected<bool> step();
  /// Runs a statement without result rows.
  llvm::Error run();
  /// Calls `row` for each row, until one fails.
  llvm::Error forEach(llvm::function_ref<llvm::Error()> row);

  llvm::StringRef getBytes(unsigned column) const override;
  int64_t getInteger(unsigned column) const override;
  double getReal(unsigned column) const override;
  bool isNull(unsigned column) const override;

private:
  friend class Connection;
  Statement(sqlite3 *database, sqlite3_stmt *statement,
            std::shared_ptr<StatementCache> cache)
      : database(database), statement(statement), cache(std::move(cache)) {}
  void bindNext(llvm::StringRef text);
  void bindNext(const std::string &text) { bindNext(llvm::StringRef(text)); }
  void bindNext(const char *text) { bindNext(llvm::StringRef(text)); }
  void bindNext(double value);
  void bindInteger(int64_t value);
  /// None is NULL.
  template <typename T> void bindNext(const std::optional<T> &value) {
    if (value)
      bindNext(*value);
    else
      ++next;
  }
  template <typename T>
  std::enable_if_t<std::is_integral_v<T>> bindNext(T value) {
    bindInteger(static_cast<int64_t>(value));
  }

  sqlite3 *database;
  sqlite3_stmt *statement;
  std::shared_ptr<StatementCache> cache;
  int next = 1;
  bool failed = false;
};

/// A function in SQL that returns 1, or fails the statement.
using Check = std::function<llvm::Error(const Row &arguments)>;

class Connection {
public:
  /// With `create`, creates a missing file. Otherwise opens for reading only.
  /// An empty path is a temporary file, which is removed with the connection.
  static llvm::Expected<Connection> open(const std::string &path, bool create);
  Connection(Connection &&other) noexcept
      : database(other.database), cache(std::move(other.cache)) {
    other.database = nullptr;
  }
  Connection &operator=(Connection &&) = delete;
  ~Connection();

  /// Runs statements without parameters or results.
  llvm::Error execute(const std::string &sql);
  /// Switches the database to WAL mode, which is stored in the file. Waits for
  /// other processes that switch or read at the same time.
  llvm::Error useWriteAheadLog();
  llvm::Expected<Statement> prepare(llvm::StringRef sql) const;
  /// The first column of the first row.
  llvm::Expected<int64_t> getInteger(llvm::StringRef sql) const;
  /// Makes the tables of a file that exists readable as `schema`.TABLE. Not
  /// inside a transaction.
  llvm::Error attach(const std::string &path, llvm::StringRef schema);
  llvm::Error detach(llvm::StringRef schema);
  /// Adds a function to SQL, with any number of arguments.
  llvm::Error addFunction(const std::string &name, Check check);
  /// The number of rows that the last statement changed.
  uint64_t getNumChanges() const;
  /// Runs `body` in a transaction that excludes other writers from its start.
  /// It is rolled back if `body` fails.
  llvm::Error transact(llvm::function_ref<llvm::Error()> body);
  /// Runs `body`, which only reads, so that it sees one state of the database.
  llvm::Error read(llvm::function_ref<llvm::Error()> body);

private:
  explicit Connection(sqlite3 *database)
      : database(database), cache(std::make_shared<StatementCache>()) {}
  sqlite3 *database;
  std::shared_ptr<StatementCache> cache;
};

} // namespace tcgemm::sqlite

#endif // TCGEMM_LIB_STORE_SQLITE_H
