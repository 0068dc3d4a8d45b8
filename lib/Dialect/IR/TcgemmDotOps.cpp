//===- TcgemmDotOps.cpp - Dot products from global memory -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

/// Checks that `op` is the only one in the program, and is in the program's own
/// block, where all threads reach its barrier.
static LogicalResult verifyPlace(AccDotOp op) {
  auto program = dyn_cast<ProgramOp>(op->getParentOp());
  if (!program)
    return op.emitOpError() << "must be in the program's own block: all "
                               "threads meet in it";
  if (!llvm::hasSingleElement(program.getBody().front().getOps<AccDotOp>()))
    return op.emitOpError()
           << "is not the program's only one, but they share their memory";
  return success();
}

static LogicalResult verifyTypes(AccDotOp op) {
  AccType acc = op.getAcc().getType();
  if (acc.getLayout() != AccLayout::Row || acc.getRows() != 1 ||
      !llvm::is_contained({1, 2, 4}, int64_t(acc.getColumns())))
    return op.emitOpError()
           << "gives each thread 1, 2 or 4 elements of a row, but not a "
           << acc;
  Type few = op.getFewElement(), many = op.getManyElement();
  std::optional<ScalarType> a = getScalarType(few), b = getScalarType(many),
                            sum = getScalarType(acc.getElementType());
  if (!a || !b || !sum || !multipliesInThreads(*a, *b, *sum))
    return op.emitOpError() << "has no product of " << few << " by " << many
                            << " with sums of " << acc.getElementType();
  for (auto [bytes, memory] :
       {std::pair(int64_t(op.getFewBytes()), op.getFew()),
        std::pair(int64_t(op.getManyBytes()), op.getMany())}) {
    int64_t least =
        cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
    if (bytes < least || bytes > 16 || !llvm::isPowerOf2_64(bytes))
      return op.emitOpError() << "loads " << bytes
                              << " bytes at a time, but it must be a power of "
                                 "two from "
                              << least << " to 16";
  }
  return success();
}

/// Checks the scales and zero points of the rows of `many`.
static LogicalResult verifyGroups(AccDotOp op) {
  if (!op.getScales() && !op.getZeroPoints())
    return success();
  std::optional<int64_t> group = op.getGroup();
  if (!op.getScales() || !group || !isGroupDepth(*group) ||
      op.getScalePlaces().size() != 3)
    return op.emitOpError() << "needs scales with three places and a group of "
                               "32, 64, 128 or 256 elements";
  if (op.getZeroPoints() &&
      (op.getZeroPlaces().size() != 3 || !op.getZeroType()))
    return op.emitOpError() << "needs three places and the type of zero points";
  if (getPackedElements(op.getManyElement()) == 1)
    return op.emitOpError() << "has groups of " << op.getManyElement()
                            << ", but only elements of 4 bits have them";
  return success();
}

/// The lanes that read a row in tensor cores, and the elements that each of
/// them reads together.
static constexpr int64_t kTensorLanes = 4;
static int64_t getTensorVector(AccDotOp op) {
  return std::max(op.getFewBytes() / 2, 2 * op.getManyBytes());
}

int64_t AccDotOp::getRingBytes() {
  int64_t elements = kTensorLanes * getTensorVector(*this) *
                     int64_t(getSlices()) * int64_t(getUnroll());
  return getStages().value_or(0) * int64_t(getColumns()) * elements / 2;
}

/// Checks what tensor cores multiply: 16 rows of 4-bit weights of each group of
/// warps at a time, of whose lanes four have the same group of scales.
static LogicalResult verifyTensorCores(AccDotOp op, int64_t groups) {
  if (op.getStages() && (!op.getMma() || *op.getStages() < 2))
    return op.emitOpError()
           << "copies vectors ahead in " << *op.getStages()
           << " stages, but it takes at least 2, and tensor cores";
  if (!op.getMma())
    return success();
  constexpr int64_t rows = 16;
  Type few = op.getFewElement();
  if (getPackedElements(op.getManyElement()) == 1 ||
      !(few.isF16() || few.isBF16()))
    return op.emitOpError()
           << "multiplies " << op.getManyElement() << " by " << few
           << " in tensor cores, but they take 4 bits by f16 "
              "or bf16";
  if (int64_t(op.getColumns()) % (rows * groups))
    return op.emitOpError() << "has " << op.getColumns() << " columns for "
                            << groups << " groups of warps, but tensor cores "
                            << "need a multiple of " << rows << " for each";
  constexpr int64_t leastBytes = 4;
  if (int64_t(op.getFewBytes()) < leastBytes ||
      int64_t(op.getManyBytes()) < leastBytes)
    return op.emitOpError()
           << "loads " << op.getFewBytes() << " and " << op.getManyBytes()
           << " bytes at a time, but for tensor cores it must "
              "be at least "
           << leastBytes;
  int64_t vector = getTensorVector(op);
  if (op.getScales() && int64_t(*op.getGroup()) < kTensorLanes * vector)
    return op.emitOpError() << "adds the products of " << kTensorLanes
                            << " lanes with " << vector
                            << " elements each in tensor cores, but a group of "
                               "scales has "
                            << *op.getGroup();
  return success();
}

/// Checks operands that are not contiguous along k.
static LogicalResult verifySteps(AccDotOp op, int64_t groups) {
  if (bool(op.getManyStep()) != op.getLanes().has_value())
    return op.emitOpError() << "needs lanes with a step of many, and only then";
  for (auto [step, element] :
       {std::pair(op.getFewStep(), op.getFewElement()),
        std::pair(op.getManyStep(), op.getManyElement())})
    if (step &&
        (getPackedElements(element) > 1 || op.getScales() || op.getMma()))
      return op.emitOpError()
             << "has a step between elements of " << element
             << ", but elements that share bytes, products with scales and "
                "those of tensor cores are contiguous along k";
  if (op.getFewStep()) {
    int64_t bytes =
        cast<MemRefType>(op.getFew().getType()).getElementTypeBitWidth() / 8;
    if (int64_t(op.getFewBytes()) != bytes)
      return op.emitOpError() << "loads " << op.getFewBytes()
                              << " bytes of few at a time, but with a step "
                                 "elements are loaded alone: it must be "
                              << bytes;
  }
  if (!op.getManyStep())
    return success();
  int64_t bytes =
      cast<MemRefType>(op.getMany().getType()).getElementTypeBitWidth() / 8;
  int64_t together = int64_t(op.getManyBytes()) / bytes, lanes = *op.getLanes();
  int64_t rows = int64_t(op.getColumns()) / groups;
  if (lanes < 1 || lanes > 32 || !llvm::isPowerOf2_64(lanes) ||
      rows % (lanes * together))
    return op.emitOpError()
           << "has " << lanes << " lanes with " << together
           << " rows each, but they must be a power of two up to 32 and divide "
              "the group's "
           << rows << " columns";
  if (together > 1 && getConstantIntValue(op.getManyStride()) != 1)
    return op.emitOpError() << "loads " << together
                            << " rows of many at a time, so that the stride "
                               "must be 1";
  return success();
}

static Type getElement(Value memory, std::optional<Type> given) {
  return given ? *given : cast<MemRefType>(memory.getType()).getElementType();
}

Type AccDotOp::getFewElement() { return getElement(getFew(), getFewType()); }
Type AccDotOp::getManyElement() { return getElement(getMany(), getManyType()); }

LogicalResult AccDotOp::verify() {
  if (failed(verifyPlace(*this)) || failed(verifyTypes(*this)) ||
      failed(verifyGroups(*this)))
    return failure();
  int64_t threads = cast<ProgramOp>((*this)->getParentOp()).getThreads();
  int64_t rows = getRows(), columns = getColumns(), slices = getSlices();
  if (slices < 1 || threads % (32 * slices))
    return emitOpError() << "has groups of " << slices
                         << " warps, which must divide the program's "
                         << threads << " threads";
  int64_t groups = threads / 32 / slices;
  int64_t each = getAcc().getType().getColumns();
  if (rows < 1 || columns < 1 || columns % groups || columns % each ||
      rows > threads / (columns / each))
    return emitOpError() << "computes " << rows << " x " << columns
                         << " elements, but must have at most " << each
                         << " for each of the program's " << threads
                         << " threads, in equal columns of " << groups
                         << " groups";
  if (failed(verifyTensorCores(*this, groups)) ||
      failed(verifySteps(*this, groups)))
    return failure();
  if (int64_t unroll = getUnroll(); unroll < 1 || unroll > 128)
    return emitOpError() << "unroll must be 1 to 128, but is " << unroll;
  return success();
}
