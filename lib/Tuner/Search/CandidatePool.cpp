//===- CandidatePool.cpp - Legal points and their results -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/CandidatePool.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <limits>
#include <numeric>
#include <tuple>

using namespace llvm;

namespace tcgemm {

/// Returns whether all values are numbers, each larger than the one before.
static bool isOrdinal(const SpaceAxis &axis) {
  int64_t last = std::numeric_limits<int64_t>::min();
  for (StringRef value : axis.values) {
    int64_t number = 0;
    if (value.getAsInteger(10, number) || number <= last)
      return false;
    last = number;
  }
  return true;
}

CandidatePool::CandidatePool(const SearchSpace &space) : space(space) {
  for (const SpaceAxis &axis : space.getSpace().getAxes())
    axes.push_back({unsigned(axis.values.size()), isOrdinal(axis)});
  ArrayRef<uint64_t> legal = space.getLegal();
  coordinates.reserve(legal.size() * axes.size());
  for (uint64_t index : legal)
    append_range(coordinates, space.getPoint(index));
  states.resize(legal.size(), State::Unknown);
  costs.resize(legal.size(), std::numeric_limits<double>::infinity());
  unproposed.resize(legal.size());
  std::iota(unproposed.begin(), unproposed.end(), 0);
  places = unproposed;
}

SpacePoint CandidatePool::getPoint(CandidateId id) const {
  const uint16_t *first = coordinates.data() + id * axes.size();
  return {first, first + axes.size()};
}

CandidateId CandidatePool::getId(const SpacePoint &point) const {
  ArrayRef<uint64_t> legal = space.getLegal();
  return llvm::lower_bound(legal, space.getIndex(point)) - legal.begin();
}

void CandidatePool::propose(CandidateId id) {
  states[id] = State::Proposed;
  // The last point replaces it.
  unproposed[places[id]] = unproposed.back();
  places[unproposed.back()] = places[id];
  unproposed.pop_back();
}

bool CandidatePool::report(CandidateId id, double cost) {
  states[id] = State::Known;
  costs[id] = cost;
  if (cost == std::numeric_limits<double>::infinity() ||
      (best && costs[*best] <= cost))
    return false;
  best = id;
  return true;
}

double CandidatePool::getDistance(const uint16_t *a, const uint16_t *b) const {
  // A long distance along one axis is still one change; beyond a few steps the
  // distance does not matter.
  constexpr int farthest = 4;
  int distance = 0;
  for (const Axis &axis : axes) {
    int steps = std::abs(int(*a++) - int(*b++));
    distance += axis.isOrdinal ? std::min(steps, farthest) : steps != 0;
  }
  return distance;
}

std::vector<CandidateId> CandidatePool::getNeighbours(CandidateId id,
                                                      Random &random) const {
  struct Nearest {
    CandidateId id = 0;
    double distance = std::numeric_limits<double>::infinity();
    unsigned ties = 0;
  };
  // One after another for each value of each axis.
  std::vector<Nearest> nearest;
  std::vector<size_t> firsts;
  for (const Axis &axis : axes) {
    firsts.push_back(nearest.size());
    nearest.resize(nearest.size() + axis.numValues);
  }
  for (CandidateId other = 0; other != size(); ++other) {
    if (other == id)
      continue;
    double distance = getDistance(id, other);
    for (unsigned axis = 0; axis != axes.size(); ++axis) {
      uint16_t value = getCoordinate(other, axis);
      if (value == getCoordinate(id, axis))
        continue;
      Nearest &entry = nearest[firsts[axis] + value];
      if (distance > entry.distance)
        continue;
      // Chooses each of `ties` equally near points with the same probability.
      entry.ties = distance < entry.distance ? 1 : entry.ties + 1;
      if (random.below(entry.ties) == 0)
        entry.id = other;
      entry.distance = distance;
    }
  }
  // A random number orders equally near points.
  std::vector<std::tuple<double, uint64_t, CandidateId>> found;
  auto take = [&](const Nearest &entry) {
    if (entry.ties > 0)
      found.emplace_back(entry.distance, random.below(1U << 31), entry.id);
    return entry.ties > 0;
  };
  for (unsigned axis = 0; axis != axes.size(); ++axis) {
    const Nearest *values = nearest.data() + firsts[axis];
    unsigned own = getCoordinate(id, axis);
    for (unsigned value = own; value-- != 0;)
      if (take(values[value]) && axes[axis].isOrdinal)
        break;
    for (unsigned value = own + 1; value < axes[axis].numValues; ++value)
      if (take(values[value]) && axes[axis].isOrdinal)
        break;
  }
  llvm::sort(found);
  // A point may be the nearest along several axes.
  std::vector<CandidateId> neighbours;
  for (auto [distance, tie, neighbour] : found)
    if (!is_contained(neighbours, neighbour))
      neighbours.push_back(neighbour);
  return neighbours;
}

std::optional<CandidateId>
CandidatePool::findNearest(ArrayRef<uint16_t> point,
                           function_ref<bool(CandidateId)> isWanted) const {
  std::optional<CandidateId> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (CandidateId id = 0; id != size(); ++id) {
    double distance = getDistance(point.data(), &coordinates[id * axes.size()]);
    if (distance < least && isWanted(id)) {
      nearest = id;
      least = distance;
    }
  }
  return nearest;
}

std::optional<CandidateId>
CandidatePool::findNearestUnproposed(ArrayRef<uint16_t> point,
                                     Random &random) const {
  std::optional<CandidateId> nearest;
  double least = std::numeric_limits<double>::infinity();
  unsigned ties = 0;
  for (CandidateId id : unproposed) {
    double distance = getDistance(point.data(), &coordinates[id * axes.size()]);
    if (distance > least)
      continue;
    ties = distance < least ? 1 : ties + 1;
    least = distance;
    if (random.below(ties) == 0)
      nearest = id;
  }
  return nearest;
}

} // namespace tcgemm
