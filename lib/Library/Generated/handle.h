/*===- handle.h - Handles and plans -------------------------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_GENERATED_HANDLE_H
#define TCGEMM_GENERATED_HANDLE_H

#include "runtime.h"

#pragma GCC visibility push(hidden)

/* Their addresses tell objects of this library from other memory, and from
   those of other libraries in the process. */
extern const char tcgemmHandleMark, tcgemmPlanMark;

struct tcgemmCachedGemm {
  struct tcgemmGemmKey key;
  tcgemmPlan_t plan;
  struct tcgemmCachedGemm *next;
};

#define TCGEMM_GEMM_BUCKETS 256

struct tcgemmHandleObject {
  const char *mark;
  struct tcgemmDevice *device;
  int pointerMode;       /* That of tcgemmGemmEx; atomic. */
  pthread_rwlock_t lock; /* Guards the plans of tcgemmGemmEx. */
  struct tcgemmCachedGemm *gemms[TCGEMM_GEMM_BUCKETS];
};

struct tcgemmPlanObject {
  const char *mark;
  struct tcgemmDevice *device;
  struct tcgemmProgram *program;
  const char *config; /* Empty for a product without elements. */
  /* The properties of products; functions do not use them. */
  int isEmpty;
  tcgemmScaling scaling;
  tcgemmPointerMode pointerMode;
  double alpha, beta;
  uint64_t readSlots; /* A bit for each slot that a run reads. */
  const struct tcgemmFunction *function; /* Null for a product. */
};

int tcgemmIsHandle(tcgemmHandle_t handle);
int tcgemmIsPlan(tcgemmPlan_t plan);

/* A plan without launches; null if there is no memory. */
tcgemmPlan_t tcgemmNewPlan(struct tcgemmDevice *device,
                           const char *const *slotNames);
/* Adds the launches of a product's kernel to its plan. */
tcgemmStatus tcgemmPlanSlots(tcgemmPlan_t plan, const tcgemmMatmulDesc *desc,
                             const struct tcgemmSlots *slots, unsigned kernel);

#pragma GCC visibility pop

#endif /* TCGEMM_GENERATED_HANDLE_H */
