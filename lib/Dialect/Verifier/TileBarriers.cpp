//===- TileBarriers.cpp - Arrive counts of rings, and stores ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "tcgemm/Dialect/TileCopies.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

namespace {

/// The operations that write and read an mbarrier ring.
struct RingUsers {
  /// Each producer's arrivals at the full barrier of a stage.
  llvm::MapVector<Operation *, int64_t> producers;
  /// Each consumer's arrivals at the empty barrier of a stage.
  llvm::MapVector<Operation *, int64_t> consumers;
  llvm::SmallSetVector<Operation *, 4> interleaved;
  SmallVector<RingCommitOp> commits;
  SmallVector<RingReleaseOp> releases;
  SmallVector<TmaLoadOp> loads;
  SmallVector<LoaderCopyOp> copies;
  SmallVector<RingAwaitReleasesOp> ends;
  bool isRead = false;
};

} // namespace

/// A multicast mask; without one, the CTA itself.
static uint64_t getReceivers(int64_t multicast) {
  return multicast ? uint64_t(multicast) : 1;
}

static RingUsers collectUsers(ProgramOp program, RingCreateOp ring) {
  RingUsers users;
  program.walk([&](Operation *op) {
    if (!llvm::is_contained(op->getOperands(), ring.getRing()))
      return;
    RoleOp role = getRole(op);
    users.isRead |= isa<RingWaitOp>(op);
    if (auto load = dyn_cast<TmaLoadOp>(op))
      users.loads.push_back(load);
    if (auto copy = dyn_cast<LoaderCopyOp>(op))
      users.copies.push_back(copy);
    if (auto end = dyn_cast<RingAwaitReleasesOp>(op))
      users.ends.push_back(end);
    if (auto commit = dyn_cast<RingCommitOp>(op)) {
      users.commits.push_back(commit);
      users.producers.insert({role, role.getFullArrivals(ring.getRing())});
    }
    if (auto release = dyn_cast<RingReleaseOp>(op)) {
      users.releases.push_back(release);
      users.consumers.insert({role, int64_t(release.getArrivals())});
    }
    if (auto advance = dyn_cast<RingAdvanceOp>(op);
        advance && isInterleaving(advance))
      users.interleaved.insert(role);
  });
  return users;
}

/// Checks that all releases of a role have the same arrivals and mask.
static LogicalResult verifyReleases(RingUsers &users) {
  for (RingReleaseOp release : users.releases) {
    int64_t arrivals = users.consumers.lookup(getRole(release));
    if (int64_t(release.getArrivals()) != arrivals)
      return release.emitOpError()
             << "arrive count is wrong: makes " << release.getArrivals()
             << " arrivals, but elsewhere its role makes " << arrivals;
  }
  return success();
}

/// Checks the masks of copies and releases and returns the number of CTAs that
/// release each stage of the ring.
static FailureOr<int64_t> countReaders(ProgramOp program, RingUsers &users) {
  // Copies by threads have no multicast.
  uint64_t mask = users.loads.empty() || !users.copies.empty() ? 1 : 0;
  for (TmaLoadOp load : users.loads) {
    uint64_t receivers = getReceivers(load.getMulticast());
    if (receivers >> program.getCluster())
      return load.emitOpError() << "multicast " << load.getMulticast()
                                << " names CTA " << llvm::Log2_64(receivers)
                                << " of a cluster of " << program.getCluster();
    mask |= receivers;
  }
  for (RingReleaseOp release : users.releases)
    if (getReceivers(release.getMulticast()) != mask)
      return release.emitOpError()
             << "arrive count is wrong: releases the stage to multicast "
             << getReceivers(release.getMulticast())
             << ", but the ring's copies go to multicast " << mask;
  return llvm::popcount(mask);
}

/// Checks that a commit has a group as result exactly if threads copy.
static LogicalResult verifyGroup(RingCommitOp commit) {
  bool copies = getRole(commit).copiesByThreads(commit.getRing());
  if (copies == bool(commit.getInFlight()))
    return success();
  if (copies)
    return commit.emitOpError()
           << "copies are never waited for: its role fills the ring by "
              "loader.copy, so it gives an in_flight token";
  return commit.emitOpError()
         << "gives an in_flight token, but its role makes no loader.copy";
}

/// Checks the conditions of the copies into a stage. The acquire must know
/// them, and how many bytes they leave out.
static LogicalResult verifyConditions(RingCommitOp commit) {
  SmallVector<std::optional<Value>> conditions(
      commit.getRing().getType().getTiles().size());
  for (Operation *user : commit.getToken().getUsers()) {
    auto load = dyn_cast<TmaLoadOp>(user);
    if (!load)
      continue;
    auto branch = dyn_cast<scf::IfOp>(load->getParentOp());
    if (branch && load->getBlock() == branch.elseBlock())
      return load.emitOpError() << "is in an else branch, but the ring.acquire "
                                   "announces the bytes of then branches only";
    Value condition = getCopyCondition(load);
    std::optional<Value> &ofTile = conditions[load.getTile()];
    if (ofTile && *ofTile != condition)
      return load.emitOpError()
             << "transaction count is unknown: its condition is not that of "
                "other copies into tile "
             << load.getTile();
    ofTile = condition;
    if (!condition)
      continue;
    if (getReceivers(load.getMulticast()) != 1)
      return load.emitOpError()
             << "has a condition, but multicast " << load.getMulticast()
             << ": other CTAs expect its bytes";
    Operation *acquire = load.getToken().getDefiningOp();
    Operation *definition = condition.getDefiningOp();
    if (definition && definition->getBlock() == acquire->getBlock() &&
        acquire->isBeforeInBlock(definition))
      return load.emitOpError() << "has a condition that is defined after the "
                                   "ring.acquire, which announces its bytes";
  }
  return success();
}

/// Checks that the copies into a stage have the number of bytes of the stage.
/// They can be counted only if all are in the block of the commit, or in
/// branches of it.
static LogicalResult verifyTransactions(RingCommitOp commit) {
  ArrayRef<TileType> tiles = commit.getRing().getType().getTiles();
  SmallVector<int64_t> bytes(tiles.size(), 0);
  bool isCopied = false;
  for (Operation *user : commit.getToken().getUsers()) {
    if (user == commit)
      continue;
    auto load = dyn_cast<TmaLoadOp>(user);
    Operation *place =
        load && getCopyCondition(load) ? load->getParentOp() : user;
    if (place->getBlock() != commit->getBlock())
      return success();
    isCopied = true;
    if (load) {
      bytes[load.getTile()] +=
          llvm::popcount(getReceivers(load.getMulticast())) *
          load.getMap().getType().getBox().getBytes();
    } else if (auto copy = dyn_cast<LoaderCopyOp>(user)) {
      int64_t whole = copy.getLoader().getType().getTile().getBytes();
      int64_t part = copy.getPart(), parts = copy.getParts();
      bytes[copy.getTile()] +=
          whole * (part + 1) / parts - whole * part / parts;
    } else {
      return success();
    }
  }
  if (!isCopied)
    return success();
  for (auto [index, tile] : llvm::enumerate(tiles))
    if (bytes[index] != tile.getBytes())
      return commit.emitOpError()
             << "transaction count is wrong: tile " << index
             << " of the stage has " << tile.getBytes()
             << " bytes, but its copies bring " << bytes[index];
  return success();
}

static LogicalResult verifyEmptyArrivals(RingCreateOp ring, RingUsers &users,
                                         int64_t readers) {
  int64_t arrivals = 0;
  auto isInterleaved = [&](auto &entry) {
    return users.interleaved.contains(entry.first);
  };
  if (llvm::none_of(users.consumers, isInterleaved)) {
    for (auto &[role, count] : users.consumers)
      arrivals += count;
  } else {
    // Each stage is released by the role that had the turn.
    if (users.consumers.size() < 2)
      return users.consumers.front().first->emitOpError()
             << "phase is skipped: the role leaves out uses of the ring that "
                "no "
                "other role makes";
    for (auto &entry : users.consumers) {
      if (!isInterleaved(entry))
        return entry.first->emitOpError() << "order barrier is missing: other "
                                             "roles read the ring in turns "
                                             "with this one";
      arrivals = users.consumers.front().second;
      if (entry.second != arrivals)
        return entry.first->emitOpError()
               << "arrive count is wrong: makes " << entry.second
               << " arrivals a stage, but the role that it takes turns with "
               << arrivals;
    }
  }
  if (int64_t(ring.getEmptyArrivals()) == arrivals * readers)
    return success();
  return ring.emitOpError()
         << "arrive count is wrong: empty_arrivals is "
         << ring.getEmptyArrivals() << ", but the consumers make " << arrivals
         << (readers > 1 ? " in each of " + std::to_string(readers) + " CTAs"
                         : std::string());
}

/// Returns whether a CTA ends only behind all releases of its stages.
static bool outlivesReleases(RingUsers &users) {
  return llvm::all_of(users.producers, [&](auto &entry) {
    return llvm::any_of(users.ends, [&](RingAwaitReleasesOp end) {
      return end->getParentOp() == entry.first;
    });
  });
}

static LogicalResult verifyRing(ProgramOp program, RingCreateOp ring) {
  if (ring.getRing().getType().getKind() != RingKind::MBarrier)
    return success();
  RingUsers users = collectUsers(program, ring);
  if (failed(verifyReleases(users)))
    return failure();
  if (users.producers.empty() && !users.isRead)
    return success();
  if (users.producers.empty() || !users.isRead)
    return ring.emitOpError() << (users.isRead ? "is read, but never written"
                                               : "is written, but never read");
  for (RingCommitOp commit : users.commits)
    if (failed(verifyGroup(commit)) || failed(verifyConditions(commit)) ||
        failed(verifyTransactions(commit)))
      return failure();
  FailureOr<int64_t> readers = countReaders(program, users);
  if (failed(readers))
    return failure();
  int64_t arrivals = 0;
  for (auto &[role, count] : users.producers)
    arrivals += count;
  if (int64_t(ring.getFullArrivals()) != arrivals)
    return ring.emitOpError()
           << "arrive count is wrong: full_arrivals is "
           << ring.getFullArrivals() << ", but " << users.producers.size()
           << " producer role(s) make " << arrivals;
  if (users.consumers.empty()) // Linearity has reported it.
    return success();
  if (failed(verifyEmptyArrivals(ring, users, *readers)))
    return failure();
  auto isRemote = [](auto op) { return getReceivers(op.getMulticast()) != 1; };
  if (llvm::none_of(users.loads, isRemote) || outlivesReleases(users))
    return success();
  return program.emitOpError()
         << "ring.await_releases is missing at the end of its producers: a CTA "
            "may end while another still signals its barriers";
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Checks that the program waits until the stores in `block` have read shared
/// memory.
static LogicalResult verifyStores(Operation *container, Block &block) {
  Operation *last = nullptr, *await = nullptr;
  for (Operation &op : block) {
    if (isa<TmaAwaitOp>(op))
      await = &op;
    if (isa<RoleOp>(op))
      continue;
    op.walk([&](Operation *inner) {
      auto epilogue = dyn_cast<EpilogueOp>(inner);
      if (isa<TmaStoreOp>(inner) || (epilogue && !epilogue.getMaps().empty()))
        last = inner;
    });
  }
  if (!last ||
      (await && block.findAncestorOpInBlock(*last)->isBeforeInBlock(await)))
    return success();
  return last->emitOpError()
         << "is never awaited: a tma.await must follow it at "
            "the end of '"
         << container->getName() << "'";
}

LogicalResult tile_verifier::verifyBarriers(ProgramOp program) {
  for (RingCreateOp ring : getRings(program))
    if (failed(verifyRing(program, ring)))
      return failure();
  if (failed(verifyOrder(program)))
    return failure();
  Block &body = program.getBody().front();
  for (RoleOp role : body.getOps<RoleOp>())
    if (failed(verifyStores(role, role.getBody().front())))
      return failure();
  return verifyStores(program, body);
}
