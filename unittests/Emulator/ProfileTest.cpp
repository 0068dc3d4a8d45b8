//===- ProfileTest.cpp - What profiles count ------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Emulator/Emulator.h"

#include "Profile/CacheModel.h"
#include "Profile/SharedBanks.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <functional>

using namespace tcgemm::emu;

namespace {

std::pair<unsigned, unsigned>
count(BankAccess kind, uint32_t bytes,
      const std::function<uint64_t(unsigned)> &address, uint32_t lanes = ~0u) {
  uint64_t addresses[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    addresses[lane] = address(lane);
  BankCount result = countBanks(kind, bytes, lanes, addresses);
  return {result.wavefronts, result.ideal};
}

using Pair = std::pair<unsigned, unsigned>;

TEST(SharedBanksTest, Words) {
  for (BankAccess kind : {BankAccess::Load, BankAccess::Store}) {
    EXPECT_EQ(count(kind, 4, [](unsigned l) { return l * 4; }), Pair(1, 1));
    EXPECT_EQ(count(kind, 4, [](unsigned) { return 64; }), Pair(1, 1));
    EXPECT_EQ(count(kind, 4, [](unsigned l) { return l * 8; }), Pair(2, 1));
    EXPECT_EQ(count(kind, 4, [](unsigned l) { return l * 128; }), Pair(32, 1));
    EXPECT_EQ(count(kind, 4, [](unsigned l) { return l * 132; }), Pair(1, 1));
    EXPECT_EQ(count(kind, 4, [](unsigned l) { return l == 31 ? 128 : 0; }),
              Pair(2, 1));
    // Two halves of a word are one word.
    EXPECT_EQ(count(kind, 2, [](unsigned l) { return l * 2; }), Pair(1, 1));
    EXPECT_EQ(
        count(kind, 2, [](unsigned l) { return l * 128; }, 0xff), Pair(8, 1));
  }
}

TEST(SharedBanksTest, Vectors) {
  using K = BankAccess;
  EXPECT_EQ(count(K::Load, 8, [](unsigned l) { return l * 8; }), Pair(2, 2));
  EXPECT_EQ(count(K::Load, 16, [](unsigned l) { return l * 16; }), Pair(4, 4));
  EXPECT_EQ(count(K::Store, 16, [](unsigned l) { return l * 16; }), Pair(4, 4));
  // One half only.
  EXPECT_EQ(
      count(K::Load, 8, [](unsigned l) { return l * 8; }, 0xffff), Pair(1, 1));
  // Broadcasts join for loads, not for stores.
  EXPECT_EQ(count(K::Load, 8, [](unsigned) { return 0; }), Pair(1, 1));
  EXPECT_EQ(count(K::Store, 8, [](unsigned) { return 0; }), Pair(2, 2));
  EXPECT_EQ(count(K::Load, 16, [](unsigned) { return 0; }), Pair(2, 2));
  EXPECT_EQ(count(K::Store, 16, [](unsigned) { return 0; }), Pair(4, 4));
  EXPECT_EQ(count(K::Load, 16, [](unsigned l) { return l / 2 * 16; }),
            Pair(2, 2));
  EXPECT_EQ(count(K::Load, 16, [](unsigned l) { return l / 8 * 16; }),
            Pair(2, 2));
  // Joined, although two words are in one bank.
  EXPECT_EQ(count(K::Load, 16, [](unsigned l) { return l % 2 * 128; }),
            Pair(4, 2));
  // Rows of 128 bytes: all of a quarter's in the same four banks.
  EXPECT_EQ(count(K::Load, 16, [](unsigned l) { return l * 128; }),
            Pair(32, 4));
}

TEST(SharedBanksTest, Matrices) {
  auto rows = [](uint32_t pitch) {
    return [=](unsigned l) { return uint64_t(l) * pitch; };
  };
  EXPECT_EQ(count(BankAccess::Matrix, 16, rows(128)), Pair(32, 4));
  EXPECT_EQ(count(BankAccess::Matrix, 16, rows(144)), Pair(4, 4));
  EXPECT_EQ(count(BankAccess::Matrix, 16, rows(64)), Pair(16, 4));
  EXPECT_EQ(count(BankAccess::Matrix, 16, rows(144), 0xffff), Pair(2, 2));
  // The usual swizzle: the column is combined with the row by xor.
  EXPECT_EQ(count(BankAccess::Matrix, 16,
                  [](unsigned l) { return l * 128 + (l % 8) * 16; }),
            Pair(4, 4));
}

TEST(SharedBanksTest, Atomics) {
  EXPECT_EQ(count(BankAccess::Atomic, 4, [](unsigned l) { return l * 4; }),
            Pair(1, 1));
  EXPECT_EQ(count(BankAccess::Atomic, 4, [](unsigned) { return 0; }),
            Pair(32, 1));
  EXPECT_EQ(count(BankAccess::CompareSwap, 4, [](unsigned) { return 0; }),
            Pair(64, 33));
}

TEST(SharedBanksTest, Copies) {
  uint64_t dense[32], rows[32], same[32] = {};
  for (unsigned lane = 0; lane < 32; ++lane) {
    dense[lane] = lane * 16;
    rows[lane] = lane * 128;
  }
  auto count = [](uint32_t bytes, const uint64_t *sources,
                  const uint64_t *targets, uint32_t reading = ~0u) {
    BankCount result = countCopyBanks(bytes, ~0u, reading, sources, targets);
    return Pair(result.wavefronts, result.ideal);
  };
  EXPECT_EQ(count(16, dense, dense), Pair(4, 4));
  // Four of the 32 lines are looked up at once.
  EXPECT_EQ(count(16, rows, dense), Pair(32, 8));
  EXPECT_EQ(count(16, dense, rows), Pair(32, 4));
  // Lanes that read or write the same conflict.
  EXPECT_EQ(count(16, same, dense), Pair(32, 4));
  EXPECT_EQ(count(16, dense, same), Pair(32, 4));
  // Each of the four passes that read the rows writes without conflicts.
  EXPECT_EQ(count(4, dense, dense), Pair(4, 1));
  // Inactive lanes have no conflicts.
  EXPECT_EQ(count(16, rows, dense, 0), Pair(4, 4));
  // Lanes that write zeros have separate wavefronts.
  EXPECT_EQ(count(16, dense, dense, 0x55555555), Pair(8, 8));
  // The last of five lines is looked up by itself.
  for (uint64_t &source : dense)
    source += 16;
  EXPECT_EQ(count(16, dense, rows), Pair(32, 5));
}

TEST(CacheModelTest, FetchesOnceWhileItFits) {
  SectorCache cache(64 << 10);
  CacheTraffic traffic;
  for (unsigned round = 0; round < 2; ++round)
    for (uint64_t line = 0; line < 256; ++line)
      cache.access(line, 15, CacheAccess::Read, traffic);
  EXPECT_EQ(traffic.fetched, 1024u);
  cache.access(1000, 3, CacheAccess::Write, traffic);
  cache.access(1000, 7, CacheAccess::Read, traffic);
  EXPECT_EQ(traffic.fetched, 1025u);
  EXPECT_EQ(traffic.writtenBack, 0u);
}

TEST(CacheModelTest, WritesBackWhatMakesWay) {
  SharedCache cache(1 << 20);
  CacheTraffic traffic;
  for (uint64_t line = 0; line < 4 * 8192; ++line)
    cache.access(line, 15, CacheAccess::Write, traffic);
  EXPECT_EQ(traffic.fetched, 0u);
  EXPECT_NEAR(double(traffic.writtenBack), 3 * 8192 * 4, 8192);
}

Profile makeProfile() {
  Profile profile;
  profile.kernel = "gemm";
  profile.blocks = 4;
  profile.warps = 16;
  profile.barriers = 160;
  profile.l2ReadBytes = 123456789;
  SiteProfile load;
  load.line = 2;
  load.kind = "ldmatrix.sync";
  load.executed = 1000;
  load.threads = 32000;
  load.wavefronts = 8000;
  load.idealWavefronts = 4000;
  SiteProfile add;
  add.line = 3;
  add.kind = "add.s32";
  add.executed = 20000000;
  add.threads = 20000000;
  profile.sites = {load, add};
  return profile;
}

TEST(ProfileReportTest, TableIsNarrow) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printTable(makeProfile(), os);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef line : lines)
    EXPECT_LE(line.size(), 100u) << line.str();
  EXPECT_NE(text.find("20.00M"), std::string::npos) << text;
  EXPECT_NE(text.find("line 2 ldmatrix.sync"), std::string::npos) << text;
  EXPECT_LT(text.find("add.s32"), text.find("ldmatrix.sync")) << text;
}

TEST(ProfileReportTest, Json) {
  llvm::json::Value value = toJSON(makeProfile());
  const llvm::json::Object &metrics =
      *value.getAsObject()->getObject("metrics");
  EXPECT_EQ(metrics.getInteger(
                "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
            4000);
  EXPECT_EQ(metrics.getInteger("smsp__inst_executed.sum"), 20001000);
  EXPECT_EQ(value.getAsObject()->getArray("sites")->size(), 2u);
}

TEST(ProfileReportTest, Annotated) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printAnnotated(makeProfile(), "first\nldmatrix\nadd\n", os);
  EXPECT_NE(text.find("    1000    8000 2.00              | ldmatrix\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("                                   | first\n"),
            std::string::npos)
      << text;
}

//===----------------------------------------------------------------------===//
// Kernels of Inputs/profiled.ptx
//===----------------------------------------------------------------------===//

struct Counted {
  const char *kernel;
  const char *kind;
  /// Counts of one warp.
  uint64_t wavefronts, idealWavefronts, sectors;
};

/// For GoogleTest's messages.
void PrintTo(const Counted &test, std::ostream *os) {
  *os << test.kernel << ' ' << test.kind;
}

class ProfiledKernelTest : public testing::TestWithParam<Counted> {};

TEST_P(ProfiledKernelTest, Counts) {
  const Counted &test = GetParam();
  auto buffer = llvm::MemoryBuffer::getFile(PROFILED_KERNELS);
  ASSERT_TRUE(bool(buffer));
  Emulator emulator;
  auto module = emulator.load((*buffer)->getBuffer());
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  constexpr uint64_t kBytes = 65536;
  Launch launch;
  launch.block = {128, 1, 1};
  for (unsigned i = 0; i < 2; ++i) {
    uint64_t address = llvm::cantFail(emulator.allocate(kBytes));
    std::vector<uint8_t> zeros(kBytes);
    llvm::cantFail(emulator.write(address, zeros.data(), kBytes));
    launch.arguments.emplace_back(8);
    memcpy(launch.arguments.back().data(), &address, 8);
  }
  const KernelCode *kernel = (*module)->find(test.kernel);
  ASSERT_TRUE(kernel);
  LaunchOptions options;
  options.profile = true;
  auto result = emulator.launch(*kernel, launch, options);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->failure, "");
  for (const Finding &finding : result->findings)
    ADD_FAILURE() << toString(finding);
  uint64_t warps = result->profile.warps;
  EXPECT_EQ(warps, 4u);
  SiteProfile sum;
  for (const SiteProfile &site : result->profile.sites)
    if (site.kind == test.kind) {
      sum.wavefronts += site.wavefronts;
      sum.idealWavefronts += site.idealWavefronts;
      sum.sectors += site.sectors;
    }
  EXPECT_EQ(sum.wavefronts, test.wavefronts * warps);
  EXPECT_EQ(sum.idealWavefronts, test.idealWavefronts * warps);
  EXPECT_EQ(sum.sectors, test.sectors * warps);
}

// Each warp first fills its memory: 16 stores of four wavefronts.
const Counted kCounted[] = {
    {"ld_stride1", "ld.shared", 2, 2, 0},
    {"ld_stride1", "st.shared", 64, 64, 0},
    {"ld_stride1", "st.global", 0, 0, 16},
    {"ld_stride2", "ld.shared", 3, 2, 0},
    // Two halves; pairs joined; every other word pair, four to a bank.
    {"ld_v2", "ld.shared", 2 + 1 + 4, 2 + 1 + 2, 0},
    {"ld_v4", "ld.shared", 4 + 2 + 2, 4 + 2 + 2, 0},
    {"st_pitch", "st.shared", 64 + 32 + 32 + 32 + 32, 64 + 1 + 2 + 4 + 1, 0},
    {"ldmatrix_plain", "ldmatrix.sync", 32, 4, 0},
    {"ldmatrix_swizzled", "ldmatrix.sync", 6, 6, 0},
    {"stmatrix_both", "stmatrix.sync", 36, 8, 0},
    // Sixteen sectors, and the halves of each separately.
    {"copy_cg", "cp.async", 0, 0, 16 + 32},
    // Every fourth word is read, and every second pair.
    {"copy_ca", "cp.async", 4 + 4 + 4, 1 + 2 + 4, 16 * 3},
    {"global_strides", "ld.global", 0, 0, 4 + 16 + 32 + 16},
    {"atomics", "atom.shared", 1 + 32, 2, 0},
};

INSTANTIATE_TEST_SUITE_P(All, ProfiledKernelTest, testing::ValuesIn(kCounted));

} // namespace
