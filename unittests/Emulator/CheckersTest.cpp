//===- CheckersTest.cpp - Planted defects and their clean twins -----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file in Checkers/ holds a kernel with a defect and, by leaving out the
// lines marked otherwise, the same kernel without it. Line numbers are those of
// the file in both.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Emulator/Emulator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tcgemm::emu;

namespace {

struct Case {
  const char *file;
  /// The expected finding; none: the defect shows in the output only.
  std::optional<FindingKind> kind; // NOLINT(*.Padding): the order of the table
  uint32_t thread = 0;             ///< The x coordinate.
  uint32_t block = 0;
  std::array<uint32_t, 3> grid{1, 1, 1};
  uint32_t threads = 64;
  std::array<uint32_t, 3> cluster{1, 1, 1};
  bool isFailure = false; ///< The defective kernel cannot continue.
  bool dependent = false; ///< The launch.
};

/// For GoogleTest's messages.
void PrintTo(const Case &test, std::ostream *os) { *os << test.file; }

using Kind = FindingKind;
constexpr std::array<uint32_t, 3> kOne{1, 1, 1}, kTwo{2, 1, 1};

const Case kCases[] = {
    {"out-of-bounds-global", Kind::OutOfBounds, 63},
    {"out-of-bounds-far", Kind::OutOfBounds, 0},
    {"out-of-bounds-shared", Kind::OutOfBounds, 63},
    {"out-of-bounds-local", Kind::OutOfBounds, 4},
    {"misaligned-global", Kind::Misaligned, 0},
    {"misaligned-shared", Kind::Misaligned, 1},
    {"misaligned-matrix", Kind::Misaligned, 0, 0, kOne, 32},
    {"read-only-write", Kind::ReadOnlyWrite, 0},
    {"uninitialised-register", Kind::UninitialisedRegister, 0},
    {"uninitialised-shared", Kind::UninitialisedShared, 0},
    {"uninitialised-global", Kind::UninitialisedGlobal, 0},
    {"race-write-read", Kind::SharedRace, 32},
    {"race-write-write", Kind::SharedRace, 32},
    {"race-read-write", Kind::SharedRace, 0},
    {"race-next-phase", Kind::SharedRace, 0},
    {"race-intra-warp", Kind::SharedRace, 0, 0, kOne, 32},
    {"race-same-instruction", Kind::SharedRace, 1, 0, kOne, 32},
    {"race-halves", Kind::SharedRace, 32},
    {"race-atomic", Kind::SharedRace, 0},
    {"race-global", Kind::GlobalRace, 32},
    {"race-blocks", Kind::GlobalRace, 0, 1, kTwo},
    {"hand-over-no-release", Kind::GlobalRace, 0, 1, kTwo},
    {"hand-over-no-acquire", Kind::GlobalRace, 0, 1, kTwo},
    {"hand-over-block-fence", Kind::GlobalRace, 0, 1, kTwo},
    {"hand-over-relaxed", Kind::GlobalRace, 0, 1, kTwo},
    {"hand-over-counter", Kind::GlobalRace, 0, 1, kTwo},
    {"async-no-wait", Kind::AsyncRace, 0},
    {"async-wrong-group", Kind::AsyncRace, 0, 0, kOne, 32},
    {"async-no-barrier", Kind::SharedRace, 32},
    {"async-stage-overwritten", Kind::SharedRace, 0},
    {"async-two-copies", Kind::AsyncRace, 0},
    {"async-store", Kind::AsyncRace, 0},
    {"async-source-overwritten", Kind::AsyncRace, 0},
    {"async-source-size", Kind::GlobalRace, 0, 1, kTwo},
    {"barrier-divergence", Kind::BarrierDivergence, 0},
    {"barrier-count", Kind::BarrierMisuse, 0, 0, kOne, 64, kOne, true},
    {"barrier-counts", Kind::BarrierMisuse, 32},
    {"barrier-exit", Kind::SharedRace, 32, 0, kOne, 96},
    {"barrier-phase", Kind::BarrierMisuse, 64, 0, kOne, 128},
    {"deadlock", Kind::Deadlock, 0, 0, kOne, 64, kOne, true},
    {"warp-barrier-mask", Kind::BarrierDivergence, 0, 0, kOne, 32},
    {"shuffle-mask", Kind::BarrierDivergence, 16, 0, kOne, 32},
    {"missed-output", std::nullopt},
    {"cluster-no-barrier", Kind::SharedRace, 0, 1, kTwo, 64, kTwo},
    {"cluster-arrive-exit", Kind::SharedRace, 0, 0, kTwo, 64, kTwo},
    {"matrix-no-barrier", Kind::SharedRace, 0, 0, kOne, 32},
    {"wmma-no-barrier", Kind::SharedRace, 0, 0, kOne, 32},
    {"mbarrier-aliasing", Kind::PhaseAliasing, 32},
    {"mbarrier-phase", Kind::BarrierMisuse, 0},
    {"mbarrier-phase-copy", Kind::BarrierMisuse, 0, 1, kTwo, 64, kTwo},
    {"mbarrier-overflow", Kind::ArriveOverflow, 0},
    {"mbarrier-tx-overflow", Kind::TxOverflow, 0},
    {"mbarrier-init-race", Kind::SharedRace, 32},
    {"mbarrier-overwritten", Kind::BarrierMisuse, 0},
    {"mbarrier-no-acquire", Kind::SharedRace, 0},
    {"bulk-no-wait", Kind::AsyncRace, 0, 0, kOne, 32},
    {"bulk-others-wait", Kind::AsyncRace, 32},
    {"bulk-stage-overwritten", Kind::AsyncRace, 32},
    {"bulk-no-init-fence", Kind::MissingProxyFence, 0},
    {"bulk-no-proxy-fence", Kind::MissingProxyFence, 0},
    {"bulk-store-race", Kind::OperandOverwritten, 32},
    {"bulk-source-overwritten", Kind::OperandOverwritten, 0},
    {"bulk-wait-read", Kind::AsyncRace, 0},
    {"bulk-exit", Kind::ClusterExit, 0},
    {"async-arrive", Kind::AsyncRace, 0, 0, kOne, 32},
    {"wgmma-accumulator", Kind::AccumulatorInFlight, 96, 0, kOne, 128},
    {"wgmma-no-fence", Kind::MissingWgmmaFence, 96, 0, kOne, 128},
    {"wgmma-registers", Kind::OperandOverwritten, 96, 0, kOne, 128},
    {"wgmma-no-proxy-fence", Kind::MissingProxyFence, 64, 0, kOne, 128},
    {"async-no-proxy-fence", Kind::MissingProxyFence, 64, 0, kOne, 128},
    {"wgmma-no-barrier", Kind::SharedRace, 96, 0, kOne, 128},
    {"wgmma-operand-overwritten", Kind::OperandOverwritten, 64, 0, kOne, 128},
    {"wgmma-in-flight", Kind::AsyncRace, 32, 0, kOne, 128},
    {"wgmma-early-release", Kind::OperandOverwritten, 0, 0, kOne, 128},
    {"cluster-exit-arrive", Kind::ClusterExit, 0, 1, kTwo, 64, kTwo},
    {"cluster-exit-store", Kind::ClusterExit, 0, 1, kTwo, 64, kTwo},
    {"cluster-exit-multicast", Kind::ClusterExit, 0, 1, kTwo, 64, kTwo},
    {"cluster-init-relaxed", Kind::SharedRace, 0, 1, kTwo, 64, kTwo},
    {"deadlock-mbarrier", Kind::Deadlock, 0, 0, kOne, 64, kOne, true},
    {"deadlock-bytes", Kind::Deadlock, 0, 0, kOne, 64, kOne, true},
    {"setmaxnreg-exit", Kind::Deadlock, 224, 0, kOne, 256, kOne, true},
    {"deadlock-cluster", Kind::Deadlock, 0, 0, kTwo, 64, kTwo, true},
    {"grid-no-wait", Kind::MissingGridWait, 32, 0, kOne, 64, kOne, false,
     /*dependent=*/true},
    {"grid-no-wait-copy", Kind::MissingGridWait, 0, 0, kOne, 64, kOne, false,
     /*dependent=*/true},
    {"grid-no-wait-bulk", Kind::MissingGridWait, 33, 0, kOne, 64, kOne, false,
     /*dependent=*/true},
};

/// The text without the lines that are marked with `without`, and the line that
/// is marked as the one reported.
std::string readVariant(const Case &test, llvm::StringRef without,
                        uint32_t &reported) {
  std::string path = std::string(CHECKERS_DIR "/") + test.file + ".ptx";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    ADD_FAILURE() << path << ": " << buffer.getError().message();
    return "";
  }
  std::string text;
  uint32_t number = 0;
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (llvm::StringRef line : lines) {
    ++number;
    llvm::StringRef marks = line.trim().starts_with("//")
                                ? llvm::StringRef()
                                : line.split("// ").second;
    if (marks.contains("@reported"))
      reported = number;
    if (!marks.contains(without))
      text += line;
    text += '\n';
  }
  return text;
}

struct Ran {
  LaunchResult result;
  bool missesOutput = false;
};

Ran run(const Case &test, const std::string &text, unsigned threads) {
  constexpr uint64_t kBytes = 4096;
  Ran ran;
  Emulator emulator;
  auto module = emulator.load(text);
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return ran;
  }
  uint64_t a = llvm::cantFail(emulator.allocate(kBytes, "a"));
  uint64_t b = llvm::cantFail(emulator.allocate(kBytes, "b"));
  std::vector<uint32_t> values(kBytes / 4, 0);
  for (uint32_t i = 1; i < values.size(); ++i)
    values[i] = llvm::StringRef(test.file).starts_with("hand") ? 0 : i;
  llvm::cantFail(emulator.write(a, values.data(), kBytes));
  llvm::cantFail(emulator.setShape(b, {16, 64, 4}));
  if (llvm::StringRef(test.file) == "read-only-write")
    llvm::cantFail(emulator.setWritable(a, false));
  Launch launch;
  launch.grid = test.grid;
  launch.cluster = test.cluster;
  launch.block = {test.threads, 1, 1};
  launch.dependent = test.dependent;
  for (uint64_t address : {a, b}) {
    launch.arguments.emplace_back(8);
    memcpy(launch.arguments.back().data(), &address, 8);
  }
  LaunchOptions options;
  options.threads = threads;
  options.maxInstructions = 1000000;
  auto result = emulator.launch(*(*module)->find("kernel"), launch, options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return ran;
  }
  ran.result = std::move(*result);
  ran.missesOutput =
      !llvm::cantFail(emulator.findUndefined(b, test.threads * 4, 4)).empty();
  return ran;
}

std::string printFindings(const LaunchResult &result) {
  std::string text = result.failure;
  for (const Finding &finding : result.findings)
    text += "\n" + toString(finding);
  return text;
}

class CheckersTest : public testing::TestWithParam<Case> {};

TEST_P(CheckersTest, DefectIsFound) {
  const Case &test = GetParam();
  uint32_t line = 0;
  std::string text = readVariant(test, "@clean", line);
  Ran ran = run(test, text, 1);
  std::string all = printFindings(ran.result);
  EXPECT_EQ(!ran.result.failure.empty(), test.isFailure) << all;
  if (!test.kind) {
    EXPECT_TRUE(ran.result.findings.empty()) << all;
    EXPECT_TRUE(ran.missesOutput);
    return;
  }
  ASSERT_EQ(ran.result.findings.size(), 1u) << all;
  const Finding &finding = ran.result.findings.front();
  EXPECT_EQ(finding.kind, *test.kind) << all;
  EXPECT_EQ(finding.line, line) << all;
  EXPECT_EQ(finding.thread[0], test.thread) << all;
  EXPECT_EQ(finding.block[0], test.block) << all;
  if (getenv("TCGEMM_SHOW_FINDINGS"))
    llvm::errs() << all << '\n';
}

TEST_P(CheckersTest, TwinIsClean) {
  const Case &test = GetParam();
  uint32_t line = 0;
  std::string text = readVariant(test, "@defect", line);
  for (unsigned threads : {1, 2}) {
    Ran ran = run(test, text, threads);
    EXPECT_TRUE(ran.result.failure.empty()) << ran.result.failure;
    EXPECT_TRUE(ran.result.findings.empty()) << printFindings(ran.result);
    if (!test.kind) {
      EXPECT_FALSE(ran.missesOutput);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CheckersTest, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) {
                           std::string name = info.param.file;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
