//===- ProblemInfo.cpp - Properties of a kernel for legality --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/EpilogueOperands.h"
#include "Common/StagedInputs.h"
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

ProblemInfo tcgemm::getProblemInfo(KernelOp kernel) {
  ProblemInfo problem;
  OperandAttr a = kernel.getOperandInfo(0), b = kernel.getOperandInfo(1);
  // The verifier leaves types of A and B only that ScalarType has.
  problem.typeA = *getScalarType(a.getElementType());
  problem.typeB = *getScalarType(b.getElementType());
  problem.accumulator = *getScalarType(kernel.getAccumulatorType());
  problem.groups = getGroupScales(kernel);
  if (!problem.hasGroupScales()) {
    problem.hasScalesA = kernel.findScales(0).has_value();
    problem.hasScalesB = kernel.findScales(1).has_value();
  }
  problem.transformA.isOther = kernel.findTransform(0) != nullptr;
  problem.transformB.isOther = kernel.findTransform(1) != nullptr;
  problem.aKContiguous = a.getDims().back() == 'k';
  problem.bKContiguous = b.getDims().back() == 'k';
  int64_t *sizes[] = {&problem.batch, &problem.m, &problem.n, &problem.k};
  std::optional<ArrayRef<int64_t>> hint = kernel.getSizeHint();
  for (unsigned i = 0; i < 4; ++i) {
    *sizes[i] = kernel.getSizes()[i];
    if (ShapedType::isDynamic(*sizes[i]))
      *sizes[i] = hint && (*hint)[i] > 0 ? (*hint)[i] : -1;
  }
  for (char dim : kernel.getOuterDims().drop_front()) {
    int64_t size = kernel.getSize(dim);
    problem.batch = ShapedType::isDynamic(size) || problem.batch < 0
                        ? -1
                        : problem.batch * size;
  }
  problem.stageableInputs = getStageableInputs(kernel).size();
  // Bytes that the epilogue reads and writes for each element of the result.
  problem.epilogueBytes = 0;
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i) {
    OperandAttr operand = kernel.getOperandInfo(i);
    Type type = operand.getElementType();
    if (operand.getRole() == OperandRole::Output) {
      std::optional<ScalarType> scalar = getScalarType(type);
      problem.output = scalar.value_or(problem.output);
      problem.narrowOutputs &= scalar && isNarrowOutput(*scalar);
      problem.tmaOutputs &=
          scalar && isTmaOutput(*scalar) && operand.getDims().back() == 'n';
    }
    if (operand.getDims().contains('m') && operand.getDims().contains('n') &&
        type.isIntOrFloat())
      problem.epilogueBytes +=
          llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  }
  problem.plainEpilogue = hasPlainEpilogue(kernel);
  return problem;
}
