/*===- descriptor.h - Checks of descriptors and their slots -------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_PORTABLE_DESCRIPTOR_H
#define TCGEMM_PORTABLE_DESCRIPTOR_H

#include "tcgemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An argument of a run. */
enum {
  TCGEMM_SLOT_A,
  TCGEMM_SLOT_B,
  TCGEMM_SLOT_C,
  TCGEMM_SLOT_D,
  TCGEMM_SLOT_EPILOGUE, /* The first of TCGEMM_MAX_EPILOGUE_OPERANDS. */
  TCGEMM_SLOT_OFFSETS = TCGEMM_SLOT_EPILOGUE + TCGEMM_MAX_EPILOGUE_OPERANDS,
  TCGEMM_SLOT_B2,
  TCGEMM_SLOT_SCALE_A,
  TCGEMM_SLOT_SCALE_B,
  TCGEMM_SLOT_ZERO_POINTS,
  TCGEMM_SLOT_REDUCTION, /* The first of TCGEMM_MAX_REDUCTIONS. */
  TCGEMM_SLOT_ALPHA =
      TCGEMM_SLOT_REDUCTION +
      TCGEMM_MAX_REDUCTIONS, /* It and the following one have scalars. */
  TCGEMM_SLOT_BETA,
  TCGEMM_NUM_SLOTS
};
extern const char *const tcgemmSlotNames[TCGEMM_NUM_SLOTS];

/* The scalars of a run. */
enum { TCGEMM_SCALAR_ALPHA, TCGEMM_SCALAR_BETA, TCGEMM_NUM_SCALARS };

/* The dimensions of a product. */
enum {
  TCGEMM_DIM_M,
  TCGEMM_DIM_N,
  TCGEMM_DIM_K,
  TCGEMM_DIM_BATCH,
  TCGEMM_NUM_DIMS
};

/* Elements along a dimension at the most. */
#define TCGEMM_MAX_SIZE (((int64_t)1 << 31) - 1)

/* Elements between neighbours at the most. With sizes of 2^31, every offset in
   bytes is less than 2^63 along a dimension. */
#define TCGEMM_MAX_STRIDE ((int64_t)1 << 56)

/* An operand of a part of an epilogue. */
typedef enum tcgemmOperandShape {
  TCGEMM_OPERAND_NUMBER,
  TCGEMM_OPERAND_ALONG_N,
  TCGEMM_OPERAND_ALONG_M,
  TCGEMM_OPERAND_OUT_ALONG_N, /* Vectors of D's type; others are of the sums'.
                               */
  TCGEMM_OPERAND_OUT_ALONG_M,
  TCGEMM_OPERAND_MATRIX,        /* As D. */
  TCGEMM_OPERAND_GROUPS_NUMBER, /* One for each group, of the sums' type. */
  TCGEMM_OPERAND_GROUPS_ALONG_N
} tcgemmOperandShape;

/* A matrix, a vector or a number that a product reads or writes. */
struct tcgemmSlot {
  unsigned slot;
  tcgemmType type; /* The type of its elements in memory. */
  /* Elements between neighbours along each dimension; 0 where it has none. */
  int64_t strides[TCGEMM_NUM_DIMS];
  /* The power of two that divides the address: the descriptor's, or the size of
     an element if that is larger. */
  uint32_t alignment;
};

/* The arguments of a product in the order of its generated function: A, B, B2
   of a dual product, the offsets of groups, scales and zero points, C with
   TCGEMM_ALPHA_BETA, the epilogue's, alpha and beta as the scaling has them, D,
   reductions. tcgemmLayOut adds neither scales nor reductions, which generated
   libraries do not have. */
struct tcgemmSlots {
  struct tcgemmSlot slots[TCGEMM_NUM_SLOTS];
  unsigned count;
};

/* Checks each field by itself, except for the leading dimensions, the strides
   and the strings. Errors: TCGEMM_INVALID_VALUE with the field's value and its
   rule. */
tcgemmStatus tcgemmCheckDesc(const tcgemmMatmulDesc *desc);

/* Checks the leading dimensions and strides of a checked descriptor, and lays
   out the arguments. `shapes` are the `count` operands of the epilogue, and
   `sums` the type of the sums. */
tcgemmStatus tcgemmLayOut(const tcgemmMatmulDesc *desc,
                          const tcgemmOperandShape *shapes, unsigned count,
                          tcgemmType sums, struct tcgemmSlots *result);

/* Bytes of an element, or of the elements that share a byte; 0 for a number
   that is no tcgemmType. */
uint32_t tcgemmGetTypeBytes(tcgemmType type);
/* The number of neighbours along k that are interleaved. */
#define TCGEMM_INTERLEAVED_DEPTH 32
/* The elements that share a byte; 1 for types of one byte or more. */
unsigned tcgemmGetPackedElements(tcgemmType type);

/* Checks that a value is in a range. Errors: TCGEMM_INVALID_VALUE with the
   value and the range. */
tcgemmStatus tcgemmCheckRange(const char *name, int64_t value, int64_t least,
                              int64_t most);

/* Checks a leading dimension of rows with so many elements, as
   tcgemmCheckRange does. */
tcgemmStatus tcgemmCheckLeading(const char *name, int64_t value,
                                int64_t elements);

/* Returns whether D has no elements. */
int tcgemmIsEmpty(const tcgemmMatmulDesc *desc);

/* Returns whether the product has a second B. */
int tcgemmIsDual(const tcgemmMatmulDesc *desc);

/* The defaults of tcgemmMatmulDescInit and its like. */
void tcgemmSetDescDefaults(tcgemmMatmulDesc *desc);
void tcgemmSetContractionDefaults(tcgemmContractionDesc *desc);
void tcgemmSetGroupedDefaults(tcgemmGroupedDesc *desc);
void tcgemmSetOperandDefaults(tcgemmOperands *operands);
/* Copies a caller's structure, which may be an older one with fewer fields.
   Errors: a structSize that no version has (TCGEMM_INVALID_VALUE). */
tcgemmStatus tcgemmCopyDesc(const tcgemmMatmulDesc *from, tcgemmMatmulDesc *to);
tcgemmStatus tcgemmCopyContraction(const tcgemmContractionDesc *from,
                                   tcgemmContractionDesc *to);
tcgemmStatus tcgemmCopyGrouped(const tcgemmGroupedDesc *from,
                               tcgemmGroupedDesc *to);
tcgemmStatus tcgemmCopyOperands(const tcgemmOperands *from, tcgemmOperands *to);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TCGEMM_PORTABLE_DESCRIPTOR_H */
