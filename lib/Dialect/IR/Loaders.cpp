//===- Loaders.cpp - The type of a loader ---------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/TcgemmDialect.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tcgemm;

LogicalResult LoaderType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 TileType tile, int64_t bytes, bool kContiguous,
                                 int64_t threads, int64_t rowCopies,
                                 bool transposed) {
  if (!llvm::is_contained({1, 2, 4, 8, 16}, bytes))
    return emitError() << "a loader copies 1, 2, 4, 8 or 16 bytes at a time, "
                          "not "
                       << bytes;
  if (bytes * 8 < getStorageBits(tile.getElementType()))
    return emitError() << "a loader of " << tile.getElementType()
                       << " cannot copy " << bytes << " bytes at a time";
  if (threads < 1 || threads > 1024)
    return emitError() << "a loader's threads must be 1 to 1024, but are "
                       << threads;
  int64_t elements = transposed ? tile.getRows() : tile.getColumns();
  int64_t chunks =
      elements * getStorageBits(tile.getElementType()) / (bytes * 8);
  if (rowCopies < 1 || chunks % rowCopies != 0)
    return emitError() << "row_copies = " << rowCopies << " must divide the "
                       << chunks << " copies of a row";
  if (rowCopies > 1 && tile.getSwizzle() != Swizzle::None &&
      tile.getSwizzle() != Swizzle::Pad)
    return emitError() << "row_copies = " << rowCopies
                       << " cannot fill a swizzled " << tile;
  if (!transposed)
    return success();
  if (!kContiguous || bytes * 8 != getStorageBits(tile.getElementType()))
    return emitError() << "a transposed loader copies rows along k element by "
                          "element";
  if (tile.getSwizzle() != Swizzle::None && tile.getSwizzle() != Swizzle::Pad)
    return emitError() << "a transposed loader cannot fill a " << tile;
  return success();
}

int64_t LoaderType::getRows() const {
  return getTransposed() ? getTile().getColumns() : getTile().getRows();
}
int64_t LoaderType::getColumns() const {
  return getTransposed() ? getTile().getRows() : getTile().getColumns();
}
int64_t LoaderType::getVector() const {
  return getBytes() * 8 / getStorageBits(getTile().getElementType());
}
int64_t LoaderType::getChunksPerRow() const {
  return getColumns() / getVector();
}
int64_t LoaderType::getThreadsPerRow() const {
  return getChunksPerRow() / getRowCopies();
}
int64_t LoaderType::getRowsPerPass() const {
  return std::max<int64_t>(1, getThreads() / getThreadsPerRow());
}
int64_t LoaderType::getRowOf(int64_t copy) const {
  return copy / getRowCopies() * getRowsPerPass();
}
int64_t LoaderType::getColumnOf(int64_t copy) const {
  return copy % getRowCopies() * getThreadsPerRow() * getVector();
}
int64_t LoaderType::getNumCopies() const {
  return getRowCopies() *
         llvm::divideCeil(getRows() * getThreadsPerRow(), getThreads());
}
bool LoaderType::hasPartialPass() const {
  return getRows() * getThreadsPerRow() % getThreads() != 0;
}
int64_t LoaderType::getSwizzlePeriod() const {
  return 8 / std::gcd<int64_t>(8, getRowsPerPass());
}

bool LoaderType::roundsElements() const {
  std::optional<ScalarType> type = getScalarType(getTile().getElementType());
  return type && roundsOperands(*type);
}
