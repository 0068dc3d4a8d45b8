//===- store-scale.cpp - Databases of millions of records -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills a database with records that resemble large sweeps, and measures how
// long the store takes to write and to find them. All records follow from their
// numbers, so that a reader knows what a writer wrote. No kernel is run.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Store.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <cmath>
#include <random>

using namespace tcgemm;

namespace cl = llvm::cl;

namespace {

cl::SubCommand fillCommand("fill", "Add records to a database");
cl::SubCommand lookUpCommand("look-up", "Measure exact look-ups");

cl::opt<std::string> path(cl::Positional, cl::Required, cl::desc("DB"),
                          cl::sub(fillCommand), cl::sub(lookUpCommand));
cl::opt<uint64_t> numRecords("records", cl::init(1000000),
                             cl::desc("Records of a database"),
                             cl::sub(fillCommand), cl::sub(lookUpCommand));
cl::opt<uint64_t> numProblems("problems", cl::init(1000),
                              cl::desc("Problems of a database"),
                              cl::sub(fillCommand), cl::sub(lookUpCommand));
cl::opt<uint64_t> number("number", cl::init(0),
                         cl::desc("Which database: its device and version"),
                         cl::sub(fillCommand), cl::sub(lookUpCommand));
cl::opt<uint64_t> batch("batch", cl::init(10000),
                        cl::desc("Records of a transaction"),
                        cl::sub(fillCommand));
cl::opt<uint64_t> numLookUps("look-ups", cl::init(100000),
                             cl::desc("How many records are looked up"),
                             cl::sub(lookUpCommand));

/// Wall-clock and CPU time since its start.
class Clock {
public:
  Clock() { read(start, startCPU); }
  std::pair<double, double> getSeconds() const {
    Wall now;
    double cpu = 0;
    read(now, cpu);
    return {std::chrono::duration<double>(now - start).count(), cpu - startCPU};
  }

private:
  using Wall = std::chrono::steady_clock::time_point;
  static void read(Wall &wall, double &cpu) {
    wall = std::chrono::steady_clock::now();
    llvm::sys::TimePoint<> elapsed;
    std::chrono::nanoseconds user, system;
    llvm::sys::Process::GetTimeUsage(elapsed, user, system);
    cpu = std::chrono::duration<double>(user + system).count();
  }
  Wall start;
  double startCPU = 0;
};

/// The values of a record, which follow from its number.
class RecordFactory {
public:
  RecordFactory();
  Record make(uint64_t index) const;
  /// All configurations differ in at least one of these.
  static constexpr uint64_t kNumConfigs = 7 * 11 * 3 * 5 * 3 * 2 * 2 * 2 * 3;

private:
  static KernelConfig makeConfig(uint64_t index);
  std::vector<KernelConfig> configs;
};

RecordFactory::RecordFactory() {
  for (uint64_t i = 0; i != kNumConfigs; ++i)
    configs.push_back(makeConfig(i));
}

KernelConfig RecordFactory::makeConfig(uint64_t index) {
  constexpr std::array<int64_t, 3> tiles[] = {
      {64, 64, 64},   {64, 128, 64},  {128, 128, 64}, {128, 192, 64},
      {128, 256, 64}, {256, 128, 64}, {192, 160, 64}};
  constexpr std::array<int64_t, 3> clusters[] = {
      {1, 1, 1}, {2, 1, 1}, {1, 2, 1}};
  auto draw = [&](uint64_t count) {
    uint64_t value = index % count;
    index /= count;
    return static_cast<int64_t>(value);
  };
  KernelConfig config;
  config.schedule = Schedule::Wgmma;
  config.cta = tiles[draw(std::size(tiles))];
  config.stages = 2 + draw(11);
  config.wgmma.cluster = clusters[draw(std::size(clusters))];
  config.rasterGroup = int64_t(1) << draw(5);
  config.splitK = int64_t(1) << draw(3);
  config.persistent = draw(2) == 1;
  config.raster = draw(2) == 1 ? RasterOrder::AlongN : RasterOrder::AlongM;
  config.swapAB = draw(2) == 1;
  config.wgmma.epilogueBuffers = int64_t(1) << draw(3);
  return config;
}

Record RecordFactory::make(uint64_t index) const {
  constexpr uint64_t numVersions = 5;
  uint64_t each = llvm::divideCeil(numRecords.getValue(), numProblems);
  uint64_t problem = index / each;
  Record record;
  auto size = [&](uint64_t step, uint64_t count) {
    return static_cast<int64_t>(64 * (1 + problem / step % count));
  };
  record.problem.sizes = {size(1, 100), size(100, 100), size(10000, 100), 1};
  // The problems of a database have different configurations, in the order of a
  // search: none.
  uint64_t first = llvm::xxh3_64bits(std::to_string(problem));
  constexpr uint64_t step = 31337; // Has no divisor of kNumConfigs.
  record.config = configs[(first + index % each * step) % kNumConfigs];
  // The first hundredth of the problems is in all databases.
  uint64_t which = problem < numProblems / 100 ? 0 : number.getValue();
  record.platform = {"sm_90a", llvm::formatv("Device {0}", which / numVersions),
                     "CUDA driver 13.0", "13.0.88",
                     llvm::formatv("0.1.{0}+scale", which % numVersions)};
  std::mt19937_64 random(index * 1000 + number);
  std::lognormal_distribution<double> slowdown(0.5, 0.3);
  double time = record.problem.getFlops() * 2e-9 + 2;
  record.timestamp = 1700000000 + static_cast<int64_t>(index / 30);
  record.costs = {211.5, 12.25, 3.5};
  if (index % 12 == 11) {
    record.outcome = Outcome::Compile;
    record.message = "spills " + std::to_string(index % 5) + " bytes";
    return record;
  }
  // Most candidates are too slow for a second chain; a few are finalists.
  TimingStage stage = index % 100 == 0 ? TimingStage::Final
                      : index % 4 == 0 ? TimingStage::Full
                                       : TimingStage::Screened;
  size_t count = stage == TimingStage::Final  ? 11
                 : stage == TimingStage::Full ? 5
                                              : 1;
  time *= slowdown(random);
  std::vector<double> samples;
  std::normal_distribution<double> noise(1, 0.003);
  for (size_t i = 0; i != count; ++i)
    samples.push_back(std::max(1.0, time * noise(random)));
  record.timing = summarizeSamples(stage, std::move(samples));
  record.variant = "aligned";
  record.resources = {168, 0, 205000,
                      384, 0, std::string(64, "0123456789abcdef"[index % 16])};
  record.state = {1755, 3201, 612.5, 61, 0};
  return record;
}

llvm::Error fill() {
  RecordFactory factory;
  auto store = Store::open(path, Store::Mode::ReadWrite);
  if (!store)
    return store.takeError();
  double seconds = 0, cpu = 0;
  uint64_t added = 0;
  for (uint64_t next = 0; next < numRecords;) {
    std::vector<Record> records;
    for (; next < numRecords && records.size() < batch; ++next)
      records.push_back(factory.make(next));
    // Only the store's own time.
    Clock clock;
    llvm::Expected<uint64_t> count = (*store)->merge(records);
    if (!count)
      return count.takeError();
    added += *count;
    auto [wall, used] = clock.getSeconds();
    seconds += wall;
    cpu += used;
  }
  llvm::json::Object result{{"records", numRecords.getValue()},
                            {"added", added},
                            {"seconds", seconds},
                            {"cpu_seconds", cpu}};
  llvm::outs() << llvm::json::Value(std::move(result)) << '\n';
  return llvm::Error::success();
}

llvm::Error lookUp() {
  RecordFactory factory;
  auto store = Store::open(path, Store::Mode::ReadOnly);
  if (!store)
    return store.takeError();
  std::mt19937_64 random(1);
  std::vector<double> times;
  Clock whole;
  for (uint64_t i = 0; i != numLookUps; ++i) {
    Record wanted = factory.make(random() % numRecords);
    auto begin = std::chrono::steady_clock::now();
    llvm::Expected<std::optional<Record>> found =
        (*store)->get(wanted.problem, wanted.config, wanted.platform);
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    if (!found)
      return found.takeError();
    if (!*found || !((*found)->config == wanted.config))
      return llvm::createStringError("record " + wanted.problem.str() + ", " +
                                     wanted.config.str() + " is not found");
    times.push_back(time.count());
  }
  llvm::sort(times);
  double sum = std::accumulate(times.begin(), times.end(), 0.0);
  llvm::json::Object result{
      {"look_ups", numLookUps.getValue()},
      {"mean_us", sum / static_cast<double>(times.size())},
      {"median_us", times[times.size() / 2]},
      {"p99_us", times[times.size() * 99 / 100]},
      {"cpu_seconds", whole.getSeconds().second}};
  llvm::outs() << llvm::json::Value(std::move(result)) << '\n';
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Databases of millions of records\n");
  llvm::ExitOnError check("store-scale: error: ", /*DefaultErrorExitCode=*/2);
  if (numRecords == 0 || numProblems == 0 || batch == 0 || numLookUps == 0 ||
      numRecords > numProblems * RecordFactory::kNumConfigs)
    check(llvm::createStringError(
        "the numbers must be at least 1, and a problem has at most %llu "
        "records",
        static_cast<unsigned long long>(RecordFactory::kNumConfigs)));
  if (fillCommand)
    check(fill());
  else if (lookUpCommand)
    check(lookUp());
  else
    check(llvm::createStringError("expected fill or look-up"));
  return 0;
}
