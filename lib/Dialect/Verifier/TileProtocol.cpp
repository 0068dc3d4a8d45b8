//===- TileProtocol.cpp - Control flow of the protocol's check --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileProtocol.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

State Protocol::getInitialState() {
  State state;
  for (RingCreateOp ring : rings)
    for (Access access : {Access::Acquire, Access::Wait})
      state.getNext(ring, access).push_back({ring, 0});
  return state;
}

LogicalResult Protocol::runBlock(Block &block, State &state) {
  return success(llvm::all_of(
      block, [&](Operation &op) { return succeeded(runOp(&op, state)); }));
}

LogicalResult Protocol::runOp(Operation *op, State &state) {
  for (Value result : op->getResults())
    if (failed(checkNotMultiplied(op, result, state)))
      return failure();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scf::ForOp, scf::WhileOp, scf::IfOp, RingAdvanceOp, RingAcquireOp,
            RingCommitOp, RingEmptyGroupOp, RingPublishOp, RingWaitOp,
            RingReleaseOp, RingAwaitReleasesOp, RingDrainOp, MmaAsyncOp,
            MmaAsyncFragmentOp, MmaAwaitOp>(
          [&](auto typed) { return run(typed, state); })
      .Case([&](RoleOp role) {
        State start = getInitialState();
        return runBlock(role.getBody().front(), start);
      })
      .Case([&](ElectOp elect) {
        return runBlock(elect.getBody().front(), state);
      })
      .Case([&](RingStartOp start) {
        facts.setPosition(start.getState(),
                          {start.getRing(), int64_t(start.getOffset())});
        return success();
      })
      .Case([&](AccReduceOp reduce) {
        return checkIdle(reduce, reduce.getRing(), state);
      })
      .Case<AccStageOp, AccDotOp>([&](auto overwrites) {
        return success(llvm::all_of(rings, [&](RingCreateOp ring) {
          return succeeded(checkIdle(overwrites, ring, state));
        }));
      })
      .Case([&](EpilogueOp epilogue) {
        if (Value ring = epilogue.getRing())
          return checkToken(epilogue, epilogue.getToken(), ring);
        bool aliases = epilogue.getStaging().value_or(0) && !getRole(epilogue);
        return success(!aliases || llvm::all_of(rings, [&](RingCreateOp ring) {
          return succeeded(checkIdle(epilogue, ring, state));
        }));
      })
      .Case<LoaderCopyOp, TmaLoadOp, FragmentLoadOp, RingMaskOp, RingTrimOp>(
          [&](auto use) {
            return checkToken(use, use.getToken(), use.getRing(),
                              use.getState());
          })
      .Default([](Operation *) { return success(); });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult
Protocol::iterate(Operation *loop, State &state,
                  llvm::function_ref<LogicalResult(State &)> body) {
  // A later iteration may start with more products in flight, and more stages
  // whose release no barrier has published, than the first one. If the third
  // run still finds more, the number grows without bound.
  for (int round = 0; round < 3; ++round) {
    State end = state;
    if (failed(body(end)))
      return failure();
    bool grows = false;
    if (failed(joinProducts(loop, state, end, grows)))
      return failure();
    for (auto [ring, count] : end.unpublished)
      if (count > state.unpublished[ring]) {
        state.unpublished[ring] = count;
        grows = true;
      }
    if (!grows) {
      state.next = end.next;
      return success();
    }
  }
  return loop->emitOpError()
         << "too many waits in flight: every iteration adds more";
}

LogicalResult Protocol::run(scf::ForOp op, State &state) {
  Block &body = *op.getBody();
  ValueRange yields = body.getTerminator()->getOperands();
  facts.pass(state, op.getInitArgs(), op.getRegionIterArgs());
  if (failed(iterate(op, state, [&](State &end) {
        State start = end;
        if (failed(runBlock(body, end)))
          return failure();
        for (Value carried : op.getRegionIterArgs())
          if (failed(checkNotMultiplied(op, carried, end)))
            return failure();
        return closeLoop(op, facts, start, end, yields, op.getRegionIterArgs());
      })))
    return failure();
  facts.pass(state, op.getRegionIterArgs(), op.getResults());
  return success();
}

LogicalResult Protocol::run(scf::WhileOp op, State &state) {
  ValueRange passed = op.getConditionOp().getArgs();
  State exit;
  facts.pass(state, op.getInits(), op.getBeforeArguments());
  if (failed(iterate(op, state, [&](State &end) {
        State start = end;
        if (failed(runBlock(*op.getBeforeBody(), end)))
          return failure();
        exit = end;
        facts.pass(end, passed, op.getAfterArguments());
        if (failed(runBlock(*op.getAfterBody(), end)))
          return failure();
        for (ValueRange carried : {ValueRange(op.getBeforeArguments()),
                                   ValueRange(op.getAfterArguments())})
          for (Value each : carried)
            if (failed(checkNotMultiplied(op, each, end)))
              return failure();
        return closeLoop(op, facts, start, end, op.getYieldedValues(),
                         op.getBeforeArguments());
      })))
    return failure();
  facts.pass(exit, passed, op.getResults());
  state = std::move(exit);
  return success();
}

LogicalResult Protocol::run(scf::IfOp op, State &state) {
  State other = state;
  if (failed(runBlock(*op.thenBlock(), state)))
    return failure();
  facts.pass(state, op.thenBlock()->getTerminator()->getOperands(),
             op.getResults());
  if (op.elseBlock()) {
    if (failed(runBlock(*op.elseBlock(), other)))
      return failure();
    facts.pass(other, op.elseBlock()->getTerminator()->getOperands(),
               op.getResults());
  }
  return joinBranches(op, state, other);
}

LogicalResult tile_verifier::verifyProtocol(ProgramOp program) {
  Protocol protocol(program);
  State state = protocol.getInitialState();
  if (failed(protocol.runBlock(program.getBody().front(), state)))
    return failure();
  return protocol.checkProgress();
}
