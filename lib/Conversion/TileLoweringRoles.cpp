//===- TileLoweringRoles.cpp - Roles of warps -*- C++ -*-===//
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

#include "TileLowering.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

tcgemm::SharedPlan::SharedPlan(ProgramOp program) {
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
    inboxes[reduce] = offset;
    offset += reduce.getInboxBytes();
  });
  for (RingCreateOp ring : body.getOps<RingCreateOp>()) {
    barriers[ring] = offset;
    offset += ring.getRing().getType().getBarrierBytes();
  }
}

Value TileLowering::createSharedBase() {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                               MemRefLayoutAttrInterface(), space);
  Value memory = b.create<gpu::DynamicSharedMemoryOp>(bytes);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 3);
  return b.create<UnrealizedConversionCastOp>(pointer, memory).getResult(0);
}

Value TileLowering::sharedAddress(Value offset, int64_t constant) {
  Value address = sharedBase;
  if (offset)
    address = b.create<LLVM::GEPOp>(address.getType(), b.getI8Type(), address,
                                    LLVM::GEPArg(offset));
  if (constant)
    address = b.create<LLVM::GEPOp>(address.getType(), b.getI8Type(), address,
                                    LLVM::GEPArg(int32_t(constant)));
  return address;
}

//===----------------------------------------------------------------------===//
// Who runs
//===----------------------------------------------------------------------===//

Value TileLowering::uniformWarp() {
  Value number = b.divU(threadId(), 32);
  return b.create<NVVM::ShflOp>(b.getI32Type(), b.i32(-1), number, b.i32(0),
                                b.i32(31), NVVM::ShflKind::idx, UnitAttr());
}

Value TileLowering::clusterRank() {
  return b.create<NVVM::ClusterId>(b.getI32Type());
}

Value TileLowering::roleThread() {
  return b.sub(threadId(), b.i32(32 * role.getWarps()[0]));
}

/// The number of the running warpgroup in its role.
Value TileLowering::roleGroup() {
  return b.divU(b.sub(warp, b.i32(role.getWarps()[0])), 4);
}

/// Registers a thread that the kernel starts with.
int64_t TileLowering::getLaunchedRegisters() {
  if (int64_t given = program.getMaxRegisters())
    return given;
  const ChipInfo &chip = llvm::cantFail(lookupChip(program.getChip()));
  int64_t ctas = std::max<int64_t>(1, program.getMinCtas());
  return llvm::alignDown(
      std::min(chip.maxRegistersPerThread,
               chip.registersPerSM / (ctas * int64_t(program.getThreads()))),
      8);
}

LogicalResult TileLowering::lower(RoleOp op) {
  role = op;
  int64_t first = op.getWarps()[0], count = op.getNumWarps();
  Value isMember =
      b.cmp(arith::CmpIPredicate::ult, b.sub(warp, b.i32(first)), b.i32(count));
  auto branch = b.create<scf::IfOp>(isMember, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.thenBlock());
  int64_t launched = getLaunchedRegisters();
  int64_t registers = op.getRegisters().value_or(launched);
  if (registers != launched)
    b.create<NVVM::SetMaxRegisterOp>(
        registers, registers > launched ? NVVM::SetMaxRegisterAction::increase
                                        : NVVM::SetMaxRegisterAction::decrease);
  if (op.getKind() == RoleKind::Consumer) {
    awaitBarriersInRole();
  } else if (op.copiesByThreads()) {
    leader = isOneThread();
  } else {
    enterFirstWarp();
    awaitBarriersInRole();
    // That has made the barriers, which it then need not wait for.
    enterElected(rolesAwaitBarriers ? elected : Value());
  }
  LogicalResult result = lowerBlock(op.getBody().front());
  if (gathersLate && op.getKind() == RoleKind::Producer) {
    // Who has arrived at the cluster's barrier also waits there.
    b.setInsertionPoint(branch.thenYield());
    b.create<NVVM::ClusterWaitOp>(UnitAttr());
  }
  role = nullptr;
  leader = nullptr;
  return result;
}

Value TileLowering::isFirstWarp() {
  return b.cmp(arith::CmpIPredicate::eq, warp, b.i32(role.getWarps()[0]));
}

Value TileLowering::isOneThread() {
  Value isFirst = isFirstWarp();
  Value elected = b.create<NVVM::ElectSyncOp>(b.getI1Type(), Value());
  return b.bitAnd(isFirst, elected);
}

void TileLowering::enterFirstWarp() {
  auto inWarp = b.create<scf::IfOp>(isFirstWarp(), /*withElseRegion=*/false);
  b.setInsertionPointToStart(inWarp.thenBlock());
}

void TileLowering::enterElected(Value known) {
  Value isElected =
      known ? known : b.create<NVVM::ElectSyncOp>(b.getI1Type(), Value());
  auto inThread = b.create<scf::IfOp>(isElected, /*withElseRegion=*/false);
  b.setInsertionPointToStart(inThread.thenBlock());
}

void TileLowering::enterLeader() {
  if (!leader)
    return;
  auto branch = b.create<scf::IfOp>(leader, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
}

LogicalResult TileLowering::lower(ElectOp op) {
  OpBuilder::InsertionGuard scope(b);
  enterFirstWarp();
  enterElected();
  return lowerBlock(op.getBody().front());
}

void TileLowering::lower(WarpgroupOp op) { set(op.getNumber(), roleGroup()); }

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void TileLowering::lower(ClusterSyncOp) {
  if (program.getCluster() == 1)
    return;
  // Not aligned: threads that were not elected may be ahead of their warp's
  // others.
  b.create<NVVM::ClusterArriveOp>(UnitAttr());
  b.create<NVVM::ClusterWaitOp>(UnitAttr());
}

/// Barriers from the last on; the warpgroups' own are the first ones.
static int64_t getOrderBarrier(int64_t turn) { return 15 - turn; }

void TileLowering::lower(OrderWaitOp op) {
  b.create<NVVM::BarrierOp>(Type(), b.i32(getOrderBarrier(op.getTurn())),
                            b.i32(op.getThreads()),
                            NVVM::BarrierReductionAttr(), Value());
}

void TileLowering::lower(OrderArriveOp op) {
  b.create<NVVM::BarrierArriveOp>(b.i32(getOrderBarrier(op.getTurn())),
                                  b.i32(op.getThreads()));
}

//===----------------------------------------------------------------------===//
// Other grids
//===----------------------------------------------------------------------===//

void TileLowering::lower(GridWaitOp) {
  b.create<NVVM::GriddepcontrolOp>(NVVM::GridDepActionKind::wait);
}

void TileLowering::lower(GridLaunchDependentsOp) {
  b.create<NVVM::GriddepcontrolOp>(NVVM::GridDepActionKind::launch_dependents);
}
