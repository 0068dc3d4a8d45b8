//===- BuildStore.cpp - Where an engine keeps builds ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/BuildStore.h"
#include "Cluster/SharedFiles.h"
#include "Measure/Workers.h"
#include "tcgemm/Target/BoundedJSON.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <unistd.h>

using namespace llvm;

namespace tcgemm {
namespace {

class DatabaseBuilds : public BuildStore {
public:
  explicit DatabaseBuilds(Store &store) : store(store) {}

  Error put(const Build &build) override { return store.putBuild(build); }
  Expected<std::optional<Build>> get(const BuildKey &key,
                                     StringRef ptxas) override {
    return store.getBuild(key, ptxas);
  }
  Error removeCode(const Build &build) override {
    return store.removeCode(build);
  }
  std::string getCodePath() const override { return store.getBinaryPath(); }

private:
  Store &store;
};

class SharedBuilds : public BuildStore {
public:
  explicit SharedBuilds(StringRef folder) : folder(folder) {}

  Error put(const Build &build) override;
  Expected<std::optional<Build>> get(const BuildKey &key,
                                     StringRef ptxas) override;
  Error removeCode(const Build &build) override;
  std::string getCodePath() const override { return folder + "/code"; }

private:
  std::string getFile(const BuildKey &key) const;

  std::string folder;
};

std::string getKeyText(const BuildKey &key) {
  return key.kernel + "\n" + key.config.str() + "\n" + key.chip + "\n" +
         (key.isPTX ? "ptx" : "cubin") + "\n" + key.tcgemm;
}

} // namespace

std::string SharedBuilds::getFile(const BuildKey &key) const {
  std::string hash = getSHA256(getKeyText(key));
  return folder + "/builds/" + hash.substr(0, 2) + "/" + hash + ".json";
}

Error SharedBuilds::put(const Build &build) {
  std::string path = getFile(build.key);
  json::Object object = toJSON(build);
  object["key"] = getKeyText(build.key);
  std::string text;
  raw_string_ostream(text) << json::Value(std::move(object)) << '\n';
  // The same build of another task may be there. This one is as good.
  return replaceFile(path, text, folder);
}

/// A damaged file is like none: the build is made again and replaces it.
Expected<std::optional<Build>> SharedBuilds::get(const BuildKey &key,
                                                 StringRef ptxas) {
  std::string path = getFile(key);
  if (!sys::fs::exists(path))
    return std::nullopt;
  Expected<std::string> text = readWholeFile(path);
  if (!text)
    return text.takeError();
  Expected<json::Value> value = parseBoundedJSON(*text);
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!value)
    consumeError(value.takeError());
  if (!object || object->getString("key") != getKeyText(key))
    return std::nullopt;
  Build build;
  build.key = key;
  readBuild(*object, build);
  if (!ptxas.empty() && build.ptxas != ptxas)
    return std::nullopt;
  return build;
}

Error SharedBuilds::removeCode(const Build &build) {
  for (const std::string &hash : build.binaries) {
    std::string path = getCodePath() + "/" + hash.substr(0, 2) + "/" + hash;
    if (std::error_code code = sys::fs::remove(path))
      return createStringError("cannot remove '" + path +
                               "': " + code.message());
  }
  return Error::success();
}

/// A file that is not finished has its name for milliseconds only.
static void removeUnfinishedCode(const std::string &folder) {
  constexpr std::chrono::hours most(1);
  auto now = std::chrono::system_clock::now();
  std::error_code code;
  for (sys::fs::recursive_directory_iterator entry(folder, code), end;
       entry != end && !code; entry.increment(code)) {
    if (!StringRef(entry->path()).ends_with(".tmp"))
      continue;
    ErrorOr<sys::fs::basic_file_status> status = entry->status();
    if (status && now - status->getLastModificationTime() > most)
      ::unlink(entry->path().c_str()); // Another process may be faster.
  }
}

std::unique_ptr<BuildStore> createDatabaseBuilds(Store &store) {
  removeUnfinishedCode(store.getBinaryPath());
  return std::make_unique<DatabaseBuilds>(store);
}

std::unique_ptr<BuildStore> createSharedBuilds(StringRef folder) {
  return std::make_unique<SharedBuilds>(folder);
}

} // namespace tcgemm
