/*===- structures.c - Structures of callers, and column-major calls -*- C
-*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "descriptor.h"
#include "program.h"

#include <stddef.h>
#include <string.h>

void tcgemmSetDescDefaults(tcgemmMatmulDesc *desc) {
  memset(desc, 0, sizeof *desc);
  desc->structSize = sizeof *desc;
  desc->typeA = desc->typeB = desc->typeD = TCGEMM_BF16;
  desc->batch = 1;
  desc->lda = desc->ldb = desc->ldc = desc->ldd = TCGEMM_DENSE;
  desc->strideA = desc->strideB = TCGEMM_DENSE;
  desc->strideC = desc->strideD = TCGEMM_DENSE;
  desc->alpha = 1;
  desc->precision = "ieee";
  desc->epilogue = "none";
  desc->alignment = 16;
  desc->dual = "none";
}

void tcgemmSetContractionDefaults(tcgemmContractionDesc *desc) {
  memset(desc, 0, sizeof *desc);
  desc->structSize = sizeof *desc;
  desc->typeA = desc->typeB = desc->typeD = TCGEMM_BF16;
  for (int i = 0; i != TCGEMM_MAX_INDICES; ++i) {
    desc->stridesA[i] = desc->stridesB[i] = TCGEMM_DENSE;
    desc->stridesC[i] = desc->stridesD[i] = TCGEMM_DENSE;
  }
  desc->alpha = 1;
  desc->precision = "ieee";
  desc->epilogue = "none";
  desc->alignment = 16;
}

void tcgemmSetGroupedDefaults(tcgemmGroupedDesc *desc) {
  memset(desc, 0, sizeof *desc);
  desc->structSize = sizeof *desc;
  desc->typeA = desc->typeB = desc->typeD = TCGEMM_BF16;
  desc->lda = desc->ldb = desc->ldd = desc->strideB = TCGEMM_DENSE;
  desc->alignment = 16;
}

void tcgemmSetOperandDefaults(tcgemmOperands *operands) {
  memset(operands, 0, sizeof *operands);
  operands->structSize = sizeof *operands;
  operands->alpha = 1;
}

/* `first` is the size of the first version of the structure. */
static tcgemmStatus checkSize(size_t size, size_t first, size_t whole) {
  if (size >= first && size <= whole)
    return TCGEMM_SUCCESS;
  return tcgemmFail(TCGEMM_INVALID_VALUE,
                    "structSize is %zu, but it must be %zu: the structure is "
                    "not initialised, or of a newer tcgemm.h than the library",
                    size, whole);
}

static tcgemmStatus checkDescSize(size_t size) {
  return checkSize(size, offsetof(tcgemmMatmulDesc, pointerMode),
                   sizeof(tcgemmMatmulDesc));
}

static tcgemmStatus checkOperandsSize(size_t size) {
  return checkSize(size, offsetof(tcgemmOperands, alphaPointer),
                   sizeof(tcgemmOperands));
}

tcgemmStatus tcgemmCopyDesc(const tcgemmMatmulDesc *from,
                            tcgemmMatmulDesc *to) {
  tcgemmStatus status = checkDescSize(from->structSize);
  if (status)
    return status;
  tcgemmSetDescDefaults(to);
  memcpy(to, from, from->structSize);
  to->structSize = sizeof *to;
  if (!to->precision)
    to->precision = "ieee";
  if (!to->epilogue)
    to->epilogue = "none";
  if (!to->dual)
    to->dual = "none";
  return TCGEMM_SUCCESS;
}

/* The first versions have all fields. */
static tcgemmStatus checkContractionSize(size_t size) {
  return checkSize(size, sizeof(tcgemmContractionDesc),
                   sizeof(tcgemmContractionDesc));
}

static tcgemmStatus checkGroupedSize(size_t size) {
  return checkSize(size, sizeof(tcgemmGroupedDesc), sizeof(tcgemmGroupedDesc));
}

tcgemmStatus tcgemmCopyContraction(const tcgemmContractionDesc *from,
                                   tcgemmContractionDesc *to) {
  tcgemmStatus status = checkContractionSize(from->structSize);
  if (status)
    return status;
  memcpy(to, from, sizeof *to);
  if (!to->precision)
    to->precision = "ieee";
  if (!to->epilogue)
    to->epilogue = "none";
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmCopyGrouped(const tcgemmGroupedDesc *from,
                               tcgemmGroupedDesc *to) {
  tcgemmStatus status = checkGroupedSize(from->structSize);
  if (status)
    return status;
  memcpy(to, from, sizeof *to);
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmCopyOperands(const tcgemmOperands *from,
                                tcgemmOperands *to) {
  tcgemmStatus status = checkOperandsSize(from->structSize);
  if (status)
    return status;
  tcgemmSetOperandDefaults(to);
  memcpy(to, from, from->structSize);
  to->structSize = sizeof *to;
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmMatmulDescInitSized(tcgemmMatmulDesc *desc, size_t size) {
  if (!desc)
    return tcgemmFail(TCGEMM_INVALID_VALUE, "the structure is null");
  tcgemmStatus status = checkDescSize(size);
  if (status)
    return status;
  tcgemmMatmulDesc whole;
  tcgemmSetDescDefaults(&whole);
  whole.structSize = size;
  memcpy(desc, &whole, size);
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmContractionDescInitSized(tcgemmContractionDesc *desc,
                                            size_t size) {
  if (!desc)
    return tcgemmFail(TCGEMM_INVALID_VALUE, "the structure is null");
  tcgemmStatus status = checkContractionSize(size);
  if (!status)
    tcgemmSetContractionDefaults(desc);
  return status;
}

tcgemmStatus tcgemmGroupedDescInitSized(tcgemmGroupedDesc *desc, size_t size) {
  if (!desc)
    return tcgemmFail(TCGEMM_INVALID_VALUE, "the structure is null");
  tcgemmStatus status = checkGroupedSize(size);
  if (!status)
    tcgemmSetGroupedDefaults(desc);
  return status;
}

tcgemmStatus tcgemmOperandsInitSized(tcgemmOperands *operands, size_t size) {
  if (!operands)
    return tcgemmFail(TCGEMM_INVALID_VALUE, "the structure is null");
  tcgemmStatus status = checkOperandsSize(size);
  if (status)
    return status;
  tcgemmOperands whole;
  tcgemmSetOperandDefaults(&whole);
  whole.structSize = size;
  memcpy(operands, &whole, size);
  return TCGEMM_SUCCESS;
}

const char *tcgemmGetStatusName(tcgemmStatus status) {
  static const char *const names[] = {
      "TCGEMM_SUCCESS",       "TCGEMM_INVALID_HANDLE", "TCGEMM_INVALID_VALUE",
      "TCGEMM_NOT_SUPPORTED", "TCGEMM_MISALIGNED",     "TCGEMM_WORKSPACE",
      "TCGEMM_COMPILER",      "TCGEMM_NO_DEVICE",      "TCGEMM_DRIVER",
      "TCGEMM_FILE",          "TCGEMM_TUNING"};
  size_t number = (size_t)status;
  return number < sizeof names / sizeof *names ? names[number]
                                               : "unknown status";
}

/* Column-major calls */

static double loadScalar(tcgemmType type, const void *value) {
  double wide;
  float narrow;
  if (type == TCGEMM_F64) {
    memcpy(&wide, value, sizeof wide);
    return wide;
  }
  memcpy(&narrow, value, sizeof narrow);
  return narrow;
}

static uint64_t toAddress(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

static tcgemmStatus setScalars(const struct tcgemmGemmCall *call,
                               struct tcgemmGemm *gemm) {
  tcgemmMatmulDesc *desc = &gemm->desc;
  if (!call->alpha || !call->beta)
    return tcgemmFail(TCGEMM_INVALID_VALUE, "%s is null",
                      call->alpha ? "beta" : "alpha");
  desc->pointerMode = call->mode;
  gemm->scalars[TCGEMM_SCALAR_ALPHA] = 1;
  gemm->scalars[TCGEMM_SCALAR_BETA] = 0;
  if (call->mode == TCGEMM_POINTER_DEVICE) {
    gemm->addresses[TCGEMM_SLOT_ALPHA] = toAddress(call->alpha);
    gemm->addresses[TCGEMM_SLOT_BETA] = toAddress(call->beta);
    desc->scaling = TCGEMM_ALPHA_BETA;
    return TCGEMM_SUCCESS;
  }
  desc->alpha = gemm->scalars[TCGEMM_SCALAR_ALPHA] =
      loadScalar(desc->typeD, call->alpha);
  desc->beta = gemm->scalars[TCGEMM_SCALAR_BETA] =
      loadScalar(desc->typeD, call->beta);
  desc->scaling = desc->beta != 0    ? TCGEMM_ALPHA_BETA
                  : desc->alpha != 1 ? TCGEMM_ALPHA
                                     : TCGEMM_UNSCALED;
  return TCGEMM_SUCCESS;
}

static tcgemmStatus checkCall(const struct tcgemmGemmCall *call) {
  const tcgemmType types[] = {call->typeA, call->typeB, call->typeC};
  for (int i = 0; i != 3; ++i)
    if (types[i] < TCGEMM_F16 || types[i] > TCGEMM_S32)
      return tcgemmFail(TCGEMM_INVALID_VALUE,
                        "a type is %d, which is no tcgemmType", (int)types[i]);
  const tcgemmTranspose transpositions[] = {call->transA, call->transB};
  for (int i = 0; i != 2; ++i)
    if (transpositions[i] != TCGEMM_N && transpositions[i] != TCGEMM_T)
      return tcgemmFail(
          TCGEMM_INVALID_VALUE,
          "a transposition is %d, but it must be TCGEMM_N or TCGEMM_T",
          (int)transpositions[i]);
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmReadGemm(const struct tcgemmGemmCall *call,
                            struct tcgemmGemm *gemm) {
  tcgemmStatus status = checkCall(call);
  if (status)
    return status;
  memset(gemm, 0, sizeof *gemm);
  tcgemmMatmulDesc *desc = &gemm->desc;
  tcgemmSetDescDefaults(desc);
  desc->typeA = call->typeB;
  desc->typeB = call->typeA;
  desc->typeD = call->typeC;
  desc->transA = call->transB;
  desc->transB = call->transA;
  desc->m = call->n;
  desc->n = call->m;
  desc->k = call->k;
  desc->lda = call->ldb;
  desc->ldb = call->lda;
  desc->ldc = desc->ldd = call->ldc;
  status = setScalars(call, gemm);
  if (status)
    return status;
  gemm->addresses[TCGEMM_SLOT_A] = toAddress(call->b);
  gemm->addresses[TCGEMM_SLOT_B] = toAddress(call->a);
  gemm->addresses[TCGEMM_SLOT_C] = gemm->addresses[TCGEMM_SLOT_D] =
      toAddress(call->c);
  uint64_t bits = toAddress(call->a) | toAddress(call->b) | toAddress(call->c) |
                  (uint64_t)16;
  desc->alignment = (uint32_t)(bits & (~bits + 1));
  return TCGEMM_SUCCESS;
}

struct tcgemmGemmKey tcgemmMakeGemmKey(const struct tcgemmGemm *gemm) {
  const tcgemmMatmulDesc *desc = &gemm->desc;
  struct tcgemmGemmKey key = {desc->m,   desc->n,   desc->k, desc->lda,
                              desc->ldb, desc->ldd, 0};
  const uint32_t words[] = {(uint32_t)desc->typeA,
                            (uint32_t)desc->typeB,
                            (uint32_t)desc->typeD,
                            (uint32_t)desc->transA,
                            (uint32_t)desc->transB,
                            (uint32_t)desc->scaling +
                                4 * (uint32_t)desc->pointerMode};
  for (size_t i = 0; i != sizeof words / sizeof *words; ++i)
    key.words = key.words * 16 + (words[i] & 15);
  key.words = key.words * 32 + desc->alignment;
  return key;
}
