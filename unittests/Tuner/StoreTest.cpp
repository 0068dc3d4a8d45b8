//===- StoreTest.cpp - The database of records ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Store.h"
#include "TunerTestUtils.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tcgemm;

namespace {

class StoreTest : public testing::Test {
protected:
  std::unique_ptr<Store> open(llvm::StringRef name,
                              Store::Mode mode = Store::Mode::ReadWrite) {
    return unwrap(Store::open(folder.get(name), mode));
  }
  std::string getOpenError(llvm::StringRef name, Store::Mode mode) {
    return getError(Store::open(folder.get(name), mode));
  }
  void execute(llvm::StringRef name, const char *sql) {
    sqlite3 *database = nullptr;
    sqlite3_open(folder.get(name).c_str(), &database);
    char *message = nullptr;
    sqlite3_exec(database, sql, nullptr, nullptr, &message);
    EXPECT_EQ(message, nullptr) << message;
    sqlite3_close(database);
  }
  int getVersion(llvm::StringRef name) {
    sqlite3 *database = nullptr;
    sqlite3_stmt *statement = nullptr;
    sqlite3_open(folder.get(name).c_str(), &database);
    sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement,
                       nullptr);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    int version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return version;
  }
  void write(llvm::StringRef name, llvm::StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream(folder.get(name), code) << text;
    EXPECT_FALSE(code);
  }

  TemporaryFolder folder;
};

/// A pack of one module whose code is `ptx`.
KernelPack makePack(llvm::StringRef ptx) {
  KernelPack pack;
  ModuleInfo module;
  module.name = "m";
  module.chip = "sm_80";
  module.ptx = "m.ptx";
  pack.manifest.modules.push_back(module);
  pack.images.push_back({ptx.str(), ""});
  return pack;
}

Build makeBuild(const Store &store, const TuningProblem &problem,
                llvm::StringRef config, llvm::StringRef ptx) {
  Build build;
  build.key = getBuildKey(problem, makeConfig(config), "sm_80", true);
  KernelPack pack = makePack(ptx);
  build.binaries = unwrap(writeBinaries(store.getBinaryPath(), pack));
  llvm::raw_string_ostream(build.manifest) << toJSON(pack.manifest);
  build.milliseconds = 12;
  return build;
}

TEST_F(StoreTest, RecordsAreReadBack) {
  auto store = open("a.db");
  Record record = makeRecord(makeProblem(64, 64, 64), "stages=4", 10);
  record.message = "quote ' and \"";
  EXPECT_EQ(getError(store->put(record)), "no error");
  Record back =
      need(unwrap(store->get(record.problem, record.config, record.platform)));
  EXPECT_TRUE(llvm::json::Value(toJSON(back)) ==
              llvm::json::Value(toJSON(record)));
  Platform other = record.platform;
  other.driver = "another";
  EXPECT_FALSE(unwrap(store->get(record.problem, record.config, other)));
}

TEST_F(StoreTest, ARecordIsReplacedByItsKey) {
  auto store = open("a.db");
  TuningProblem problem = makeProblem(64, 64, 64);
  EXPECT_EQ(getError(store->put(makeRecord(problem, "stages=4", 10))),
            "no error");
  EXPECT_EQ(getError(store->put(makeRecord(problem, "stages=4", 8))),
            "no error");
  EXPECT_EQ(getError(store->put(makeRecord(problem, "stages=5", 9))),
            "no error");
  auto records = unwrap(store->query({}));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].timing.median, 8);
}

TEST_F(StoreTest, QueriesFilterAndOrder) {
  auto store = open("a.db");
  TuningProblem small = makeProblem(64, 64, 64), large = makeProblem(9, 9, 9);
  Record failure = makeRecord(small, "stages=6", 0);
  failure.outcome = Outcome::Timeout;
  for (const Record &record :
       {failure, makeRecord(small, "stages=4", 10),
        makeRecord(small, "stages=5", 5), makeRecord(large, "stages=4", 1)})
    EXPECT_EQ(getError(store->put(record)), "no error");
  RecordFilter filter;
  filter.sizes = small.sizes;
  auto records = unwrap(store->query(filter));
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].config.stages, 5);
  EXPECT_EQ(records[2].outcome, Outcome::Timeout);
  filter.outcome = Outcome::Success;
  EXPECT_EQ(unwrap(store->query(filter)).size(), 2u);
  filter.limit = 1;
  records = unwrap(store->query(filter));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].config.stages, 5);
  filter.limit = 0;
  filter.stage = TimingStage::Full;
  EXPECT_EQ(unwrap(store->query(filter)).size(), 2u);
  filter.stage = TimingStage::Final;
  EXPECT_EQ(unwrap(store->query(filter)).size(), 0u);
  filter.stage = std::nullopt;
  filter.chip = "sm_80";
  EXPECT_EQ(unwrap(store->query(filter)).size(), 0u);
  EXPECT_EQ(unwrap(store->getBest({})).size(), 2u);
}

TEST_F(StoreTest, FinalsAreBetterThanScreenings) {
  auto store = open("a.db");
  TuningProblem problem = makeProblem(64, 64, 64);
  Record final = makeRecord(problem, "stages=4", 10);
  final.timing.stage = TimingStage::Final;
  EXPECT_EQ(getError(store->put(final)), "no error");
  EXPECT_EQ(getError(store->put(makeRecord(problem, "stages=5", 9.99))),
            "no error");
  EXPECT_EQ(unwrap(store->getBest({})).front().config.stages, 4);
}

TEST_F(StoreTest, BuildsHaveTheirCode) {
  auto store = open("a.db");
  TuningProblem problem = makeProblem(64, 64, 64);
  Build build = makeBuild(*store, problem, "stages=4", "code 1");
  EXPECT_EQ(getError(store->putBuild(build)), "no error");
  // Other sizes have the same code, unless they are compiled in.
  TuningProblem other = makeProblem(128, 8, 8);
  auto found = unwrap(
      store->getBuild(getBuildKey(other, build.key.config, "sm_80", true), ""));
  ASSERT_TRUE(found);
  EXPECT_EQ(unwrap(store->loadPack(*found)).images[0].ptx, "code 1");
  other.kernel.isStatic = true;
  EXPECT_FALSE(unwrap(store->getBuild(
      getBuildKey(other, build.key.config, "sm_80", true), "")));
  EXPECT_FALSE(unwrap(store->getBuild(build.key, "12.0")));
}

TEST_F(StoreTest, EqualCodeIsStoredOnce) {
  auto store = open("a.db");
  TuningProblem problem = makeProblem(64, 64, 64);
  for (const char *config : {"stages=4", "stages=5", "stages=6"})
    EXPECT_EQ(getError(store->putBuild(
                  makeBuild(*store, problem, config,
                            config == std::string("stages=6") ? "b" : "a"))),
              "no error");
  StoreStats stats = unwrap(store->getStats());
  EXPECT_EQ(stats.builds, 3u);
  EXPECT_EQ(stats.binaries, 2u);
}

TEST_F(StoreTest, DamagedCodeIsNoticed) {
  auto store = open("a.db");
  Build build = makeBuild(*store, makeProblem(64, 64, 64), "stages=4", "code");
  EXPECT_EQ(getError(store->putBuild(build)), "no error");
  EXPECT_TRUE(unwrap(store->verify()).empty());
  std::string path = store->getBinaryPath() + "/" +
                     build.binaries[0].substr(0, 2) + "/" + build.binaries[0];
  auto old = llvm::MemoryBuffer::getFile(path);
  std::string bytes = (*old)->getBuffer().str();
  bytes.back() ^= 1;
  std::error_code code;
  llvm::raw_fd_ostream(path, code) << bytes;
  auto problems = unwrap(store->verify());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find(build.binaries[0]), std::string::npos);
  EXPECT_FALSE(llvm::sys::fs::remove(path));
  EXPECT_NE(getError(store->loadPack(build)).find("cannot read the code"),
            std::string::npos);
}

TEST_F(StoreTest, WhatIsNoDatabaseIsRefused) {
  EXPECT_NE(getOpenError("none.db", Store::Mode::ReadOnly)
                .find("there is no such file"),
            std::string::npos);
  EXPECT_NE(getOpenError("no/such/folder.db", Store::Mode::ReadWrite)
                .find("cannot open database"),
            std::string::npos);
  EXPECT_NE(getOpenError("", Store::Mode::ReadWrite).find("is a folder"),
            std::string::npos);
  write("text.db", std::string(5000, 'x'));
  for (Store::Mode mode : {Store::Mode::ReadOnly, Store::Mode::ReadWrite})
    EXPECT_NE(getOpenError("text.db", mode).find("is not a database of tcgemm"),
              std::string::npos);
  execute("foreign.db", "CREATE TABLE t(x)");
  for (Store::Mode mode : {Store::Mode::ReadOnly, Store::Mode::ReadWrite})
    EXPECT_NE(getOpenError("foreign.db", mode)
                  .find("is a database, but not one of tcgemm"),
              std::string::npos);
}

TEST_F(StoreTest, ReadOnlyFilesAreRefusedForWriting) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may write everything";
  open("a.db");
  ::chmod(folder.get("a.db").c_str(), 0400);
  EXPECT_NE(getOpenError("a.db", Store::Mode::ReadWrite).find("read-only"),
            std::string::npos);
}

TEST_F(StoreTest, ReadOnlyFoldersAreRead) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may write everything";
  std::string inner = folder.get("50%#?");
  EXPECT_FALSE(llvm::sys::fs::create_directory(inner));
  EXPECT_EQ(
      getError(open("50%#?/a.db")
                   ->put(makeRecord(makeProblem(64, 64, 64), "stages=4", 10))),
      "no error");
  ::chmod(inner.c_str(), 0500);
  EXPECT_EQ(unwrap(open("50%#?/a.db", Store::Mode::ReadOnly)->query({})).size(),
            1u);
  ::chmod(inner.c_str(), 0700);
}

/// A database of version 1 can be read, and is migrated by writers.
TEST_F(StoreTest, OlderVersionsAreReadAndMigrated) {
  auto sql = llvm::MemoryBuffer::getFile(
      TCGEMM_SOURCE_DIR "/unittests/Tuner/Inputs/version-1.sql");
  ASSERT_TRUE(bool(sql));
  execute("a.db", (*sql)->getBuffer().str().c_str());
  auto query = [&](Store::Mode mode) {
    auto records = unwrap(open("a.db", mode)->query({}));
    std::string text;
    for (const Record &record : records) {
      EXPECT_FALSE(record.state.isKnown());
      llvm::raw_string_ostream(text)
          << llvm::json::Value(toJSON(record)) << "\n";
    }
    EXPECT_EQ(records.size(), 2u);
    return text;
  };
  std::string before = query(Store::Mode::ReadOnly);
  EXPECT_TRUE(unwrap(open("a.db", Store::Mode::ReadOnly)->verify()).empty());
  EXPECT_EQ(getVersion("a.db"), 1); // Reading changed nothing.
  EXPECT_EQ(query(Store::Mode::ReadWrite), before);
  EXPECT_EQ(getVersion("a.db"), Store::kSchemaVersion);
  EXPECT_EQ(query(Store::Mode::ReadOnly), before);
  auto store = open("a.db");
  EXPECT_TRUE(unwrap(store->verify()).empty());
  Record record = unwrap(store->query({})).front();
  record.state.power = 612.5;
  EXPECT_EQ(getError(store->put(record)), "no error");
  EXPECT_EQ(
      need(unwrap(store->get(record.problem, record.config, record.platform)))
          .state.power,
      612.5);
}

TEST_F(StoreTest, OlderVersionsAreMerged) {
  auto sql = llvm::MemoryBuffer::getFile(
      TCGEMM_SOURCE_DIR "/unittests/Tuner/Inputs/version-1.sql");
  ASSERT_TRUE(bool(sql));
  execute("old.db", (*sql)->getBuffer().str().c_str());
  auto store = open("new.db");
  EXPECT_EQ(unwrap(store->merge(*open("old.db", Store::Mode::ReadOnly))), 2u);
  EXPECT_EQ(unwrap(store->query({})).size(), 2u);
}

TEST_F(StoreTest, StatesAreKeptAsFarAsTheyAreKnown) {
  auto store = open("a.db");
  Record record = makeRecord(makeProblem(64, 64, 64), "stages=4", 10);
  record.state = {1755, std::nullopt, 612.5, std::nullopt, 0};
  EXPECT_EQ(getError(store->put(record)), "no error");
  Record back =
      need(unwrap(store->get(record.problem, record.config, record.platform)));
  EXPECT_EQ(back.state.smClock, 1755);
  EXPECT_FALSE(back.state.memoryClock);
  EXPECT_EQ(back.state.power, 612.5);
  EXPECT_FALSE(back.state.temperature);
  EXPECT_EQ(back.state.clockEvents, 0);
}

TEST_F(StoreTest, LaterVersionsAreRefused) {
  open("a.db");
  execute("a.db", "PRAGMA user_version = 99");
  for (Store::Mode mode : {Store::Mode::ReadOnly, Store::Mode::ReadWrite})
    EXPECT_NE(getOpenError("a.db", mode)
                  .find("has schema version 99, but this tcgemm knows up to " +
                        std::to_string(Store::kSchemaVersion) +
                        ": use a newer one"),
              std::string::npos);
}

// The version would be an index.
TEST_F(StoreTest, NegativeVersionsAreRefused) {
  open("a.db");
  execute("a.db", "PRAGMA user_version = -5");
  for (Store::Mode mode : {Store::Mode::ReadOnly, Store::Mode::ReadWrite})
    EXPECT_NE(getOpenError("a.db", mode)
                  .find("has schema version -5, but versions are 0 or more"),
              std::string::npos);
}

TEST_F(StoreTest, SeveralMayWrite) {
  auto first = open("a.db"), second = open("a.db");
  TuningProblem problem = makeProblem(64, 64, 64);
  for (int i = 2; i != 12; ++i)
    EXPECT_EQ(getError((i % 2 ? *first : *second)
                           .put(makeRecord(problem,
                                           "stages=" + std::to_string(i), i))),
              "no error");
  EXPECT_EQ(unwrap(first->query({})).size(), 10u);
}

/// The state after a killed process: a log that is not merged yet.
TEST_F(StoreTest, ALogThatWasLeftIsRead) {
  auto store = open("a.db");
  TuningProblem problem = makeProblem(64, 64, 64);
  for (const char *config : {"stages=4", "stages=5"})
    EXPECT_EQ(getError(store->put(makeRecord(problem, config, 10))),
              "no error");
  for (const char *suffix : {"", "-wal"})
    EXPECT_FALSE(llvm::sys::fs::copy_file(folder.get("a.db") + suffix,
                                          folder.get("b.db") + suffix));
  auto left = open("b.db", Store::Mode::ReadOnly);
  EXPECT_EQ(unwrap(left->query({})).size(), 2u);
  EXPECT_TRUE(unwrap(left->verify()).empty());
  EXPECT_NE(getError(left->put(makeRecord(problem, "stages=6", 10)))
                .find("attempt to write a readonly database"),
            std::string::npos);
}

TEST_F(StoreTest, MergeTakesWhatSaysMore) {
  auto first = open("a.db"), second = open("b.db");
  TuningProblem problem = makeProblem(64, 64, 64);
  Record screened = makeRecord(problem, "stages=4", 10);
  screened.timing.stage = TimingStage::Screened;
  Record full = makeRecord(problem, "stages=4", 9);
  Record failure = makeRecord(problem, "stages=5", 0);
  failure.outcome = Outcome::Timeout;
  Record success = makeRecord(problem, "stages=5", 8);
  EXPECT_EQ(getError(first->put(screened)), "no error");
  EXPECT_EQ(getError(first->put(success)), "no error");
  EXPECT_EQ(getError(second->put(full)), "no error");
  EXPECT_EQ(getError(second->put(failure)), "no error");
  EXPECT_EQ(getError(second->putBuild(
                makeBuild(*second, problem, "stages=4", "code"))),
            "no error");
  EXPECT_EQ(unwrap(first->merge(*second)), 2u);
  EXPECT_EQ(unwrap(first->merge(*second)), 0u); // All is there.
  auto records = unwrap(first->query({}));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].timing.median, 8);
  EXPECT_EQ(records[1].timing.median, 9);
  EXPECT_TRUE(unwrap(first->verify()).empty());
  EXPECT_EQ(unwrap(first->getStats()).binaries, 1u);
}

/// Two databases number their rows in different orders.
TEST_F(StoreTest, MergeMapsTheNumbersOfRows) {
  auto first = open("a.db"), second = open("b.db");
  TuningProblem small = makeProblem(8, 8, 8), large = makeProblem(64, 64, 64);
  for (const Record &record :
       {makeRecord(small, "stages=4", 1), makeRecord(large, "stages=5", 2)})
    EXPECT_EQ(getError(first->put(record)), "no error");
  std::vector<Record> others = {makeRecord(large, "stages=5", 3),
                                makeRecord(large, "stages=4", 4),
                                makeRecord(small, "stages=6", 5)};
  others[0].platform.driver = others[1].platform.driver = "other";
  EXPECT_EQ(unwrap(second->merge(others)), 3u);
  EXPECT_EQ(unwrap(first->merge(*second)), 3u);
  EXPECT_TRUE(unwrap(first->verify()).empty());
  for (const Record &record : others)
    EXPECT_TRUE(llvm::json::Value(toJSON(need(unwrap(first->get(
                    record.problem, record.config, record.platform))))) ==
                llvm::json::Value(toJSON(record)));
  EXPECT_EQ(unwrap(first->query({})).size(), 5u);
}

/// Batches and databases follow one rule.
TEST_F(StoreTest, MergesOfRecordsTakeWhatSaysMore) {
  TuningProblem problem = makeProblem(64, 64, 64);
  Record failure = makeRecord(problem, "stages=4", 0);
  failure.outcome = Outcome::Timeout;
  Record screened = makeRecord(problem, "stages=4", 3);
  screened.timing.stage = TimingStage::Screened;
  Record longer = screened, final = screened, later = screened;
  longer.timing.samples.push_back(3);
  final.timing.stage = TimingStage::Final;
  final.timing.samples.clear();
  later = final;
  ++later.timestamp;
  std::vector<Record> order = {failure, screened, longer, final, later};
  for (size_t worse = 0; worse != order.size(); ++worse)
    for (size_t better = worse; better != order.size(); ++better) {
      std::string name = std::to_string(worse) + std::to_string(better);
      auto low = open("low" + name), high = open("high" + name);
      EXPECT_EQ(unwrap(low->merge({order[worse]})), 1u);
      EXPECT_EQ(unwrap(high->merge({order[better]})), 1u);
      // The better one replaces the other, and is not replaced.
      EXPECT_EQ(unwrap(high->merge(*low)), 0u);
      EXPECT_EQ(unwrap(high->merge({order[worse]})), 0u);
      EXPECT_EQ(unwrap(low->merge(*high)), worse == better ? 0u : 1u);
      EXPECT_EQ(unwrap(low->query({})).front().timestamp,
                order[better].timestamp);
    }
}

TEST_F(StoreTest, MergeWithItselfAddsNothing) {
  auto store = open("a.db");
  EXPECT_EQ(getError(store->put(makeRecord(makeProblem(64, 64, 64), "", 1))),
            "no error");
  EXPECT_EQ(unwrap(store->merge(*open("a.db", Store::Mode::ReadOnly))), 0u);
  EXPECT_EQ(unwrap(store->query({})).size(), 1u);
}

/// A merge adds all of a database, or nothing; what is wrong is said.
TEST_F(StoreTest, DamagedDatabasesAreNotMerged) {
  struct Case {
    const char *damage, *message;
  };
  constexpr Case cases[] = {
      {"UPDATE records SET outcome = 'perfect' WHERE config = 2",
       "outcome 'perfect' is unknown"},
      {"UPDATE records SET stage = 'last' WHERE config = 2",
       "stage 'last' is unknown"},
      {"UPDATE records SET median = -1 WHERE config = 2",
       "'microseconds' is -1, but it must be 0 or from 1e-6 to 1e15"},
      {"UPDATE records SET samples = '[1,2' WHERE config = 2",
       "cannot be merg"},
      {"UPDATE records SET samples = '[1e99]' WHERE config = 2",
       "'samples' is 1e+99"},
      {"UPDATE problems SET m = 0", "the sizes are 0x64x64"},
      {"UPDATE problems SET kernel = 'dense'", "kernel 'dense': expected type"},
      {"UPDATE configs SET text = 'stagez = 4' WHERE id = 2",
       "unknown config parameter 'stagez'"},
      {"DELETE FROM configs WHERE id = 2",
       "a record refers to a row that is not there"}};
  for (const Case &c : cases) {
    for (const char *name : {"a.db", "b.db", "b.db-wal", "b.db-shm"})
      (void)llvm::sys::fs::remove(folder.get(name));
    TuningProblem problem = makeProblem(64, 64, 64);
    EXPECT_EQ(unwrap(open("b.db")->merge({makeRecord(problem, "stages=4", 4),
                                          makeRecord(problem, "stages=5", 5)})),
              2u);
    execute("b.db", c.damage);
    auto store = open("a.db");
    EXPECT_EQ(getError(store->put(makeRecord(problem, "stages=6", 6))),
              "no error");
    std::string error =
        getError(store->merge(*open("b.db", Store::Mode::ReadOnly)));
    EXPECT_NE(error.find("b.db' cannot be merged: "), std::string::npos)
        << error;
    EXPECT_NE(error.find(c.message), std::string::npos) << error;
    EXPECT_EQ(unwrap(store->query({})).size(), 1u);
    EXPECT_TRUE(unwrap(store->verify()).empty());
    // The next merge works.
    EXPECT_EQ(unwrap(open("c.db")->merge(*store)), 1u);
    EXPECT_EQ(getError(store->put(makeRecord(problem, "stages=7", 7))),
              "no error");
    (void)llvm::sys::fs::remove(folder.get("c.db"));
  }
}

TEST_F(StoreTest, RecordsAreVisitedAndCounted) {
  auto store = open("a.db");
  TuningProblem small = makeProblem(8, 8, 8), large = makeProblem(64, 64, 64);
  Record failure = makeRecord(small, "stages=6", 0);
  failure.outcome = Outcome::Timeout;
  failure.timestamp += 60;
  Record other = makeRecord(small, "stages=4", 3);
  other.platform.tcgemm = "0.2.0+test";
  EXPECT_EQ(
      unwrap(store->merge({makeRecord(small, "stages=4", 1),
                           makeRecord(large, "stages=4", 2), other, failure})),
      4u);
  std::vector<double> times;
  EXPECT_EQ(getError(store->forEach({},
                                    [&](const Record &record) {
                                      times.push_back(record.timing.median);
                                      return llvm::Error::success();
                                    })),
            "no error");
  EXPECT_EQ(times, (std::vector<double>{1, 0, 3, 2}));
  EXPECT_EQ(
      getError(store->forEach(
          {}, [](const Record &) { return llvm::createStringError("a"); })),
      "a");
  auto summaries = unwrap(store->summarize({}));
  ASSERT_EQ(summaries.size(), 3u);
  EXPECT_EQ(summaries[0].problem.str(), small.str());
  EXPECT_EQ(summaries[0].getCount(), 2u);
  EXPECT_EQ(summaries[0].counts[unsigned(Outcome::Timeout)], 1u);
  EXPECT_EQ(summaries[0].last, summaries[0].first + 60);
  EXPECT_EQ(summaries[1].platform.tcgemm, "0.2.0+test");
  RecordFilter filter;
  filter.tcgemm = "0.2.0+test";
  EXPECT_EQ(unwrap(store->summarize(filter)).size(), 1u);
  filter = {};
  filter.sizes = large.sizes;
  EXPECT_EQ(unwrap(store->summarize(filter)).size(), 1u);
}

/// The fastest for each problem and platform, with and without the index.
TEST_F(StoreTest, TheBestIsFoundInEachVersion) {
  auto store = open("a.db");
  std::vector<Record> records;
  for (int size : {8, 16, 24})
    for (int stages : {4, 5, 6})
      for (const char *driver : {"1", "2"}) {
        Record record = makeRecord(makeProblem(size, 8, 8),
                                   "stages=" + std::to_string(stages),
                                   10 + (size * 7 + stages * 5) % 11);
        record.platform.driver = driver;
        if (size == 16)
          record.timing.stage =
              stages == 5 ? TimingStage::Final : TimingStage::Screened;
        if (size == 24 && driver == std::string("2"))
          record.outcome = Outcome::Runtime;
        records.push_back(record);
      }
  unwrap(store->merge(records));
  auto check = [&](const Store &opened) {
    auto best = unwrap(opened.getBest({}));
    ASSERT_EQ(best.size(), 5u); // One has failures only.
    for (const Record &one : best)
      for (const Record &record : records)
        if (record.isSuccess() && record.platform == one.platform &&
            record.problem.str() == one.problem.str()) {
          if (one.problem.sizes.m == 16)
            EXPECT_EQ(one.config.stages, 5);
          else
            EXPECT_LE(one.timing.median, record.timing.median);
        }
  };
  check(*store);
  execute("a.db", "DROP INDEX fastest; PRAGMA user_version = 2");
  check(*open("a.db", Store::Mode::ReadOnly));
  EXPECT_EQ(getVersion("a.db"), 2);
  check(*open("a.db"));
  EXPECT_EQ(getVersion("a.db"), Store::kSchemaVersion);
}

TEST_F(StoreTest, TemporaryDatabasesTakeRecords) {
  auto store = unwrap(Store::openTemporary());
  EXPECT_EQ(getError(open("a.db")->put(
                makeRecord(makeProblem(64, 64, 64), "stages=4", 10))),
            "no error");
  EXPECT_EQ(unwrap(store->merge(*open("a.db", Store::Mode::ReadOnly))), 1u);
  EXPECT_EQ(unwrap(store->query({})).size(), 1u);
  EXPECT_TRUE(store->getPath().empty());
}

TEST_F(StoreTest, PruneRemovesOldVersionsAndOrphans) {
  auto store = open("a.db");
  TuningProblem problem = makeProblem(64, 64, 64);
  Record old = makeRecord(problem, "stages=4", 10);
  old.platform.tcgemm = "0.0.1+old";
  EXPECT_EQ(getError(store->put(old)), "no error");
  EXPECT_EQ(getError(store->put(makeRecord(problem, "stages=5", 10))),
            "no error");
  Build kept = makeBuild(*store, problem, "stages=4", "kept");
  kept.key.tcgemm = "0.1.0+test";
  Build oldBuild = makeBuild(*store, problem, "stages=4", "old");
  oldBuild.key.tcgemm = "0.0.1+old";
  EXPECT_EQ(getError(store->putBuild(kept)), "no error");
  EXPECT_EQ(getError(store->putBuild(oldBuild)), "no error");
  makeBuild(*store, problem, "stages=6", "never referred to");
  EXPECT_EQ(unwrap(store->prune("")), 1u); // The orphan.
  EXPECT_EQ(unwrap(store->prune("0.1.0+test")), 3u);
  EXPECT_EQ(unwrap(store->query({})).size(), 1u);
  EXPECT_EQ(unwrap(store->getStats()).binaries, 1u);
  EXPECT_TRUE(unwrap(store->verify()).empty());
}

/// Processes merge at the same time into a new file. All rows and all code must
/// be in it.
TEST_F(StoreTest, MergesAtOnceKeepEverything) {
  constexpr int numMerges = 4, numShared = 40;
  TuningProblem shared = makeProblem(64, 64, 64);
  for (int i = 0; i != numMerges; ++i) {
    auto source = open(std::to_string(i));
    TuningProblem own = makeProblem(64 + i, 64, 64);
    EXPECT_EQ(getError(source->put(makeRecord(own, "stages=4", 10))),
              "no error");
    // The same files of code are copied by all.
    for (int j = 0; j != numShared; ++j)
      EXPECT_EQ(getError(source->putBuild(makeBuild(
                    *source, shared, "split_k=" + std::to_string(j + 1),
                    "code " + std::to_string(j)))),
                "no error");
  }
  std::vector<pid_t> merges;
  for (int i = 0; i != numMerges; ++i) {
    pid_t process = fork();
    if (process == 0) {
      auto target = Store::open(folder.get("all"), Store::Mode::ReadWrite);
      auto source =
          Store::open(folder.get(std::to_string(i)), Store::Mode::ReadOnly);
      if (!target || !source)
        _exit(1);
      llvm::Expected<uint64_t> added = (*target)->merge(**source);
      if (!added)
        llvm::errs() << llvm::toString(added.takeError()) << '\n';
      _exit(added ? 0 : 2);
    }
    merges.push_back(process);
  }
  for (pid_t process : merges) {
    int status = 0;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  auto all = open("all", Store::Mode::ReadOnly);
  EXPECT_EQ(unwrap(all->query({})).size(), size_t(numMerges));
  StoreStats stats = unwrap(all->getStats());
  EXPECT_EQ(stats.builds, uint64_t(numShared));
  EXPECT_EQ(stats.binaries, uint64_t(numShared)); // No temporary file remains.
  EXPECT_TRUE(unwrap(all->verify()).empty());
}

} // namespace
