//===- ProgramAnalysis.h - Facts about a tile-level program -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of the whole program that the lowering needs before it lowers the
// first operation. They are computed once and do not change.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_PROGRAMANALYSIS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_PROGRAMANALYSIS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// The memory in which the other CTAs of a cluster store their parts of a sum,
/// and the number of bytes from each. The barrier that counts them follows.
struct Inbox {
  int64_t start, bytesOfOne, barrier;
};

/// The offsets of the parts of dynamic shared memory in bytes: the stages of
/// all rings, the staging tiles of roles, the sums that the CTAs of a cluster
/// exchange, those that the roles of a CTA exchange, the scales that warps have
/// ahead, and the barriers of the rings.
struct SharedMemoryPlan {
  explicit SharedMemoryPlan(ProgramOp program);
  int64_t getStages(mlir::Value ring) const {
    return stages.lookup(ring.getDefiningOp());
  }
  int64_t getBarriers(mlir::Value ring) const {
    return barriers.lookup(ring.getDefiningOp());
  }
  int64_t getStaging(RoleOp role) const { return staging.lookup(role); }
  int64_t getScales(ScalesCreateOp op) const { return scales.lookup(op); }
  Inbox getInbox(AccClusterReduceOp op) const { return inboxes.lookup(op); }
  /// The sums that roles send to the role that receives them.
  int64_t getPartSums() const { return partSums; }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> stages;   // by RingCreateOp
  llvm::DenseMap<mlir::Operation *, int64_t> staging;  // by RoleOp
  llvm::DenseMap<mlir::Operation *, int64_t> scales;   // by ScalesCreateOp
  llvm::DenseMap<mlir::Operation *, Inbox> inboxes;    // by AccClusterReduceOp
  llvm::DenseMap<mlir::Operation *, int64_t> barriers; // by RingCreateOp
  int64_t partSums = 0;
};

/// Returns whether mbarriers hand over the stages of the ring.
bool hasBarriers(mlir::TypedValue<RingType> ring);

/// Fails, after a diagnostic, if the program has operations that cannot be
/// lowered.
mlir::LogicalResult verifyLowerable(ProgramOp program);

class ProgramAnalysis {
public:
  explicit ProgramAnalysis(ProgramOp program);

  ProgramOp getProgram() const { return program; }
  const SharedMemoryPlan &getSharedMemory() const { return sharedMemory; }
  /// Returns whether different warps of a CTA run different code.
  bool hasRoles() const { return withRoles; }
  /// Returns whether all copies are loads and stores of the threads. They need
  /// no groups of asynchronous copies and no waits for these.
  bool copiesThroughRegisters() const { return throughRegisters; }
  /// Returns whether the CTAs of a cluster access each other's shared memory
  /// only to sum their accumulators. Then they do not wait for each other when
  /// they start, but before that sum.
  bool syncsClusterLate() const { return lateClusterSync; }
  /// Returns whether the program has a grid.wait: other grids may run when it
  /// starts.
  bool waitsForGrids() const { return withGridWait; }
  /// How many epilogues are staged in shared memory; one in a loop counts as
  /// two.
  unsigned getNumStagings() const { return numStagings; }

  /// The role that contains the operation, or null.
  RoleOp getRole(mlir::Operation *op) const { return roles.lookup(op); }
  /// The epilogues of the role that contains the operation.
  unsigned getNumEpilogues(mlir::Operation *op) const {
    return numEpilogues.lookup(getRole(op));
  }
  /// Returns whether the role must tell the full barrier of this stage how many
  /// bytes TMA brings.
  bool announcesBytes(RingAcquireOp op) const {
    return announcers.contains(op);
  }
  /// Returns whether `ring` is the first one whose barriers are initialised.
  bool isFirstWithBarriers(RingCreateOp ring) const {
    return firstRings.contains(ring);
  }
  /// The operations before which all threads must see the initialised barriers.
  llvm::ArrayRef<mlir::Operation *> getBarrierUsers() const {
    return barrierUsers;
  }
  /// How many threads synchronise at the start of the roles after the barriers
  /// were initialised; 0 if all threads do so before the roles.
  int64_t getRoleStartThreads() const { return roleStartThreads; }
  /// The epilogues whose inputs are read ahead of this wait.
  llvm::ArrayRef<EpilogueOp> getEarlyEpilogues(RingWaitOp wait) const;

private:
  void findRoles();
  void findClusterSync();
  void findCopies();
  void findStagings();
  void findBarrierUsers();
  void findEarlyEpilogues();
  int64_t countRoleStartThreads();

  ProgramOp program;
  SharedMemoryPlan sharedMemory;
  bool withRoles, withGridWait;
  bool throughRegisters = false, lateClusterSync = false;
  unsigned numStagings = 0;
  int64_t roleStartThreads = 0;
  llvm::SmallPtrSet<mlir::Operation *, 2> firstRings, announcers;
  llvm::SmallVector<mlir::Operation *> barrierUsers;
  llvm::DenseMap<mlir::Operation *, RoleOp> roles; // by contained operation
  llvm::DenseMap<mlir::Operation *, unsigned> numEpilogues; // by role
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<EpilogueOp>>
      earlyEpilogues; // by RingWaitOp
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_PROGRAMANALYSIS_H
