//===- EventSimulation.cpp - An oracle for the simulator ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventSimulation.h"

namespace tcgemm {

EventSimulation::EventSimulation(const SimulatedCta &cta)
    : cta(cta), releases(cta.depth), arrivals(cta.countStages()),
      isConsumerBusy(cta.consumers) {
  if (cta.copyWarps == 1)
    copyWarps = {CopyWarp{{0, 1}}};
  else
    copyWarps = {CopyWarp{{0}}, CopyWarp{{1}}};
}

void EventSimulation::after(int64_t delay, Action action) {
  events.push({now + delay, numEvents++, std::move(action)});
}

void EventSimulation::run() {
  after(cta.prologue, [] {});
  while (!events.empty()) {
    Event event = events.top();
    events.pop();
    now = event.time;
    event.action();
    tryAll();
  }
}

void EventSimulation::tryAll() {
  if (now < cta.prologue)
    return;
  bool isStarted = true;
  while (isStarted) {
    isStarted = tryProduct() || tryEpilogue();
    for (CopyWarp &warp : copyWarps)
      isStarted |= tryCopy(warp);
  }
}

bool EventSimulation::tryCopy(CopyWarp &warp) {
  int64_t stage = warp.stage;
  if (warp.isBusy || stage == cta.countStages() ||
      releases[stage % cta.depth] < stage / cta.depth)
    return false;
  unsigned operand = warp.operands[warp.next];
  copyStarts[operand].push_back(now);
  warp.isBusy = true;
  const SimulatedTile &tile = getTile(stage);
  after(operand == 0 ? tile.copyA : tile.copyB, [this, &warp, stage] {
    warp.isBusy = false;
    if (++warp.next == warp.operands.size()) {
      warp.next = 0;
      ++warp.stage;
    }
    after(getTile(stage).latency, [this, stage] { ++arrivals[stage]; });
  });
  return true;
}

bool EventSimulation::tryProduct() {
  int64_t stage = nextProduct;
  if (stage == cta.countStages() || isTensorCoreBusy || arrivals[stage] < 2)
    return false;
  bool isFirst = stage % cta.stages == 0;
  int64_t consumer = stage / cta.stages % cta.consumers;
  if (isFirst && isConsumerBusy[consumer])
    return false;
  isConsumerBusy[consumer] = true;
  isTensorCoreBusy = true;
  mathStarts.push_back(now);
  ++nextProduct;
  after(getTile(stage).math, [this, stage] { endProduct(stage); });
  return true;
}

void EventSimulation::endProduct(int64_t stage) {
  bool isLast = (stage + 1) % cta.stages == 0;
  after(isLast ? getTile(stage).hold : 0, [this] { isTensorCoreBusy = false; });
  after(getTile(stage).release,
        [this, stage] { ++releases[stage % cta.depth]; });
  if (isLast)
    finishedTiles.push(stage / cta.stages);
}

bool EventSimulation::tryEpilogue() {
  if (finishedTiles.empty() || numStoring == cta.storePaths)
    return false;
  int64_t tile = finishedTiles.front();
  finishedTiles.pop();
  ++numStoring;
  epilogueStarts.push_back(now);
  after(cta.tiles[tile].epilogue, [this, tile] {
    isConsumerBusy[tile % cta.consumers] = false;
    after(cta.tiles[tile].drain, [this] {
      --numStoring;
      storeEnd = now;
    });
  });
  return true;
}

} // namespace tcgemm
