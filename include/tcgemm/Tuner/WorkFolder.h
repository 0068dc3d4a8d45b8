//===- WorkFolder.h - A work list in a shared folder ----------------*- C++ -*-
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many tasks share the candidates of problems by way of a folder, without a
// coordinator. A shard is the part of a problem's candidates whose hashes are
// in a range. Its name is a hash of its contents, so that all tasks with the
// same command have the same shards, and a second submission resumes.
//
//   stamp.json     version of the folder and of tcgemm
//   commands/HASH.json  the keys of a command's lists
//   lists/KEY.json   the shards of a problem on a platform
//   claims/ID.N    claim N of shard ID. A task creates it exclusively, and
//                  renews its time. After the lease, another task may make
//                  claim N + 1.
//   done/ID        the shard is complete; its counts and fastest records
//   records/*.jsonl  one file for each task, one record a line
//   builds/, code/   compiled code (Measure/BuildStore.h)
//   probes/        files for a short time: of clocks, and before their renaming
//
// Leases are measured by the folder's clock: the time that the file system
// gives a file that is touched now. Clocks of nodes may differ. If that clock
// is set back, a lease ends when a task has seen the claim unchanged for the
// lease by its own steady clock.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_WORKFOLDER_H
#define TCGEMM_TUNER_WORKFOLDER_H

#include "tcgemm/Store/Record.h"
#include "tcgemm/Tuner/Space.h"

#include <memory>

namespace tcgemm {

struct Shard {
  std::string id; ///< 32 hexadecimal digits.
  TuningProblem problem;
  std::vector<KernelConfig> configs;
};

/// The shards of a problem, without their candidates.
struct ShardList {
  struct Entry {
    std::string id;
    uint64_t candidates = 0;
  };
  std::string problem, platform; ///< For people.
  bool isCompilation = false;    ///< Of tasks that only compile.
  std::vector<Entry> shards;
};
/// The part of a platform that the records of a work list have in common.
std::string getPlatformText(const Platform &platform);

/// Divides the candidates of a problem into shards of about `size` candidates,
/// at least one, by ranges of their hashes. Empty shards are left out. The
/// order of `configs` does not matter.
std::vector<Shard> makeShards(const TuningProblem &problem,
                              llvm::ArrayRef<KernelConfig> configs,
                              const Platform &platform, uint64_t size);

struct WorkFolderOptions {
  double leaseSeconds = 300;
  std::string version; ///< tcgemm's version, for the stamp.
};

/// The state of a shard after an attempt to claim it.
enum class ClaimState {
  Mine,
  Busy, ///< Another task has a claim whose lease has not ended.
  Done,
};
struct Claim {
  ClaimState state = ClaimState::Busy;
  std::string id;
  unsigned number = 0; ///< Above 0: other tasks may have records of the shard.
};

/// The results of a complete shard.
struct ShardResult {
  uint64_t measured = 0, failed = 0;
  std::vector<Record> fastest; ///< Successes with a time, the fastest first.

  /// Counts a record, and keeps it if it is one of the `most` fastest.
  void add(const Record &record, unsigned most);
};

/// The shards of a list and their states.
struct WorkStatus {
  struct Problem {
    std::string name; ///< With the platform.
    bool isCompilation = false;
    uint64_t shards = 0, doneShards = 0, claimedShards = 0, expiredShards = 0;
    uint64_t candidates = 0, measured = 0, failed = 0;
    std::optional<Record> best;
  };
  std::vector<Problem> problems;
  uint64_t shards = 0, doneShards = 0, candidates = 0, measured = 0, failed = 0;
  uint64_t unlisted = 0;        ///< Problems that no task has begun.
  uint64_t tasks = 0;           ///< Files of records.
  uint64_t incompleteLines = 0; ///< Lines of tasks that were killed.
  double secondsLeft = -1;      ///< By the rate so far; negative: unknown.
};

/// Records of all tasks.
struct WorkRecords {
  std::vector<Record> records;
  uint64_t files = 0, incompleteLines = 0;
};

class WorkFolder {
public:
  /// Opens or creates the folder. Errors: it cannot be written, another version
  /// of tcgemm began it.
  static llvm::Expected<WorkFolder> open(llvm::StringRef path,
                                         WorkFolderOptions options);
  WorkFolder(WorkFolder &&) noexcept;
  WorkFolder &operator=(WorkFolder &&) noexcept;
  ~WorkFolder();

  /// The seconds by which this machine's clock is ahead of the folder's.
  llvm::Expected<double> getClockDifference() const;
  /// Waits until the tasks of the job see each other's files. Rank 0 leaves a
  /// file, and the others wait for it. Errors: a task does not see it in
  /// `seconds`, so that the folder is not shared.
  llvm::Error checkShared(llvm::StringRef job, unsigned rank,
                          double seconds) const;
  /// Leaves the keys of all lists of a command, for `getWorkStatus`.
  llvm::Error addCommand(llvm::ArrayRef<std::string> keys);
  /// Describes the shards of a problem, for other tasks and `getWorkStatus`.
  /// `key` is a hash of all on which they depend.
  llvm::Error addList(llvm::StringRef key, const ShardList &list);
  /// None if no task has added it.
  llvm::Expected<std::optional<ShardList>> readList(llvm::StringRef key) const;

  llvm::Expected<Claim> claim(llvm::StringRef id);
  /// Renews the lease; false if it had ended and another task took the shard.
  llvm::Expected<bool> renew(const Claim &claim) const;
  /// Marks shards as done after their records are on the disk.
  llvm::Error finish(llvm::ArrayRef<std::pair<Claim, ShardResult>> shards);
  /// The result of a shard that is done.
  llvm::Expected<ShardResult> readResult(llvm::StringRef id) const;
  /// Ends the lease at once.
  llvm::Error release(const Claim &claim) const;

  /// Appends a record to this task's file. It is on the disk after `sync`.
  /// Errors: the disk is full; the records before it are kept.
  llvm::Error append(const Record &record);
  llvm::Error sync();

private:
  struct Implementation;
  explicit WorkFolder(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

/// The records of all tasks. An incomplete last line of a file is skipped.
/// Errors: not a folder of a work list, or a line that is not a record.
llvm::Expected<WorkRecords> readWorkRecords(llvm::StringRef path);
/// Visits the records of all tasks, or those of `problem`, without having all
/// in memory. The result has no records.
llvm::Expected<WorkRecords>
forEachWorkRecord(llvm::StringRef path, const TuningProblem *problem,
                  llvm::function_ref<llvm::Error(Record &)> visit);

/// Reads the state of a folder again and again. Each time it reads what has
/// been added.
class WorkStatusReader {
public:
  WorkStatusReader(llvm::StringRef path, double leaseSeconds);
  ~WorkStatusReader();
  llvm::Expected<WorkStatus> read();

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};
llvm::Expected<WorkStatus> getWorkStatus(llvm::StringRef path,
                                         double leaseSeconds);

} // namespace tcgemm

#endif // TCGEMM_TUNER_WORKFOLDER_H
