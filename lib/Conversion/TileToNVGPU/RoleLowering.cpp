//===- RoleLowering.cpp - Roles of warps ----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A role becomes a branch on the number of the warp, which a shuffle makes
// uniform, so that ptxas sees warps that never diverge. One elected thread runs
// a producer's code, or its TMA copies where all of its threads copy.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "Families.h"
#include "MBarriers.h"
#include "Roles.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Executing threads
//===----------------------------------------------------------------------===//

Value tcgemm::getThreadInRole(LoweringContext &c, Operation *op) {
  return c.b.sub(c.threadId(),
                 c.b.i32(32 * c.analysis.getRole(op).getWarps()[0]));
}

Value tcgemm::getGroupInRole(LoweringContext &c, Operation *op) {
  int64_t first = c.analysis.getRole(op).getWarps()[0];
  return c.b.divU(c.b.sub(c.uniformWarpId(), c.b.i32(first)), 4);
}

Value tcgemm::createClusterRank(IntegerBuilder &b) {
  return b.create<NVVM::ClusterId>(b.getI32Type());
}

void tcgemm::enterLeader(LoweringContext &c, RoleOp role) {
  if (Value leader = c.leaders.lookup(role))
    enterIf(c.b, leader);
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

namespace {
class RoleLowering : public Lowering {
public:
  using Lowering::Lowering;
  void lower(RoleOp op);
  void lower(ElectOp op);
  void lower(WarpgroupOp op) { set(op.getNumber(), getGroupInRole(c, op)); }
  void lower(OrderWaitOp op);
  void lower(OrderArriveOp op);
  void lower(GridWaitOp op);
  void lower(GridLaunchDependentsOp op);

private:
  int64_t getLaunchedRegisters();
  void setRegisters(RoleOp role);
  void enterRole(RoleOp role);
  Value isInFirstWarp(RoleOp role);
  Value electThread();
};
} // namespace

/// The registers of a thread when the kernel starts.
int64_t RoleLowering::getLaunchedRegisters() {
  ProgramOp program = analysis.getProgram();
  if (int64_t given = program.getMaxRegisters())
    return given;
  const ChipInfo &chip = llvm::cantFail(lookupChip(program.getChip()));
  int64_t ctas = std::max<int64_t>(1, program.getMinCtas());
  return llvm::alignDown(
      std::min(chip.maxRegistersPerThread,
               chip.registersPerSM / (ctas * int64_t(program.getThreads()))),
      8);
}

void RoleLowering::setRegisters(RoleOp role) {
  int64_t launched = getLaunchedRegisters();
  int64_t registers = role.getRegisters().value_or(launched);
  if (registers != launched)
    b.create<NVVM::SetMaxRegisterOp>(
        registers, registers > launched ? NVVM::SetMaxRegisterAction::increase
                                        : NVVM::SetMaxRegisterAction::decrease);
}

Value RoleLowering::isInFirstWarp(RoleOp role) {
  return b.equal(c.uniformWarpId(), b.i32(role.getWarps()[0]));
}

Value RoleLowering::electThread() {
  return b.create<NVVM::ElectSyncOp>(b.getI1Type(), Value());
}

/// Restricts execution to the threads that run the role's code.
void RoleLowering::enterRole(RoleOp role) {
  if (role.getKind() == RoleKind::Consumer)
    return awaitBarrierInitInRole(c, role);
  if (role.copiesByThreads()) {
    Value isFirst = isInFirstWarp(role);
    c.leaders[role] = b.bitAnd(isFirst, electThread());
    return;
  }
  enterIf(b, isInFirstWarp(role));
  awaitBarrierInitInRole(c, role);
  // The thread that initialised the barriers need not wait for them.
  enterIf(b, analysis.getRoleStartThreads() ? c.barrierThread : electThread());
}

void RoleLowering::lower(RoleOp op) {
  int64_t first = op.getWarps()[0], count = op.getNumWarps();
  Value isMember =
      b.lessU(b.sub(c.uniformWarpId(), b.i32(first)), b.i32(count));
  OpBuilder::InsertionGuard scope(b);
  scf::IfOp branch = enterIf(b, isMember);
  setRegisters(op);
  enterRole(op);
  c.inlineBlock(op.getBody().front());
  if (analysis.syncsClusterLate() && op.getKind() == RoleKind::Producer) {
    // A thread that has arrived at the cluster's barrier must also wait there.
    b.setInsertionPoint(branch.thenYield());
    b.create<NVVM::ClusterWaitOp>(UnitAttr());
  }
}

void RoleLowering::lower(ElectOp op) {
  OpBuilder::InsertionGuard scope(b);
  enterIf(b, isInFirstWarp(analysis.getRole(op)));
  enterIf(b, electThread());
  c.inlineBlock(op.getBody().front());
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// Barriers from the last on; the warpgroups' own are the first ones.
static int64_t getOrderBarrier(int64_t turn) { return 15 - turn; }

void RoleLowering::lower(OrderWaitOp op) {
  b.create<NVVM::BarrierOp>(Type(), b.i32(getOrderBarrier(op.getTurn())),
                            b.i32(op.getThreads()),
                            NVVM::BarrierReductionAttr(), Value());
}

void RoleLowering::lower(OrderArriveOp op) {
  b.create<NVVM::BarrierArriveOp>(b.i32(getOrderBarrier(op.getTurn())),
                                  b.i32(op.getThreads()));
}

void RoleLowering::lower(GridWaitOp) {
  b.create<NVVM::GriddepcontrolOp>(NVVM::GridDepActionKind::wait);
}

void RoleLowering::lower(GridLaunchDependentsOp) {
  b.create<NVVM::GriddepcontrolOp>(NVVM::GridDepActionKind::launch_dependents);
}

void tcgemm::populateRolePatterns(LoweringContext &c,
                                  RewritePatternSet &patterns) {
  addFamily<RoleLowering, RoleOp, ElectOp, WarpgroupOp, OrderWaitOp,
            OrderArriveOp, GridWaitOp, GridLaunchDependentsOp>(c, patterns);
}
