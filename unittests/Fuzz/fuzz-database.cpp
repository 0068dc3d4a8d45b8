//===- fuzz-database.cpp - Fuzzes database files --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is the file. Damage must be reported and must not end the process.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "tcgemm/Store/Store.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tcgemm;
using namespace tcgemm::fuzz;

namespace {
/// A folder that lives as long as the process.
class Folder {
public:
  Folder() {
    if (llvm::sys::fs::createUniqueDirectory("tcgemm-fuzz", path))
      fail("no folder can be made for databases");
  }
  ~Folder() { (void)llvm::sys::fs::remove_directories(path); }
  std::string getFile(llvm::StringRef name) const {
    llvm::SmallString<128> file(path);
    llvm::sys::path::append(file, name);
    return file.str().str();
  }

private:
  llvm::SmallString<128> path;
};
} // namespace

static void writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  for (llvm::StringRef suffix : {"-journal", "-wal", "-shm"})
    (void)llvm::sys::fs::remove(path + suffix);
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  require(!code, "a database's file cannot be written");
  stream << bytes;
}

static void read(const Store &store) {
  accept(store.verify());
  accept(store.getStats());
  accept(store.summarize({}));
  if (auto best = accept(store.getBest({})))
    for (const Record &record : llvm::ArrayRef(*best).take_front(4))
      accept(store.countTies(record));
  auto records = accept(store.query({}));
  if (!records)
    return;
  for (const Record &record : llvm::ArrayRef(*records).take_front(4)) {
    accept(store.get(record.problem, record.config, record.platform));
    auto build = accept(store.getBuild(
        getBuildKey(record.problem, record.config, record.platform.chip, true),
        ""));
    if (build && *build)
      accept(store.loadPack(**build));
  }
}

static void change(Store &store, const Store &other) {
  Record record;
  record.problem.sizes = {16, 16, 16, 1};
  record.platform = {"sm_90", "device", "driver", "", "tcgemm"};
  if (llvm::Error error = store.put(record))
    checkRefusal(std::move(error));
  accept(store.merge(other));
  accept(store.prune("tcgemm"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Folder folder;
  std::string path = folder.getFile("input.db");
  writeFile(path, getText(data, size));
  if (auto store = accept(Store::open(path, Store::Mode::ReadOnly)))
    read(**store);
  std::string copy = folder.getFile("copy.db");
  writeFile(copy, getText(data, size));
  auto other = accept(Store::open(path, Store::Mode::ReadOnly));
  auto store = accept(Store::open(copy, Store::Mode::ReadWrite));
  if (store && other) {
    change(**store, **other);
    read(**store);
  }
  return 0;
}
