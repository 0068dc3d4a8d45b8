/*===- structures.c - Structures of callers ------------------------*- C
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
  desc->groupScaleType = TCGEMM_F32;
  desc->reductions = "none";
  desc->algebra = "plus-times";
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
  desc->algebra = "plus-times";
}

void tcgemmSetGroupedDefaults(tcgemmGroupedDesc *desc) {
  memset(desc, 0, sizeof *desc);
  desc->structSize = sizeof *desc;
  desc->typeA = desc->typeB = desc->typeD = TCGEMM_BF16;
  desc->lda = desc->ldb = desc->ldc = desc->ldd = TCGEMM_DENSE;
  desc->strideA = desc->strideB = TCGEMM_DENSE;
  desc->strideC = desc->strideD = TCGEMM_DENSE;
  desc->alignment = 16;
  desc->alpha = 1;
  desc->precision = "ieee";
  desc->epilogue = "none";
  desc->groupScaleType = TCGEMM_F32;
}

void tcgemmSetOperandDefaults(tcgemmOperands *operands) {
  memset(operands, 0, sizeof *operands);
  operands->structSize = sizeof *operands;
  operands->alpha = 1;
}

/* The bytes of a structure's first version and of this one. */
struct versions {
  size_t first, whole;
};
static const struct versions descVersions = {
    offsetof(tcgemmMatmulDesc, pointerMode), sizeof(tcgemmMatmulDesc)};
static const struct versions operandsVersions = {
    offsetof(tcgemmOperands, alphaPointer), sizeof(tcgemmOperands)};
static const struct versions contractionVersions = {
    offsetof(tcgemmContractionDesc, algebra), sizeof(tcgemmContractionDesc)};
static const struct versions groupedVersions = {
    offsetof(tcgemmGroupedDesc, ldc), sizeof(tcgemmGroupedDesc)};

static tcgemmStatus checkSize(size_t size, const struct versions *versions) {
  if (size >= versions->first && size <= versions->whole)
    return TCGEMM_SUCCESS;
  return tcgemmFail(TCGEMM_INVALID_VALUE,
                    "structSize is %zu, but it must be %zu: the structure is "
                    "not initialised, or of a newer tcgemm.h than the library",
                    size, versions->whole);
}

/* Each structure begins with its size. Writes the fields of the caller's one
   over those of `to`, which has the defaults. */
static tcgemmStatus copyStructure(const void *from, void *to,
                                  const struct versions *versions) {
  size_t size;
  memcpy(&size, from, sizeof size);
  tcgemmStatus status = checkSize(size, versions);
  if (status)
    return status;
  memcpy(to, from, size);
  memcpy(to, &versions->whole, sizeof versions->whole);
  return TCGEMM_SUCCESS;
}

/* Writes the first `size` bytes of the defaults to the caller's structure. */
static tcgemmStatus initStructure(void *structure, size_t size,
                                  const void *defaults,
                                  const struct versions *versions) {
  if (!structure)
    return tcgemmFail(TCGEMM_INVALID_VALUE, "the structure is null");
  tcgemmStatus status = checkSize(size, versions);
  if (status)
    return status;
  memcpy(structure, defaults, size);
  memcpy(structure, &size, sizeof size);
  return TCGEMM_SUCCESS;
}

static void completeTexts(const char **precision, const char **epilogue) {
  if (!*precision)
    *precision = "ieee";
  if (!*epilogue)
    *epilogue = "none";
}

tcgemmStatus tcgemmCopyDesc(const tcgemmMatmulDesc *from,
                            tcgemmMatmulDesc *to) {
  tcgemmSetDescDefaults(to);
  tcgemmStatus status = copyStructure(from, to, &descVersions);
  completeTexts(&to->precision, &to->epilogue);
  if (!to->dual)
    to->dual = "none";
  if (!to->reductions)
    to->reductions = "none";
  if (!to->algebra)
    to->algebra = "plus-times";
  return status;
}

tcgemmStatus tcgemmCopyContraction(const tcgemmContractionDesc *from,
                                   tcgemmContractionDesc *to) {
  tcgemmSetContractionDefaults(to);
  tcgemmStatus status = copyStructure(from, to, &contractionVersions);
  completeTexts(&to->precision, &to->epilogue);
  if (!to->algebra)
    to->algebra = "plus-times";
  return status;
}

tcgemmStatus tcgemmCopyGrouped(const tcgemmGroupedDesc *from,
                               tcgemmGroupedDesc *to) {
  tcgemmSetGroupedDefaults(to);
  tcgemmStatus status = copyStructure(from, to, &groupedVersions);
  completeTexts(&to->precision, &to->epilogue);
  return status;
}

tcgemmStatus tcgemmCopyOperands(const tcgemmOperands *from,
                                tcgemmOperands *to) {
  tcgemmSetOperandDefaults(to);
  return copyStructure(from, to, &operandsVersions);
}

tcgemmStatus tcgemmMatmulDescInitSized(tcgemmMatmulDesc *desc, size_t size) {
  tcgemmMatmulDesc defaults;
  tcgemmSetDescDefaults(&defaults);
  return initStructure(desc, size, &defaults, &descVersions);
}

tcgemmStatus tcgemmContractionDescInitSized(tcgemmContractionDesc *desc,
                                            size_t size) {
  tcgemmContractionDesc defaults;
  tcgemmSetContractionDefaults(&defaults);
  return initStructure(desc, size, &defaults, &contractionVersions);
}

tcgemmStatus tcgemmGroupedDescInitSized(tcgemmGroupedDesc *desc, size_t size) {
  tcgemmGroupedDesc defaults;
  tcgemmSetGroupedDefaults(&defaults);
  return initStructure(desc, size, &defaults, &groupedVersions);
}

tcgemmStatus tcgemmOperandsInitSized(tcgemmOperands *operands, size_t size) {
  tcgemmOperands defaults;
  tcgemmSetOperandDefaults(&defaults);
  return initStructure(operands, size, &defaults, &operandsVersions);
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
