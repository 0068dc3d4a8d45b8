//===- FunctionBuffers.cpp - The buffers of a pack's function -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBuffers.h"
#include "Failure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

Expected<std::vector<int64_t>>
FunctionBuffers::evaluate(llvm::ArrayRef<Expr> exprs) const {
  std::vector<int64_t> values;
  for (const Expr &expr : exprs) {
    Expected<int64_t> value =
        expr.evaluate([&](StringRef symbol) -> std::optional<int64_t> {
          std::optional<ArgumentDim> dim =
              parseArgumentDim(pack.getFunctionInfo(), symbol);
          if (!dim || dim->argument >= arguments.size() ||
              dim->dim >= arguments[dim->argument].shape.sizes.size())
            return std::nullopt;
          return arguments[dim->argument].shape.sizes[dim->dim];
        });
    if (!value)
      return withStatus(TCGEMM_NOT_SUPPORTED, value.takeError());
    values.push_back(*value);
  }
  return values;
}

Error FunctionBuffers::placeTemporaries(uint64_t &bytes) {
  for (const Temporary &each : pack.getFunctionInfo().temporaries) {
    Expected<std::vector<int64_t>> sizes = evaluate(each.shape);
    if (!sizes)
      return sizes.takeError();
    Expected<StridedShape> shape = StridedShape::createRowMajor(*sizes);
    if (!shape)
      return withStatus(TCGEMM_NOT_SUPPORTED, shape.takeError());
    temporaries.push_back(
        {{TCGEMM_WORKSPACE_SLOT, bytes}, *shape, TCGEMM_WORKSPACE_ALIGNMENT});
    bytes += llvm::alignTo(
        static_cast<uint64_t>(getByteCount(each.type, shape->getNumElements())),
        TCGEMM_WORKSPACE_ALIGNMENT);
  }
  return Error::success();
}

/// The strides, in an array, of a view that would have `strides` if the array
/// were dense. None if the view joins indices that are not one index there.
static std::optional<std::vector<int64_t>>
adaptStrides(const StridedShape &array, llvm::ArrayRef<int64_t> sizes,
             llvm::ArrayRef<int64_t> strides) {
  std::vector<int64_t> dense = StridedShape::rowMajor(array.sizes).strides;
  std::vector<size_t> dims; // Those of one element have no strides.
  for (size_t i = 0; i != array.sizes.size(); ++i)
    if (array.sizes[i] != 1)
      dims.push_back(i);
  std::vector<int64_t> result;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    if (size == 1) {
      result.push_back(stride);
      continue;
    }
    auto at = llvm::find_if(dims, [&, stride = stride](size_t dim) {
      return dense[dim] == stride;
    });
    if (at == dims.end())
      return std::nullopt;
    result.push_back(array.strides[*at]);
    int64_t joined = array.sizes[*at];
    for (; joined < size && at != dims.begin(); --at) {
      if (array.strides[at[-1]] != array.strides[*at] * array.sizes[*at])
        return std::nullopt;
      joined *= array.sizes[at[-1]];
    }
    if (joined != size)
      return std::nullopt;
  }
  return result;
}

Expected<PlacedBuffer> FunctionBuffers::findView(const ViewInfo &view) const {
  Expected<PlacedBuffer> whole = find(view.buffer);
  if (!whole)
    return whole;
  Expected<std::vector<int64_t>> sizes = evaluate(view.sizes),
                                 strides = evaluate(view.strides),
                                 offset = evaluate({view.offset});
  for (auto *each : {&sizes, &strides, &offset})
    if (!*each) {
      Error error = each->takeError();
      for (auto *other : {&sizes, &strides, &offset})
        if (other != each)
          llvm::consumeError(other->takeError());
      return std::move(error);
    }
  std::optional<std::vector<int64_t>> adapted =
      offset->front() == 0 ? adaptStrides(whole->shape, *sizes, *strides)
                           : std::nullopt;
  if (!adapted)
    return fail(TCGEMM_NOT_SUPPORTED,
                "a kernel takes '" + Twine(view.buffer) +
                    "' with joined indices, but they are not one index in its "
                    "memory");
  whole->shape = StridedShape{std::move(*sizes), std::move(*adapted)};
  return whole;
}

Expected<PlacedBuffer> FunctionBuffers::find(StringRef name) const {
  const FunctionInfo &function = pack.getFunctionInfo();
  std::optional<BufferRef> ref = parseBufferRef(name);
  if (ref) {
    switch (ref->kind) {
    case BufferKind::Argument:
      if (ref->index < arguments.size())
        return arguments[ref->index];
      break;
    case BufferKind::Temporary:
      if (ref->index < temporaries.size())
        return temporaries[ref->index];
      break;
    case BufferKind::Constant:
      if (ref->index < pack.getConstants().size())
        return PlacedBuffer{
            {TCGEMM_FIXED_SLOT, pack.getConstants()[ref->index].address},
            StridedShape::rowMajor(pack.getConstants()[ref->index].sizes),
            TCGEMM_WORKSPACE_ALIGNMENT};
      break;
    case BufferKind::View:
      if (ref->index < function.views.size())
        return findView(function.views[ref->index]);
      break;
    }
  }
  return fail(TCGEMM_NOT_SUPPORTED,
              "the pack has no buffer '" + Twine(name) + "'");
}
