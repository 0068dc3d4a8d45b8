//===- WorkStatus.cpp - What the tasks of a work list have done -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster/SharedFiles.h"
#include "tcgemm/Target/BoundedJSON.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {

std::string getPlatformText(const Platform &platform) {
  if (platform.device.empty())
    return platform.chip + ", " + platform.driver;
  return platform.chip + ", " + platform.device + ", " + platform.driver;
}

void ShardResult::add(const Record &record, unsigned most) {
  ++measured;
  failed += !record.isSuccess();
  if (!record.isSuccess() || record.timing.stage != TimingStage::Full)
    return;
  auto place = upper_bound(fastest, record, [](const auto &a, const auto &b) {
    return a.timing.median < b.timing.median;
  });
  fastest.insert(place, record);
  if (fastest.size() > most)
    fastest.pop_back();
}

static Error makeDamageError(const std::string &path, const Twine &why) {
  return createStringError("'" + path + "' is damaged: " + why);
}

/// Reads a file with an object. Errors name the file.
static Expected<json::Value> readObject(const std::string &path) {
  Expected<std::string> text = readWholeFile(path);
  if (!text)
    return text.takeError();
  Expected<json::Value> value = parseBoundedJSON(*text);
  if (!value)
    return makeDamageError(path, toString(value.takeError()));
  if (!value->getAsObject())
    return makeDamageError(path, "it is no object");
  return value;
}

Expected<std::vector<std::string>> readCommandKeys(const std::string &path) {
  Expected<json::Value> value = readObject(path);
  if (!value)
    return value.takeError();
  const json::Array *lists = value->getAsObject()->getArray("lists");
  if (!lists)
    return makeDamageError(path, "it has no 'lists'");
  std::vector<std::string> keys;
  for (const json::Value &key : *lists)
    keys.push_back(key.getAsString().value_or("").str());
  return keys;
}

Expected<ShardList> readShardList(const std::string &path) {
  Expected<json::Value> value = readObject(path);
  if (!value)
    return value.takeError();
  const json::Object &object = *value->getAsObject();
  const json::Array *entries = object.getArray("shards");
  if (!entries)
    return makeDamageError(path, "it has no 'shards'");
  ShardList list;
  list.problem = object.getString("problem").value_or("").str();
  list.platform = object.getString("platform").value_or("").str();
  list.isCompilation = object.getBoolean("compilation").value_or(false);
  for (const json::Value &entry : *entries) {
    const json::Object *shard = entry.getAsObject();
    std::optional<StringRef> id = shard ? shard->getString("id") : std::nullopt;
    if (!id)
      return makeDamageError(path, "a shard has no 'id'");
    list.shards.push_back(
        {id->str(),
         static_cast<uint64_t>(shard->getInteger("candidates").value_or(0))});
  }
  return std::move(list);
}

Expected<ShardResult> readShardResult(const std::string &path) {
  Expected<json::Value> value = readObject(path);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  const json::Array *fastest = object->getArray("fastest");
  if (!fastest)
    return makeDamageError(path, "it has no 'fastest'");
  ShardResult result;
  result.measured = object->getInteger("measured").value_or(0);
  result.failed = object->getInteger("failed").value_or(0);
  for (const json::Value &entry : *fastest) {
    if (!entry.getAsObject())
      return makeDamageError(path, "a record is no object");
    Expected<Record> record = recordFromJSON(*entry.getAsObject());
    if (!record)
      return makeDamageError(path, toString(record.takeError()));
    result.fastest.push_back(std::move(*record));
  }
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

namespace {
/// The complete lines of a file that were read so far.
struct FilePosition {
  uint64_t bytes = 0, lines = 0;
  bool isIncomplete = false; ///< Bytes follow that are no complete line.
};
} // namespace

static Expected<Record> parseRecord(StringRef line) {
  Expected<json::Value> value = parseBoundedJSON(line);
  if (!value)
    return value.takeError();
  if (const json::Object *object = value->getAsObject())
    return recordFromJSON(*object);
  return createStringError("expected an object");
}

/// Visits the records of a file from a position on, and moves the position.
/// Only lines that have `wanted` are parsed.
static Error readRecords(const std::string &path, FilePosition &position,
                         StringRef wanted,
                         function_ref<Error(Record &)> visit) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  StringRef rest = (*buffer)->getBuffer().drop_front(
      std::min<uint64_t>(position.bytes, (*buffer)->getBufferSize()));
  while (true) {
    // The task was killed during the write of the last line, or writes now.
    size_t end = rest.find('\n');
    position.isIncomplete = end == StringRef::npos && !rest.empty();
    if (end == StringRef::npos)
      return Error::success();
    StringRef line = rest.take_front(end);
    rest = rest.drop_front(end + 1);
    position.bytes += end + 1;
    ++position.lines;
    if (line.trim().empty() || !line.contains(wanted))
      continue;
    Expected<Record> record = parseRecord(line);
    if (!record)
      return createStringError(path + ":" + Twine(position.lines) + ": " +
                               toString(record.takeError()));
    if (Error failure = visit(*record))
      return failure;
  }
}

static Expected<std::vector<std::string>> listRecordFiles(StringRef path) {
  std::string folder = (path + "/records").str();
  if (!sys::fs::is_directory(folder))
    return createStringError("'" + path +
                             "' is not a folder of a work list: "
                             "it has no folder 'records'");
  Expected<std::vector<std::string>> names = listFolder(folder);
  if (!names)
    return names.takeError();
  for (std::string &name : *names)
    name = (Twine(folder) + "/" + name).str();
  return names;
}

Expected<WorkRecords> forEachWorkRecord(StringRef path,
                                        const TuningProblem *problem,
                                        function_ref<Error(Record &)> visit) {
  Expected<std::vector<std::string>> files = listRecordFiles(path);
  if (!files)
    return files.takeError();
  WorkRecords all;
  all.files = files->size();
  // All lines have their sizes in this form.
  std::string wanted = problem ? "\"" + problem->sizes.str() + "\"" : "";
  for (const std::string &file : *files) {
    FilePosition position;
    Error error =
        readRecords(file, position, wanted, [&](Record &record) -> Error {
          if (problem && record.problem.str() != problem->str())
            return Error::success();
          return visit(record);
        });
    if (error)
      return std::move(error);
    all.incompleteLines += position.isIncomplete;
  }
  return std::move(all);
}

Expected<WorkRecords> readWorkRecords(StringRef path) {
  std::vector<Record> records;
  Expected<WorkRecords> all =
      forEachWorkRecord(path, nullptr, [&](Record &record) {
        records.push_back(std::move(record));
        return Error::success();
      });
  if (all)
    all->records = std::move(records);
  return all;
}

//===----------------------------------------------------------------------===//
// Status
//===----------------------------------------------------------------------===//

struct WorkStatusReader::Implementation {
  struct ShardInfo {
    std::string id;
    size_t problem = 0;
    bool isDone = false;
  };

  void addList(const ShardList &list);
  Error readLists();
  Error updateShard(ShardInfo &shard);
  Error addRecords();
  void addRecord(const Record &record);
  void sum();

  std::string path;
  double leaseSeconds = 0;
  WorkStatus status;
  StringSet<> read, keys; ///< Files of commands that were read; their lists.
  std::vector<std::string> unlisted; ///< Keys of lists that are not there yet.
  std::vector<ShardInfo> shards;
  StringSet<> seen; ///< Shards of several lists count once.
  StringMap<size_t> problems;
  StringMap<FilePosition> positions; ///< Of files of records.
  DenseSet<uint64_t> measured;       ///< Hashes of problem and configuration.
  int64_t first = 0, last = 0;       ///< Times of records.
};

WorkStatusReader::WorkStatusReader(StringRef path, double leaseSeconds)
    : implementation(std::make_unique<Implementation>()) {
  implementation->path = path.str();
  implementation->leaseSeconds = leaseSeconds;
}
WorkStatusReader::~WorkStatusReader() = default;

void WorkStatusReader::Implementation::addList(const ShardList &list) {
  std::string name = list.problem + " on " + list.platform;
  auto [entry, isNew] = problems.try_emplace(name, status.problems.size());
  if (isNew) {
    WorkStatus::Problem &problem = status.problems.emplace_back();
    problem.name = name;
    problem.isCompilation = list.isCompilation;
  }
  WorkStatus::Problem &problem = status.problems[entry->second];
  for (const ShardList::Entry &shard : list.shards) {
    if (!seen.insert(shard.id).second)
      continue;
    ++problem.shards;
    problem.candidates += shard.candidates;
    shards.push_back({shard.id, entry->second, false});
  }
}

/// Reads the lists that have been added.
Error WorkStatusReader::Implementation::readLists() {
  Expected<std::vector<std::string>> commands = listFolder(path + "/commands");
  if (!commands)
    return commands.takeError();
  for (const std::string &name : *commands) {
    if (!StringRef(name).ends_with(".json") || !read.insert(name).second)
      continue;
    Expected<std::vector<std::string>> more =
        readCommandKeys(path + "/commands/" + name);
    if (!more)
      return more.takeError();
    for (std::string &key : *more)
      if (keys.insert(key).second)
        unlisted.push_back(std::move(key));
  }
  std::vector<std::string> left;
  for (std::string &key : unlisted) {
    std::string file = path + "/lists/" + key + ".json";
    if (!sys::fs::exists(file)) {
      left.push_back(std::move(key));
      continue;
    }
    Expected<ShardList> list = readShardList(file);
    if (!list)
      return list.takeError();
    addList(*list);
  }
  unlisted = std::move(left);
  return Error::success();
}

/// Finds out whether a shard is done, claimed or free.
Error WorkStatusReader::Implementation::updateShard(ShardInfo &shard) {
  WorkStatus::Problem &problem = status.problems[shard.problem];
  std::string done = path + "/done/" + shard.id;
  if (sys::fs::exists(done)) {
    shard.isDone = true;
    ++problem.doneShards;
    if (!problem.isCompilation)
      return Error::success();
    // Compilations have no records.
    Expected<ShardResult> result = readShardResult(done);
    if (!result)
      return result.takeError();
    problem.measured += result->measured;
    problem.failed += result->failed;
    return Error::success();
  }
  std::string claim;
  for (unsigned number = 0;; ++number) {
    std::string next =
        path + "/claims/" + shard.id + "." + std::to_string(number);
    if (!sys::fs::exists(next))
      break;
    claim = next;
  }
  std::optional<double> touched = getFileTime(claim);
  if (claim.empty() || !touched)
    return Error::success();
  Expected<double> now = getFolderTime(path);
  if (!now)
    return now.takeError();
  ++(*now - *touched > leaseSeconds ? problem.expiredShards
                                    : problem.claimedShards);
  return Error::success();
}

void WorkStatusReader::Implementation::addRecord(const Record &record) {
  std::string name =
      record.problem.str() + " on " + getPlatformText(record.platform);
  auto found = problems.find(name);
  bool isNew =
      measured.insert(xxh3_64bits(name + "\n" + record.config.str())).second;
  if (found == problems.end() || !isNew)
    return;
  WorkStatus::Problem &problem = status.problems[found->second];
  ++problem.measured;
  problem.failed += !record.isSuccess();
  first = first == 0 ? record.timestamp : std::min(first, record.timestamp);
  last = std::max(last, record.timestamp);
  if (record.isSuccess() &&
      (!problem.best || record.timing.median < problem.best->timing.median))
    problem.best = record;
}

Error WorkStatusReader::Implementation::addRecords() {
  Expected<std::vector<std::string>> files = listRecordFiles(path);
  if (!files)
    return files.takeError();
  status.tasks = files->size();
  status.incompleteLines = 0;
  for (const std::string &file : *files) {
    FilePosition &position = positions[file];
    if (Error error = readRecords(file, position, "", [&](Record &record) {
          addRecord(record);
          return Error::success();
        }))
      return error;
    status.incompleteLines += position.isIncomplete;
  }
  return Error::success();
}

void WorkStatusReader::Implementation::sum() {
  status.shards = status.doneShards = 0;
  status.candidates = status.measured = status.failed = 0;
  uint64_t done = 0, left = 0; // Only of what has records, and thus times.
  for (const WorkStatus::Problem &problem : status.problems) {
    status.shards += problem.shards;
    status.doneShards += problem.doneShards;
    status.candidates += problem.candidates;
    status.measured += problem.measured;
    status.failed += problem.failed;
    if (problem.isCompilation)
      continue;
    done += problem.measured;
    left += problem.candidates - std::min(problem.candidates, problem.measured);
  }
  status.unlisted = unlisted.size();
  // Problems that are not listed have as many candidates as others.
  if (!unlisted.empty() && keys.size() > unlisted.size())
    left += (done + left) * unlisted.size() / (keys.size() - unlisted.size());
  status.secondsLeft = -1;
  if (left == 0 && unlisted.empty() && status.measured >= status.candidates)
    status.secondsLeft = 0;
  else if (done > 0 && last > first)
    status.secondsLeft = static_cast<double>(last - first) /
                         static_cast<double>(done) * static_cast<double>(left);
}

Expected<WorkStatus> WorkStatusReader::read() {
  Implementation &self = *implementation;
  if (!sys::fs::exists(self.path + "/stamp.json"))
    return createStringError("'" + self.path +
                             "' is not a folder of a work list: "
                             "it has no 'stamp.json'");
  if (Error error = self.readLists())
    return std::move(error);
  for (WorkStatus::Problem &problem : self.status.problems)
    problem.claimedShards = problem.expiredShards = 0;
  for (Implementation::ShardInfo &shard : self.shards)
    if (!shard.isDone)
      if (Error error = self.updateShard(shard))
        return std::move(error);
  if (Error error = self.addRecords())
    return std::move(error);
  self.sum();
  return self.status;
}

Expected<WorkStatus> getWorkStatus(StringRef path, double leaseSeconds) {
  return WorkStatusReader(path, leaseSeconds).read();
}

} // namespace tcgemm
