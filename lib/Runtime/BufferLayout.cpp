//===- BufferLayout.cpp - Rules for the layout of buffers -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace tcgemm;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Twine;

/// Fails if the buffer's image would exceed the address space.
static Error checkExtent(const ProblemBuffer &buffer,
                         llvm::ArrayRef<int64_t> sizes, int64_t padding) {
  bool overflows = false;
  auto multiply = [&](int64_t a, int64_t b) {
    overflows |= llvm::MulOverflow(a, b, a) != 0;
    return a;
  };
  auto add = [&](int64_t a, int64_t b) {
    overflows |= llvm::AddOverflow(a, b, a) != 0;
    return a;
  };
  int64_t elements = 1, bytes = getByteSize(buffer.type);
  for (size_t i = sizes.size(); i-- > 0;) {
    elements = multiply(elements, sizes[i]);
    if (i + 1 == sizes.size())
      elements = add(elements, padding);
  }
  // The image is rounded up to a multiple of 16.
  add(multiply(add(elements, buffer.offset), bytes),
      2 * ProblemBuffer::kRedZone + 15);
  if (!overflows)
    return Error::success();
  std::string shape;
  for (int64_t size : sizes)
    shape += (shape.empty() ? "" : " x ") + std::to_string(size);
  return llvm::createStringError(
      buffer.name + " (" + buffer.operandName + ") of " + shape + " " +
      getTypeName(buffer.type).str() + " with " + Twine(padding) +
      " elements after each row and " + Twine(buffer.offset) +
      " before the first takes more bytes than the limit of 2^63 - 1");
}

/// Fails if a row of elements that share bytes is not whole bytes.
static Error checkPackedRows(const ProblemBuffer &buffer,
                             llvm::ArrayRef<int64_t> sizes, int64_t padding) {
  int64_t packed = getPackedElements(buffer.type);
  for (auto [what, count] :
       {std::pair("rows", sizes.empty() ? 0 : sizes.back()),
        std::pair("row padding", padding), std::pair("offset", buffer.offset)})
    if (count % packed)
      return llvm::createStringError(
          buffer.name + " (" + buffer.operandName + "): the " + what + " of " +
          Twine(count) + " elements of " + getTypeName(buffer.type) +
          " must be a multiple of " + Twine(packed) +
          ", because they share bytes");
  return Error::success();
}

Error tcgemm::checkLayout(const ProblemBuffer &buffer,
                          llvm::ArrayRef<int64_t> sizes, int64_t padding) {
  if (Error error = checkPackedRows(buffer, sizes, padding))
    return error;
  return checkExtent(buffer, sizes, padding);
}

bool tcgemm::hasDistinctElements(const StridedShape &shape) {
  if (llvm::is_contained(shape.sizes, 0))
    return true;
  std::vector<std::pair<int64_t, int64_t>> dims; // Stride, size.
  for (auto [size, stride] : llvm::zip_equal(shape.sizes, shape.strides))
    if (size != 1)
      dims.emplace_back(stride, size);
  llvm::sort(dims);
  int64_t last = 0; // The largest offset of the dimensions so far.
  for (auto [stride, size] : dims) {
    if (stride <= last)
      return false;
    last += (size - 1) * stride;
  }
  return true;
}

Error tcgemm::checkStrides(const ProblemBuffer &buffer) {
  const auto &[sizes, strides] = buffer.shape;
  std::string text;
  for (int64_t stride : strides)
    text += (text.empty() ? "" : "x") + std::to_string(stride);
  auto fail = [&](const Twine &reason) {
    return llvm::createStringError(buffer.name + " (" + buffer.operandName +
                                   "): strides " + text + ": " + reason);
  };
  if (strides.size() != sizes.size())
    return fail("the array has " + Twine(sizes.size()) + " dimensions");
  if (!strides.empty() && strides.back() != 1)
    return fail("the innermost one must be 1");
  int64_t packed = getPackedElements(buffer.type);
  for (int64_t stride : ArrayRef(strides).drop_back(!strides.empty()))
    if (stride % packed)
      return fail("those of " + getTypeName(buffer.type) +
                  " must be multiples of " + Twine(packed) +
                  ", because elements share bytes");
  if (Error error = checkPackedRows(buffer, sizes, /*padding=*/0))
    return error;
  // The extent must not overflow before elements are compared.
  int64_t last = 0, distance = 0;
  bool overflows = false;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    overflows |=
        llvm::MulOverflow(std::max<int64_t>(size - 1, 0), stride, distance);
    overflows |= llvm::AddOverflow(last, distance, last);
  }
  if (overflows || last >= StridedShape::kMaxElements - buffer.offset)
    return fail("the last element is 2^57 elements or more behind the first");
  if (!hasDistinctElements(buffer.shape))
    return fail("elements of different indices must not share an address");
  return Error::success();
}
