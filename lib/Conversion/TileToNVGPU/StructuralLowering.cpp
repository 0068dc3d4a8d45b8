//===- StructuralLowering.cpp - Loops and branches of tile-level values ---===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LoweringContext.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

namespace {
class StructuralLowering : public Lowering {
public:
  using Lowering::Lowering;
  LogicalResult lower(scf::ForOp op);
  LogicalResult lower(scf::IfOp op);
  void lower(scf::YieldOp op) {
    b.create<scf::YieldOp>(c.flatten(op.getResults()));
  }

private:
  LogicalResult lowerInto(Block &from, Block &to);
};
} // namespace

/// Lowers a block, with its terminator, into an empty one.
LogicalResult StructuralLowering::lowerInto(Block &from, Block &to) {
  OpBuilder::InsertionGuard scope(b);
  // What carries no values comes with its terminator.
  if (!to.empty())
    to.back().erase();
  b.setInsertionPointToEnd(&to);
  return c.lower(from);
}

LogicalResult StructuralLowering::lower(scf::ForOp op) {
  auto loop =
      b.create<scf::ForOp>(one(op.getLowerBound()), one(op.getUpperBound()),
                           one(op.getStep()), c.flatten(op.getInitArgs()));
  set(op.getInductionVar(), loop.getInductionVar());
  c.distribute(op.getRegionIterArgs(), loop.getRegionIterArgs());
  if (failed(lowerInto(*op.getBody(), *loop.getBody())))
    return failure();
  c.distribute(op.getResults(), loop.getResults());
  return success();
}

LogicalResult StructuralLowering::lower(scf::IfOp op) {
  bool hasElse = !op.getElseRegion().empty();
  auto branch = b.create<scf::IfOp>(c.expand(op.getResultTypes()),
                                    one(op.getCondition()), hasElse);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), branch->getRegions()))
    if (!from.empty() && failed(lowerInto(from.front(), to.front())))
      return failure();
  c.distribute(op.getResults(), branch.getResults());
  return success();
}

void tcgemm::populateStructuralHandlers(HandlerTable &handlers) {
  handlers.add<StructuralLowering, scf::ForOp, scf::IfOp, scf::YieldOp>();
}
