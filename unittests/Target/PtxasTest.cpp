//===- PtxasTest.cpp - Finding, running and reading ptxas -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Ptxas.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace tcgemm;

namespace {

constexpr char cleanLog[] = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'reduce' for 'sm_90'
ptxas info    : Function properties for reduce
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
ptxas info    : Compile time = 12.743 ms
ptxas info    : Compiling entry function 'main' for 'sm_90'
ptxas info    : Function properties for main
    16 bytes stack frame, 24 bytes spill stores, 36 bytes spill loads
ptxas info    : Used 226 registers, used 1 barriers, 16 bytes cumulative stack size, 4096 bytes smem, 352 bytes cmem[0]
)";

constexpr char remarkLog[] =
    R"(ptxas info    : (C7515) Potential Performance Loss: wgmma.mma_async instructions are serialized due to wgmma pipeline crossing function boundary at a function call in the function 'hopper'
ptxas /tmp/a.ptx, line 7; warning : Unaligned access of a vector
ptxas warning : (C7508) setmaxnreg ignored to maintain minimum register requirement.
ptxas info    : Compiling entry function 'hopper' for 'sm_90a'
ptxas info    : Function properties for hopper
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 3 barriers, 768 bytes cmem[0]
)";

TEST(PtxasLog, ReadsEachEntry) {
  PtxasLog log = parsePtxasLog(cleanLog);
  ASSERT_EQ(log.entries.size(), 2u);
  const PtxasEntry *entry = log.find("main");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->registers, 226);
  EXPECT_EQ(entry->stackBytes, 16);
  EXPECT_EQ(entry->spillStoreBytes, 24);
  EXPECT_EQ(entry->spillLoadBytes, 36);
  EXPECT_EQ(entry->staticSharedBytes, 4096);
  EXPECT_EQ(entry->barriers, 1);
  EXPECT_TRUE(entry->remarks.empty());
  EXPECT_EQ(log.find("reduce")->registers, 4);
  EXPECT_FALSE(log.find("other"));
  EXPECT_TRUE(log.remarks.empty());
  EXPECT_TRUE(log.warnings.empty());
}

TEST(PtxasLog, KeepsRemarksAndWarnings) {
  PtxasLog log = parsePtxasLog(remarkLog);
  ASSERT_EQ(log.entries.size(), 1u);
  ASSERT_EQ(log.entries[0].remarks.size(), 1u);
  EXPECT_TRUE(StringRef(log.entries[0].remarks[0])
                  .starts_with("(C7515) Potential Performance Loss"));
  ASSERT_EQ(log.remarks.size(), 1u);
  EXPECT_TRUE(StringRef(log.remarks[0]).starts_with("(C7508)"));
  ASSERT_EQ(log.warnings.size(), 1u);
  EXPECT_EQ(parsePtxasLog("").entries.size(), 0u);
  EXPECT_EQ(
      parsePtxasLog("no sense 'at all\n bytes stack frame").entries.size(), 0u);
}

PtxasSearch emptySearch() {
  PtxasSearch search;
  search.getEnvironment = [](StringRef) {
    return std::optional<std::string>();
  };
  search.fallback.clear();
  return search;
}

TEST(Ptxas, SaysWhereItLooked) {
  std::string text = toString(Ptxas::find("", emptySearch()).takeError());
  for (StringRef place : {"$TCGEMM_PTXAS", "$PATH", "$CUDA_HOME/bin",
                          "$CUDA_PATH/bin", "not found"})
    EXPECT_TRUE(StringRef(text).contains(place)) << text;
  EXPECT_EQ(toString(Ptxas::find("/no/such/ptxas").takeError()),
            "ptxas path '/no/such/ptxas' is not an executable file");
  PtxasSearch search = emptySearch();
  search.getEnvironment = [](StringRef name) -> std::optional<std::string> {
    if (name == "TCGEMM_PTXAS")
      return "/no/such";
    return std::nullopt;
  };
  EXPECT_EQ(toString(Ptxas::find("", search).takeError()),
            "TCGEMM_PTXAS is '/no/such', which is not an executable file");
}

/// A shell script in ptxas's place.
class FakePtxas {
public:
  explicit FakePtxas(StringRef body) {
    int file;
    EXPECT_FALSE(sys::fs::createTemporaryFile("fake-ptxas", "sh", file, path));
    {
      raw_fd_ostream stream(file, /*shouldClose=*/true);
      stream << "#!/bin/sh\n" << body << "\n";
    }
    EXPECT_FALSE(sys::fs::setPermissions(path, sys::fs::all_all));
    remover.setFile(path);
  }
  Ptxas get() { return cantFail(Ptxas::find(path)); }

private:
  SmallString<128> path;
  FileRemover remover;
};

TEST(Ptxas, ReportsFailures) {
  FakePtxas failing("echo 'ptxas fatal   : no sense' >&2; exit 255");
  EXPECT_EQ(
      toString(failing.get().assemble("", "sm_90").takeError()),
      "ptxas failed with status 255 for sm_90:\nptxas fatal   : no sense");
  FakePtxas silent("exit 0");
  EXPECT_TRUE(
      StringRef(toString(silent.get().assemble("", "sm_90").takeError()))
          .contains("gave no cubin"));
  Ptxas odd = silent.get();
  EXPECT_TRUE(StringRef(toString(odd.getVersion().takeError()))
                  .contains("does not give a version"));
  FakePtxas crashing("kill -SEGV $$");
  EXPECT_TRUE(
      StringRef(toString(crashing.get().assemble("", "sm_90").takeError()))
          .contains("crashed"));
  FakePtxas missing("exit 127");
  EXPECT_TRUE(
      StringRef(toString(missing.get().assemble("", "sm_90").takeError()))
          .starts_with("cannot run '"));
}

TEST(Ptxas, StopsAtTheTimeLimit) {
  FakePtxas slow("exec sleep 30");
  PtxasOptions options;
  options.timeout = 1;
  EXPECT_TRUE(
      StringRef(toString(slow.get().assemble("", "sm_90", options).takeError()))
          .contains("was killed after 1 seconds"));
}

/// Returns whether the process runs; a zombie process does not.
bool isRunning(const std::string &process) {
  auto buffer = MemoryBuffer::getFileAsStream("/proc/" + process + "/stat");
  if (!buffer)
    return false;
  StringRef state = (*buffer)->getBuffer().rsplit(')').second.trim();
  return !state.starts_with("Z") && !state.starts_with("X");
}

/// The processes that a fake ptxas has written to a file: two, once it waits.
std::vector<std::string> readProcesses(StringRef path) {
  std::vector<std::string> processes;
  for (int tries = 0; tries != 1000 && processes.size() != 2; ++tries) {
    usleep(10000);
    processes.clear();
    auto buffer = MemoryBuffer::getFileAsStream(path);
    if (!buffer)
      continue;
    SmallVector<StringRef> lines;
    (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      processes.push_back(line.str());
  }
  return processes;
}

bool endsSoon(const std::string &process) {
  for (int tries = 0; tries != 1000; ++tries, usleep(10000))
    if (!isRunning(process))
      return true;
  return false;
}

/// ptxas with a child of its own, and a folder for temporary files.
class HangingPtxas : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("ptxas-test", folder));
    setenv("TMPDIR", folder.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    (void)sys::fs::remove_directories(folder);
  }
  std::string getList() const { return (folder + "/processes").str(); }
  std::string getBody() const {
    return "sleep 300 & echo $! > " + getList() + ".new; echo $$ >> " +
           getList() + ".new; mv " + getList() + ".new " + getList() + "; wait";
  }
  unsigned countFiles() const {
    unsigned count = 0;
    std::error_code code;
    for (sys::fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code))
      ++count;
    return count;
  }
  SmallString<128> folder;
};

TEST_F(HangingPtxas, NothingOfItOutlivesTheTimeLimit) {
  FakePtxas slow(getBody());
  unsigned before = countFiles();
  PtxasOptions options;
  options.timeout = 1;
  EXPECT_TRUE(
      StringRef(toString(slow.get().assemble("", "sm_90", options).takeError()))
          .contains("was killed after 1 seconds"));
  std::vector<std::string> processes = readProcesses(getList());
  ASSERT_EQ(processes.size(), 2u);
  for (const std::string &process : processes)
    EXPECT_TRUE(endsSoon(process));
  EXPECT_EQ(countFiles(), before + 1);
}

TEST_F(HangingPtxas, NothingOfItOutlivesTheCaller) {
  FakePtxas slow(getBody());
  unsigned before = countFiles();
  for (int signal : {SIGTERM, SIGINT, SIGKILL}) {
    pid_t caller = fork();
    if (caller == 0) {
      consumeError(slow.get().assemble("", "sm_90").takeError());
      _exit(0);
    }
    std::vector<std::string> processes = readProcesses(getList());
    EXPECT_EQ(processes.size(), 2u);
    for (const std::string &process : processes)
      EXPECT_TRUE(isRunning(process));
    kill(caller, signal);
    waitpid(caller, nullptr, 0);
    for (const std::string &process : processes)
      EXPECT_TRUE(endsSoon(process)) << signal;
    (void)sys::fs::remove(getList());
    EXPECT_EQ(countFiles(), before) << signal;
  }
}

TEST(Ptxas, AssemblesATinyKernel) {
  Expected<Ptxas> ptxas = Ptxas::find();
  if (!ptxas) {
    consumeError(ptxas.takeError());
    GTEST_SKIP() << "no ptxas";
  }
  Expected<StringRef> version = ptxas->getVersion();
  ASSERT_TRUE(bool(version));
  EXPECT_TRUE(version->contains('.'));
  Expected<PtxasResult> result = ptxas->assemble(
      ".version 7.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry tiny(.param .u64 p) { .reg .b64 %rd<2>;\n"
      ".shared .align 4 .b8 s[4096]; ld.param.u64 %rd1, [p];\n"
      "st.global.u32 [%rd1], 7; ret; }\n",
      "sm_80");
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  EXPECT_TRUE(StringRef(result->cubin).starts_with("\177ELF"));
  const PtxasEntry *entry = result->log.find("tiny");
  ASSERT_TRUE(entry);
  EXPECT_GT(entry->registers, 0);
  EXPECT_EQ(entry->spillStoreBytes, 0);
  std::string failure =
      toString(ptxas->assemble("nonsense", "sm_80").takeError());
  EXPECT_TRUE(StringRef(failure).contains("<ptx>, line 1; fatal")) << failure;
}

} // namespace
