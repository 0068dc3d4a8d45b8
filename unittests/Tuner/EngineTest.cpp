//===- EngineTest.cpp - Successful and failing candidates -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the whole engine on the emulator. Faults are planted in the code of a
// stored build, and in a fake ptxas.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Engine.h"
#include "Measure/ChildProcess.h"
#include "TunerTestUtils.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <ctime>
#include <sys/time.h>
#include <unistd.h>

using namespace tcgemm;

namespace {

const char *const kTile = "cta=64x64x32 warps=2x2x1 stages=";

class EngineTest : public testing::Test {
protected:
  EngineTest() {
    store = unwrap(Store::open(folder.get("t.db"), Store::Mode::ReadWrite));
    options.device = "emulator";
    options.chip = "sm_80";
    options.compilers = 2;
  }

  static KernelConfig getConfig(int stages, const std::string &more = "") {
    return makeConfig(kTile + std::to_string(stages) + more);
  }

  /// Evaluates configurations; their records by configuration.
  std::vector<Evaluation> evaluate(Evaluator &evaluator,
                                   llvm::ArrayRef<KernelConfig> configs) {
    EXPECT_EQ(getError(evaluator.begin(problem)), "no error");
    for (const KernelConfig &config : configs)
      EXPECT_EQ(getError(evaluator.submit(config)), "no error");
    std::vector<Evaluation> evaluations(configs.size());
    while (auto next = unwrap(evaluator.wait()))
      for (auto [config, place] : llvm::zip(configs, evaluations))
        if (config == next->record.config)
          place = *next;
    return evaluations;
  }

  /// Compiles for the emulator, and changes the PTX of the main program.
  void plant(const KernelConfig &config, llvm::StringRef before,
             llvm::StringRef after) {
    auto compiler = unwrap(createCompileEngine(*store, options));
    evaluate(*compiler, {config});
    BuildKey key = getBuildKey(problem, config, "sm_80", true);
    Build build = need(unwrap(store->getBuild(key, "")));
    KernelPack pack = unwrap(store->loadPack(build));
    std::string &ptx = pack.images[0].ptx;
    size_t main = ptx.find(".entry main_0_main(");
    size_t place = ptx.find(before, main);
    ASSERT_NE(place, std::string::npos) << before.str();
    ptx.replace(place, before.size(), after);
    build.binaries = unwrap(writeBinaries(store->getBinaryPath(), pack));
    EXPECT_EQ(getError(store->putBuild(build)), "no error");
  }

  /// A program in place of ptxas.
  void writePtxas(const std::string &body) {
    options.compile.ptxasPath = folder.get("ptxas");
    {
      std::error_code code;
      llvm::raw_fd_ostream(options.compile.ptxasPath, code)
          << "#!/bin/sh\nif [ \"$1\" = --version ]; then\n"
             "echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit; fi\n"
          << body << "\n";
    }
    EXPECT_FALSE(llvm::sys::fs::setPermissions(options.compile.ptxasPath,
                                               llvm::sys::fs::all_all));
  }

  TemporaryFolder folder;
  std::unique_ptr<Store> store;
  EngineOptions options;
  TuningProblem problem = makeProblem(64, 72, 96);
};

TEST_F(EngineTest, RecordsAndResumes) {
  {
    auto engine = unwrap(createEngine(*store, options));
    EXPECT_TRUE(engine->getPlatform().isEmulated());
    for (const Evaluation &evaluation :
         evaluate(*engine, {getConfig(2), getConfig(3)})) {
      const Record &record = evaluation.record;
      EXPECT_FALSE(evaluation.isResumed);
      EXPECT_EQ(record.outcome, Outcome::Success) << record.message;
      EXPECT_EQ(record.timing.stage, TimingStage::Model);
      EXPECT_GT(record.timing.median, 0);
      EXPECT_GT(record.resources.sharedMemory, 0);
      EXPECT_EQ(record.resources.threads, 128);
      EXPECT_EQ(record.variant, "aligned");
      EXPECT_EQ(record.platform.ptxas, "");
    }
    EXPECT_EQ(unwrap(store->query({})).size(), 2u);
  }
  auto again = unwrap(createEngine(*store, options));
  auto evaluations = evaluate(*again, {getConfig(3), getConfig(4)});
  EXPECT_TRUE(evaluations[0].isResumed);
  EXPECT_FALSE(evaluations[1].isResumed);
}

TEST_F(EngineTest, RecordsWithoutAFinalAreFound) {
  auto engine = unwrap(createEngine(*store, options));
  std::vector<Record> records;
  for (const Evaluation &evaluation :
       evaluate(*engine, {getConfig(2), getConfig(3), getConfig(4)}))
    records.push_back(evaluation.record);
  // The emulator's times are a model's, which have no final.
  EXPECT_TRUE(unwrap(engine->getWithoutFinal(5)).empty());
  auto storeAs = [&](Record record, TimingStage stage, double microseconds) {
    record.timing = summarizeSamples(stage, {microseconds});
    EXPECT_EQ(getError(store->put(record)), "no error");
  };
  storeAs(records[0], TimingStage::Full, 30);
  storeAs(records[1], TimingStage::Full, 20);
  storeAs(records[2], TimingStage::Final, 10);
  // Another platform, and a configuration without code.
  Record other = records[2];
  other.platform.driver = "another";
  storeAs(other, TimingStage::Full, 1);
  other = records[2];
  other.config = getConfig(5);
  storeAs(other, TimingStage::Full, 2);
  auto found = unwrap(engine->getWithoutFinal(5));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].config, getConfig(3));
  EXPECT_EQ(found[1].config, getConfig(2));
}

/// A pruned candidate is recorded, but it is tried when it is submitted later.
/// A result stays.
TEST_F(EngineTest, PrunedCandidatesHaveNoResult) {
  auto engine = unwrap(createEngine(*store, options));
  Record tried = evaluate(*engine, {getConfig(2)})[0].record;
  Record pruned = tried;
  pruned.outcome = Outcome::Pruned;
  pruned.message = "bound: at least 2.00 us, but 1.00 us was measured";
  pruned.timing = {};
  EXPECT_FALSE(unwrap(engine->leaveOut(pruned)));
  auto find = [&](const KernelConfig &config) {
    return need(unwrap(store->get(problem, config, tried.platform)));
  };
  EXPECT_EQ(find(getConfig(2)).outcome, Outcome::Success);
  pruned.config = getConfig(3);
  for (int i = 0; i != 2; ++i) {
    EXPECT_TRUE(unwrap(engine->leaveOut(pruned)));
    EXPECT_EQ(find(getConfig(3)).outcome, Outcome::Pruned);
    EXPECT_EQ(find(getConfig(3)).message, pruned.message);
  }
  Evaluation later = evaluate(*engine, {getConfig(3)})[0];
  EXPECT_FALSE(later.isResumed);
  EXPECT_EQ(later.record.outcome, Outcome::Success);
  EXPECT_EQ(find(getConfig(3)).outcome, Outcome::Success);
  EXPECT_FALSE(unwrap(engine->leaveOut(pruned)));
}

TEST_F(EngineTest, OneCompilationServesAllSizes) {
  auto engine = unwrap(createEngine(*store, options));
  evaluate(*engine, {getConfig(2)});
  problem = makeProblem(40, 8, 200);
  auto evaluations = evaluate(*engine, {getConfig(2)});
  EXPECT_EQ(evaluations[0].record.outcome, Outcome::Success);
  EXPECT_EQ(unwrap(store->getStats()).builds, 1u);
}

TEST_F(EngineTest, EachFaultHasItsClass) {
  plant(getConfig(3), "ld.param", "$hang: bra $hang;\n\tld.param");
  plant(getConfig(4), "ld.param", "st.global.b32 [64], 0;\n\tld.param");
  plant(getConfig(5), "cvt.rn.bf16.f32", "cvt.rn.relu.bf16.f32");
  plant(getConfig(6), "st.global", "// st.global");
  // The operands fit, a workspace of 4 x 64 x 72 x 4 bytes and more does not.
  options.memoryLimit = 72000;
  options.launchTimeout = 3;
  auto engine = unwrap(createEngine(*store, options));
  auto evaluations = evaluate(
      *engine, {getConfig(2), getConfig(3), getConfig(4), getConfig(5),
                getConfig(6), getConfig(2, " split_k=4"), getConfig(7)});
  auto expect = [&](unsigned i, Outcome outcome, llvm::StringRef text) {
    const Record &record = evaluations[i].record;
    EXPECT_EQ(getOutcomeName(record.outcome), getOutcomeName(outcome))
        << i << ": " << record.message;
    EXPECT_NE(record.message.find(text), std::string::npos) << record.message;
  };
  expect(0, Outcome::Success, "");
  expect(1, Outcome::Timeout, "no end of it on the device after 3 s");
  expect(2, Outcome::Runtime, "");
  expect(3, Outcome::Correctness, "[0, ");
  expect(4, Outcome::Correctness, "");
  expect(5, Outcome::Memory, "for the workspace: the limit is 72000");
  expect(6, Outcome::Success, "");
  // The store has the returned records.
  EXPECT_EQ(unwrap(store->query({})).size(), 7u);
  auto best = unwrap(store->getBest({}));
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].outcome, Outcome::Success);
}

TEST_F(EngineTest, ADeadDeviceProcessCostsItsCandidate) {
  plant(getConfig(3), "ld.param", "$hang: bra $hang;\n\tld.param");
  options.launchTimeout = 60;
  auto engine = unwrap(createEngine(*store, options));
  // The engine's only child so far has the device.
  std::string path =
      "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  auto children = llvm::MemoryBuffer::getFileAsStream(path);
  ASSERT_TRUE(bool(children));
  int worker = std::stoi((*children)->getBuffer().str());
  auto killer = unwrap(ChildProcess::start([&](Channel &) {
    ::sleep(1);
    return ::kill(worker, SIGKILL);
  }));
  auto evaluations = evaluate(*engine, {getConfig(3), getConfig(2)});
  EXPECT_EQ(evaluations[0].record.outcome, Outcome::Crash);
  EXPECT_EQ(evaluations[0].record.message,
            "the process on the device died with signal 9 (Killed)");
  EXPECT_EQ(evaluations[1].record.outcome, Outcome::Success);
}

TEST_F(EngineTest, CompilersMayHangDieAndRefuse) {
  options.device = "cuda"; // Compiles with ptxas.
  writePtxas("sleep 100");
  options.compileTimeout = 1;
  auto evaluations =
      evaluate(*unwrap(createCompileEngine(*store, options)), {getConfig(2)});
  EXPECT_EQ(evaluations[0].record.outcome, Outcome::CompileTimeout);
  EXPECT_EQ(evaluations[0].record.message,
            "no end of its compilation after 1 s");
  options.compileTimeout = 60;
  // The compiler is the grandparent process of ptxas.
  writePtxas("kill -9 $(cut -d ' ' -f 4 /proc/$PPID/stat); sleep 1");
  evaluations =
      evaluate(*unwrap(createCompileEngine(*store, options)), {getConfig(3)});
  EXPECT_EQ(evaluations[0].record.outcome, Outcome::Crash);
  writePtxas("echo 'ptxas fatal   : no' >&2; exit 1");
  evaluations =
      evaluate(*unwrap(createCompileEngine(*store, options)), {getConfig(4)});
  EXPECT_EQ(evaluations[0].record.outcome, Outcome::Compile);
  EXPECT_NE(evaluations[0].record.message.find("ptxas fatal   : no"),
            std::string::npos);
  // Failures are stored too.
  evaluations =
      evaluate(*unwrap(createCompileEngine(*store, options)), {getConfig(2)});
  EXPECT_TRUE(evaluations[0].isResumed);
  EXPECT_EQ(evaluations[0].record.outcome, Outcome::CompileTimeout);
}

TEST_F(EngineTest, WhatCannotBeWrittenIsNoFaultOfTheCandidates) {
  std::error_code code;
  llvm::raw_fd_ostream(store->getBinaryPath(), code) << "no folder";
  auto engine = unwrap(createEngine(*store, options));
  EXPECT_EQ(getError(engine->begin(problem)), "no error");
  EXPECT_EQ(getError(engine->submit(getConfig(2))), "no error");
  EXPECT_NE(getError(engine->wait()).find("cannot make the folder of '"),
            std::string::npos);
  BuildKey key = getBuildKey(problem, getConfig(2), "sm_80", true);
  EXPECT_FALSE(unwrap(store->getBuild(key, "")));
  EXPECT_TRUE(unwrap(store->query({})).empty());
}

TEST_F(EngineTest, DamagedCodeIsCompiledAgain) {
  auto compiler = unwrap(createCompileEngine(*store, options));
  evaluate(*compiler, {getConfig(2), getConfig(3)});
  for (int stages : {2, 3}) {
    Build build = need(unwrap(store->getBuild(
        getBuildKey(problem, getConfig(stages), "sm_80", true), "")));
    std::string path = store->getBinaryPath() + "/" +
                       build.binaries[0].substr(0, 2) + "/" + build.binaries[0];
    if (stages == 3) { // And a missing one.
      EXPECT_FALSE(llvm::sys::fs::remove(path));
      continue;
    }
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << "damaged";
  }
  auto engine = unwrap(createEngine(*store, options));
  for (const Evaluation &evaluation :
       evaluate(*engine, {getConfig(2), getConfig(3)}))
    EXPECT_EQ(evaluation.record.outcome, Outcome::Success)
        << evaluation.record.message;
  EXPECT_TRUE(unwrap(store->verify()).empty());
}

TEST_F(EngineTest, CodeThatWasNotFinishedIsRemoved) {
  std::string code = store->getBinaryPath() + "/ab/abc";
  EXPECT_FALSE(
      llvm::sys::fs::create_directories(store->getBinaryPath() + "/ab"));
  for (const char *end : {".12345678.tmp", ".87654321.tmp", ""}) {
    std::error_code error;
    llvm::raw_fd_ostream(code + end, error) << "x";
    if (std::string(end) == ".87654321.tmp")
      continue; // A process may write it now.
    timeval times[2] = {{::time(nullptr) - 7200, 0},
                        {::time(nullptr) - 7200, 0}};
    EXPECT_EQ(::utimes((code + end).c_str(), times), 0);
  }
  unwrap(createEngine(*store, options));
  EXPECT_FALSE(llvm::sys::fs::exists(code + ".12345678.tmp"));
  EXPECT_TRUE(llvm::sys::fs::exists(code + ".87654321.tmp"));
  EXPECT_TRUE(llvm::sys::fs::exists(code));
}

TEST_F(EngineTest, WithoutPtxasNothingIsCompiled) {
  options.device = "cuda";
  options.compile.ptxasPath = "/no/such/ptxas";
  auto engine = unwrap(createCompileEngine(*store, options));
  EXPECT_EQ(getError(engine->begin(problem)), "no error");
  EXPECT_EQ(getError(engine->submit(getConfig(2))),
            "a kernel must be compiled: ptxas path '/no/such/ptxas' is not an "
            "executable file");
}

TEST_F(EngineTest, DevicesThatAreNotThere) {
  options.device = "cuda:1000";
  EXPECT_EQ(getError(createEngine(*store, options)).substr(0, 22),
            "no device to tune on: ");
  options.device = "emulator";
  options.chip = "sm_1";
  EXPECT_NE(getError(createEngine(*store, options)).find("unknown chip"),
            std::string::npos);
}

TEST_F(EngineTest, AnInterruptEndsTheWait) {
  std::atomic<bool> flag{false};
  options.interrupted = &flag;
  auto engine = unwrap(createEngine(*store, options));
  EXPECT_EQ(getError(engine->begin(problem)), "no error");
  for (int stages = 2; stages != 8; ++stages)
    EXPECT_EQ(getError(engine->submit(getConfig(stages))), "no error");
  EXPECT_TRUE(unwrap(engine->wait()));
  flag = true;
  unsigned more = 0;
  while (unwrap(engine->wait()))
    ++more;
  EXPECT_LT(more, 5u);
  EXPECT_EQ(engine->getOutstanding(), 0u);
}

} // namespace
