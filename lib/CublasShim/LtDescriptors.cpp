//===- LtDescriptors.cpp - Descriptors of cuBLASLt ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LtDescriptors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <vector>

using namespace tcgemm::shim;
using namespace tcgemm::cublas;

namespace {

/// Attributes have smaller numbers; cuBLASLt 13 has them up to 38.
constexpr int kMaxAttribute = 64;
constexpr size_t kMaxAttributeBytes = 64;

/// The attributes that are read. FastAccumulation concerns FP8 only.
constexpr int kReadOfMatmul[] = {
    MatmulComputeType, MatmulScaleType,        MatmulPointerMode,
    MatmulTransA,      MatmulTransB,           MatmulEpilogue,
    MatmulBiasPointer, MatmulFastAccumulation, MatmulBiasDataType};
constexpr int kReadOfLayout[] = {LayoutType,
                                 LayoutOrder,
                                 LayoutRows,
                                 LayoutColumns,
                                 LayoutLeadingDimension,
                                 LayoutBatchCount,
                                 LayoutBatchStride};

template <typename Object>
using Getter = Status (*)(Object, int, void *, size_t, size_t *);

/// An attribute that is not read, and its default value.
struct Default {
  int attribute;
  size_t bytes;
  std::array<char, kMaxAttributeBytes> value;
};

/// The attributes of a new object, apart from those in `read`. An attribute
/// that is too large to compare makes `isComplete` false.
struct Defaults {
  std::vector<Default> attributes;
  bool isComplete = false;
};

template <typename Object, size_t count>
Defaults readDefaults(Object object, Getter<Object> getter,
                      const int (&read)[count]) {
  Defaults defaults;
  defaults.isComplete = true;
  for (int attribute = 0; attribute != kMaxAttribute; ++attribute) {
    if (std::find(std::begin(read), std::end(read), attribute) !=
        std::end(read))
      continue;
    Default found{attribute, 0, {}};
    // The first call asks for the size. An unknown attribute is an error.
    if (getter(object, attribute, nullptr, 0, &found.bytes) || !found.bytes)
      continue;
    size_t written = 0;
    if (found.bytes > kMaxAttributeBytes ||
        getter(object, attribute, found.value.data(), found.bytes, &written))
      defaults.isComplete = false;
    else
      defaults.attributes.push_back(found);
  }
  return defaults;
}

template <typename Object>
bool hasDefaults(Object object, Getter<Object> getter,
                 const Defaults &defaults) {
  for (const Default &each : defaults.attributes) {
    std::array<char, kMaxAttributeBytes> value{};
    size_t written = 0;
    if (getter(object, each.attribute, value.data(), each.bytes, &written) ||
        std::memcmp(value.data(), each.value.data(), each.bytes) != 0)
      return false;
  }
  return defaults.isComplete;
}

Defaults readMatmulDefaults(const RealLibrary &real) {
  MatmulDesc desc = nullptr;
  if (real.cublasLtMatmulDescCreate(&desc, Compute32F, R32F))
    return {};
  Defaults defaults =
      readDefaults(desc, real.cublasLtMatmulDescGetAttribute, kReadOfMatmul);
  real.cublasLtMatmulDescDestroy(desc);
  return defaults;
}

Defaults readLayoutDefaults(const RealLibrary &real) {
  MatrixLayout layout = nullptr;
  if (real.cublasLtMatrixLayoutCreate(&layout, R32F, 1, 1, 1))
    return {};
  Defaults defaults = readDefaults(
      layout, real.cublasLtMatrixLayoutGetAttribute, kReadOfLayout);
  real.cublasLtMatrixLayoutDestroy(layout);
  return defaults;
}

template <typename Object, typename Value>
bool get(Object object, Getter<Object> getter, int attribute, Value &value) {
  size_t written = 0;
  return !getter(object, attribute, static_cast<void *>(&value), sizeof value,
                 &written);
}

/// A layout's attributes.
struct Layout {
  uint64_t rows = 0, columns = 0;
  int32_t batch = 0;
  Matrix matrix;

  bool hasShape(int64_t wantedRows, int64_t wantedColumns) const {
    return rows == static_cast<uint64_t>(wantedRows) &&
           columns == static_cast<uint64_t>(wantedColumns);
  }
};

/// Reads the descriptors of one product.
class Reader {
public:
  Reader(const RealLibrary &real, Product &product)
      : real(real), product(product) {}
  Reason readDesc(MatmulDesc desc);
  Reason readLayouts(const LtLayouts &layouts);

private:
  Reason readLayout(MatrixLayout object, Layout &layout) const;

  const RealLibrary &real;
  Product &product;
  int32_t biasType = 0;
};

} // namespace

Reason Reader::readDesc(MatmulDesc desc) {
  static const Defaults defaults = readMatmulDefaults(real);
  auto getter = real.cublasLtMatmulDescGetAttribute;
  uint32_t epilogue = 0;
  if (!get(desc, getter, MatmulComputeType, product.compute) ||
      !get(desc, getter, MatmulScaleType, product.scaleType) ||
      !get(desc, getter, MatmulPointerMode, product.pointerMode) ||
      !get(desc, getter, MatmulTransA, product.transA) ||
      !get(desc, getter, MatmulTransB, product.transB) ||
      !get(desc, getter, MatmulEpilogue, epilogue) ||
      !get(desc, getter, MatmulBiasPointer, product.bias))
    return Reason::State;
  product.epilogue = static_cast<int>(epilogue);
  // Without the attribute, as in cuBLASLt 11, the bias has the default type.
  if (!get(desc, getter, MatmulBiasDataType, biasType))
    biasType = -1;
  return hasDefaults(desc, getter, defaults) ? Reason::None : Reason::Attribute;
}

Reason Reader::readLayout(MatrixLayout object, Layout &layout) const {
  static const Defaults defaults = readLayoutDefaults(real);
  auto getter = real.cublasLtMatrixLayoutGetAttribute;
  int32_t order = 0;
  if (!object || !get(object, getter, LayoutType, layout.matrix.type) ||
      !get(object, getter, LayoutOrder, order) ||
      !get(object, getter, LayoutRows, layout.rows) ||
      !get(object, getter, LayoutColumns, layout.columns) ||
      !get(object, getter, LayoutLeadingDimension, layout.matrix.ld) ||
      !get(object, getter, LayoutBatchCount, layout.batch) ||
      !get(object, getter, LayoutBatchStride, layout.matrix.stride))
    return Reason::State;
  if (order != OrderColumn && order != OrderRow)
    return Reason::Order;
  layout.matrix.isRowMajor = order == OrderRow;
  return hasDefaults(object, getter, defaults) ? Reason::None
                                               : Reason::Attribute;
}

Reason Reader::readLayouts(const LtLayouts &layouts) {
  Layout a, b, c, d;
  for (auto [object, layout] :
       {std::pair(layouts.a, &a), std::pair(layouts.b, &b),
        std::pair(layouts.c, &c), std::pair(layouts.d, &d)})
    if (Reason reason = readLayout(object, *layout); reason != Reason::None)
      return reason;
  bool isTA = product.transA != OperationN, isTB = product.transB != OperationN;
  product.m = static_cast<int64_t>(d.rows);
  product.n = static_cast<int64_t>(d.columns);
  product.k = static_cast<int64_t>(isTA ? a.rows : a.columns);
  product.batch = d.batch;
  for (const Layout *layout : {&a, &b, &c})
    if (layout->batch != d.batch)
      return Reason::Batch;
  if (!a.hasShape(isTA ? product.k : product.m, isTA ? product.m : product.k) ||
      !b.hasShape(isTB ? product.n : product.k, isTB ? product.k : product.n) ||
      !c.hasShape(product.m, product.n))
    return Reason::Shapes;
  product.a = a.matrix;
  product.b = b.matrix;
  product.c = c.matrix;
  product.d = d.matrix;
  product.biasType = biasType == -1 ? product.d.type : biasType;
  return Reason::None;
}

Reason tcgemm::shim::readProduct(const RealLibrary &real, MatmulDesc desc,
                                 const LtLayouts &layouts, Product &product) {
  if (!desc || !real.cublasLtMatmulDescCreate ||
      !real.cublasLtMatmulDescDestroy || !real.cublasLtMatmulDescGetAttribute ||
      !real.cublasLtMatrixLayoutCreate || !real.cublasLtMatrixLayoutDestroy ||
      !real.cublasLtMatrixLayoutGetAttribute)
    return Reason::State;
  Reader reader(real, product);
  if (Reason reason = reader.readDesc(desc); reason != Reason::None)
    return reason;
  return reader.readLayouts(layouts);
}
