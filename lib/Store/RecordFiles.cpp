//===- RecordFiles.cpp - Records in files --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Store/Store.h"
#include "tcgemm/Target/BoundedJSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tcgemm {

Error parseRecords(StringRef text, StringRef fileName,
                   function_ref<Error(Record)> visit) {
  for (size_t number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.trim().empty())
      continue;
    auto fail = [&, n = number](Error error) {
      return createStringError(fileName + ":" + Twine(n) + ": " +
                               toString(std::move(error)));
    };
    Expected<json::Value> value = parseBoundedJSON(line);
    if (!value)
      return fail(value.takeError());
    const json::Object *object = value->getAsObject();
    if (!object)
      return fail(createStringError("expected an object"));
    Expected<Record> record = recordFromJSON(*object);
    if (!record)
      return fail(record.takeError());
    if (Error error = visit(std::move(*record)))
      return error;
  }
  return Error::success();
}

Expected<std::vector<Record>> parseRecords(StringRef text, StringRef fileName) {
  std::vector<Record> records;
  if (Error error = parseRecords(text, fileName, [&](Record record) {
        records.push_back(std::move(record));
        return Error::success();
      }))
    return std::move(error);
  return records;
}

/// The text of a file with lines of JSON, which begin with an object; null for
/// other files.
static std::unique_ptr<MemoryBuffer> readLines(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer || !(*buffer)->getBuffer().ltrim().starts_with("{"))
    return nullptr;
  return std::move(*buffer);
}

static Expected<std::vector<Record>> readRecords(StringRef path,
                                                 bool bestOnly) {
  if (std::unique_ptr<MemoryBuffer> lines = readLines(path))
    return parseRecords(lines->getBuffer(), path);
  Expected<std::unique_ptr<Store>> store =
      Store::open(path, Store::Mode::ReadOnly);
  if (!store)
    return store.takeError();
  return bestOnly ? (*store)->getBest({}) : (*store)->query({});
}

Expected<std::vector<Record>> readRecords(StringRef path) {
  return readRecords(path, /*bestOnly=*/true);
}

Expected<std::vector<Record>> readAllRecords(StringRef path) {
  return readRecords(path, /*bestOnly=*/false);
}

Expected<std::vector<Record>> readRecordsOf(StringRef path,
                                            ArrayRef<TuningProblem> problems) {
  std::vector<Record> records;
  if (std::unique_ptr<MemoryBuffer> lines = readLines(path)) {
    StringSet<> names;
    for (const TuningProblem &problem : problems)
      names.insert(problem.str());
    if (Error error =
            parseRecords(lines->getBuffer(), path, [&](Record record) {
              if (names.contains(record.problem.str()))
                records.push_back(std::move(record));
              return Error::success();
            }))
      return std::move(error);
    return records;
  }
  Expected<std::unique_ptr<Store>> store =
      Store::open(path, Store::Mode::ReadOnly);
  if (!store)
    return store.takeError();
  for (const TuningProblem &problem : problems) {
    RecordFilter filter;
    filter.kernel = problem.kernel;
    filter.sizes = problem.sizes;
    Expected<std::vector<Record>> more = (*store)->query(filter);
    if (!more)
      return more.takeError();
    llvm::append_range(records, std::move(*more));
  }
  return records;
}

/// Adds lines of JSON to a store, a part at a time.
static Error addLines(Store &store, const MemoryBuffer &lines, StringRef path) {
  constexpr size_t most = 10000;
  std::vector<Record> part;
  auto flush = [&]() -> Error {
    Expected<uint64_t> added = store.merge(part);
    part.clear();
    return added.takeError();
  };
  if (Error error = parseRecords(lines.getBuffer(), path, [&](Record record) {
        part.push_back(std::move(record));
        return part.size() < most ? Error::success() : flush();
      }))
    return error;
  return flush();
}

Expected<std::unique_ptr<Store>> openRecords(ArrayRef<std::string> paths) {
  std::unique_ptr<Store> all;
  for (const std::string &path : paths) {
    std::unique_ptr<MemoryBuffer> lines = readLines(path);
    std::unique_ptr<Store> one;
    if (!lines) {
      auto opened = Store::open(path, Store::Mode::ReadOnly);
      if (!opened)
        return opened.takeError();
      one = std::move(*opened);
      if (paths.size() == 1)
        return std::move(one);
    }
    if (!all) {
      auto opened = Store::openTemporary();
      if (!opened)
        return opened.takeError();
      all = std::move(*opened);
    }
    if (lines) {
      if (Error error = addLines(*all, *lines, path))
        return std::move(error);
    } else if (Expected<uint64_t> added = all->merge(*one); !added) {
      return added.takeError();
    }
  }
  return std::move(all);
}

Expected<std::vector<Record>> getShippedRecords() {
  std::vector<Record> records;
  for (const ShippedFile &file : getShippedFiles()) {
    if (!file.name.ends_with(".jsonl"))
      continue;
    Expected<std::vector<Record>> more = parseRecords(file.text, file.name);
    if (!more)
      return more.takeError();
    llvm::append_range(records, std::move(*more));
  }
  return records;
}

} // namespace tcgemm
