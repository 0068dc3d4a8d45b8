//===- WorkFolderTest.cpp - Work lists ------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/WorkFolder.h"
#include "Cluster/SharedFiles.h"
#include "Measure/BuildStore.h"
#include "TunerTestUtils.h"
#include "tcgemm/Tuner/Launcher.h"
#include "tcgemm/Tuner/WorkRunner.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

#include <csignal>
#include <fcntl.h>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

using namespace tcgemm;

namespace {

std::vector<KernelConfig> makeConfigs(int count) {
  std::vector<KernelConfig> configs(count);
  for (int i = 0; i != count; ++i)
    EXPECT_EQ(getError(configs[i].apply(
                  "cta = [" + std::to_string(16 * (i + 1)) + ", 64, 32]")),
              "no error");
  return configs;
}

const Platform kPlatform{"sm_90a", "NVIDIA H200", "CUDA driver 13.0", "13.0",
                         "0.1.0"};

/// A limit on the size of files while it exists, as on a full disk.
class FileLimit {
public:
  explicit FileLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit{bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before); }

private:
  rlimit before{};
};

class WorkFolderTest : public testing::Test {
protected:
  WorkFolderTest() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("work", path));
  }
  ~WorkFolderTest() override { llvm::sys::fs::remove_directories(path); }
  WorkFolder open(double lease = 1000) {
    return unwrap(WorkFolder::open(path, {lease, "0.1.0"}));
  }

  llvm::SmallString<128> path;
  TuningProblem problem = makeProblem(512, 512, 512);
};

/// Answers each candidate with a time that depends on it.
class InstantEvaluator : public Evaluator {
public:
  llvm::Error begin(const TuningProblem &next) override {
    problem = next;
    return llvm::Error::success();
  }
  size_t getCapacity() const override { return 1; }
  size_t getOutstanding() const override { return done.size(); }
  llvm::Error submit(const KernelConfig &config) override {
    Record record = makeRecord(problem, config.str(), 10);
    record.platform = kPlatform;
    done.push_back({record, false});
    if (failAfter && ++numSubmitted == failAfter)
      return llvm::createStringError("the evaluator fails");
    return llvm::Error::success();
  }
  llvm::Expected<std::optional<Evaluation>> wait() override {
    if (done.empty())
      return std::nullopt;
    Evaluation next = std::move(done.back());
    done.pop_back();
    return next;
  }
  llvm::Expected<std::vector<Record>>
  refine(llvm::ArrayRef<Record> finalists) override {
    std::vector<Record> records = finalists.vec();
    for (Record &record : records)
      record.timing = summarizeSamples(TimingStage::Final, {9});
    return records;
  }
  const Platform &getPlatform() const override { return kPlatform; }

  unsigned failAfter = 0, numSubmitted = 0;

private:
  TuningProblem problem;
  std::vector<Evaluation> done;
};

TEST_F(WorkFolderTest, ShardsHaveEachCandidateOnce) {
  std::vector<KernelConfig> configs = makeConfigs(100);
  std::vector<Shard> shards = makeShards(problem, configs, kPlatform, 10);
  EXPECT_GT(shards.size(), 5u);
  std::set<std::string> seen, ids;
  for (const Shard &shard : shards) {
    ids.insert(shard.id);
    EXPECT_FALSE(shard.configs.empty());
    for (const KernelConfig &config : shard.configs)
      EXPECT_TRUE(seen.insert(config.str()).second);
  }
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_EQ(ids.size(), shards.size());
}

TEST_F(WorkFolderTest, ShardsDependOnTheirContentsOnly) {
  std::vector<KernelConfig> configs = makeConfigs(20),
                            reversed(configs.rbegin(), configs.rend());
  auto getIds = [&](llvm::ArrayRef<KernelConfig> list, const Platform &where) {
    std::vector<std::string> ids;
    for (const Shard &shard : makeShards(problem, list, where, 5))
      ids.push_back(shard.id);
    return ids;
  };
  EXPECT_EQ(getIds(configs, kPlatform), getIds(reversed, kPlatform));
  Platform other = kPlatform;
  other.device = "NVIDIA H100";
  EXPECT_NE(getIds(configs, kPlatform), getIds(configs, other));
  EXPECT_TRUE(makeShards(problem, {}, kPlatform, 5).empty());
}

TEST_F(WorkFolderTest, AShardHasOneOwner) {
  WorkFolder first = open(), second = open();
  Claim claim = unwrap(first.claim("a"));
  EXPECT_EQ(claim.state, ClaimState::Mine);
  EXPECT_EQ(unwrap(second.claim("a")).state, ClaimState::Busy);
  EXPECT_TRUE(unwrap(first.renew(claim)));
  EXPECT_EQ(getError(first.finish({{claim, {}}})), "no error");
  EXPECT_EQ(unwrap(second.claim("a")).state, ClaimState::Done);
}

TEST_F(WorkFolderTest, AReleasedShardIsTakenAtOnce) {
  WorkFolder first = open(), second = open();
  Claim claim = unwrap(first.claim("a"));
  EXPECT_EQ(getError(first.release(claim)), "no error");
  Claim next = unwrap(second.claim("a"));
  EXPECT_EQ(next.state, ClaimState::Mine);
  EXPECT_EQ(next.number, 1u);
  // The first owner notices it.
  EXPECT_FALSE(unwrap(first.renew(claim)));
  EXPECT_TRUE(unwrap(second.renew(next)));
}

TEST_F(WorkFolderTest, AFullDiskLosesNothing) {
  WorkFolder folder = open();
  Record record = makeRecord(problem, makeConfigs(1)[0].str(), 10);
  EXPECT_EQ(getError(folder.append(record)), "no error");
  {
    FileLimit limit(1000);
    std::string error = getError(folder.append(record));
    EXPECT_NE(error.find("cannot write '"), std::string::npos) << error;
    EXPECT_NE(error.find("what was written before is kept"), std::string::npos);
  }
  EXPECT_EQ(getError(folder.append(record)), "no error");
  WorkRecords all = unwrap(readWorkRecords(path));
  EXPECT_EQ(all.records.size(), 2u);
  EXPECT_EQ(all.incompleteLines, 0u);
}

TEST_F(WorkFolderTest, AFailureLeavesTheRestToOthers) {
  std::vector<Shard> shards =
      makeShards(problem, makeConfigs(12), kPlatform, 100);
  WorkOptions options;
  options.path = path.str().str();
  WorkObserver observer;
  InstantEvaluator failing, working;
  failing.failAfter = 5;
  WorkFolder first = open(), second = open();
  EXPECT_EQ(getError(runWork(first, shards, failing, options, observer)),
            "the evaluator fails");
  WorkSummary summary =
      unwrap(runWork(second, shards, working, options, observer));
  EXPECT_TRUE(summary.isComplete);
  EXPECT_EQ(summary.candidates, 8u);
  // Twelve candidates, and the finalists, as many as in one process.
  std::vector<Record> records = unwrap(readWorkRecords(path)).records;
  EXPECT_EQ(records.size(), 12u + options.finalists.getMost());
  EXPECT_EQ(llvm::count_if(records,
                           [](const Record &record) {
                             return record.timing.stage == TimingStage::Final;
                           }),
            options.finalists.getMost());
}

/// Sets the time of a file to the present and so many seconds.
void setAge(const std::string &path, double seconds) {
  timespec times[2] = {};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  for (timespec &time : times)
    time.tv_sec = now.tv_sec - static_cast<time_t>(seconds);
  EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

TEST_F(WorkFolderTest, ALeaseEndsByTheFoldersClock) {
  WorkFolder first = open(), second = open();
  EXPECT_EQ(unwrap(first.claim("a")).state, ClaimState::Mine);
  setAge((path + "/claims/a.0").str(), 900);
  EXPECT_EQ(unwrap(second.claim("a")).state, ClaimState::Busy);
  setAge((path + "/claims/a.0").str(), 1100);
  EXPECT_EQ(unwrap(second.claim("a")).state, ClaimState::Mine);
}

TEST_F(WorkFolderTest, ALeaseEndsAfterTheFoldersClockWasSetBack) {
  WorkFolder first = open(), second = open(/*lease=*/0.3);
  EXPECT_EQ(unwrap(first.claim("a")).state, ClaimState::Mine);
  std::string claim = (path + "/claims/a.0").str();
  setAge(claim, -100000);
  EXPECT_EQ(unwrap(second.claim("a")).state, ClaimState::Busy);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  // A renewal begins another lease.
  setAge(claim, -100001);
  EXPECT_EQ(unwrap(second.claim("a")).state, ClaimState::Busy);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(unwrap(second.claim("a")).state, ClaimState::Busy);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(unwrap(second.claim("a")).state, ClaimState::Mine);
}

TEST_F(WorkFolderTest, OldTemporariesAreRemoved) {
  open();
  auto getPath = [&](llvm::StringRef name) { return (path + name).str(); };
  EXPECT_FALSE(llvm::sys::fs::create_directories(path + "/code/ab"));
  for (llvm::StringRef name :
       {"/probes/host-1.0.tmp", "/code/ab/abc.12345678.tmp", "/code/ab/abc",
        "/probes/clock-host-2", "/probes/0123456789abcdef"}) {
    EXPECT_TRUE(unwrap(createExclusively(getPath(name), "x")));
    setAge(getPath(name), 500);
  }
  open(/*lease=*/1000);
  EXPECT_TRUE(llvm::sys::fs::exists(getPath("/probes/host-1.0.tmp")));
  open(/*lease=*/100);
  EXPECT_FALSE(llvm::sys::fs::exists(getPath("/probes/host-1.0.tmp")));
  EXPECT_FALSE(llvm::sys::fs::exists(getPath("/code/ab/abc.12345678.tmp")));
  EXPECT_FALSE(llvm::sys::fs::exists(getPath("/probes/clock-host-2")));
  EXPECT_TRUE(llvm::sys::fs::exists(getPath("/code/ab/abc")));
  EXPECT_TRUE(llvm::sys::fs::exists(getPath("/probes/0123456789abcdef")));
}

TEST_F(WorkFolderTest, ResultsOfShards) {
  WorkFolder folder = open();
  std::vector<KernelConfig> configs = makeConfigs(5);
  ShardResult result;
  for (int i = 0; i != 4; ++i)
    result.add(makeRecord(problem, configs[i].str(), 40 - 10 * i), 3);
  Record failure = makeRecord(problem, configs[4].str(), 1);
  failure.outcome = Outcome::Correctness;
  result.add(failure, 3);
  EXPECT_EQ(result.measured, 5u);
  EXPECT_EQ(result.failed, 1u);
  Claim claim = unwrap(folder.claim("a"));
  EXPECT_EQ(getError(folder.finish({{claim, result}})), "no error");
  ShardResult read = unwrap(folder.readResult("a"));
  EXPECT_EQ(read.measured, 5u);
  EXPECT_EQ(read.failed, 1u);
  ASSERT_EQ(read.fastest.size(), 3u);
  for (int i = 0; i != 3; ++i)
    EXPECT_EQ(read.fastest[i].config, configs[3 - i]);
  std::string done = (path + "/done/a").str();
  EXPECT_EQ(getError(replaceFile(done, "{}", path.str().str())), "no error");
  EXPECT_NE(getError(folder.readResult("a")).find("it has no 'fastest'"),
            std::string::npos);
  EXPECT_NE(getError(folder.readResult("b")).find("cannot read '"),
            std::string::npos);
}

TEST_F(WorkFolderTest, RecordsOfOneProblem) {
  WorkFolder folder = open();
  TuningProblem other = makeProblem(512, 512, 1024);
  TuningProblem otherKernel = problem;
  otherKernel.kernel.isStatic = true;
  for (const TuningProblem &each : {problem, other, otherKernel})
    EXPECT_EQ(
        getError(folder.append(makeRecord(each, makeConfigs(1)[0].str(), 10))),
        "no error");
  unsigned count = 0;
  auto visit = [&](Record &record) {
    EXPECT_EQ(record.problem.str(), problem.str());
    ++count;
    return llvm::Error::success();
  };
  WorkRecords all = unwrap(forEachWorkRecord(path, &problem, visit));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(all.files, 1u);
  EXPECT_EQ(unwrap(readWorkRecords(path)).records.size(), 3u);
}

TEST_F(WorkFolderTest, BuildsOfSeveralTasks) {
  open();
  auto first = createSharedBuilds(path), second = createSharedBuilds(path);
  Build build;
  build.key = getBuildKey(problem, makeConfigs(1)[0], "sm_90a", false);
  build.ptxas = "13.0";
  build.outcome = Outcome::Compile;
  build.message = "no";
  EXPECT_FALSE(unwrap(second->get(build.key, "")));
  EXPECT_EQ(getError(first->put(build)), "no error");
  Build found = need(unwrap(second->get(build.key, "")));
  EXPECT_EQ(found.message, "no");
  EXPECT_EQ(found.outcome, Outcome::Compile);
  EXPECT_TRUE(unwrap(second->get(build.key, "13.0")));
  EXPECT_FALSE(unwrap(second->get(build.key, "12.0")));
  BuildKey forEmulator = build.key;
  forEmulator.isPTX = true;
  EXPECT_FALSE(unwrap(second->get(forEmulator, "")));
  // A later build replaces it; a damaged one is like none.
  build.outcome = Outcome::Success;
  EXPECT_EQ(getError(second->put(build)), "no error");
  EXPECT_EQ(need(unwrap(first->get(build.key, ""))).outcome, Outcome::Success);
  std::error_code code;
  for (llvm::sys::fs::recursive_directory_iterator
           entry(path + "/builds", code),
       end;
       entry != end; entry.increment(code))
    if (entry->type() == llvm::sys::fs::file_type::regular_file)
      EXPECT_EQ(getError(replaceFile(entry->path(), "{", path.str().str())),
                "no error");
  EXPECT_FALSE(unwrap(first->get(build.key, "")));
}

TEST_F(WorkFolderTest, ATaskThatMakesListsAskedForThem) {
  // Groups are listed one after the other, by the task that comes to them.
  class Source : public ShardSource {
  public:
    explicit Source(std::vector<Shard> shards) : shards(std::move(shards)) {}
    size_t getNumGroups() const override { return 2; }
    llvm::Expected<std::vector<Shard>> getShards(size_t group) override {
      asked.push_back(group);
      std::vector<Shard> stubs;
      for (const Shard &shard : shards)
        if (shard.problem.sizes.k == (group == 0 ? 512 : 1024))
          stubs.push_back({shard.id, shard.problem, {}});
      return stubs;
    }
    llvm::Expected<std::vector<KernelConfig>>
    getConfigs(size_t group, const Shard &wanted) override {
      for (const Shard &shard : shards)
        if (shard.id == wanted.id)
          return shard.configs;
      return llvm::createStringError("unknown");
    }
    std::vector<Shard> shards;
    std::vector<size_t> asked;
  };
  std::vector<Shard> shards =
      makeShards(problem, makeConfigs(12), kPlatform, 4);
  for (Shard &shard :
       makeShards(makeProblem(512, 512, 1024), makeConfigs(8), kPlatform, 4))
    shards.push_back(std::move(shard));
  Source source(shards);
  WorkOptions options;
  options.path = path.str().str();
  options.rank = 1;
  options.size = 2;
  options.finalists.usual = 0;
  WorkObserver observer;
  InstantEvaluator evaluator;
  WorkFolder folder = open();
  WorkSummary summary =
      unwrap(runWork(folder, source, evaluator, options, observer));
  EXPECT_TRUE(summary.isComplete);
  EXPECT_EQ(summary.candidates, 20u);
  EXPECT_EQ(source.asked, (std::vector<size_t>{1, 0}));
  EXPECT_GE(summary.seconds, summary.folderSeconds);
}

TEST_F(WorkFolderTest, FoldersOfOtherVersions) {
  open();
  EXPECT_NE(getError(WorkFolder::open(path, {1, "0.2.0"}))
                .find("is of tcgemm 0.1.0, but this is 0.2.0"),
            std::string::npos);
}

TEST_F(WorkFolderTest, ClocksAreCompared) {
  EXPECT_LT(std::abs(unwrap(open().getClockDifference())), 5);
}

TEST(LauncherTest, Places) {
  auto read = [](llvm::StringRef launcher,
                 const llvm::StringMap<std::string> &variables) {
    return readTaskPlace(
        launcher, [&](llvm::StringRef name) -> std::optional<std::string> {
          auto found = variables.find(name);
          if (found == variables.end())
            return std::nullopt;
          return found->second;
        });
  };
  EXPECT_EQ(unwrap(read("none", {})).size, 1u);
  TaskPlace step = unwrap(read("slurm", {{"SLURM_PROCID", "3"},
                                         {"SLURM_NTASKS", "8"},
                                         {"SLURM_LOCALID", "1"},
                                         {"SLURM_JOB_ID", "77"}}));
  EXPECT_EQ(step.rank, 3u);
  EXPECT_EQ(step.size, 8u);
  EXPECT_EQ(step.localRank, 1u);
  EXPECT_EQ(step.job, "77");
  EXPECT_TRUE(step.isSimultaneous);
  TaskPlace element = unwrap(read("slurm", {{"SLURM_ARRAY_TASK_ID", "5"},
                                            {"SLURM_ARRAY_TASK_COUNT", "6"},
                                            {"SLURM_PROCID", "0"}}));
  EXPECT_EQ(element.rank, 5u);
  EXPECT_FALSE(element.isSimultaneous);
  EXPECT_EQ(unwrap(read("mpi", {{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}})).rank,
            2u);
  EXPECT_EQ(unwrap(read("mpi", {{"PMIX_RANK", "2"}})).size, 0u);
  EXPECT_NE(getError(read("slurm", {})).find("SLURM_PROCID is set"),
            std::string::npos);
  EXPECT_NE(
      getError(read("mpi", {{"PMI_RANK", "-1"}})).find("PMI_RANK is '-1'"),
      std::string::npos);
}

} // namespace
