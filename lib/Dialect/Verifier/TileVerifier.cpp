//===- TileVerifier.cpp - Positions of tile operations ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

LogicalResult tile_verifier::verifyProgram(ProgramOp program) {
  return success(succeeded(verifyStructure(program)) &&
                 succeeded(verifyLinearity(program)) &&
                 succeeded(verifyProtocol(program)) &&
                 succeeded(verifyBarriers(program)) &&
                 succeeded(verifyRoleSums(program)) &&
                 succeeded(verifyDependence(program)) &&
                 succeeded(verifyResources(program)));
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

RoleOp tile_verifier::getRole(Operation *op) {
  if (auto role = dyn_cast<RoleOp>(op))
    return role;
  return op->getParentOfType<RoleOp>();
}

bool tile_verifier::takesTurns(RoleOp role) {
  bool waits = false, arrives = false;
  if (role)
    role.walk([&](Operation *op) {
      waits |= isa<OrderWaitOp>(op);
      arrives |= isa<OrderArriveOp>(op);
    });
  return waits && arrives;
}

bool tile_verifier::isInterleaving(RingAdvanceOp op) {
  return op.getBy() && takesTurns(getRole(op));
}

SmallVector<RingCreateOp> tile_verifier::getRings(ProgramOp program) {
  return llvm::to_vector(program.getBody().front().getOps<RingCreateOp>());
}

bool tile_verifier::isLinear(Type type) {
  if (auto acc = dyn_cast<AccType>(type))
    return acc.getInFlight();
  return isa<TokenType>(type);
}

//===----------------------------------------------------------------------===//
// Nesting
//===----------------------------------------------------------------------===//

/// The maximum depth of loops, which exceeds that of any kernel. The protocol's
/// check may interpret a loop's body more than once; the bound keeps its time
/// from growing exponentially.
static constexpr int maxLoopDepth = 6;

/// Returns whether the verifier follows `op`.
static bool isFollowed(Operation *op) {
  if (isa<RingCreateOp, RingStartOp, RingAdvanceOp, RingAwaitReleasesOp,
          TmaStoreOp, TmaAwaitOp, OrderWaitOp, OrderArriveOp, RoleOp,
          EpilogueOp, ElectOp, AccStageOp, AccClusterReduceOp, AccSendOp,
          AccReceiveOp>(op))
    return true;
  return llvm::any_of(op->getOperandTypes(), isLinear) ||
         llvm::any_of(op->getResultTypes(), isLinear);
}

/// Checks that the verifier supports all operations that enclose `op`.
static LogicalResult verifyNesting(Operation *op) {
  int depth = 0;
  for (Region *region = op->getParentRegion();;
       region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (!isa<ProgramOp, RoleOp, ElectOp, scf::ForOp, scf::IfOp, scf::WhileOp>(
            parent))
      return op->emitOpError() << "is in '" << parent->getName()
                               << "', but rings, products and roles are only "
                                  "followed through scf.for, scf.if and "
                                  "scf.while";
    if (!region->hasOneBlock())
      return op->emitOpError() << "is in a region of several blocks, but "
                                  "must be in structured control flow";
    depth += isa<LoopLikeOpInterface>(parent);
    if (depth > maxLoopDepth)
      return op->emitOpError()
             << "is in more than " << maxLoopDepth << " loops";
    if (isa<ProgramOp>(parent))
      return success();
  }
}

/// Returns whether no other role than `role` uses the ring.
static bool isPrivate(Value ring, RoleOp role) {
  return llvm::all_of(ring.getUsers(),
                      [&](Operation *user) { return getRole(user) == role; });
}

/// Checks that `op` may write the mbarrier ring: a producer may, and one thread
/// of a consumer if no other role uses the ring.
static LogicalResult verifyWriter(Operation *op, Value ring, RoleOp role) {
  if (role && role.getKind() == RoleKind::Producer)
    return success();
  if (!role || !isPrivate(ring, role))
    return op->emitOpError()
           << "writes an mbarrier ring, which only a producer role may, or a "
              "consumer that alone uses it";
  if (!op->getParentOfType<ElectOp>())
    return op->emitOpError() << "writes an mbarrier ring in a consumer role, "
                                "but outside tcgemm.elect";
  return success();
}

/// Checks that the number of threads that copy is that of the loader.
static LogicalResult verifyThreads(LoaderCopyOp op) {
  RoleOp role = getRole(op);
  int64_t threads = 32 * role.getNumWarps();
  auto create = op.getLoader().getDefiningOp<LoaderCreateOp>();
  if (create && getRole(create) != role)
    return op.emitOpError()
           << "copies with a loader that was created outside its role";
  int64_t copying = op.getLoader().getType().getThreads();
  if (copying == threads)
    return success();
  return op.emitOpError() << "copies with " << copying
                          << " threads, but its role has " << threads;
}

/// Checks the block and the role of `op`.
static LogicalResult verifyPlace(Operation *op) {
  RoleOp role = getRole(op);
  if (isa<RingCreateOp, RoleOp>(op) && !isa<ProgramOp>(op->getParentOp()))
    return op->emitOpError() << "must be in the program's own block";
  if (auto reduce = dyn_cast<AccClusterReduceOp>(op))
    return verifyExchange(reduce);
  if (isa<AccSendOp, AccReceiveOp>(op))
    return verifyPlaceOfExchange(op);
  if (isa<OrderWaitOp, OrderArriveOp>(op) && !role)
    return op->emitOpError() << "must be in a role";
  if (isa<ElectOp>(op) && (!role || role.getKind() != RoleKind::Consumer))
    return op->emitOpError() << "must be in a consumer role";
  if (op->getParentOfType<ElectOp>() &&
      isa<ElectOp, RingWaitOp, RingReleaseOp, RingMaskOp, RingTrimOp,
          FragmentLoadOp, MmaAsyncOp, MmaAsyncFragmentOp, MmaAwaitOp,
          OrderWaitOp, OrderArriveOp, EpilogueOp, TmaStoreOp, LoaderCopyOp,
          RingEmptyGroupOp, RingPublishOp>(op))
    return op->emitOpError()
           << "is for all threads of a role, but is in tcgemm.elect";
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RingType>(operand.getType());
    if (!type)
      continue;
    if (!operand.getDefiningOp<RingCreateOp>())
      return op->emitOpError() << "must name a ring by its ring.create";
    bool writes =
        isa<RingAcquireOp, RingCommitOp, RingEmptyGroupOp, RingPublishOp,
            TmaLoadOp, LoaderCopyOp, RingAwaitReleasesOp>(op);
    bool reads =
        isa<RingWaitOp, RingReleaseOp, RingMaskOp, RingTrimOp, FragmentLoadOp,
            MmaAsyncOp, MmaAsyncFragmentOp, EpilogueOp>(op);
    if (type.getKind() == RingKind::CpAsync) {
      if (role && (writes || reads || isa<RingDrainOp>(op)))
        return op->emitOpError()
               << "is in a role, but all threads share a cp_async ring";
      continue;
    }
    if (writes && failed(verifyWriter(op, operand, role)))
      return failure();
    if (reads && (!role || role.getKind() != RoleKind::Consumer))
      return op->emitOpError()
             << "reads an mbarrier ring, which only a consumer role may";
    if (auto copy = dyn_cast<LoaderCopyOp>(op);
        copy && failed(verifyThreads(copy)))
      return failure();
  }
  return success();
}

/// Checks the uses of accumulators in flight.
static LogicalResult verifyInFlight(Operation *op) {
  if (isa<MmaAsyncOp, MmaAsyncFragmentOp, MmaAwaitOp, scf::ForOp, scf::WhileOp,
          scf::YieldOp, scf::ConditionOp, UnrealizedConversionCastOp>(op))
    return success();
  for (Type type : op->getOperandTypes())
    if (isa<AccType>(type) && isLinear(type))
      return op->emitOpError() << readInFlightMessage;
  return success();
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

static LogicalResult verifyWarps(ProgramOp program) {
  int64_t threads = program.getThreads();
  if (threads < 32 || threads > 1024 || threads % 32)
    return program.emitOpError()
           << "threads must be a multiple of 32 from 32 to 1024, but are "
           << threads;
  int64_t cluster = program.getCluster();
  if (cluster < 1 || cluster > 16 || (cluster & (cluster - 1)))
    return program.emitOpError()
           << "cluster must be a power of two from 1 to 16, but is " << cluster;
  auto roles = llvm::to_vector(program.getBody().front().getOps<RoleOp>());
  if (roles.empty())
    return success();
  llvm::sort(roles, [](RoleOp a, RoleOp b) {
    return a.getWarps()[0] < b.getWarps()[0];
  });
  int64_t end = 0;
  for (RoleOp role : roles) {
    if (role.getWarps()[0] < end)
      return role.emitOpError()
             << "shares warp " << role.getWarps()[0] << " with another role";
    if (role.getWarps()[0] > end)
      return role.emitOpError() << "leaves warp " << end << " without a role";
    end = role.getWarps()[1];
  }
  if (end * 32 != threads)
    return program.emitOpError()
           << "has " << threads / 32 << " warps, but its roles have " << end;
  return success();
}

LogicalResult tile_verifier::verifyStructure(ProgramOp program) {
  if (program.getBody().empty())
    return program.emitOpError() << "has no body";
  WalkResult result = program.walk([&](Operation *op) {
    if (op == program)
      return WalkResult::advance();
    if ((isFollowed(op) && failed(verifyNesting(op))) ||
        failed(verifyPlace(op)) || failed(verifyInFlight(op)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return verifyWarps(program);
}
