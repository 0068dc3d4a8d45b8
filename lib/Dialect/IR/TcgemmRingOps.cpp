//===- TcgemmRingOps.cpp - Operations on rings ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"

using namespace mlir;
using namespace tcgemm;
using tile_verifier::verifyToken;

LogicalResult tile_verifier::verifyToken(Operation *op, TokenType token,
                                         TokenKind kind) {
  if (token.getKind() == kind)
    return success();
  return op->emitOpError() << "needs a token of kind "
                           << stringifyTokenKind(kind) << ", but got "
                           << stringifyTokenKind(token.getKind());
}

/// The maximum number of arrivals in a phase of an mbarrier.
static constexpr int64_t maxArrivals = (1 << 20) - 1;

LogicalResult RingCreateOp::verify() {
  for (int64_t arrivals :
       {int64_t(getFullArrivals()), int64_t(getEmptyArrivals())})
    if (arrivals < 1 || arrivals > maxArrivals)
      return emitOpError() << "arrivals must be 1 to " << maxArrivals
                           << ", but are " << arrivals;
  return success();
}

LogicalResult RingStartOp::verify() {
  int64_t offset = getOffset();
  if (offset >= 0 && offset <= std::numeric_limits<int32_t>::max())
    return success();
  return emitOpError() << "must start at 0 or later, but starts at " << offset;
}

LogicalResult RingAcquireOp::verify() {
  return verifyToken(*this, getToken().getType(), TokenKind::Write);
}

LogicalResult RingReleaseOp::verify() {
  int64_t arrivals = getArrivals();
  if (arrivals < 1 || arrivals > maxArrivals)
    return emitOpError() << "arrivals must be 1 to " << maxArrivals
                         << ", but are " << arrivals;
  return verifyToken(*this, getToken().getType(), TokenKind::Read);
}

LogicalResult RingAwaitReleasesOp::verify() {
  if (getRing().getType().getKind() != RingKind::MBarrier)
    return emitOpError() << "is for mbarrier rings";
  return success();
}

LogicalResult RingDrainOp::verify() {
  if (getRing().getType().getKind() != RingKind::CpAsync)
    return emitOpError() << "is for cp_async rings";
  return success();
}

LogicalResult RingCommitOp::verify() {
  // In an mbarrier ring the result depends on the copies: see TileBarriers.cpp.
  bool isCpAsync = getRing().getType().getKind() == RingKind::CpAsync;
  if (isCpAsync && !getInFlight())
    return emitOpError() << "gives an in_flight token in a cp_async ring";
  if (getInFlight() &&
      failed(verifyToken(*this, getInFlight().getType(), TokenKind::InFlight)))
    return failure();
  return verifyToken(*this, getToken().getType(), TokenKind::Write);
}

LogicalResult RingEmptyGroupOp::verify() {
  if (getRing().getType().getKind() != RingKind::MBarrier)
    return emitOpError() << "is for mbarrier rings";
  return verifyToken(*this, getToken().getType(), TokenKind::InFlight);
}

LogicalResult RingPublishOp::verify() {
  if (getRing().getType().getKind() != RingKind::MBarrier)
    return emitOpError() << "is for mbarrier rings";
  if (int64_t pending = getPending(); pending < 0)
    return emitOpError() << "pending must be at least 0, but is " << pending;
  return verifyToken(*this, getToken().getType(), TokenKind::InFlight);
}

LogicalResult RingWaitOp::verify() {
  bool isCpAsync = getRing().getType().getKind() == RingKind::CpAsync;
  if (isCpAsync != bool(getInFlight()))
    return emitOpError()
           << "takes an in_flight token in a cp_async ring, and only there";
  if (isCpAsync &&
      failed(verifyToken(*this, getInFlight().getType(), TokenKind::InFlight)))
    return failure();
  int64_t pending = getPending();
  if (pending < 0 || (!isCpAsync && pending != 0))
    return emitOpError() << "pending must be "
                         << (isCpAsync ? "at least 0" : "0 in an mbarrier ring")
                         << ", but is " << pending;
  return verifyToken(*this, getToken().getType(), TokenKind::Read);
}
