//===- Bands.cpp - Kernels whose operands are bands -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/Bands.h"
#include "Verifier/TileVerifier.h"
#include "mlir/IR/DialectImplementation.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/Instructions.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Attribute
//===----------------------------------------------------------------------===//

Attribute BandAttr::parse(AsmParser &parser, Type) {
  std::string text;
  SMLoc location;
  if (parser.parseLess())
    return {};
  location = parser.getCurrentLocation();
  if (parser.parseString(&text) || parser.parseGreater())
    return {};
  llvm::Expected<Band> band = Band::parse(text);
  if (!band) {
    parser.emitError(location) << llvm::toString(band.takeError());
    return {};
  }
  return get(parser.getContext(), *band);
}

void BandAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getValue().str());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult BandOp::verify() {
  if (getMatrix().getType().getRank() < 2)
    return emitOpError() << "needs a matrix with two dimensions or more, but "
                            "it has the type "
                         << getMatrix().getType();
  return success();
}

/// Checks an operation that replaces elements of a tile by zeros.
template <typename Op> static LogicalResult verifyZeros(Op op) {
  RingType ring = op.getRing().getType();
  if (failed(tile_verifier::verifyToken(op, op.getToken().getType(),
                                        TokenKind::Read)))
    return failure();
  if (ring.getKind() != RingKind::MBarrier)
    return op.emitOpError() << "is for mbarrier rings";
  if (op.getTile() >= ring.getTiles().size())
    return op.emitOpError() << "has the tile " << op.getTile()
                            << ", but a stage has " << ring.getTiles().size();
  TileType tile = ring.getTiles()[op.getTile()];
  int64_t stack = op.getStack();
  if (stack < 0 || (stack && int64_t(tile.getRows()) % stack))
    return op.emitOpError() << "has boxes of " << stack
                            << " rows, but the tile has " << tile.getRows();
  Type element = tile.getElementType();
  if (getStorageBits(element) < 8)
    return op.emitOpError()
           << "masks elements of 8 bits or more, but those of the tile are "
           << element;
  return success();
}

LogicalResult RingMaskOp::verify() { return verifyZeros(*this); }

LogicalResult RingTrimOp::verify() { return verifyZeros(*this); }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static LogicalResult verifyBands(KernelOp op) {
  for (unsigned operand : {0, 1}) {
    if (!op.getBand(operand))
      continue;
    Type type = op.getOperandInfo(operand).getElementType();
    ScalarType scalar = *getScalarType(type);
    if (getPackedElements(scalar) > 1 || isSplitType(scalar))
      return op.emitOpError()
             << "operand " << operand << ": it has a band, but elements of "
             << type << " share bytes or are split into parts";
  }
  auto isUnit = [&](unsigned operand) {
    return op.getBand(operand) && op.getBand(operand).getValue().isUnit;
  };
  if (isUnit(0) && isUnit(1))
    return op.emitOpError() << "has two bands with ones on the diagonal, but "
                               "at most one may be such";
  return success();
}

/// A symmetric result is that of an epilogue which is the same for an element
/// and its reflection.
static LogicalResult verifySymmetric(KernelOp op) {
  if (op.getM() != op.getN())
    return op.emitOpError() << "is symmetric, but M is " << op.getM()
                            << " and N is " << op.getN();
  for (unsigned i = 2; i < op.getNumOperandInfos(); ++i) {
    OperandAttr info = op.getOperandInfo(i);
    if (info.getRole() == OperandRole::Scalar)
      continue;
    // All others are outputs.
    if (!info.getDims().ends_with("mn"))
      return op.emitOpError()
             << "operand " << i << ": outputs of a symmetric kernel have "
             << "dimensions that end with 'mn', but this has '"
             << info.getDims() << "'";
  }
  WalkResult found =
      op.getEpilogue().walk([](IndexOp) { return WalkResult::interrupt(); });
  if (found.wasInterrupted())
    return op.emitOpError() << "is symmetric, but its epilogue reads a "
                               "coordinate";
  return success();
}

LogicalResult tcgemm::verifyStructure(KernelOp op) {
  if (failed(verifyBands(op)))
    return failure();
  return op.getSymmetric() ? verifySymmetric(op) : success();
}
