//===- CandidatePool.h - Legal points and their results ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few points of a product of axes are legal. A legal point often has no legal
// point at a distance of one step, because another tile needs another depth and
// other warps. Therefore the legal points are numbered, and neighbours are the
// nearest legal points.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SEARCH_CANDIDATEPOOL_H
#define TCGEMM_LIB_TUNER_SEARCH_CANDIDATEPOOL_H

#include "Search/Random.h"
#include "tcgemm/Tuner/Strategy.h"

namespace tcgemm {

/// The index of a legal point, in the order of the space.
using CandidateId = uint32_t;

class CandidatePool {
public:
  explicit CandidatePool(const SearchSpace &space);

  const SearchSpace &getSpace() const { return space; }
  size_t size() const { return states.size(); }
  unsigned getNumAxes() const { return axes.size(); }
  uint16_t getCoordinate(CandidateId id, unsigned axis) const {
    return coordinates[id * axes.size() + axis];
  }
  SpacePoint getPoint(CandidateId id) const;
  CandidateId getId(const SpacePoint &point) const;

  bool isProposed(CandidateId id) const { return states[id] != State::Unknown; }
  /// Returns whether the point was tried, successfully or not.
  bool isKnown(CandidateId id) const { return states[id] == State::Known; }
  /// Microseconds of a known point; infinite for a failure.
  double getCost(CandidateId id) const { return costs[id]; }
  size_t getNumUnproposed() const { return unproposed.size(); }
  /// The fastest success so far.
  std::optional<CandidateId> getBest() const { return best; }

  /// Marks a point that was not proposed before.
  void propose(CandidateId id);
  /// Stores the cost of a point. Returns whether it is the fastest so far.
  bool report(CandidateId id, double cost);

  /// A random point that was not proposed; there must be one.
  CandidateId drawUnproposed(Random &random) const {
    return unproposed[random.below(unproposed.size())];
  }
  /// The distance of two points: the steps along axes of numbers, plus one for
  /// each other axis in which they differ.
  double getDistance(CandidateId a, CandidateId b) const {
    return getDistance(&coordinates[a * axes.size()],
                       &coordinates[b * axes.size()]);
  }
  /// For each axis and each value other than the point's, the nearest point
  /// with this value. For numbers, only the next smaller and larger legal
  /// values are used. Nearest points are first; equally near points are in
  /// random order.
  std::vector<CandidateId> getNeighbours(CandidateId id, Random &random) const;
  /// The first of the points nearest to `point` among those that `isWanted`
  /// accepts, if there is any.
  std::optional<CandidateId>
  findNearest(llvm::ArrayRef<uint16_t> point,
              llvm::function_ref<bool(CandidateId)> isWanted) const;
  /// The unproposed point nearest to coordinates that need not be legal; a
  /// random one of several. None if all were proposed.
  std::optional<CandidateId>
  findNearestUnproposed(llvm::ArrayRef<uint16_t> point, Random &random) const;

private:
  enum class State : uint8_t { Unknown, Proposed, Known };
  struct Axis {
    unsigned numValues;
    /// The values are increasing numbers, so that steps along the axis are a
    /// meaningful distance.
    bool isOrdinal;
  };
  double getDistance(const uint16_t *a, const uint16_t *b) const;

  SearchSpace space;
  std::vector<Axis> axes;
  std::vector<uint16_t>
      coordinates; ///< Coordinates of all points, one after another.
  std::vector<State> states;
  std::vector<double> costs;
  std::vector<CandidateId> unproposed;
  std::vector<uint32_t> places; ///< Indices in `unproposed`.
  std::optional<CandidateId> best;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SEARCH_CANDIDATEPOOL_H
