//===- TileLoweringClusterReduce.cpp - Sums over a cluster's CTAs ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each CTA owns a part of the accumulator's columns, which is a part of every
// thread's registers. It stores its registers of the others' parts in their
// shared memory: [CTA that sends][4 registers][thread], so that neither side
// has bank conflicts. The stores tell the owner's barrier of their bytes
// themselves, which saves the fence and the arrival that plain stores would
// need.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

static constexpr int64_t kQuadBytes = 16;

Value TileLowering::inboxBarrier(AccClusterReduceOp op) {
  return sharedAddress({}, layout.inboxes.lookup(op) +
                               (op.getCtas() - 1) * op.getBytesOfOne());
}

/// Makes the barrier that counts what the others send; one thread runs this.
void TileLowering::createInbox(AccClusterReduceOp op) {
  Value barrier = inboxBarrier(op);
  b.create<NVVM::MBarrierInitOp>(barrier, b.i32(1), Value());
  b.create<NVVM::MBarrierArriveExpectTxOp>(
      Type(), barrier, b.i32((op.getCtas() - 1) * op.getBytesOfOne()),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

/// Stores the registers of a part that belongs to another CTA.
void TileLowering::sendPart(AccClusterReduceOp op, int64_t part,
                            ArrayRef<Value> values) {
  Value rank = one(op.getRank());
  Value target = b.add(
      clusterRank(), b.mul(b.sub(b.i32(part), rank), int64_t(op.getStride())));
  // The owner has no place among those that send to it.
  Value isBehind = b.cmp(arith::CmpIPredicate::ugt, rank, b.i32(part));
  Value sender = b.select(isBehind, b.sub(rank, b.i32(1)), rank);
  auto map = [&](Value address) {
    Value local = b.create<LLVM::PtrToIntOp>(b.getI32Type(), address);
    return b
        .create<LLVM::InlineAsmOp>(
            b.getI32Type(), ValueRange{local, target},
            "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
            /*has_side_effects=*/false, /*is_align_stack=*/false,
            LLVM::TailCallKind::None,
            LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
            ArrayAttr())
        .getRes();
  };
  Value barrier = map(inboxBarrier(op));
  Value place =
      b.add(b.mul(sender, op.getBytesOfOne()), b.mul(roleThread(), kQuadBytes));
  Value address = map(sharedAddress(place, layout.inboxes.lookup(op)));
  int64_t step = 32 * role.getNumWarps() * kQuadBytes;
  for (size_t i = 0; i < values.size(); i += 4) {
    SmallVector<Value> operands(values.slice(i, 4));
    operands.append({address, barrier});
    std::string text = llvm::formatv(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 "
        "[$4 + {0}], {{$0, $1, $2, $3}, [$5];",
        i / 4 * step);
    emitAssembly(text, "f,f,f,f,r,r,~{memory}", 0, operands);
  }
}

/// This CTA's part of the sum: its own registers and what the others sent.
SmallVector<Value>
TileLowering::receiveParts(AccClusterReduceOp op,
                           ArrayRef<SmallVector<Value>> parts) {
  spin(inboxBarrier(op), b.i32(0));
  SmallVector<Value> sums = choosePart(parts, one(op.getRank()), 0);
  auto quadType = VectorType::get({4}, b.getF32Type());
  int64_t step = 32 * role.getNumWarps() * kQuadBytes;
  for (int64_t sender = 0; sender + 1 < int64_t(op.getCtas()); ++sender)
    for (size_t i = 0; i < sums.size(); i += 4) {
      Value address = sharedAddress(b.mul(roleThread(), kQuadBytes),
                                    layout.inboxes.lookup(op) +
                                        sender * op.getBytesOfOne() +
                                        int64_t(i) / 4 * step);
      Value quad = b.create<LLVM::LoadOp>(quadType, address, kQuadBytes);
      for (int64_t j = 0; j < 4; ++j) {
        Value &sum = sums[i + j];
        sum =
            b.create<arith::AddFOp>(sum, b.create<vector::ExtractOp>(quad, j));
      }
    }
  return sums;
}

void TileLowering::lower(AccClusterReduceOp op) {
  if (gathersLate)
    b.create<NVVM::ClusterWaitOp>(b.getUnitAttr());
  // A thread's registers: four for each 8 columns of 64 rows.
  ArrayRef<Value> registers = all(op.getAcc());
  int64_t across = op.getAcc().getType().getColumns() / 8;
  int64_t perPart = op.getResult().getType().getColumns() / 8;
  SmallVector<SmallVector<Value>> parts(op.getParts());
  for (size_t i = 0; i < registers.size(); ++i)
    parts[i / 4 % across / perPart].push_back(registers[i]);
  Value rank = one(op.getRank());
  for (auto [part, values] : llvm::enumerate(parts)) {
    Value isOther = b.cmp(arith::CmpIPredicate::ne, rank, b.i32(part));
    auto branch = b.create<scf::IfOp>(isOther, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(branch.thenBlock());
    sendPart(op, part, values);
  }
  auto receive = [&] { return receiveParts(op, parts); };
  if (int64_t(op.getCtas()) == op.getParts())
    return set(op.getResult(), receive());
  Value isOwner = b.cmp(arith::CmpIPredicate::ult, rank, b.i32(op.getParts()));
  set(op.getResult(), choose(isOwner, ValueRange(parts.front()).getTypes(),
                             receive, [&] { return parts.front(); }));
}
