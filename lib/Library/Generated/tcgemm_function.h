/*===- tcgemm_function.h - Functions of a generated library -------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of modules and kernel packs, which a library has under their names.
// tcgemm.h has the products, handles and errors.
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_FUNCTION_H
#define TCGEMM_FUNCTION_H

#include "tcgemm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TCGEMM_MAX_RANK 6

/* The shape of an argument. A scalar has rank 0 and needs no strides, as has a
   tensor without dimensions. */
typedef struct tcgemmShape {
  unsigned rank;
  int64_t sizes[TCGEMM_MAX_RANK]; /* Outermost first, like the strides. */
  /* Elements between neighbours; TCGEMM_DENSE: row-major without gaps. */
  int64_t strides[TCGEMM_MAX_RANK];
} tcgemmShape;

/* The number of functions, over all chips. */
TCGEMM_API unsigned tcgemmGetFunctionCount(void);
/* The name of a function, and the number of its arguments; the last ones are
   its results. Errors: TCGEMM_INVALID_VALUE if `index` is not less than the
   number. */
TCGEMM_API tcgemmStatus tcgemmGetFunction(unsigned index, const char **name,
                                          unsigned *arguments);

/* Plans a function for arguments of `shapes`, with addresses that are multiples
   of `alignment`, a power of two up to 256. Errors: TCGEMM_INVALID_VALUE for a
   shape that the function does not take, TCGEMM_NOT_SUPPORTED if the library
   has no such function for the device. */
TCGEMM_API tcgemmStatus tcgemmPlanFunction(tcgemmHandle_t handle,
                                           const char *name,
                                           const tcgemmShape *shapes,
                                           unsigned count, uint32_t alignment,
                                           tcgemmPlan_t *plan);

/* The value of an argument: an address in device memory, or a scalar. */
typedef struct tcgemmValue {
  void *address;
  double scalar;
} tcgemmValue;

/* Launches a function of tcgemmPlanFunction, as tcgemmRun does a product.
   `workspace` has tcgemmPlanWorkspaceSize bytes. Errors: those of tcgemmRun. */
TCGEMM_API tcgemmStatus tcgemmRunFunction(tcgemmPlan_t plan,
                                          const tcgemmValue *values,
                                          unsigned count, void *workspace,
                                          size_t workspaceSize,
                                          struct CUstream_st *stream);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TCGEMM_FUNCTION_H */
