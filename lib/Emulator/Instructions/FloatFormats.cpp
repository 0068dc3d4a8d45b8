//===- FloatFormats.cpp - Narrow floating-point formats -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatFormats.h"

namespace tcgemm::emu {

#if defined(__x86_64__)
#define TCGEMM_CLONES                                                          \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TCGEMM_CLONES
#endif

TCGEMM_CLONES void halvesToFloats(const uint16_t *from, float *to,
                                  size_t count) {
  for (size_t i = 0; i != count; ++i)
    to[i] = halfToFloat(from[i]);
}

TCGEMM_CLONES void bfloatsToFloats(const uint16_t *from, float *to,
                                   size_t count) {
  for (size_t i = 0; i != count; ++i)
    to[i] = bfloatToFloat(from[i]);
}

TCGEMM_CLONES void floatsToHalves(const float *from, uint16_t *to,
                                  size_t count) {
  for (size_t i = 0; i != count; ++i)
    to[i] = floatToHalf(from[i]);
}

TCGEMM_CLONES void floatsToBFloats(const float *from, uint16_t *to,
                                   size_t count) {
  for (size_t i = 0; i != count; ++i)
    to[i] = floatToBFloat(from[i]);
}

} // namespace tcgemm::emu
