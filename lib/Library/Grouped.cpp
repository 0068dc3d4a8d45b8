//===- Grouped.cpp - Descriptors of grouped products ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grouped product is checked and laid out as a batch with a matrix for each
// group. Operands that are one matrix for all groups have no stride there.
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "Failure.h"

#include <algorithm>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static_assert(TCGEMM_GROUPS_CONTIGUOUS ==
                  static_cast<int>(GroupKind::Contiguous) &&
              TCGEMM_GROUPS_PADDED == static_cast<int>(GroupKind::Padded) &&
              TCGEMM_GROUPS_ALONG_K == static_cast<int>(GroupKind::RaggedK));

/// The kind of a checked descriptor.
static GroupKind getKind(const tcgemmGroupedDesc &desc) {
  return static_cast<GroupKind>(desc.kind);
}

/// Fails if the matrices of an operand have a stride, but all groups have one
/// matrix. `operand` is that of GroupKindInfo::hasBatch.
static Error checkStride(const GroupKindInfo &info, unsigned operand,
                         const char *matrix, int64_t stride) {
  if (info.hasBatch[operand] || stride == TCGEMM_DENSE)
    return Error::success();
  return fail(TCGEMM_INVALID_VALUE,
              "stride" + Twine(matrix) + " is " + Twine(stride) +
                  ", but it must be TCGEMM_DENSE: with groups of the kind " +
                  info.name + ", " + matrix + " is one matrix");
}

/// The checks that products of matrices do not have.
static Error checkGroups(const tcgemmGroupedDesc &desc) {
  if (tcgemmStatus status =
          tcgemmCheckRange("kind", static_cast<int>(desc.kind),
                           TCGEMM_GROUPS_CONTIGUOUS, TCGEMM_GROUPS_ALONG_K))
    return takeFailure(status);
  if (tcgemmStatus status =
          tcgemmCheckRange("groups", desc.groups, 0, TCGEMM_MAX_SIZE))
    return takeFailure(status);
  if (tcgemmStatus status =
          tcgemmCheckRange("checkOffsets", desc.checkOffsets, 0, 1))
    return takeFailure(status);
  const GroupKindInfo &info = getGroupKindInfo(getKind(desc));
  if (desc.transA == TCGEMM_T && info.hasRows())
    return fail(TCGEMM_INVALID_VALUE,
                "transA is TCGEMM_T, but it must be TCGEMM_N: with groups of "
                "the kind " +
                    info.name + ", k is innermost in A");
  if (Error error = checkStride(info, 0, "A", desc.strideA))
    return error;
  if (Error error = checkStride(info, 1, "B", desc.strideB))
    return error;
  if (Error error = checkStride(info, 2, "C", desc.strideC))
    return error;
  return checkStride(info, 2, "D", desc.strideD);
}

/// The batch with a matrix for each group, of the operands that have one.
static tcgemmMatmulDesc describeBatch(const tcgemmGroupedDesc &from) {
  const GroupKindInfo &info = getGroupKindInfo(getKind(from));
  auto getStride = [&](unsigned operand, int64_t stride) {
    return info.hasBatch[operand] ? stride : 0;
  };
  tcgemmMatmulDesc desc = getCommonFields(from);
  desc.transA = from.transA, desc.transB = from.transB;
  desc.m = from.m, desc.n = from.n, desc.k = from.k;
  desc.batch = info.hasBatch[2] ? from.groups : 1;
  desc.lda = from.lda, desc.ldb = from.ldb;
  desc.ldc = from.ldc, desc.ldd = from.ldd;
  desc.strideA = getStride(0, from.strideA);
  desc.strideB = getStride(1, from.strideB);
  desc.strideC = getStride(2, from.strideC);
  desc.strideD = getStride(2, from.strideD);
  desc.hasBlockScalesA = from.hasBlockScalesA;
  desc.hasBlockScalesB = from.hasBlockScalesB;
  desc.groupSize = from.groupSize;
  desc.groupScaleType = from.groupScaleType;
  desc.zeroPointType = from.zeroPointType;
  return desc;
}

/// Adds the slot of the groups' sizes, which follow A and B.
static void addOffsets(tcgemmSlots &slots) {
  tcgemmSlot *place = &slots.slots[2];
  std::copy_backward(place, &slots.slots[slots.count],
                     &slots.slots[slots.count + 1]);
  *place = {TCGEMM_SLOT_OFFSETS, TCGEMM_S32, {}, sizeof(int32_t)};
  place->strides[TCGEMM_DIM_BATCH] = 1;
  ++slots.count;
}

Expected<Description> library::readGrouped(const tcgemmGroupedDesc &from) {
  if (Error error = checkGroups(from))
    return std::move(error);
  Expected<Description> result =
      readBatchOfGroups(describeBatch(from), getKind(from));
  if (!result)
    return result;
  result->problem.sizes.batch = from.groups;
  result->checksOffsets = from.checkOffsets != 0;
  addOffsets(result->slots);
  return result;
}
