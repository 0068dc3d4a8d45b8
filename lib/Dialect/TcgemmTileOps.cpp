//===- TcgemmTileOps.cpp - Tile-level operations -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionImplementation.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// ProgramOp
//===----------------------------------------------------------------------===//

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void ProgramOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      FunctionType type, int64_t threads, StringRef chip) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getThreadsAttrName(state.name),
                     builder.getI64IntegerAttr(threads));
  state.addAttribute(getChipAttrName(state.name), builder.getStringAttr(chip));
  Region *body = state.addRegion();
  Block &entry = body->emplaceBlock();
  for (Type argument : type.getInputs())
    entry.addArgument(argument, state.location);
}

LogicalResult ProgramOp::verifyRegions() { return success(); }

LogicalResult RoleOp::verify() {
  if (getWarps().size() != 2 || getWarps()[0] < 0 ||
      getWarps()[0] >= getWarps()[1])
    return emitOpError()
           << "warps must be a range [first, end) that is not empty";
  return success();
}

//===----------------------------------------------------------------------===//
// Ring
//===----------------------------------------------------------------------===//

static LogicalResult verifyToken(Operation *op, TokenType token,
                                 TokenKind kind) {
  if (token.getKind() == kind)
    return success();
  return op->emitOpError() << "needs a token of kind "
                           << stringifyTokenKind(kind) << ", but got "
                           << stringifyTokenKind(token.getKind());
}

LogicalResult RingCommitOp::verify() {
  bool isCpAsync = getRing().getType().getKind() == RingKind::CpAsync;
  if (isCpAsync != bool(getInFlight()))
    return emitOpError()
           << "gives an in_flight token in a cp_async ring, and only there";
  return verifyToken(*this, getToken().getType(), TokenKind::Write);
}

LogicalResult RingWaitOp::verify() {
  bool isCpAsync = getRing().getType().getKind() == RingKind::CpAsync;
  if (isCpAsync != bool(getInFlight()))
    return emitOpError()
           << "takes an in_flight token in a cp_async ring, and only there";
  if (isCpAsync &&
      failed(verifyToken(*this, getInFlight().getType(), TokenKind::InFlight)))
    return failure();
  return verifyToken(*this, getToken().getType(), TokenKind::Read);
}

//===----------------------------------------------------------------------===//
// Copies and products
//===----------------------------------------------------------------------===//

static LogicalResult verifyTileIndex(Operation *op, RingType ring,
                                     int64_t tile) {
  if (tile >= 0 && tile < int64_t(ring.getTiles().size()))
    return success();
  return op->emitOpError() << "names tile " << tile << ", but a stage has "
                           << ring.getTiles().size();
}

LogicalResult LoaderCopyOp::verify() {
  if (failed(verifyTileIndex(*this, getRing().getType(), getTile())))
    return failure();
  if (getRing().getType().getTiles()[getTile()] !=
      getLoader().getType().getTile())
    return emitOpError() << "copies a " << getLoader().getType().getTile()
                         << " into a "
                         << getRing().getType().getTiles()[getTile()];
  return verifyToken(*this, getToken().getType(), TokenKind::Write);
}

LogicalResult TmaLoadOp::verify() {
  if (failed(verifyTileIndex(*this, getRing().getType(), getTile())))
    return failure();
  return verifyToken(*this, getToken().getType(), TokenKind::Write);
}

LogicalResult FragmentLoadOp::verify() {
  if (failed(verifyTileIndex(*this, getRing().getType(), getTile())))
    return failure();
  return verifyToken(*this, getToken().getType(), TokenKind::Read);
}

LogicalResult MmaOp::verify() {
  FragmentType a = getA().getType(), b = getB().getType();
  AccType acc = getAcc().getType();
  if (a.getRows() != acc.getRows() || b.getRows() != acc.getColumns() ||
      a.getDepth() != b.getDepth())
    return emitOpError() << "shapes do not fit: " << a.getRows() << "x"
                         << a.getDepth() << " by " << b.getDepth() << "x"
                         << b.getRows() << " into " << acc.getRows() << "x"
                         << acc.getColumns();
  return success();
}

LogicalResult MmaAsyncOp::verify() {
  if (failed(verifyTileIndex(*this, getRing().getType(), getATile())) ||
      failed(verifyTileIndex(*this, getRing().getType(), getBTile())))
    return failure();
  if (!getResult().getType().getInFlight())
    return emitOpError() << "result must be in flight";
  return verifyToken(*this, getToken().getType(), TokenKind::Read);
}

LogicalResult MmaAwaitOp::verify() {
  if (getResult().getType().getInFlight() != (getPending() != 0))
    return emitOpError() << "result is in flight exactly if pending is not 0";
  return success();
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

static LogicalResult verifyReadable(Operation *op, AccType acc) {
  if (!acc.getInFlight())
    return success();
  return op->emitOpError()
         << "reads an accumulator in flight: mma.await it with pending 0 first";
}

LogicalResult EpilogueOp::verify() {
  return verifyReadable(*this, getAcc().getType());
}

LogicalResult TmaStoreOp::verify() {
  return verifyReadable(*this, getAcc().getType());
}
