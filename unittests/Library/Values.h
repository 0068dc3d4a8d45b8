//===- Values.h - Elements of operands in tests -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small integers and powers of two, so that sums of f32 are exact.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_LIBRARY_VALUES_H
#define TCGEMM_UNITTESTS_LIBRARY_VALUES_H

#include "tcgemm/Runtime/HostTensor.h"

#include <cmath>
#include <vector>

namespace tcgemm {

using Values = std::vector<double>;

/// The bytes of elements, dense and of whole bytes.
inline std::vector<uint8_t> store(ScalarType type, const Values &values) {
  std::vector<uint8_t> bytes(values.size() * getByteSize(type));
  for (size_t i = 0; i != values.size(); ++i)
    storeElement(type, values[i], bytes.data() + i * getByteSize(type));
  return bytes;
}

inline Values load(ScalarType type, const std::vector<uint8_t> &bytes) {
  Values values(bytes.size() / getByteSize(type));
  for (size_t i = 0; i != values.size(); ++i)
    values[i] = loadElement(type, bytes.data() + i * getByteSize(type));
  return values;
}

inline Values draw(size_t count, int seed, int least, int most) {
  Values values(count);
  for (size_t i = 0; i != count; ++i)
    values[i] =
        least + static_cast<int>((i * 7 + i / 5 + seed) % (most - least + 1));
  return values;
}

/// A power of two for each scale.
inline Values drawScales(size_t count, int seed) {
  Values values = draw(count, seed, -1, 1);
  for (double &value : values)
    value = std::ldexp(1, static_cast<int>(value));
  return values;
}

/// The bytes of elements of 4 bits, of which two share a byte. Each row of
/// `columns` elements has a gap of so many bytes behind it.
inline std::vector<uint8_t> packPairs(const Values &values, int64_t columns,
                                      int64_t gap = 0) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i != values.size(); i += 2) {
    bytes.push_back((static_cast<int>(values[i]) & 15) |
                    ((static_cast<int>(values[i + 1]) & 15) << 4));
    if ((static_cast<int64_t>(i) + 2) % columns == 0)
      bytes.insert(bytes.end(), gap, 0xff);
  }
  return bytes;
}

/// Bytes of zero points, which may be unsigned.
inline std::vector<uint8_t> storeBytes(const Values &values) {
  std::vector<uint8_t> bytes;
  for (double value : values)
    bytes.push_back(static_cast<uint8_t>(static_cast<int>(value)));
  return bytes;
}

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_LIBRARY_VALUES_H
