//===- LibraryTuningTest.cpp - The user's database, and tuning ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"
#include "tcgemm/Store/Store.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>

using namespace tcgemm;

namespace {

constexpr int kM = 24, kN = 40, kK = 64;
constexpr const char *kKernel = "f32 tt f32 none";
/// Other than what is chosen without records.
constexpr const char *kTuned =
    "schedule=simt cta=32x32x16 threads=8x8x1 stages=2";

/// A variable of the environment until the end of the scope.
class Variable {
public:
  Variable(const char *name, const std::string &value) : name(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  const char *name;
};

std::string describeTuned() {
  KernelConfig config;
  EXPECT_FALSE(bool(config.apply(kTuned)));
  return config.str();
}

/// Writes a database with a record of the product.
void writeDatabase(const std::string &path) {
  Record record;
  record.problem.kernel = llvm::cantFail(KernelSpec::parse(kKernel));
  record.problem.sizes = {kM, kN, kK, 1};
  EXPECT_FALSE(bool(record.config.apply(kTuned)));
  record.platform = {"sm_90a", "Test GPU", "driver", "", "tcgemm"};
  record.timing = summarizeSamples(TimingStage::Final, {1, 1, 1});
  auto store = Store::open(path, Store::Mode::ReadWrite);
  ASSERT_TRUE(bool(store)) << llvm::toString(store.takeError());
  EXPECT_FALSE(bool((*store)->put(record)));
}

class LibraryTuningTest : public LibraryTest {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tcgemm-tuning", folder));
    data.emplace("XDG_DATA_HOME", (folder + "/data").str());
    ASSERT_FALSE(
        llvm::sys::fs::create_directories((folder + "/data/tcgemm").str()));
    LibraryTest::SetUp();
    takeLog();
  }
  void TearDown() override {
    LibraryTest::TearDown();
    EXPECT_FALSE(llvm::sys::fs::remove_directories(folder));
  }

  std::string getPath(const char *name) const {
    return (folder + "/" + name).str();
  }
  std::string getDatabase() const { return getPath("data/tcgemm/records.db"); }

  /// Opens a handle in that mode, with a tuner that is a script.
  void open(const char *mode, const std::string &script = "exit 1") {
    {
      std::error_code code;
      llvm::raw_fd_ostream out(getPath("tuner"), code);
      ASSERT_FALSE(code);
      out << "#!/bin/sh\nfor word; do case $word in --db=*) db=${word#--db=};; "
             "esac; done\n"
          << script << '\n';
    }
    ASSERT_FALSE(llvm::sys::fs::setPermissions(getPath("tuner"),
                                               llvm::sys::fs::perms::all_all));
    modeVariable.emplace("TCGEMM_MODE", mode);
    tuner.emplace("TCGEMM_TUNER", getPath("tuner"));
    ASSERT_OK(tcgemmDestroy(handle));
    handle = nullptr;
    ASSERT_OK(tcgemmCreate(&handle, 0));
  }

  static tcgemmMatmulDesc makeProduct() {
    tcgemmMatmulDesc desc = makeDesc(kM, kN, kK);
    desc.typeA = desc.typeB = desc.typeD = TCGEMM_F32;
    return desc;
  }

  tcgemmPlan_t plan() {
    tcgemmMatmulDesc desc = makeProduct();
    tcgemmPlan_t plan = nullptr;
    EXPECT_OK(tcgemmPlan(handle, &desc, &plan));
    return plan;
  }
  static std::string getConfig(tcgemmPlan_t plan) {
    const char *text = "";
    EXPECT_OK(tcgemmPlanConfig(plan, &text));
    return text;
  }

  /// Runs the product of small integers and checks each element.
  void check(tcgemmPlan_t plan) {
    std::vector<float> a(kM * kK), b(kK * kN), d(kM * kN);
    for (size_t i = 0; i != a.size(); ++i)
      a[i] = static_cast<float>(i % 5);
    for (size_t i = 0; i != b.size(); ++i)
      b[i] = static_cast<float>(i % 7);
    DeviceMemory deviceA(toBytes(a)), deviceB(toBytes(b)), deviceD(toBytes(d));
    size_t bytes = 0;
    EXPECT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
    DeviceMemory workspace(bytes + 1);
    EXPECT_OK(tcgemmRun(plan, deviceA.get(), deviceB.get(), nullptr,
                        deviceD.get(), bytes ? workspace.get() : nullptr,
                        nullptr));
    EXPECT_EQ(callDriver<void *>("cuStreamSynchronize", nullptr), 0);
    std::vector<uint8_t> result = deviceD.read();
    std::memcpy(d.data(), result.data(), result.size());
    for (int i = 0; i != kM; ++i)
      for (int j = 0; j != kN; ++j) {
        float sum = 0;
        for (int k = 0; k != kK; ++k)
          sum += a[i * kK + k] * b[k * kN + j];
        ASSERT_EQ(d[i * kN + j], sum) << i << ", " << j;
      }
  }

  /// Waits until `holds` returns true. Machines may be busy.
  template <typename Function> static bool waitUntil(Function holds) {
    for (int i = 0; i != 15000; ++i) {
      if (holds())
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  void waitForLog(const std::string &wanted) {
    EXPECT_TRUE(waitUntil([&] {
      log += takeLog();
      return log.find(wanted) != std::string::npos;
    })) << "the log has no '"
        << wanted << "':\n"
        << log;
  }
  static void waitForTuned(tcgemmPlan_t plan) {
    EXPECT_TRUE(waitUntil([&] { return getConfig(plan) == describeTuned(); }))
        << getConfig(plan);
  }

  std::string log;

private:
  llvm::SmallString<128> folder;
  std::optional<Variable> data, modeVariable, tuner;
};

TEST_F(LibraryTuningTest, ModesHaveNames) {
  Variable mode("TCGEMM_MODE", "fast");
  tcgemmHandle_t other = nullptr;
  EXPECT_EQ(tcgemmCreate(&other, 0), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(),
            "TCGEMM_MODE is 'fast', but it must be off, cache or tune");
  EXPECT_EQ(other, nullptr);
}

TEST_F(LibraryTuningTest, TheDatabaseIsReadUnlessTheModeIsOff) {
  writeDatabase(getDatabase());
  for (const char *mode : {"cache", "off", "tune", ""}) {
    open(mode);
    tcgemmPlan_t made = plan();
    EXPECT_EQ(getConfig(made) == describeTuned(), strcmp(mode, "off") != 0)
        << mode;
    check(made);
    EXPECT_OK(tcgemmPlanDestroy(made));
  }
  // What is tuned is not tuned again.
  EXPECT_EQ(takeLog().find("tunes:"), std::string::npos);
}

TEST_F(LibraryTuningTest, WithoutRecordsNothingIsTuned) {
  writeDatabase(getDatabase());
  setenv("TCGEMM_RECORDS", "none", 1);
  open("tune");
  tcgemmPlan_t made = plan();
  setenv("TCGEMM_RECORDS", "", 1);
  EXPECT_NE(getConfig(made), describeTuned());
  EXPECT_NE(takeLog().find("error: nothing is tuned, because TCGEMM_RECORDS is "
                           "none, or neither"),
            std::string::npos);
  check(made);
  EXPECT_OK(tcgemmPlanDestroy(made));
}

TEST_F(LibraryTuningTest, DamagedDatabasesAreLogged) {
  {
    std::error_code code;
    llvm::raw_fd_ostream(getDatabase(), code) << "no database";
    ASSERT_FALSE(code);
  }
  open("cache");
  tcgemmPlan_t made = plan();
  check(made);
  EXPECT_NE(takeLog().find("error: '" + getDatabase()), std::string::npos);
  EXPECT_OK(tcgemmPlanDestroy(made));
}

TEST_F(LibraryTuningTest, ATunedKernelReplacesTheFirstOne) {
  writeDatabase(getPath("tuned.db"));
  open("tune", "while ! test -e " + getPath("go") + "; do sleep 0.02; done\n" +
                   "cp " + getPath("tuned.db") + " $db");
  tcgemmPlan_t first = plan(), second = plan();
  std::string before = getConfig(first);
  EXPECT_NE(before, describeTuned());
  check(first);
  {
    std::error_code code;
    llvm::raw_fd_ostream(getPath("go"), code) << "go";
  }
  // It runs while it is replaced.
  for (int i = 0; i != 20; ++i)
    check(first);
  waitForLog("gets the kernel " + describeTuned());
  waitForLog("tuned f32 tt f32 none 24x40x64");
  EXPECT_EQ(log.find("tunes:"), log.rfind("tunes:"));
  EXPECT_NE(log.find(" tune 24x40x64 --db=" + getDatabase() +
                     " --dtype=f32 --layout=tt --out-type=f32 --epilogue=none "
                     "--device=cuda:0 --budget=60s,24 --jobs=1\n"),
            std::string::npos)
      << log;
  for (tcgemmPlan_t each : {first, second}) {
    waitForTuned(each);
    check(each);
    EXPECT_OK(tcgemmPlanDestroy(each));
  }
}

TEST_F(LibraryTuningTest, OneOfSeveralTunes) {
  writeDatabase(getPath("tuned.db"));
  open("tune", "sleep 0.3; cp " + getPath("tuned.db") + " $db");
  tcgemmHandle_t other = nullptr;
  ASSERT_OK(tcgemmCreate(&other, 0));
  tcgemmPlan_t first = plan();
  std::swap(handle, other);
  tcgemmPlan_t second = plan();
  waitForTuned(first);
  waitForTuned(second);
  log = takeLog();
  EXPECT_EQ(log.find("tunes:"), log.rfind("tunes:")) << log;
  EXPECT_OK(tcgemmPlanDestroy(first));
  EXPECT_OK(tcgemmPlanDestroy(second));
  EXPECT_OK(tcgemmDestroy(other));
}

TEST_F(LibraryTuningTest, FailuresAreLoggedAndResultsStayRight) {
  for (auto [script, message] :
       {std::pair("echo 'error: the disk is full' >&2; exit 4",
                  "tuning of f32 tt f32 none 24x40x64 failed: exit code 4: "
                  "error: the disk is full"),
        std::pair("kill -SEGV $$", "24x40x64 failed: Segmentation fault"),
        std::pair(
            "exit 0",
            "no record of f32 tt f32 none 24x40x64 has a measured time")}) {
    open("tune", script);
    tcgemmPlan_t made = plan();
    std::string before = getConfig(made);
    waitForLog(message);
    EXPECT_EQ(getConfig(made), before);
    check(made);
    EXPECT_OK(tcgemmPlanDestroy(made));
  }
  open("tune");
  Variable missing("TCGEMM_TUNER", getPath("none"));
  tcgemmPlan_t made = plan();
  waitForLog("failed: exit code 127: ");
  check(made);
  EXPECT_OK(tcgemmPlanDestroy(made));
}

/// tcgemm-tune itself, with as much of a disk as one block.
TEST_F(LibraryTuningTest, AFullDiskIsAnErrorInTheLog) {
  Variable options("TCGEMM_TUNE_OPTIONS",
                   "--device=emulator --budget=1 --jobs=1 --finalists=0");
  std::string program = std::string(TCGEMM_BINARY_DIR) + "/bin/tcgemm-tune";
  open("tune", "ulimit -f 1\nexec " + program + " \"$@\"");
  tcgemmPlan_t made = plan();
  waitForLog("tuning of f32 tt f32 none 24x40x64 failed: exit code ");
  waitForLog("records.db");
  check(made);
  EXPECT_OK(tcgemmPlanDestroy(made));
}

/// The emulator's times are a model's, which no choice is based on.
TEST_F(LibraryTuningTest, TheTunerTakesTheCommand) {
  Variable options("TCGEMM_TUNE_OPTIONS",
                   "--device=emulator --budget=1 --jobs=1 --finalists=0");
  std::string program = std::string(TCGEMM_BINARY_DIR) + "/bin/tcgemm-tune";
  open("tune", "exec " + program + " \"$@\"");
  tcgemmPlan_t made = plan();
  waitForLog("no record of f32 tt f32 none 24x40x64 has a measured time");
  auto store = Store::open(getDatabase(), Store::Mode::ReadOnly);
  ASSERT_TRUE(bool(store)) << llvm::toString(store.takeError());
  std::vector<Record> records = llvm::cantFail((*store)->query({}));
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.front().problem.str(), "f32 tt f32 none 24x40x64");
  EXPECT_OK(tcgemmPlanDestroy(made));
}

/// The thread is not in a forked process, which must not wait for it.
TEST_F(LibraryTuningTest, ForkedProcessesDestroyTheHandle) {
  open("tune", "sleep 1000");
  tcgemmPlan_t made = plan();
  waitForLog("tunes:");
  pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0)
    _exit(tcgemmDestroy(handle) == TCGEMM_SUCCESS ? 0 : 1);
  int status = -1;
  EXPECT_TRUE(
      waitUntil([&] { return waitpid(child, &status, WNOHANG) == child; }));
  EXPECT_EQ(status, 0);
  EXPECT_OK(tcgemmPlanDestroy(made));
}

TEST_F(LibraryTuningTest, DestroyingTheHandleEndsTheTuner) {
  open("tune", "sleep 1000");
  tcgemmPlan_t made = plan();
  waitForLog("tunes:");
  auto start = std::chrono::steady_clock::now();
  EXPECT_OK(tcgemmDestroy(handle));
  handle = nullptr;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  check(made);
  EXPECT_OK(tcgemmPlanDestroy(made));
}

TEST_F(LibraryTuningTest, APlanIsTunedAtOnce) {
  writeDatabase(getPath("tuned.db"));
  open("cache", "cp " + getPath("tuned.db") + " $db");
  tcgemmPlan_t made = plan();
  EXPECT_NE(getConfig(made), describeTuned());
  ASSERT_OK(tcgemmTunePlan(handle, made));
  EXPECT_EQ(getConfig(made), describeTuned());
  check(made);
  const char *text = nullptr;
  ASSERT_OK(tcgemmPlanExplain(made, &text));
  std::string explanation = text;
  EXPECT_EQ(explanation.find("product: f32 tt f32 none 24x40x64\n"
                             "configuration: " +
                             describeTuned() + "\nchosen by: records"),
            0u)
      << explanation;
  EXPECT_NE(explanation.find("\nlaunches: main_0"), std::string::npos)
      << explanation;
  EXPECT_NE(explanation.find("\nworkspace: 0 bytes\n"), std::string::npos)
      << explanation;
  // What is tuned is not tuned again.
  takeLog();
  EXPECT_OK(tcgemmTunePlan(handle, made));
  EXPECT_EQ(takeLog().find("tunes:"), std::string::npos);
  EXPECT_OK(tcgemmPlanDestroy(made));
}

TEST_F(LibraryTuningTest, FailuresOfTuningAreErrors) {
  open("cache", "echo 'error: the disk is full' >&2; exit 4");
  tcgemmPlan_t made = plan();
  EXPECT_EQ(tcgemmTunePlan(handle, made), TCGEMM_TUNING);
  EXPECT_EQ(getMessage(),
            "tuning of f32 tt f32 none 24x40x64 failed: exit code "
            "4: error: the disk is full");
  EXPECT_EQ(tcgemmTunePlan(nullptr, made), TCGEMM_INVALID_HANDLE);
  EXPECT_EQ(tcgemmTunePlan(handle, nullptr), TCGEMM_INVALID_HANDLE);
  EXPECT_EQ(tcgemmPlanExplain(nullptr, nullptr), TCGEMM_INVALID_HANDLE);
  EXPECT_EQ(tcgemmPlanExplain(made, nullptr), TCGEMM_INVALID_VALUE);
  check(made);
  EXPECT_OK(tcgemmPlanDestroy(made));
  open("cache", "exit 0");
  made = plan();
  EXPECT_EQ(tcgemmTunePlan(handle, made), TCGEMM_TUNING);
  EXPECT_EQ(getMessage(),
            "no record of f32 tt f32 none 24x40x64 has a measured time");
  EXPECT_OK(tcgemmPlanDestroy(made));
  open("off");
  made = plan();
  EXPECT_EQ(tcgemmTunePlan(handle, made), TCGEMM_FILE);
  EXPECT_EQ(getMessage(), "there is no database to tune into: TCGEMM_MODE is "
                          "off, TCGEMM_RECORDS is none, or neither "
                          "XDG_DATA_HOME nor HOME names a folder");
  EXPECT_OK(tcgemmPlanDestroy(made));
}

/// The words of the command are in the message of a tuner that fails.
TEST_F(LibraryTuningTest, GroupsAreTuned) {
  open("cache", "echo \"$*\" >&2; exit 4");
  for (auto [kind, problem, option] :
       {std::tuple(TCGEMM_GROUPS_CONTIGUOUS, "grouped", "contiguous"),
        std::tuple(TCGEMM_GROUPS_PADDED, "grouped groups=padded", "padded"),
        std::tuple(TCGEMM_GROUPS_ALONG_K, "grouped groups=ragged-k",
                   "ragged-k")}) {
    tcgemmGroupedDesc groups;
    ASSERT_OK(tcgemmGroupedDescInit(&groups));
    groups.kind = kind;
    groups.m = 24, groups.n = 40, groups.k = 64, groups.groups = 3;
    tcgemmPlan_t made = nullptr;
    ASSERT_OK(tcgemmPlanGrouped(handle, &groups, &made));
    EXPECT_EQ(tcgemmTunePlan(handle, made), TCGEMM_TUNING);
    std::string message = getMessage();
    for (const std::string &part :
         {" none " + std::string(problem) + " 3x24x40x64 failed: exit code 4",
          " --epilogue=none --groups=" + std::string(option) + " "})
      EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_OK(tcgemmPlanDestroy(made));
  }
}

TEST_F(LibraryTuningTest, FeaturesAreTuned) {
  open("cache", "echo \"$*\" >&2; exit 4");
  auto expectOption = [&](const tcgemmMatmulDesc &desc, const char *option) {
    tcgemmPlan_t made = nullptr;
    ASSERT_OK(tcgemmPlan(handle, &desc, &made));
    EXPECT_EQ(tcgemmTunePlan(handle, made), TCGEMM_TUNING);
    std::string message = getMessage();
    EXPECT_NE(message.find(option), std::string::npos) << message;
    EXPECT_OK(tcgemmPlanDestroy(made));
  };
  tcgemmMatmulDesc desc = makeProduct();
  desc.algebra = "max-plus";
  expectOption(desc, " --algebra=max-plus ");
  desc = makeDesc(kM, kN, 128);
  desc.reductions = "row-max_amax";
  expectOption(desc, " --reduce=row-max_amax ");
  desc.reductions = "none";
  desc.dual = "add";
  expectOption(desc, " --dual=add ");
  desc.dual = "none";
  desc.transB = TCGEMM_T;
  desc.typeB = TCGEMM_U4;
  desc.groupSize = 128;
  desc.groupScaleType = TCGEMM_F16;
  desc.zeroPointType = TCGEMM_U8;
  expectOption(desc, " --dtype=bf16xu4 ");
  expectOption(desc, " --group-scales=128xf16xu8 ");
  desc = makeDesc(kM, kN, 128);
  desc.transB = TCGEMM_T;
  desc.typeA = desc.typeB = TCGEMM_E4M3;
  desc.hasBlockScalesA = desc.hasBlockScalesB = 1;
  expectOption(desc, " --block-scales=ab ");
}

TEST_F(LibraryTuningTest, ProductsThatAreNotTuned) {
  auto refuse = [&](tcgemmMatmulDesc desc, tcgemmStatus status,
                    const std::string &message) {
    tcgemmPlan_t made = nullptr;
    ASSERT_OK(tcgemmPlan(handle, &desc, &made));
    EXPECT_EQ(tcgemmTunePlan(handle, made), status);
    EXPECT_EQ(getMessage(), message);
    EXPECT_OK(tcgemmPlanDestroy(made));
  };
  tcgemmMatmulDesc desc = makeProduct();
  desc.config = kTuned;
  refuse(desc, TCGEMM_INVALID_VALUE,
         "the descriptor has a config, so that nothing is to be tuned");
  desc = makeProduct();
  desc.m = 0;
  refuse(desc, TCGEMM_NOT_SUPPORTED,
         "products without elements or terms are not tuned");
  desc = makeProduct();
  desc.k = 0;
  refuse(desc, TCGEMM_NOT_SUPPORTED,
         "products without elements or terms are not tuned");
}

} // namespace
