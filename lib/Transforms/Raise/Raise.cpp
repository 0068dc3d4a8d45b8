//===- Raise.cpp - Contractions become kernels and launches -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass 1. Replaces contractions, with the operations that fuse with them, by
// launches of kernels. Reports for every other linalg operation why it is not
// replaced.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseBand.h"
#include "Raise/RaiseBilinear.h"
#include "Raise/RaiseConvolution.h"
#include "Raise/RaiseDiagonal.h"
#include "Raise/RaiseDual.h"
#include "Raise/RaiseGroup.h"
#include "Raise/RaiseGroupedMatmul.h"
#include "Raise/RaiseIndices.h"
#include "Raise/RaiseMoments.h"
#include "Raise/RaiseRepresentation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "tcgemm/Target/PassOptions.h"
#include "tcgemm/Transforms/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_RAISE
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

namespace {
struct Raise : public tcgemm::impl::RaiseBase<Raise> {
  using RaiseBase::RaiseBase;
  Raise(RaiseOptions options, OperationFilter filter)
      : RaiseBase(std::move(options)), filter(std::move(filter)) {}

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;
  std::string select(Operation *op);
  void raiseGrouped(func::FuncOp function, KernelPool &kernels,
                    size_t numKernelsBefore, Reasons &reasons);
  void raiseContraction(linalg::LinalgOp op, func::FuncOp function,
                        KernelPool &kernels, size_t numKernelsBefore,
                        AliasAnalysis &aliases, DenseSet<Operation *> &taken,
                        Reasons &reasons);
  void raiseFunction(func::FuncOp function, KernelPool &kernels,
                     AliasAnalysis &aliases);
  void replaceOperations(func::FuncOp function, Reasons &reasons,
                         function_ref<bool(linalg::LinalgOp)> matches,
                         function_ref<std::string(linalg::LinalgOp)> replace);
  void replaceProducts(func::FuncOp function, Reasons &reasons,
                       Reasons &ofDiagonals);
  void report(LaunchOp launch, size_t fusedOps, func::FuncOp function);
  void report(const Group &group, LaunchOp launch, func::FuncOp function);
  std::optional<Group> match(linalg::LinalgOp op, AliasAnalysis &aliases,
                             bool mayHaveSummed, Reasons &reasons,
                             std::string &reason);
  void chooseSymmetry(Group &group);
  bool takeSecond(Group &group, AliasAnalysis &aliases, Reasons &reasons,
                  StringRef function);
  void reportDiagonal(linalg::GenericOp op, StringRef function,
                      Reasons &reasons);
  void explain(Operation *op, StringRef function, StringRef reason);
  void explainFunction(func::FuncOp function, const Reasons &reasons);
  void explainOthers();

  Precision getPrecision(DestinationStyleOpInterface op);

  OperationFilter filter;
  Precision defaultPrecision = Precision::IEEE;
};
} // namespace

/// The reason why attributes or options exclude a contraction; empty if they do
/// not.
std::string Raise::select(Operation *op) {
  if (op->hasAttr(kSkipAttrName))
    return "it is marked tcgemm.skip";
  if (onlyMarked && !op->hasAttr(kTakeAttrName) &&
      !op->hasAttr(kConfigAttrName))
    return "it has neither tcgemm.take nor tcgemm.config, and only-marked "
           "takes no others";
  if (op->getParentOfType<gpu::LaunchOp>())
    return "it is in a gpu.launch, and kernels are launched by the host";
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (filter && linalgOp && !filter(linalgOp))
    return "the caller's filter leaves it";
  return "";
}

/// Reports the operations that were taken.
void Raise::report(LaunchOp launch, size_t fusedOps, func::FuncOp function) {
  remark::passed(launch.getLoc(), remark::RemarkOpts::name("raised")
                                      .category("tcgemm-raise")
                                      .function(function.getName()))
      << remark::metric("Kernel", launch.getKernel())
      << remark::metric("FusedOps", fusedOps);
}

/// The same, with the assumptions on their buffers.
void Raise::report(const Group &group, LaunchOp launch, func::FuncOp function) {
  report(launch, group.fused.size(), function);
  if (group.assumedApart.empty())
    return;
  std::string assumption = "its output must not overlap " + group.assumedApart +
                           ", which cannot be proven here";
  remark::analysis(launch.getLoc(), remark::RemarkOpts::name("assumed")
                                        .category("tcgemm-raise")
                                        .function(function.getName()))
      << remark::metric("Kernel", launch.getKernel())
      << remark::reason("{0}", assumption);
  if (remarks)
    emitRemark(launch.getLoc())
        << "a launch of kernel '" << launch.getKernel() << "': " << assumption;
}

/// Replaces the selected operations that match by products. `replace` returns
/// the reason if it cannot, or else an empty text.
void Raise::replaceOperations(
    func::FuncOp function, Reasons &reasons,
    function_ref<bool(linalg::LinalgOp)> matches,
    function_ref<std::string(linalg::LinalgOp)> replace) {
  SmallVector<linalg::LinalgOp> found;
  function.walk([&](linalg::LinalgOp op) {
    if (matches(op))
      found.push_back(op);
  });
  for (linalg::LinalgOp op : found) {
    std::string reason = select(op);
    if (reason.empty())
      reason = replace(op);
    if (!reason.empty())
      reasons[op] = reason;
  }
}

/// Replaces the selected products of groups of rows.
void Raise::raiseGrouped(func::FuncOp function, KernelPool &kernels,
                         size_t numKernelsBefore, Reasons &reasons) {
  SmallVector<GroupedMatmulOp> products;
  function.walk([&](GroupedMatmulOp op) { products.push_back(op); });
  for (GroupedMatmulOp op : products) {
    std::string reason = select(op);
    ScaledFactors factors;
    if (reason.empty())
      reason = findScaledFactors(op, factors);
    // The precision is one of f32, but narrow elements are multiplied as they
    // are.
    Precision precision =
        factors.isScaled() ? Precision::IEEE : getPrecision(op);
    if (reason.empty() && op->use_empty())
      reason = "its result is not used";
    std::optional<Group> group;
    if (reason.empty())
      group = matchGroupedMatmul(op, factors, precision, reason);
    if (!group) {
      reasons[op] = reason;
      continue;
    }
    size_t number = kernels.size() - numKernelsBefore;
    std::string name = (function.getName() + "_" + Twine(number)).str();
    collectConsumers(*group, reasons);
    LaunchOp launch = buildKernel(*group, kernels, function, name);
    report(*group, launch, function);
    ++numLaunches;
    numFused += group->fused.size();
  }
}

/// Adds a second product that shares A, and all consumers, to the group.
/// Returns whether there is one. Reports pairs that become two kernels.
bool Raise::takeSecond(Group &group, AliasAnalysis &aliases, Reasons &reasons,
                       StringRef function) {
  for (linalg::LinalgOp op : findSeconds(group)) {
    std::string reason = select(op);
    std::optional<Group> second;
    if (reason.empty() && !dual)
      reason = "the chip, the configuration or the option dual has none for it";
    if (reason.empty())
      second = matchContraction(op, aliases, /*mayHaveSummed=*/false, reason);
    if (second) {
      second->precision = getPrecision(op);
      reason = fuseSecond(group, *second, reasons);
      if (reason.empty())
        return true;
    }
    remark::missed(op->getLoc(), remark::RemarkOpts::name("not-dual")
                                     .category("tcgemm-raise")
                                     .function(function))
        << remark::reason("{0}", reason);
    if (remarks)
      op->emitRemark() << "it shares A with a product whose result meets its "
                          "own, but is no part of that kernel: "
                       << reason;
  }
  return false;
}

/// Reports a product with a diagonal that became elementwise.
void Raise::reportDiagonal(linalg::GenericOp op, StringRef function,
                           Reasons &reasons) {
  remark::passed(op.getLoc(), remark::RemarkOpts::name("diagonal")
                                  .category("tcgemm-raise")
                                  .function(function));
  reasons[op] = "it was a product with a diagonal, and is elementwise now";
  ++numDiagonals;
}

/// Replaces operations that are products in another form, or elementwise.
/// `ofDiagonals` has those with diagonals.
void Raise::replaceProducts(func::FuncOp function, Reasons &reasons,
                            Reasons &ofDiagonals) {
  replaceOperations(function, reasons, isQuantizedProduct, expandZeroPoints);
  replaceOperations(function, reasons, isConvolution, [&](linalg::LinalgOp op) {
    return expandConvolution(op, transposes);
  });
  replaceOperations(
      function, reasons, isBilinearProduct, [&](linalg::LinalgOp op) {
        return expandBilinear(op, getPrecision(op),
                              {representations, separateComponents});
      });
  replaceDiagonals(
      function, ofDiagonals, [&](linalg::LinalgOp op) { return select(op); },
      [&](linalg::GenericOp op) {
        reportDiagonal(op, function.getName(), ofDiagonals);
      });
}

static constexpr llvm::StringLiteral kNoStructure =
    "the chip or the configuration has no kernels for it, or the option "
    "structured is false; schedule wgmma of sm_90a has them without "
    "pingpong";

/// The group of a contraction, or none and the reason. Bands that no kernel
/// takes are expanded, and added to `reasons`.
std::optional<Group> Raise::match(linalg::LinalgOp op, AliasAnalysis &aliases,
                                  bool mayHaveSummed, Reasons &reasons,
                                  std::string &reason) {
  std::optional<Group> group =
      matchContraction(op, aliases, mayHaveSummed, reason);
  if (!group)
    return group;
  group->precision = getPrecision(op);
  std::string ofBands = structured ? checkBands(*group) : kNoStructure.str();
  if (!ofBands.empty() && expandBands(op, ofBands, reasons)) {
    group = matchContraction(op, aliases, mayHaveSummed, reason);
    if (!group)
      return group;
    group->precision = getPrecision(op);
  }
  reason = checkWindows(*group);
  return group;
}

/// The kernel is symmetric if the user asked for it. If that is not possible,
/// reports why and removes the user's attribute.
void Raise::chooseSymmetry(Group &group) {
  if (!group.contraction->hasAttr(kSymmetricAttrName))
    return;
  std::string reason = structured ? checkSymmetric(group) : kNoStructure.str();
  if (reason.empty())
    return;
  group.contraction->emitWarning()
      << "has " << kSymmetricAttrName << ", but both halves of the result are "
      << "computed: " << reason;
  group.contraction->removeDiscardableAttr(kSymmetricAttrName);
}

/// Replaces a contraction, and what is fused with it, by a launch. Adds second
/// products, which are erased, to `taken`.
void Raise::raiseContraction(linalg::LinalgOp op, func::FuncOp function,
                             KernelPool &kernels, size_t numKernelsBefore,
                             AliasAnalysis &aliases,
                             DenseSet<Operation *> &taken, Reasons &reasons) {
  std::string reason = select(op);
  std::optional<Group> group;
  bool mayHaveSummed =
      reason.empty() && summedDims && canSumTwice(op, getPrecision(op));
  if (reason.empty() && transposes)
    op = transposeOperands(op, mayHaveSummed);
  if (reason.empty())
    group = match(op, aliases, mayHaveSummed, reasons, reason);
  if (!reason.empty()) {
    reasons[op] = reason;
    return;
  }
  reasons.erase(op);
  group->transposes = transposes;
  if (takeSecond(*group, aliases, reasons, function.getName()))
    taken.insert(group->second.contraction);
  else
    collectConsumers(*group, reasons);
  for (const auto &[producer, why] : group->leftProducers)
    reasons.try_emplace(producer, why);
  if (group->getOutputs().empty()) {
    reasons[op] = "its result is not used";
    return;
  }
  chooseSymmetry(*group);
  size_t number = kernels.size() - numKernelsBefore;
  std::string name = (function.getName() + "_" + Twine(number)).str();
  LaunchOp launch = buildKernel(*group, kernels, function, name);
  report(*group, launch, function);
  ++numLaunches;
  numFused += group->fused.size();
}

void Raise::raiseFunction(func::FuncOp function, KernelPool &kernels,
                          AliasAnalysis &aliases) {
  Reasons reasons, ofDiagonals;
  replaceProducts(function, reasons, ofDiagonals);
  replaceMasks(function, ofDiagonals);
  fuseDequantization(function,
                     [&](linalg::LinalgOp op) { return select(op).empty(); });
  joinMoments(function,
              [](linalg::LinalgOp op) { return !op->hasAttr(kSkipAttrName); });
  SmallVector<linalg::LinalgOp> contractions;
  function.walk([&](linalg::LinalgOp op) {
    if (isProductSum(op) && !isConvolution(op) && !reasons.contains(op))
      contractions.push_back(op);
  });
  size_t numKernelsBefore = kernels.size();
  DenseSet<Operation *> taken;
  auto raiseAll = [&](ArrayRef<linalg::LinalgOp> ops) {
    for (linalg::LinalgOp op : ops)
      if (!taken.contains(op.getOperation()))
        raiseContraction(op, function, kernels, numKernelsBefore, aliases,
                         taken, reasons);
  };
  raiseAll(contractions);
  raiseAll(expandRepresentations(function));
  expandWindows(function);
  expandBands(function, reasons);
  raiseGrouped(function, kernels, numKernelsBefore, reasons);
  numKernels += kernels.size() - numKernelsBefore;
  for (auto &[op, reason] : ofDiagonals)
    reasons[op] = reason;
  explainFunction(function, reasons);
}

/// The reason why a remaining operation was not taken.
static std::string getReason(linalg::LinalgOp op) {
  for (Value operand : op->getOperands())
    if (isa<ComplexType>(getElementTypeOrSelf(operand.getType())))
      return checkOperandType(operand.getType());
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp<LaunchOp>())
      return "it is in another block than the contraction";
  for (Operation *user : op->getUsers())
    if (isa<LaunchOp>(user))
      return "it computes an operand of a contraction; only functions of A's "
             "and B's elements and what consumes the result are fused";
  std::string reason = explainAlgebra(op);
  return reason.empty()
             ? "it is neither a contraction nor does it consume one's result"
             : reason;
}

void Raise::explain(Operation *op, StringRef function, StringRef reason) {
  ++numLeft;
  remark::missed(op->getLoc(), remark::RemarkOpts::name("not-raised")
                                   .category("tcgemm-raise")
                                   .function(function))
      << remark::metric("Operation", op->getName().getStringRef())
      << remark::reason("{0}", reason);
  // Operations that the user has marked are always reported.
  if (op->hasAttr(kConfigAttrName) || op->hasAttr(kTakeAttrName))
    op->emitWarning() << "'" << op->getName()
                      << "' is marked to be taken, but is left as it is: "
                      << reason;
  else if (remarks)
    op->emitRemark() << "'" << op->getName()
                     << "' is left as it is: " << reason;
}

static bool isLinalg(Operation *op) {
  return isa<GroupedMatmulOp, GroupBroadcastOp>(op) ||
         (isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
          !isa<linalg::YieldOp, linalg::IndexOp>(op));
}

void Raise::explainFunction(func::FuncOp function, const Reasons &reasons) {
  function.walk([&](Operation *op) {
    auto known = reasons.find(op);
    if (known != reasons.end() &&
        (isLinalg(op) || OpTrait::hasElementwiseMappableTraits(op)))
      return explain(op, function.getName(), known->second);
    if (!isLinalg(op))
      return;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    explain(op, function.getName(),
            linalgOp                    ? getReason(linalgOp)
            : isa<GroupBroadcastOp>(op) ? "no kernel of its groups reads it"
                                        : "it is not a structured linalg "
                                          "operation");
  });
}

/// Reports operations that are not in the module's own functions.
void Raise::explainOthers() {
  getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp>(op) && op->getParentOp() == getOperation())
      return WalkResult::skip();
    if (isLinalg(op))
      explain(op, "",
              "only operations in a func.func of the module itself are taken, "
              "not those in nested modules or other functions");
    return WalkResult::advance();
  });
}

LogicalResult Raise::initialize(MLIRContext *context) {
  llvm::Expected<Precision> parsed = parsePrecision(precision);
  if (!parsed)
    return reportOptions(*this, context, parsed.takeError());
  defaultPrecision = *parsed;
  return success();
}

/// The precision of one product: that of its attribute, which the dialect
/// verifies, or that of the pass if both operands may have it.
Precision Raise::getPrecision(DestinationStyleOpInterface op) {
  if (auto text = op->getAttrOfType<StringAttr>(kPrecisionAttrName))
    return llvm::cantFail(parsePrecision(text.getValue()));
  auto hasDefault = [&](OpOperand *operand) {
    return hasPrecision(getElementTypeOrSelf(operand->get()), defaultPrecision);
  };
  auto operands = ArrayRef(op.getDpsInputOperands()).take_front(2);
  return llvm::all_of(operands, hasDefault) ? defaultPrecision
                                            : Precision::IEEE;
}

void Raise::runOnOperation() {
  KernelPool kernels(getOperation());
  auto &aliases = getAnalysis<AliasAnalysis>();
  for (auto function :
       llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
    raiseFunction(function, kernels, aliases);
  explainOthers();
}

std::unique_ptr<Pass> tcgemm::createRaise(RaiseOptions options,
                                          OperationFilter filter) {
  return std::make_unique<Raise>(std::move(options), std::move(filter));
}
