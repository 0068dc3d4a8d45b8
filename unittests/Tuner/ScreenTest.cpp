//===- ScreenTest.cpp - What a run shows ----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Screen.h"
#include "TunerTestUtils.h"

#include <thread>

using namespace tcgemm;

namespace {

class ScreenTest : public testing::Test {
protected:
  /// A search of two successes and a failure.
  void run(TuningObserver &observer) {
    TuningProblem problem = makeProblem(1024, 1024, 1024);
    observer.beginProblem(problem, 1, 3, 10);
    Record fast = makeRecord(problem, "stages=4", 10);
    Record failure = makeRecord(problem, "stages=6", 0);
    failure.outcome = Outcome::Timeout;
    observer.record(makeRecord(problem, "stages=5", 12), true);
    observer.record(fast, false);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    observer.record(failure, false);
    fast.timing.stage = TimingStage::Final;
    observer.beginFinal({fast});
    TuningResult result;
    result.problem = problem;
    result.finalists = {fast, makeRecord(problem, "stages=5", 10.01)};
    result.numTies = 1;
    result.outcomes[unsigned(Outcome::Success)] = 2;
    result.outcomes[unsigned(Outcome::Timeout)] = 1;
    result.legal = 20;
    result.tried = 3;
    result.resumed = 1;
    result.seconds = 1.25;
    result.end = "budget";
    observer.endProblem(result);
  }

  std::string out, err;
  llvm::raw_string_ostream outStream{out}, errStream{err};
};

const char *const kResult =
    "[2/3] bf16 tn bf16 none 1024x1024x1024: 10.00 us, 214.7 TFLOP/s, "
    "schedule=mma_sync,stages=4\n"
    "  3 of 20 legal tried, 1 known before, 1 timeout, 1.2 s, ended by its "
    "budget\n"
    "  95 % interval 9.90 to 10.10 us\n"
    "  tie: 10.01 us, 214.5 TFLOP/s, schedule=mma_sync,stages=5\n";

TEST_F(ScreenTest, ATerminalGetsABarWithTheTimeToGo) {
  TextScreen screen(outStream, errStream, [] { return 200U; });
  run(screen);
  EXPECT_EQ(out, kResult);
  EXPECT_NE(err.find("\r[2/3] bf16 tn bf16 none 1024x1024x1024 "
                     "|#######.................| 3/10, "),
            std::string::npos)
      << err;
  EXPECT_NE(err.find(" s to go, 1 failed, best 10.00 us, 214.7 TFLOP/s\033[K"),
            std::string::npos)
      << err;
  EXPECT_NE(err.find("final of 1"), std::string::npos);
  EXPECT_EQ(err.substr(err.size() - 4), "\r\033[K"); // The line is deleted.
}

TEST_F(ScreenTest, DevicesShareALine) {
  auto columns = [] { return 120U; };
  auto progress = std::make_shared<RunProgress>(errStream, columns, 4);
  TextScreen first(outStream, errStream, nullptr, "cuda:0", progress);
  TextScreen second(outStream, errStream, nullptr, "cuda:1", progress);
  second.beginProblem(makeProblem(64, 64, 64), 0, 4, 30);
  run(first);
  // 40 candidates of two problems: 80 of four. One is known, one failed.
  EXPECT_NE(err.find("\r0/4 problems, 3/80 candidates, 1 failed, "),
            std::string::npos)
      << err;
  EXPECT_NE(err.find(" s to go; cuda:0 1024x1024x1024: 10.00 us\033[K"),
            std::string::npos)
      << err;
  EXPECT_EQ(err.substr(err.size() - 4), "\r\033[K");
  EXPECT_EQ(out.substr(0, 13), "[2/3] cuda:0 ");
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  second.record(makeRecord(makeProblem(64, 64, 64), "stages=4", 3), false);
  EXPECT_NE(err.find("\r1/4 problems, 4/80 candidates, 1 failed, "),
            std::string::npos)
      << err;
  // No longer than the terminal is wide.
  auto narrow = std::make_shared<RunProgress>(errStream, [] { return 19U; }, 4);
  TextScreen third(outStream, errStream, nullptr, "cuda:2", narrow);
  err.clear();
  run(third);
  EXPECT_EQ(err, "\r0/4 problems, 3/40\033[K\r\033[K");
}

TEST_F(ScreenTest, OthersGetPlainLines) {
  TextScreen screen(outStream, errStream, nullptr);
  run(screen);
  EXPECT_EQ(out, kResult);
  EXPECT_EQ(err, "[2/3] bf16 tn bf16 none 1024x1024x1024: 10 configurations\n");
}

TEST_F(ScreenTest, ProgramsGetAnObjectALine) {
  JSONScreen screen(outStream);
  run(screen);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(out).split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::vector<std::string> events;
  for (llvm::StringRef line : lines)
    events.push_back(
        need(unwrap(llvm::json::parse(line)).getAsObject()->getString("event"))
            .str());
  EXPECT_EQ(events, std::vector<std::string>({"problem", "record", "record",
                                              "record", "final", "result"}));
}

TEST_F(ScreenTest, ThrottlingIsShown) {
  TextScreen screen(outStream, errStream, [] { return 200U; });
  TuningProblem problem = makeProblem(1024, 1024, 1024);
  screen.beginProblem(problem, 0, 1, 10);
  Record record = makeRecord(problem, "stages=4", 10);
  record.state = {1755, 2619, 612.5, 61, kClockPowerCap | kClockIdle};
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  screen.record(record, false);
  EXPECT_NE(err.find("throttled: power cap\033[K"), std::string::npos) << err;
  EXPECT_EQ(formatState(record),
            "1755 MHz, memory 2619 MHz, 612 W, 61 C, throttled: power cap, "
            "6.12e-03 J a run, 0.35 TFLOP/s per W");
  TuningResult result;
  result.problem = problem;
  result.finalists = {record};
  screen.endProblem(result);
  EXPECT_NE(out.find("\n  " + formatState(record) + "\n"), std::string::npos)
      << out;
  record.state = {};
  EXPECT_EQ(formatState(record), "");
}

TEST(Screen, ModelsAreNamed) {
  Record record = makeRecord(makeProblem(64, 64, 64), "stages=4", 10);
  record.timing.stage = TimingStage::Model;
  EXPECT_EQ(formatTime(record),
            "10.00 us, 0.1 TFLOP/s by a model, not measured");
}

TEST(Screen, ConfigurationsAreReadBack) {
  KernelConfig config =
      makeConfig("schedule=wgmma cta=128x256x64 warps=8x1x1 cluster=2x1x1 "
                 "persistent=true epilogue=tma");
  std::string text = formatConfig(config);
  EXPECT_EQ(text, "schedule=wgmma,cta=[128,256,64],warps=[8,1,1],epilogue=tma,"
                  "cluster=[2,1,1],persistent=true");
  EXPECT_TRUE(makeConfig(text) == config);
}

TEST(Screen, Durations) {
  EXPECT_EQ(formatSeconds(1.25), "1.2 s");
  EXPECT_EQ(formatSeconds(150), "2 min");
  EXPECT_EQ(formatSeconds(9000), "2.5 h");
}

/// A line with the width of the terminal would wrap and not be deleted.
TEST_F(ScreenTest, LinesFitTheTerminal) {
  for (unsigned columns : {20, 40, 60, 80, 100, 130}) {
    err.clear();
    TextScreen screen(outStream, errStream, [=] { return columns; });
    run(screen);
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(err).split(lines, '\r');
    bool hasProgress = false;
    for (llvm::StringRef line : lines) {
      line.consume_back("\033[K");
      EXPECT_LT(line.size(), columns) << line.str();
      hasProgress |= line.contains("3/10, ") && line.contains("to go") &&
                     line.contains("best 10.00 us");
    }
    EXPECT_EQ(hasProgress, columns >= 60) << err;
  }
}

} // namespace
