//===- TileLinearity.cpp - Each token is consumed once on every path ------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

namespace {

enum class UseKind { Borrow, Consume, Unknown };

/// Follows the uses of one linear value.
class LinearValue {
public:
  LinearValue(Value value) : value(value) {}

  /// Checks all uses from the value's own block on.
  LogicalResult verify();

private:
  using Uses = SmallVector<OpOperand *>;

  /// Follows `uses`, all inside `block`, and returns whether they consume the
  /// value; it is `consumed` before.
  FailureOr<bool> follow(Block *block, ArrayRef<OpOperand *> uses,
                         bool consumed);
  FailureOr<bool> followNested(Operation *op, ArrayRef<OpOperand *> uses,
                               bool consumed);
  FailureOr<bool> followIf(scf::IfOp op, ArrayRef<OpOperand *> uses,
                           bool consumed);

  InFlightDiagnostic emit(Operation *op) const;
  StringRef getNeverMessage() const;
  StringRef getTwiceMessage() const;

  Value value;
};

} // namespace

static UseKind classify(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<RingCommitOp, RingPublishOp, RingWaitOp, RingReleaseOp, RingDrainOp,
          MmaAwaitOp, scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
          UnrealizedConversionCastOp>(op))
    return UseKind::Consume;
  if (auto mma = dyn_cast<MmaAsyncOp>(op))
    return &use == &mma.getAccMutable() ? UseKind::Consume : UseKind::Borrow;
  if (auto mma = dyn_cast<MmaAsyncFragmentOp>(op))
    return &use == &mma.getAccMutable() ? UseKind::Consume : UseKind::Borrow;
  if (isa<LoaderCopyOp, TmaLoadOp, FragmentLoadOp, RingMaskOp, RingTrimOp,
          EpilogueOp>(op))
    return UseKind::Borrow;
  return UseKind::Unknown;
}

StringRef LinearValue::getNeverMessage() const {
  auto token = dyn_cast<TokenType>(value.getType());
  if (!token)
    return "accumulator is never awaited";
  switch (token.getKind()) {
  case TokenKind::Write:
    return "stage is never committed";
  case TokenKind::InFlight:
    return "copies are never waited for";
  case TokenKind::Read:
    return "stage is never released";
  }
  return "";
}

StringRef LinearValue::getTwiceMessage() const {
  return isa<TokenType>(value.getType()) ? "token is used twice"
                                         : "accumulator in flight is used "
                                           "twice";
}

InFlightDiagnostic LinearValue::emit(Operation *op) const {
  InFlightDiagnostic diag = op->emitOpError();
  diag.attachNote(value.getLoc()) << "it comes from here";
  return diag;
}

LogicalResult LinearValue::verify() {
  Uses uses;
  for (OpOperand &use : value.getUses())
    uses.push_back(&use);
  FailureOr<bool> consumed = follow(value.getParentBlock(), uses, false);
  if (failed(consumed))
    return failure();
  if (*consumed)
    return success();
  if (Operation *op = value.getDefiningOp())
    return op->emitOpError() << getNeverMessage();
  return emitError(value.getLoc()) << getNeverMessage();
}

FailureOr<bool> LinearValue::follow(Block *block, ArrayRef<OpOperand *> uses,
                                    bool consumed) {
  SmallVector<std::pair<Operation *, OpOperand *>> ordered;
  for (OpOperand *use : uses) {
    Operation *ancestor = block->findAncestorOpInBlock(*use->getOwner());
    if (!ancestor)
      return emit(use->getOwner()) << "uses a token out of another block";
    ordered.push_back({ancestor, use});
  }
  llvm::sort(ordered, [](auto &a, auto &b) {
    if (a.first != b.first)
      return a.first->isBeforeInBlock(b.first);
    return a.second->getOperandNumber() < b.second->getOperandNumber();
  });
  for (size_t i = 0; i < ordered.size();) {
    auto [op, use] = ordered[i];
    if (use->getOwner() != op) {
      Uses nested;
      for (; i < ordered.size() && ordered[i].first == op; ++i)
        nested.push_back(ordered[i].second);
      FailureOr<bool> result = followNested(op, nested, consumed);
      if (failed(result))
        return failure();
      consumed = *result;
      continue;
    }
    ++i;
    UseKind kind = classify(*use);
    if (kind == UseKind::Unknown)
      return emit(op) << "takes a token, but neither borrows nor ends it";
    if (consumed)
      return emit(op) << getTwiceMessage()
                      << (kind == UseKind::Borrow ? ": it has ended before"
                                                  : "");
    consumed |= kind == UseKind::Consume;
  }
  return consumed;
}

FailureOr<bool> LinearValue::followNested(Operation *op,
                                          ArrayRef<OpOperand *> uses,
                                          bool consumed) {
  if (auto ifOp = dyn_cast<scf::IfOp>(op))
    return followIf(ifOp, uses, consumed);
  bool isLoop = isa<LoopLikeOpInterface>(op);
  for (OpOperand *use : uses) {
    UseKind kind = classify(*use);
    if (consumed)
      return emit(use->getOwner())
             << getTwiceMessage() << ": it has ended before";
    if (kind == UseKind::Borrow && isLoop)
      continue;
    if (isLoop)
      return emit(use->getOwner())
             << getTwiceMessage()
             << ": each iteration of the loop would end it; pass it into the "
                "loop";
    return emit(use->getOwner())
           << "uses a token from outside '" << op->getName() << "'";
  }
  return consumed;
}

FailureOr<bool> LinearValue::followIf(scf::IfOp op, ArrayRef<OpOperand *> uses,
                                      bool consumed) {
  bool ends[2] = {consumed, consumed};
  for (auto [index, region] : llvm::enumerate(op->getRegions())) {
    Uses inside;
    for (OpOperand *use : uses)
      if (region.isAncestor(use->getOwner()->getParentRegion()))
        inside.push_back(use);
    if (inside.empty() || region.empty())
      continue;
    FailureOr<bool> result = follow(&region.front(), inside, consumed);
    if (failed(result))
      return failure();
    ends[index] = *result;
  }
  if (ends[0] != ends[1])
    return emit(op) << getNeverMessage() << " if the condition is "
                    << (ends[0] ? "false" : "true");
  return ends[0];
}

LogicalResult tile_verifier::verifyLinearity(ProgramOp program) {
  auto verify = [](Value value) {
    return !isLinear(value.getType()) || succeeded(LinearValue(value).verify());
  };
  WalkResult result = program.walk([&](Operation *op) {
    if (!llvm::all_of(op->getResults(), verify))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!llvm::all_of(block.getArguments(), verify))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
