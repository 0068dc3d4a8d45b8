//===- VectorKernel.cpp - A thread for several elements -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise operations on 16-bit floats move little data for each element, so
// that memory is not busy if a thread moves one. Here a thread loads and stores
// vectors of 16 bytes, of neighbours in the rows of all matrices.
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::linalg_to_gpu;
using linalg::LinalgOp;

namespace {
/// The loop along which a thread computes `width` elements, and the operands
/// with vectors along it. All others are the same for these elements.
struct Vectors {
  unsigned loop;
  int64_t width;
  SmallVector<OpOperand *> operands;
  bool contains(OpOperand &operand) const {
    return llvm::is_contained(operands, &operand);
  }
};
} // namespace

static unsigned getBits(OpOperand &operand) {
  return getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth();
}

/// Returns whether every vector of the operand starts at a multiple of its
/// size, provided that its first element does.
static bool hasWholeVectors(OpOperand &operand, int64_t width) {
  auto type = cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1 && ShapedType::isStatic(offset) &&
         offset % width == 0 &&
         llvm::all_of(ArrayRef(strides).drop_back(), [&](int64_t stride) {
           return ShapedType::isStatic(stride) && stride % width == 0;
         });
}

/// Adds the operand to `vectors` if it has any along the loop. Returns whether
/// the kernel supports it.
static bool addOperand(LinalgOp op, OpOperand &operand, Vectors &vectors) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || !map.isFunctionOfDim(vectors.loop))
    return true;
  auto isLoop = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim && dim.getPosition() == vectors.loop;
  };
  Type element = type.getElementType();
  if (!isLoop(map.getResults().back()) ||
      llvm::any_of(map.getResults().drop_back(),
                   [&](AffineExpr expr) {
                     return expr.isFunctionOfDim(vectors.loop);
                   }) ||
      !(element.isF16() || element.isBF16() || element.isF32()))
    return false;
  vectors.operands.push_back(&operand);
  return true;
}

static std::optional<Vectors> matchVectors(LinalgOp op) {
  if (op.getNumLoops() == 0 || op.getNumLoops() != op.getNumParallelLoops() ||
      op.getNumDpsInits() != 1)
    return std::nullopt;
  OpOperand &output = *op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(&output);
  if (!map.isPermutation() || !isa<MemRefType>(output.get().getType()))
    return std::nullopt;
  Vectors vectors{map.getDimPosition(map.getNumResults() - 1), 0, {}};
  for (OpOperand &operand : op->getOpOperands())
    if ((&operand == &output || op.payloadUsesValueFromOperand(&operand)) &&
        !addOperand(op, operand, vectors))
      return std::nullopt;
  unsigned widest = 0, narrowest = 32;
  for (OpOperand *operand : vectors.operands) {
    widest = std::max(widest, getBits(*operand));
    narrowest = std::min(narrowest, getBits(*operand));
  }
  vectors.width = 128 / widest;
  int64_t extent = op.getStaticLoopRanges()[vectors.loop];
  bool fits = narrowest == 16 && ShapedType::isStatic(extent) &&
              extent % vectors.width == 0 &&
              llvm::all_of(vectors.operands, [&](OpOperand *operand) {
                return hasWholeVectors(*operand, vectors.width);
              });
  return fits ? std::optional(vectors) : std::nullopt;
}

namespace {
class VectorWriter {
public:
  VectorWriter(LinalgOp op, const Vectors &vectors)
      : builder(op.getLoc(), op), op(op), vectors(vectors) {}
  void write();

private:
  Value areAligned();
  Value getPointer(OpOperand &operand);
  VectorType getType(OpOperand &operand) {
    return VectorType::get({vectors.width},
                           getElementTypeOrSelf(operand.get()));
  }
  unsigned getBytes(OpOperand &operand) {
    return getBits(operand) / 8 * vectors.width;
  }
  Value getLane(int64_t lane) {
    return LLVM::ConstantOp::create(
        builder, builder.getI32IntegerAttr(static_cast<int32_t>(lane)));
  }
  void writeVector();

  ImplicitLocOpBuilder builder;
  LinalgOp op;
  const Vectors &vectors;
  SmallVector<Value> ivs;
};
} // namespace

/// Computes whether the first elements of all operands are aligned to vectors.
Value VectorWriter::areAligned() {
  Value rest = getIndex(builder, 0);
  for (OpOperand *operand : vectors.operands) {
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, operand->get());
    Value own = arith::RemUIOp::create(builder, address,
                                       getIndex(builder, getBytes(*operand)));
    rest = arith::OrIOp::create(builder, rest, own);
  }
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, rest,
                               getIndex(builder, 0));
}

/// A pointer to the operand's vector.
Value VectorWriter::getPointer(OpOperand &operand) {
  auto type = cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  // The type was matched.
  (void)type.getStridesAndOffset(strides, offset);
  Value element = getIndex(builder, offset);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto coordinates =
      *affine::expandAffineMap(builder, builder.getLoc(), map, ivs);
  for (auto [coordinate, stride] : llvm::zip_equal(coordinates, strides))
    element = arith::AddIOp::create(
        builder, element,
        arith::MulIOp::create(builder, coordinate, getIndex(builder, stride)));
  Value address = arith::AddIOp::create(
      builder,
      memref::ExtractAlignedPointerAsIndexOp::create(builder, operand.get()),
      arith::MulIOp::create(builder, element,
                            getIndex(builder, getBits(operand) / 8)));
  Value bytes =
      arith::IndexCastUIOp::create(builder, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      builder,
      LLVM::LLVMPointerType::get(builder.getContext(),
                                 unsigned(NVVM::NVVMMemorySpace::Global)),
      bytes);
}

/// Computes the elements of a thread, from `ivs` on.
void VectorWriter::writeVector() {
  OpOperand &output = *op.getDpsInitOperand(0);
  SmallVector<Value> loaded(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&operand))
      continue;
    loaded[operand.getOperandNumber()] =
        vectors.contains(operand)
            ? LLVM::LoadOp::create(builder, getType(operand),
                                   getPointer(operand), getBytes(operand))
                  .getResult()
            : loadOperand(builder, op, operand, ivs);
  }
  Value target = getPointer(output);
  Value result = LLVM::PoisonOp::create(builder, getType(output));
  Value first = ivs[vectors.loop];
  for (int64_t lane = 0; lane < vectors.width; ++lane) {
    SmallVector<Value> elements(loaded);
    for (OpOperand *operand : vectors.operands)
      if (Value &element = elements[operand->getOperandNumber()])
        element =
            LLVM::ExtractElementOp::create(builder, element, getLane(lane));
    ivs[vectors.loop] =
        arith::AddIOp::create(builder, first, getIndex(builder, lane));
    Value value = cloneBody(builder, op, ivs, elements).front();
    result =
        LLVM::InsertElementOp::create(builder, result, value, getLane(lane));
  }
  LLVM::StoreOp::create(builder, result, target, getBytes(output));
}

void VectorWriter::write() {
  SmallVector<Value> counts = getExtents(builder, op);
  counts[vectors.loop] =
      getIndex(builder, op.getStaticLoopRanges()[vectors.loop] / vectors.width);
  auto branch = scf::IfOp::create(builder, areAligned(),
                                  /*withElseRegion=*/true);
  op->moveBefore(branch.elseBlock()->getTerminator());
  builder.setInsertionPointToStart(branch.thenBlock());
  Value total = multiply(builder, counts);
  Value threads = getIndex(builder, kBlockThreads);
  Kernel kernel = createKernel(
      builder, builder.createOrFold<arith::CeilDivUIOp>(total, threads));
  Value start = arith::AddIOp::create(
      builder, arith::MulIOp::create(builder, kernel.block, threads),
      kernel.thread);
  Value step = arith::MulIOp::create(builder, kernel.numBlocks, threads);
  auto loop = scf::ForOp::create(builder, start, total, step);
  builder.setInsertionPointToStart(loop.getBody());
  ivs = delinearize(builder, loop.getInductionVar(), counts);
  ivs[vectors.loop] = arith::MulIOp::create(builder, ivs[vectors.loop],
                                            getIndex(builder, vectors.width));
  writeVector();
}

void linalg_to_gpu::writeVectorKernel(LinalgOp op) {
  if (std::optional<Vectors> vectors = matchVectors(op))
    VectorWriter(op, *vectors).write();
  writeElementKernel(op);
}
