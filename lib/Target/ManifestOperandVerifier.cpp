//===- ManifestOperandVerifier.cpp - Rules of a kernel's operands ---------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestChecks.h"

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

static Error verifyReduction(const OperandInfo &operand,
                             const std::string &path) {
  const ReductionInfo &reduction = *operand.reduction;
  auto has = [&](Dim dim) { return llvm::is_contained(operand.dims, dim); };
  if (has(Dim::K) || (has(Dim::M) && has(Dim::N)))
    return fail(path + ".dims",
                "an output with a reduction may have b, and m or n");
  if (!canCombine(reduction.combiner, operand.type))
    return fail(path + ".reduction", "'" + getCombinerName(reduction.combiner) +
                                         "' does not combine values of type '" +
                                         getTypeName(operand.type) + "'");
  return Error::success();
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
  if (operand.convolution)
    if (Error error = verifyConvolution(operand, path + ".convolution"))
      return error;
  if (operand.band && operand.role > OperandUse::B)
    return fail(path + ".band", "only 'a' and 'b' have it, but the role is '" +
                                    getRoleName(operand.role) + "'");
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
    if (operand.type != ScalarType::I32 || operand.dims.size() != 1 ||
        !has(Dim::Batch))
      return fail(path, "offsets have the type s32 and the dimension b");
    break;
  }
  return Error::success();
}

/// What kernels with bands or a symmetric result do not have. M and N of the
/// latter are equal.
Error manifest::verifyStructure(const KernelInfo &kernel,
                                const std::string &path) {
  bool hasBand = llvm::any_of(kernel.operands, [](const OperandInfo &operand) {
    return operand.band.has_value();
  });
  if (!hasBand && !kernel.isSymmetric)
    return Error::success();
  if (kernel.findConvolution() || kernel.findSecond() || kernel.isGrouped() ||
      !kernel.algebra.isDefault() ||
      llvm::any_of(kernel.operands, [](const OperandInfo &operand) {
        return operand.getScales() != nullptr;
      }))
    return fail(path + ".operands",
                "a kernel with a band or a symmetric result has no scales, "
                "offsets, 'b2', convolution and algebra");
  for (unsigned operand : {0, 1})
    if (kernel.operands[operand].band &&
        !kernel.transforms[operand].ops.empty())
      return fail(path + "." + kTransformKeys[operand],
                  "must not be there: the operand has a band");
  if (kernel.isSymmetric &&
      kernel.sizes[unsigned(Dim::M)] != kernel.sizes[unsigned(Dim::N)])
    return fail(path + ".sizes", "M and N must be equal: the result is "
                                 "symmetric");
  return Error::success();
}

Error manifest::verifySummed(const KernelInfo &kernel,
                             const std::string &path) {
  if (!kernel.findSummedDim())
    return Error::success();
  bool isPlain = kernel.algebra.isDefault() && !kernel.findSecond() &&
                 llvm::none_of(kernel.transforms,
                               [](const EpilogueProgram &program) {
                                 return !program.ops.empty();
                               }) &&
                 llvm::none_of(kernel.operands, [](const OperandInfo &operand) {
                   return operand.getScales() || operand.convolution ||
                          operand.band || operand.role == OperandUse::Offsets;
                 });
  return isPlain ? Error::success()
                 : fail(path + ".operands",
                        "a kernel that sums over an outer dimension has no "
                        "scales, offsets, convolution, second B, functions of "
                        "elements and other algebra");
}
