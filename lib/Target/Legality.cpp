//===- Legality.cpp - Which configurations are possible -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleChecker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral ruleNames[] = {"chip",
                                       "element-type",
                                       "instruction",
                                       "cta-m",
                                       "cta-n",
                                       "cta-k",
                                       "warps",
                                       "warps-k",
                                       "threads",
                                       "stages",
                                       "fragment-buffers",
                                       "raster-group",
                                       "split-k",
                                       "max-registers",
                                       "copy-width",
                                       "tile-row",
                                       "copy-threads",
                                       "copy-rows",
                                       "registers",
                                       "shared-memory",
                                       "k-split-buffer",
                                       "staging",
                                       "resident-shared",
                                       "resident-threads",
                                       "schedule",
                                       "epilogue",
                                       "epilogue-buffers",
                                       "l2-promotion",
                                       "cluster",
                                       "pingpong",
                                       "producer",
                                       "stage-inputs",
                                       "box",
                                       "raster",
                                       "tiles-per-cta",
                                       "threads-k",
                                       "layout",
                                       "dependent-launch"};

/// Checks one configuration, collecting what it breaks.
class Checker : public RuleChecker {
public:
  using RuleChecker::RuleChecker;

  SmallVector<Violation> run() {
    checkTarget();
    checkShape();
    checkCounts();
    // The other rules divide by what is wrong already.
    if (!violations.empty())
      return std::move(violations);
    checkTile('A', getTileA(config, problem), problem.aKContiguous,
              config.copyA);
    checkTile('B', getTileB(config, problem), problem.bKContiguous,
              config.copyB);
    checkRegisterLimit(formatv("warp tile {0}x{1} with fragment_buffers = {2}",
                               config.getWarpM(), config.getWarpN(),
                               config.fragmentBuffers));
    checkSharedMemory();
    return std::move(violations);
  }

private:
  void checkTarget();
  void checkShape();
  void checkCounts();
  void checkTile(char name, TileShape tile, bool kContiguous,
                 int64_t copyBytes);
  void checkSharedMemory();
};

void Checker::checkTarget() {
  require(chip.capability >= 80 && chip.features.mmaSync, "chip",
          "chip {0} has compute capability {1}, but schedule mma_sync needs 80 "
          "or more",
          chip.name, chip.capability);
  require(problem.elementBits == 16, "element-type",
          "elements of A and B have {0} bits, but mma.sync 16x8x16 takes 16",
          problem.elementBits);
  require(config.instruction == std::array<int64_t, 3>{16, 8, 16},
          "instruction",
          "instruction = {0}, but schedule mma_sync has [16, 8, 16] only",
          config.get("instruction"));
  requireDefault({"epilogue_buffers", "l2_promotion", "cluster", "persistent",
                  "pingpong", "swap_ab", "stage_inputs", "producer", "threads",
                  "transpose_staging", "tiles_per_cta", "tile_order", "stage_a",
                  "stage_b"});
  require(config.epilogue != EpilogueKind::Tma, "epilogue",
          "epilogue = tma, but schedule mma_sync has direct and staged");
  require(!config.dependentLaunch || chip.capability >= 90, "dependent-launch",
          "dependent_launch = true, but chip {0} has compute capability {1}, "
          "and kernels can wait for those before them from 90 on",
          chip.name, chip.capability);
  requireBands();
}

void Checker::checkShape() {
  auto [ctaM, ctaN, ctaK] = config.cta;
  auto [warpsM, warpsN, warpsK] = config.warps;
  bool warpsValid = all_of(config.warps, [](int64_t n) { return n >= 1; });
  require(warpsValid, "warps",
          "warps = {0}, but each must be at least 1 and at most {1} together",
          config.get("warps"), chip.maxThreadsPerBlock / 32);
  require(ctaK >= 16 && ctaK <= 128 && isPowerOf2_64(ctaK), "cta-k",
          "cta K = {0}, but it must be a power of two from 16 to 128", ctaK);
  if (!warpsValid)
    return;
  require(ctaM > 0 && ctaM % (warpsM * 16) == 0, "cta-m",
          "cta M = {0}, but it must be a multiple of 16 x {1} warps = {2}",
          ctaM, warpsM, 16 * warpsM);
  require(ctaN > 0 && ctaN % (warpsN * 16) == 0, "cta-n",
          "cta N = {0}, but it must be a multiple of 16 x {1} warps = {2}",
          ctaN, warpsN, 16 * warpsN);
  require(ctaK % (16 * warpsK) == 0, "warps-k",
          "warps K = {0}, but it must divide the {1} k-steps of cta K = {2}",
          warpsK, ctaK / 16, ctaK);
  int64_t warps = config.getNumWarps();
  require(warps <= chip.maxThreadsPerBlock / 32, "threads",
          "warps = {0} make {1} warps, but {2} has at most {3} threads = {4} "
          "warps a block",
          config.get("warps"), warps, chip.name, chip.maxThreadsPerBlock,
          chip.maxThreadsPerBlock / 32);
}

void Checker::checkCounts() {
  checkCommonCounts();
  requireRange("fragment-buffers", "fragment_buffers", config.fragmentBuffers,
               1, 3);
  int64_t steps = config.cta[2] / 16 / std::max<int64_t>(1, config.warps[2]);
  require(config.fragmentBuffers - 1 <= std::max<int64_t>(1, steps),
          "fragment-buffers",
          "fragment_buffers = {0}, but one less must not exceed the {1} "
          "k-steps of a warp",
          config.fragmentBuffers, steps);
  checkCopyWidths();
}

void Checker::checkTile(char name, TileShape tile, bool kContiguous,
                        int64_t copyBytes) {
  int64_t rowBytes = tile.columns * 2;
  bool turns = config.shared == SharedLayout::Sectors && kContiguous;
  int64_t least = turns ? 128 : 32;
  if (config.shared == SharedLayout::Pad)
    require(rowBytes % 16 == 0, "tile-row",
            "the rows of {0}'s tile have {1} bytes, but shared = pad needs a "
            "multiple of 16",
            name, rowBytes);
  else
    require(isPowerOf2_64(rowBytes) && rowBytes >= least && rowBytes <= 1024,
            "tile-row",
            "the rows of {0}'s tile have {1} bytes, but shared = {2} needs a "
            "power of two from {3} to 1024",
            name, rowBytes, config.get("shared"), least);
  checkCopies(name, tile, copyBytes);
  // What serves an operand that is not aligned copies in its own width.
  int64_t unaligned = getUnalignedBytes(config.unaligned);
  if (unaligned && unaligned != copyBytes)
    checkCopies(name, tile, unaligned);
}

void Checker::checkSharedMemory() {
  int64_t bytes = getRingBytes(config, problem);
  checkRing();
  require(getKSplitBytes(config) <= bytes, "k-split-buffer",
          "warps K = {0} sum through {1} bytes of shared memory, but the ring "
          "has {2}",
          config.warps[2], getKSplitBytes(config), bytes);
  require(config.epilogue != EpilogueKind::Staged ||
              getStagingBytes(config) <= bytes,
          "staging",
          "epilogue = staged goes through {0} bytes of shared memory, but the "
          "ring has {1}",
          getStagingBytes(config), bytes);
}

} // namespace

void RuleChecker::checkCopies(char name, TileShape tile, int64_t copyBytes) {
  int64_t threads = config.getNumThreads();
  int64_t chunks = tile.columns * 2 / copyBytes;
  if (!checkCopyThreads(name, tile, copyBytes) || tile.rows * chunks <= threads)
    return;
  int64_t rows = threads / chunks;
  require(tile.rows % rows == 0, "copy-rows",
          "{0}'s tile has {1} rows, but {2} threads with copies of {3} bytes "
          "cover {4} at a time, which must divide them",
          name, tile.rows, threads, copyBytes, rows);
}

void RuleChecker::checkCommonCounts() {
  requireRange("stages", "stages", config.stages, 2, 12);
  requireRange("raster-group", "raster_group", config.rasterGroup, 1, 65535);
  requireRange("split-k", "split_k", config.splitK, 1, 65535);
  int64_t registers = config.maxRegisters;
  require(registers == 0 ||
              (registers >= 24 && registers <= 255 && registers % 8 == 0),
          "max-registers",
          "max_registers = {0}, but it must be 0 or a multiple of 8 from 24 to "
          "255",
          registers);
  // Threads beyond the chip's have a rule of their own, and might overflow
  // here.
  auto fits = [&](int64_t count) { return count <= chip.maxThreadsPerBlock; };
  bool isSimt = config.schedule == Schedule::Simt;
  int64_t threads = all_of(isSimt ? config.threads : config.warps, fits)
                        ? config.getNumThreads()
                        : 0;
  require(registers * threads <= chip.registersPerSM, "max-registers",
          "max_registers = {0} for {1} threads make {2} registers, but {3} has "
          "{4}",
          registers, threads, registers * threads, chip.name,
          chip.registersPerSM);
}

void RuleChecker::requireBands() {
  require(config.raster != RasterOrder::Diagonal, "raster",
          "raster = diagonal, but schedule {0} has along_m and along_n",
          config.get("schedule"));
}

/// All threads copy rows of chunks: each always works on the same chunk of a
/// row, so that its addresses are constants apart.
bool RuleChecker::checkCopyThreads(char name, TileShape tile,
                                   int64_t copyBytes) {
  int64_t threads = config.getNumThreads();
  int64_t chunks = tile.columns * problem.elementBits / 8 / copyBytes;
  bool holds = tile.rows * chunks <= threads || threads % chunks == 0;
  require(holds, "copy-threads",
          "a row of {0}'s tile ({1} elements) is {2} copies of {3} bytes, but "
          "they must divide the CTA's {4} threads or the tile ({5} rows) must "
          "be one copy a thread",
          name, tile.columns, chunks, copyBytes, threads, tile.rows);
  return holds;
}

void RuleChecker::checkRegisterLimit(const std::string &what) {
  int64_t threads = config.getNumThreads();
  int64_t ctas = std::max<int64_t>(1, config.minCtas);
  // Registers are allotted in units of eight a thread.
  int64_t share = chip.registersPerSM / (threads * ctas) / 8 * 8;
  int64_t limit = std::min(chip.maxRegistersPerThread, share);
  int64_t need = estimateRegisters(config);
  require(need <= limit, "registers",
          "{0} needs about {1} registers a thread; the limit of {2} for {3} "
          "threads{4} is {5}",
          what, need, chip.name, threads,
          ctas > 1 ? formatv(" and min_ctas = {0}", ctas).str() : "", limit);
}

void RuleChecker::checkCopyWidths() {
  for (auto [key, value] :
       {std::pair("copy_a", config.copyA), std::pair("copy_b", config.copyB)})
    require(is_contained({2, 4, 8, 16}, value), "copy-width",
            "{0} = {1}, but it must be 16, 8, 4 or 2 bytes", key, value);
}

void RuleChecker::checkRing() {
  int64_t bytes = getRingBytes(config, problem);
  require(bytes <= chip.sharedPerBlock, "shared-memory",
          "{0} stages of {1} bytes use {2} bytes of shared memory; the limit "
          "of {3} is {4}",
          config.stages, bytes / config.stages, bytes, chip.name,
          chip.sharedPerBlock);
  checkResidents(bytes);
}

void RuleChecker::checkResidents(int64_t bytes) {
  int64_t ctas = config.minCtas, threads = config.getNumThreads();
  require(ctas * threads <= chip.maxThreadsPerSM, "resident-threads",
          "min_ctas = {0} blocks of {1} threads are {2}; the limit of {3} is "
          "{4} a multiprocessor",
          ctas, threads, ctas * threads, chip.name, chip.maxThreadsPerSM);
  int64_t resident = ctas * (bytes + chip.sharedReserved);
  require(resident <= chip.sharedPerSM, "resident-shared",
          "min_ctas = {0} blocks of {1} bytes use {2} bytes of shared memory; "
          "the limit of {3} is {4} a multiprocessor",
          ctas, bytes + chip.sharedReserved, resident, chip.name,
          chip.sharedPerSM);
}

ArrayRef<StringLiteral> getRuleNames() { return ruleNames; }

static TileShape getTile(const KernelConfig &config, int64_t side,
                         bool kContiguous) {
  if (kContiguous && !isStagingTransposed(config, kContiguous))
    return {side, config.cta[2]};
  return {config.cta[2], side};
}

TileShape getTileA(const KernelConfig &config, const ProblemInfo &problem) {
  return getTile(config, config.cta[0], problem.aKContiguous);
}

TileShape getTileB(const KernelConfig &config, const ProblemInfo &problem) {
  return getTile(config, config.cta[1], problem.bKContiguous);
}

int64_t getUnalignedBytes(UnalignedPath path) {
  switch (path) {
  case UnalignedPath::Pack:
    return 0;
  case UnalignedPath::Copy8:
    return 8;
  case UnalignedPath::Copy4:
    return 4;
  case UnalignedPath::Registers:
    return 2;
  }
  llvm_unreachable("no way for unaligned operands");
}

int64_t getRingBytes(const KernelConfig &config, const ProblemInfo &problem) {
  // With simt, only tiles that are written or read across their rows are
  // padded.
  auto tileBytes = [&](TileShape tile, bool kContiguous) {
    bool pads = config.schedule == Schedule::Simt
                    ? kContiguous
                    : config.shared == SharedLayout::Pad;
    int64_t row = tile.columns * problem.elementBits / 8 + (pads ? 16 : 0);
    return alignTo(tile.rows * row, 128);
  };
  return config.stages *
         (tileBytes(getTileA(config, problem), problem.aKContiguous) +
          tileBytes(getTileB(config, problem), problem.bKContiguous));
}

int64_t getKSplitBytes(const KernelConfig &config) {
  return (config.warps[2] - 1) * config.cta[0] * config.cta[1] * 4;
}

int64_t getStagingBytes(const KernelConfig &config) {
  return config.getNumWarps() * 16 * (config.getWarpN() * 4 + 16);
}

int64_t estimateRegisters(const KernelConfig &config) {
  if (config.schedule == Schedule::Wgmma)
    return estimateWgmmaRegisters(config);
  if (config.schedule == Schedule::Simt)
    return estimateSimtRegisters(config);
  if (config.schedule == Schedule::Gemv)
    return estimateGemvRegisters(config);
  int64_t warpM = config.getWarpM(), warpN = config.getWarpN();
  int64_t accumulators = warpM * warpN / 32;
  // 16 columns of 2 bytes over 32 lanes of 4-byte registers.
  int64_t fragments = (warpM + warpN) * 16 * 2 / 4 / 32;
  constexpr int64_t addresses = 40;
  return accumulators + fragments * config.fragmentBuffers + addresses;
}

int64_t estimateResidents(const KernelConfig &config, const ChipInfo &chip,
                          int64_t sharedBytes) {
  int64_t threads = std::max<int64_t>(1, config.getNumThreads());
  // Registers are allotted in units of eight a thread.
  int64_t perThread =
      alignTo(std::max<int64_t>(1, estimateRegisters(config)), 8);
  return std::max<int64_t>(
      1, std::min({chip.registersPerSM / (perThread * threads),
                   chip.sharedPerSM / (sharedBytes + chip.sharedReserved),
                   chip.maxThreadsPerSM / threads}));
}

bool isComputable(const KernelConfig &config) {
  // Products of these limits fit 64 bits.
  constexpr int64_t mostElements = 1 << 16, mostParts = 1 << 10;
  auto inRange = [](int64_t low, int64_t high) {
    return [=](int64_t value) { return value >= low && value <= high; };
  };
  auto isPart = inRange(1, mostParts);
  // Schedule wgmma counts warps by groups of four.
  int64_t leastWarps = config.schedule == Schedule::Wgmma ? 4 : 1;
  return all_of(config.cta, inRange(1, mostElements)) &&
         all_of(config.warps, isPart) && config.warps[0] >= leastWarps &&
         all_of(config.instruction, isPart) && all_of(config.threads, isPart) &&
         all_of(config.cluster, isPart) &&
         all_of(ArrayRef({config.stages, config.copyA, config.copyB,
                          config.fragmentBuffers}),
                isPart) &&
         all_of(
             ArrayRef({config.splitK, config.rasterGroup, config.tilesPerCta}),
             inRange(1, mostElements)) &&
         all_of(ArrayRef({config.minCtas, config.maxRegisters,
                          config.epilogueBuffers}),
                inRange(0, mostParts));
}

SmallVector<Violation> findViolations(const KernelConfig &config,
                                      const ChipInfo &chip,
                                      const ProblemInfo &problem) {
  if (config.schedule == Schedule::Wgmma)
    return findWgmmaViolations(config, chip, problem);
  if (config.schedule == Schedule::Wmma)
    return findWmmaViolations(config, chip, problem);
  if (config.schedule == Schedule::Simt)
    return findSimtViolations(config, chip, problem);
  if (config.schedule == Schedule::Gemv)
    return findGemvViolations(config, chip, problem);
  return Checker(config, chip, problem).run();
}

Error checkConfig(const KernelConfig &config, const ChipInfo &chip,
                  const ProblemInfo &problem) {
  SmallVector<Violation> violations = findViolations(config, chip, problem);
  if (violations.empty())
    return Error::success();
  auto texts = map_range(violations, [](const Violation &violation) {
    return (violation.message + " [" + violation.rule + "]").str();
  });
  return createStringError(inconvertibleErrorCode(), join(texts, "; "));
}

} // namespace tcgemm
