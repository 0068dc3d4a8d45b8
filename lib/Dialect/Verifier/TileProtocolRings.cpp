//===- TileProtocolRings.cpp - Rings and products in the protocol's check -===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileProtocol.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

LogicalResult Protocol::run(RingAdvanceOp op, State &state) {
  Position from = facts.getPosition(op.getState());
  APInt by;
  bool isConstant = !op.getBy() || matchPattern(op.getBy(), m_ConstantInt(&by));
  if (isInterleaving(op)) {
    // The skipped uses belong to other roles; the order barriers synchronise
    // them.
    facts.setPosition(op.getNext(), {op.getNext(), 0});
    for (Access access : {Access::Acquire, Access::Wait}) {
      auto &next = state.getNext(op.getRing(), access);
      if (llvm::is_contained(next, from))
        next.push_back({op.getNext(), 0});
    }
    return success();
  }
  if (isConstant) {
    int64_t count = op.getBy() ? by.getSExtValue() : 1;
    facts.setPosition(op.getNext(), {from.root, from.offset + count});
    return success();
  }
  if (op.getRing().getType().getKind() == RingKind::MBarrier)
    return op.emitOpError()
           << "order barrier is missing: the role leaves out uses of the ring, "
              "but takes no turns by order.wait and order.arrive";
  facts.setPosition(op.getNext(), {op.getNext(), 0});
  return success();
}

LogicalResult Protocol::access(Operation *op, Value ring, Access kind,
                               Value position, Value token, State &state) {
  auto &next = state.getNext(ring, kind);
  Position found = facts.getPosition(position);
  facts.setRing(token, ring);
  facts.setStage(token, found);
  if (llvm::is_contained(next, found)) {
    next.assign({{found.root, found.offset + 1}});
    return success();
  }
  for (Position wanted : next) {
    if (wanted.root != found.root)
      continue;
    int64_t distance = found.offset - wanted.offset;
    if (distance < 0)
      return op->emitOpError()
             << "phase is repeated: the state has not advanced since the "
                "stage's last "
             << getName(kind);
    return op->emitOpError()
           << "phase is skipped: the state leaves out " << distance
           << (distance == 1 ? " use" : " uses") << " of the ring since the "
           << "last " << getName(kind);
  }
  return op->emitOpError() << "phase is skipped: the state does not continue "
                              "that of the ring's last "
                           << getName(kind);
}

LogicalResult Protocol::checkToken(Operation *op, Value token, Value ring,
                                   Value position) {
  if (Value own = facts.getRing(token); own && own != ring)
    return op->emitOpError() << "takes a token of another ring";
  std::optional<Position> stage = facts.getStage(token);
  if (!stage || !position)
    return success();
  Position found = facts.getPosition(position);
  if (found.root == stage->root && found.offset != stage->offset)
    return op->emitOpError() << "takes a token of another stage";
  return success();
}

int64_t Protocol::countHeld(Value ring, const State &state) const {
  return llvm::count_if(
      state.held, [&](Value token) { return facts.getRing(token) == ring; });
}

LogicalResult Protocol::checkStages(Operation *op, TypedValue<RingType> ring,
                                    State &state) {
  int64_t held = countHeld(ring, state);
  int64_t released = state.unpublished.lookup(ring);
  int64_t stages = ring.getType().getStages();
  if (held + released <= stages)
    return success();
  auto diag = op->emitOpError() << "too many waits in flight: it holds " << held
                                << " stages of a ring of " << stages;
  if (released)
    diag << ", and no barrier has followed the release of " << released;
  return diag;
}

LogicalResult Protocol::checkNotRead(Operation *op, Value token,
                                     const State &state) {
  if (!state.isRead(token))
    return success();
  return op->emitOpError() << "stage is released while a product that reads it "
                              "may be in flight: mma.await it first";
}

LogicalResult Protocol::checkIdle(Operation *op, Value ring,
                                  const State &state) {
  for (Value token : state.held)
    if (facts.getRing(token) == ring)
      return op->emitOpError()
             << "needs the ring's memory, but a stage of it is in use";
  return success();
}

void Protocol::end(Value token, State &state) {
  llvm::erase(state.held, token);
  llvm::erase(state.groups, token);
}

LogicalResult Protocol::run(RingAcquireOp op, State &state) {
  if (failed(access(op, op.getRing(), Access::Acquire, op.getState(),
                    op.getToken(), state)))
    return failure();
  if (op.getRing().getType().waitsForReaders())
    state.unpublished.clear();
  state.held.push_back(op.getToken());
  int64_t &most = stagesHeld[op.getRing()].writing;
  most = std::max(most, countHeld(op.getRing(), state));
  return checkStages(op, op.getRing(), state);
}

LogicalResult Protocol::run(RingCommitOp op, State &state) {
  if (failed(checkToken(op, op.getToken(), op.getRing())))
    return failure();
  end(op.getToken(), state);
  if (!op.getInFlight())
    return success();
  facts.setRing(op.getInFlight(), op.getRing());
  state.held.push_back(op.getInFlight());
  state.groups.push_back(op.getInFlight());
  return success();
}

LogicalResult Protocol::endGroup(Operation *op, Value ring, Value group,
                                 int64_t pending, State &state) {
  if (failed(checkToken(op, group, ring)))
    return failure();
  auto *it = llvm::find(state.groups, group);
  int64_t younger =
      it == state.groups.end() ? 0 : std::distance(it, state.groups.end()) - 1;
  if (pending > younger)
    return op->emitOpError()
           << "too many waits in flight: leaves " << pending
           << " groups of copies pending, but only " << younger
           << " are younger than the one that it waits for";
  end(group, state);
  return success();
}

LogicalResult Protocol::run(RingEmptyGroupOp op, State &state) {
  // The group has no stage, but the loop that carries it replaces it by one
  // that has.
  facts.setRing(op.getToken(), op.getRing());
  state.held.push_back(op.getToken());
  state.groups.push_back(op.getToken());
  return success();
}

LogicalResult Protocol::run(RingPublishOp op, State &state) {
  return endGroup(op, op.getRing(), op.getToken(), op.getPending(), state);
}

LogicalResult Protocol::run(RingWaitOp op, State &state) {
  if (Value group = op.getInFlight()) {
    if (failed(endGroup(op, op.getRing(), group, op.getPending(), state)))
      return failure();
    state.unpublished.clear();
  }
  if (failed(access(op, op.getRing(), Access::Wait, op.getState(),
                    op.getToken(), state)))
    return failure();
  state.held.push_back(op.getToken());
  int64_t &most = stagesHeld[op.getRing()].reading;
  most = std::max(most, countHeld(op.getRing(), state));
  return checkStages(op, op.getRing(), state);
}

LogicalResult Protocol::checkProgress() {
  for (RingCreateOp ring : rings) {
    RingType type = ring.getRing().getType();
    StagesHeld held = stagesHeld.lookup(ring);
    // The stages that a producer has not published, those that a consumer has
    // not released, and the stage for which both wait.
    int64_t needed = held.writing + held.reading - 1;
    if (type.getKind() != RingKind::MBarrier || needed <= type.getStages())
      continue;
    return ring.emitOpError()
           << "too many waits in flight: a producer holds " << held.writing - 1
           << " stages while it waits for one and a consumer "
           << held.reading - 1 << ", which takes a ring of " << needed
           << " stages, but it has " << type.getStages();
  }
  return success();
}

LogicalResult Protocol::run(RingReleaseOp op, State &state) {
  if (failed(checkToken(op, op.getToken(), op.getRing())) ||
      failed(checkNotRead(op, op.getToken(), state)))
    return failure();
  end(op.getToken(), state);
  if (op.getRing().getType().getKind() == RingKind::CpAsync)
    ++state.unpublished[op.getRing()];
  return success();
}

LogicalResult Protocol::run(RingAwaitReleasesOp op, State &state) {
  Position found = facts.getPosition(op.getState());
  if (!llvm::is_contained(state.getNext(op.getRing(), Access::Acquire), found))
    return op.emitOpError() << "the state is not the one behind the role's "
                               "last ring.acquire";
  return success();
}

LogicalResult Protocol::run(RingDrainOp op, State &state) {
  for (Value token : op.getTokens()) {
    if (failed(checkToken(op, token, op.getRing())) ||
        failed(checkNotRead(op, token, state)))
      return failure();
    end(token, state);
  }
  if (failed(checkIdle(op, op.getRing(), state)))
    return failure();
  state.unpublished.clear();
  for (Access access : {Access::Acquire, Access::Wait})
    state.getNext(op.getRing(), access).push_back({op.getRing(), 0});
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult Protocol::checkNotMultiplied(Operation *op, Value fragment,
                                           const State &state) {
  if (!isa<FragmentType>(fragment.getType()) ||
      llvm::none_of(state.products, [&](const Product &product) {
        return llvm::is_contained(product.fragments, fragment);
      }))
    return success();
  return op->emitOpError() << "writes the registers of a fragment that a "
                              "product in flight may read: mma.await it first";
}

LogicalResult Protocol::run(MmaAsyncOp op, State &state) {
  if (failed(checkToken(op, op.getToken(), op.getRing(), op.getState())))
    return failure();
  state.products.push_back({op.getToken(), {}});
  return success();
}

LogicalResult Protocol::run(MmaAsyncFragmentOp op, State &state) {
  if (failed(checkToken(op, op.getToken(), op.getRing(), op.getState())))
    return failure();
  state.products.push_back({op.getToken(), {op.getA()}});
  return success();
}

/// Counts the stages that the youngest `pending` products read. Products that
/// the state does not have yet count as products of stages of their own.
static int64_t countStages(ArrayRef<Product> products, size_t pending) {
  SmallPtrSet<Value, 4> stages;
  size_t known = std::min(products.size(), pending);
  for (const Product &product : products.take_back(known))
    stages.insert(product.stage);
  return int64_t(stages.size() + pending - known);
}

LogicalResult Protocol::run(MmaAwaitOp op, State &state) {
  size_t pending = op.getPending();
  for (const Product &product : state.products)
    if (auto ring = dyn_cast_or_null<TypedValue<RingType>>(
            facts.getRing(product.stage)))
      if (countStages(state.products, pending) >= ring.getType().getStages())
        return op.emitOpError()
               << "too many waits in flight: leaves " << pending
               << " products pending, but their ring has only "
               << ring.getType().getStages() << " stages";
  if (state.products.size() > pending)
    state.products.erase(state.products.begin(),
                         state.products.end() - pending);
  return success();
}
