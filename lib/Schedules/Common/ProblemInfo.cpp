//===- ProblemInfo.cpp - Properties of a kernel for legality --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/EpilogueOperands.h"
#include "Common/ReducedOutputs.h"
#include "Common/StagedInputs.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

static GroupScales getGroupScales(KernelOp kernel) {
  GroupScales groups;
  std::optional<unsigned> operand = kernel.findGrouped();
  if (!operand)
    return groups;
  // The verifier leaves types only that ScalarType has.
  OperandAttr scales = kernel.getOperandInfo(*kernel.findScales(*operand));
  groups.depth = scales.getGroup();
  groups.type = *getScalarType(scales.getElementType());
  if (std::optional<unsigned> zeros = kernel.findZeroPoints(*operand))
    groups.zeroPoints =
        getScalarType(kernel.getOperandInfo(*zeros).getElementType());
  return groups;
}

/// The function of an element that the epilogue computes for a reduction.
static ReducedFunction getReducedFunction(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<math::AbsFOp, math::AbsIOp>(op))
    return ReducedFunction::Absolute;
  if (isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op) &&
      op->getOperand(0) == op->getOperand(1))
    return ReducedFunction::Square;
  return ReducedFunction::Identity;
}

/// The kernel's reductions by their names.
static NamedReductions getReductions(KernelOp kernel) {
  NamedReductions result;
  auto yields = kernel.getEpilogue().front().getTerminator()->getOperands();
  SmallVector<ReducedOutput> outputs = getReducedOutputs(kernel);
  for (auto [output, value] :
       llvm::zip_equal(outputs, yields.take_back(outputs.size()))) {
    NamedReduction reduction;
    reduction.axis = output.dim.empty()  ? ReductionAxis::All
                     : output.dim == "m" ? ReductionAxis::Row
                                         : ReductionAxis::Column;
    ReducedFunction function = getReducedFunction(value);
    bool isKnown = false;
    for (unsigned kind = 0; kind < kNumReductionKinds && !isKnown; ++kind) {
      reduction.kind = ReductionKind(kind);
      isKnown = reduction.getFunction() == function &&
                reduction.getCombiner(isa<FloatType>(value.getType())) ==
                    output.reduction.getCombiner();
    }
    if (isKnown)
      result.list.push_back(reduction);
    result.hasOther |= !isKnown;
  }
  return result;
}

/// The product of the outer dimensions, which a hint has in one number; -1 if
/// it is not known.
static int64_t getBatch(KernelOp kernel) {
  int64_t batch = kernel.getSizes().front();
  for (char dim : kernel.getProductDims().drop_front()) {
    int64_t size = kernel.getSize(dim);
    batch = ShapedType::isDynamic(size) || ShapedType::isDynamic(batch)
                ? ShapedType::kDynamic
                : batch * size;
  }
  if (ShapedType::isStatic(batch))
    return batch;
  std::optional<ArrayRef<int64_t>> hint = kernel.getSizeHint();
  return hint && hint->front() > 0 ? hint->front() : -1;
}

/// Returns whether the kernel does nothing but store its sums as floats.
static bool storesSums(KernelOp kernel) {
  constexpr unsigned plain = 3; // A, B and the result
  if (kernel.getNumOperandInfos() != plain || kernel.findTransform(0) ||
      kernel.findTransform(1) || kernel.getAlgebra())
    return false;
  auto type = dyn_cast<FloatType>(kernel.getOperandInfo(2).getElementType());
  Value stored = kernel.getEpilogue().front().getTerminator()->getOperand(0);
  if (auto rounded = stored.getDefiningOp<arith::TruncFOp>())
    stored = rounded.getIn();
  return type && type.getWidth() >= 16 && isa<BlockArgument>(stored) &&
         !kernel.getOperandInfo(2).getReduction();
}

/// Matrices with more elements are no coefficients.
static constexpr int64_t kMostCounted = 1 << 20;

/// See ProblemInfo::coefficients.
static int64_t countCoefficients(KernelOp kernel, unsigned operand) {
  int64_t count = 1;
  for (char dim : kernel.getOperandInfo(operand).getDims()) {
    int64_t size = kernel.getSize(dim);
    bool isShared = isOuter(dim) &&
                    kernel.getOperandInfo(1 - operand).getDims().contains(dim);
    if (ShapedType::isDynamic(size) || isShared || size < 1 ||
        size > kMostCounted / count)
      return 0;
    count *= size;
  }
  return count;
}

/// Sets the properties of a k with two parts in memory.
static void noteSummedDim(KernelOp kernel, ProblemInfo &problem) {
  std::optional<char> summed = kernel.findSummedDim();
  if (!summed)
    return;
  std::optional<ArrayRef<int64_t>> hint = kernel.getSizeHint();
  int64_t values = kernel.getSize(*summed), depth = kernel.getK();
  bool isKnown = ShapedType::isStatic(values) && ShapedType::isStatic(depth);
  // A hint has the elements of both parts, and the values of the outer one.
  if (isKnown)
    problem.k = values * depth;
  else
    problem.k = hint && (*hint)[3] > 0 ? (*hint)[3] : -1;
  if (ShapedType::isDynamic(values))
    values = hint && hint->size() > 4 ? hint->back() : -1;
  problem.summedValues = values > 0 ? values : -1;
}

/// Sets the bands, and whether the result is symmetric.
static void readStructure(KernelOp kernel, ProblemInfo &problem) {
  for (unsigned operand : {0, 1})
    if (BandAttr band = kernel.getBand(operand))
      problem.bands[operand] = band.getValue();
  problem.isSymmetric = kernel.getSymmetric();
}

/// Sets the types of the outputs, and the bytes that the epilogue reads and
/// writes for each element of the result.
static void readOutputs(KernelOp kernel, ProblemInfo &problem) {
  SmallVector<int64_t> bytes;
  problem.epilogueBytes = 0;
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i) {
    OperandAttr operand = kernel.getOperandInfo(i);
    Type type = operand.getElementType();
    if (operand.isStored()) {
      std::optional<ScalarType> scalar = getScalarType(type);
      problem.output = scalar.value_or(problem.output);
      problem.tmaOutputs &=
          scalar && isTmaOutput(*scalar) && operand.getDims().back() == 'n';
      bytes.push_back(scalar ? getByteSize(*scalar) : sizeof(int64_t));
    }
    if (operand.getDims().contains('m') && operand.getDims().contains('n') &&
        type.isIntOrFloat())
      problem.epilogueBytes +=
          llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  }
  if (bytes.empty())
    return;
  problem.leastOutputBytes = *llvm::min_element(bytes);
  problem.mostOutputBytes = *llvm::max_element(bytes);
}

ProblemInfo tcgemm::getProblemInfo(KernelOp kernel) {
  ProblemInfo problem;
  OperandAttr a = kernel.getOperandInfo(0), b = kernel.getOperandInfo(1);
  // The verifier leaves types of A and B only that ScalarType has.
  problem.typeA = *getScalarType(a.getElementType());
  problem.typeB = *getScalarType(b.getElementType());
  problem.accumulator = *getScalarType(kernel.getAccumulatorType());
  problem.algebra = kernel.getProductAlgebra();
  problem.groups = getGroupScales(kernel);
  if (!problem.hasGroupScales()) {
    problem.hasScalesA = kernel.findScales(0).has_value();
    problem.hasScalesB = kernel.findScales(1).has_value();
  }
  if (std::optional<GroupKind> groups = kernel.findGroupKind()) {
    problem.isGrouped = true;
    problem.groupKind = *groups;
  }
  if (kernel.findSecond())
    problem.dual = DualKind::Other;
  if (ConvolutionAttr convolution = kernel.getConvolution())
    problem.convolution = convolution.getValue();
  if (RepresentationAttr representation = kernel.getRepresentation())
    problem.representation = representation.getValue();
  readStructure(kernel, problem);
  problem.transformA.isOther = kernel.findTransform(0) != nullptr;
  problem.transformB.isOther = kernel.findTransform(1) != nullptr;
  problem.aKContiguous = a.getDims().back() == 'k';
  problem.bKContiguous = b.getDims().back() == 'k';
  problem.batch = getBatch(kernel);
  int64_t *sizes[] = {&problem.m, &problem.n, &problem.k};
  std::optional<ArrayRef<int64_t>> hint = kernel.getSizeHint();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    *size = kernel.getSizes()[i + 1];
    if (ShapedType::isDynamic(*size))
      *size = hint && (*hint)[i + 1] > 0 ? (*hint)[i + 1] : -1;
  }
  noteSummedDim(kernel, problem);
  SmallVector<unsigned> stageable = getStageableInputs(kernel);
  problem.stageableInputs = stageable.size();
  problem.hasBeta = llvm::any_of(stageable, [&](unsigned operand) {
    return findGuardOfInput(kernel, operand) >= 0;
  });
  for (auto [number, operand] : llvm::enumerate(getOperandsOfArguments(kernel)))
    problem.readsInputs |=
        number != 0 && !kernel.isMatrix(operand) &&
        !isForElements(kernel, number) &&
        kernel.getOperandInfo(operand).getRole() == OperandRole::Input;
  readOutputs(kernel, problem);
  if (problem.isDual())
    problem.countBothProducts();
  problem.reductions = getReductions(kernel);
  problem.plainEpilogue = hasPlainEpilogue(kernel);
  if (storesSums(kernel))
    for (unsigned operand : {0, 1})
      problem.coefficients[operand] = countCoefficients(kernel, operand);
  return problem;
}
