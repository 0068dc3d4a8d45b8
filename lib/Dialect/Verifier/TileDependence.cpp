//===- TileDependence.cpp - Programs that start before others end ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait applies to the code after it in the program's own block, or in its
// role's block, because all threads that execute this code reach the wait
// first. After a wait, no preceding grid writes the accessed memory any more.
// Some thread of each CTA waits, so that the grid ends after its preceding
// grids; grids that wait for this one rely on that.
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

bool ProgramOp::waitsForGrids() {
  return walk([](GridWaitOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Memrefs are global memory here: shared memory has no memrefs at this level.
static bool accessesGlobalMemory(Operation *op) {
  return !isMemoryEffectFree(op) &&
         llvm::any_of(op->getOperandTypes(),
                      llvm::IsaPred<MemRefType, TensorMapType, LoaderType>);
}

/// Returns whether a wait in `block` precedes `op` or the operation that
/// contains it.
static bool isAfterWait(Operation *op, Block &block) {
  Operation *ancestor = block.findAncestorOpInBlock(*op);
  return llvm::any_of(block.getOps<GridWaitOp>(), [&](GridWaitOp wait) {
    return wait->isBeforeInBlock(ancestor);
  });
}

LogicalResult tile_verifier::verifyDependence(ProgramOp program) {
  bool waits = program.waitsForGrids();
  WalkResult result = program.walk([&](Operation *op) {
    if (isa<GridWaitOp, GridLaunchDependentsOp>(op) &&
        !isa<ProgramOp, RoleOp>(op->getParentOp())) {
      op->emitOpError() << "must be in the program's own block, or a role's";
      return WalkResult::interrupt();
    }
    if (isa<GridLaunchDependentsOp>(op) && !waits) {
      op->emitOpError() << "lets other grids start, but the program has no "
                           "grid.wait: it might end before the preceding grids";
      return WalkResult::interrupt();
    }
    if (!waits || !accessesGlobalMemory(op))
      return WalkResult::advance();
    RoleOp role = getRole(op);
    if (isAfterWait(op, program.getBody().front()) ||
        (role && isAfterWait(op, role.getBody().front())))
      return WalkResult::advance();
    op->emitOpError() << "accesses global memory before the grid.wait: the "
                         "grids that this one depends on may still run";
    return WalkResult::interrupt();
  });
  return success(!result.wasInterrupted());
}
