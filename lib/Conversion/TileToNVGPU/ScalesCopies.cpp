//===- ScalesCopies.cpp - Scales by way of shared memory ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalesCopies.h"
#include "ControlFlow.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

/// The rows of a warp among 64 rows of a warpgroup.
static constexpr int64_t kWarpRows = 16;

/// The buffer is the address of the running warp's part.
void ScalesCopies::lower(ScalesCreateOp op) {
  Value warp = b.divU(getThreadInRole(c, op), 32);
  Value offset = b.mul(warp, op.getBuffer().getType().getWarpBytes());
  set(op.getBuffer(),
      createSharedAddress(c, offset, analysis.getSharedMemory().getScales(op)));
}

static Value addBytes(IntegerBuilder &b, Value pointer, Value elements) {
  return b.create<LLVM::GEPOp>(pointer.getType(), b.getF32Type(), pointer,
                               LLVM::GEPArg(elements));
}

Value ScalesCopies::getSlot(Value buffer, Value block) {
  auto type = cast<ScalesBufferType>(buffer.getType());
  Value slot = b.remU(one(block), type.getSlots());
  return addBytes(b, one(buffer), b.mul(slot, type.getSlotElements()));
}

void ScalesCopies::copy(ScalesFetchOp op, Value slot, Value element) {
  Value number = element;
  if (op.getBuffer().getType().getSide() == FragmentRole::A) {
    Value row = b.add(b.mul(b.divU(element, kWarpRows), 4 * kWarpRows),
                      b.remU(element, kWarpRows));
    number = b.add(b.mul(c.warpInGroup(), kWarpRows), row);
  }
  number = b.divU(b.add(one(op.getFirst()), number),
                  op.getBuffer().getType().getScales().getScalesOfBlock());
  Value offset = getVectorOffset(op, number);
  Value base = b.create<arith::IndexCastUIOp>(
      b.getI64Type(),
      b.create<memref::ExtractAlignedPointerAsIndexOp>(one(op.getBase())));
  Value source =
      b.create<LLVM::IntToPtrOp>(LLVM::LLVMPointerType::get(b.getContext(), 1),
                                 b.add(base, b.mul(offset, 4)));
  b.create<NVVM::CpAsyncOp>(
      addBytes(b, slot, element), source, b.getI32IntegerAttr(4),
      NVVM::LoadCacheModifierKindAttr::get(b.getContext(),
                                           NVVM::LoadCacheModifierKind::CA),
      Value());
}

void ScalesCopies::lower(ScalesFetchOp op) {
  int64_t count = op.getBuffer().getType().getSlotElements();
  // Other lanes may still read what was in the slot.
  b.create<NVVM::SyncWarpOp>(b.i32(-1));
  Value slot = getSlot(op.getBuffer(), op.getBlock());
  for (int64_t first = 0; first < count; first += 32) {
    Value element = b.add(c.laneId(), first);
    if (count - first >= 32)
      copy(op, slot, element);
    else
      buildIf(b, b.lessU(element, b.i32(count)),
              [&] { copy(op, slot, element); });
  }
}

void ScalesCopies::lower(ScalesCommitOp op) {
  b.create<NVVM::CpAsyncCommitGroupOp>();
}

void ScalesCopies::lower(ScalesReadOp op) {
  ScalesType type = op.getScales().getType();
  b.create<NVVM::CpAsyncWaitGroupOp>(uint32_t(op.getPending()));
  b.create<NVVM::SyncWarpOp>(b.i32(-1));
  Value slot = getSlot(op.getBuffer(), op.getBlock());
  Values loaded;
  for (int64_t i = 0; i < type.getNumRegisters(); ++i) {
    Value element =
        type.getSide() == FragmentRole::A
            ? b.add(b.divU(c.laneId(), 4), i / 2 * kWarpRows + i % 2 * 8)
            : b.i32(i);
    loaded.push_back(
        b.create<LLVM::LoadOp>(b.getF32Type(), addBytes(b, slot, element)));
  }
  set(op.getScales(), loaded);
}
