//===- Epilogue.cpp - The epilogue of a program ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/EpilogueOperands.h"
#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "Common/ReducedOutputs.h"
#include "Common/StagedInputs.h"
#include "mlir/IR/IRMapping.h"
#include "tcgemm/Dialect/EpilogueTypes.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// The operands of the epilogue op except the accumulator: buffers, the sources
/// of the arguments and the scalars that guard inputs.
struct EpilogueOperands {
  SmallVector<Value> inputs, scalars, outputs, strides, maps;
  SmallVector<Value> partials, partialStrides;
  SmallVector<Attribute> dims, reductions;
  SmallVector<int64_t> argumentOrder, guards, stagedTiles;
  bool readsLate = false; // inputs need further registers: see readsInputsLate
};
} // namespace

/// The block argument that equals `value`, directly or after a lossless
/// conversion.
static BlockArgument asArgument(Value value) {
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    value = widened.getIn();
  return dyn_cast<BlockArgument>(value);
}

bool tcgemm::isForElements(KernelOp kernel, unsigned argument) {
  return kernel.getEpilogue().getArgument(argument).use_empty() &&
         llvm::any_of(ArrayRef<unsigned>{0, 1}, [&](unsigned operand) {
           Region *region = kernel.findTransform(operand);
           return region && !region->getArgument(argument).use_empty();
         });
}

SmallVector<int64_t> tcgemm::getOperandsOfArguments(KernelOp kernel) {
  SmallVector<int64_t> operands{-1};
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i)
    if (kernel.getOperandInfo(i).isEpilogueArgument())
      operands.push_back(i);
  return operands;
}

/// Returns whether the value is the sum, or only conversions of it.
static bool isConversion(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<CastOpInterface>(op))
      return false;
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value).getArgNumber() == 0;
}

bool tcgemm::hasPlainEpilogue(KernelOp kernel) {
  auto yields = kernel.getEpilogue().front().getTerminator()->getOperands();
  return llvm::all_of(yields.drop_back(getReducedOutputs(kernel).size()),
                      isConversion);
}

int64_t tcgemm::findGuard(KernelOp kernel, BlockArgument argument,
                          ArrayRef<int64_t> operandOfArgument) {
  Value value = argument;
  if (!value.hasOneUse())
    return -1;
  if (auto widened = dyn_cast<arith::ExtFOp>(*value.user_begin()))
    value = widened.getOut();
  if (!value.hasOneUse())
    return -1;
  auto product = dyn_cast<arith::MulFOp>(*value.user_begin());
  if (!product)
    return -1;
  Value other = product.getLhs() == value ? product.getRhs() : product.getLhs();
  BlockArgument scalar = asArgument(other);
  if (!scalar || scalar.getArgNumber() == 0)
    return -1;
  int64_t operand = operandOfArgument[scalar.getArgNumber()];
  return kernel.getOperandInfo(operand).getRole() == OperandRole::Scalar
             ? operand
             : -1;
}

int64_t tcgemm::getChunkColumns(KernelOp kernel, AccType acc) {
  int64_t columns = 8;
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i)
    if (OperandAttr info = kernel.getOperandInfo(i); info.isStored())
      columns = std::max(columns, getStoreBox(acc, info.getElementType(),
                                              /*transposed=*/false,
                                              /*hasInputs=*/false)
                                      .getColumns());
  return columns;
}

/// Adds the buffers of partial results.
static void addReductions(ProgramBuilder &p, EpilogueOperands &result) {
  for (const ReducedOutput &output : getReducedOutputs(p.getKernel())) {
    result.partials.push_back(output.getPartials(p));
    result.reductions.push_back(PartialAttr::get(
        p.getContext(), output.reduction.getCombiner(), output.dim));
    // The bytes of a slot, and of a batch in it.
    Value length = output.getLength(p);
    result.partialStrides.append({p.mul(p.ext(p.size('b')), length), length});
  }
}

static EpilogueOperands getEpilogueOperands(ProgramBuilder &p, AccType acc,
                                            const StoreInfo &store) {
  KernelOp kernel = p.getKernel();
  EpilogueOperands result;
  SmallVector<int64_t> operandOfArgument = getOperandsOfArguments(kernel);
  llvm::SmallDenseMap<int64_t, int64_t> scalarOfOperand;
  auto addBuffer = [&](unsigned i, SmallVector<Value> &list) {
    StringRef dims = kernel.getOperandInfo(i).getDims();
    list.push_back(p.pointer(i));
    result.dims.push_back(p.b().getStringAttr(dims));
    for (char dim : dims.drop_back())
      result.strides.push_back(p.stride(i, dim));
  };
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i)
    if (kernel.getOperandInfo(i).getRole() == OperandRole::Scalar) {
      scalarOfOperand[i] = result.scalars.size();
      result.scalars.push_back(p.scalar(i));
    }
  for (auto [number, i] : llvm::enumerate(operandOfArgument)) {
    if (number == 0 || kernel.isMatrix(i) || isForElements(kernel, number))
      continue;
    if (scalarOfOperand.contains(i)) {
      result.argumentOrder.push_back(-1 - scalarOfOperand[i]);
      continue;
    }
    result.argumentOrder.push_back(result.inputs.size());
    BlockArgument argument = kernel.getEpilogue().getArgument(number);
    int64_t guard = findGuard(kernel, argument, operandOfArgument);
    result.guards.push_back(guard < 0 ? -1 : scalarOfOperand[guard]);
    addBuffer(i, result.inputs);
    if (!store.staged)
      continue;
    auto *found = llvm::find(store.staged->getOperands(), i);
    bool isStaged = found != store.staged->getOperands().end();
    result.stagedTiles.push_back(
        isStaged ? found - store.staged->getOperands().begin() : -1);
  }
  result.readsLate = !result.inputs.empty() && !store.staged && !store.early;
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i)
    if (kernel.getOperandInfo(i).isStored()) {
      if (store.kind != EpilogueKind::Tma) {
        addBuffer(i, result.outputs);
        continue;
      }
      OperandAttr info = kernel.getOperandInfo(i);
      result.maps.push_back(
          p.tensorMap(i, getStoreBox(acc, info.getElementType(),
                                     store.transposed, result.readsLate)));
      result.dims.push_back(p.b().getStringAttr(info.getDims()));
    }
  addReductions(p, result);
  return result;
}

/// Bytes of the warps' staging memory: 16 rows of the widest output for each
/// warp, or the largest box for each warpgroup.
static IntegerAttr getStaging(ProgramBuilder &p, Value acc, bool readsLate,
                              const StoreInfo &store) {
  if (store.staging)
    return p.b().getI64IntegerAttr(store.staging);
  if (store.kind != EpilogueKind::Staged)
    return {};
  KernelOp kernel = p.getKernel();
  auto type = cast<AccType>(acc.getType());
  int64_t width = 0, box = 0;
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i)
    if (OperandAttr info = kernel.getOperandInfo(i); info.isStored()) {
      Type element = info.getElementType();
      width = std::max(width, getEpilogueBytes(element));
      if (type.getLayout() == AccLayout::Wgmma)
        box = std::max(
            box,
            getStoreBox(type, element, store.transposed, readsLate).getBytes());
    }
  if (box)
    return p.b().getI64IntegerAttr(store.warpgroups * llvm::alignTo(box, 1024));
  int64_t warps = p.getThreads() / 32;
  return p.b().getI64IntegerAttr(warps * 16 * (type.getColumns() * width + 16));
}

void tcgemm::buildEpilogue(ProgramBuilder &p, Value acc, Value batch, Value m,
                           Value n, const StoreInfo &store) {
  auto &b = p.b();
  auto place = b.saveInsertionPoint();
  if (store.early)
    b.setInsertionPoint(*place.getBlock()->getOps<RingWaitOp>().begin());
  EpilogueOperands e =
      getEpilogueOperands(p, cast<AccType>(acc.getType()), store);
  Value extentM = store.endM ? store.endM : p.size("M"), extentN = p.size("N");
  SmallVector<Value> outer = p.splitOuter(batch);
  b.restoreInsertionPoint(place);
  auto op = b.create<EpilogueOp>(
      acc, store.second, outer.front(), m, n, ValueRange(outer).drop_front(),
      extentM, extentN, e.inputs, e.scalars, e.outputs, e.strides, e.maps,
      store.staged ? store.staged->getRing() : Value(), store.token, e.partials,
      e.partialStrides, b.getArrayAttr(e.dims),
      b.getDenseI64ArrayAttr(e.argumentOrder), b.getDenseI64ArrayAttr(e.guards),
      getStaging(p, acc, e.readsLate, store), store.buffers, store.transposed,
      store.early, store.streaming, e.stagedTiles, p.getKernel().getInPlace(),
      e.reductions.empty() ? ArrayAttr() : b.getArrayAttr(e.reductions));
  IRMapping mapping;
  KernelOp kernel = p.getKernel();
  kernel.getEpilogue().cloneInto(&op.getBody(), mapping);
  for (unsigned number = kernel.getEpilogue().getNumArguments(); number-- > 1;)
    if (isForElements(kernel, number))
      op.getBody().front().eraseArgument(number);
}

void tcgemm::buildPrefetch(ProgramBuilder &p, int64_t rows, int64_t columns,
                           Value batch, Value m, Value n,
                           ArrayRef<unsigned> staged, bool vectors) {
  KernelOp kernel = p.getKernel();
  SmallVector<int64_t> operandOfArgument = getOperandsOfArguments(kernel);
  for (auto [number, i] : llvm::enumerate(operandOfArgument)) {
    if (number == 0 ||
        kernel.getOperandInfo(i).getRole() != OperandRole::Input ||
        isForElements(kernel, number))
      continue;
    StringRef dims = kernel.getOperandInfo(i).getDims();
    bool isMatrix = dims.contains('m') && dims.contains('n');
    bool isVector = dims.ends_with("m") || dims.ends_with("n");
    if (!(isMatrix || (vectors && isVector)) || llvm::is_contained(staged, i))
      continue;
    SmallVector<Value> strides;
    for (char dim : dims.drop_back())
      strides.push_back(p.stride(i, dim));
    int64_t guard = findGuard(kernel, kernel.getEpilogue().getArgument(number),
                              operandOfArgument);
    SmallVector<Value> outer = p.splitOuter(batch);
    p.b().create<PrefetchOp>(
        p.pointer(i), outer.front(), m, n, ValueRange(outer).drop_front(),
        p.size("M"), p.size("N"), strides,
        guard < 0 ? Value() : p.scalar(guard), dims, rows, columns);
  }
}

void tcgemm::buildPartialStore(ProgramBuilder &p, Value acc, Value slice,
                               Value batch, Value m, Value n,
                               const StoreInfo &store) {
  auto &b = p.b();
  Type element = cast<AccType>(acc.getType()).getElementType();
  // Slice s of batch b is "batch" s · batches + b of the partial results.
  Value index = p.add(p.mul(slice, p.countProducts()), batch);
  SmallVector<Value> outputs, strides;
  Value pitch = p.ext(p.size("N"));
  outputs.push_back(p.workspace(Expr::symbol(kPartials), element));
  strides.append({p.mul(pitch, p.ext(p.size("M"))), pitch});
  auto op = b.create<EpilogueOp>(
      acc, /*second=*/Value(), index, m, n, /*outer=*/ValueRange(), p.size("M"),
      p.size("N"),
      /*inputs=*/ValueRange(),
      /*scalars=*/ValueRange(), outputs, strides, /*maps=*/ValueRange(),
      /*ring=*/Value(), /*token=*/Value(), /*partials=*/ValueRange(),
      /*partialStrides=*/ValueRange(), b.getStrArrayAttr({"bmn"}),
      b.getDenseI64ArrayAttr({}), b.getDenseI64ArrayAttr({}), IntegerAttr(),
      /*buffers=*/0, store.transposed, /*early=*/false, /*streaming=*/false,
      ArrayRef<int64_t>(),
      /*inPlace=*/false, /*reductions=*/ArrayAttr());
  OpBuilder::InsertionGuard scope(b);
  Block *body = b.createBlock(&op.getBody(), {}, {element}, {b.getLoc()});
  b.create<YieldOp>(ValueRange(body->getArgument(0)));
}
