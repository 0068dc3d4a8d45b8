//===- Library.cpp - The functions of the C API ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"
#include "Forks.h"
#include "Handle.h"
#include "ProductTerms.h"

#include <algorithm>
#include <iterator>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Expected;
using llvm::Twine;

namespace {
/// Tells objects from other memory.
constexpr uint64_t kHandleMark = 0x4d4547435448414e;
constexpr uint64_t kPlanMark = 0x4d454743544c504e;
} // namespace

struct tcgemmHandleObject {
  uint64_t mark = kHandleMark;
  std::unique_ptr<Handle> handle;
  unsigned forks = countForks();
};

struct tcgemmPlanObject {
  uint64_t mark = kPlanMark;
  std::shared_ptr<Plan> plan;
  unsigned forks = countForks();
};

static bool isHandle(tcgemmHandle_t handle) {
  return handle && handle->mark == kHandleMark;
}
static bool isPlan(tcgemmPlan_t plan) {
  return plan && plan->mark == kPlanMark;
}
/// Returns whether the handle may be used; forked processes may only destroy
/// it.
static bool isUsable(tcgemmHandle_t handle) {
  return isHandle(handle) && handle->forks == countForks();
}
static bool isUsable(tcgemmPlan_t plan) {
  return isPlan(plan) && plan->forks == countForks();
}
static tcgemmStatus failForked(const char *object) {
  return failNow(TCGEMM_INVALID_HANDLE,
                 "the " + Twine(object) +
                     " was made before the process was forked: CUDA works in "
                     "the process alone that has initialised it");
}
static tcgemmStatus failHandle(tcgemmHandle_t handle) {
  return isHandle(handle) ? failForked("handle") : tcgemmFailHandle();
}
static tcgemmStatus failPlan(tcgemmPlan_t plan) {
  return isPlan(plan) ? failForked("plan") : tcgemmFailPlan();
}

static cuda::Stream toStream(CUstream_st *stream) {
  return reinterpret_cast<cuda::Stream>(stream);
}

//===----------------------------------------------------------------------===//
// Handles and plans
//===----------------------------------------------------------------------===//

int tcgemmGetVersion() { return getVersionNumber(); }

const char *tcgemmGetLastErrorMessage() { return getLastMessage(); }

tcgemmStatus tcgemmCreate(tcgemmHandle_t *handle, int device) {
  if (!handle)
    return tcgemmFailNull("handle");
  *handle = nullptr;
  Expected<std::unique_ptr<Handle>> opened = Handle::open(device);
  if (!opened)
    return finish(opened.takeError());
  *handle = new tcgemmHandleObject{kHandleMark, std::move(*opened)};
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmDestroy(tcgemmHandle_t handle) {
  if (!handle)
    return TCGEMM_SUCCESS;
  if (!isHandle(handle))
    return tcgemmFailHandle();
  handle->mark = 0;
  delete handle;
  return TCGEMM_SUCCESS;
}

/// Plans what a structure of the caller describes. `copy` completes it, and
/// `read` checks it.
template <typename Desc>
static tcgemmStatus planDescribed(tcgemmHandle_t handle, const Desc *desc,
                                  tcgemmPlan_t *plan,
                                  tcgemmStatus (*copy)(const Desc *, Desc *),
                                  Expected<Description> (*read)(const Desc &)) {
  if (!isUsable(handle))
    return failHandle(handle);
  if (tcgemmStatus status = tcgemmReadPlan(desc, plan))
    return status;
  Desc whole;
  if (tcgemmStatus status = copy(desc, &whole))
    return status;
  Expected<std::shared_ptr<Plan>> made = handle->handle->plan(read(whole));
  if (!made)
    return finish(made.takeError());
  *plan = new tcgemmPlanObject{kPlanMark, std::move(*made)};
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlan(tcgemmHandle_t handle, const tcgemmMatmulDesc *desc,
                        tcgemmPlan_t *plan) {
  return planDescribed(handle, desc, plan, tcgemmCopyDesc, readDescriptor);
}

tcgemmStatus tcgemmPlanContraction(tcgemmHandle_t handle,
                                   const tcgemmContractionDesc *desc,
                                   tcgemmPlan_t *plan) {
  return planDescribed(handle, desc, plan, tcgemmCopyContraction,
                       readContraction);
}

tcgemmStatus tcgemmPlanGrouped(tcgemmHandle_t handle,
                               const tcgemmGroupedDesc *desc,
                               tcgemmPlan_t *plan) {
  return planDescribed(handle, desc, plan, tcgemmCopyGrouped, readGrouped);
}

tcgemmStatus tcgemmPlanDestroy(tcgemmPlan_t plan) {
  if (!plan)
    return TCGEMM_SUCCESS;
  if (!isPlan(plan))
    return tcgemmFailPlan();
  plan->mark = 0;
  delete plan;
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanWorkspaceSize(tcgemmPlan_t plan, size_t *bytes) {
  if (!isUsable(plan))
    return failPlan(plan);
  if (!bytes)
    return tcgemmFailNull("bytes");
  *bytes = plan->plan->getWorkspaceBytes();
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanConfig(tcgemmPlan_t plan, const char **text) {
  if (!isUsable(plan))
    return failPlan(plan);
  if (!text)
    return tcgemmFailNull("text");
  const PlanVersion *version = plan->plan->getVersion();
  *text = version ? version->config.c_str() : "";
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanExplain(tcgemmPlan_t plan, const char **text) {
  if (!isUsable(plan))
    return failPlan(plan);
  if (!text)
    return tcgemmFailNull("text");
  const PlanVersion *version = plan->plan->getVersion();
  *text = version ? version->explanation.c_str()
                  : "a product without elements\nworkspace: 0 bytes\n";
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmTunePlan(tcgemmHandle_t handle, tcgemmPlan_t plan) {
  if (!isUsable(handle))
    return failHandle(handle);
  if (!isUsable(plan))
    return failPlan(plan);
  return finish(handle->handle->tuneNow(*plan->plan));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// A run whose addresses are the caller's.
static tcgemmStatus runGiven(const Plan &plan, const RunValues &values,
                             CUstream_st *stream) {
  if (tcgemmStatus status =
          tcgemmCheckGiven(plan.readSlots, values.addresses.data()))
    return status;
  return plan.run(plan.getVersion(), values, toStream(stream));
}

tcgemmStatus tcgemmRun(tcgemmPlan_t plan, const void *a, const void *b,
                       const void *c, void *d, void *workspace,
                       CUstream_st *stream) {
  if (!isUsable(plan))
    return failPlan(plan);
  const Plan &found = *plan->plan;
  RunValues values;
  if (tcgemmStatus status = tcgemmReadRun(found.description.scalarsInMemory, a,
                                          b, c, d, values.addresses.data()))
    return status;
  values.scalars = {found.description.alpha, found.description.beta};
  values.workspace = reinterpret_cast<uint64_t>(workspace);
  values.workspaceBytes = found.getWorkspaceBytes();
  return runGiven(found, values, stream);
}

tcgemmStatus tcgemmRunOperands(tcgemmPlan_t plan,
                               const tcgemmOperands *operands, void *workspace,
                               size_t workspaceSize, CUstream_st *stream) {
  if (!isUsable(plan))
    return failPlan(plan);
  RunValues values;
  if (tcgemmStatus status = tcgemmReadOperands(
          operands, values.addresses.data(), values.scalars.data()))
    return status;
  values.workspace = reinterpret_cast<uint64_t>(workspace);
  values.workspaceBytes = workspaceSize;
  return runGiven(*plan->plan, values, stream);
}

tcgemmStatus tcgemmSetPointerMode(tcgemmHandle_t handle,
                                  tcgemmPointerMode mode) {
  if (!isUsable(handle))
    return failHandle(handle);
  if (tcgemmStatus status = tcgemmCheckPointerMode(mode))
    return status;
  handle->handle->pointerMode.store(mode, std::memory_order_relaxed);
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmGemmEx(tcgemmHandle_t handle, tcgemmTranspose transA,
                          tcgemmTranspose transB, int64_t m, int64_t n,
                          int64_t k, const void *alpha, const void *a,
                          tcgemmType typeA, int64_t lda, const void *b,
                          tcgemmType typeB, int64_t ldb, const void *beta,
                          void *c, tcgemmType typeC, int64_t ldc,
                          CUstream_st *stream) {
  if (!isUsable(handle))
    return failHandle(handle);
  Handle &found = *handle->handle;
  tcgemmPointerMode mode = found.pointerMode.load(std::memory_order_relaxed);
  tcgemmGemmCall call{mode,  transA, transB, m,     n,    k, lda, ldb, ldc,
                      typeA, typeB,  typeC,  alpha, beta, a, b,   c};
  tcgemmGemm gemm;
  if (tcgemmStatus status = tcgemmReadGemm(&call, &gemm))
    return status;
  tcgemmGemmKey key = tcgemmMakeGemmKey(&gemm);
  const Plan *plan = found.findPlan(key);
  if (!plan) {
    Expected<const Plan *> made = found.getPlan(key, gemm.desc);
    if (!made)
      return finish(made.takeError());
    plan = *made;
  }
  RunValues values;
  std::copy(std::begin(gemm.addresses), std::end(gemm.addresses),
            values.addresses.begin());
  values.scalars = {gemm.scalars[TCGEMM_SCALAR_ALPHA],
                    gemm.scalars[TCGEMM_SCALAR_BETA]};
  return found.runWithOwnWorkspace(*plan, values, toStream(stream));
}
