//===- Machine.cpp - Times from the speeds of a GPU -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Machine.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {

ArrayRef<QuantityInfo> getQuantityInfos() {
  static constexpr QuantityInfo infos[] = {
      {"processors", "count", 1, 4096, true},
      {"launch", "ns", 0, 1e6, false},
      {"copy_startup", "ns", 0, 1e5, false},
      {"copy_rate", "bytes/ns", 0.01, 1e6, false},
      {"cache_rate", "bytes/ns", 0.01, 1e9, false},
      {"math_startup", "ns", 0, 1e5, false},
      {"math_rate", "macs/ns", 0.01, 1e7, false},
      {"epilogue_startup", "ns", 0, 1e6, false},
      {"epilogue_rate", "bytes/ns", 0.01, 1e6, false},
      {"reduction_launch", "ns", 0, 1e6, false},
      {"reduction_rate", "bytes/ns", 0.01, 1e9, false},
      {"copy_latency", "ns", 0, 1e6, false},
      {"slot_release", "ns", 0, 1e6, false},
      {"cta_prologue", "ns", 0, 1e6, false},
      {"memory_rate", "bytes/ns", 0.01, 1e9, false},
      {"clock", "GHz", 0.01, 10, false},
      {"loaded_clock", "GHz", 0.01, 10, false},
      {"memory_latency", "ns", 0, 1e6, false, Quantity::CopyLatency},
      {"cluster_launch", "ns", 0, 1e6, false, Quantity::Launch},
      {"exchange_startup", "ns", 0, 1e6, false, Quantity::SlotRelease},
      {"exchange_rate", "bytes/ns", 0.01, 1e6, false, Quantity::CopyRate},
      {"staged_rate", "bytes/ns", 0.01, 1e6, false, Quantity::EpilogueRate},
      {"element_rate", "bytes/ns", 0.01, 1e6, false, Quantity::EpilogueRate},
      {"row_rate", "bytes/ns", 0.01, 1e6, false, Quantity::EpilogueRate},
      {"column_rate", "bytes/ns", 0.01, 1e6, false, Quantity::EpilogueRate},
      {"store_launch", "ns", 0, 1e6, false, Quantity::Launch},
      {"last_store_rate", "bytes/ns", 0.01, 1e6, false, Quantity::EpilogueRate},
      {"cta_launch", "ns", 0, 1e5, false, std::nullopt, 0},
      {"memory_store_rate", "bytes/ns", 0.01, 1e9, false, Quantity::MemoryRate},
      {"outside_row", "ns", 0, 1e5, false, std::nullopt, 0},
      {"cluster_processors", "count", 1, 4096, true, Quantity::Processors},
      {"unshared_rate", "bytes/ns", 0.01, 1e9, false, Quantity::CacheRate},
      {"shared_rate", "bytes/ns", 0.01, 1e9, false, std::nullopt, 1e9},
      {"busy_clock", "GHz", 0.01, 10, false, Quantity::Clock},
  };
  static_assert(std::size(infos) == kNumQuantities);
  return infos;
}

Machine getRested(Machine machine) {
  MachineValue &loaded = machine.values[size_t(Quantity::LoadedClock)];
  MachineValue &rate = machine.values[size_t(Quantity::MathRate)];
  double busy = std::max(machine.get(Quantity::BusyClock), loaded.value);
  rate.value *= busy / loaded.value;
  loaded.value = busy;
  return machine;
}

/// `startup` in nanoseconds, and a size over a rate for each nanosecond.
static Picoseconds addTimes(double startup, double size, double rate) {
  return toPicoseconds(startup + size / rate);
}

Picoseconds getCopyTime(const Machine &machine, int64_t extent, int64_t depth,
                        int64_t bits, int64_t sharers) {
  double bytes = double(extent) * double(depth) * double(bits) / 8;
  double share = machine.get(Quantity::CacheRate) /
                 machine.get(Quantity::Processors) * double(sharers);
  return addTimes(machine.get(Quantity::CopyStartup), bytes,
                  std::min(machine.get(Quantity::CopyRate), share));
}

Picoseconds getMathTime(const Machine &machine, const TileSizes &tile,
                        int64_t bits) {
  double macs = double(tile.m) * double(tile.n) * double(tile.k);
  return addTimes(machine.get(Quantity::MathStartup), macs * double(bits) / 16,
                  machine.get(Quantity::MathRate));
}

Picoseconds getEpilogueTime(const Machine &machine, int64_t bytes) {
  return addTimes(machine.get(Quantity::EpilogueStartup), double(bytes),
                  machine.get(Quantity::EpilogueRate));
}

Picoseconds getReductionTime(const Machine &machine, int64_t bytes) {
  return addTimes(machine.get(Quantity::ReductionLaunch), double(bytes),
                  machine.get(Quantity::ReductionRate));
}

Picoseconds getLaunchTime(const Machine &machine) {
  return addTimes(machine.get(Quantity::Launch), 0, 1);
}

} // namespace tcgemm
