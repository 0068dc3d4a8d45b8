//===- EpilogueAccess.cpp - Buffers of an epilogue ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueAccess.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

StringRef EpilogueAccess::getDims(unsigned buffer) {
  return cast<StringAttr>(op.getDims()[buffer]).getValue();
}

unsigned EpilogueAccess::getFirstStride(unsigned buffer) {
  unsigned stride = 0;
  for (unsigned i = 0; i < buffer; ++i)
    stride += getDims(i).empty() ? 0 : getDims(i).size() - 1;
  return stride;
}

Value EpilogueAccess::getStride(unsigned buffer, char dim) {
  return one(
      op.getStrides()[getFirstStride(buffer) + getDims(buffer).find(dim)]);
}

Value EpilogueAccess::getBuffer(unsigned buffer) {
  unsigned inputs = op.getInputs().size();
  return one(buffer < inputs ? op.getInputs()[buffer]
                             : op.getOutputs()[buffer - inputs]);
}

Type EpilogueAccess::getElementType(unsigned buffer) {
  return cast<MemRefType>(getBuffer(buffer).getType()).getElementType();
}

Value tcgemm::getOuterCoordinate(LoweringContext &c, char dim, Value batch,
                                 ValueRange outer) {
  return c.one(dim == 'b' ? batch : outer[kOuterLetters.find(dim) - 1]);
}

Value tcgemm::createElementAddress(
    LoweringContext &c, StringRef dims, ValueRange strides,
    llvm::function_ref<Value(char)> getCoordinate) {
  IntegerBuilder &b = c.b;
  Value address = b.i64(0);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Value coordinate = b.ext(getCoordinate(dim));
    if (i + 1 < dims.size())
      coordinate = b.mul(coordinate, c.one(strides[i]));
    address = b.add(address, coordinate);
  }
  return address;
}

Value EpilogueAccess::getAddress(unsigned buffer, Value m, Value n) {
  return createElementAddress(
      c, getDims(buffer), op.getStrides().drop_front(getFirstStride(buffer)),
      [&](char dim) {
        return dim == 'm' ? m
               : dim == 'n'
                   ? n
                   : getOuterCoordinate(c, dim, op.getBatch(), op.getOuter());
      });
}

Value EpilogueAccess::isVectorizable(unsigned buffer, int64_t vector) {
  StringRef dims = getDims(buffer);
  Type element = getElementType(buffer);
  // LLVM's vectors of i1 have eight elements in a byte, and its i1 takes one.
  if (dims.empty() || dims.back() != 'n' || !element.isIntOrFloat() ||
      element.isInteger(1))
    return nullptr;
  unsigned stride = getFirstStride(buffer);
  int64_t bytes = vector * element.getIntOrFloatBitWidth() / 8;
  Value address =
      b.create<memref::ExtractAlignedPointerAsIndexOp>(getBuffer(buffer));
  Value rest =
      b.remU(b.create<arith::IndexCastUIOp>(b.getI64Type(), address), bytes);
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    rest = b.bitOr(rest, b.remU(one(op.getStrides()[stride + i]), vector));
  return b.equal(rest, b.i64(0));
}

Value EpilogueAccess::canStoreRuns(unsigned buffer, int64_t run) {
  Value fits = b.equal(b.remU(one(op.getExtentN()), run), b.i32(0));
  return b.bitAnd(isVectorizable(buffer, run), fits);
}

Value EpilogueAccess::isInside(Value m, Value n) {
  return b.bitAnd(b.lessU(m, one(op.getExtentM())),
                  b.lessU(n, one(op.getExtentN())));
}

Value EpilogueAccess::isWhole() {
  AccType acc = op.getAcc().getType();
  int64_t rows = acc.getRowExtent(), columns = acc.getColumnExtent();
  if (op.getTransposed())
    std::swap(rows, columns);
  auto fits = [&](Value origin, int64_t size, Value extent) {
    return b.lessEqualU(b.add(origin, size), extent);
  };
  return b.bitAnd(fits(one(op.getM()), rows, one(op.getExtentM())),
                  fits(one(op.getN()), columns, one(op.getExtentN())));
}
