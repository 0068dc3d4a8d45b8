//===- ProgramAnalysis.cpp - Facts about a tile-level program -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramAnalysis.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tcgemm;

bool tcgemm::hasBarriers(TypedValue<RingType> ring) {
  return ring.getType().getKind() == RingKind::MBarrier;
}

SharedMemoryPlan::SharedMemoryPlan(ProgramOp program) {
  Block &body = program.getBody().front();
  int64_t offset = 0;
  for (RingCreateOp ring : body.getOps<RingCreateOp>()) {
    stages[ring] = offset;
    RingType type = ring.getRing().getType();
    offset += type.getBytes() - type.getBarrierBytes();
  }
  for (RoleOp role : body.getOps<RoleOp>()) {
    staging[role] = offset;
    offset += role.getStagingBytes();
  }
  program.walk([&](AccClusterReduceOp reduce) {
    int64_t senders = reduce.getCtas() - 1, bytes = reduce.getBytesOfOne();
    inboxes[reduce] = {offset, bytes, offset + senders * bytes};
    offset += reduce.getInboxBytes();
  });
  program.walk([&](AccReceiveOp receive) {
    partSums = offset;
    offset += receive.getInboxBytes();
  });
  program.walk([&](ScalesCreateOp op) {
    scales[op] = offset;
    offset += op.getBytes();
  });
  for (RingCreateOp ring : body.getOps<RingCreateOp>()) {
    barriers[ring] = offset;
    offset += ring.getRing().getType().getBarrierBytes();
  }
}

ProgramAnalysis::ProgramAnalysis(ProgramOp program)
    : program(program), sharedMemory(program),
      withRoles(!program.getBody().front().getOps<RoleOp>().empty()),
      withGridWait(program.waitsForGrids()) {
  findRoles();
  findClusterSync();
  findCopies();
  findStagings();
  findBarrierUsers();
  findEarlyEpilogues();
}

void ProgramAnalysis::findRoles() {
  for (RoleOp role : program.getBody().front().getOps<RoleOp>())
    role.walk([&](Operation *op) {
      roles[op] = role;
      numEpilogues[role] += isa<EpilogueOp>(op);
      auto acquire = dyn_cast<RingAcquireOp>(op);
      if (acquire && role.announcesBytes(acquire.getRing()))
        announcers.insert(acquire);
    });
}

void ProgramAnalysis::findClusterSync() {
  bool hasSum = false, hasOtherAccess = false;
  auto reachesOthers = [](auto op) { return op.getMulticast() > 1; };
  program.walk([&](Operation *op) {
    hasSum |= isa<AccClusterReduceOp>(op);
    if (auto load = dyn_cast<TmaLoadOp>(op))
      hasOtherAccess |= reachesOthers(load);
    if (auto release = dyn_cast<RingReleaseOp>(op))
      hasOtherAccess |= reachesOthers(release);
  });
  lateClusterSync = hasSum && !hasOtherAccess;
}

void ProgramAnalysis::findCopies() {
  bool hasCopies = false, areElements = true;
  program.walk([&](LoaderCopyOp op) {
    hasCopies = true;
    areElements &= op.getLoader().getType().getBytes() <= 2;
  });
  throughRegisters = hasCopies && areElements;
}

void ProgramAnalysis::findStagings() {
  program.walk([&](EpilogueOp op) {
    if (op.getStaging())
      numStagings += op->getParentOfType<LoopLikeOpInterface>() ? 2 : 1;
  });
}

void ProgramAnalysis::findBarrierUsers() {
  bool areNew = false;
  for (Operation &op : program.getBody().front()) {
    if (auto ring = dyn_cast<RingCreateOp>(op)) {
      if (!hasBarriers(ring.getRing()))
        continue;
      if (!areNew)
        firstRings.insert(ring);
      areNew = true;
    } else if (areNew && !isMemoryEffectFree(&op)) {
      barrierUsers.push_back(&op);
      areNew = false;
    }
  }
  if (!barrierUsers.empty())
    roleStartThreads = countRoleStartThreads();
}

/// If only the roles use the barriers, and the first role is one thread of the
/// producer's warp, which also initialises the barriers, then this warp need
/// not wait for others.
int64_t ProgramAnalysis::countRoleStartThreads() {
  Block &body = program.getBody().front();
  auto roles = llvm::to_vector(body.getOps<RoleOp>());
  bool othersWait = llvm::all_of(body, [](Operation &op) {
    return isa<RoleOp, RingCreateOp>(op) || isMemoryEffectFree(&op);
  });
  if (roles.empty() || !othersWait ||
      (program.getCluster() > 1 && !lateClusterSync))
    return 0;
  int64_t threads = 32;
  for (RoleOp role : roles) {
    if (role.getKind() == RoleKind::Consumer)
      threads += 32 * role.getNumWarps();
    else if (role.getWarps()[0] != 0 || role.copiesByThreads())
      return 0;
  }
  return roles.front().getKind() == RoleKind::Producer ? threads : 0;
}

/// The inputs are read at the first wait that is not in a loop over k-tiles.
void ProgramAnalysis::findEarlyEpilogues() {
  program.walk([&](EpilogueOp epilogue) {
    if (!epilogue.getEarly())
      return;
    auto waits = epilogue->getBlock()->getOps<RingWaitOp>();
    earlyEpilogues[*waits.begin()].push_back(epilogue);
  });
}

ArrayRef<EpilogueOp> ProgramAnalysis::getEarlyEpilogues(RingWaitOp wait) const {
  auto found = earlyEpilogues.find(wait);
  return found == earlyEpilogues.end() ? ArrayRef<EpilogueOp>()
                                       : ArrayRef(found->second);
}

//===----------------------------------------------------------------------===//
// Unsupported operations
//===----------------------------------------------------------------------===//

/// The CTAs that a copy reaches must differ from this one in any combination of
/// some bits of their rank. Then these bits alone do not say which they are.
static LogicalResult verify(TmaLoadOp op) {
  uint64_t multicast = op.getMulticast(), bits = 0, span = 0;
  for (unsigned rank = 0; rank < 64; ++rank)
    if (multicast >> rank & 1)
      bits |= rank;
  for (unsigned rank = 0; rank < 64; ++rank)
    if (!(rank & ~bits))
      span |= uint64_t(1) << rank;
  if (multicast <= 1 || span == multicast)
    return success();
  return op.emitOpError() << "multicast " << multicast
                          << " cannot be lowered yet: its CTAs must differ "
                             "in any combination of some bits of their rank";
}

static LogicalResult verify(RingReleaseOp op) {
  auto role = op->getParentOfType<RoleOp>();
  if (!hasBarriers(op.getRing()) || !role)
    return success();
  int64_t mask = std::max<int64_t>(1, op.getMulticast());
  int64_t count = llvm::popcount(uint64_t(mask));
  int64_t threads = 32 * role.getNumWarps(), arrivals = op.getArrivals();
  int64_t perArrival = threads / arrivals;
  if (perArrival * arrivals == threads && perArrival >= count)
    return success();
  return op.emitOpError() << "cannot be lowered yet: " << arrivals
                          << " arrivals do not divide " << threads
                          << " threads";
}

LogicalResult tcgemm::verifyLowerable(ProgramOp program) {
  WalkResult result = program.walk([](Operation *op) -> WalkResult {
    if (auto load = dyn_cast<TmaLoadOp>(op))
      return verify(load);
    if (auto release = dyn_cast<RingReleaseOp>(op))
      return verify(release);
    if (auto store = dyn_cast<TmaStoreOp>(op))
      return store.emitOpError() << "cannot be lowered yet";
    return success();
  });
  return failure(result.wasInterrupted());
}
