/*===- api.c - The functions of the C API -------------------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#include "handle.h"

#include <stdlib.h>
#include <string.h>

int tcgemmIsHandle(tcgemmHandle_t handle) {
  return handle && handle->mark == &tcgemmHandleMark;
}

int tcgemmGetVersion(void) { return tcgemmVersion; }

/* Handles */

const char tcgemmHandleMark = 0;

tcgemmStatus tcgemmCreate(tcgemmHandle_t *handle, int device) {
  if (!handle)
    return tcgemmFailNull("handle");
  *handle = NULL;
  tcgemmHandle_t created = calloc(1, sizeof *created);
  if (!created)
    return tcgemmFail(TCGEMM_DRIVER, "there is no memory");
  tcgemmStatus status = tcgemmOpenDevice(device, &created->device);
  if (status) {
    free(created);
    return status;
  }
  pthread_rwlock_init(&created->lock, NULL);
  created->mark = &tcgemmHandleMark;
  *handle = created;
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmDestroy(tcgemmHandle_t handle) {
  if (!handle)
    return TCGEMM_SUCCESS;
  if (!tcgemmIsHandle(handle))
    return tcgemmFailHandle();
  handle->mark = NULL;
  for (unsigned i = 0; i != TCGEMM_GEMM_BUCKETS; ++i)
    while (handle->gemms[i]) {
      struct tcgemmCachedGemm *next = handle->gemms[i]->next;
      tcgemmPlanDestroy(handle->gemms[i]->plan);
      free(handle->gemms[i]);
      handle->gemms[i] = next;
    }
  tcgemmReleaseDevice(handle->device);
  pthread_rwlock_destroy(&handle->lock);
  free(handle);
  return TCGEMM_SUCCESS;
}

/* Plans */

/* Refuses the fields that only libtcgemm has kernels for. */
static tcgemmStatus checkFields(const tcgemmMatmulDesc *desc) {
  if (desc->config && *desc->config)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "the descriptor has a config, but a generated library "
                      "compiles no kernels");
  if (desc->epilogueBody)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "the descriptor has an epilogueBody, but a generated "
                      "library compiles no kernels");
  if (tcgemmIsDual(desc))
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "dual is '%s', but a generated library has no products "
                      "with two Bs",
                      desc->dual);
  if (desc->hasBlockScalesA || desc->hasBlockScalesB || desc->groupSize ||
      desc->zeroPointType != TCGEMM_NO_TYPE)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "the descriptor has scales of blocks or groups, but a "
                      "generated library has no products with them");
  if (strcmp(desc->reductions, "none") != 0)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "reductions is '%s', but a generated library has no "
                      "products with reductions",
                      desc->reductions);
  if (strcmp(desc->algebra, "plus-times") != 0)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "algebra is '%s', but a generated library multiplies and "
                      "adds",
                      desc->algebra);
  return TCGEMM_SUCCESS;
}

static tcgemmStatus planProduct(tcgemmHandle_t handle,
                                const tcgemmMatmulDesc *desc,
                                tcgemmPlan_t *result) {
  tcgemmStatus status = tcgemmCheckDesc(desc);
  if (!status)
    status = checkFields(desc);
  unsigned kernel = TCGEMM_NO_KERNEL;
  struct tcgemmSlots slots;
  if (!status)
    status = tcgemmChooseKernel(handle->device, desc, &kernel, &slots);
  if (status)
    return status;
  tcgemmPlan_t plan = tcgemmNewPlan(handle->device, tcgemmSlotNames);
  if (!plan)
    return tcgemmFail(TCGEMM_DRIVER, "there is no memory");
  plan->scaling = desc->scaling;
  plan->pointerMode = desc->pointerMode;
  plan->alpha = desc->alpha;
  plan->beta = desc->beta;
  plan->isEmpty = tcgemmIsEmpty(desc);
  plan->readSlots =
      tcgemmGetReadSlots(&slots, desc->pointerMode == TCGEMM_POINTER_DEVICE);
  if (!plan->isEmpty) {
    plan->config = tcgemmKernels[kernel]->config;
    status = tcgemmPlanSlots(plan, desc, &slots, kernel);
  }
  if (status) {
    tcgemmPlanDestroy(plan);
    return status;
  }
  *result = plan;
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlan(tcgemmHandle_t handle, const tcgemmMatmulDesc *desc,
                        tcgemmPlan_t *plan) {
  if (!tcgemmIsHandle(handle))
    return tcgemmFailHandle();
  tcgemmStatus status = tcgemmReadPlan(desc, plan);
  if (status)
    return status;
  tcgemmMatmulDesc whole;
  status = tcgemmCopyDesc(desc, &whole);
  return status ? status : planProduct(handle, &whole, plan);
}

/* The library has kernels of products and functions alone. */
static tcgemmStatus refuse(tcgemmHandle_t handle, const void *desc,
                           tcgemmPlan_t *plan, const char *kind) {
  if (!tcgemmIsHandle(handle))
    return tcgemmFailHandle();
  tcgemmStatus status = tcgemmReadPlan(desc, plan);
  if (status)
    return status;
  return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                    "a generated library has no products %s", kind);
}

tcgemmStatus tcgemmPlanContraction(tcgemmHandle_t handle,
                                   const tcgemmContractionDesc *desc,
                                   tcgemmPlan_t *plan) {
  return refuse(handle, desc, plan, "by index string");
}

tcgemmStatus tcgemmPlanGrouped(tcgemmHandle_t handle,
                               const tcgemmGroupedDesc *desc,
                               tcgemmPlan_t *plan) {
  return refuse(handle, desc, plan, "of groups of rows");
}

tcgemmStatus tcgemmPlanDestroy(tcgemmPlan_t plan) {
  if (!plan)
    return TCGEMM_SUCCESS;
  if (!tcgemmIsPlan(plan))
    return tcgemmFailPlan();
  plan->mark = NULL;
  tcgemmProgramDestroy(plan->program);
  tcgemmReleaseDevice(plan->device);
  free(plan);
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanWorkspaceSize(tcgemmPlan_t plan, size_t *bytes) {
  if (!tcgemmIsPlan(plan))
    return tcgemmFailPlan();
  if (!bytes)
    return tcgemmFailNull("bytes");
  *bytes = tcgemmProgramGetWorkspace(plan->program);
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanConfig(tcgemmPlan_t plan, const char **text) {
  if (!tcgemmIsPlan(plan))
    return tcgemmFailPlan();
  if (!text)
    return tcgemmFailNull("text");
  *text = plan->config;
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanExplain(tcgemmPlan_t plan, const char **text) {
  return tcgemmPlanConfig(plan, text);
}

tcgemmStatus tcgemmTunePlan(tcgemmHandle_t handle, tcgemmPlan_t plan) {
  if (!tcgemmIsHandle(handle))
    return tcgemmFailHandle();
  if (!tcgemmIsPlan(plan))
    return tcgemmFailPlan();
  return tcgemmFail(TCGEMM_NOT_SUPPORTED, "a generated library tunes nothing");
}

/* Runs */

static tcgemmStatus runProduct(const struct tcgemmPlanObject *plan,
                               const struct tcgemmRunValues *values,
                               void *stream) {
  if (plan->function)
    return tcgemmFail(TCGEMM_INVALID_VALUE,
                      "the plan is one of a function: use tcgemmRunFunction");
  tcgemmStatus status = tcgemmCheckScalars(
      plan->scaling, plan->pointerMode == TCGEMM_POINTER_DEVICE,
      values->scalars);
  return status ? status : tcgemmProgramRun(plan->program, values, stream);
}

/* A run whose addresses are the caller's. */
static tcgemmStatus runGiven(const struct tcgemmPlanObject *plan,
                             const struct tcgemmRunValues *values,
                             void *stream) {
  tcgemmStatus status =
      plan->function ? TCGEMM_SUCCESS
                     : tcgemmCheckGiven(plan->readSlots, values->addresses);
  return status ? status : runProduct(plan, values, stream);
}

tcgemmStatus tcgemmRun(tcgemmPlan_t plan, const void *a, const void *b,
                       const void *c, void *d, void *workspace,
                       struct CUstream_st *stream) {
  if (!tcgemmIsPlan(plan))
    return tcgemmFailPlan();
  uint64_t addresses[TCGEMM_NUM_SLOTS];
  const double scalars[TCGEMM_NUM_SCALARS] = {plan->alpha, plan->beta};
  tcgemmStatus status = tcgemmReadRun(
      plan->pointerMode == TCGEMM_POINTER_DEVICE, a, b, c, d, addresses);
  if (status)
    return status;
  struct tcgemmRunValues values = {addresses, scalars, (uintptr_t)workspace,
                                   tcgemmProgramGetWorkspace(plan->program)};
  return runGiven(plan, &values, stream);
}

tcgemmStatus tcgemmRunOperands(tcgemmPlan_t plan,
                               const tcgemmOperands *operands, void *workspace,
                               size_t workspaceSize,
                               struct CUstream_st *stream) {
  if (!tcgemmIsPlan(plan))
    return tcgemmFailPlan();
  uint64_t addresses[TCGEMM_NUM_SLOTS];
  double scalars[TCGEMM_NUM_SCALARS];
  tcgemmStatus status = tcgemmReadOperands(operands, addresses, scalars);
  if (status)
    return status;
  struct tcgemmRunValues values = {addresses, scalars, (uintptr_t)workspace,
                                   workspaceSize};
  return runGiven(plan, &values, stream);
}

/* Column-major calls */

tcgemmStatus tcgemmSetPointerMode(tcgemmHandle_t handle,
                                  tcgemmPointerMode mode) {
  if (!tcgemmIsHandle(handle))
    return tcgemmFailHandle();
  tcgemmStatus status = tcgemmCheckPointerMode(mode);
  if (status)
    return status;
  __atomic_store_n(&handle->pointerMode, (int)mode, __ATOMIC_RELAXED);
  return TCGEMM_SUCCESS;
}

static int isSameKey(const struct tcgemmGemmKey *a,
                     const struct tcgemmGemmKey *b) {
  return a->m == b->m && a->n == b->n && a->k == b->k && a->lda == b->lda &&
         a->ldb == b->ldb && a->ldc == b->ldc && a->words == b->words;
}

static unsigned getBucket(const struct tcgemmGemmKey *key) {
  const int64_t words[] = {key->m,   key->n,   key->k,    key->lda,
                           key->ldb, key->ldc, key->words};
  uint64_t hash = 0;
  for (size_t i = 0; i != sizeof words / sizeof *words; ++i)
    hash = (hash ^ (uint64_t)words[i]) * UINT64_C(0x9e3779b97f4a7c15);
  return (unsigned)(hash >> 32) % TCGEMM_GEMM_BUCKETS;
}

static tcgemmPlan_t findGemm(tcgemmHandle_t handle,
                             const struct tcgemmGemmKey *key, unsigned bucket) {
  struct tcgemmCachedGemm *each = handle->gemms[bucket];
  while (each && !isSameKey(&each->key, key))
    each = each->next;
  return each ? each->plan : NULL;
}

static tcgemmStatus addGemm(tcgemmHandle_t handle,
                            const struct tcgemmGemm *gemm,
                            const struct tcgemmGemmKey *key, unsigned bucket,
                            tcgemmPlan_t *plan) {
  struct tcgemmCachedGemm *added = malloc(sizeof *added);
  if (!added)
    return tcgemmFail(TCGEMM_DRIVER, "there is no memory");
  tcgemmStatus status = planProduct(handle, &gemm->desc, &added->plan);
  if (status) {
    free(added);
    return status;
  }
  added->key = *key;
  pthread_rwlock_wrlock(&handle->lock);
  /* Another thread may have made it; its plan may be in use. */
  tcgemmPlan_t known = findGemm(handle, key, bucket);
  *plan = known ? known : added->plan;
  if (!known) {
    added->next = handle->gemms[bucket];
    handle->gemms[bucket] = added;
  }
  pthread_rwlock_unlock(&handle->lock);
  if (known) {
    tcgemmPlanDestroy(added->plan);
    free(added);
  }
  return TCGEMM_SUCCESS;
}

/* Runs a plan with a workspace of the stream's memory pool. */
static tcgemmStatus runInPool(tcgemmPlan_t plan, const struct tcgemmGemm *gemm,
                              void *stream) {
  const struct tcgemmDriver *driver = plan->device->driver;
  struct tcgemmRunValues values = {gemm->addresses, gemm->scalars, 0,
                                   tcgemmProgramGetWorkspace(plan->program)};
  if (!values.workspaceBytes)
    return runProduct(plan, &values, stream);
  if (!driver->cuMemAllocAsync || !driver->cuMemFreeAsync)
    return tcgemmFail(TCGEMM_NOT_SUPPORTED,
                      "the driver has no memory pools for workspaces; use "
                      "tcgemmPlan and tcgemmRun");
  int isPushed = 0;
  tcgemmStatus status = tcgemmEnterContext(plan->device, &isPushed);
  if (status)
    return status;
  unsigned long long workspace = 0;
  int result =
      driver->cuMemAllocAsync(&workspace, values.workspaceBytes, stream);
  if (result) {
    status = tcgemmFailDriver(&driver->run, result, "cuMemAllocAsync");
  } else {
    values.workspace = workspace;
    status = runProduct(plan, &values, stream);
    result = driver->cuMemFreeAsync(workspace, stream);
    if (result && !status)
      status = tcgemmFailDriver(&driver->run, result, "cuMemFreeAsync");
  }
  tcgemmLeaveContext(plan->device, isPushed);
  return status;
}

tcgemmStatus tcgemmGemmEx(tcgemmHandle_t handle, tcgemmTranspose transA,
                          tcgemmTranspose transB, int64_t m, int64_t n,
                          int64_t k, const void *alpha, const void *a,
                          tcgemmType typeA, int64_t lda, const void *b,
                          tcgemmType typeB, int64_t ldb, const void *beta,
                          void *c, tcgemmType typeC, int64_t ldc,
                          struct CUstream_st *stream) {
  if (!tcgemmIsHandle(handle))
    return tcgemmFailHandle();
  struct tcgemmGemmCall call = {(tcgemmPointerMode)__atomic_load_n(
                                    &handle->pointerMode, __ATOMIC_RELAXED),
                                transA,
                                transB,
                                m,
                                n,
                                k,
                                lda,
                                ldb,
                                ldc,
                                typeA,
                                typeB,
                                typeC,
                                alpha,
                                beta,
                                a,
                                b,
                                c};
  struct tcgemmGemm gemm;
  tcgemmStatus status = tcgemmReadGemm(&call, &gemm);
  if (status)
    return status;
  struct tcgemmGemmKey key = tcgemmMakeGemmKey(&gemm);
  unsigned bucket = getBucket(&key);
  pthread_rwlock_rdlock(&handle->lock);
  tcgemmPlan_t plan = findGemm(handle, &key, bucket);
  pthread_rwlock_unlock(&handle->lock);
  if (!plan)
    status = addGemm(handle, &gemm, &key, bucket, &plan);
  return status ? status : runInPool(plan, &gemm, stream);
}
