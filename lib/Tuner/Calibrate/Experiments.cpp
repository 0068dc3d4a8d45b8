//===- Experiments.cpp - The kernels and sizes of a calibration -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Calibration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {

/// Elements of k of a stage.
static constexpr int64_t kDepth = 64;

KernelConfig CalibrationKernel::getConfig() const {
  KernelConfig config;
  config.schedule = Schedule::Wgmma;
  config.cta = {tileM, tileN, kDepth};
  config.warps = {tileM / 16, 1, 1};
  config.instruction = {64, tileN, 16};
  config.stages = depth;
  config.splitK = slices;
  config.epilogue = slices > 1 ? EpilogueKind::Direct : epilogue;
  config.wgmma.cluster = {cluster, 1, depthCTAs};
  if (config.epilogue == EpilogueKind::Tma)
    config.wgmma.epilogueBuffers = 1;
  if (isTransposed) {
    config.swapAB = true;
    config.warps = {tileN / 16, 1, 1};
    config.instruction = {64, tileM, 16};
  }
  config.persistent = isPersistent;
  return config;
}

std::string CalibrationKernel::str() const {
  return formatv("{0}; copies={1} products={2} epilogue={3}", getConfig().str(),
                 parts.copies, parts.products, parts.epilogue);
}

int64_t Experiment::getK() const {
  return stages * kDepth * kernel.slices * kernel.depthCTAs;
}

StorePath Experiment::getStorePath() const {
  if (kernel.epilogue == EpilogueKind::Tma)
    return StorePath::Tma;
  if (kernel.epilogue == EpilogueKind::Staged)
    return isRagged ? StorePath::Elements : StorePath::Staged;
  return kernel.isTransposed ? StorePath::Columns : StorePath::Rows;
}

double Experiment::getStoredBytes() const {
  constexpr int64_t resultBytes = 2;
  return double(kernel.tileM * kernel.tileN * resultBytes) /
         double(kernel.depthCTAs);
}

double Experiment::getExchangedBytes() const {
  constexpr int64_t sumBytes = 4;
  return double(kernel.tileM * kernel.tileN * sumBytes *
                (kernel.depthCTAs - 1)) /
         double(kernel.depthCTAs);
}

int64_t Experiment::getTilesOfCTA() const {
  return int64_t(divideCeil(uint64_t(getTiles()), uint64_t(getCTAs())));
}

int64_t Experiment::getWaves(int64_t processors) const {
  return int64_t(divideCeil(uint64_t(getCTAs()), uint64_t(processors)));
}

int64_t Experiment::getReductionBytes() const {
  constexpr int64_t sumBytes = 4, resultBytes = 2;
  return getM() * getN() * (kernel.slices * sumBytes + resultBytes);
}

CalibrationScale CalibrationScale::of(const DeviceProperties &properties) {
  CalibrationScale scale;
  scale.processors = properties.smCount;
  if (properties.isEmulated) {
    scale.fewStages = scale.fewCached = scale.fewOfMemory = 4;
    scale.moreStages = scale.moreCached = scale.moreOfMemory = 8;
    scale.fewUnshared = scale.fewStored = 1;
    scale.moreUnshared = scale.moreStored = 2;
    scale.waves = scale.tilesOfCTA = 2;
    scale.reducedTiles = 2;
    scale.loadWaves = scale.loadStages = 2;
  }
  return scale;
}

namespace {

/// Fills the list of experiments.
class ExperimentList {
public:
  explicit ExperimentList(const CalibrationScale &scale);
  std::vector<Experiment> take() { return std::move(experiments); }

private:
  void add(ExperimentId id, StringRef name, const CalibrationKernel &kernel,
           std::array<int64_t, 2> tiles, int64_t stages);
  /// Two experiments that differ in the number of stages.
  void addPair(ExperimentId id, StringRef name, const CalibrationKernel &kernel,
               std::array<int64_t, 2> tiles, int64_t few, int64_t more);
  /// Two of a few CTAs that differ in the tiles of a CTA, with one stage each.
  void addTiles(ExperimentId id, StringRef name, CalibrationKernel kernel,
                bool isRagged = false);
  void addEmpty();
  void addCopies();
  void addProducts();
  void addEpilogues();
  /// Epilogues of more tiles than the L2 cache holds.
  void addStoresToMemory();
  /// Epilogues by threads.
  void addStores();
  void addClusters();
  void addQuads();
  void addReductions();

  const CalibrationScale &scale;
  std::array<int64_t, 2> all; ///< A tile for each multiprocessor.
  std::vector<Experiment> experiments{kNumExperiments};
};

constexpr KernelParts kNone{};
constexpr KernelParts kCopies{true, false, false};
// Without an epilogue nothing would use the products.
constexpr KernelParts kProducts{false, true, true};
constexpr KernelParts kWhole{true, true, true};
constexpr KernelParts kEpilogue{false, false, true};
/// Rings of 192 KiB: one CTA for each multiprocessor.
constexpr int64_t kSmallDepth = 12, kLargeDepth = 6, kWideDepth = 4;
/// The exchange of sums takes shared memory, too.
constexpr int64_t kSplitDepth = 4;
/// A few CTAs, which do not compete for the L2 cache.
constexpr std::array<int64_t, 2> kFew{2, 2};

} // namespace

/// The most nearly square arrangement of so many tiles.
static std::array<int64_t, 2> arrange(int64_t tiles) {
  int64_t side = 1;
  for (int64_t i = 1; i * i <= tiles; ++i)
    if (tiles % i == 0)
      side = i;
  return {side, tiles / side};
}

void ExperimentList::add(ExperimentId id, StringRef name,
                         const CalibrationKernel &kernel,
                         std::array<int64_t, 2> tiles, int64_t stages) {
  experiments[size_t(id)] = {name.str(), kernel, tiles[0], tiles[1], stages};
}

static ExperimentId getNext(ExperimentId id) {
  return ExperimentId(size_t(id) + 1);
}

void ExperimentList::addPair(ExperimentId id, StringRef name,
                             const CalibrationKernel &kernel,
                             std::array<int64_t, 2> tiles, int64_t few,
                             int64_t more) {
  add(id, formatv("{0}, {1} stages", name, few).str(), kernel, tiles, few);
  add(getNext(id), formatv("{0}, {1} stages", name, more).str(), kernel, tiles,
      more);
}

void ExperimentList::addTiles(ExperimentId id, StringRef name,
                              CalibrationKernel kernel, bool isRagged) {
  kernel.isPersistent = true;
  add(id, formatv("{0}, 1 tile", name).str(), kernel, kFew, 1);
  add(getNext(id), formatv("{0}, {1} tiles", name, scale.tilesOfCTA).str(),
      kernel, {kFew[0] * scale.tilesOfCTA, kFew[1]}, 1);
  for (ExperimentId each : {id, getNext(id)}) {
    experiments[size_t(each)].persistentCTAs = kFew[0] * kFew[1];
    experiments[size_t(each)].isRagged = isRagged;
  }
}

void ExperimentList::addEmpty() {
  CalibrationKernel large{kNone, 128, 128, kLargeDepth};
  add(ExperimentId::Empty, "empty", large, all, 1);
  add(ExperimentId::EmptyOne, "empty, one CTA", large, {1, 1}, 1);
  add(ExperimentId::EmptyStages, "empty, stages", large, all, scale.moreStages);
  add(ExperimentId::EmptyWaves, "empty, waves", large,
      {all[0] * scale.waves, all[1]}, 1);
}

void ExperimentList::addCopies() {
  CalibrationKernel small{kCopies, 64, 64, kSmallDepth};
  CalibrationKernel large{kCopies, 128, 128, kLargeDepth};
  auto add = [&](ExperimentId id, StringRef name,
                 const CalibrationKernel &kernel) {
    addPair(id, name, kernel, kFew, scale.fewStages, scale.moreStages);
  };
  add(ExperimentId::CopySmall, "copies 64x64", small);
  add(ExperimentId::CopyLarge, "copies 128x128", large);
  addPair(ExperimentId::CacheHit, "copies by all", large, all, scale.fewCached,
          scale.moreCached);
  // The two CTAs of a cluster copy different parts of k. The exchange of their
  // sums belongs to the epilogue.
  CalibrationKernel split = large;
  split.parts.epilogue = true;
  split.depthCTAs = 2;
  split.depth = kSplitDepth;
  addPair(ExperimentId::CacheUnshared, "copies by all, k split", split,
          arrange(std::max<int64_t>(1, scale.processors / 2)),
          scale.fewUnshared, scale.moreUnshared);
  add(ExperimentId::CopyOutside, "copies of boxes outside A", large);
  for (ExperimentId each :
       {ExperimentId::CopyOutside, ExperimentId::CopyOutsideStages})
    experiments[size_t(each)].outsideRows = large.tileM / 2;
  // Nearly all bytes are A's, and each is read once.
  CalibrationKernel tall{kCopies, 128, 16, kLargeDepth};
  tall.depth = 10;
  addPair(ExperimentId::CacheMiss, "copies from memory", tall,
          {scale.processors, 1}, scale.fewOfMemory, scale.moreOfMemory);
  // Few bytes are under way, so that memory's rate is no limit.
  CalibrationKernel slow{kCopies, 64, 16, 2};
  addPair(ExperimentId::MemoryLatency, "copies from memory, 2 slots", slow,
          {scale.processors, 1}, 2 * scale.fewOfMemory, 2 * scale.moreOfMemory);
  small.depth = 2;
  add(ExperimentId::Latency, "copies, 2 slots", small);
  small.cluster = 2;
  add(ExperimentId::Cluster, "copies, 2 slots, clusters", small);
}

void ExperimentList::addProducts() {
  // Both have two warpgroups, one of which multiplies while the other one hands
  // over a stage.
  CalibrationKernel large{kProducts, 128, 128, kLargeDepth};
  CalibrationKernel wide{kProducts, 128, 256, kWideDepth};
  CalibrationKernel whole{kWhole, 64, 64, kSmallDepth};
  addPair(ExperimentId::ProductLarge, "products 128x128", large, kFew,
          scale.fewStages, scale.moreStages);
  addPair(ExperimentId::ProductWide, "products 128x256", wide, kFew,
          scale.fewStages, scale.moreStages);
  // While copies fill the ring, they take the most of the shared memory's rate.
  // A later slot waits for products.
  addPair(ExperimentId::WholeSmall, "copies and products 64x64", whole, kFew,
          kSmallDepth / 3, kSmallDepth);
  // The power that products need depends on their operands, so that these are
  // copied.
  wide.parts = kWhole;
  addPair(ExperimentId::WholeWide, "copies and products 128x256", wide, kFew,
          scale.fewStages, scale.moreStages);
  addPair(ExperimentId::WholeAll, "copies and products 128x256 by all", wide,
          all, scale.fewStages, scale.moreStages);
}

void ExperimentList::addEpilogues() {
  addTiles(ExperimentId::TilesSmall, "empty 64x64",
           {kNone, 64, 64, kSmallDepth});
  addTiles(ExperimentId::TilesLarge, "empty 128x128",
           {kNone, 128, 128, kLargeDepth});
  addTiles(ExperimentId::EpilogueSmall, "epilogues 64x64",
           {kEpilogue, 64, 64, kSmallDepth});
  addTiles(ExperimentId::EpilogueLarge, "epilogues 128x128",
           {kEpilogue, 128, 128, kLargeDepth});
}

void ExperimentList::addStoresToMemory() {
  CalibrationKernel kernel{kEpilogue, 128, 128, kLargeDepth};
  kernel.isPersistent = true;
  auto addTiles = [&](ExperimentId id, StringRef name, int64_t tiles) {
    add(id, name, kernel, {all[0] * tiles, all[1]}, 1);
    experiments[size_t(id)].persistentCTAs = scale.processors;
  };
  addTiles(ExperimentId::EpilogueMemory, "epilogues to memory",
           scale.fewStored);
  addTiles(ExperimentId::EpilogueMemoryMore, "epilogues to memory, more tiles",
           scale.moreStored);
}

void ExperimentList::addStores() {
  CalibrationKernel kernel{kEpilogue, 128, 128, kLargeDepth};
  kernel.epilogue = EpilogueKind::Staged;
  addTiles(ExperimentId::Staged, "epilogue by threads", kernel);
  addTiles(ExperimentId::Elements, "epilogue by elements", kernel,
           /*isRagged=*/true);
  kernel.epilogue = EpilogueKind::Direct;
  addTiles(ExperimentId::Rows, "epilogue from registers", kernel);
  kernel.isTransposed = true;
  addTiles(ExperimentId::Columns, "epilogue from registers, transposed",
           kernel);
}

void ExperimentList::addClusters() {
  std::array<int64_t, 2> pairs = {2, std::max<int64_t>(1, all[0] * all[1] / 2)};
  CalibrationKernel stage{kCopies, 128, 128, kLargeDepth};
  add(ExperimentId::Stage, "one stage", stage, pairs, 1);
  stage.cluster = 2;
  add(ExperimentId::StageCluster, "one stage, clusters", stage, pairs, 1);
  CalibrationKernel small{kEpilogue, 64, 64, kSmallDepth};
  CalibrationKernel large{kEpilogue, 128, 128, kSplitDepth};
  add(ExperimentId::AloneSmall, "epilogue 64x64", small, kFew, 1);
  add(ExperimentId::AloneLarge, "epilogue 128x128", large, kFew, 1);
  small.depthCTAs = large.depthCTAs = 2;
  std::array<int64_t, 2> half = {1, 2};
  add(ExperimentId::ExchangeSmall, "exchange of 64x64 sums", small, half, 1);
  add(ExperimentId::ExchangeLarge, "exchange of 128x128 sums", large, half, 1);
}

void ExperimentList::addQuads() {
  constexpr int64_t four = 4;
  CalibrationKernel kernel{kCopies, 128, 128, kLargeDepth};
  kernel.cluster = four;
  int64_t most = scale.processors / four;
  for (auto [id, less] : {std::pair(ExperimentId::Quads, 0),
                          {ExperimentId::QuadsLessOne, 1},
                          {ExperimentId::QuadsLessTwo, 2},
                          {ExperimentId::QuadsLessThree, 3}}) {
    int64_t clusters = std::max<int64_t>(1, most - less);
    add(id, formatv("{0} clusters of four", clusters).str(), kernel,
        {four, clusters}, scale.fewCached);
  }
}

void ExperimentList::addReductions() {
  CalibrationKernel sliced{kNone, 128, 128, kLargeDepth};
  sliced.slices = 2;
  int64_t tiles = scale.reducedTiles;
  add(ExperimentId::ReductionSmall, "sum of slices, small", sliced,
      {tiles / 2, tiles / 2}, 1);
  add(ExperimentId::ReductionLarge, "sum of slices, large", sliced,
      {tiles, tiles}, 1);
}

ExperimentList::ExperimentList(const CalibrationScale &scale)
    : scale(scale), all(arrange(scale.processors)) {
  addEmpty();
  addCopies();
  addProducts();
  addEpilogues();
  addStoresToMemory();
  addStores();
  addClusters();
  addQuads();
  addReductions();
  CalibrationKernel whole{kWhole, 128, 256, kWideDepth};
  add(ExperimentId::Load, "whole product", whole,
      {all[0] * scale.loadWaves, all[1]}, scale.loadStages);
}

std::vector<Experiment> getExperiments(const CalibrationScale &scale) {
  return ExperimentList(scale).take();
}

ExperimentRunner::~ExperimentRunner() = default;

} // namespace tcgemm
