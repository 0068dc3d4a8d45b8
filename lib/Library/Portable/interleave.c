/*===- interleave.c - The order of interleaved elements -----------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "descriptor.h"
#include "program.h"

#include <inttypes.h>
#include <string.h>

#define BLOCK_BYTES (TCGEMM_INTERLEAVED_DEPTH / 2)

static unsigned getElement(const uint8_t *block, unsigned number) {
  return block[number / 2] >> (number % 2 * 4) & 15;
}

/* A block is read before it is written, so that both may be the same. */
static void interleaveBlock(const uint8_t *from, uint8_t *to) {
  uint8_t block[BLOCK_BYTES] = {0};
  for (unsigned k = 0; k != TCGEMM_INTERLEAVED_DEPTH; ++k) {
    unsigned pair = k / 8, lane = k / 2 % 4, half = k % 2;
    unsigned place = 8 * lane + 4 * half + pair;
    block[place / 2] |= (uint8_t)(getElement(from, k) << (place % 2 * 4));
  }
  memcpy(to, block, BLOCK_BYTES);
}

tcgemmStatus tcgemmInterleave(int64_t rows, int64_t k, const void *from,
                              int64_t ldFrom, void *to, int64_t ldTo) {
  tcgemmStatus status = tcgemmCheckRange("rows", rows, 0, TCGEMM_MAX_SIZE);
  if (!status)
    status = tcgemmCheckRange("k", k, 0, TCGEMM_MAX_SIZE);
  if (status)
    return status;
  if (k % TCGEMM_INTERLEAVED_DEPTH)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "k is %" PRId64 ", but it must be a multiple of %d", k,
                      TCGEMM_INTERLEAVED_DEPTH);
  int64_t rowBytes = k / 2;
  if (ldFrom == TCGEMM_DENSE)
    ldFrom = rowBytes;
  else
    status = tcgemmCheckLeading("ldFrom", ldFrom, rowBytes);
  if (ldTo == TCGEMM_DENSE)
    ldTo = rowBytes;
  else if (!status)
    status = tcgemmCheckLeading("ldTo", ldTo, rowBytes);
  if (status || rows == 0 || k == 0)
    return status;
  if (!from || !to)
    return tcgemmFail(TCGEMM_INVALID_VALUE, "the address of %s is null",
                      from ? "to" : "from");
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t byte = 0; byte != rowBytes; byte += BLOCK_BYTES)
      interleaveBlock((const uint8_t *)from + row * ldFrom + byte,
                      (uint8_t *)to + row * ldTo + byte);
  return TCGEMM_SUCCESS;
}
