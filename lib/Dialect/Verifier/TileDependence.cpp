//===- TileDependence.cpp - Programs that start before others end ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait counts for what follows it in the program's own block, or in its
// role's, as all threads that run such code come there first. So what is
// accessed behind a wait is at rest; and since some thread of each CTA waits,
// the grid ends after those ahead of it, which whoever waits for it relies on.
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

/// Operands stand for global memory here: shared memory has no memrefs yet.
static bool accessesGlobalMemory(Operation *op) {
  return !isMemoryEffectFree(op) &&
         llvm::any_of(op->getOperandTypes(),
                      llvm::IsaPred<MemRefType, TensorMapType, LoaderType>);
}

/// Whether a wait stands ahead of `op`, or of what it is nested in, in `block`.
static bool isBehindWait(Operation *op, Block &block) {
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
                           "grid.wait: it might end before those ahead of it";
      return WalkResult::interrupt();
    }
    if (!waits || !accessesGlobalMemory(op))
      return WalkResult::advance();
    RoleOp role = getRole(op);
    if (isBehindWait(op, program.getBody().front()) ||
        (role && isBehindWait(op, role.getBody().front())))
      return WalkResult::advance();
    op->emitOpError() << "accesses global memory ahead of the grid.wait: the "
                         "grids that this one depends on may still run";
    return WalkResult::interrupt();
  });
  return success(!result.wasInterrupted());
}
