//===- Fill.cpp - Initial contents of tensors -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeded, reproducible contents. 16 bits determine an element, so that a table
// of 65536 encoded values replaces the distribution's arithmetic, and filling
// is limited by the speed of memory only.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/HostTensor.h"
#include "tcgemm/Runtime/Npy.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tcgemm;
using llvm::StringRef;

uint64_t tcgemm::mixSeed(uint64_t seed, uint64_t index) {
  // splitmix64 with a different start for each seed.
  uint64_t z = seed * 0xd1342543de82ef95ULL + index * 0x9e3779b97f4a7c15ULL +
               0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Reads the list behind `values:`.
static llvm::Expected<FillOptions> parseValues(StringRef list) {
  FillOptions options;
  options.kind = FillOptions::Values;
  llvm::SmallVector<StringRef> texts;
  list.split(texts, ',');
  for (StringRef text : texts)
    if (text.getAsInteger(10, options.values.emplace_back()))
      return llvm::createStringError("'values:" + list + "': '" + text +
                                     "' is not an integer");
  return options;
}

llvm::Expected<FillOptions> tcgemm::parseFill(StringRef text) {
  FillOptions options;
  if (text == "normal")
    return options;
  if (text == "uniform") {
    options.kind = FillOptions::Uniform;
    return options;
  }
  if (text == "int") {
    options.kind = FillOptions::Integers;
    return options;
  }
  if (text == "special") {
    options.kind = FillOptions::Special;
    return options;
  }
  if (text.ends_with(".npy")) {
    options.kind = FillOptions::File;
    options.path = text.str();
    return options;
  }
  StringRef value = text;
  if (value.consume_front("values:"))
    return parseValues(value);
  if (value.consume_front("constant:") && !value.getAsDouble(options.value)) {
    options.kind = FillOptions::Constant;
    return options;
  }
  return llvm::createStringError("'" + text +
                                 "' is not a fill: expected normal, uniform, "
                                 "int, special, constant:VALUE, "
                                 "values:INTEGER,... or "
                                 "a path that ends in .npy");
}

/// The quantile of the standard normal distribution at `probability`.
static double getNormalQuantile(double probability) {
  // Newton's method on the distribution function; it converges from 0 because
  // the function is concave above 0 (and the lower half mirrors the upper).
  bool isLower = probability < 0.5;
  double p = isLower ? 1 - probability : probability;
  double x = 0;
  for (int i = 0; i != 60; ++i) {
    double error = 0.5 * std::erfc(-x / std::sqrt(2.0)) - p;
    double density = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
    double step = error / density;
    x -= step;
    if (std::fabs(step) < 1e-12)
      break;
  }
  return isLower ? -x : x;
}

/// Few elements are NaN or infinite, so that most sums over k are finite.
/// Integer types, which have no special values, have those of
/// FillOptions::Integers.
static double getSpecialValue(ScalarType type, unsigned bits) {
  if (!isFloatType(type))
    return static_cast<int>(bits * 9 / 65536) - 4;
  double sign = bits % 2 ? -1 : 1;
  if (bits < 8)
    return std::nan("");
  if (bits < 24)
    return sign * HUGE_VAL;
  if (bits < 40)
    return sign * getLargest(type);
  if (bits < 256)
    return sign * getSmallestNormal(type);
  if (bits < 2048)
    return sign * 0.0;
  if (bits < 4096) {
    // All subnormal magnitudes: from one unit to the largest.
    double units = getSmallestNormal(type) / getUlp(type, 0);
    unsigned exponent = bits % 64 / 2;
    double share = std::exp2(-static_cast<double>(exponent));
    return sign * std::max(1.0, std::floor((units - 1) * share)) *
           getUlp(type, 0);
  }
  return getNormalQuantile((bits - 4096 + 0.5) / (65536 - 4096));
}

static double getValue(const FillOptions &options, ScalarType type,
                       unsigned bits) {
  switch (options.kind) {
  case FillOptions::Special:
    return getSpecialValue(type, bits);
  case FillOptions::Normal:
    // All values of narrow integers, with equal probability.
    if (unsigned width = getBitWidth(type);
        width <= 8 && !isFloatType(type) && type != ScalarType::I1)
      return static_cast<double>(bits >> (16 - width)) -
             (isUnsignedType(type) ? 0 : 1 << (width - 1));
    return getNormalQuantile((bits + 0.5) / 65536);
  case FillOptions::Uniform:
    return (bits + 0.5) / 32768 - 1;
  case FillOptions::Integers:
    return static_cast<int>(bits * 9 / 65536) - (isUnsignedType(type) ? 0 : 4);
  case FillOptions::Constant:
  case FillOptions::File:
  case FillOptions::Values:
    break;
  }
  return options.value;
}

/// The bits that element `index` depends on.
static unsigned getEntry(uint64_t seed, uint64_t index) {
  return mixSeed(seed, index / 4) >> (index % 4 * 16) & 0xffff;
}

/// Fills rows of elements that share bytes.
static void fillPacked(HostTensor &tensor, const FillOptions &options,
                       uint64_t seed) {
  uint64_t index = 0;
  int64_t stride = tensor.shape.getRowStride();
  tensor.shape.forEachRow([&](int64_t offset) {
    for (int64_t i = 0; i != tensor.shape.getRowSize(); ++i, ++index)
      tensor.set(offset + i * stride,
                 getValue(options, tensor.type, getEntry(seed, index)));
  });
}

template <typename T>
static void fillRows(HostTensor &tensor, const std::vector<uint8_t> &table,
                     uint64_t seed) {
  std::vector<int64_t> rows;
  tensor.shape.forEachRow([&](int64_t offset) { rows.push_back(offset); });
  int64_t size = tensor.shape.getRowSize();
  int64_t stride = tensor.shape.getRowStride();
  // Chunks of rows: a row may be one element long.
  int64_t chunk = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, size));
  int64_t numRows = rows.size();
  parallelFor((numRows + chunk - 1) / chunk, [&](int64_t c) {
    for (int64_t r = c * chunk; r < std::min(numRows, (c + 1) * chunk); ++r) {
      uint8_t *row = tensor.bytes.data() + rows[r] * sizeof(T);
      uint64_t bits = 0;
      for (int64_t i = 0; i != size; ++i) {
        uint64_t index = static_cast<uint64_t>(r) * size + i;
        if (i == 0 || index % 4 == 0)
          bits = mixSeed(seed, index / 4);
        uint64_t entry = bits >> (index % 4 * 16) & 0xffff;
        std::memcpy(row + i * stride * sizeof(T),
                    table.data() + entry * sizeof(T), sizeof(T));
      }
    }
  });
}

static llvm::Error fillFromFile(HostTensor &tensor, StringRef path) {
  llvm::Expected<HostTensor> file = readNpy(path, tensor.type);
  if (!file)
    return file.takeError();
  if (file->shape.sizes != tensor.shape.sizes) {
    auto print = [](llvm::ArrayRef<int64_t> sizes) {
      std::string text = "(";
      for (size_t i = 0; i != sizes.size(); ++i)
        text += (i ? ", " : "") + std::to_string(sizes[i]);
      return text + ")";
    };
    return llvm::createStringError("'" + path + "' has shape " +
                                   print(file->shape.sizes) + ", not " +
                                   print(tensor.shape.sizes));
  }
  int64_t next = 0, size = tensor.shape.getRowSize();
  unsigned bytes = getByteSize(tensor.type);
  int64_t stride = tensor.shape.getRowStride();
  bool isPacked = getPackedElements(tensor.type) > 1;
  tensor.shape.forEachRow([&](int64_t offset) {
    for (int64_t i = 0; i != size; ++i)
      if (isPacked)
        tensor.set(offset + i * stride, file->get(next + i));
      else
        std::memcpy(tensor.bytes.data() + (offset + i * stride) * bytes,
                    file->bytes.data() + (next + i) * bytes, bytes);
    next += size;
  });
  return llvm::Error::success();
}

static llvm::Error fillFromValues(HostTensor &tensor,
                                  llvm::ArrayRef<int64_t> values) {
  int64_t next = 0, count = tensor.shape.getNumElements();
  if (count != static_cast<int64_t>(values.size()))
    return llvm::createStringError("has " + llvm::Twine(count) +
                                   " elements, but " +
                                   llvm::Twine(values.size()) + " are given");
  tensor.shape.forEachRun([&](int64_t offset, int64_t length) {
    for (int64_t i = offset; i != offset + length; ++i)
      storeElement(tensor.type, static_cast<double>(values[next++]),
                   tensor.bytes.data(), i);
  });
  return llvm::Error::success();
}

llvm::Error tcgemm::fillTensor(HostTensor &tensor, const FillOptions &options,
                               uint64_t seed) {
  if (options.kind == FillOptions::File)
    return fillFromFile(tensor, options.path);
  if (options.kind == FillOptions::Values)
    return fillFromValues(tensor, options.values);
  if (getPackedElements(tensor.type) > 1) {
    fillPacked(tensor, options, seed);
    return llvm::Error::success();
  }
  unsigned size = getByteSize(tensor.type);
  std::vector<uint8_t> table(65536UL * size);
  parallelFor(64, [&](int64_t part) {
    for (unsigned i = part * 1024; i != (part + 1) * 1024; ++i)
      storeElement(tensor.type, getValue(options, tensor.type, i),
                   table.data() + i * size);
  });
  switch (size) {
  case 1:
    fillRows<uint8_t>(tensor, table, seed);
    break;
  case 2:
    fillRows<uint16_t>(tensor, table, seed);
    break;
  case 4:
    fillRows<uint32_t>(tensor, table, seed);
    break;
  default:
    fillRows<uint64_t>(tensor, table, seed);
    break;
  }
  return llvm::Error::success();
}
