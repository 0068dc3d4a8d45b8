//===- TensorMap.cpp - Fields and rules of TMA tensor maps ----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of cuTensorMapEncodeTiled and, for maps with a window, of
// cuTensorMapEncodeIm2col. The driver reports a violation of any
// rule as "invalid argument". This file therefore checks each rule separately.
// Random maps of tiled mode near the limits (1.5 million, on an H200 with
// CUDA 13.0) were rejected here if and only if the driver rejected them; the
// rule for the size of the box results from this test. In particular, strides
// may be 0 and need not increase with the dimension.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/TensorMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tcgemm;
using llvm::Twine;

bool tcgemm::operator==(const TensorMapDescription &a,
                        const TensorMapDescription &b) {
  return a.type == b.type && a.base == b.base && a.dims == b.dims &&
         a.strides == b.strides && a.box == b.box && a.swizzle == b.swizzle &&
         a.l2Promotion == b.l2Promotion && a.window == b.window;
}

static TensorMapViolation violation(const Twine &field, const Twine &text) {
  return {field.str(), text.str()};
}

/// The rules for the window of a map in im2col mode.
static std::optional<TensorMapViolation>
findWindowViolation(size_t numDims, const TensorMapWindow &window) {
  if (numDims != kWindowRank)
    return violation("dims", "has " + Twine(numDims) + " entries, must have " +
                                 Twine(kWindowRank) + " with a window");
  for (unsigned i : {0, 1}) {
    for (auto [name, corner] :
         {std::pair{"lower", window.lower[i]}, {"upper", window.upper[i]}})
      if (corner < kMinTensorMapCorner || corner > kMaxTensorMapCorner)
        return violation("window." + Twine(name) + "[" + Twine(i) + "]",
                         Twine(corner) + ", must be " +
                             Twine(kMinTensorMapCorner) + " to " +
                             Twine(kMaxTensorMapCorner));
    if (window.steps[i] < 1 || window.steps[i] > kMaxTensorMapStep)
      return violation("window.steps[" + Twine(i) + "]",
                       Twine(window.steps[i]) + ", must be 1 to " +
                           Twine(kMaxTensorMapStep));
  }
  return std::nullopt;
}

std::optional<TensorMapViolation>
tcgemm::findTensorMapViolation(ScalarType type, size_t numDims,
                               size_t numStrides, llvm::ArrayRef<unsigned> box,
                               unsigned swizzle, unsigned l2Promotion,
                               const std::optional<TensorMapWindow> &window) {
  if (numDims < kMinTensorMapRank || numDims > kMaxTensorMapRank)
    return violation("dims", "has " + Twine(numDims) + " entries, must have " +
                                 Twine(kMinTensorMapRank) + " to " +
                                 Twine(kMaxTensorMapRank));
  if (numStrides != numDims - 1)
    return violation("strides",
                     "has " + Twine(numStrides) + " entries, must have " +
                         Twine(numDims - 1) + ", one less than dims");
  if (window)
    if (auto found = findWindowViolation(numDims, *window))
      return found;
  size_t boxRank = window ? 2 : numDims;
  if (box.size() != boxRank)
    return violation("box", "has " + Twine(box.size()) +
                                " entries, must have " + Twine(boxRank) +
                                (window ? " with a window" : ", as dims"));
  for (auto [i, size] : llvm::enumerate(box)) {
    unsigned limit = window && i ? kMaxTensorMapPixels : kMaxTensorMapBox;
    if (size < 1 || size > limit)
      return violation("box[" + Twine(i) + "]",
                       Twine(size) + " elements, must be 1 to " + Twine(limit));
  }
  if (!llvm::is_contained({0U, 32U, 64U, 128U}, swizzle))
    return violation("swizzle",
                     Twine(swizzle) + " bytes, must be 0, 32, 64 or 128");
  if (!llvm::is_contained({0U, 64U, 128U, 256U}, l2Promotion))
    return violation("l2_promotion",
                     Twine(l2Promotion) + " bytes, must be 0, 64, 128 or 256");
  unsigned rowBytes = box[0] * getByteSize(type);
  std::string rowText = (Twine(box[0]) + " elements of " + getTypeName(type) +
                         " are " + Twine(rowBytes) + " bytes, ")
                            .str();
  if (rowBytes % kTensorMapAlignment != 0)
    return violation("box[0]", rowText + "must be a multiple of " +
                                   Twine(kTensorMapAlignment));
  if (swizzle != 0 && rowBytes > swizzle)
    return violation("box[0]", rowText + "must be at most the swizzle's " +
                                   Twine(swizzle));
  int64_t boxBytes = getByteSize(type);
  for (unsigned size : box)
    boxBytes *= size;
  if (boxBytes > kMaxTensorMapBoxBytes)
    return violation("box", Twine(boxBytes) + " bytes, must be at most " +
                                Twine(kMaxTensorMapBoxBytes));
  return std::nullopt;
}

std::optional<std::string> tcgemm::findTensorMapBaseViolation(uint64_t base) {
  if (base % kTensorMapAlignment == 0)
    return std::nullopt;
  return (Twine(base) + " must be a multiple of " + Twine(kTensorMapAlignment))
      .str();
}

std::optional<std::string> tcgemm::findTensorMapDimViolation(int64_t dim) {
  if (dim >= 1 && dim <= kMaxTensorMapDim)
    return std::nullopt;
  return (Twine(dim) + " elements, must be 1 to " + Twine(kMaxTensorMapDim))
      .str();
}

std::optional<std::string>
tcgemm::findTensorMapStrideViolation(int64_t stride) {
  if (stride < 0 || stride >= kTensorMapStrideLimit)
    return (Twine(stride) + " bytes, must be 0 to " +
            Twine(kTensorMapStrideLimit - 1))
        .str();
  if (stride % kTensorMapAlignment != 0)
    return (Twine(stride) + " bytes, must be a multiple of " +
            Twine(kTensorMapAlignment))
        .str();
  return std::nullopt;
}

llvm::Error tcgemm::checkTensorMap(const TensorMapDescription &map) {
  auto fail = [](const Twine &field, const Twine &text) {
    return llvm::createStringError(field + ": " + text);
  };
  if (auto found = findTensorMapViolation(
          map.type, map.dims.size(), map.strides.size(), map.box, map.swizzle,
          map.l2Promotion, map.window))
    return fail(found->field, found->text);
  if (auto text = findTensorMapBaseViolation(map.base))
    return fail("base", *text);
  for (auto [i, dim] : llvm::enumerate(map.dims))
    if (auto text = findTensorMapDimViolation(dim))
      return fail("dims[" + Twine(i) + "]", *text);
  for (auto [i, stride] : llvm::enumerate(map.strides))
    if (auto text = findTensorMapStrideViolation(stride))
      return fail("strides[" + Twine(i) + "]", *text);
  for (unsigned i = 0; map.window && i != 2; ++i)
    if (int64_t extent =
            map.dims[i + 1] + map.window->upper[i] - map.window->lower[i];
        extent < 1)
      return fail("window", Twine(extent) + " pixels along " + (i ? "H" : "W") +
                                ", must be at least 1");
  return llvm::Error::success();
}

int64_t tcgemm::getBoxBytes(const TensorMapDescription &map) {
  int64_t bytes = getByteSize(map.type);
  for (unsigned size : map.box)
    bytes *= size;
  return bytes;
}

unsigned tcgemm::getTensorMapTypeCode(ScalarType type) {
  switch (type) {
  case ScalarType::I1:
  case ScalarType::I4:
  case ScalarType::U4:
  case ScalarType::I4Interleaved:
  case ScalarType::U4Interleaved:
  case ScalarType::U1:
  case ScalarType::I8:
  case ScalarType::U8:
  case ScalarType::E4M3:
  case ScalarType::E5M2:
    return 0; // UINT8
  case ScalarType::I16:
    return 1; // UINT16
  case ScalarType::I32:
    return 3; // INT32
  case ScalarType::I64:
  case ScalarType::Index:
    return 5; // INT64
  case ScalarType::F16:
  case ScalarType::F16Acc16:
    return 6; // FLOAT16
  case ScalarType::F32:
  case ScalarType::TF32X3:
  case ScalarType::BF16X3:
  case ScalarType::BF16X6:
    return 7; // FLOAT32
  case ScalarType::F64:
    return 8; // FLOAT64
  case ScalarType::BF16:
    return 9; // BFLOAT16
  case ScalarType::TF32:
    return 11; // TFLOAT32
  }
  llvm_unreachable("covered switch");
}

unsigned tcgemm::getTensorMapSwizzleCode(unsigned swizzle) {
  return swizzle == 0 ? 0 : swizzle == 32 ? 1 : swizzle == 64 ? 2 : 3;
}

unsigned tcgemm::getTensorMapPromotionCode(unsigned l2Promotion) {
  return l2Promotion == 0     ? 0
         : l2Promotion == 64  ? 1
         : l2Promotion == 128 ? 2
                              : 3;
}
