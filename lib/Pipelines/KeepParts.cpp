//===- KeepParts.cpp - Programs without some of their parts ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rest of a program still hands over every stage of its ring. The verifier
// of the tile level therefore accepts it, and its barriers take as long as in
// the whole program.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Pipelines/Passes.h"

using namespace mlir;

namespace tcgemm {
#define GEN_PASS_DEF_KEEPPARTS
#include "tcgemm/Pipelines/Passes.h.inc"

namespace {

/// The parts of a program are its copies and products in roles.
bool hasRoles(ProgramOp program) {
  return !program.getBody().front().getOps<RoleOp>().empty();
}

/// Fails if the program has an operation of the types `Ops`. The parts that can
/// be left out are `possible`.
template <typename... Ops>
LogicalResult checkNone(ProgramOp program, StringRef possible) {
  WalkResult result = program.walk([&](Operation *op) {
    if (!isa<Ops...>(op))
      return WalkResult::advance();
    op->emitOpError() << "cannot be left out of its program: only " << possible
                      << " can";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

template <typename... Ops> void eraseAll(ProgramOp program) {
  program.walk([](Operation *op) {
    if (isa<Ops...>(op))
      op->erase();
  });
}

/// No accumulator is in flight without products.
void landAccumulators(ProgramOp program) {
  auto land = [](Value value) {
    if (auto type = dyn_cast<AccType>(value.getType());
        type && type.getInFlight())
      value.setType(AccType::get(type.getRows(), type.getColumns(),
                                 type.getElementType(), type.getLayout(),
                                 /*inFlight=*/false, type.getRuns()));
  };
  program.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), land);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), land);
  });
}

/// Hands each sum on as it was before the product.
void eraseProducts(ProgramOp program) {
  landAccumulators(program);
  program.walk([](Operation *op) {
    Value sum;
    if (auto product = dyn_cast<MmaAsyncOp>(op))
      sum = product.getAcc();
    else if (auto await = dyn_cast<MmaAwaitOp>(op))
      sum = await.getAcc();
    if (!sum)
      return;
    op->getResult(0).replaceAllUsesWith(sum);
    op->erase();
  });
}

class KeepPartsPass : public impl::KeepPartsBase<KeepPartsPass> {
public:
  using KeepPartsBase::KeepPartsBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<ProgramOp>())
      if (hasRoles(program) && failed(keepParts(program)))
        return signalPassFailure();
  }

private:
  LogicalResult keepParts(ProgramOp program);
};

LogicalResult KeepPartsPass::keepParts(ProgramOp program) {
  if (!copies) {
    if (failed(checkNone<LoaderCopyOp>(program, "copies by TMA")))
      return failure();
    eraseAll<TmaLoadOp>(program);
  }
  if (!products) {
    if (failed(checkNone<MmaOp, MmaAsyncFragmentOp>(program,
                                                    "products of mma.async")))
      return failure();
    eraseProducts(program);
  }
  if (!epilogue) {
    if (failed(checkNone<AccClusterReduceOp, AccReceiveOp, AccStageOp>(
            program, "epilogues of a CTA's own sums")))
      return failure();
    eraseAll<EpilogueOp, TmaStoreOp, TmaAwaitOp>(program);
  }
  return success();
}

} // namespace
} // namespace tcgemm
