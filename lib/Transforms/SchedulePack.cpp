//===- SchedulePack.cpp - Copies an operand to an aligned place -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread writes eight elements, of 16 bits with one 16-byte store. What
// lies beyond K is zero, so that the main program sees a K that is a multiple
// of its copy width. It takes nothing from beyond M and N: whatever is there is
// left there.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"
#include "Schedules.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

static StringRef sizeOf(char dim) {
  return dim == 'm' ? "M" : dim == 'n' ? "N" : "K";
}

ProgramOp tcgemm::buildPackProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                   unsigned operand, StringRef name) {
  ProgramBuilder p(kernel, module, name, kPackThreads);
  auto &b = p.b();
  OperandAttr info = kernel.getOperandInfo(operand);
  StringRef dims = info.getDims();
  char columnDim = dims.back();
  char rowDim = columnDim == 'k' ? (operand ? 'n' : 'm') : 'k';
  Value columns = p.size(sizeOf(columnDim));
  Value packedRows;
  if (dims.contains('b'))
    packedRows = p.expression("rows", b.getI32Type());
  Value pitch = p.expression("pitch", b.getI64Type());
  Value source = p.pointer(operand);
  Value packed = p.workspace("packed", info.getElementType());

  Value flat = p.add(p.mul(p.ext(p.blockId()), p.i64(kPackThreads)),
                     p.ext(p.threadId()));
  Value perRow = p.divU(pitch, p.i64(kPackVector));
  // Remainders by multiplication: a second 64-bit division would cost as much
  // code as the rest of the program.
  Value line = p.divU(flat, perRow);
  Value chunk = p.sub(flat, p.mul(line, perRow));
  Value batch = p.i64(0), row = line;
  if (dims.contains('b')) {
    batch = p.divU(line, p.ext(packedRows));
    row = p.sub(line, p.mul(batch, p.ext(packedRows)));
  }
  Value total = p.mul(p.expression("lines", b.getI64Type()), perRow);
  auto guard =
      b.create<scf::IfOp>(p.cmp(arith::CmpIPredicate::ult, flat, total),
                          /*withElseRegion=*/false);
  b.setInsertionPointToStart(guard.thenBlock());
  // Clamped coordinates make every load valid; those beyond K become zero.
  // There are as many rows as the operand has, but where k is padded for the
  // other operand's sake.
  Value inRow, safeRow = row;
  if (rowDim == 'k' && isKContiguous(kernel, 1 - operand)) {
    Value rows = p.size("K");
    inRow = p.cmp(arith::CmpIPredicate::ult, row, p.ext(rows));
    safeRow = b.create<arith::MinUIOp>(row, p.sub(p.ext(rows), p.i64(1)));
  }
  Value base = p.add(p.mul(batch, p.stride(operand, 'b')),
                     p.mul(safeRow, p.stride(operand, rowDim)));
  Value lastColumn = p.sub(p.ext(columns), p.i64(1));
  // The only place that honours an innermost stride other than 1.
  std::string inner = "A.stride" + std::to_string(dims.size() - 1);
  inner[0] = operand ? 'B' : 'A';
  Value innerStride = p.expression(inner, b.getI64Type());
  Value zero =
      b.create<arith::ConstantOp>(b.getZeroAttr(info.getElementType()));
  SmallVector<Value> elements;
  for (int64_t e = 0; e < kPackVector; ++e) {
    Value column = p.add(p.mul(chunk, p.i64(kPackVector)), p.i64(e));
    Value safe = b.create<arith::MinUIOp>(column, lastColumn);
    Value index = b.create<arith::IndexCastOp>(
        b.getIndexType(), p.add(base, p.mul(safe, innerStride)));
    Value loaded = b.create<memref::LoadOp>(source, index);
    Value inside = inRow;
    if (columnDim == 'k')
      inside = p.cmp(arith::CmpIPredicate::ule, column, lastColumn);
    elements.push_back(inside ? p.select(inside, loaded, zero) : loaded);
  }
  auto vectorType = VectorType::get({kPackVector}, info.getElementType());
  Value vector = b.create<vector::FromElementsOp>(vectorType, elements);
  Value target = b.create<arith::IndexCastOp>(b.getIndexType(),
                                              p.mul(flat, p.i64(kPackVector)));
  b.create<vector::StoreOp>(vector, packed, target);
  b.setInsertionPointAfter(guard);
  return p.finish();
}
