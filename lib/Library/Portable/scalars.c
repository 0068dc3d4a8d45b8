/*===- scalars.c - Scalars as arguments of kernels ----------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "program.h"

#include <string.h>

/* Rounds to the nearest f16, and to even between two. */
static uint16_t toHalf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
  int exponent = (int)(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
  if (exponent == 0x7ff)
    return (uint16_t)(sign | 0x7c00 | (fraction ? 0x200 : 0));
  /* The value is significand * 2^(exponent - 1075). The last bit of a half is
     2^-24 or more. */
  uint64_t significand = fraction | (exponent ? (uint64_t)1 << 52 : 0);
  int shift = 1075 - 24 - exponent;
  if (shift < 42)
    shift = 42; /* 11 bits of the 53 remain. */
  if (shift > 54)
    return sign;
  uint64_t half = significand >> shift;
  uint64_t rest = significand & (((uint64_t)1 << shift) - 1);
  uint64_t middle = (uint64_t)1 << (shift - 1);
  half += rest > middle || (rest == middle && (half & 1));
  /* The leading bit of a normal number adds 1 to the exponent, and so does a
     carry. */
  int biased = exponent - 1023 + 15;
  if (biased > 30)
    return (uint16_t)(sign | 0x7c00);
  if (biased > 0)
    half += (uint64_t)(biased - 1) << 10;
  return (uint16_t)(sign | (half > 0x7c00 ? 0x7c00 : half));
}

void tcgemmStoreScalar(tcgemmType type, double value, void *target) {
  if (type == TCGEMM_F64) {
    memcpy(target, &value, sizeof value);
  } else if (type == TCGEMM_F16) {
    uint16_t half = toHalf(value);
    memcpy(target, &half, sizeof half);
  } else {
    float single = (float)value;
    memcpy(target, &single, sizeof single);
  }
}
