//===- EventSimulation.h - An oracle for the simulator ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A discrete-event simulation of a CTA: an event queue, copy warps, consumers,
// and the resources that they wait for. It shares no code with the recurrences
// of tcgemm/Model, which must give the same times.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_MODEL_EVENTSIMULATION_H
#define TCGEMM_UNITTESTS_MODEL_EVENTSIMULATION_H

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace tcgemm {

/// Times are in picoseconds.
struct SimulatedTile {
  int64_t copyA = 0, copyB = 0; ///< How long a copy occupies its warp.
  int64_t latency = 0;          ///< From there until the bytes have arrived.
  int64_t math = 0;     ///< How long a product occupies the tensor core.
  int64_t release = 0;  ///< From there until the slot is free for a copy.
  int64_t epilogue = 0; ///< How long it occupies a consumer.
  int64_t drain = 0;    ///< How long its stores occupy their path after that.
  /// The tensor core's wait after the last product.
  int64_t hold = 0;
};

struct SimulatedCta {
  std::vector<SimulatedTile> tiles;
  int64_t prologue = 0; ///< Before the first copy.
  int64_t stages = 1;   ///< Of each tile.
  int64_t depth = 1, copyWarps = 1, consumers = 1, storePaths = 1;

  int64_t countStages() const { return stages * int64_t(tiles.size()); }
};

class EventSimulation {
public:
  explicit EventSimulation(const SimulatedCta &cta);
  void run();

  /// The starts of the copies and products, by stages; of the epilogues, by
  /// tiles; and the end of the last store.
  std::vector<int64_t> copyStarts[2], mathStarts, epilogueStarts;
  int64_t storeEnd = 0;

private:
  /// What a copy warp does: all copies of one or of both operands, in order.
  struct CopyWarp {
    std::vector<unsigned> operands;
    int64_t stage = 0;
    size_t next = 0;
    bool isBusy = false;
  };
  using Action = std::function<void()>;
  void after(int64_t delay, Action action);
  void tryAll();
  bool tryCopy(CopyWarp &warp);
  bool tryProduct();
  bool tryEpilogue();
  void endProduct(int64_t stage);
  const SimulatedTile &getTile(int64_t stage) const {
    return cta.tiles[stage / cta.stages];
  }

  const SimulatedCta cta;
  struct Event {
    int64_t time, number;
    Action action;
    bool operator<(const Event &other) const {
      return std::tie(time, number) > std::tie(other.time, other.number);
    }
  };
  std::priority_queue<Event> events;
  int64_t now = 0, numEvents = 0;
  std::vector<CopyWarp> copyWarps;
  std::vector<int64_t> releases;  ///< How often each slot was freed.
  std::vector<unsigned> arrivals; ///< Operands of each stage in memory.
  std::vector<bool> isConsumerBusy;
  std::queue<int64_t> finishedTiles; ///< They wait for their epilogue.
  bool isTensorCoreBusy = false;
  int64_t numStoring = 0;
  int64_t nextProduct = 0;
};

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_MODEL_EVENTSIMULATION_H
