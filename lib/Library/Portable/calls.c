/*===- calls.c - Arguments of the API's functions ------------------*- C
-*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "calls.h"
#include "program.h"

#include <string.h>

static uint64_t toAddress(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

tcgemmStatus tcgemmFailHandle(void) {
  return tcgemmFail(TCGEMM_INVALID_HANDLE,
                    "the handle is null, or none of tcgemmCreate");
}

tcgemmStatus tcgemmFailPlan(void) {
  return tcgemmFail(TCGEMM_INVALID_HANDLE,
                    "the plan is null, or none of tcgemmPlan");
}

tcgemmStatus tcgemmFailNull(const char *argument) {
  return tcgemmFail(TCGEMM_INVALID_VALUE, "%s is null", argument);
}

tcgemmStatus tcgemmReadPlan(const void *desc, tcgemmPlan_t *plan) {
  if (!desc || !plan)
    return tcgemmFailNull(desc ? "plan" : "desc");
  *plan = NULL;
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmCheckPointerMode(tcgemmPointerMode mode) {
  if (mode == TCGEMM_POINTER_HOST || mode == TCGEMM_POINTER_DEVICE)
    return TCGEMM_SUCCESS;
  return tcgemmFail(TCGEMM_INVALID_VALUE,
                    "the pointer mode is %d, but it must be "
                    "TCGEMM_POINTER_HOST or TCGEMM_POINTER_DEVICE",
                    (int)mode);
}

tcgemmStatus tcgemmReadRun(int scalarsInMemory, const void *a, const void *b,
                           const void *c, void *d, uint64_t *addresses) {
  if (scalarsInMemory)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "the plan's pointer mode is TCGEMM_POINTER_DEVICE: use "
                      "tcgemmRunOperands, which has the addresses");
  memset(addresses, 0, TCGEMM_NUM_SLOTS * sizeof *addresses);
  addresses[TCGEMM_SLOT_A] = toAddress(a);
  addresses[TCGEMM_SLOT_B] = toAddress(b);
  addresses[TCGEMM_SLOT_C] = toAddress(c);
  addresses[TCGEMM_SLOT_D] = toAddress(d);
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmReadOperands(const tcgemmOperands *operands,
                                uint64_t *addresses, double *scalars) {
  if (!operands)
    return tcgemmFailNull("operands");
  tcgemmOperands whole;
  tcgemmStatus status = tcgemmCopyOperands(operands, &whole);
  if (status)
    return status;
  addresses[TCGEMM_SLOT_A] = toAddress(whole.a);
  addresses[TCGEMM_SLOT_B] = toAddress(whole.b);
  addresses[TCGEMM_SLOT_C] = toAddress(whole.c);
  addresses[TCGEMM_SLOT_D] = toAddress(whole.d);
  for (unsigned i = 0; i != TCGEMM_MAX_EPILOGUE_OPERANDS; ++i)
    addresses[TCGEMM_SLOT_EPILOGUE + i] = toAddress(whole.epilogue[i]);
  addresses[TCGEMM_SLOT_OFFSETS] = toAddress(whole.offsets);
  addresses[TCGEMM_SLOT_B2] = toAddress(whole.b2);
  addresses[TCGEMM_SLOT_SCALE_A] = toAddress(whole.scaleA);
  addresses[TCGEMM_SLOT_SCALE_B] = toAddress(whole.scaleB);
  addresses[TCGEMM_SLOT_ZERO_POINTS] = toAddress(whole.zeroPoints);
  for (unsigned i = 0; i != TCGEMM_MAX_REDUCTIONS; ++i)
    addresses[TCGEMM_SLOT_REDUCTION + i] = toAddress(whole.reductions[i]);
  addresses[TCGEMM_SLOT_ALPHA] = toAddress(whole.alphaPointer);
  addresses[TCGEMM_SLOT_BETA] = toAddress(whole.betaPointer);
  scalars[TCGEMM_SCALAR_ALPHA] = whole.alpha;
  scalars[TCGEMM_SCALAR_BETA] = whole.beta;
  return TCGEMM_SUCCESS;
}

/* Values that a plan does not use */

uint64_t tcgemmGetReadSlots(const struct tcgemmSlots *slots,
                            int scalarsInMemory) {
  uint64_t read = 0;
  for (unsigned i = 0; i != slots->count; ++i) {
    unsigned slot = slots->slots[i].slot;
    if (slot < TCGEMM_SLOT_ALPHA || scalarsInMemory)
      read |= (uint64_t)1 << slot;
  }
  return read;
}

/* Why a plan does not read the slots from the preceding entry's last one on. */
static const struct {
  unsigned last;
  const char *reason;
} unreadReasons[] = {
    {TCGEMM_SLOT_C, "its scaling is not TCGEMM_ALPHA_BETA"},
    {TCGEMM_SLOT_OFFSETS - 1, "its epilogue has no such operand"},
    {TCGEMM_SLOT_OFFSETS, "it is not of tcgemmPlanGrouped"},
    {TCGEMM_SLOT_B2, "its descriptor has no dual"},
    {TCGEMM_SLOT_SCALE_B, "its descriptor has no such scales"},
    {TCGEMM_SLOT_ZERO_POINTS, "its descriptor has no zeroPointType"},
    {TCGEMM_SLOT_ALPHA - 1, "its descriptor has no such reduction"},
    {TCGEMM_NUM_SLOTS, "its scaling has no such factor in device memory"}};

tcgemmStatus tcgemmCheckGiven(uint64_t read, const uint64_t *addresses) {
  for (unsigned i = 0; i != TCGEMM_NUM_SLOTS; ++i) {
    if (!addresses[i] || read >> i & 1)
      continue;
    size_t reason = 0;
    while (unreadReasons[reason].last < i)
      ++reason;
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "the address of %s is given, but the plan does not read "
                      "it: %s",
                      tcgemmSlotNames[i], unreadReasons[reason].reason);
  }
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmCheckScalars(tcgemmScaling scaling, int scalarsInMemory,
                                const double *scalars) {
  int hasAlpha = scalars[TCGEMM_SCALAR_ALPHA] != 1;
  int hasBeta = scalars[TCGEMM_SCALAR_BETA] != 0;
  if (scalarsInMemory && (hasAlpha || hasBeta))
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "%s, but the plan's pointer mode is "
                      "TCGEMM_POINTER_DEVICE: alphaPointer and betaPointer "
                      "have the values",
                      hasAlpha ? "alpha is not 1" : "beta is not 0");
  if (scaling == TCGEMM_UNSCALED && hasAlpha)
    return tcgemmFail(
        TCGEMM_INVALID_VALUE,
        "alpha is not 1, but the plan's scaling is TCGEMM_UNSCALED");
  if (scaling != TCGEMM_ALPHA_BETA && hasBeta)
    return tcgemmFail(
        TCGEMM_INVALID_VALUE,
        "beta is not 0, but the plan's scaling is not TCGEMM_ALPHA_BETA");
  return TCGEMM_SUCCESS;
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

/* The plan is that of the transposed product, whose messages would name other
   arguments than the caller's. */
static tcgemmStatus checkShapes(const struct tcgemmGemmCall *call) {
  tcgemmStatus status = tcgemmCheckRange("m", call->m, 0, TCGEMM_MAX_SIZE);
  if (!status)
    status = tcgemmCheckRange("n", call->n, 0, TCGEMM_MAX_SIZE);
  if (!status)
    status = tcgemmCheckRange("k", call->k, 0, TCGEMM_MAX_SIZE);
  if (!status)
    status = tcgemmCheckLeading("lda", call->lda,
                                call->transA == TCGEMM_N ? call->m : call->k);
  if (!status)
    status = tcgemmCheckLeading("ldb", call->ldb,
                                call->transB == TCGEMM_N ? call->k : call->n);
  if (!status)
    status = tcgemmCheckLeading("ldc", call->ldc, call->m);
  return status;
}

static tcgemmStatus checkAddresses(const struct tcgemmGemmCall *call) {
  if (!call->m || !call->n)
    return TCGEMM_SUCCESS;
  if (call->k && !(call->a && call->b))
    return tcgemmFailNull(call->a ? "b" : "a");
  return call->c ? TCGEMM_SUCCESS : tcgemmFailNull("c");
}

static tcgemmStatus checkCall(const struct tcgemmGemmCall *call) {
  const tcgemmType types[] = {call->typeA, call->typeB, call->typeC};
  for (int i = 0; i != 3; ++i)
    if (!tcgemmGetTypeBytes(types[i]) || tcgemmGetPackedElements(types[i]) > 1)
      return tcgemmFail(TCGEMM_INVALID_VALUE, "a type is %d, which is %s",
                        (int)types[i],
                        tcgemmGetTypeBytes(types[i])
                            ? "of 4 bits, but tcgemmGemmEx has whole bytes"
                            : "no tcgemmType");
  const tcgemmTranspose transpositions[] = {call->transA, call->transB};
  for (int i = 0; i != 2; ++i)
    if (transpositions[i] != TCGEMM_N && transpositions[i] != TCGEMM_T)
      return tcgemmFail(
          TCGEMM_INVALID_VALUE,
          "a transposition is %d, but it must be TCGEMM_N or TCGEMM_T",
          (int)transpositions[i]);
  tcgemmStatus status = checkShapes(call);
  return status ? status : checkAddresses(call);
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
