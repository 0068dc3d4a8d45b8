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
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tcgemm {

Expected<std::vector<Record>> parseRecords(StringRef text, StringRef fileName) {
  std::vector<Record> records;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : enumerate(lines)) {
    if (line.trim().empty())
      continue;
    auto fail = [&, n = number + 1](Error error) {
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
    records.push_back(std::move(*record));
  }
  return records;
}

static Expected<std::vector<Record>> readRecords(StringRef path,
                                                 bool bestOnly) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  // Lines of JSON begin with an object.
  if (buffer && (*buffer)->getBuffer().ltrim().starts_with("{"))
    return parseRecords((*buffer)->getBuffer(), path);
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
