//===- WorkFolder.cpp - A work list in a shared folder ------------------------
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/WorkFolder.h"
#include "Cluster/SharedFiles.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Target/BoundedJSON.h"
#include "tcgemm/Target/KernelPack.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace tcgemm {

/// The version of the folder's files.
static constexpr int64_t kFormat = 1;

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

static std::string getPlatformText(const Platform &platform) {
  return platform.chip + ", " + platform.device + ", " + platform.driver;
}

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

  std::string getPath(const Twine &name) const {
    return (path + "/" + name).str();
  }
  std::string getClaimPath(StringRef id, unsigned number) const {
    return getPath("claims/" + id + "." + Twine(number));
  }
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
  for (const char *name : {"lists", "claims", "done", "records", "probes"})
    if (std::error_code code = sys::fs::create_directories(made->getPath(name)))
      return createStringError("cannot make the folder '" +
                               made->getPath(name) + "': " + code.message());
  std::string stamp;
  raw_string_ostream(stamp) << json::Value(
      json::Object{{"format", kFormat}, {"tcgemm", made->options.version}});
  std::string file = made->getPath("stamp.json");
  if (Error error = publishFile(file, stamp))
    return std::move(error);
  Expected<std::string> present = readWholeFile(file);
  if (!present)
    return present.takeError();
  if (Error error = checkStamp(file, *present, made->options.version))
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
  std::string file =
      implementation->getPath("probes/" + getSHA256(job).substr(0, 16));
  if (rank == 0)
    return publishFile(file, job);
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

Error WorkFolder::addList(const Platform &platform, ArrayRef<Shard> shards) {
  json::Array entries;
  for (const Shard &shard : shards)
    entries.push_back(json::Object{{"id", shard.id},
                                   {"problem", shard.problem.str()},
                                   {"candidates", shard.configs.size()}});
  std::string text;
  raw_string_ostream(text) << json::Value(json::Object{
      {"platform", getPlatformText(platform)}, {"shards", std::move(entries)}});
  return publishFile(implementation->getPath(
                         "lists/" + getSHA256(text).substr(0, 32) + ".json"),
                     text);
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

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
    Expected<double> age = getAge(implementation->path, file);
    if (!age)
      return age.takeError();
    if (*age <= implementation->options.leaseSeconds) {
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

Error WorkFolder::finish(const Claim &claim) {
  if (Error error = sync())
    return error;
  return publishFile(implementation->getPath("done/" + claim.id),
                     getTaskName());
}

Error WorkFolder::append(const Record &record) {
  return implementation->log.append(record);
}

Error WorkFolder::sync() { return implementation->log.sync(); }

//===----------------------------------------------------------------------===//
// Records and states
//===----------------------------------------------------------------------===//

Expected<WorkRecords> readWorkRecords(StringRef path) {
  WorkRecords all;
  std::string folder = (path + "/records").str();
  if (!sys::fs::is_directory(folder))
    return createStringError("'" + path +
                             "' is not a folder of a work list: "
                             "it has no folder 'records'");
  Expected<std::vector<std::string>> names = listFolder(folder);
  if (!names)
    return names.takeError();
  for (const std::string &name : *names) {
    std::string file = (Twine(folder) + "/" + name).str();
    Expected<std::string> text = readWholeFile(file);
    if (!text)
      return text.takeError();
    // The task was killed during a write, or writes now.
    size_t end = StringRef(*text).rfind('\n');
    size_t complete = end == StringRef::npos ? 0 : end + 1;
    all.incompleteLines += complete != text->size();
    Expected<std::vector<Record>> records =
        parseRecords(StringRef(*text).take_front(complete), file);
    if (!records)
      return records.takeError();
    append_range(all.records, std::move(*records));
    ++all.files;
  }
  return all;
}

namespace {
/// Collects the state of a folder.
class StatusReader {
public:
  StatusReader(StringRef path, double leaseSeconds)
      : path(path.str()), leaseSeconds(leaseSeconds) {}
  Expected<WorkStatus> read();

private:
  Error readList(const std::string &file);
  Error addShard(WorkStatus::Problem &problem, const json::Object &shard);
  Error addRecords();

  std::string path;
  double leaseSeconds;
  WorkStatus status;
  StringSet<> seen; ///< Shards of several lists count once.
};
} // namespace

Error StatusReader::addShard(WorkStatus::Problem &problem,
                             const json::Object &shard) {
  std::string id = shard.getString("id").value_or("").str();
  if (!seen.insert(id).second)
    return Error::success();
  ++problem.shards;
  problem.candidates += shard.getInteger("candidates").value_or(0);
  if (sys::fs::exists(path + "/done/" + id)) {
    ++problem.doneShards;
    return Error::success();
  }
  std::string claim;
  for (unsigned number = 0;; ++number) {
    std::string next = path + "/claims/" + id + "." + std::to_string(number);
    if (!sys::fs::exists(next))
      break;
    claim = next;
  }
  if (claim.empty())
    return Error::success();
  Expected<double> age = getAge(path, claim);
  if (!age)
    return age.takeError();
  ++(*age > leaseSeconds ? problem.expiredShards : problem.claimedShards);
  return Error::success();
}

Error StatusReader::readList(const std::string &file) {
  Expected<std::string> text = readWholeFile(file);
  if (!text)
    return text.takeError();
  Expected<json::Value> value = parseBoundedJSON(*text);
  if (!value)
    return createStringError("'" + file +
                             "' is damaged: " + toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  const json::Array *shards = object ? object->getArray("shards") : nullptr;
  if (!shards)
    return createStringError("'" + file + "' is damaged: it has no 'shards'");
  std::string platform = object->getString("platform").value_or("").str();
  for (const json::Value &entry : *shards) {
    const json::Object *shard = entry.getAsObject();
    if (!shard)
      return createStringError("'" + file +
                               "' is damaged: a shard is no object");
    std::string name =
        (shard->getString("problem").value_or("") + " on " + platform).str();
    auto problem = find_if(status.problems,
                           [&](const auto &each) { return each.name == name; });
    if (problem == status.problems.end()) {
      problem = status.problems.emplace(problem);
      problem->name = name;
    }
    if (Error error = addShard(*problem, *shard))
      return error;
  }
  return Error::success();
}

Error StatusReader::addRecords() {
  Expected<WorkRecords> all = readWorkRecords(path);
  if (!all)
    return all.takeError();
  status.tasks = all->files;
  status.incompleteLines = all->incompleteLines;
  StringSet<> measured;
  int64_t first = 0, last = 0;
  for (const Record &record : all->records) {
    std::string name =
        record.problem.str() + " on " + getPlatformText(record.platform);
    auto problem = find_if(status.problems,
                           [&](const auto &each) { return each.name == name; });
    bool isNew = measured.insert(name + record.config.str()).second;
    if (problem == status.problems.end() || !isNew)
      continue;
    ++problem->measured;
    problem->failed += !record.isSuccess();
    first = first == 0 ? record.timestamp : std::min(first, record.timestamp);
    last = std::max(last, record.timestamp);
    if (record.isSuccess() &&
        (!problem->best || record.timing.median < problem->best->timing.median))
      problem->best = record;
  }
  uint64_t total = 0, done = 0;
  for (const WorkStatus::Problem &problem : status.problems) {
    total += problem.candidates;
    done += problem.measured;
  }
  if (done >= total)
    status.secondsLeft = 0;
  else if (done > 0 && last > first)
    status.secondsLeft = static_cast<double>(last - first) /
                         static_cast<double>(done) *
                         static_cast<double>(total - done);
  return Error::success();
}

Expected<WorkStatus> StatusReader::read() {
  if (!sys::fs::exists(path + "/stamp.json"))
    return createStringError("'" + path +
                             "' is not a folder of a work list: "
                             "it has no 'stamp.json'");
  Expected<std::vector<std::string>> names = listFolder(path + "/lists");
  if (!names)
    return names.takeError();
  for (const std::string &name : *names)
    if (StringRef(name).ends_with(".json"))
      if (Error error = readList(path + "/lists/" + name))
        return std::move(error);
  if (Error error = addRecords())
    return std::move(error);
  return std::move(status);
}

Expected<WorkStatus> getWorkStatus(StringRef path, double leaseSeconds) {
  return StatusReader(path, leaseSeconds).read();
}

} // namespace tcgemm
