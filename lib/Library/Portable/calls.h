/*===- calls.h - Arguments of the API's functions ------------------*- C
-*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the API's functions that libtcgemm and generated libraries have
// in common: checks of arguments, and the addresses of a run.
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_PORTABLE_CALLS_H
#define TCGEMM_PORTABLE_CALLS_H

#include "descriptor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Errors of an object that no function of the library has made:
   TCGEMM_INVALID_HANDLE. */
tcgemmStatus tcgemmFailHandle(void);
tcgemmStatus tcgemmFailPlan(void);
/* The error of an argument that is null: TCGEMM_INVALID_VALUE. */
tcgemmStatus tcgemmFailNull(const char *argument);

/* Checks the arguments of a function that makes a plan, and sets `*plan` to
   null. Errors: TCGEMM_INVALID_VALUE for a null pointer. */
tcgemmStatus tcgemmReadPlan(const void *desc, tcgemmPlan_t *plan);

/* Errors: TCGEMM_INVALID_VALUE for a number that is no pointer mode. */
tcgemmStatus tcgemmCheckPointerMode(tcgemmPointerMode mode);

/* Sets the TCGEMM_NUM_SLOTS addresses of a call of tcgemmRun. Errors:
   TCGEMM_INVALID_VALUE for a plan whose scalars are in device memory. */
tcgemmStatus tcgemmReadRun(int scalarsInMemory, const void *a, const void *b,
                           const void *c, void *d, uint64_t *addresses);

/* Sets the TCGEMM_NUM_SLOTS addresses and TCGEMM_NUM_SCALARS scalars of a call
   of tcgemmRunOperands. Errors: TCGEMM_INVALID_VALUE for a null pointer or a
   structSize that no version has. */
tcgemmStatus tcgemmReadOperands(const tcgemmOperands *operands,
                                uint64_t *addresses, double *scalars);

/* A bit for each slot whose address a run with these arguments has. */
uint64_t tcgemmGetReadSlots(const struct tcgemmSlots *slots,
                            int scalarsInMemory);
/* Errors: TCGEMM_INVALID_VALUE for the address of a slot without a bit in
   `read`. */
tcgemmStatus tcgemmCheckGiven(uint64_t read, const uint64_t *addresses);
/* Errors: TCGEMM_INVALID_VALUE for scalars that a plan does not multiply by. */
tcgemmStatus tcgemmCheckScalars(tcgemmScaling scaling, int scalarsInMemory,
                                const double *scalars);

/* The arguments of tcgemmGemmEx as a row-major product: a column-major matrix
   is the transpose of a row-major one, and the transpose of A·B is that of B by
   that of A. */
struct tcgemmGemm {
  tcgemmMatmulDesc desc;
  uint64_t addresses[TCGEMM_NUM_SLOTS];
  double scalars[TCGEMM_NUM_SCALARS];
};
/* The arguments of a call of tcgemmGemmEx. */
struct tcgemmGemmCall {
  tcgemmPointerMode mode;
  tcgemmTranspose transA, transB;
  int64_t m, n, k, lda, ldb, ldc;
  tcgemmType typeA, typeB, typeC;
  const void *alpha, *beta, *a, *b, *c;
};
/* Errors: TCGEMM_INVALID_VALUE for types, transpositions, sizes, leading
   dimensions and addresses that are null. Messages have the caller's names. */
tcgemmStatus tcgemmReadGemm(const struct tcgemmGemmCall *call,
                            struct tcgemmGemm *gemm);

/* The properties that calls of tcgemmGemmEx with one plan share. */
struct tcgemmGemmKey {
  int64_t m, n, k, lda, ldb, ldc;
  uint32_t words; /* Types, transpositions, scaling and alignment. */
};
struct tcgemmGemmKey tcgemmMakeGemmKey(const struct tcgemmGemm *gemm);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TCGEMM_PORTABLE_CALLS_H */
