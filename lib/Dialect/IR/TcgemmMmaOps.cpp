//===- TcgemmMmaOps.cpp - Products of fragments and tiles -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "tcgemm/Dialect/ElementRegion.h"
#include "tcgemm/Target/GroupTypes.h"
#include "tcgemm/Target/Instructions.h"

using namespace mlir;
using namespace tcgemm;
using tile_verifier::verifyTileIndex;
using tile_verifier::verifyToken;

LogicalResult FragmentMapOp::verify() {
  FragmentType type = getFragment().getType();
  if (getWmmaShape(type.getLayout()))
    return emitOpError() << "cannot change a " << type
                         << ", whose registers have no defined elements";
  // Integers have no functions of elements, but other algebras' padding.
  Type element = getBufferType(type.getElementType());
  if (!hasElementRegions(element) && !element.isInteger(32))
    return emitOpError() << "has elements of type " << type.getElementType()
                         << ", but they must be f16, bf16, f32, f64 or i32";
  if (type.getLayout() == AccLayout::Wgmma && getValid())
    return emitOpError() << "cannot replace elements of a " << type
                         << " by zeros";
  return success();
}

LogicalResult FragmentMapOp::verifyRegions() {
  SmallVector<Type> arguments{
      getBufferType(getFragment().getType().getElementType())};
  llvm::append_range(arguments, getScalars().getTypes());
  return verifyElementRegion(*this, getBody(), "the body", arguments);
}

/// Returns the instruction that multiplies elements of types `a` and `b`; null
/// if there is none.
static const MatrixInstruction *lookupInstruction(InstructionKind kind, Type a,
                                                  Type b, AccType acc) {
  std::optional<ScalarType> scalarA = getScalarType(a),
                            scalarB = getScalarType(b),
                            sum = getScalarType(acc.getElementType());
  if (!scalarA || !scalarB || !sum)
    return nullptr;
  return findInstruction(kind, *scalarA, *scalarB, *sum);
}

/// Returns the kind of instruction that multiplies for accumulators of a
/// layout; none if no matrix instruction has that layout.
static std::optional<InstructionKind> getInstructionKind(AccLayout layout) {
  if (getWmmaShape(layout))
    return InstructionKind::Wmma;
  switch (layout) {
  case AccLayout::MmaSync:
    return InstructionKind::MmaSync;
  case AccLayout::Wgmma:
    return InstructionKind::Wgmma;
  case AccLayout::Simt:
    return InstructionKind::Fma;
  default:
    return std::nullopt;
  }
}

const MatrixInstruction *MmaOp::getInstruction() {
  AccType acc = getAcc().getType();
  std::optional<InstructionKind> kind = getInstructionKind(acc.getLayout());
  const MatrixInstruction *widest =
      kind ? lookupInstruction(*kind, getA().getType().getElementType(),
                               getB().getType().getElementType(), acc)
           : nullptr;
  if (std::optional<WmmaShape> wmma = getWmmaShape(acc.getLayout()))
    return widest ? findInstruction(*widest, {wmma->m, wmma->n, wmma->k})
                  : nullptr;
  std::optional<ArrayRef<int64_t>> shape = getShape();
  if (!widest || !shape)
    return widest;
  return shape->size() == 3
             ? findInstruction(*widest, {(*shape)[0], (*shape)[1], (*shape)[2]})
             : nullptr;
}

/// Checks that the zero points are those of a fragment with 4 bits that is
/// converted to f16 or bf16.
static LogicalResult verifyZeroPoints(MmaOp op) {
  if (!op.getZeroPoints())
    return success();
  ZeroPointsType zeros = op.getZeroPoints().getType();
  bool isOfA = zeros.getSide() == FragmentRole::A;
  FragmentType type = (isOfA ? op.getA() : op.getB()).getType();
  const MatrixInstruction &instruction = *op.getInstruction();
  if (!takesZeroPoints(*getScalarType(type.getElementType()),
                       isOfA ? instruction.a : instruction.b))
    return op.emitOpError() << "subtracts zero points from a " << type
                            << ", but only 4 bits times f16 or bf16 have them";
  if (int64_t(type.getRows()) != int64_t(zeros.getExtent()) ||
      zeros.getLayout() != AccLayout::MmaSync)
    return op.emitOpError() << "has " << zeros << " for a " << type;
  return success();
}

LogicalResult MmaOp::verify() {
  FragmentType a = getA().getType(), b = getB().getType();
  AccType acc = getAcc().getType();
  if (acc.getLayout() != AccLayout::Simt &&
      (a.getLayout() != acc.getLayout() || b.getLayout() != acc.getLayout()))
    return emitOpError() << "layouts do not fit: " << a << " by " << b
                         << " into " << acc;
  if (failed(tile_verifier::verifyWmmaFragment(*this, a)) ||
      failed(tile_verifier::verifyWmmaFragment(*this, b)))
    return failure();
  if (a.getRows() != acc.getRows() || b.getRows() != acc.getColumns() ||
      a.getDepth() != b.getDepth())
    return emitOpError() << "shapes do not fit: " << a.getRows() << "x"
                         << a.getDepth() << " by " << b.getDepth() << "x"
                         << b.getRows() << " into " << acc.getRows() << "x"
                         << acc.getColumns();
  const MatrixInstruction *instruction = getInstruction();
  if (!instruction) {
    InFlightDiagnostic error = emitOpError() << "no instruction";
    if (getShape())
      error << " of shape " << getShapeAttr();
    return error << " multiplies " << a << " by " << b << " into " << acc;
  }
  if (failed(verifyZeroPoints(*this)))
    return failure();
  // A type may have instructions of several depths.
  if (acc.getLayout() == AccLayout::MmaSync) {
    int64_t depth =
        getFragmentDepth(*instruction, *getScalarType(a.getElementType()),
                         *getScalarType(b.getElementType()));
    if (int64_t(a.getDepth()) != depth)
      return emitOpError() << "fragments have depth " << a.getDepth()
                           << ", but the instruction needs " << depth;
  }
  // Each sum of a thread belongs to a row and a column that the thread has
  // read.
  ArrayRef<int64_t> runs = acc.getRuns();
  if (a.getRuns() != runs.take_front(runs.size() / 2) ||
      b.getRuns() != runs.drop_front(runs.size() / 2))
    return emitOpError() << "runs do not fit: " << a << " by " << b << " into "
                         << acc;
  return success();
}

/// Rows along m or n, and elements along k, of an asynchronous product's tile.
/// The depth of a transposed tile follows from the other operand.
static std::pair<int64_t, int64_t> getExtents(TileType tile, bool transposed,
                                              int64_t depth) {
  if (!transposed)
    return {tile.getRows(),
            tile.getColumns() * getPackedElements(tile.getElementType())};
  if (depth <= 0 || tile.getRows() % depth)
    return {0, 0};
  return {tile.getRows() / depth * tile.getColumns(), depth};
}

/// The elements of B's tile along k. A tile of elements that share bytes counts
/// bytes.
static int64_t getDepthOfB(TileType b, bool transposed, AccType acc) {
  if (transposed)
    return b.getRows() * b.getColumns() / acc.getColumns();
  return b.getColumns() * getPackedElements(b.getElementType());
}

const MatrixInstruction *MmaAsyncOp::getInstruction() {
  ArrayRef<TileType> tiles = getRing().getType().getTiles();
  return lookupInstruction(
      InstructionKind::Wgmma, tiles[getATile()].getElementType(),
      tiles[getBTile()].getElementType(), getAcc().getType());
}

int64_t MmaAsyncOp::getDepth() {
  ArrayRef<TileType> tiles = getRing().getType().getTiles();
  TileType a = tiles[getATile()];
  if (!getATransposed())
    return a.getColumns() * getPackedElements(a.getElementType());
  return getDepthOfB(tiles[getBTile()], getBTransposed(), getAcc().getType());
}

LogicalResult MmaAsyncOp::verify() {
  RingType ring = getRing().getType();
  if (failed(verifyTileIndex(*this, ring, getATile())) ||
      failed(verifyTileIndex(*this, ring, getBTile())))
    return failure();
  AccType acc = getAcc().getType(), result = getResult().getType();
  if (!result.getInFlight())
    return emitOpError() << "result must be in flight";
  TileType a = ring.getTiles()[getATile()], b = ring.getTiles()[getBTile()];
  auto [sideA, depthA] = getExtents(a, getATransposed(), getDepth());
  auto [sideB, depthB] = getExtents(b, getBTransposed(), getDepth());
  if (acc.getLayout() != AccLayout::Wgmma || acc.getRows() % 64 ||
      acc.getRows() > sideA || acc.getColumns() % 8 || acc.getColumns() > 256 ||
      acc.getColumns() != sideB || depthA != depthB || depthA % 16 ||
      acc.getRows() != result.getRows() ||
      acc.getColumns() != result.getColumns() ||
      result.getLayout() != AccLayout::Wgmma ||
      acc.getElementType() != result.getElementType())
    return emitOpError() << "shapes do not fit: " << a << " by " << b
                         << " into " << acc << " giving " << result;
  const MatrixInstruction *instruction = getInstruction();
  if (!instruction)
    return emitOpError() << "no wgmma multiplies " << a << " by " << b
                         << " into " << acc;
  if ((getATransposed() || getBTransposed()) && !instruction->takesTransposed)
    return emitOpError() << "wgmma takes no transposed tiles of "
                         << a.getElementType() << " and " << b.getElementType();
  if (!instruction->hasColumns(acc.getColumns()) || depthA % instruction->k)
    return emitOpError() << "wgmma has no product of " << acc.getColumns()
                         << " columns and depth " << depthA << " for "
                         << a.getElementType() << " by " << b.getElementType();
  return verifyToken(*this, getToken().getType(), TokenKind::Read);
}

//===----------------------------------------------------------------------===//
// Asynchronous products with A in registers
//===----------------------------------------------------------------------===//

LogicalResult FragmentConvertOp::verify() {
  FragmentType from = getFragment().getType(), to = getResult().getType();
  if (from.getLayout() != AccLayout::Wgmma ||
      to.getLayout() != AccLayout::Wgmma || from.getRole() != to.getRole() ||
      from.getRows() != to.getRows() || from.getDepth() != to.getDepth())
    return emitOpError() << "turns " << from << " into " << to
                         << ", but only the element type of a fragment of "
                            "wgmma may change";
  std::optional<ScalarType> narrow = getScalarType(from.getElementType()),
                            wide = getScalarType(to.getElementType());
  if (!narrow || !wide || narrow == wide || !isFloatType(*wide) ||
      getMultipliedTypes(*narrow, *wide) != std::pair(*wide, *wide))
    return emitOpError() << "cannot convert " << from.getElementType() << " to "
                         << to.getElementType()
                         << ": it converts elements of 4 or 8 bits to f16 or "
                            "bf16, and those of 4 bits to f8E4M3FN";
  if (!getZeroPoints())
    return success();
  ZeroPointsType zeros = getZeroPoints().getType();
  if (takesZeroPoints(*narrow, *wide) &&
      zeros == ZeroPointsType::get(getContext(), from.getRole(), from.getRows(),
                                   AccLayout::Wgmma))
    return success();
  return emitOpError() << "subtracts " << zeros << " from a " << from
                       << ", but only elements of 4 bits that become f16 or "
                          "bf16 have zero points, of the same rows, with the "
                          "layout wgmma";
}

const MatrixInstruction *MmaAsyncFragmentOp::getInstruction() {
  return lookupInstruction(
      InstructionKind::Wgmma, getA().getType().getElementType(),
      getRing().getType().getTiles()[getBTile()].getElementType(),
      getAcc().getType());
}

int64_t MmaAsyncFragmentOp::getTileDepth() {
  return getDepthOfB(getRing().getType().getTiles()[getBTile()],
                     getBTransposed(), getAcc().getType());
}

LogicalResult MmaAsyncFragmentOp::verify() {
  RingType ring = getRing().getType();
  if (failed(verifyTileIndex(*this, ring, getBTile())))
    return failure();
  FragmentType a = getA().getType();
  AccType acc = getAcc().getType(), result = getResult().getType();
  if (!result.getInFlight())
    return emitOpError() << "result must be in flight";
  TileType b = ring.getTiles()[getBTile()];
  auto [side, tileDepth] = getExtents(b, getBTransposed(), getTileDepth());
  int64_t depth = a.getDepth(), steps = tileDepth / depth;
  if (a.getLayout() != AccLayout::Wgmma || acc.getLayout() != a.getLayout() ||
      a.getRows() != acc.getRows() || acc.getColumns() != side ||
      tileDepth % depth || acc.getRows() != result.getRows() ||
      acc.getColumns() != result.getColumns() ||
      result.getLayout() != acc.getLayout() ||
      acc.getElementType() != result.getElementType())
    return emitOpError() << "shapes do not fit: " << a << " by " << b
                         << " into " << acc << " giving " << result;
  if (int64_t(getKStep()) < 0 || int64_t(getKStep()) >= steps)
    return emitOpError() << "multiplies step " << getKStep() << " of a tile of "
                         << steps << " steps";
  const MatrixInstruction *instruction = getInstruction();
  auto isMultiplied = [](Type type, ScalarType multiplied) {
    return getPartType(*getScalarType(type)) == multiplied;
  };
  if (!instruction || !isFloatType(instruction->a) ||
      getBitWidth(instruction->a) > 16 ||
      !isMultiplied(a.getElementType(), instruction->a) ||
      !isMultiplied(b.getElementType(), instruction->b) ||
      depth % instruction->k || !instruction->hasColumns(acc.getColumns()))
    return emitOpError() << "no wgmma multiplies " << a << " by " << b
                         << " into " << acc;
  return verifyToken(*this, getToken().getType(), TokenKind::Read);
}

LogicalResult MmaAwaitOp::verify() {
  AccType acc = getAcc().getType(), result = getResult().getType();
  if (!acc.getInFlight())
    return emitOpError() << "waits for an accumulator that is not in flight";
  if (int64_t(getPending()) < 0 || result.getInFlight() != (getPending() != 0))
    return emitOpError() << "result is in flight exactly if pending is not 0";
  if (acc.getRows() != result.getRows() ||
      acc.getColumns() != result.getColumns() ||
      acc.getElementType() != result.getElementType() ||
      acc.getLayout() != result.getLayout())
    return emitOpError() << "turns " << acc << " into " << result;
  return success();
}
