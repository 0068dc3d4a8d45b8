//===- TileBarriers.cpp - Arrive counts and order barriers -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileVerifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"
#include <map>

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

namespace {

/// Who writes and reads an mbarrier ring.
struct RingUsers {
  llvm::SmallSetVector<Operation *, 4> producers;
  /// Each consumer's arrivals a stage.
  llvm::MapVector<Operation *, int64_t> consumers;
  llvm::SmallSetVector<Operation *, 4> interleaved;
  SmallVector<RingCommitOp> commits;
  SmallVector<RingReleaseOp> releases;
  SmallVector<TmaLoadOp> loads;
  bool isRead = false;
};

} // namespace

/// A multicast mask, with the CTA itself where none is given.
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
    if (auto commit = dyn_cast<RingCommitOp>(op)) {
      users.commits.push_back(commit);
      users.producers.insert(role);
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

/// Checks that each role releases alike wherever it does.
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

/// Checks the masks of copies and releases and returns how many CTAs release
/// each of the ring's stages.
static FailureOr<int64_t> countReaders(ProgramOp program, RingUsers &users) {
  uint64_t mask = 1;
  if (!users.loads.empty())
    mask = 0;
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

/// Checks that the TMA copies into a stage bring as many bytes as it has. Only
/// where all copies stand beside the commit can they be counted.
static LogicalResult verifyTransactions(RingCommitOp commit) {
  ArrayRef<TileType> tiles = commit.getRing().getType().getTiles();
  SmallVector<int64_t> bytes(tiles.size(), 0);
  bool isCopied = false;
  for (Operation *user : commit.getToken().getUsers()) {
    auto load = dyn_cast<TmaLoadOp>(user);
    if (user == commit)
      continue;
    if (!load || load->getBlock() != commit->getBlock())
      return success();
    isCopied = true;
    bytes[load.getTile()] += llvm::popcount(getReceivers(load.getMulticast())) *
                             load.getMap().getType().getBox().getBytes();
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
    // Each stage is released by the role whose turn it was.
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
    if (failed(verifyTransactions(commit)))
      return failure();
  FailureOr<int64_t> readers = countReaders(program, users);
  if (failed(readers))
    return failure();
  if (ring.getFullArrivals() != users.producers.size())
    return ring.emitOpError()
           << "arrive count is wrong: full_arrivals is "
           << ring.getFullArrivals() << ", but " << users.producers.size()
           << " producer role(s) commit its stages";
  if (users.consumers.empty()) // Linearity has reported it.
    return success();
  if (failed(verifyEmptyArrivals(ring, users, *readers)))
    return failure();
  auto isRemote = [](auto op) { return getReceivers(op.getMulticast()) != 1; };
  Block &body = program.getBody().front();
  auto syncs = body.getOps<ClusterSyncOp>();
  auto roles = llvm::to_vector(body.getOps<RoleOp>());
  if (llvm::none_of(users.loads, isRemote) ||
      llvm::any_of(syncs, [&](ClusterSyncOp sync) {
        return roles.back()->isBeforeInBlock(sync);
      }))
    return success();
  return program.emitOpError()
         << "cluster.sync is missing after its roles: a CTA may end while "
            "another still signals its barriers";
}

//===----------------------------------------------------------------------===//
// Order barriers
//===----------------------------------------------------------------------===//

namespace {

struct Turn {
  SmallVector<OrderWaitOp> waits;
  SmallVector<OrderArriveOp> arrives;
};

} // namespace

static LogicalResult verifyTurn(int64_t number, Turn &turn) {
  if (turn.waits.empty())
    return turn.arrives.front().emitOpError()
           << "order barrier is missing: no role waits for turn " << number;
  OrderWaitOp first = turn.waits.front();
  RoleOp role = getRole(first);
  for (OrderWaitOp wait : turn.waits)
    if (getRole(wait) != role)
      return wait.emitOpError() << "order barrier is missing: two roles wait "
                                   "for the same turn "
                                << number;
  llvm::SmallSetVector<Operation *, 4> others;
  for (OrderArriveOp arrive : turn.arrives)
    if (getRole(arrive) != role)
      others.insert(getRole(arrive));
  if (others.empty())
    return first.emitOpError()
           << "order barrier is missing: no other role arrives for turn "
           << number;
  if (others.size() > 1)
    return first.emitOpError()
           << "arrive count is wrong: " << others.size()
           << " roles arrive for turn " << number << ", but one gives a turn";
  int64_t threads =
      32 * (role.getNumWarps() + cast<RoleOp>(others[0]).getNumWarps());
  auto verifyThreads = [&](auto op) -> LogicalResult {
    if (int64_t(op.getThreads()) == threads)
      return success();
    return op.emitOpError()
           << "arrive count is wrong: the order barrier is for "
           << op.getThreads() << " threads, but " << threads
           << " take part in turn " << number;
  };
  for (OrderWaitOp wait : turn.waits)
    if (failed(verifyThreads(wait)))
      return failure();
  for (OrderArriveOp arrive : turn.arrives)
    if (failed(verifyThreads(arrive)))
      return failure();
  return success();
}

/// Whether, in some block round `op`, the role waits for its turn before it and
/// gives the turn away after it.
static bool isInTurn(Operation *op) {
  for (; op && !isa<RoleOp>(op); op = op->getParentOp()) {
    bool waits = false, arrives = false;
    for (Operation &other : *op->getBlock()) {
      if (isa<OrderWaitOp>(other))
        waits |= other.isBeforeInBlock(op);
      if (isa<OrderArriveOp>(other))
        arrives |= op->isBeforeInBlock(&other);
    }
    if (waits && arrives)
      return true;
  }
  return false;
}

static LogicalResult verifyOrder(ProgramOp program) {
  std::map<int64_t, Turn> turns;
  bool hasFirst = false;
  Operation *waiting = nullptr;
  for (RoleOp role : program.getBody().front().getOps<RoleOp>()) {
    Operation *first = nullptr;
    llvm::SmallSetVector<Value, 2> interleaved;
    role.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto wait = dyn_cast<OrderWaitOp>(op))
        turns[wait.getTurn()].waits.push_back(wait);
      if (auto arrive = dyn_cast<OrderArriveOp>(op))
        turns[arrive.getTurn()].arrives.push_back(arrive);
      if (!first && isa<OrderWaitOp, OrderArriveOp>(op))
        first = op;
      if (auto advance = dyn_cast<RingAdvanceOp>(op);
          advance && isInterleaving(advance))
        interleaved.insert(advance.getRing());
    });
    hasFirst |= first && isa<OrderArriveOp>(first);
    if (first)
      waiting = first;
    WalkResult result = role.walk([&](RingWaitOp wait) {
      if (!interleaved.contains(wait.getRing()) || isInTurn(wait))
        return WalkResult::advance();
      wait.emitOpError() << "order barrier is missing: the role waits for the "
                            "stage outside its turn";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  for (auto &[number, turn] : turns)
    if (failed(verifyTurn(number, turn)))
      return failure();
  if (waiting && !hasFirst)
    return waiting->emitOpError()
           << "order barrier is missing: every role waits for its turn first";
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Checks that shared memory stays until the stores in `block` have read it.
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
