//===- TileLoweringWmma.cpp - Fragments that only wmma knows --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands and accumulators are !gpu.mma_matrix, one for each instruction.
// Which thread holds which element is not known, so that elementwise work goes
// through shared memory; but work that does not ask where an element lies is
// done on the registers, and whole matrices of f32 are stored from there.
//
// gpu.subgroup_mma_load_matrix and its store take pitches that are constants.
// In global memory they are not, and nvvm.wmma.load and store stand here
// instead.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

/// The depth of every instruction.
static constexpr int64_t kDepth = 16;
/// f32 elements to whose multiples wmma wants rows to be aligned.
static constexpr int64_t kAlignedFloats = 8;

gpu::MMAMatrixType tcgemm::getMatrixType(FragmentType fragment) {
  WmmaShape shape = *getWmmaShape(fragment.getLayout());
  if (fragment.getRole() == FragmentRole::A)
    return gpu::MMAMatrixType::get({shape.m, kDepth}, fragment.getElementType(),
                                   "AOp");
  return gpu::MMAMatrixType::get({kDepth, shape.n}, fragment.getElementType(),
                                 "BOp");
}

/// Rows or columns of one instruction.
static int64_t getUnit(FragmentType fragment) {
  WmmaShape shape = *getWmmaShape(fragment.getLayout());
  return fragment.getRole() == FragmentRole::A ? shape.m : shape.n;
}

/// Whether wmma sees the matrix column by column: A's columns and B's rows run
/// along m and n.
static bool isColumnMajor(FragmentType fragment, bool transposed) {
  return (fragment.getRole() == FragmentRole::A) == transposed;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void TileLowering::zeroMatrices(AccZeroOp op) {
  SmallVector<Type> types = expand(op.getAcc().getType());
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(b.getF32Type()));
  Value matrix =
      b.create<gpu::SubgroupMmaConstantMatrixOp>(types.front(), zero);
  set(op.getAcc(), SmallVector<Value>(types.size(), matrix));
}

void TileLowering::loadMatrices(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  RingType ring = op.getRing().getType();
  int64_t pitch = ring.getTiles()[op.getTile()].getRowBytes() / 2;
  int64_t unit = getUnit(type), k = op.getKStep() * kDepth;
  bool transposed = op.getTransposed();
  Value first = b.mul(one(op.getWarp()), type.getRows());
  Value offset =
      b.add(one(op.getState()), transposed ? first : b.mul(first, pitch));
  int64_t base =
      ring.getTileOffset(op.getTile()) / 2 + (transposed ? k * pitch : k);
  auto columnMajor =
      isColumnMajor(type, transposed) ? b.getUnitAttr() : UnitAttr();
  SmallVector<Value> loaded;
  for (int64_t side = 0; side < type.getRows(); side += unit) {
    Value place = indexAt(offset, base + (transposed ? side : side * pitch));
    loaded.push_back(b.create<gpu::SubgroupMmaLoadMatrixOp>(
        getMatrixType(type), one(op.getRing()), place, b.getIndexAttr(pitch),
        columnMajor));
  }
  set(op.getFragment(), loaded);
}

Value TileLowering::globalAddress(Value base, Value index) {
  auto type = cast<MemRefType>(base.getType());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value start =
      b.create<UnrealizedConversionCastOp>(pointer, base).getResult(0);
  return b.create<LLVM::GEPOp>(pointer, type.getElementType(), start,
                               LLVM::GEPArg(index));
}

void TileLowering::lower(FragmentFetchOp op) {
  FragmentType type = op.getFragment().getType();
  WmmaShape shape = *getWmmaShape(type.getLayout());
  int64_t unit = getUnit(type);
  Value last = b.sub(one(op.getExtent()), b.i32(unit));
  Value stride = one(op.getStride());
  Value pitch = b.createOrFold<arith::TruncIOp>(b.getI32Type(), stride);
  auto registers = convertMMAToLLVMType(getMatrixType(type));
  auto layout = isColumnMajor(type, op.getTransposed()) ? NVVM::MMALayout::col
                                                        : NVVM::MMALayout::row;
  auto frag =
      type.getRole() == FragmentRole::A ? NVVM::MMAFrag::a : NVVM::MMAFrag::b;
  SmallVector<Value> fetched;
  for (int64_t side = 0; side < type.getRows(); side += unit) {
    Value place = b.ext(
        b.createOrFold<arith::MinUIOp>(b.add(one(op.getFirst()), side), last));
    if (!op.getTransposed())
      place = b.mul(place, stride);
    Value address =
        globalAddress(one(op.getBase()), b.add(one(op.getAddress()), place));
    Value loaded =
        b.create<NVVM::WMMALoadOp>(registers, address, pitch, shape.m, shape.n,
                                   kDepth, layout, NVVM::MMATypes::f16, frag);
    fetched.push_back(
        b.create<UnrealizedConversionCastOp>(getMatrixType(type), loaded)
            .getResult(0));
  }
  set(op.getFragment(), fetched);
}

void TileLowering::multiplyMatrices(MmaOp op) {
  ArrayRef<Value> rows = all(op.getA()), columns = all(op.getB());
  SmallVector<Value> acc(all(op.getAcc()));
  auto layout = [&](FragmentType type, bool transposed) {
    return isColumnMajor(type, transposed) ? b.getUnitAttr() : UnitAttr();
  };
  auto layoutA = layout(op.getA().getType(), op.getATransposed());
  auto layoutB = layout(op.getB().getType(), op.getBTransposed());
  for (auto [i, row] : llvm::enumerate(rows))
    for (auto [j, column] : llvm::enumerate(columns)) {
      Value &sum = acc[i * columns.size() + j];
      sum = b.create<gpu::SubgroupMmaComputeOp>(sum.getType(), row, column, sum,
                                                layoutA, layoutB);
    }
  set(op.getResult(), acc);
}

//===----------------------------------------------------------------------===//
// A CTA's tile in shared memory
//===----------------------------------------------------------------------===//

void TileLowering::lower(AccStageOp op) {
  AccType type = op.getAcc().getType();
  WmmaShape shape = *getWmmaShape(type.getLayout());
  int64_t pitch = op.getPitch();
  Value memory = sharedAs(b.getF32Type(), op.getRows() * pitch);
  Value start = b.add(b.mul(one(op.getRow()), pitch), one(op.getColumn()));
  ArrayRef<Value> matrices = all(op.getAcc());
  int64_t across = type.getColumns() / shape.n;
  for (auto [i, matrix] : llvm::enumerate(matrices)) {
    int64_t row = i / across * shape.m, column = i % across * shape.n;
    b.create<gpu::SubgroupMmaStoreMatrixOp>(
        matrix, memory, indexAt(start, row * pitch + column),
        b.getIndexAttr(pitch), UnitAttr());
  }
  b.create<gpu::BarrierOp>();
}

void TileLowering::lower(AccUnstageOp op) {
  int64_t columns = op.getAcc().getType().getColumns();
  auto type = VectorType::get({columns}, b.getF32Type());
  Value memory = sharedAs(b.getF32Type(), op.getRows() * op.getPitch());
  Value place =
      b.add(b.mul(one(op.getRow()), op.getPitch()), one(op.getColumn()));
  Value loaded = b.create<vector::LoadOp>(type, memory, b.index(place));
  SmallVector<Value> elements;
  for (int64_t i = 0; i < columns; ++i)
    elements.push_back(b.create<vector::ExtractOp>(loaded, i));
  set(op.getAcc(), elements);
}

//===----------------------------------------------------------------------===//
// Stores without such a tile
//===----------------------------------------------------------------------===//

static StringRef getOutputDims(EpilogueOp op, unsigned output) {
  unsigned first = op.getInputs().size();
  return cast<StringAttr>(op.getDims()[first + output]).getValue();
}

/// The place of the output's stride from row to row in the operation's list.
static unsigned getRowStride(EpilogueOp op, unsigned output) {
  unsigned stride = 0;
  for (Attribute dims :
       op.getDims().getValue().take_front(op.getInputs().size() + output))
    stride += std::max<size_t>(1, cast<StringAttr>(dims).size()) - 1;
  return stride + getOutputDims(op, output).find('m');
}

/// Whether the outputs can be stored by wmma, from the registers; null if they
/// never can.
Value TileLowering::canStoreMatrices(EpilogueOp op) {
  Block &body = op.getBody().front();
  if (!op.getInputs().empty() || !body.getOps<IndexOp>().empty())
    return nullptr;
  Value can;
  for (unsigned output = 0; output < op.getOutputs().size(); ++output) {
    auto type = cast<MemRefType>(op.getOutputs()[output].getType());
    Value fits =
        type.getElementType().isF32() && getOutputDims(op, output).contains('m')
            ? isVectorizable(op, output, kAlignedFloats)
            : Value();
    if (!fits)
      return nullptr;
    // The instruction takes 32 bits.
    Value stride = one(op.getStrides()[getRowStride(op, output)]);
    fits = b.bitAnd(fits,
                    b.cmp(arith::CmpIPredicate::ult, stride, b.i64(1L << 31)));
    can = can ? b.bitAnd(can, fits) : fits;
  }
  return can;
}

void TileLowering::storeMatricesDirectly(EpilogueOp op) {
  AccType type = op.getAcc().getType();
  WmmaShape shape = *getWmmaShape(type.getLayout());
  int64_t across = type.getColumns() / shape.n;
  for (auto [i, matrix] : llvm::enumerate(all(op.getAcc()))) {
    Value m = b.add(one(op.getM()), i / across * shape.m);
    Value n = b.add(one(op.getN()), i % across * shape.n);
    auto registers = cast<LLVM::LLVMStructType>(
        convertMMAToLLVMType(cast<gpu::MMAMatrixType>(matrix.getType())));
    Value all =
        b.create<UnrealizedConversionCastOp>(registers, matrix).getResult(0);
    SmallVector<SmallVector<Value>> results(op.getOutputs().size());
    for (size_t r = 0; r < registers.getBody().size(); ++r) {
      Value element = b.create<LLVM::ExtractValueOp>(all, r);
      for (auto [list, result] :
           llvm::zip_equal(results, evaluate(op, element, {}, m, n)))
        list.push_back(result);
    }
    for (auto [output, list] : llvm::enumerate(results)) {
      Value stride = one(op.getStrides()[getRowStride(op, output)]);
      Value pitch = b.createOrFold<arith::TruncIOp>(b.getI32Type(), stride);
      Value address = globalAddress(getBuffer(op, output),
                                    epilogueAddress(op, output, m, n));
      b.create<NVVM::WMMAStoreOp>(address, shape.m, shape.n, kDepth,
                                  NVVM::MMALayout::row, NVVM::MMATypes::f32,
                                  list, pitch);
    }
  }
}

/// Matrix by matrix through the warp's share of the staging memory: neighbours
/// in a row are two to a lane, and neighbouring lanes have neighbours.
void TileLowering::storeMatricesByElement(EpilogueOp op, Value whole) {
  AccType type = op.getAcc().getType();
  WmmaShape shape = *getWmmaShape(type.getLayout());
  int64_t warps = program.getThreads() / 32;
  int64_t perWarp = *op.getStaging() / warps / 4, pitch = perWarp / shape.m;
  Value memory = sharedAs(b.getF32Type(), warps * perWarp);
  Value origin = b.mul(b.divU(threadId(), 32), perWarp), lane = laneId();
  int64_t pairs = shape.n / 2, rowsPerPass = 32 / pairs;
  Value row = b.divU(lane, pairs), column = b.mul(b.remU(lane, pairs), 2);
  Value own = b.add(b.add(origin, b.mul(row, pitch)), column);
  auto pairType = VectorType::get({2}, b.getF32Type());
  int64_t across = type.getColumns() / shape.n;
  ArrayRef<Value> matrices = all(op.getAcc());
  for (auto [i, matrix] : llvm::enumerate(matrices)) {
    b.create<gpu::SubgroupMmaStoreMatrixOp>(matrix, memory, b.index(origin),
                                            b.getIndexAttr(pitch), UnitAttr());
    b.create<NVVM::SyncWarpOp>(b.i32(-1));
    Value m = b.add(b.add(one(op.getM()), row), i / across * shape.m);
    Value n = b.add(b.add(one(op.getN()), column), i % across * shape.n);
    AccView view;
    view.run = 2;
    view.columns = {n, b.add(n, 1)};
    for (int64_t down = 0; down < shape.m; down += rowsPerPass) {
      view.rows.push_back(b.add(m, down));
      Value pair = b.create<vector::LoadOp>(pairType, memory,
                                            indexAt(own, down * pitch));
      for (int64_t e : {0, 1})
        view.values.push_back(b.create<vector::ExtractOp>(pair, e));
    }
    auto inputs = loadInputs(op, view, whole, /*inPairs=*/false);
    auto results = evaluateBlock(op, view, inputs);
    for (auto [output, list] : llvm::enumerate(results))
      storeBlock(op, output, view, list, whole, /*isLast=*/false);
    // The next matrix overwrites what lanes may still read.
    b.create<NVVM::SyncWarpOp>(b.i32(-1));
  }
}

void TileLowering::storeMatrices(EpilogueOp op) {
  Value whole = isWhole(op);
  Value direct = canStoreMatrices(op);
  if (!direct)
    return storeMatricesByElement(op, whole);
  choose(
      b.bitAnd(direct, whole), {},
      [&] { return storeMatricesDirectly(op), SmallVector<Value>(); },
      [&] { return storeMatricesByElement(op, whole), SmallVector<Value>(); });
}
