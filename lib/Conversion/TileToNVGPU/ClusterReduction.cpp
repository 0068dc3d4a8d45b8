//===- ClusterReduction.cpp - Sums over the CTAs of a cluster -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each CTA owns a slice of the accumulator's columns, which is a slice of every
// thread's registers. It stores its registers of the others' slices in their
// shared memory: [CTA that sends][4 registers][thread], so that neither side
// has bank conflicts. The stores tell the owner's barrier of their bytes
// themselves, which saves the fence and the arrival that plain stores would
// need.
//
//===----------------------------------------------------------------------===//

#include "ClusterReduction.h"
#include "ControlFlow.h"
#include "InlineAssembly.h"
#include "MBarriers.h"
#include "Reductions.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

static constexpr int64_t kQuadBytes = 16;

/// The address, in the cluster's shared memory, of what has this address in the
/// CTA's.
Value ClusterReduction::mapToOwner(Value address, Value owner) {
  Value local = b.create<LLVM::PtrToIntOp>(b.getI32Type(), address);
  return createAssembly(b, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
                        b.getI32Type(), ValueRange{local, owner},
                        /*hasSideEffects=*/false);
}

/// Bytes of four registers of all threads of the role.
static int64_t getQuadBytes(const ProgramAnalysis &analysis, Operation *op) {
  return 32 * analysis.getRole(op).getNumWarps() * kQuadBytes;
}

/// Stores the registers of a slice that belongs to another CTA.
void ClusterReduction::send(AccClusterReduceOp op, int64_t slice,
                            ArrayRef<Value> values) {
  Inbox inbox = analysis.getSharedMemory().getInbox(op);
  Value rank = one(op.getRank());
  Value owner = b.add(createClusterRank(b), b.mul(b.sub(b.i32(slice), rank),
                                                  int64_t(op.getStride())));
  // The owner is not among those that send to it.
  Value isBehind = b.cmp(arith::CmpIPredicate::ugt, rank, b.i32(slice));
  Value sender = b.select(isBehind, b.sub(rank, b.i32(1)), rank);
  Value barrier = mapToOwner(createInboxBarrierAddress(c, op), owner);
  Value offset = b.add(b.mul(sender, inbox.bytesOfOne),
                       b.mul(getThreadInRole(c, op), kQuadBytes));
  Value address =
      mapToOwner(createSharedAddress(c, offset, inbox.start), owner);
  for (size_t i = 0; i < values.size(); i += 4) {
    Values operands(values.slice(i, 4));
    operands.append({address, barrier});
    bool isFloat = isa<FloatType>(values.front().getType());
    std::string text = llvm::formatv(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.{0} "
        "[$4 + {1}], {{$0, $1, $2, $3}, [$5];",
        isFloat ? "f32" : "s32", i / 4 * getQuadBytes(analysis, op));
    createAssembly(b, text,
                   isFloat ? "f,f,f,f,r,r,~{memory}" : "r,r,r,r,r,r,~{memory}",
                   TypeRange(), operands);
  }
}

/// This CTA's slice of the sum: its own registers and what the others sent.
Values ClusterReduction::receive(AccClusterReduceOp op,
                                 ArrayRef<Values> slices) {
  Inbox inbox = analysis.getSharedMemory().getInbox(op);
  waitForPhase(b, createInboxBarrierAddress(c, op), b.i32(0));
  Values sums = selectSlice(b, slices, one(op.getRank()));
  for (int64_t sender = 0; sender + 1 < int64_t(op.getCtas()); ++sender)
    for (size_t i = 0; i < sums.size(); i += 4) {
      Value address =
          createSharedAddress(c, b.mul(getThreadInRole(c, op), kQuadBytes),
                              inbox.start + sender * inbox.bytesOfOne +
                                  int64_t(i) / 4 * getQuadBytes(analysis, op));
      addQuad(b, MutableArrayRef<Value>(sums).slice(i, 4), address);
    }
  return sums;
}

void ClusterReduction::lower(AccClusterReduceOp op) {
  if (analysis.syncsClusterLate())
    b.create<NVVM::ClusterWaitOp>(b.getUnitAttr());
  // A thread's registers: four for each 8 columns of 64 rows.
  ArrayRef<Value> registers = all(op.getAcc());
  int64_t across = op.getAcc().getType().getColumns() / 8;
  int64_t perSlice = op.getResult().getType().getColumns() / 8;
  SmallVector<Values> slices(op.getParts());
  for (size_t i = 0; i < registers.size(); ++i)
    slices[i / 4 % across / perSlice].push_back(registers[i]);
  Value rank = one(op.getRank());
  for (auto [slice, values] : llvm::enumerate(slices))
    buildIf(b, b.notEqual(rank, b.i32(slice)),
            [&, slice = slice, &values = values] { send(op, slice, values); });
  if (int64_t(op.getCtas()) == op.getParts())
    return set(op.getResult(), receive(op, slices));
  Value isOwner = b.lessU(rank, b.i32(op.getParts()));
  set(op.getResult(),
      buildIfElse(
          b, isOwner, ValueRange(slices.front()).getTypes(),
          [&] { return receive(op, slices); }, [&] { return slices.front(); }));
}
