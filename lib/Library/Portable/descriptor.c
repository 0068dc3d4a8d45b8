/*===- descriptor.c - Checks of descriptors and their slots -------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "descriptor.h"
#include "program.h"

#include <inttypes.h>
#include <string.h>

const char *const tcgemmSlotNames[TCGEMM_NUM_SLOTS] = {"A",
                                                       "B",
                                                       "C",
                                                       "D",
                                                       "epilogue[0]",
                                                       "epilogue[1]",
                                                       "epilogue[2]",
                                                       "epilogue[3]",
                                                       "epilogue[4]",
                                                       "epilogue[5]",
                                                       "epilogue[6]",
                                                       "epilogue[7]",
                                                       "offsets",
                                                       "B2",
                                                       "scaleA",
                                                       "scaleB",
                                                       "zeroPoints",
                                                       "reductions[0]",
                                                       "reductions[1]",
                                                       "reductions[2]",
                                                       "reductions[3]",
                                                       "reductions[4]",
                                                       "reductions[5]",
                                                       "reductions[6]",
                                                       "reductions[7]",
                                                       "alpha",
                                                       "beta"};

/* Elements between rows. With 2^31 rows, every offset in bytes is less than
   2^63. */
#define MAX_LEADING_DIMENSION ((int64_t)1 << 28)
#define MAX_ALIGNMENT 256

uint32_t tcgemmGetTypeBytes(tcgemmType type) {
  switch (type) {
  case TCGEMM_F16:
  case TCGEMM_BF16:
    return 2;
  case TCGEMM_F32:
  case TCGEMM_S32:
    return 4;
  case TCGEMM_F64:
    return 8;
  case TCGEMM_E4M3:
  case TCGEMM_E5M2:
  case TCGEMM_S8:
  case TCGEMM_U8:
  case TCGEMM_S4:
  case TCGEMM_U4:
  case TCGEMM_S4_INTERLEAVED:
  case TCGEMM_U4_INTERLEAVED:
    return 1;
  case TCGEMM_NO_TYPE:
    break;
  }
  return 0;
}

static int isInterleaved(tcgemmType type) {
  return type == TCGEMM_S4_INTERLEAVED || type == TCGEMM_U4_INTERLEAVED;
}

unsigned tcgemmGetPackedElements(tcgemmType type) {
  return type == TCGEMM_S4 || type == TCGEMM_U4 || isInterleaved(type) ? 2 : 1;
}

tcgemmStatus tcgemmCheckRange(const char *name, int64_t value, int64_t least,
                              int64_t most) {
  if (value >= least && value <= most)
    return TCGEMM_SUCCESS;
  return tcgemmFail(TCGEMM_INVALID_VALUE,
                    "%s is %" PRId64 ", but it must be %" PRId64 " to %" PRId64,
                    name, value, least, most);
}

static tcgemmStatus checkType(const char *name, tcgemmType type) {
  if (tcgemmGetTypeBytes(type))
    return TCGEMM_SUCCESS;
  return tcgemmFail(TCGEMM_INVALID_VALUE, "%s is %d, which is no tcgemmType",
                    name, (int)type);
}

static tcgemmStatus checkScaling(const tcgemmMatmulDesc *desc) {
  tcgemmStatus status = tcgemmCheckRange("scaling", (int)desc->scaling,
                                         TCGEMM_UNSCALED, TCGEMM_ALPHA_BETA);
  if (!status)
    status = tcgemmCheckRange("pointerMode", (int)desc->pointerMode,
                              TCGEMM_POINTER_HOST, TCGEMM_POINTER_DEVICE);
  if (status)
    return status;
  if (desc->pointerMode == TCGEMM_POINTER_DEVICE) {
    if (desc->scaling == TCGEMM_UNSCALED)
      return tcgemmFail(TCGEMM_INVALID_VALUE,
                        "pointerMode is TCGEMM_POINTER_DEVICE, but scaling is "
                        "TCGEMM_UNSCALED");
    if (desc->alpha != 1 || desc->beta != 0)
      return tcgemmFail(
          TCGEMM_INVALID_VALUE,
          "pointerMode is TCGEMM_POINTER_DEVICE, so that alpha must be 1 and "
          "beta 0: tcgemmOperands has their addresses");
  }
  if (desc->scaling == TCGEMM_UNSCALED && desc->alpha != 1)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "alpha is not 1, but scaling is TCGEMM_UNSCALED");
  if (desc->scaling != TCGEMM_ALPHA_BETA && desc->beta != 0)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "beta is not 0, but scaling is not TCGEMM_ALPHA_BETA");
  return TCGEMM_SUCCESS;
}

static tcgemmStatus checkAlignment(uint32_t alignment) {
  if (alignment && !(alignment & (alignment - 1)) && alignment <= MAX_ALIGNMENT)
    return TCGEMM_SUCCESS;
  return tcgemmFail(TCGEMM_INVALID_VALUE,
                    "alignment is %" PRIu32
                    ", but it must be a power of two from 1 to %d",
                    alignment, MAX_ALIGNMENT);
}

tcgemmStatus tcgemmCheckDesc(const tcgemmMatmulDesc *desc) {
  tcgemmStatus status = checkType("typeA", desc->typeA);
  if (!status)
    status = checkType("typeB", desc->typeB);
  if (!status)
    status = checkType("typeD", desc->typeD);
  if (!status)
    status = tcgemmCheckRange("m", desc->m, 0, TCGEMM_MAX_SIZE);
  if (!status)
    status = tcgemmCheckRange("n", desc->n, 0, TCGEMM_MAX_SIZE);
  if (!status)
    status = tcgemmCheckRange("k", desc->k, 0, TCGEMM_MAX_SIZE);
  if (!status)
    status = tcgemmCheckRange("batch", desc->batch, 0, TCGEMM_MAX_SIZE);
  if (!status)
    status = checkScaling(desc);
  if (!status)
    status = tcgemmCheckRange("transA", (int)desc->transA, TCGEMM_N, TCGEMM_T);
  if (!status)
    status = tcgemmCheckRange("transB", (int)desc->transB, TCGEMM_N, TCGEMM_T);
  if (!status)
    status = checkAlignment(desc->alignment);
  if (!status)
    status = tcgemmCheckRange("dependentLaunch", desc->dependentLaunch, 0, 1);
  if (!status)
    status = tcgemmCheckRange("hasBlockScalesA", desc->hasBlockScalesA, 0, 1);
  if (!status)
    status = tcgemmCheckRange("hasBlockScalesB", desc->hasBlockScalesB, 0, 1);
  return status;
}

int tcgemmIsEmpty(const tcgemmMatmulDesc *desc) {
  return desc->m == 0 || desc->n == 0 || desc->batch == 0;
}

int tcgemmIsDual(const tcgemmMatmulDesc *desc) {
  return strcmp(desc->dual, "none") != 0;
}

/* The layout of slots */

static struct tcgemmSlot *addSlot(struct tcgemmSlots *result, unsigned slot,
                                  tcgemmType type) {
  struct tcgemmSlot *added = &result->slots[result->count++];
  for (int i = 0; i != TCGEMM_NUM_DIMS; ++i)
    added->strides[i] = 0;
  added->slot = slot;
  added->type = type;
  added->alignment = tcgemmGetTypeBytes(type);
  return added;
}

/* The names of a matrix's fields, and its dimensions. */
struct Matrix {
  const char *name, *ldName, *strideName;
  tcgemmType type;
  int64_t ld, stride;
  int isTransposed, isWritten;
  int rows, columns; /* Dimensions, without the transposition. */
};

static int64_t getSize(const tcgemmMatmulDesc *desc, int dim) {
  return dim == TCGEMM_DIM_M   ? desc->m
         : dim == TCGEMM_DIM_N ? desc->n
                               : desc->k;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

tcgemmStatus tcgemmCheckLeading(const char *name, int64_t value,
                                int64_t elements) {
  return tcgemmCheckRange(name, value, larger(elements, 1),
                          larger(elements, MAX_LEADING_DIMENSION));
}

/* Elements that share a byte are neighbours along k. */
static tcgemmStatus checkPacked(const struct Matrix *matrix, int inner,
                                int64_t columns) {
  int64_t packed = tcgemmGetPackedElements(matrix->type);
  if (packed == 1)
    return TCGEMM_SUCCESS;
  if (inner != TCGEMM_DIM_K)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "trans%s is %s, but k must be innermost in %s, whose "
                      "elements of 4 bits share bytes along it",
                      matrix->name,
                      matrix->isTransposed ? "TCGEMM_T" : "TCGEMM_N",
                      matrix->name);
  if (isInterleaved(matrix->type) && columns % TCGEMM_INTERLEAVED_DEPTH)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "k is %" PRId64 ", but it must be a multiple of %d: so "
                      "many elements of %s are interleaved along k",
                      columns, TCGEMM_INTERLEAVED_DEPTH, matrix->name);
  if (columns % packed)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "k is %" PRId64 ", but it must be even: elements of %s "
                      "have 4 bits, and share bytes along k",
                      columns, matrix->name);
  return TCGEMM_SUCCESS;
}

static tcgemmStatus addMatrix(const tcgemmMatmulDesc *desc,
                              const struct Matrix *matrix, unsigned slot,
                              struct tcgemmSlots *result) {
  int outer = matrix->isTransposed ? matrix->columns : matrix->rows;
  int inner = matrix->isTransposed ? matrix->rows : matrix->columns;
  int64_t rows = getSize(desc, outer), columns = getSize(desc, inner);
  int64_t ld = matrix->ld, stride = matrix->stride;
  tcgemmStatus status = checkPacked(matrix, inner, columns);
  if (status)
    return status;
  /* Distances in memory count bytes where elements share them. */
  int64_t packed = tcgemmGetPackedElements(matrix->type);
  columns /= packed;
  if (ld == TCGEMM_DENSE)
    ld = larger(columns, 1);
  else
    status = tcgemmCheckLeading(matrix->ldName, ld, columns);
  if (status)
    return status;
  if (stride == TCGEMM_DENSE)
    stride = rows * ld;
  int64_t least = matrix->isWritten && desc->batch > 1 ? rows * ld : 0;
  status =
      tcgemmCheckRange(matrix->strideName, stride,
                       smaller(least, TCGEMM_MAX_STRIDE), TCGEMM_MAX_STRIDE);
  if (status)
    return status;
  struct tcgemmSlot *added = addSlot(result, slot, matrix->type);
  added->strides[outer] = ld * packed;
  added->strides[inner] = 1;
  added->strides[TCGEMM_DIM_BATCH] = stride * packed;
  added->alignment = (uint32_t)larger(added->alignment, desc->alignment);
  return TCGEMM_SUCCESS;
}

static tcgemmStatus addResult(const tcgemmMatmulDesc *desc, unsigned slot,
                              struct tcgemmSlots *result) {
  int isC = slot == TCGEMM_SLOT_C;
  struct Matrix matrix = {isC ? "C" : "D",
                          isC ? "ldc" : "ldd",
                          isC ? "strideC" : "strideD",
                          desc->typeD,
                          isC ? desc->ldc : desc->ldd,
                          isC ? desc->strideC : desc->strideD,
                          0,
                          1,
                          TCGEMM_DIM_M,
                          TCGEMM_DIM_N};
  return addMatrix(desc, &matrix, slot, result);
}

/* Adds an operand that is no matrix. */
static void addVector(const tcgemmMatmulDesc *desc, unsigned slot,
                      tcgemmOperandShape shape, tcgemmType sums,
                      struct tcgemmSlots *result) {
  int isAlongN = shape == TCGEMM_OPERAND_ALONG_N ||
                 shape == TCGEMM_OPERAND_OUT_ALONG_N ||
                 shape == TCGEMM_OPERAND_GROUPS_ALONG_N;
  int isAlongM =
      shape == TCGEMM_OPERAND_ALONG_M || shape == TCGEMM_OPERAND_OUT_ALONG_M;
  int hasTypeOfD = shape == TCGEMM_OPERAND_OUT_ALONG_N ||
                   shape == TCGEMM_OPERAND_OUT_ALONG_M;
  struct tcgemmSlot *added =
      addSlot(result, slot, hasTypeOfD ? desc->typeD : sums);
  added->alignment = (uint32_t)larger(added->alignment, desc->alignment);
  if (isAlongN)
    added->strides[TCGEMM_DIM_N] = 1;
  if (isAlongM)
    added->strides[TCGEMM_DIM_M] = 1;
  if (shape == TCGEMM_OPERAND_GROUPS_NUMBER)
    added->strides[TCGEMM_DIM_BATCH] = 1;
  if (shape == TCGEMM_OPERAND_GROUPS_ALONG_N)
    added->strides[TCGEMM_DIM_BATCH] = larger(desc->n, 1);
}

static tcgemmStatus addEpilogue(const tcgemmMatmulDesc *desc,
                                const tcgemmOperandShape *shapes,
                                unsigned count, tcgemmType sums,
                                struct tcgemmSlots *result) {
  if (count > TCGEMM_MAX_EPILOGUE_OPERANDS)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "the epilogue reads more than %d operands",
                      TCGEMM_MAX_EPILOGUE_OPERANDS);
  for (unsigned i = 0; i != count; ++i) {
    unsigned slot = TCGEMM_SLOT_EPILOGUE + i;
    if (shapes[i] == TCGEMM_OPERAND_MATRIX) {
      tcgemmStatus status = addResult(desc, slot, result);
      if (status)
        return status;
      continue;
    }
    addVector(desc, slot, shapes[i], sums, result);
  }
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmLayOut(const tcgemmMatmulDesc *desc,
                          const tcgemmOperandShape *shapes, unsigned count,
                          tcgemmType sums, struct tcgemmSlots *result) {
  struct Matrix a = {"A",
                     "lda",
                     "strideA",
                     desc->typeA,
                     desc->lda,
                     desc->strideA,
                     desc->transA == TCGEMM_T,
                     0,
                     TCGEMM_DIM_M,
                     TCGEMM_DIM_K};
  struct Matrix b = {"B",
                     "ldb",
                     "strideB",
                     desc->typeB,
                     desc->ldb,
                     desc->strideB,
                     desc->transB == TCGEMM_T,
                     0,
                     TCGEMM_DIM_K,
                     TCGEMM_DIM_N};
  result->count = 0;
  tcgemmStatus status = addMatrix(desc, &a, TCGEMM_SLOT_A, result);
  if (!status)
    status = addMatrix(desc, &b, TCGEMM_SLOT_B, result);
  if (!status && tcgemmIsDual(desc))
    status = addMatrix(desc, &b, TCGEMM_SLOT_B2, result);
  if (!status && desc->scaling == TCGEMM_ALPHA_BETA)
    status = addResult(desc, TCGEMM_SLOT_C, result);
  if (!status)
    status = addEpilogue(desc, shapes, count, sums, result);
  if (status)
    return status;
  /* Alpha and beta may be anywhere. */
  if (desc->scaling != TCGEMM_UNSCALED)
    addSlot(result, TCGEMM_SLOT_ALPHA, sums);
  if (desc->scaling == TCGEMM_ALPHA_BETA)
    addSlot(result, TCGEMM_SLOT_BETA, sums);
  return addResult(desc, TCGEMM_SLOT_D, result);
}
