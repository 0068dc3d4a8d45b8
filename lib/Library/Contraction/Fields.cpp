//===- Fields.cpp - The fields of a contraction ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Fields.h"
#include "../../Runtime/BufferLayout.h"
#include "Failure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

Error ContractionFields::readIndices(const char *indices) {
  if (!indices)
    return fail(TCGEMM_INVALID_VALUE, "indices is null");
  Expected<Contraction> parsed = Contraction::parseIndices(indices);
  if (!parsed)
    return withStatus(TCGEMM_INVALID_VALUE, parsed.takeError());
  given = std::move(*parsed);
  return Error::success();
}

Error ContractionFields::readExtent(unsigned operand, size_t position,
                                    int64_t size) {
  char letter = given.operands[operand].letters[position];
  std::string name =
      ("sizes" + getContractedName(operand) + "[" + Twine(position) +
       "], the size of '" + Twine(letter) + "',")
          .str();
  if (tcgemmStatus status =
          tcgemmCheckRange(name.c_str(), size, 0, TCGEMM_MAX_SIZE))
    return takeFailure(status);
  auto [known, isNew] = given.extents.emplace(letter, size);
  if (isNew || known->second == size)
    return Error::success();
  return fail(TCGEMM_INVALID_VALUE,
              "'" + given.str() + "': the size of '" + Twine(letter) + "' is " +
                  Twine(known->second) + " in A, but " + Twine(size) + " in B");
}

Error ContractionFields::readExtents(unsigned operand, const int64_t *sizes) {
  for (size_t i = 0; i != given.operands[operand].letters.size(); ++i)
    if (Error error = readExtent(operand, i, sizes[i]))
      return error;
  return Error::success();
}

/// Returns whether neither the number of elements nor their distance exceeds
/// 2^56. A size of 0 counts as 1.
static bool isWithinLimit(const StridedShape &shape) {
  int64_t end = 1, count = 1;
  for (auto [size, stride] : llvm::zip_equal(shape.sizes, shape.strides)) {
    int64_t extent = std::max<int64_t>(size, 1), distance = 0;
    if (llvm::MulOverflow(extent - 1, stride, distance) ||
        llvm::AddOverflow(end, distance, end) ||
        llvm::MulOverflow(count, extent, count) ||
        std::max(end, count) > TCGEMM_MAX_STRIDE)
      return false;
  }
  return true;
}

Error ContractionFields::readStrides(unsigned operand, const char *name,
                                     const int64_t *strides,
                                     StridedShape &shape) const {
  shape.sizes = given.getShape(operand);
  shape.strides.resize(shape.sizes.size());
  int64_t dense = 1;
  bool isTooLarge = false;
  for (size_t i = shape.sizes.size(); i-- > 0;) {
    std::string field = (Twine(name) + "[" + Twine(i) + "]").str();
    int64_t &stride = shape.strides[i];
    stride = strides[i] == TCGEMM_DENSE ? dense : strides[i];
    if (tcgemmStatus status =
            tcgemmCheckRange(field.c_str(), stride, 0, TCGEMM_MAX_STRIDE))
      return takeFailure(status);
    if (llvm::MulOverflow(std::max<int64_t>(shape.sizes[i], 1), stride,
                          dense) ||
        dense > TCGEMM_MAX_STRIDE) {
      isTooLarge = true;
      dense = TCGEMM_MAX_STRIDE;
    }
  }
  if (isTooLarge || !isWithinLimit(shape))
    return fail(TCGEMM_NOT_SUPPORTED,
                "'" + given.str() + "': " + name +
                    " and the sizes give more elements than the limit of 2^56");
  return Error::success();
}

Error ContractionFields::read(const tcgemmContractionDesc &desc) {
  if (Error error = readIndices(desc.indices))
    return error;
  if (Error error = readExtents(0, desc.sizesA))
    return error;
  if (Error error = readExtents(1, desc.sizesB))
    return error;
  if (Error error = readStrides(0, "stridesA", desc.stridesA, shapes[0]))
    return error;
  if (Error error = readStrides(1, "stridesB", desc.stridesB, shapes[1]))
    return error;
  if (Error error = readStrides(kD, "stridesD", desc.stridesD, shapes[kD]))
    return error;
  // Each element of D is written once. C is only read.
  if (!hasDistinctElements(shapes[kD]))
    return fail(TCGEMM_INVALID_VALUE,
                "'" + given.str() +
                    "': with stridesD elements of D have the same address");
  return desc.scaling == TCGEMM_ALPHA_BETA
             ? readStrides(kD, "stridesC", desc.stridesC, shapeOfC)
             : Error::success();
}
