//===- RuleChecker.cpp - The checks that several schedules share ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/RuleChecker.h"
#include "Common/ChangedParameters.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tcgemm {

void RuleChecker::requireDefaults() {
  ArrayRef<StringLiteral> own = getFamily(config.schedule).getKeys();
  for (StringRef key : listChangedParameters(config)) {
    if (key == "schedule" || is_contained(own, key))
      continue;
    require(false, "schedule", "{0} = {1}, but schedule {2} takes {3} only",
            key, getText(key), getScheduleName(config.schedule),
            KernelConfig().get(key));
  }
}

void RuleChecker::checkCopies(char name, TileShape tile, int64_t copyBytes) {
  int64_t threads = config.getNumThreads();
  int64_t bits = problem.getBits(name == 'A' ? 0 : 1);
  int64_t chunks = tile.columns * bits / 8 / copyBytes;
  if (!checkCopyThreads(name, tile, copyBytes) || tile.rows * chunks <= threads)
    return;
  int64_t rows = threads / chunks;
  require(tile.rows % rows == 0, "copy-rows",
          "{0}'s tile has {1} rows, but {2} threads with copies of {3} bytes "
          "cover {4} at a time, which must divide them",
          name, tile.rows, threads, copyBytes, rows);
}

SmallVector<Violation> RuleChecker::run(ViolationDetail detail) {
  this->detail = detail;
  std::string exclusion = findExclusion(problem.getFeatures());
  require(exclusion.empty(), "features", "the product {0}", exclusion);
  // The schedules that add sums of stages themselves can scale them.
  require(
      !problem.hasBlockScales() ||
          is_contained(getFamily(config.schedule).getKeys(), "promote_sums"),
      "block-scales",
      "schedule = {0}, but products with scales of blocks need wgmma",
      getText("schedule"));
  checkParameters();
  if (violations.empty())
    checkShape();
  if (violations.empty())
    checkResources();
  return std::move(violations);
}

void RuleChecker::requireCapability(int64_t least, bool hasFeature) {
  require(chip.capability >= least && hasFeature, "chip",
          "chip {0} has compute capability {1}, but schedule {2} needs {3} or "
          "more",
          chip.name, chip.capability, getText("schedule"), least);
}

void RuleChecker::checkCommonCounts(int64_t leastStages) {
  requireRange("stages", "stages", config.stages, leastStages, 12);
  requireRange("raster-group", "raster_group", config.rasterGroup, 1, 65535);
  requireRange("split-k", "split_k", config.splitK, 1, 65535);
  int64_t registers = config.maxRegisters;
  require(registers == 0 ||
              (registers >= 24 && registers <= 255 && registers % 8 == 0),
          "max-registers",
          "max_registers = {0}, but it must be 0 or a multiple of 8 from 24 to "
          "255",
          registers);
  // A rule of its own limits the threads; too many might overflow here.
  const ScheduleFamily &family = getFamily(config.schedule);
  bool fits = all_of(family.getThreadCount(config).factors,
                     [&](int64_t n) { return n <= chip.maxThreadsPerBlock; });
  int64_t threads = fits ? config.getNumThreads() : 0;
  require(registers * threads <= chip.registersPerSM, "max-registers",
          "max_registers = {0} for {1} threads make {2} registers, but {3} has "
          "{4}",
          registers, threads, registers * threads, chip.name,
          chip.registersPerSM);
}

void RuleChecker::requireBands() {
  require(config.raster != RasterOrder::Diagonal, "raster",
          "raster = diagonal, but schedule {0} has along_m and along_n",
          getText("schedule"));
}

void RuleChecker::requireThreadStores() {
  require(config.epilogue != EpilogueKind::Tma, "epilogue",
          "epilogue = tma, but schedule {0} has direct and staged",
          getText("schedule"));
}

void RuleChecker::requireDirectStores() {
  require(config.epilogue == EpilogueKind::Direct, "epilogue",
          "epilogue = {0}, but schedule {1} has direct only",
          getText("epilogue"), getText("schedule"));
}

void RuleChecker::checkDependentLaunch() {
  require(
      !config.waitsForGrids() || chip.capability >= 90, "dependent-launch",
      "{0} = true, but chip {1} has compute capability {2}, and kernels can "
      "wait for those before them from 90 on",
      config.dependentLaunch ? "dependent_launch" : "dependent_steps",
      chip.name, chip.capability);
  require(!config.dependentLaunch || !config.dependentSteps, "dependent-launch",
          "dependent_launch = true and dependent_steps = true, but the first "
          "includes the second: dependent_steps must be false");
}

void RuleChecker::checkEarlyInputs(int64_t partsOfK) {
  if (!config.earlyInputs)
    return;
  require(problem.readsInputs, "early-inputs",
          "early_inputs = true, but the epilogue reads no matrix or vector");
  requireWholeDepth("early-inputs", "early_inputs", partsOfK);
}

void RuleChecker::requireWholeDepth(StringLiteral rule, StringRef parameter,
                                    int64_t partsOfK) {
  require(config.stages > 1, rule,
          "{0} = true with stages = {1}, but it must be at least 2", parameter,
          config.stages);
  require(config.splitK == 1 && partsOfK == 1, rule,
          "{0} = true with {1} slices of k and {2} parts of k in a CTA, but "
          "both must be 1",
          parameter, config.splitK, partsOfK);
}

void RuleChecker::checkPersistent(int64_t partsOfK) {
  require(config.persistent || config.tileOrder == TileOrder::Sequential,
          "persistent",
          "tile_order = {0} and persistent = false, but only persistent CTAs "
          "have several tiles",
          getText("tile_order"));
  if (!config.persistent)
    return;
  requireWholeDepth("persistent", "persistent", partsOfK);
  require(config.epilogue == EpilogueKind::Direct, "persistent",
          "persistent = true with epilogue = {0}, but stages hold the next "
          "tile's operands then: it must be direct",
          getText("epilogue"));
}

void RuleChecker::checkStreaming() {
  if (!config.streamEpilogue)
    return;
  require(config.splitK == 1, "stream-epilogue",
          "stream_epilogue = true with split_k = {0}, but another kernel sums "
          "the slices then: it must be 1",
          config.splitK);
  require(config.epilogue == EpilogueKind::Direct, "stream-epilogue",
          "stream_epilogue = true with epilogue = {0}, but it must be direct",
          getText("epilogue"));
}

void RuleChecker::checkWarpCount() {
  int64_t most = chip.maxThreadsPerBlock / 32;
  require(config.getNumWarps() <= most, "threads",
          "warps = {0} make {1} warps, but {2} has at most {3} threads = {4} "
          "warps a block",
          getText("warps"), config.getNumWarps(), chip.name,
          chip.maxThreadsPerBlock, most);
}

/// All threads copy rows of chunks: each always works on the same chunk of a
/// row, so that its addresses are constants apart.
bool RuleChecker::checkCopyThreads(char name, TileShape tile, int64_t copyBytes,
                                   int64_t rowCopies) {
  int64_t threads = config.getNumThreads();
  int64_t bits = problem.getBits(name == 'A' ? 0 : 1);
  int64_t chunks = tile.columns * bits / 8 / copyBytes;
  bool divides = chunks % rowCopies == 0;
  require(
      divides, "row-copies",
      "a row of {0}'s tile ({1} elements) is {2} copies of {3} bytes, which "
      "must be a multiple of a thread's {4}",
      name, tile.columns, chunks, copyBytes, rowCopies);
  if (!divides)
    return false;
  int64_t threadsOfRow = chunks / rowCopies;
  bool holds =
      tile.rows * threadsOfRow <= threads || threads % threadsOfRow == 0;
  std::string shared =
      rowCopies == 1 ? "" : formatv(" by {0} threads", threadsOfRow).str();
  require(holds, "copy-threads",
          "a row of {0}'s tile ({1} elements) is {2} copies of {3} bytes{6}, "
          "but they must divide the CTA's {4} threads or the tile ({5} rows) "
          "must be one copy a thread",
          name, tile.columns, chunks, copyBytes, threads, tile.rows, shared);
  return holds;
}

void RuleChecker::checkRegisterLimit(formatv_object_base &&what) {
  int64_t threads = config.getNumThreads();
  int64_t ctas = std::max<int64_t>(1, config.minCtas);
  // Registers are allotted in units of eight a thread.
  int64_t share = chip.registersPerSM / (threads * ctas) / 8 * 8;
  int64_t limit = std::min(chip.maxRegistersPerThread, share);
  int64_t need = estimateRegisters(config, problem);
  require(need <= limit, "registers",
          "{0} needs about {1} registers a thread; the limit of {2} for {3} "
          "threads{4} is {5}",
          what, need, chip.name, threads,
          ctas > 1 ? formatv(" and min_ctas = {0}", ctas).str() : "", limit);
}

void RuleChecker::checkCopyWidths() {
  for (auto [operand, key, value] : {std::tuple(0U, "copy_a", config.copyA),
                                     std::tuple(1U, "copy_b", config.copyB)}) {
    require(is_contained({2, 4, 8, 16}, value), "copy-width",
            "{0} = {1}, but it must be 16, 8, 4 or 2 bytes", key, value);
    // A copy of 2 bytes passes one element through a register.
    require(value != 2 || problem.getBits(operand) > 8, "copy-width",
            "{0} = {1}, but elements of {2} have {3} bits: it must be 16, 8 or "
            "4",
            key, value, getTypeName(operand ? problem.typeB : problem.typeA),
            problem.getBits(operand));
  }
}

void RuleChecker::checkElementWidths() {
  for (auto [operand, key, value] : {std::tuple(0U, "copy_a", config.copyA),
                                     std::tuple(1U, "copy_b", config.copyB)}) {
    int64_t element = problem.getBits(operand) / 8;
    require(value >= element || value < 2, "copy-width",
            "{0} = {1}, but elements have {2} bytes", key, value, element);
  }
  unsigned wider = problem.getBitsB() > problem.getBitsA() ? 1 : 0;
  int64_t element = problem.getBits(wider) / 8;
  int64_t unaligned = getUnalignedBytes(config.unaligned, problem, wider);
  require(unaligned == 0 || unaligned >= element, "copy-width",
          "unaligned = {0} loads {1} bytes, but elements have {2}",
          getText("unaligned"), unaligned, element);
}

void RuleChecker::checkConversionCapability() {
  auto [a, b] = getMultipliedTypes(problem.typeA, problem.typeB);
  for (auto [type, multiplied] :
       {std::pair(problem.typeA, a), std::pair(problem.typeB, b)})
    require(type == multiplied ||
                chip.capability >= getConversionCapability(type),
            "element-type",
            "operands of {0} are converted from compute capability {1} on, but "
            "chip {2} has {3}",
            getTypeName(type), getConversionCapability(type), chip.name,
            chip.capability);
}

void RuleChecker::checkRing() {
  int64_t bytes = planSharedMemory(config, problem).ring;
  checkSharedMemory(bytes, formatv("{0} stages of {1} bytes", config.stages,
                                   bytes / config.stages));
}

void RuleChecker::checkSharedMemory(int64_t bytes,
                                    formatv_object_base &&users) {
  require(bytes <= chip.sharedPerBlock, "shared-memory",
          "{0} use {1} bytes of shared memory; the limit of {2} is {3}", users,
          bytes, chip.name, chip.sharedPerBlock);
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

} // namespace tcgemm
