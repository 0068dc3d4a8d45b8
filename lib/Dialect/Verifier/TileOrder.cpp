//===- TileOrder.cpp - Order barriers of alternating roles ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

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

/// Returns whether in some block around `op` the role waits for its turn before
/// it and passes the turn after it.
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

LogicalResult tile_verifier::verifyOrder(ProgramOp program) {
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
