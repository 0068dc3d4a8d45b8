//===- Scales.cpp - Scales of a product's operands ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scales.h"
#include "Failure.h"
#include "ProductTerms.h"
#include "tcgemm/Target/BlockScales.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <iterator>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Twine;

/// Fails if the type of scales or zero points is not in `types`.
static Error checkType(const char *name, tcgemmType type,
                       llvm::ArrayRef<tcgemmType> types) {
  if (llvm::is_contained(types, type))
    return Error::success();
  std::string names;
  for (tcgemmType each : types)
    names += (names.empty() ? "" : ", ") + getTypeName(each).str();
  return fail(TCGEMM_INVALID_VALUE,
              Twine(name) + " is " + Twine(static_cast<int>(type)) +
                  ", but it must be the type of one of " + names);
}

static bool hasZeroPoints(const tcgemmMatmulDesc &desc) {
  return desc.zeroPointType != TCGEMM_NO_TYPE;
}

static Error checkGroups(const tcgemmMatmulDesc &desc) {
  if (desc.groupSize == 0) {
    if (hasZeroPoints(desc))
      return fail(TCGEMM_INVALID_VALUE,
                  "zeroPointType is " +
                      Twine(static_cast<int>(desc.zeroPointType)) +
                      ", but groupSize is 0: zero points are those of groups");
    return Error::success();
  }
  if (!isGroupDepth(desc.groupSize))
    return fail(TCGEMM_INVALID_VALUE,
                "groupSize is " + Twine(desc.groupSize) +
                    ", but it must be 0, 32, 64, 128 or 256");
  if (Error error = checkType("groupScaleType", desc.groupScaleType,
                              {TCGEMM_F32, TCGEMM_F16, TCGEMM_BF16}))
    return error;
  return hasZeroPoints(desc) ? checkType("zeroPointType", desc.zeroPointType,
                                         {TCGEMM_S8, TCGEMM_U8})
                             : Error::success();
}

Error library::readScales(const tcgemmMatmulDesc &desc, KernelSpec &kernel) {
  if (Error error = checkGroups(desc))
    return error;
  llvm::StringRef blocks = desc.hasBlockScalesA
                               ? (desc.hasBlockScalesB ? "ab" : "a")
                               : (desc.hasBlockScalesB ? "b" : "none");
  if (Error error = kernel.setBlockScales(blocks))
    return withStatus(TCGEMM_NOT_SUPPORTED, std::move(error));
  GroupScales groups;
  groups.depth = desc.groupSize;
  groups.type = library::getScalarType(desc.groupScaleType);
  if (hasZeroPoints(desc))
    groups.zeroPoints = library::getScalarType(desc.zeroPointType);
  if (Error error = kernel.setGroupScales(groups.str()))
    return withStatus(TCGEMM_NOT_SUPPORTED, std::move(error));
  return withStatus(TCGEMM_NOT_SUPPORTED, kernel.checkFeatures());
}

/// The slot of dense scales of A (operand 0), K x m, or of B, n x K, where K
/// counts blocks.
static tcgemmSlot makeSlot(const tcgemmMatmulDesc &desc,
                           const BlockScales &scales, unsigned operand,
                           unsigned slot, tcgemmType type) {
  auto count = [&](int64_t size, char dim) -> int64_t {
    return llvm::divideCeil(
        static_cast<uint64_t>(size),
        static_cast<uint64_t>(scales.getBlock(dim, desc.groupSize)));
  };
  int64_t depth = count(desc.k, 'k');
  int64_t width = operand ? count(desc.n, 'n') : desc.m;
  tcgemmSlot result{slot, type, {}, tcgemmGetTypeBytes(type)};
  result.strides[operand ? TCGEMM_DIM_N : TCGEMM_DIM_M] = operand ? depth : 1;
  result.strides[TCGEMM_DIM_K] = operand ? 1 : width;
  bool isShared = (operand ? desc.strideB : desc.strideA) == 0;
  result.strides[TCGEMM_DIM_BATCH] = isShared ? 0 : depth * width;
  return result;
}

void library::addScales(const tcgemmMatmulDesc &desc, const KernelSpec &kernel,
                        tcgemmSlots &slots) {
  llvm::SmallVector<tcgemmSlot, 3> added;
  if (kernel.hasScalesA)
    added.push_back(
        makeSlot(desc, kBlockScales[0], 0, TCGEMM_SLOT_SCALE_A, TCGEMM_F32));
  if (kernel.hasScalesB)
    added.push_back(
        makeSlot(desc, kBlockScales[1], 1, TCGEMM_SLOT_SCALE_B, TCGEMM_F32));
  if (kernel.hasGroupScales()) {
    unsigned operand = kernel.getGroupedOperand();
    added.push_back(makeSlot(desc, kBlockScales[operand], operand,
                             TCGEMM_SLOT_SCALE_A + operand,
                             desc.groupScaleType));
    if (kernel.groups.zeroPoints)
      added.push_back(makeSlot(desc, kBlockScales[2 + operand], operand,
                               TCGEMM_SLOT_ZERO_POINTS, desc.zeroPointType));
  }
  // A, B and the B2 of a dual product, which has no scales, are the first ones.
  tcgemmSlot *place = slots.slots + 2, *end = slots.slots + slots.count;
  std::move_backward(place, end, end + added.size());
  llvm::copy(added, place);
  slots.count += static_cast<unsigned>(added.size());
}
