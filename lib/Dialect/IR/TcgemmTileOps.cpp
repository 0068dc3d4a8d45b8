//===- TcgemmTileOps.cpp - Tile-level operations ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tcgemm;
using tile_verifier::verifyTileIndex;
using tile_verifier::verifyToken;

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

/// Checks that only products of single threads, and sums of them, are in a
/// program that does not multiply and add.
static LogicalResult verifyAlgebra(ProgramOp program) {
  Algebra algebra = program.getProductAlgebra();
  if (algebra.isDefault())
    return success();
  WalkResult result = program.walk([&](Operation *op) -> WalkResult {
    bool isOfWarp = isa<MmaOp, AccReduceOp>(op) &&
                    cast<AccType>(op->getResult(0).getType()).getLayout() !=
                        AccLayout::Simt;
    if (isOfWarp || isa<MmaAsyncOp, MmaAsyncFragmentOp, AccDotOp,
                        AccClusterReduceOp, AccReceiveOp>(op))
      return op->emitOpError()
             << "multiplies or adds, but its program has the algebra "
             << algebra.str();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult ProgramOp::verifyRegions() {
  if (failed(verifyAlgebra(*this)))
    return failure();
  return tile_verifier::verifyProgram(*this);
}

int64_t ProgramOp::getSharedMemory() {
  return tile_verifier::countSharedMemory(*this);
}

bool RoleOp::copiesByThreads(Value ring) {
  WalkResult result = walk([&](LoaderCopyOp copy) {
    return !ring || copy.getRing() == ring ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool RoleOp::announcesBytes(Value ring) {
  if (!copiesByThreads(ring))
    return true;
  WalkResult result = walk([&](TmaLoadOp load) {
    return load.getRing() == ring ? WalkResult::interrupt()
                                  : WalkResult::advance();
  });
  return result.wasInterrupted();
}

int64_t RoleOp::getFullArrivals(Value ring) {
  int64_t arrivals = announcesBytes(ring) ? 1 : 0;
  return copiesByThreads(ring) ? arrivals + 32 * getNumWarps() : arrivals;
}

LogicalResult RoleOp::verify() {
  ArrayRef<int64_t> warps = getWarps();
  if (warps.size() != 2 || warps[0] < 0 || warps[0] >= warps[1])
    return emitOpError()
           << "warps must be a range [first, end) that is not empty";
  if (!getRegisters())
    return success();
  int64_t registers = *getRegisters();
  if (registers < 24 || registers > 256 || registers % 8)
    return emitOpError() << "registers must be a multiple of 8 from 24 to 256, "
                            "but are "
                         << registers;
  if (warps[0] % 4 || warps[1] % 4)
    return emitOpError()
           << "requests registers, which only whole warpgroups can do: "
              "its warps must be multiples of 4, but are ["
           << warps[0] << ", " << warps[1] << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Copies and products
//===----------------------------------------------------------------------===//

LogicalResult tile_verifier::verifyTileIndex(Operation *op, RingType ring,
                                             int64_t tile) {
  if (tile >= 0 && tile < int64_t(ring.getTiles().size()))
    return success();
  return op->emitOpError() << "names tile " << tile << ", but a stage has "
                           << ring.getTiles().size();
}

LogicalResult LoaderCreateOp::verify() {
  LoaderType type = getLoader().getType();
  bool turns = type.getTile().getSwizzle() == Swizzle::Sectors;
  if (turns && !type.getKContiguous())
    return emitOpError("with sectors needs rows along k");
  if (turns != bool(getPhase()))
    return emitOpError() << (turns ? "with sectors needs a phase"
                                   : "without sectors has a phase");
  return success();
}

LogicalResult LoaderCopyOp::verify() {
  if (failed(verifyTileIndex(*this, getRing().getType(), getTile())))
    return failure();
  TileType into = getRing().getType().getTiles()[getTile()];
  LoaderType loader = getLoader().getType();
  TileType from = loader.getTile();
  int64_t row = getRow();
  bool isStack = !loader.getKContiguous() && into.getTmaSwizzle();
  // A part of a stack must not start inside the swizzle's pattern.
  bool fits =
      isStack ? from.getRows() % 8 == 0 && into.getRows() % from.getRows() == 0
              : into.getRows() == from.getRows();
  if (!fits || from.getColumns() != into.getColumns() ||
      from.getElementType() != into.getElementType() ||
      from.getSwizzle() != into.getSwizzle())
    return emitOpError() << "copies a " << from << " into a " << into;
  if (row < 0 || row >= into.getRows() || row % from.getRows())
    return emitOpError() << "copies to row " << row
                         << ", but the tile's rows go in units of "
                         << from.getRows() << " to " << into.getRows();
  // The threads of a role copy for wgmma, which does not round.
  if (loader.roundsElements() && loader.getVector() != 1 &&
      (*this)->getParentOfType<RoleOp>())
    return emitOpError() << "rounds " << from.getElementType()
                         << " in a role, which copies one element at a time, "
                            "not "
                         << loader.getVector();
  return verifyToken(*this, getToken().getType(), TokenKind::Write);
}

static LogicalResult verifyCoordinates(Operation *op, ValueRange coordinates) {
  if (coordinates.size() >= 2 && coordinates.size() <= 5)
    return success();
  return op->emitOpError() << "needs 2 to 5 coordinates, but has "
                           << coordinates.size();
}

LogicalResult TmaLoadOp::verify() {
  RingType ring = getRing().getType();
  if (ring.getKind() != RingKind::MBarrier)
    return emitOpError() << "needs an mbarrier ring";
  if (failed(verifyTileIndex(*this, ring, getTile())) ||
      failed(verifyCoordinates(*this, getCoordinates())))
    return failure();
  if (!getOffsets().empty() &&
      (getOffsets().size() != 2 || getCoordinates().size() != kWindowRank))
    return emitOpError() << "has " << getOffsets().size() << " offsets and "
                         << getCoordinates().size()
                         << " coordinates, but needs 2 and 4";
  TileType tile = ring.getTiles()[getTile()], box = getMap().getType().getBox();
  if (box.getColumns() != tile.getColumns() ||
      box.getElementType() != tile.getElementType() ||
      box.getSwizzle() != tile.getSwizzle() || box.getRows() > 256 ||
      tile.getRows() % box.getRows())
    return emitOpError() << "copies boxes of " << box << " into a " << tile;
  return verifyToken(*this, getToken().getType(), TokenKind::Write);
}

/// A lane loads 16 bytes of each of its rows, which run along k, or the
/// elements of 16 bits for one instruction. A tile of packed elements has whole
/// bytes. A transposed tile has blocks of 64 columns.
static LogicalResult verifyWgmmaLoad(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  if (type.getLayout() != AccLayout::Wgmma || !type.getRuns().empty()) {
    if (op.getDepth())
      return op.emitOpError()
             << "has a depth, which only fragments of wgmma have";
    return success();
  }
  TileType tile = op.getRing().getType().getTiles()[op.getTile()];
  Type element = type.getElementType();
  bool isPacked = getPackedElements(element) > 1;
  int64_t rowBits = getElementBits(element) == 16 ? 256 : 128;
  bool isTransposed = op.getTransposed();
  int64_t depth = op.getDepth().value_or(0), rows = tile.getRows();
  if (isTransposed != op.getDepth().has_value() ||
      (isTransposed && (rowBits != 256 || tile.getColumns() != 64 ||
                        depth <= 0 || rows % depth)))
    return op.emitOpError()
           << "needs a depth and elements of 16 bits exactly if it transposes "
              "a tile, which must have 64 columns and a multiple of the "
              "depth's rows, but reads a "
           << tile;
  int64_t steps =
      isTransposed
          ? depth / 16
          : tile.getColumns() * getStorageBits(tile.getElementType()) / rowBits;
  if (isTransposed)
    rows = rows / depth * 64;
  if (op.getWarpK() || rows % type.getRows() ||
      int64_t(type.getDepth()) * getElementBits(element) != rowBits ||
      tile.getElementType() != (isPacked ? getStorageType(element) : element))
    return op.emitOpError() << "cannot read a " << type << " from a " << tile;
  if (int64_t(op.getKStep()) < 0 || int64_t(op.getKStep()) >= steps)
    return op.emitOpError() << "reads step " << op.getKStep()
                            << " of a tile of " << steps << " steps";
  return success();
}

/// A tile of numbers has a row for each row of blocks, and a lane loads single
/// elements, whose places in their blocks do not depend on the step.
static LogicalResult verifyRepresentedLoad(FragmentLoadOp op) {
  std::optional<RepresentationAttr> representation = op.getRepresentation();
  if (!representation)
    return success();
  FragmentType type = op.getFragment().getType();
  TileType tile = op.getRing().getType().getTiles()[op.getTile()];
  if (type.getLayout() != AccLayout::MmaSync || !type.getRuns().empty() ||
      type.getElementType().getIntOrFloatBitWidth() != 64 ||
      tile.getElementType() != type.getElementType())
    return op.emitOpError()
           << "has a representation, which only fragments of mma_sync with "
              "elements of 64 bits have, but reads a "
           << type << " from a " << tile;
  return success();
}

LogicalResult FragmentLoadOp::verify() {
  if (failed(verifyTileIndex(*this, getRing().getType(), getTile())))
    return failure();
  TileType tile = getRing().getType().getTiles()[getTile()];
  bool turns = tile.getSwizzle() == Swizzle::Sectors;
  if (turns != bool(getLoader()))
    return emitOpError() << (turns ? "needs the loader of a tile with sectors"
                                   : "has a loader, but no tile with sectors");
  if (turns && getLoader().getType().getTile() != tile)
    return emitOpError() << "reads a " << tile << " with the loader of a "
                         << getLoader().getType().getTile();
  if (turns && getTransposed())
    return emitOpError("cannot transpose a tile with sectors");
  if (failed(tile_verifier::verifyWmmaLoad(*this)) ||
      failed(verifyWgmmaLoad(*this)) || failed(verifyRepresentedLoad(*this)))
    return failure();
  FragmentType type = getFragment().getType();
  // A thread reads 4 neighbours along k of 8 bits at once.
  if (!type.getRuns().empty() &&
      (turns || tile.getSwizzle() == Swizzle::Xor ||
       tile.getElementType() != type.getElementType() ||
       (getTransposed() && getStorageBits(type.getElementType()) == 8)))
    return emitOpError() << "cannot read a " << type << " from a " << tile;
  return verifyToken(*this, getToken().getType(), TokenKind::Read);
}

//===----------------------------------------------------------------------===//
// Order barriers
//===----------------------------------------------------------------------===//

/// Barrier 0 is the CTA's barrier, and the warpgroups' epilogues use some
/// others.
static LogicalResult verifyOrder(Operation *op, int64_t turn, int64_t threads) {
  if (turn < 0 || turn > 7)
    return op->emitOpError() << "turn must be 0 to 7, but is " << turn;
  if (threads < 64 || threads > 1024 || threads % 32)
    return op->emitOpError()
           << "threads must be a multiple of 32 from 64 to 1024, but are "
           << threads;
  return success();
}

LogicalResult OrderWaitOp::verify() {
  return verifyOrder(*this, getTurn(), getThreads());
}

LogicalResult OrderArriveOp::verify() {
  return verifyOrder(*this, getTurn(), getThreads());
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

TileType EpilogueOp::getBox(unsigned output) {
  if (!getMaps().empty())
    return cast<TensorMapType>(getMaps()[output].getType()).getBox();
  auto buffer = cast<MemRefType>(getOutputs()[output].getType());
  return getStoreBox(getAcc().getType(), buffer.getElementType(),
                     getTransposed(), readsInputsLate());
}

/// Checks that the early inputs can be read before the ring's first wait.
static LogicalResult verifyEarly(EpilogueOp op) {
  if (!op.getEarly())
    return success();
  AccLayout layout = op.getAcc().getType().getLayout();
  Operation *parent = op->getParentOp();
  bool isInRole = isa<RoleOp>(parent) && layout == AccLayout::Wgmma;
  bool isInLoopOfProgram =
      isa<scf::ForOp>(parent) && isa<ProgramOp>(parent->getParentOp());
  bool isInProgram =
      (isa<ProgramOp>(parent) || isInLoopOfProgram) &&
      llvm::is_contained({AccLayout::MmaSync, AccLayout::Simt}, layout);
  if (!(isInRole || isInProgram) || !op.getStagedTiles().empty())
    return op.emitOpError() << "reads early, which takes an accumulator of "
                               "wgmma in a role, or one of mma_sync or simt in "
                               "a program, and inputs in memory";
  auto waits = op->getBlock()->getOps<RingWaitOp>();
  if (waits.empty() || op->isBeforeInBlock(*waits.begin()))
    return op.emitOpError() << "reads early, but is not after a ring.wait";
  for (Value operand : op->getOperands()) {
    Operation *definition = operand.getDefiningOp();
    if (operand == op.getAcc() || operand == op.getSecond() || !definition ||
        definition->getBlock() != op->getBlock() ||
        definition->isBeforeInBlock(*waits.begin()))
      continue;
    return op.emitOpError() << "reads early, but an operand is defined after "
                               "the first ring.wait";
  }
  return success();
}

/// Checks that the threads access the matrices directly if these are streamed.
static LogicalResult verifyStreaming(EpilogueOp op) {
  AccLayout layout = op.getAcc().getType().getLayout();
  bool isDirect = !op.getStaging() && op.getMaps().empty();
  if (!op.getStreaming() ||
      (isDirect &&
       llvm::is_contained({AccLayout::MmaSync, AccLayout::Simt}, layout)))
    return success();
  return op.emitOpError() << "streams its matrices, which takes an accumulator "
                             "of mma_sync or simt, and neither staging nor "
                             "maps";
}

/// Checks the inputs in a ring's stage, if there are any.
static LogicalResult verifyStagedInputs(EpilogueOp op) {
  ArrayRef<int64_t> tiles = op.getStagedTiles();
  if (tiles.empty() != !op.getRing() || tiles.empty() != !op.getToken())
    return op.emitOpError() << "needs a ring and a token for staged inputs, "
                               "and only for them";
  if (tiles.empty())
    return success();
  if (tiles.size() != op.getInputs().size())
    return op.emitOpError() << "has " << op.getInputs().size()
                            << " inputs, but staged tiles of " << tiles.size();
  if (op.getMaps().empty() || op.getTransposed())
    return op.emitOpError()
           << "has staged inputs, but stores "
           << (op.getTransposed() ? "transposed" : "without TMA");
  ArrayRef<TileType> stage = op.getRing().getType().getTiles();
  for (auto [input, tile] : llvm::enumerate(tiles)) {
    if (tile == -1)
      continue;
    if (tile < 0 || tile >= int64_t(stage.size()))
      return op.emitOpError()
             << "names tile " << tile << " of a stage of " << stage.size();
    Type element =
        cast<MemRefType>(op.getInputs()[input].getType()).getElementType();
    if (stage[tile].getElementType() != element ||
        element.getIntOrFloatBitWidth() != 16)
      return op.emitOpError() << "cannot read " << element << " from "
                              << stage[tile] << ": elements must be the same "
                              << "and of 16 bits";
  }
  return verifyToken(op, op.getToken().getType(), TokenKind::Read);
}

/// Checks that the body takes the accumulator's elements. Those of f16 are
/// extended in registers before, but for wmma, whose layout is opaque.
static LogicalResult verifySums(EpilogueOp op) {
  AccType acc = op.getAcc().getType();
  if (op.getBody().getNumArguments() < op.getNumSums())
    return op.emitOpError()
           << "evaluates a body without arguments for "
           << (op.getSecond() ? "two accumulators, " : "a ") << acc;
  if (op.getSecond() && (op.getSecond().getType() != acc ||
                         !llvm::is_contained({AccLayout::Wgmma, AccLayout::Row},
                                             acc.getLayout()) ||
                         op.getBody().getArgument(1).getType() !=
                             op.getBody().getArgument(0).getType()))
    return op.emitOpError()
           << "evaluates a second accumulator " << op.getSecond().getType()
           << ", but it must have the type of the first, " << acc
           << ", of layout wgmma or row, and so must their elements in the "
              "body";
  Type taken = op.getBody().getArgument(0).getType();
  bool isExtended = getWmmaShape(acc.getLayout()) &&
                    acc.getElementType().isF16() && taken.isF32();
  if (taken == acc.getElementType() || isExtended)
    return success();
  return op.emitOpError("evaluates a body of ") << taken << " for a " << acc;
}

/// Checks that there is a coordinate for each dimension of a buffer.
static LogicalResult verifyDims(Operation *op, StringRef dims,
                                size_t numOuter) {
  StringRef outer = kOuterLetters.take_front(1 + numOuter);
  for (char dim : dims)
    if (!StringRef("mn").contains(dim) && !outer.contains(dim))
      return op->emitOpError()
             << "has a buffer with the dims " << dims
             << ", but coordinates of m, n, " << outer << " only";
  return success();
}

LogicalResult EpilogueOp::verify() {
  if (getAcc().getType().getInFlight())
    return emitOpError() << tile_verifier::readInFlightMessage;
  for (auto dims : getDims().getAsRange<StringAttr>())
    if (failed(verifyDims(*this, dims, getOuter().size())))
      return failure();
  if (failed(verifySums(*this)))
    return failure();
  int64_t staging = getStaging().value_or(0);
  if (staging < 0 || staging > std::numeric_limits<int32_t>::max())
    return emitOpError() << "cannot stage " << staging << " bytes";
  if (failed(tile_verifier::verifyWmmaStaging(*this)))
    return failure();
  return success(succeeded(tile_verifier::verifyStoresByTma(*this)) &&
                 succeeded(tile_verifier::verifyStagedBoxes(*this)) &&
                 succeeded(verifyEarly(*this)) &&
                 succeeded(verifyStreaming(*this)) &&
                 succeeded(tile_verifier::verifyReductions(*this)) &&
                 succeeded(verifyStagedInputs(*this)));
}

LogicalResult PrefetchOp::verify() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  bool hasRoles = program && !program.getBody().getOps<RoleOp>().empty();
  if (!program || (hasRoles && !(*this)->getParentOfType<RoleOp>()))
    return emitOpError() << "must be in a program, and in one of its roles";
  if (int64_t(getRows()) < 1 || int64_t(getColumns()) < 1)
    return emitOpError() << "size must be positive, but is " << getRows()
                         << " x " << getColumns();
  if (!(getDims().ends_with("m") || getDims().ends_with("n")) ||
      getStrides().size() + 1 != getDims().size())
    return emitOpError() << "has " << getStrides().size()
                         << " strides and the dims \"" << getDims()
                         << "\", but needs m or n innermost and a stride for "
                            "each other";
  return verifyDims(*this, getDims(), getOuter().size());
}

LogicalResult TmaStoreOp::verify() {
  AccType acc = getAcc().getType();
  if (acc.getInFlight())
    return emitOpError() << tile_verifier::readInFlightMessage;
  TileType box = getMap().getType().getBox();
  if (acc.getLayout() != AccLayout::Wgmma || box.getRows() > 256 ||
      acc.getRows() % box.getRows() || box.getColumns() > acc.getColumns())
    return emitOpError() << "stores a " << acc << " in boxes of " << box;
  if (failed(tile_verifier::verifyBuffers(*this, getBuffers())))
    return failure();
  return verifyCoordinates(*this, getCoordinates());
}
