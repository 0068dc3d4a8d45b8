//===- KernelFeatures.cpp - The features of a kernel ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/KernelFeatures.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/Exclusions.h"

using namespace mlir;
using namespace tcgemm;

/// Adds what A or B has.
static void addMatrix(KernelOp op, unsigned operand, FeatureSet &features) {
  OperandAttr info = op.getOperandInfo(operand);
  std::optional<ScalarType> type = getScalarType(info.getElementType());
  features.add(Feature::SplitOperands, type && isSplitType(*type));
  features.add(operand ? Feature::BandOfB : Feature::BandOfA,
               bool(info.getBand()));
  features.add(operand ? Feature::FunctionOfB : Feature::FunctionOfA,
               op.findTransform(operand) != nullptr);
}

/// Adds what another operand is.
static void addOperand(OperandAttr info, FeatureSet &features) {
  OperandRole role = info.getRole();
  features.add(Feature::Scales, info.getScales() != nullptr);
  features.add(Feature::SecondB, role == OperandRole::B2);
  features.add(Feature::EpilogueTensors, role == OperandRole::Input);
  features.add(Feature::Reductions, bool(info.getReduction()));
}

LogicalResult tcgemm::verifyFeatures(KernelOp op) {
  FeatureSet features;
  unsigned number = op.getNumOperandInfos();
  for (unsigned i = 0; i < number; ++i) {
    if (i < 2)
      addMatrix(op, i, features);
    addOperand(op.getOperandInfo(i), features);
  }
  if (std::optional<GroupKind> groups = op.findGroupKind())
    features.add(getGroupKindInfo(*groups).feature, true);
  features.add(Feature::Convolution, number && bool(op.getConvolution()));
  features.add(Feature::Representation,
               number > 1 && bool(op.getRepresentation()));
  features.add(Feature::SummedDimension, op.findSummedDim().has_value());
  features.add(Feature::OtherAlgebra, !op.getProductAlgebra().isDefault());
  features.add(Feature::SymmetricResult, op.getSymmetric());
  std::string exclusion = findExclusion(features);
  return exclusion.empty() ? success() : op.emitOpError() << exclusion;
}
