//===- ManifestOperandVerifier.cpp - Rules of a kernel's operands ---------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestChecks.h"
#include "tcgemm/Target/Exclusions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tcgemm;
using namespace tcgemm::manifest;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

/// The dimensions of scales are distinct.
static Error verifyScales(const OperandInfo &operand, const std::string &path) {
  const BlockScales &scales = *operand.getScales();
  size_t known = llvm::count_if(operand.dims, [&](Dim dim) {
    return scales.dims.contains(getDimName(dim)) || dim == Dim::Batch;
  });
  size_t batches = llvm::count(operand.dims, Dim::Batch);
  if (known != operand.dims.size() || known != scales.dims.size() + batches)
    return fail(path + ".dims", "'" + getRoleName(operand.role) + "' has " +
                                    scales.dims.take_front() +
                                    " and k, and may have b");
  if (operand.group ? !isGroupDepth(operand.group) : scales.isZeroPoint)
    return fail(path + ".group",
                Twine(operand.group) + ", but must be 32, 64, 128 or 256");
  using T = ScalarType;
  llvm::SmallVector<T> types = {T::F32};
  if (operand.group)
    types.append({T::F16, T::BF16});
  if (scales.isZeroPoint)
    types = {T::I8, T::U8};
  if (!llvm::is_contained(types, operand.type))
    return fail(path + ".type",
                "'" + getTypeName(operand.type) + "', but must be " +
                    llvm::join(llvm::map_range(types, getTypeName), " or "));
  return Error::success();
}

ScalarType manifest::getYieldType(const OperandInfo &output,
                                  const EpilogueProgram &epilogue,
                                  size_t number) {
  bool isThere = number < epilogue.yields.size() &&
                 epilogue.yields[number] < epilogue.ops.size();
  if (!output.reduction || !isThere)
    return output.type;
  ScalarType type = epilogue.ops[epilogue.yields[number]].type;
  return canReduce(output.reduction->combiner, type, output.type) ? type
                                                                  : output.type;
}

static Error verifyReduction(const OperandInfo &operand,
                             const std::string &path) {
  const ReductionInfo &reduction = *operand.reduction;
  auto has = [&](Dim dim) { return llvm::is_contained(operand.dims, dim); };
  if (has(Dim::K) || (has(Dim::M) && has(Dim::N)))
    return fail(path + ".dims",
                "an output with a reduction may have b, and m or n");
  std::string violation = findViolation(reduction, operand.type);
  return violation.empty() ? Error::success()
                           : fail(path + ".reduction", violation);
}

static Error verifyConvolution(const OperandInfo &operand,
                               const std::string &path) {
  if (operand.role != OperandUse::A)
    return fail(path, "only 'a' has it, but the role is '" +
                          getRoleName(operand.role) + "'");
  if (operand.dims != std::vector<Dim>{Dim::M, Dim::K})
    return fail(path, "its operand must have the dims m and k");
  if (auto text = findViolation(*operand.convolution))
    return fail(path, *text);
  return Error::success();
}

/// Rows and columns of the blocks are k and n.
static Error verifyRepresentation(const OperandInfo &operand,
                                  const std::string &path) {
  if (operand.role != OperandUse::B)
    return fail(path, "only 'b' has it, but the role is '" +
                          getRoleName(operand.role) + "'");
  auto innermost = llvm::ArrayRef(operand.dims).take_back(2);
  if (innermost.size() != 2 || !llvm::is_contained(innermost, Dim::K) ||
      !llvm::is_contained(innermost, Dim::N))
    return fail(path, "the innermost dims of its operand must be n and k");
  return Error::success();
}

/// Verifies what says how the memory of A or B becomes the matrix.
static Error verifyMemory(const OperandInfo &operand, const std::string &path) {
  if (operand.convolution)
    if (Error error = verifyConvolution(operand, path + ".convolution"))
      return error;
  if (operand.representation)
    if (Error error = verifyRepresentation(operand, path + ".representation"))
      return error;
  if (operand.band && operand.role > OperandUse::B)
    return fail(path + ".band", "only 'a' and 'b' have it, but the role is '" +
                                    getRoleName(operand.role) + "'");
  return Error::success();
}

Error manifest::verifyOperand(const OperandInfo &operand,
                              const std::string &path) {
  if (!Expr::isSymbolName(operand.name) ||
      StringRef(operand.name).contains('.'))
    return fail(path + ".name", "'" + operand.name + "' is not an identifier");
  for (auto [i, dim] : llvm::enumerate(operand.dims))
    if (llvm::is_contained(llvm::ArrayRef<Dim>(operand.dims).take_front(i),
                           dim))
      return fail(path + ".dims", "'" + getDimName(dim) + "' is named twice");
  if (operand.group && !operand.getScales())
    return fail(path + ".group",
                "only scales and zero points have it, but the role is '" +
                    getRoleName(operand.role) + "'");
  if (operand.reduction && operand.role != OperandUse::Output)
    return fail(path + ".reduction", "only outputs have it, but the role is '" +
                                         getRoleName(operand.role) + "'");
  if (Error error = verifyMemory(operand, path))
    return error;
  auto has = [&](Dim dim) { return llvm::is_contained(operand.dims, dim); };
  switch (operand.role) {
  case OperandUse::A:
    if (!has(Dim::M) || !has(Dim::K) || has(Dim::N))
      return fail(path + ".dims", "'a' has m and k, and may have b");
    break;
  case OperandUse::B:
  case OperandUse::B2:
    if (!has(Dim::N) || !has(Dim::K) || has(Dim::M))
      return fail(path + ".dims", "'" + getRoleName(operand.role) +
                                      "' has n and k, and may have b");
    break;
  case OperandUse::Input:
    break;
  case OperandUse::Scalar:
    if (!operand.dims.empty())
      return fail(path + ".dims", "a scalar has no dimensions");
    break;
  case OperandUse::Output:
    if (operand.reduction)
      return verifyReduction(operand, path);
    if (!has(Dim::M) || !has(Dim::N) || has(Dim::K))
      return fail(path + ".dims", "an output has m and n, and may have b");
    break;
  case OperandUse::ScaleA:
  case OperandUse::ScaleB:
  case OperandUse::ZeroA:
  case OperandUse::ZeroB:
    return verifyScales(operand, path);
  case OperandUse::Offsets:
  case OperandUse::Counts:
    if (operand.type != ScalarType::I32 || operand.dims.size() != 1 ||
        !has(Dim::Batch))
      return fail(path, getRoleName(operand.role) +
                            " have the type s32 and the dimension b");
    break;
  }
  return Error::success();
}

/// Returns whether the groups need the operand's dimension b, or none if it is
/// free to have it. Scales have a matrix for each group if their operand has.
static std::optional<bool> needsBatch(const OperandInfo &operand,
                                      const GroupKindInfo &groups) {
  if (operand.role == OperandUse::A)
    return groups.hasBatch[0];
  if (operand.isStored())
    return groups.hasBatch[2];
  if (const BlockScales *scales = operand.getScales())
    return groups.hasBatch[scales->matrix == kBlockScales[1].matrix];
  return std::nullopt;
}

Error manifest::verifyGroups(const KernelInfo &kernel,
                             const std::string &path) {
  const OperandInfo *sizes = kernel.findGroupSizes();
  if (!sizes)
    return Error::success();
  std::optional<GroupKind> kind = kernel.findGroupKind();
  if (!kind)
    return fail(path + ".operands", "'b' needs the dimension b with '" +
                                        getRoleName(sizes->role) + "'");
  for (const OperandInfo &operand : kernel.operands) {
    std::optional<bool> isDue = needsBatch(operand, getGroupKindInfo(*kind));
    if (!isDue)
      continue;
    if (llvm::is_contained(operand.dims, Dim::Batch) != *isDue)
      return fail(path + ".operands",
                  "'" + getRoleName(operand.role) + "' " +
                      (*isDue ? "needs" : "has") + " the dimension b, but " +
                      (*isDue ? "lacks it" : "must not") + ": the groups are " +
                      getGroupKindInfo(*kind).name);
  }
  return Error::success();
}

Error manifest::verifyFeatures(const KernelInfo &kernel,
                               const std::string &path) {
  FeatureSet features;
  for (const OperandInfo &operand : kernel.operands) {
    bool isA = operand.role == OperandUse::A,
         isB = operand.role == OperandUse::B;
    features.add(Feature::SplitOperands, isA && isSplitType(operand.type));
    features.add(Feature::BandOfA, isA && operand.band);
    features.add(Feature::BandOfB, isB && operand.band);
    features.add(Feature::Representation, operand.representation.has_value());
    features.add(Feature::Scales, operand.getScales() != nullptr);
    features.add(Feature::SecondB, operand.role == OperandUse::B2);
    features.add(Feature::EpilogueTensors, operand.role == OperandUse::Input);
    features.add(Feature::Reductions, operand.reduction.has_value());
  }
  if (std::optional<GroupKind> groups = kernel.findGroupKind())
    features.add(getGroupKindInfo(*groups).feature, true);
  features.add(Feature::FunctionOfA, !kernel.transforms[0].ops.empty());
  features.add(Feature::FunctionOfB, !kernel.transforms[1].ops.empty());
  features.add(Feature::Convolution, kernel.findConvolution() != nullptr);
  features.add(Feature::SummedDimension, kernel.findSummedDim().has_value());
  features.add(Feature::OtherAlgebra, !kernel.algebra.isDefault());
  features.add(Feature::SymmetricResult, kernel.isSymmetric);
  std::string exclusion = findExclusion(features);
  return exclusion.empty() ? Error::success() : fail(path, exclusion);
}

Error manifest::verifyNumbers(const KernelInfo &kernel,
                              const std::string &path) {
  for (const OperandInfo &operand : kernel.operands)
    for (Dim dim : {Dim::N, Dim::K})
      if (const std::optional<int64_t> &size = kernel.sizes[unsigned(dim)];
          operand.representation && size &&
          *size % operand.representation->getComponents() != 0)
        return fail(path + ".sizes." + getSizeName(dim),
                    "must be a multiple of the " +
                        Twine(operand.representation->getComponents()) +
                        " components of '" + operand.name + "'");
  return Error::success();
}
