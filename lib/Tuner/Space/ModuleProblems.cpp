//===- ModuleProblems.cpp - The problems of an MLIR module ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/ModuleProblems.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/SourceCheck.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tcgemm {
namespace {

std::string getPlace(Location location) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    stream << file.getFilename().getValue() << ":" << file.getLine() << ":"
           << file.getColumn();
  else
    stream << location;
  return text;
}

/// Returns whether `value` is, but for its width, the element of an operand.
bool isElement(Value value, BlockArgument element) {
  while (auto widened = value.getDefiningOp<arith::ExtFOp>())
    value = widened.getIn();
  return value == element;
}

/// Determines the kind of a kernel's epilogue, in the words of a KernelSpec.
class EpilogueReader {
public:
  EpilogueReader(KernelOp kernel, KernelSpec &spec)
      : kernel(kernel), spec(spec) {}
  void read();

private:
  void readOperands();
  void readOp(Operation &op);
  void readDual();
  void addPart(EpiloguePart part);
  bool isScaled(Operation &op);

  KernelOp kernel;
  KernelSpec &spec;
  /// The operand of each argument after the sum.
  SmallVector<OperandAttr> operands;
  std::vector<EpiloguePart> &parts = spec.epilogue.parts;
};

} // namespace

/// An activation that is computed by several operations is one part. Each scale
/// is a part.
void EpilogueReader::addPart(EpiloguePart part) {
  bool isScale = multiplies(part) && !readsMatrix(part);
  if (isScale || parts.empty() || parts.back() != part)
    parts.push_back(part);
}

/// The shape of an operand with these dimensions.
static EpilogueOperand getOperandShape(StringRef dims) {
  bool isAlongM = dims.contains('m'), isAlongN = dims.contains('n');
  if (isAlongM && isAlongN)
    return EpilogueOperand::Matrix;
  if (isAlongM || isAlongN)
    return isAlongM ? EpilogueOperand::AlongM : EpilogueOperand::AlongN;
  return EpilogueOperand::Number;
}

/// Returns whether `op` has a scalar operand, so that it is a product with
/// alpha or beta.
bool EpilogueReader::isScaled(Operation &op) {
  return llvm::any_of(llvm::enumerate(operands), [&](auto entry) {
    BlockArgument element = kernel.getEpilogue().getArgument(entry.index() + 1);
    return entry.value().getRole() == OperandRole::Scalar &&
           llvm::is_contained(op.getOperands(), Value(element));
  });
}

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

void EpilogueReader::readOp(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](math::ErfOp) { addPart(EpiloguePart::Gelu); })
      .Case([&](math::TanhOp) { addPart(EpiloguePart::GeluTanh); })
      .Case([&](math::ExpOp) { addPart(EpiloguePart::Silu); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](Operation *max) {
        // The saturation of integers has other constants.
        if (llvm::any_of(max->getOperands(), isZero))
          addPart(EpiloguePart::Relu);
      })
      .Default([](Operation *) {});
  for (auto [index, info] : llvm::enumerate(operands)) {
    BlockArgument element = kernel.getEpilogue().getArgument(index + 1);
    bool isUsed = llvm::any_of(op.getOperands(), [&](Value operand) {
      return isElement(operand, element);
    });
    // A matrix that is only widened here is used by a later operation.
    if (!isUsed || isa<arith::ExtFOp>(op) || info.getRole() == OperandRole::B2)
      continue;
    bool isProduct = isa<arith::MulFOp>(op);
    if (info.getRole() == OperandRole::Scalar) {
      bool scalesSum = llvm::is_contained(
          op.getOperands(), Value(kernel.getEpilogue().getArgument(0)));
      spec.hasAlpha |= isProduct && scalesSum;
      spec.hasBeta |= isProduct && !scalesSum;
      continue;
    }
    StringRef dims = info.getDims();
    // The matrices of some kinds of groups have the dimension b, too.
    bool isOfGroups =
        spec.isGrouped && dims.contains('b') && !dims.contains('m');
    EpiloguePart part =
        getPartOfOperand(getOperandShape(dims), isProduct, isOfGroups);
    // A matrix with a factor of its own is C with beta.
    if (part != EpiloguePart::Gate || !isScaled(op))
      addPart(part);
  }
}

void EpilogueReader::read() {
  for (unsigned i = 2; i != kernel.getNumOperandInfos(); ++i)
    if (OperandAttr info = kernel.getOperandInfo(i); info.isEpilogueArgument())
      operands.push_back(info);
  for (Operation &op : kernel.getEpilogue().front())
    readOp(op);
  if (spec.isDual())
    readDual();
}

/// The function of both sums of a dual product, by its activation, and by how
/// the second sum is used.
void EpilogueReader::readDual() {
  bool adds =
      llvm::any_of(kernel.getEpilogue().getArgument(1).getUsers(),
                   [](Operation *op) { return isa<arith::AddFOp>(op); });
  for (const DualInfo &info : getDualInfos()) {
    bool isUsed = !info.activation ||
                  (!parts.empty() && parts.front() == *info.activation);
    if (!isUsed || info.multiplies == adds)
      continue;
    spec.dual = info.kind;
    if (info.activation)
      parts.erase(parts.begin());
    return;
  }
}

/// The name of an element region's function; none if it has no name.
static std::optional<ElementTransform> readTransform(Region &region) {
  ElementTransform transform;
  Value current = region.getArgument(0);
  for (Operation &op : region.front().without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    bool isRelu = isa<arith::MaximumFOp>(op) &&
                  matchPattern(op.getOperand(1), m_AnyZeroFloat());
    bool isAddOne =
        isa<arith::AddFOp>(op) && matchPattern(op.getOperand(1), m_OneFloat());
    if (op.getOperand(0) != current || (!isRelu && !isAddOne))
      return std::nullopt;
    transform.parts.push_back(isRelu ? TransformPart::Relu
                                     : TransformPart::AddOne);
    current = op.getResult(0);
  }
  return transform;
}

/// Leaves out the reductions without a name. Returns whether all have names.
static bool readReductions(KernelSpec &spec) {
  bool haveNames = !spec.reductions.hasOther;
  spec.reductions.hasOther = false;
  return haveNames;
}

/// Sets the functions of elements. One without a name is tuned as if it were
/// relu. Returns whether all have names.
static bool readTransforms(KernelOp kernel, KernelSpec &spec) {
  bool haveNames = true;
  for (auto [operand, transform] :
       {std::pair(0U, &spec.transformA), std::pair(1U, &spec.transformB)}) {
    Region *region = kernel.findTransform(operand);
    if (!region)
      continue;
    std::optional<ElementTransform> known = readTransform(*region);
    haveNames &= known.has_value();
    *transform = known.value_or(ElementTransform{{TransformPart::Relu}});
  }
  return haveNames;
}

//===----------------------------------------------------------------------===//
// Problems of kernels
//===----------------------------------------------------------------------===//

/// The kernel's types, layout and epilogue. The caller compares what legality
/// knows of the problem. The error names a type that the tuner does not have.
static llvm::Expected<KernelSpec> readKernel(KernelOp kernel,
                                             const ProblemInfo &info) {
  KernelSpec spec{info};
  Type output;
  for (unsigned i = 2; i != kernel.getNumOperandInfos(); ++i)
    if (OperandAttr operand = kernel.getOperandInfo(i); operand.isStored())
      output = operand.getElementType();
  if (llvm::Error error = spec.setOutputType(getTypeText(output)))
    return std::move(error);
  EpilogueReader(kernel, spec).read();
  spec.isBatched = kernel.getOperandInfo(0).getDims().contains('b') ||
                   kernel.getOperandInfo(1).getDims().contains('b');
  return spec;
}

static bool isSameKernel(const ProblemInfo &a, const ProblemInfo &b) {
  return a.hasSameOperands(b) && a.leastOutputBytes == b.leastOutputBytes &&
         a.mostOutputBytes == b.mostOutputBytes &&
         a.tmaOutputs == b.tmaOutputs && a.epilogueBytes == b.epilogueBytes &&
         a.plainEpilogue == b.plainEpilogue && a.reductions == b.reductions &&
         a.stageableInputs == b.stageableInputs &&
         a.readsInputs == b.readsInputs;
}

/// Adds the problem with all combinations of M, N, K and batch.
static void addSizes(TuningProblem problem,
                     llvm::ArrayRef<std::vector<int64_t>> sizes,
                     ModuleProblems &result) {
  for (int64_t m : sizes[0])
    for (int64_t n : sizes[1])
      for (int64_t k : sizes[2])
        for (int64_t batch : sizes[3]) {
          problem.sizes = {m, n, k, batch};
          problem.kernel.isBatched |= batch != 1;
          result.problems.push_back(problem);
        }
}

/// Collects the extents along M, N, K and the batch: those of the kernel, or
/// else the given ones.
static llvm::Error collectSizes(const ProblemInfo &info,
                                const ModuleProblemOptions &options,
                                const std::string &place,
                                std::vector<int64_t> (&sizes)[4]) {
  // The columns of D. Those of a dual product are half of ProblemInfo::n.
  int64_t n = info.isDual() && info.n > 0 ? info.n / 2 : info.n;
  for (auto [target, known, given, name, flag] :
       {std::tuple(&sizes[0], info.m, &options.m, 'M', "--m"),
        std::tuple(&sizes[1], n, &options.n, 'N', "--n"),
        std::tuple(&sizes[2], info.k, &options.k, 'K', "--k"),
        std::tuple(&sizes[3], info.batch, &options.batch, 'B', "--batch")}) {
    if (known < 0 && given->empty())
      return llvm::createStringError(
          "%s: its size %c is not known before run time: give sizes by %s",
          place.c_str(), name, flag);
    *target = known < 0 ? *given : std::vector<int64_t>{known};
  }
  return llvm::Error::success();
}

static void noteRepresentation(const ProblemInfo &info,
                               const std::string &place,
                               ModuleProblems &result) {
  if (info.representation)
    result.notes.push_back(place + ": it reads B's numbers as blocks; the "
                                   "tuner measures the product of real "
                                   "matrices that it computes");
}

static llvm::Error addProblems(KernelOp kernel,
                               const ModuleProblemOptions &options,
                               ModuleProblems &result) {
  std::string place = getPlace(kernel.getLoc()) + ": kernel '" +
                      kernel.getSymName().str() + "'";
  ProblemInfo info = getProblemInfo(kernel);
  if (info.convolution) {
    result.notes.push_back(place +
                           ": it is a convolution, which the tuner does not "
                           "know; it is left out");
    return llvm::Error::success();
  }
  noteRepresentation(info, place, result);
  std::vector<int64_t> sizes[4];
  if (llvm::Error error = collectSizes(info, options, place, sizes))
    return error;
  if (llvm::any_of(sizes, [](const auto &list) {
        return llvm::is_contained(list, 0);
      })) {
    result.notes.push_back(place + ": one of its sizes is 0, and sizes from 1 "
                                   "on are tuned; it is left out");
    return llvm::Error::success();
  }
  llvm::Expected<KernelSpec> spec = readKernel(kernel, info);
  if (!spec)
    return llvm::createStringError(place + ": " +
                                   llvm::toString(spec.takeError()));
  TuningProblem problem;
  problem.kernel = std::move(*spec);
  problem.kernel.isStatic = options.isStatic;
  problem.kernel.isApproximate = options.isApproximate;
  problem.tag = kernel.getSymName().str();
  if (!readTransforms(kernel, problem.kernel))
    result.notes.push_back(
        place +
        ": it has a function of elements without a name; it is tuned "
        "as '" +
        problem.kernel.str() + "'");
  if (!readReductions(problem.kernel))
    result.notes.push_back(
        place + ": it has a reduction without a name; it is tuned as '" +
        problem.kernel.str() + "'");
  if (!isSameKernel(problem.getInfo(), info))
    result.notes.push_back(
        place +
        ": its epilogue is none that the tuner knows; it is tuned as '" +
        problem.kernel.str() + "'");
  if (!info.isGrouped && kernel.getOperandInfo(0).getDims().contains('b') !=
                             kernel.getOperandInfo(1).getDims().contains('b'))
    result.notes.push_back(place +
                           ": a matrix of it is shared by the batch; "
                           "it is tuned as if each product had its own");
  addSizes(std::move(problem), sizes, result);
  return llvm::Error::success();
}

llvm::Expected<ModuleProblems>
extractProblems(StringRef source, StringRef fileName,
                const ModuleProblemOptions &options) {
  if (llvm::Error error = checkSource(source, fileName))
    return std::move(error);
  std::unique_ptr<MLIRContext> context = createContext();
  std::string errors;
  SmallVector<std::string> remarks;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      llvm::raw_string_ostream(errors)
          << getPlace(diagnostic.getLocation()) << ": " << diagnostic << "\n";
    else if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      remarks.push_back(diagnostic.str());
    return success();
  });
  auto fail = [&](StringRef what) {
    return llvm::createStringError(errors.empty() ? what
                                                  : StringRef(errors).rtrim());
  };
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(source.str(), context.get(), fileName);
  if (!module)
    return fail("it is no MLIR module");
  // As the pipelines begin.
  PassManager manager(context.get());
  ComplexToRealOptions complex;
  complex.remarks = false;
  manager.addPass(createComplexToReal(complex));
  RaiseOptions raise;
  raise.precision = options.precision;
  raise.transposes = options.transposes;
  manager.addPass(createRaise(raise));
  if (failed(manager.run(*module)))
    return fail("its operations cannot be raised");
  ModuleProblems result;
  for (auto kernel : module->getOps<KernelOp>())
    if (llvm::Error error = addProblems(kernel, options, result))
      return std::move(error);
  if (result.problems.empty() && !result.notes.empty())
    return llvm::createStringError(llvm::join(result.notes, "\n"));
  if (result.problems.empty())
    return llvm::createStringError(
        fileName + ": no operation of it becomes a kernel" +
        (remarks.empty() ? "; `tcgemm-opt --tcgemm-raise` says why"
                         : ":\n" + llvm::join(remarks, "\n")));
  mergeDuplicates(result.problems);
  return result;
}

} // namespace tcgemm
