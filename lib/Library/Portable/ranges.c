/*===- ranges.c - Memory that operands share ----------------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "program.h"

void tcgemmMeasure(const struct tcgemmTensor *tensor,
                   struct tcgemmRange *range) {
  int64_t extent = 1, elements = 1, bits = 0;
  int isBroken = 0;
  range->bytes = 0;
  range->isDense = 0;
  for (unsigned i = 0; i != tensor->rank; ++i) {
    int64_t size = tensor->sizes[i], stride = tensor->strides[i], step;
    if (size == 0)
      return;
    isBroken |= __builtin_mul_overflow(size - 1, stride, &step) ||
                __builtin_add_overflow(extent, step, &extent);
    /* A stride of 0 has one element for all indices. */
    if (stride)
      isBroken |= __builtin_mul_overflow(elements, size, &elements);
  }
  isBroken |= __builtin_mul_overflow(extent, (int64_t)tensor->bits, &bits);
  range->bytes = isBroken ? (uint64_t)INT64_MAX : ((uint64_t)bits + 7) / 8;
  range->isDense = !isBroken && extent == elements;
}

int tcgemmHasSamePlaces(const struct tcgemmTensor *a,
                        const struct tcgemmTensor *b) {
  if (a->rank != b->rank || a->bits != b->bits)
    return 0;
  for (unsigned i = 0; i != a->rank; ++i)
    if (a->sizes[i] != b->sizes[i] ||
        (a->sizes[i] > 1 && a->strides[i] != b->strides[i]))
      return 0;
  return 1;
}

/* Returns whether a dense range has the first or the last byte of another. */
static int hasEnd(const struct tcgemmRange *range, uint64_t address,
                  const struct tcgemmRange *other, uint64_t ofOther) {
  return range->isDense &&
         (ofOther - address < range->bytes ||
          ofOther + other->bytes - 1 - address < range->bytes);
}

int tcgemmShareMemory(const struct tcgemmRange *a, uint64_t addressA,
                      const struct tcgemmRange *b, uint64_t addressB) {
  return a->bytes && b->bytes &&
         (addressA == addressB || hasEnd(a, addressA, b, addressB) ||
          hasEnd(b, addressB, a, addressA));
}

int tcgemmAreInConflict(const struct tcgemmRange *a, uint64_t addressA,
                        const struct tcgemmRange *b, uint64_t addressB) {
  if (!a->isWritten && !b->isWritten)
    return 0;
  if (addressA == addressB &&
      (a->inPlaceOf == b->slot || b->inPlaceOf == a->slot))
    return 0;
  return tcgemmShareMemory(a, addressA, b, addressB);
}
