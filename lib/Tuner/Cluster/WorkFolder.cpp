//===- WorkFolder.cpp - A work list in a shared folder ------------------------
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/WorkFolder.h"
#include "Cluster/SharedFiles.h"
#include "tcgemm/Target/BoundedJSON.h"
#include "tcgemm/Target/KernelPack.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace tcgemm {

/// The version of the folder's files.
static constexpr int64_t kFormat = 2;

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

std::vector<Shard> makeShards(const TuningProblem &problem,
                              ArrayRef<KernelConfig> configs,
                              const Platform &platform, uint64_t size) {
  uint64_t count = std::max<uint64_t>(1, (configs.size() + size - 1) /
                                             std::max<uint64_t>(size, 1));
  std::vector<std::pair<std::string, const KernelConfig *>> sorted;
  for (const KernelConfig &config : configs)
    sorted.emplace_back(config.hash(), &config);
  llvm::sort(sorted);
  std::vector<Shard> shards(count);
  std::vector<std::string> contents(count);
  for (const auto &[hash, config] : sorted) {
    uint64_t prefix = 0; // 32 bits.
    StringRef(hash).take_front(8).getAsInteger(16, prefix);
    uint64_t index = (prefix * count) >> 32;
    shards[index].configs.push_back(*config);
    contents[index] += hash;
  }
  std::string prefix = problem.str() + "\n" + getPlatformText(platform) + "\n";
  for (auto [shard, content] : zip_equal(shards, contents)) {
    shard.problem = problem;
    shard.id = getSHA256(prefix + content).substr(0, 32);
  }
  erase_if(shards, [](const Shard &shard) { return shard.configs.empty(); });
  return shards;
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

struct WorkFolder::Implementation {
  std::string path;
  WorkFolderOptions options;
  RecordLog log;
  /// The time of a claim, and when this task saw it for the first time.
  struct Observation {
    double touched = 0;
    std::chrono::steady_clock::time_point seen;
  };
  StringMap<Observation> observed; ///< By path.
  /// The folder's time by this task's steady clock. It is read seldom, because
  /// that writes a file.
  double readTime = 0;
  std::optional<std::chrono::steady_clock::time_point> readAt;

  std::string getPath(const Twine &name) const {
    return (path + "/" + name).str();
  }
  std::string getClaimPath(StringRef id, unsigned number) const {
    return getPath("claims/" + id + "." + Twine(number));
  }
  Error publish(const Twine &name, StringRef contents) const {
    return publishFile(getPath(name), contents, path);
  }
  Expected<double> getTime();
  Expected<bool> isExpired(const std::string &file);
};

WorkFolder::WorkFolder(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
WorkFolder::WorkFolder(WorkFolder &&) noexcept = default;
WorkFolder &WorkFolder::operator=(WorkFolder &&) noexcept = default;
WorkFolder::~WorkFolder() = default;

/// Compares a stamp with this program.
static Error checkStamp(StringRef path, StringRef stamp, StringRef version) {
  Expected<json::Value> value = parseBoundedJSON(stamp);
  const json::Object *object = value ? value->getAsObject() : nullptr;
  std::optional<int64_t> format =
      object ? object->getInteger("format") : std::nullopt;
  std::optional<StringRef> tcgemm =
      object ? object->getString("tcgemm") : std::nullopt;
  if (!value)
    consumeError(value.takeError());
  if (!format || !tcgemm)
    return createStringError("'" + path +
                             "' is damaged: it has no 'format' "
                             "and 'tcgemm'");
  if (*format != kFormat)
    return createStringError("'" + path + "' has format " + Twine(*format) +
                             ", but this tcgemm knows format " +
                             Twine(kFormat));
  if (*tcgemm != version)
    return createStringError(
        "'" + path + "' is of tcgemm " + *tcgemm + ", but this is " + version +
        ": one folder has the results of one version; use another folder");
  return Error::success();
}

Expected<WorkFolder> WorkFolder::open(StringRef path,
                                      WorkFolderOptions options) {
  auto made = std::make_unique<Implementation>();
  made->path = path.str();
  made->options = std::move(options);
  for (const char *name :
       {"commands", "lists", "claims", "done", "records", "probes"})
    if (std::error_code code = sys::fs::create_directories(made->getPath(name)))
      return createStringError("cannot make the folder '" +
                               made->getPath(name) + "': " + code.message());
  std::string stamp;
  raw_string_ostream(stamp) << json::Value(
      json::Object{{"format", kFormat}, {"tcgemm", made->options.version}});
  std::string file = made->getPath("stamp.json");
  if (Error error = made->publish("stamp.json", stamp))
    return std::move(error);
  Expected<std::string> present = readWholeFile(file);
  if (!present)
    return present.takeError();
  if (Error error = checkStamp(file, *present, made->options.version))
    return std::move(error);
  if (Error error =
          removeOldTemporaries(made->path, made->options.leaseSeconds))
    return std::move(error);
  Expected<RecordLog> log = RecordLog::create(made->getPath("records"));
  if (!log)
    return log.takeError();
  made->log = std::move(*log);
  return WorkFolder(std::move(made));
}

Expected<double> WorkFolder::getClockDifference() const {
  Expected<double> folder = getFolderTime(implementation->path);
  if (!folder)
    return folder.takeError();
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count() - *folder;
}

Error WorkFolder::checkShared(StringRef job, unsigned rank,
                              double seconds) const {
  std::string name = "probes/" + getSHA256(job).substr(0, 16);
  std::string file = implementation->getPath(name);
  if (rank == 0)
    return implementation->publish(name, job);
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!sys::fs::exists(file)) {
    if (Clock::now() > end)
      return createStringError(
          "the folder '" + implementation->path + "' is not shared: task " +
          Twine(rank) + " on " + getHostName() + " has waited " +
          Twine(static_cast<uint64_t>(seconds)) +
          " s for the file of task 0; use a folder that all nodes see");
    // Lists the folder, so that a client of NFS asks the server again.
    if (Expected<std::vector<std::string>> names =
            listFolder(implementation->getPath("probes"));
        !names)
      return names.takeError();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return Error::success();
}

Error WorkFolder::addCommand(ArrayRef<std::string> keys) {
  std::string text;
  raw_string_ostream(text) << json::Value(
      json::Object{{"lists", json::Array(keys)}});
  return implementation->publish(
      "commands/" + getSHA256(text).substr(0, 32) + ".json", text);
}

Error WorkFolder::addList(StringRef key, const ShardList &list) {
  json::Array entries;
  for (const ShardList::Entry &shard : list.shards)
    entries.push_back(
        json::Object{{"id", shard.id}, {"candidates", shard.candidates}});
  std::string text;
  raw_string_ostream(text) << json::Value(
      json::Object{{"problem", list.problem},
                   {"platform", list.platform},
                   {"compilation", list.isCompilation},
                   {"shards", std::move(entries)}});
  return implementation->publish("lists/" + key + ".json", text);
}

Expected<std::optional<ShardList>> WorkFolder::readList(StringRef key) const {
  std::string path = implementation->getPath("lists/" + key + ".json");
  if (!sys::fs::exists(path))
    return std::nullopt;
  Expected<ShardList> list = readShardList(path);
  if (!list)
    return list.takeError();
  return std::move(*list);
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

Expected<double> WorkFolder::Implementation::getTime() {
  using Clock = std::chrono::steady_clock;
  std::chrono::duration<double> since =
      Clock::now() - readAt.value_or(Clock::now());
  if (readAt && since.count() < options.leaseSeconds / 10)
    return readTime + since.count();
  Expected<double> now = getFolderTime(path);
  if (!now)
    return now.takeError();
  readTime = *now;
  readAt = Clock::now();
  return readTime;
}

/// Returns whether the owner of a claim has not renewed it for the lease.
Expected<bool> WorkFolder::Implementation::isExpired(const std::string &file) {
  std::optional<double> touched = getFileTime(file);
  if (!touched)
    return false;
  Expected<double> now = getTime();
  if (!now)
    return now.takeError();
  if (*now - *touched > options.leaseSeconds)
    return true;
  // The claim is in the future if the folder's clock was set back.
  using Clock = std::chrono::steady_clock;
  Observation &observation = observed[file];
  if (observation.touched != *touched)
    observation = {*touched, Clock::now()};
  std::chrono::duration<double> unchanged = Clock::now() - observation.seen;
  return unchanged.count() > options.leaseSeconds;
}

Expected<Claim> WorkFolder::claim(StringRef id) {
  Claim claim{ClaimState::Done, id.str(), 0};
  std::string done = implementation->getPath("done/" + id);
  if (sys::fs::exists(done))
    return claim;
  for (;; ++claim.number) {
    std::string file = implementation->getClaimPath(id, claim.number);
    Expected<bool> created = createExclusively(file, getTaskName());
    if (!created)
      return created.takeError();
    if (*created) {
      // The task before this one may have finished it in the meantime.
      claim.state = sys::fs::exists(done) ? ClaimState::Done : ClaimState::Mine;
      return claim;
    }
    if (sys::fs::exists(implementation->getClaimPath(id, claim.number + 1)))
      continue;
    Expected<bool> isExpired = implementation->isExpired(file);
    if (!isExpired)
      return isExpired.takeError();
    if (!*isExpired) {
      claim.state = ClaimState::Busy;
      return claim;
    }
  }
}

Expected<bool> WorkFolder::renew(const Claim &claim) const {
  if (sys::fs::exists(implementation->getClaimPath(claim.id, claim.number + 1)))
    return false;
  if (Error error =
          touchFile(implementation->getClaimPath(claim.id, claim.number)))
    return std::move(error);
  return true;
}

Error WorkFolder::release(const Claim &claim) const {
  return expireFile(implementation->getClaimPath(claim.id, claim.number));
}

Error WorkFolder::finish(ArrayRef<std::pair<Claim, ShardResult>> shards) {
  if (Error error = sync())
    return error;
  for (const auto &[claim, result] : shards) {
    json::Array fastest;
    for (const Record &record : result.fastest)
      fastest.push_back(toJSON(record));
    std::string text;
    raw_string_ostream(text)
        << json::Value(json::Object{{"task", getTaskName()},
                                    {"measured", result.measured},
                                    {"failed", result.failed},
                                    {"fastest", std::move(fastest)}});
    if (Error error = implementation->publish("done/" + claim.id, text))
      return error;
  }
  return Error::success();
}

Expected<ShardResult> WorkFolder::readResult(StringRef id) const {
  return readShardResult(implementation->getPath("done/" + id));
}

Error WorkFolder::append(const Record &record) {
  return implementation->log.append(record);
}

Error WorkFolder::sync() { return implementation->log.sync(); }

} // namespace tcgemm
