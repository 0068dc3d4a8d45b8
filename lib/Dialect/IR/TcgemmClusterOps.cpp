//===- TcgemmClusterOps.cpp - Operations of a cluster's CTAs together -----===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

int64_t AccClusterReduceOp::getBytesOfOne() {
  return countAccBytes(getRole(*this), getResult().getType());
}

LogicalResult AccClusterReduceOp::verify() {
  AccType whole = getAcc().getType(), part = getResult().getType();
  if (whole.getLayout() != AccLayout::Wgmma ||
      part.getLayout() != AccLayout::Wgmma || part.getInFlight() ||
      part.getRows() != whole.getRows() || part.getColumns() <= 0 ||
      part.getColumns() % 8 != 0 || whole.getColumns() % part.getColumns() != 0)
    return emitOpError() << "must give an equal part, of a multiple of 8, of "
                            "the columns of a wgmma accumulator, but takes a "
                         << whole << " and gives a " << part;
  int64_t ctas = getCtas(), stride = getStride();
  if (ctas < 2 || !llvm::isPowerOf2_64(ctas) || stride < 1 ||
      !llvm::isPowerOf2_64(stride))
    return emitOpError() << "must be over a power of two of CTAs, at least 2, "
                            "whose ranks are a power of two apart, but is over "
                         << ctas << ", " << stride << " apart";
  if (getParts() > ctas)
    return emitOpError() << "has " << getParts() << " parts, but " << ctas
                         << " CTAs";
  return success();
}

/// Checks that there is one exchange for the whole cluster, because its barrier
/// is used for one phase.
LogicalResult tile_verifier::verifyExchange(AccClusterReduceOp op) {
  if (failed(verifyPlaceOfExchange(op)))
    return failure();
  auto program = op->getParentOfType<ProgramOp>();
  int64_t span = op.getCtas() * op.getStride();
  if (span > int64_t(program.getCluster()))
    return op.emitOpError() << "is over " << span << " ranks of a cluster of "
                            << program.getCluster();
  return success();
}
