//===- TcgemmWmmaOps.cpp - Tile-level operations for wmma -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "tcgemm/Target/Instructions.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

/// Returns whether wmma has an instruction of this shape for such operands.
static bool takesElements(WmmaShape shape, FragmentType type) {
  std::optional<ScalarType> element = getScalarType(type.getElementType());
  return element &&
         llvm::any_of(
             getMatrixInstructions(), [&](const MatrixInstruction &row) {
               ScalarType own =
                   type.getRole() == FragmentRole::A ? row.a : row.b;
               return row.kind == InstructionKind::Wmma && own == *element &&
                      row.m == shape.m && row.n == shape.n && row.k == shape.k;
             });
}

LogicalResult tile_verifier::verifyWmmaFragment(Operation *op,
                                                FragmentType type) {
  std::optional<WmmaShape> shape = getWmmaShape(type.getLayout());
  if (!shape)
    return success();
  int64_t unit = type.getRole() == FragmentRole::A ? shape->m : shape->n;
  if (type.getRows() > 0 && type.getRows() % unit == 0 &&
      type.getDepth() == shape->k && takesElements(*shape, type))
    return success();
  return op->emitOpError() << "needs elements that wmma multiplies, a depth of "
                           << shape->k << " and a multiple of " << unit
                           << " rows, but has a " << type;
}

LogicalResult tile_verifier::verifyWmmaLoad(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  TileType tile = op.getRing().getType().getTiles()[op.getTile()];
  if (getWmmaShape(type.getLayout()) &&
      (tile.getSwizzle() != Swizzle::None || op.getWarpK() ||
       tile.getElementType() != type.getElementType()))
    return op.emitOpError() << "cannot read a " << type << " from a " << tile
                            << (op.getWarpK() ? " by a part of its k" : "");
  return verifyWmmaFragment(op, type);
}

LogicalResult tile_verifier::verifyWmmaStaging(EpilogueOp op) {
  std::optional<WmmaShape> shape =
      getWmmaShape(op.getAcc().getType().getLayout());
  auto program = op->getParentOfType<ProgramOp>();
  if (!shape || !program)
    return success();
  // Each warp has an equal part of whole rows, at multiples of 8 elements.
  int64_t staging = op.getStaging().value_or(0);
  int64_t bytes = getStorageBits(op.getAcc().getType().getElementType()) / 8;
  int64_t unit = program.getThreads() / 32 * shape->m * 8 * bytes;
  if (unit && staging % unit == 0 && staging / unit * 8 >= shape->n)
    return success();
  return op.emitOpError()
         << "stages " << staging << " bytes of a " << op.getAcc().getType()
         << ", but each warp needs a matrix of one instruction "
            "in rows of a multiple of 8 elements";
}

LogicalResult AccZeroOp::verify() {
  AccType type = getAcc().getType();
  std::optional<WmmaShape> shape = getWmmaShape(type.getLayout());
  if (!shape || (type.getRows() > 0 && type.getRows() % shape->m == 0 &&
                 type.getColumns() > 0 && type.getColumns() % shape->n == 0))
    return success();
  return emitOpError() << "makes a " << type << ", but it must be one of whole "
                       << shape->m << " x " << shape->n << " matrices";
}

/// Checks that `scales` fit the accumulator, on a side without scales so far.
static LogicalResult verifyScales(AccAddOp op, ScalesType scales,
                                  llvm::SmallDenseSet<FragmentRole> &sides) {
  AccType type = op.getResult().getType();
  if (type.getLayout() != scales.getLayout() || !type.getElementType().isF32())
    return op.emitOpError()
           << "scales a " << type
           << ", but scales are for f32 sums with their layout, which is "
           << stringifyAccLayout(scales.getLayout());
  bool isOfRows = scales.getSide() == FragmentRole::A;
  int64_t extent = isOfRows ? type.getRows() : type.getColumns();
  if (scales.getExtent() != extent)
    return op.emitOpError() << "has " << scales << ", but the accumulator has "
                            << extent << (isOfRows ? " rows" : " columns");
  if (!sides.insert(scales.getSide()).second)
    return op.emitOpError() << "has scales of the same side twice: " << scales;
  return success();
}

LogicalResult AccAddOp::verify() {
  AccType type = getResult().getType();
  if (getWmmaShape(type.getLayout()))
    return emitOpError() << "adds elements in registers, but the layout of "
                         << type << " is opaque";
  llvm::SmallDenseSet<FragmentRole> sides;
  for (Type scales : getScales().getTypes())
    if (failed(verifyScales(*this, cast<ScalesType>(scales), sides)))
      return failure();
  return success();
}

LogicalResult ScalesCreateOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (role && role.getKind() == RoleKind::Consumer &&
      (*this)->getParentOp() == role)
    return success();
  return emitOpError() << "must be in the block of a consumer role";
}

int64_t ScalesCreateOp::getBytes() {
  int64_t warps = (*this)->getParentOfType<RoleOp>().getNumWarps();
  return llvm::alignTo(warps * getBuffer().getType().getWarpBytes(), 16);
}

LogicalResult ScalesReadOp::verify() {
  ScalesBufferType buffer = getBuffer().getType();
  if (getScales().getType() != buffer.getScales())
    return emitOpError() << "reads " << getScales().getType() << " from "
                         << buffer;
  int64_t pending = getPending();
  if (pending >= 0 && pending < buffer.getSlots())
    return success();
  return emitOpError() << "leaves " << pending
                       << " groups pending, but the buffer has "
                       << buffer.getSlots() << " slots";
}

LogicalResult GroupValuesLoadOp::verify() {
  Type element = cast<MemRefType>(getBase().getType()).getElementType();
  if (element == getValues().getType().getElementType())
    return success();
  return emitOpError() << "loads " << getValues().getType() << " from a "
                       << getBase().getType();
}

LogicalResult ScalesSelectOp::verify() {
  GroupValuesType values = getValues().getType();
  ScalesType scales = getScales().getType();
  if (isa<FloatType>(values.getElementType()) &&
      scales ==
          ScalesType::get(getContext(), FragmentRole::A, values.getRows()))
    return success();
  return emitOpError() << "selects " << scales << " from " << values
                       << ", but scales are floats of the same rows, with the "
                          "layout wgmma";
}

LogicalResult ZeroPointsSelectOp::verify() {
  GroupValuesType values = getValues().getType();
  ZeroPointsType zeros = getZeroPoints().getType();
  if (values.getElementType().isInteger(8) &&
      zeros == ZeroPointsType::get(getContext(), FragmentRole::A,
                                   values.getRows(), AccLayout::Wgmma))
    return success();
  return emitOpError() << "selects " << zeros << " from " << values
                       << ", but zero points are i8 of the same rows, with the "
                          "layout wgmma";
}

LogicalResult AccExtendOp::verify() {
  AccType from = getAcc().getType(), to = getResult().getType();
  if (getWmmaShape(from.getLayout()))
    return emitOpError() << "converts elements in registers, but the layout of "
                         << from << " is opaque";
  if (from.getElementType().isF16() && to.getElementType().isF32() &&
      !from.getInFlight() && !to.getInFlight() &&
      from.getRows() == to.getRows() && from.getColumns() == to.getColumns() &&
      from.getLayout() == to.getLayout())
    return success();
  return emitOpError() << "converts " << from << " to " << to
                       << ", but it must be from f16 to f32 of the same shape "
                          "and layout";
}

LogicalResult AccScaleOp::verify() {
  AccType type = getAcc().getType();
  if (getWmmaShape(type.getLayout()))
    return emitOpError() << "multiplies elements in registers, but the layout "
                            "of "
                         << type << " is opaque";
  if (!type.getElementType().isF32() || type.getInFlight())
    return emitOpError() << "multiplies " << type
                         << ", but it must be f32 and not in flight";
  int64_t exponent = static_cast<int64_t>(getExponent());
  if (exponent < -126 || exponent > 127)
    return emitOpError() << "exponent is " << exponent
                         << ", but powers of two of f32 have -126 to 127";
  return success();
}

/// The type of half of the columns.
static AccType getHalf(AccType acc) {
  return AccType::get(acc.getRows(), acc.getColumns() / 2, acc.getElementType(),
                      acc.getLayout());
}

LogicalResult AccSplitOp::verify() {
  AccType whole = getAcc().getType(), half = getLeft().getType();
  if (whole.getInFlight())
    return emitOpError() << tile_verifier::readInFlightMessage;
  if (whole.getLayout() == AccLayout::Wgmma && half == getHalf(whole) &&
      whole.getColumns() % 16 == 0)
    return success();
  return emitOpError() << "divides " << whole << " into two of " << half
                       << ", but they must be halves, of a multiple of 8 "
                          "columns, of a wgmma accumulator";
}

LogicalResult FragmentFetchOp::verify() {
  FragmentType type = getFragment().getType();
  bool isOfThread = !type.getRuns().empty();
  if (!isOfThread && !getWmmaShape(type.getLayout()))
    return emitOpError() << "loads wmma fragments and those of a thread, but "
                            "not a "
                         << type;
  // A thread's word has 4 neighbours along k of 8 bits.
  if (isOfThread && getTransposed() &&
      getStorageBits(type.getElementType()) == 8)
    return emitOpError() << "cannot load a " << type
                         << " where k is not contiguous";
  if (cast<MemRefType>(getBase().getType()).getElementType() !=
      getStorageType(type.getElementType()))
    return emitOpError() << "loads a " << type << " from a "
                         << getBase().getType();
  return verifyWmmaFragment(*this, type);
}

/// Checks the shape of a tile in shared memory that contains `acc`.
static LogicalResult verifyStagedTile(Operation *op, AccType acc, int64_t rows,
                                      int64_t pitch) {
  constexpr int64_t limit = 65536;
  if (rows >= acc.getRows() && rows <= limit && pitch >= acc.getColumns() &&
      pitch <= limit && pitch % 8 == 0)
    return success();
  return op->emitOpError() << "has a tile of " << rows
                           << " rows with a pitch of " << pitch << " for a "
                           << acc << ": both must hold it and be at most "
                           << limit << ", the pitch a multiple of 8";
}

LogicalResult AccStageOp::verify() {
  AccType acc = getAcc().getType();
  if (!getWmmaShape(acc.getLayout()))
    return emitOpError() << "writes accumulators of wmma, but not a " << acc;
  return verifyStagedTile(*this, acc, getRows(), getPitch());
}

LogicalResult AccUnstageOp::verify() {
  AccType acc = getAcc().getType();
  int64_t columns = acc.getColumns();
  if (acc.getLayout() != AccLayout::Row || acc.getRows() != 1 ||
      (columns != 1 && columns != 2 && columns != 4))
    return emitOpError() << "reads 1, 2 or 4 columns of a row, but not a "
                         << acc;
  return verifyStagedTile(*this, acc, getRows(), getPitch());
}
