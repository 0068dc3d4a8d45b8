//===- ToolTest.cpp - Tests of tcgemm-run's parts -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests printing in every format, case files, and their conversion to command
// lines.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "DeviceChoice.h"
#include "Observed.h"
#include "Progress.h"
#include "Report.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tcgemm;

namespace {

ProblemRecord makeRecord() {
  ProblemRecord record;
  record.tag = "square";
  record.sizes = makeSizes(10, 20, 30, 2);
  record.reproduce = "tcgemm-run p --m=10";
  LaunchResult launch;
  launch.kernel = "gemm";
  launch.variant = "general";
  launch.report.method = "sampled + Freivalds";
  launch.report.numElements = 400;
  launch.report.numChecked = 100;
  launch.report.maxRatio = 0.25;
  launch.report.freivalds = HUGE_VAL;
  launch.report.numWrong = 1;
  launch.report.mismatches = {{0, 1, 2, 3, NAN, 1.5, 0.5}};
  record.run.emplace();
  record.run->launches = {launch};
  record.benchmark.emplace();
  record.benchmark->flops = 2e6;
  record.benchmark->contenders = {
      {"tcgemm", "general", {2, 1, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {"cublaslt-best",
       "algorithm 3",
       {4, 3, 5},
       {2, 2, 2},
       {2, 1.5, 2.5},
       {2, 2, 2}}};
  record.benchmark->difference = 0.001;
  record.benchmark->cublasLtVersion = "13.0.2";
  return record;
}

std::string print(ReportFormat format) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Reporter reporter(format, os);
  reporter.printDevice(DeviceProperties(), 0);
  reporter.print(makeRecord());
  return text;
}

TEST(Report, Table) {
  std::string text = print(ReportFormat::Table);
  EXPECT_NE(text.find("square  10 x 20 x 30 x batch 2  fail"),
            std::string::npos);
  EXPECT_NE(text.find("out0[1, 2, 3] = nan, expected 1.5 +- 0.5"),
            std::string::npos);
  EXPECT_NE(text.find("cublaslt-best"), std::string::npos);
  EXPECT_NE(text.find("again: tcgemm-run p --m=10"), std::string::npos);
}

TEST(Report, JSONLines) {
  std::string text = print(ReportFormat::JSON);
  llvm::StringRef line = llvm::StringRef(text).split('\n').second;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  const llvm::json::Object &object = *value->getAsObject();
  EXPECT_EQ(object.getString("status"), "fail");
  EXPECT_EQ(object.getInteger("N"), 20);
  EXPECT_EQ(object.getObject("benchmark")->getArray("contenders")->size(), 2U);
}

TEST(Report, CSVHasAsManyFieldsAsItsHeader) {
  std::string text = print(ReportFormat::CSV);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_EQ(lines.size(), 3U);
  for (llvm::StringRef line : lines)
    EXPECT_EQ(line.count(','), lines[0].count(',')) << line.str();
}

TEST(Report, FindingsFailARightResult) {
  ProblemRecord record = makeRecord();
  LaunchResult &launch = record.run->launches[0];
  launch.report = VerifyReport();
  launch.report.passed = true;
  EXPECT_EQ(getStatus(record), "pass");
  emu::Finding finding;
  finding.kind = emu::FindingKind::SharedRace;
  finding.kernel = "gemm_main";
  finding.line = 7;
  finding.message = "two stores";
  launch.observed.findings = {finding};
  launch.observed.suppressed = 3;
  launch.missed = "out0: 2 of 8 elements were not written: [0, 1] [0, 2]";
  EXPECT_EQ(getStatus(record), "fail");
  for (ReportFormat format : {ReportFormat::Table, ReportFormat::JSON}) {
    std::string text;
    llvm::raw_string_ostream os(text);
    Reporter(format, os).print(record);
    for (const char *part :
         {"shared-race", "gemm_main", "two stores", "[0, 2]"})
      EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  Reporter(ReportFormat::CSV, os).print(record);
  EXPECT_NE(text.find(",4\n"), std::string::npos) << text;
  // Observations before an error are shown too.
  record.observed = std::move(launch.observed);
  record.run.reset();
  record.error = "kernel 'gemm_main' could not continue: a trap";
  text.clear();
  Reporter(ReportFormat::Table, os).print(record);
  EXPECT_NE(text.find("two stores"), std::string::npos) << text;
}

TEST(DeviceChoice, Parse) {
  EXPECT_EQ(llvm::cantFail(parseDevice("")).kind, DeviceChoice::Any);
  EXPECT_EQ(llvm::cantFail(parseDevice("emulator")).kind,
            DeviceChoice::Emulator);
  EXPECT_EQ(llvm::cantFail(parseDevice("cuda")).kind, DeviceChoice::Cuda);
  EXPECT_EQ(llvm::cantFail(parseDevice("cuda:3")).ordinal, 3U);
  EXPECT_EQ(llvm::cantFail(parseDevice("2")).ordinal, 2U);
  for (const char *text : {"gpu", "cuda:", "cuda:-1", "cuda3", "emulator:1"}) {
    llvm::Expected<DeviceChoice> choice = parseDevice(text);
    EXPECT_FALSE(bool(choice)) << text;
    llvm::consumeError(choice.takeError());
  }
}

TEST(DeviceChoice, Checks) {
  for (const char *text :
       {"none", "bounds", "bounds,uninitialised,races,barriers"})
    EXPECT_EQ(formatChecks(llvm::cantFail(parseChecks(text))), text);
  EXPECT_EQ(formatChecks(llvm::cantFail(parseChecks("races,bounds"))),
            "bounds,races");
  EXPECT_TRUE(llvm::cantFail(parseChecks("all")).barriers);
  for (const char *text : {"", "race", "bounds,", "all,none"}) {
    llvm::Expected<emu::Checks> checks = parseChecks(text);
    EXPECT_FALSE(bool(checks)) << text;
    llvm::consumeError(checks.takeError());
  }
}

TEST(Progress, Text) {
  EXPECT_EQ(formatProgress("gemm", 0, 96, 3), "gemm: block 0 of 96, 3 s");
  EXPECT_EQ(formatProgress("gemm", 24, 96, 10),
            "gemm: block 24 of 96, 10 s, about 30 s to go");
  EXPECT_EQ(formatProgress("gemm", 1, 101, 60),
            "gemm: block 1 of 101, 60 s, about 100 min to go");
}

TEST(Cases, ReadAndReproduce) {
  llvm::SmallString<128> path;
  int file = 0;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("cases", "jsonl", file, path));
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
  os << R"({"id": "x", "pack": "/p", "sizes": {"M": 3, "N": 4, "K": 5},)"
     << R"( "fill": "int", "fills": {"A": "normal"}, "scalars": {"s": 0.1},)"
     << R"( "ld_pad": 2, "offsets": {"B": 1}, "variant": "v", "seed": 9})"
     << "\n\n"
     << R"({"pack": "/p", "sizes": {"Q": 1}})" << "\n";
  os.close();
  llvm::Expected<std::vector<TestCase>> cases = readCases(path);
  ASSERT_FALSE(bool(cases));
  EXPECT_NE(llvm::toString(cases.takeError()).find(":3: 'sizes' has no 'Q'"),
            std::string::npos);
  std::error_code code;
  llvm::raw_fd_ostream again(path, code);
  again << R"({"pack": "/p", "sizes": {"M": 3, "N": 4}, "fill": "int",)"
        << R"( "fills": {"A": "constant:0.1"}, "scalars": {"s": 0.5},)"
        << R"( "ld_pad": 2, "offsets": {"B": 1}, "variant": "v", "seed": 9,)"
        << R"( "repeat": 7})";
  again.close();
  cases = readCases(path);
  ASSERT_TRUE(bool(cases)) << llvm::toString(cases.takeError());
  EXPECT_EQ(formatReproduction(cases->at(0).pack, "--chip=sm_80",
                               cases->at(0).options),
            "tcgemm-run /p --chip=sm_80 --m=3 --n=4 --fill=int "
            "--fill=A=constant:0.10000000000000001 --scalar=s=0.5 --ld-pad=2 "
            "--offset=B=1 --variant=v --repeat=7 --seed=9");
  (void)llvm::sys::fs::remove(path);
}

TEST(Cases, SizesOfAProblem) {
  NamedProblem problem;
  EXPECT_EQ(problem.getSizes(), MatmulSizes());
  problem.sizes = {int64_t(2), int64_t(3), int64_t(4),
                   int64_t(5), int64_t(6), int64_t(7)};
  EXPECT_EQ(problem.getSizes().str(), "5x2x3x4");
}

} // namespace
