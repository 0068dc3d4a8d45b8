//===- TcgemmReductionOps.cpp - Reductions of epilogues' values -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/ReducedOutputs.h"
#include "Verifier/TileVerifier.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

FailureOr<Combiner> tcgemm::parseCombiner(AsmParser &parser) {
  llvm::SMLoc place = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  if (std::optional<Combiner> combiner = tcgemm::parseCombiner(name))
    return *combiner;
  return parser.emitError(place) << "combiner must be one of "
                                 << getCombinerNames() << ", but is " << name;
}

/// The state of an index and a value that one integer cannot hold.
static Type getWideIndexType(MLIRContext *context) {
  return VectorType::get({2}, IntegerType::get(context, 64));
}

Type tcgemm::getStateType(Combiner combiner, Type value, StringRef dim) {
  MLIRContext *context = value.getContext();
  bool isWide = dim.empty() || value.getIntOrFloatBitWidth() > 32;
  switch (getStateKind(combiner)) {
  case StateKind::Value:
    return value;
  case StateKind::Index:
    return isWide ? getWideIndexType(context) : IntegerType::get(context, 64);
  case StateKind::SumExp:
    return VectorType::get({2}, value);
  case StateKind::Moments:
    return VectorType::get({4}, value);
  }
  llvm_unreachable("covered switch");
}

int64_t tcgemm::getStateBytes(Type state) {
  auto vector = dyn_cast<VectorType>(state);
  Type element = vector ? vector.getElementType() : state;
  return (vector ? vector.getNumElements() : 1) *
         element.getIntOrFloatBitWidth() / 8;
}

std::optional<ReductionInfo> tcgemm::getReductionInfo(Combiner combiner,
                                                      TypedAttr initial) {
  if (auto value = dyn_cast<FloatAttr>(initial))
    return ReductionInfo{combiner, value.getValueAsDouble()};
  if (auto value = dyn_cast<IntegerAttr>(initial))
    return ReductionInfo{combiner, value.getInt()};
  return std::nullopt;
}

LogicalResult
ReductionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      Combiner combiner, TypedAttr initial) {
  std::optional<ReductionInfo> info = getReductionInfo(combiner, initial);
  std::optional<ScalarType> type = getScalarType(initial.getType());
  if (!info || !type)
    return emitError() << getCombinerName(combiner) << " cannot start with "
                       << initial << ": it is no number of a known type";
  std::string violation = findViolation(*info, *type);
  return violation.empty() ? success() : emitError() << violation;
}

static LogicalResult verifyDim(function_ref<InFlightDiagnostic()> emitError,
                               StringRef dim) {
  if (dim.empty() || dim == "m" || dim == "n")
    return success();
  return emitError() << "partial results are along m, n or neither, but not '"
                     << dim << "'";
}

LogicalResult PartialAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Combiner, StringRef dim) {
  return verifyDim(emitError, dim);
}

bool tcgemm::canYield(Type value, OperandAttr output) {
  ReductionAttr reduction = output.getReduction();
  if (!reduction)
    return value == output.getElementType();
  std::optional<ScalarType> type = getScalarType(value);
  std::optional<ScalarType> result = getScalarType(output.getElementType());
  return type && result && canReduce(reduction.getCombiner(), *type, *result);
}

LogicalResult tcgemm::verifyReducedDims(KernelOp op, unsigned index) {
  OperandAttr operand = op.getOperandInfo(index);
  ReductionAttr reduction = operand.getReduction();
  if (!reduction)
    return success();
  if (op.getProductDims().size() > 1)
    return op.emitOpError()
           << "operand " << index
           << ": an output with a reduction needs one outer dimension, but "
              "there are "
           << op.getProductDims().size();
  StringRef dims = operand.getDims();
  bool isInBatch =
      dims.contains('b') || op.getBatch() == 1 || op.findOffsets().has_value();
  if (getStateKind(reduction.getCombiner()) == StateKind::Index && !isInBatch)
    return op.emitOpError()
           << "operand " << index << ": an index is that of one batch, so that "
           << "the output needs b unless its size is 1, but it has '" << dims
           << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// AccReduceOp
//===----------------------------------------------------------------------===//

int64_t AccReduceOp::getScratchBytes() {
  AccType acc = getAcc().getType();
  // A warp's tile is divided among its lanes; a thread has a simt tile alone.
  int64_t holders = getOperation()->getParentOfType<ProgramOp>().getThreads();
  if (acc.getLayout() != AccLayout::Simt)
    holders /= 32;
  int64_t parts = getWarpsK();
  return (parts - 1) * (holders / parts) * acc.getRows() * acc.getColumns() *
         getStorageBits(acc.getElementType()) / 8;
}

LogicalResult AccReduceOp::verify() {
  AccType acc = getAcc().getType();
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program)
    return emitOpError("must be in a program");
  if (acc != getResult().getType() || (acc.getLayout() != AccLayout::MmaSync &&
                                       acc.getLayout() != AccLayout::Simt))
    return emitOpError() << "adds accumulators of mma_sync or simt, but takes "
                         << acc << " and gives " << getResult().getType();
  int64_t threads = program.getThreads(), parts = getWarpsK();
  int64_t unit = acc.getLayout() == AccLayout::Simt ? 1 : 32;
  if (parts >= 2 && threads % (parts * unit) == 0)
    return success();
  return emitOpError() << "divides " << threads << " threads into " << parts
                       << " parts, but they must be at least 2 and equal";
}

//===----------------------------------------------------------------------===//
// EpilogueOp
//===----------------------------------------------------------------------===//

PartialTile tcgemm::getPartialTile(AccType acc, bool transposed) {
  PartialTile tile{acc.getRows(), acc.getColumns(), 1, 1};
  // Each warp of a warpgroup has 16 of 64 rows.
  if (acc.getLayout() == AccLayout::Wgmma)
    tile.rowParts = 4;
  // The threads' runs lie between each other.
  if (ArrayRef<int64_t> runs = acc.getRuns(); !runs.empty())
    tile = {acc.getRows() / runs[0] * runs[1],
            acc.getColumns() / runs[2] * runs[3], runs[1] / runs[0],
            runs[3] / runs[2]};
  if (transposed)
    tile = {tile.columns, tile.rows, tile.columnParts, tile.rowParts};
  return tile;
}

LogicalResult tile_verifier::verifyReductions(EpilogueOp op) {
  size_t number = op.getNumReductions();
  ArrayAttr reductions = op.getReductionsAttr();
  if ((reductions ? reductions.size() : 0) != number ||
      op.getPartialStrides().size() != 2 * number)
    return op.emitOpError()
           << "has " << number << " buffers of partial results, but "
           << (reductions ? reductions.size() : 0) << " reductions and "
           << op.getPartialStrides().size() << " strides of them";
  auto yields = op.getBody().front().getTerminator()->getOperandTypes();
  if (number && yields.size() != op.getNumStored() + number)
    return op.emitOpError()
           << "yields " << yields.size() << " values for " << op.getNumStored()
           << " outputs and " << number << " reductions";
  for (unsigned i = 0; i < number; ++i) {
    auto partial = dyn_cast<PartialAttr>(reductions[i]);
    if (!partial)
      return op.emitOpError() << "reductions must be #tcgemm.partial, but have "
                              << reductions[i];
    Type type = yields[op.getNumStored() + i];
    std::optional<ScalarType> scalar = getScalarType(type);
    auto buffer = cast<MemRefType>(op.getPartials()[i].getType());
    Combiner combiner = partial.getCombiner();
    if (!scalar || !canCombine(combiner, *scalar) ||
        buffer.getElementType() !=
            getStateType(combiner, type, partial.getDim()))
      return op.emitOpError()
             << "cannot store " << getCombinerName(combiner)
             << " of values of type " << type << " to " << buffer;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// PartialsCombineOp
//===----------------------------------------------------------------------===//

int64_t PartialsCombineOp::getScratchBytes() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  Type state = cast<MemRefType>(getPartials().getType()).getElementType();
  return int64_t(program.getThreads()) * getStateBytes(state);
}

/// Returns whether a reduction's states can have the type.
static bool isState(ReductionAttr reduction, Type state) {
  Type result = reduction.getInitial().getType();
  // An index does not have the type of its value.
  if (getStateKind(reduction.getCombiner()) == StateKind::Index)
    return state.isInteger(64) || state == getWideIndexType(state.getContext());
  return state == getStateType(reduction.getCombiner(), result, /*dim=*/"");
}

LogicalResult PartialsCombineOp::verify() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program || (*this)->getParentOp() != program)
    return emitOpError() << "must be in the program's own block";
  auto reduction = dyn_cast<ReductionAttr>(getReduction());
  if (!reduction)
    return emitOpError() << "reduction must be a #tcgemm.reduction, but is "
                         << getReduction();
  auto partials = cast<MemRefType>(getPartials().getType());
  if (!isState(reduction, partials.getElementType()))
    return emitOpError() << "combines states of "
                         << getCombinerName(reduction.getCombiner())
                         << ", which a buffer of type " << partials
                         << " does not have";
  Type result = reduction.getInitial().getType();
  auto output = cast<MemRefType>(getOutput().getType());
  if (output.getElementType() != result)
    return emitOpError() << "has a result of type " << result
                         << ", but a buffer of type " << output;
  int64_t lanes = getLanes(), threads = program.getThreads();
  if (lanes < 1 || threads % lanes || !llvm::isPowerOf2_64(threads / lanes))
    return emitOpError() << "needs a power of two of threads for each of "
                         << lanes << " lanes, but has " << threads
                         << " threads";
  return success();
}
