//===- TileLowering.cpp - Control flow and ring -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tcgemm;

Value TileLowering::indexAt(Value offset, int64_t constant) {
  return b.index(b.add(offset, constant));
}
Value TileLowering::threadId() { return thread; }

Value TileLowering::sharedAs(Type type, int64_t elements) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                               MemRefLayoutAttrInterface(), space);
  auto typed =
      MemRefType::get({elements}, type, MemRefLayoutAttrInterface(), space);
  Value memory = b.create<gpu::DynamicSharedMemoryOp>(bytes);
  Value zero = b.create<arith::ConstantIndexOp>(0);
  return b.create<memref::ViewOp>(typed, memory, zero, ValueRange());
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> TileLowering::flatten(ValueRange list) {
  SmallVector<Value> flat;
  for (Value value : list)
    llvm::append_range(flat, all(value));
  return flat;
}

SmallVector<Type> TileLowering::expand(Type type) {
  MLIRContext *context = b.getContext();
  return llvm::TypeSwitch<Type, SmallVector<Type>>(type)
      .Case<RingStateType>(
          // The offset in elements and, in a program with roles, whose rings
          // are mbarrier ones: the stage and the phase.
          [&](auto) {
            return SmallVector<Type>(sharedBase ? 2 : 1, b.getI32Type());
          })
      .Case<TokenType>([&](TokenType token) {
        SmallVector<Type> types;
        // In a program with roles, its stage.
        if (sharedBase)
          types.push_back(b.getI32Type());
        else if (token.getKind() == TokenKind::InFlight && !copiesInOrder)
          types.push_back(nvgpu::DeviceAsyncTokenType::get(context));
        return types;
      })
      .Case<AccType>([&](AccType acc) {
        if (std::optional<WmmaShape> shape = getWmmaShape(acc.getLayout()))
          return SmallVector<Type>(
              acc.getRows() / shape->m * (acc.getColumns() / shape->n),
              gpu::MMAMatrixType::get({shape->m, shape->n}, b.getF32Type(),
                                      "COp"));
        if (acc.getLayout() == AccLayout::Row)
          return SmallVector<Type>(acc.getColumns(), b.getF32Type());
        if (acc.getLayout() == AccLayout::Simt)
          return SmallVector<Type>(acc.getRows() * acc.getColumns(),
                                   b.getF32Type());
        // Scalars: of pairs, ptxas would wait for each product.
        if (acc.getLayout() == AccLayout::Wgmma)
          return SmallVector<Type>(acc.getRows() / 64 * acc.getColumns() / 2,
                                   b.getF32Type());
        return SmallVector<Type>(acc.getRows() / 16 * (acc.getColumns() / 8),
                                 VectorType::get({2, 2}, b.getF32Type()));
      })
      .Case<FragmentType>([&](FragmentType fragment) {
        if (std::optional<WmmaShape> shape = getWmmaShape(fragment.getLayout()))
          return SmallVector<Type>(
              fragment.getRows() /
                  (fragment.getRole() == FragmentRole::A ? shape->m : shape->n),
              getMatrixType(fragment));
        if (!fragment.getRuns().empty())
          return SmallVector<Type>(fragment.getRows() * fragment.getDepth(),
                                   fragment.getElementType());
        return SmallVector<Type>(
            fragment.getRows() / 16,
            VectorType::get({4, 2}, fragment.getElementType()));
      })
      .Default([](Type other) { return SmallVector<Type>{other}; });
}

LogicalResult TileLowering::run() {
  Region old;
  program.walk([&](EpilogueOp op) {
    if (op.getStaging())
      stagings += op->getParentOfType<LoopLikeOpInterface>() ? 2 : 1;
  });
  auto hasRemote = [](auto op) { return op.getMulticast() > 1; };
  gathersLate = true;
  bool exchanges = false;
  program.walk([&](Operation *op) {
    exchanges |= isa<AccClusterReduceOp>(op);
    if (auto load = dyn_cast<TmaLoadOp>(op))
      gathersLate &= !hasRemote(load);
    if (auto release = dyn_cast<RingReleaseOp>(op))
      gathersLate &= !hasRemote(release);
  });
  gathersLate &= exchanges;
  auto isInOrder = [](LoaderCopyOp op) {
    return op.getLoader().getType().getBytes() <= 2;
  };
  SmallVector<LoaderCopyOp> copies;
  program.walk([&](LoaderCopyOp op) { copies.push_back(op); });
  copiesInOrder = !copies.empty() && llvm::all_of(copies, isInOrder);
  waitsForGrids = program.waitsForGrids();
  threadsAtStart = countThreadsAtStart();
  old.takeBody(program.getBody());
  Block &entry = program.getBody().emplaceBlock();
  b.setInsertionPointToStart(&entry);
  for (BlockArgument argument : old.getArguments())
    set(argument, entry.addArgument(argument.getType(), argument.getLoc()));
  Value id = b.create<gpu::ThreadIdOp>(gpu::Dimension::x);
  thread = b.create<arith::IndexCastUIOp>(b.getI32Type(), id);
  if (!old.front().getOps<RoleOp>().empty()) {
    sharedBase = createSharedBase();
    warp = uniformWarp();
  }
  if (failed(lowerBlock(old.front())))
    return failure();
  old.front().dropAllReferences();
  return success();
}

LogicalResult TileLowering::lowerBlock(Block &block) {
  for (Operation &op : block) {
    b.setLoc(op.getLoc());
    if (failed(lowerOp(&op)))
      return failure();
  }
  return success();
}

LogicalResult TileLowering::lowerOp(Operation *op) {
  if (!isMemoryEffectFree(op) && !isa<RingCreateOp>(op))
    awaitBarriers();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scf::ForOp>([&](auto loop) { return lowerFor(loop); })
      .Case<scf::IfOp>([&](auto branch) { return lowerIf(branch); })
      .Case<scf::YieldOp>(
          [&](auto yield) { return lowerYield(yield), success(); })
      .Case<RingReleaseOp>([&](auto release) { return lower(release); })
      .Case<RoleOp, ElectOp>([&](auto region) { return lower(region); })
      .Case<TmaLoadOp>([&](auto load) { return lower(load); })
      .Case<RasterOp, RingCreateOp, RingStartOp, RingAdvanceOp, RingAcquireOp,
            RingCommitOp, RingEmptyGroupOp, RingPublishOp, RingWaitOp,
            RingDrainOp, LoaderCreateOp, LoaderStartOp, LoaderAdvanceOp,
            LoaderCopyOp, AccZeroOp, FragmentLoadOp, FragmentFetchOp,
            AccStageOp, AccUnstageOp, PrefetchOp, MmaOp, MmaAsyncOp, MmaAwaitOp,
            AccReduceOp, AccClusterReduceOp, AccGatherOp, AccDotOp, EpilogueOp,
            TmaAwaitOp, WarpgroupOp, ClusterSyncOp, OrderWaitOp, OrderArriveOp,
            GridWaitOp, GridLaunchDependentsOp>(
          [&](auto tileOp) { return lower(tileOp), success(); })
      .Default([&](Operation *other) -> LogicalResult {
        bool isTile = isa_and_nonnull<TcgemmDialect>(other->getDialect());
        if (other->getNumRegions() || (isTile && !isa<ReturnOp>(other)))
          return other->emitOpError() << "cannot be lowered yet";
        return clone(other), success();
      });
}

void TileLowering::clone(Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, one(operand));
  Operation *copy = b.clone(*op, mapping);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults()))
    set(from, to);
}

/// Gives each of `from` its share of `flat`, by type.
static void distribute(ValueRange from, ValueRange flat,
                       llvm::function_ref<SmallVector<Type>(Type)> expand,
                       llvm::function_ref<void(Value, ValueRange)> set) {
  for (Value value : from) {
    size_t count = expand(value.getType()).size();
    set(value, flat.take_front(count));
    flat = flat.drop_front(count);
  }
}

LogicalResult TileLowering::lowerFor(scf::ForOp op) {
  auto loop =
      b.create<scf::ForOp>(one(op.getLowerBound()), one(op.getUpperBound()),
                           one(op.getStep()), flatten(op.getInitArgs()));
  auto expandType = [&](Type type) { return expand(type); };
  auto assign = [&](Value value, ValueRange list) { set(value, list); };
  set(op.getInductionVar(), loop.getInductionVar());
  distribute(op.getRegionIterArgs(), loop.getRegionIterArgs(), expandType,
             assign);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToEnd(loop.getBody());
    // A loop that carries nothing comes with its terminator.
    if (!loop.getBody()->empty())
      loop.getBody()->back().erase();
    if (failed(lowerBlock(*op.getBody())))
      return failure();
  }
  distribute(op.getResults(), loop.getResults(), expandType, assign);
  return success();
}

scf::ForOp TileLowering::createRolledLoop(int64_t count, ValueRange carried) {
  auto loop = b.create<scf::ForOp>(b.i32(0), b.i32(count), b.i32(1), carried);
  auto unroll = LLVM::LoopUnrollAttr::get(
      b.getContext(), /*disable=*/b.getBoolAttr(true), {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {},
                                              unroll, {}, {}, {}, {}, {}, {},
                                              {}, {}, {}, {}, {}));
  return loop;
}

LogicalResult TileLowering::lowerIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    llvm::append_range(types, expand(type));
  bool hasElse = !op.getElseRegion().empty();
  auto branch = b.create<scf::IfOp>(types, one(op.getCondition()), hasElse);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard scope(b);
    if (!to.front().empty())
      to.front().back().erase();
    b.setInsertionPointToEnd(&to.front());
    if (failed(lowerBlock(from.front())))
      return failure();
  }
  distribute(
      op.getResults(), branch.getResults(),
      [&](Type type) { return expand(type); },
      [&](Value value, ValueRange list) { set(value, list); });
  return success();
}

void TileLowering::lowerYield(scf::YieldOp op) {
  b.create<scf::YieldOp>(flatten(op.getResults()));
}

//===----------------------------------------------------------------------===//
// Ring
//===----------------------------------------------------------------------===//

int64_t tcgemm::getStageElements(RingType ring) {
  Type element = ring.getTiles().front().getElementType();
  return ring.getStageBytes() * 8 / element.getIntOrFloatBitWidth();
}

bool tcgemm::hasBarriers(TypedValue<RingType> ring) {
  return ring.getType().getKind() == RingKind::MBarrier;
}

void TileLowering::lower(RingCreateOp op) {
  RingType ring = op.getRing().getType();
  if (hasBarriers(op.getRing()))
    return createBarriers(op);
  set(op.getRing(), sharedAs(ring.getTiles().front().getElementType(),
                             ring.getStages() * getStageElements(ring)));
}

void TileLowering::lower(RingStartOp op) {
  RingType ring = op.getRing().getType();
  int64_t stage = op.getOffset() % ring.getStages();
  if (hasBarriers(op.getRing()))
    return set(op.getState(),
               {b.i32(stage), b.i32(op.getOffset() / ring.getStages() % 2)});
  set(op.getState(), b.i32(stage * getStageElements(ring)));
}

void TileLowering::lower(RingAdvanceOp op) {
  RingType ring = op.getRing().getType();
  if (hasBarriers(op.getRing()))
    return advanceStage(op);
  Value next = b.add(one(op.getState()), getStageElements(ring));
  Value end = b.i32(ring.getStages() * getStageElements(ring));
  Value wraps = b.cmp(arith::CmpIPredicate::eq, next, end);
  set(op.getNext(), b.select(wraps, b.i32(0), next));
}

/// A group of all copies since the last one. They may be under a predicate, so
/// their tokens are not at hand; an empty list would not round-trip.
Value TileLowering::createGroup() {
  auto type = nvgpu::DeviceAsyncTokenType::get(b.getContext());
  Value any = b.create<ub::PoisonOp>(type);
  return b.create<nvgpu::DeviceAsyncCreateGroupOp>(type, any);
}

void TileLowering::lower(RingAcquireOp op) {
  if (hasBarriers(op.getRing()))
    return acquireStage(op);
  // In a cp_async ring the barrier of the last ring.wait freed the stage.
  set(op.getToken(), {});
}

void TileLowering::lower(RingCommitOp op) {
  if (hasBarriers(op.getRing()))
    return commitStage(op);
  if (copiesInOrder)
    return set(op.getInFlight(), {});
  set(op.getInFlight(), createGroup());
}

LogicalResult TileLowering::lower(RingReleaseOp op) {
  return hasBarriers(op.getRing()) ? releaseStage(op) : success();
}

void TileLowering::lower(RingWaitOp op) {
  if (hasBarriers(op.getRing()))
    return waitForStage(op);
  set(op.getToken(), {});
  if (!copiesInOrder)
    b.create<nvgpu::DeviceAsyncWaitOp>(one(op.getInFlight()),
                                       b.getI32IntegerAttr(op.getPending()));
  b.create<gpu::BarrierOp>();
}

void TileLowering::lower(RingDrainOp op) {
  if (!op.getLanded() && !copiesInOrder)
    b.create<nvgpu::DeviceAsyncWaitOp>(createGroup(), b.getI32IntegerAttr(0));
  if (!op.getOrdered())
    b.create<gpu::BarrierOp>();
}
