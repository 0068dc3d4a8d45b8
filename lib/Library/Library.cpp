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
static tcgemmStatus failHandle(tcgemmHandle_t handle = nullptr) {
  if (isHandle(handle))
    return failForked("handle");
  return failNow(TCGEMM_INVALID_HANDLE,
                 "the handle is null, or none of tcgemmCreate");
}
static tcgemmStatus failPlan(tcgemmPlan_t plan = nullptr) {
  if (isPlan(plan))
    return failForked("plan");
  return failNow(TCGEMM_INVALID_HANDLE,
                 "the plan is null, or none of tcgemmPlan");
}
static tcgemmStatus failNull(const char *argument) {
  return failNow(TCGEMM_INVALID_VALUE, Twine(argument) + " is null");
}

static uint64_t toAddress(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
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
    return failNull("handle");
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
    return failHandle();
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
  if (!desc || !plan)
    return failNull(desc ? "plan" : "desc");
  *plan = nullptr;
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
    return failPlan();
  plan->mark = 0;
  delete plan;
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanWorkspaceSize(tcgemmPlan_t plan, size_t *bytes) {
  if (!isUsable(plan))
    return failPlan(plan);
  if (!bytes)
    return failNull("bytes");
  *bytes = plan->plan->getWorkspaceBytes();
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanConfig(tcgemmPlan_t plan, const char **text) {
  if (!isUsable(plan))
    return failPlan(plan);
  if (!text)
    return failNull("text");
  const PlanVersion *version = plan->plan->getVersion();
  *text = version ? version->config.c_str() : "";
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanExplain(tcgemmPlan_t plan, const char **text) {
  if (!isUsable(plan))
    return failPlan(plan);
  if (!text)
    return failNull("text");
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

tcgemmStatus tcgemmRun(tcgemmPlan_t plan, const void *a, const void *b,
                       const void *c, void *d, void *workspace,
                       CUstream_st *stream) {
  if (!isUsable(plan))
    return failPlan(plan);
  const Plan &found = *plan->plan;
  if (found.description.scalarsInMemory)
    return failNow(TCGEMM_INVALID_VALUE,
                   "the plan's pointer mode is TCGEMM_POINTER_DEVICE: use "
                   "tcgemmRunOperands, which has the addresses");
  RunValues values;
  values.addresses[TCGEMM_SLOT_A] = toAddress(a);
  values.addresses[TCGEMM_SLOT_B] = toAddress(b);
  values.addresses[TCGEMM_SLOT_C] = toAddress(c);
  values.addresses[TCGEMM_SLOT_D] = toAddress(d);
  values.scalars = {found.description.alpha, found.description.beta};
  values.workspace = toAddress(workspace);
  values.workspaceBytes = found.getWorkspaceBytes();
  return found.run(found.getVersion(), values, toStream(stream));
}

tcgemmStatus tcgemmRunOperands(tcgemmPlan_t plan,
                               const tcgemmOperands *operands, void *workspace,
                               size_t workspaceSize, CUstream_st *stream) {
  if (!isUsable(plan))
    return failPlan(plan);
  if (!operands)
    return failNull("operands");
  tcgemmOperands whole;
  if (tcgemmStatus status = tcgemmCopyOperands(operands, &whole))
    return status;
  RunValues values;
  values.addresses[TCGEMM_SLOT_A] = toAddress(whole.a);
  values.addresses[TCGEMM_SLOT_B] = toAddress(whole.b);
  values.addresses[TCGEMM_SLOT_C] = toAddress(whole.c);
  values.addresses[TCGEMM_SLOT_D] = toAddress(whole.d);
  for (unsigned i = 0; i != TCGEMM_MAX_EPILOGUE_OPERANDS; ++i)
    values.addresses[TCGEMM_SLOT_EPILOGUE + i] = toAddress(whole.epilogue[i]);
  values.addresses[TCGEMM_SLOT_OFFSETS] = toAddress(whole.offsets);
  values.addresses[TCGEMM_SLOT_B2] = toAddress(whole.b2);
  values.addresses[TCGEMM_SLOT_ALPHA] = toAddress(whole.alphaPointer);
  values.addresses[TCGEMM_SLOT_BETA] = toAddress(whole.betaPointer);
  values.scalars = {whole.alpha, whole.beta};
  values.workspace = toAddress(workspace);
  values.workspaceBytes = workspaceSize;
  const Plan &found = *plan->plan;
  return found.run(found.getVersion(), values, toStream(stream));
}

tcgemmStatus tcgemmSetPointerMode(tcgemmHandle_t handle,
                                  tcgemmPointerMode mode) {
  if (!isUsable(handle))
    return failHandle(handle);
  if (mode != TCGEMM_POINTER_HOST && mode != TCGEMM_POINTER_DEVICE)
    return failNow(TCGEMM_INVALID_VALUE,
                   "the pointer mode is " + Twine(int(mode)) +
                       ", but it must be TCGEMM_POINTER_HOST or "
                       "TCGEMM_POINTER_DEVICE");
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
