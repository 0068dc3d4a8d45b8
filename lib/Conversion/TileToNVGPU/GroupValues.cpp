//===- GroupValues.cpp - Scales and zero points of groups -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register has the bits of a value as they were loaded. A conversion at the
// load would wait for it.
//
//===----------------------------------------------------------------------===//

#include "GroupValues.h"
#include "InlineAssembly.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

/// The lanes of a row, each of which has another group.
static constexpr int64_t kLanes = 4;

/// Loads `bits` bits, or zero unless `exists`.
static Value loadBits(IntegerBuilder &b, Value address, unsigned bits,
                      Value exists) {
  std::string text = llvm::formatv("{{\n"
                                   ".reg .pred exists;\n"
                                   "setp.ne.b32 exists, $2, 0;\n"
                                   "mov.b32 $0, 0;\n"
                                   "@exists ld.global.{0}{1} $0, [$1];\n"
                                   "}",
                                   bits < 32 ? "u" : "b", bits);
  return createAssembly(b, text, "=&r,l,r", b.getI32Type(),
                        {address, b.extBool(exists)});
}

void GroupValues::lower(GroupValuesLoadOp op) {
  GroupValuesType type = op.getValues().getType();
  unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  Value lane = c.laneId();
  Value group =
      b.add(b.bitAnd(one(op.getGroup()), b.i32(-kLanes)), b.remU(lane, kLanes));
  Value exists = b.lessU(group, one(op.getGroups()));
  // Each warp of a warpgroup has 16 of 64 rows.
  Value first = b.add(one(op.getFirst()),
                      b.add(b.mul(c.warpInGroup(), 16), b.divU(lane, kLanes)));
  Value last = b.sub(one(op.getEnd()), b.i32(1));
  Value offset =
      b.add(one(op.getOffset()), b.mul(b.ext(group), one(op.getGroupStride())));
  Value base = b.create<arith::IndexCastUIOp>(
      b.getI64Type(),
      b.create<memref::ExtractAlignedPointerAsIndexOp>(one(op.getBase())));
  ScalesType rows =
      ScalesType::get(b.getContext(), FragmentRole::A, type.getRows());
  Values loaded;
  for (int64_t i = 0; i < type.getNumRegisters(); ++i) {
    Value row = b.minU(b.add(first, rows.getDistance(i)), last);
    Value element = b.add(offset, b.mul(b.ext(row), one(op.getStride())));
    loaded.push_back(
        loadBits(b, b.add(base, b.mul(element, bits / 8)), bits, exists));
  }
  set(op.getValues(), loaded);
}

Values GroupValues::select(Value values, Value group) {
  // Lanes exchange with the others of their four. The number is taken modulo 4.
  constexpr int64_t segments = (32 - kLanes) << 8 | 31;
  Values selected;
  for (Value value : all(values))
    selected.push_back(b.create<NVVM::ShflOp>(b.getI32Type(), b.i32(-1), value,
                                              one(group), b.i32(segments),
                                              NVVM::ShflKind::idx, UnitAttr()));
  return selected;
}

void GroupValues::lower(ScalesSelectOp op) {
  auto type = cast<FloatType>(op.getValues().getType().getElementType());
  Values scales = select(op.getValues(), op.getGroup());
  for (Value &scale : scales) {
    if (type.getWidth() < 32)
      scale =
          b.create<arith::TruncIOp>(b.getIntegerType(type.getWidth()), scale);
    scale = b.create<arith::BitcastOp>(type, scale);
    if (type.getWidth() < 32)
      scale = b.create<arith::ExtFOp>(b.getF32Type(), scale);
  }
  set(op.getScales(), scales);
}

void GroupValues::lower(ZeroPointsSelectOp op) {
  Values zeros = select(op.getValues(), op.getGroup());
  for (Value &zero : zeros)
    if (!op.getIsUnsigned())
      zero = b.create<arith::ExtSIOp>(
          b.getI32Type(), b.create<arith::TruncIOp>(b.getI8Type(), zero));
  set(op.getZeroPoints(), zeros);
}
