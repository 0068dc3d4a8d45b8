//===- RoleSums.cpp - Sums of the roles that divide k ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

int64_t tile_verifier::countAccBytes(RoleOp role, AccType acc) {
  int64_t warpgroups = role.getNumWarps() / 4;
  return warpgroups * acc.getRows() * acc.getColumns() * 4;
}

int64_t AccReceiveOp::getBytesOfOne() {
  return countAccBytes(getRole(*this), getAcc().getType());
}

/// Checks what sends and receives have in common.
static LogicalResult verifyParts(Operation *op, AccType acc, int64_t parts) {
  if (acc.getLayout() != AccLayout::Wgmma || acc.getInFlight() ||
      getStorageBits(acc.getElementType()) != 32)
    return op->emitOpError()
           << "takes a complete wgmma accumulator of 32 bits, "
              "but not a "
           << acc;
  if (parts < 2)
    return op->emitOpError()
           << "must be of at least 2 parts, but is of " << parts;
  return success();
}

LogicalResult AccSendOp::verify() {
  if (failed(verifyParts(*this, getAcc().getType(), getParts())))
    return failure();
  int64_t part = getPart(), parts = getParts();
  if (part < 1 || part >= parts)
    return emitOpError() << "sends part " << part
                         << ", but the parts that send are 1 to " << parts - 1;
  return success();
}

LogicalResult AccReceiveOp::verify() {
  return verifyParts(*this, getAcc().getType(), getParts());
}

LogicalResult tile_verifier::verifyPlaceOfExchange(Operation *op) {
  RoleOp role = getRole(op);
  if (!role || role.getKind() != RoleKind::Consumer ||
      op->getParentOfType<ElectOp>())
    return op->emitOpError() << "must be for all threads of a consumer role";
  if (op->getParentOfType<LoopLikeOpInterface>() ||
      op->getParentOfType<scf::IfOp>())
    return op->emitOpError() << "must run once, but is in a loop or a branch";
  return success();
}

/// Checks that a part matches the role that receives all of them.
static LogicalResult verifySend(AccSendOp send, AccReceiveOp receive) {
  if (!receive)
    return send.emitOpError() << "has no acc.receive in its program";
  if (send.getParts() != receive.getParts() ||
      send.getAcc().getType() != receive.getAcc().getType())
    return send.emitOpError()
           << "sends a " << send.getAcc().getType() << " of " << send.getParts()
           << " parts, but the program's acc.receive adds "
           << receive.getAcc().getType() << " of " << receive.getParts();
  int64_t warps = getRole(send).getNumWarps();
  int64_t receiving = getRole(receive).getNumWarps();
  if (warps != receiving)
    return send.emitOpError()
           << "is in a role of " << warps
           << " warps, but the role that receives has " << receiving;
  return success();
}

LogicalResult tile_verifier::verifyRoleSums(ProgramOp program) {
  AccReceiveOp receive;
  SmallVector<AccSendOp> sends;
  Operation *order = nullptr;
  WalkResult result = program.walk([&](Operation *op) -> WalkResult {
    if (auto send = dyn_cast<AccSendOp>(op))
      sends.push_back(send);
    if (isa<OrderWaitOp>(op))
      order = op;
    auto other = dyn_cast<AccReceiveOp>(op);
    if (other && receive)
      return other.emitOpError() << "is the program's second one";
    if (other)
      receive = other;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  llvm::SmallDenseSet<int64_t> parts;
  llvm::SmallPtrSet<Operation *, 4> roles;
  if (receive)
    roles.insert(getRole(receive));
  for (AccSendOp send : sends) {
    if (failed(verifySend(send, receive)))
      return failure();
    if (!parts.insert(send.getPart()).second)
      return send.emitOpError()
             << "sends part " << send.getPart() << ", which another one sends";
    if (!roles.insert(getRole(send)).second)
      return send.emitOpError() << "is in a role of another part";
  }
  if (!receive)
    return success();
  if (int64_t(sends.size()) + 1 != int64_t(receive.getParts()))
    return receive.emitOpError()
           << "adds " << receive.getParts() << " parts, but "
           << sends.size() + 1 << " roles have one";
  if (order)
    return receive.emitOpError()
           << "cannot be in a program with order barriers";
  return success();
}
