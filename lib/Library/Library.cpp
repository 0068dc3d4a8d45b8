//===- Library.cpp - The functions of the C API ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"
#include "Handle.h"
#include "tcgemm/Version.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
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
};

struct tcgemmPlanObject {
  uint64_t mark = kPlanMark;
  std::shared_ptr<Plan> plan;
};

static bool isHandle(tcgemmHandle_t handle) {
  return handle && handle->mark == kHandleMark;
}
static bool isPlan(tcgemmPlan_t plan) {
  return plan && plan->mark == kPlanMark;
}
static tcgemmStatus failHandle() {
  return failNow(TCGEMM_INVALID_HANDLE,
                 "the handle is null, or none of tcgemmCreate");
}
static tcgemmStatus failPlan() {
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
// Structures of callers that know fewer fields, or more
//===----------------------------------------------------------------------===//

static tcgemmMatmulDesc makeDefaultDesc() {
  tcgemmMatmulDesc desc;
  std::memset(&desc, 0, sizeof desc);
  desc.structSize = sizeof desc;
  desc.typeA = desc.typeB = desc.typeD = TCGEMM_BF16;
  desc.batch = 1;
  for (int64_t *distance :
       {&desc.lda, &desc.ldb, &desc.ldc, &desc.ldd, &desc.strideA,
        &desc.strideB, &desc.strideC, &desc.strideD})
    *distance = TCGEMM_DENSE;
  desc.alpha = 1;
  desc.precision = "ieee";
  desc.epilogue = "none";
  desc.alignment = 16;
  return desc;
}

static tcgemmOperands makeDefaultOperands() {
  tcgemmOperands operands{};
  operands.structSize = sizeof operands;
  operands.alpha = 1;
  return operands;
}

/// The size of the first version of each structure.
template <typename T> constexpr size_t kFirstSize = 0;
template <>
constexpr size_t kFirstSize<tcgemmMatmulDesc> =
    offsetof(tcgemmMatmulDesc, pointerMode);
template <>
constexpr size_t kFirstSize<tcgemmOperands> =
    offsetof(tcgemmOperands, alphaPointer);

/// Copies the fields that both sides know.
template <typename T>
static Error copyFields(const T &from, size_t size, T &to) {
  if (size < kFirstSize<T> || size > sizeof(T))
    return fail(TCGEMM_INVALID_VALUE,
                "structSize is " + Twine(size) + ", but it must be " +
                    Twine(sizeof(T)) +
                    ": the structure is not initialised, or of a newer "
                    "tcgemm.h than the library");
  std::memcpy(&to, &from, size);
  to.structSize = sizeof(T);
  return Error::success();
}

template <typename T>
static tcgemmStatus initialize(T *target, size_t size, const T &defaults) {
  if (!target)
    return failNull("the structure");
  T whole;
  if (Error error = copyFields(defaults, size, whole))
    return finish(std::move(error));
  whole.structSize = size;
  std::memcpy(target, &whole, size);
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmMatmulDescInitSized(tcgemmMatmulDesc *desc, size_t size) {
  return initialize(desc, size, makeDefaultDesc());
}

tcgemmStatus tcgemmOperandsInitSized(tcgemmOperands *operands, size_t size) {
  return initialize(operands, size, makeDefaultOperands());
}

//===----------------------------------------------------------------------===//
// Handles and plans
//===----------------------------------------------------------------------===//

int tcgemmGetVersion() {
  int number = 0;
  llvm::StringRef rest = TCGEMM_VERSION_STRING;
  for (int i = 0; i != 3; ++i) {
    int part = 0;
    auto [head, tail] = rest.split('.');
    head.getAsInteger(10, part);
    number = number * 100 + part;
    rest = tail;
  }
  return number;
}

const char *tcgemmGetStatusName(tcgemmStatus status) {
  return getStatusName(status);
}

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

tcgemmStatus tcgemmPlan(tcgemmHandle_t handle, const tcgemmMatmulDesc *desc,
                        tcgemmPlan_t *plan) {
  if (!isHandle(handle))
    return failHandle();
  if (!desc || !plan)
    return failNull(desc ? "plan" : "desc");
  *plan = nullptr;
  tcgemmMatmulDesc whole = makeDefaultDesc();
  if (Error error = copyFields(*desc, desc->structSize, whole))
    return finish(std::move(error));
  if (!whole.precision)
    whole.precision = "ieee";
  Expected<std::shared_ptr<Plan>> made = handle->handle->plan(whole);
  if (!made)
    return finish(made.takeError());
  *plan = new tcgemmPlanObject{kPlanMark, std::move(*made)};
  return TCGEMM_SUCCESS;
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
  if (!isPlan(plan))
    return failPlan();
  if (!bytes)
    return failNull("bytes");
  *bytes = plan->plan->getWorkspaceBytes();
  return TCGEMM_SUCCESS;
}

tcgemmStatus tcgemmPlanConfig(tcgemmPlan_t plan, const char **text) {
  if (!isPlan(plan))
    return failPlan();
  if (!text)
    return failNull("text");
  const PlanVersion *version = plan->plan->getVersion();
  *text = version ? version->config.c_str() : "";
  return TCGEMM_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

tcgemmStatus tcgemmRun(tcgemmPlan_t plan, const void *a, const void *b,
                       const void *c, void *d, void *workspace,
                       CUstream_st *stream) {
  if (!isPlan(plan))
    return failPlan();
  const Plan &found = *plan->plan;
  if (found.scalarsInMemory)
    return failNow(TCGEMM_INVALID_VALUE,
                   "the plan's pointer mode is TCGEMM_POINTER_DEVICE: use "
                   "tcgemmRunOperands, which has the addresses");
  RunValues values;
  values.addresses[SlotA] = toAddress(a);
  values.addresses[SlotB] = toAddress(b);
  values.addresses[SlotC] = toAddress(c);
  values.addresses[SlotD] = toAddress(d);
  values.alpha = found.alpha;
  values.beta = found.beta;
  values.workspace = toAddress(workspace);
  values.workspaceBytes = found.getWorkspaceBytes();
  return found.run(found.getVersion(), values, toStream(stream));
}

tcgemmStatus tcgemmRunOperands(tcgemmPlan_t plan,
                               const tcgemmOperands *operands, void *workspace,
                               size_t workspaceSize, CUstream_st *stream) {
  if (!isPlan(plan))
    return failPlan();
  if (!operands)
    return failNull("operands");
  tcgemmOperands whole = makeDefaultOperands();
  if (Error error = copyFields(*operands, operands->structSize, whole))
    return finish(std::move(error));
  RunValues values;
  values.addresses[SlotA] = toAddress(whole.a);
  values.addresses[SlotB] = toAddress(whole.b);
  values.addresses[SlotC] = toAddress(whole.c);
  values.addresses[SlotD] = toAddress(whole.d);
  for (unsigned i = 0; i != TCGEMM_MAX_EPILOGUE_OPERANDS; ++i)
    values.addresses[SlotEpilogue + i] = toAddress(whole.epilogue[i]);
  values.addresses[SlotAlpha] = toAddress(whole.alphaPointer);
  values.addresses[SlotBeta] = toAddress(whole.betaPointer);
  values.alpha = whole.alpha;
  values.beta = whole.beta;
  values.workspace = toAddress(workspace);
  values.workspaceBytes = workspaceSize;
  const Plan &found = *plan->plan;
  return found.run(found.getVersion(), values, toStream(stream));
}

tcgemmStatus tcgemmSetPointerMode(tcgemmHandle_t handle,
                                  tcgemmPointerMode mode) {
  if (!isHandle(handle))
    return failHandle();
  if (mode != TCGEMM_POINTER_HOST && mode != TCGEMM_POINTER_DEVICE)
    return failNow(TCGEMM_INVALID_VALUE,
                   "the pointer mode is " + Twine(int(mode)) +
                       ", but it must be TCGEMM_POINTER_HOST or "
                       "TCGEMM_POINTER_DEVICE");
  handle->handle->pointerMode.store(mode, std::memory_order_relaxed);
  return TCGEMM_SUCCESS;
}

namespace {

/// The arguments of tcgemmGemmEx as a row-major product: a column-major matrix
/// is the transpose of a row-major one, and (A·B)ᵀ = Bᵀ·Aᵀ.
struct ColumnMajorGemm {
  tcgemmMatmulDesc desc = makeDefaultDesc();
  RunValues values;
  tcgemmStatus setScalars(tcgemmPointerMode mode, const void *alpha,
                          const void *beta);
  void setAlignment();
  GemmKey makeKey() const;
};

double loadScalar(tcgemmType type, const void *value) {
  if (type == TCGEMM_F64)
    return *static_cast<const double *>(value);
  return *static_cast<const float *>(value);
}

} // namespace

tcgemmStatus ColumnMajorGemm::setScalars(tcgemmPointerMode mode,
                                         const void *alpha, const void *beta) {
  if (!alpha || !beta)
    return failNull(alpha ? "beta" : "alpha");
  desc.pointerMode = mode;
  if (mode == TCGEMM_POINTER_DEVICE) {
    values.addresses[SlotAlpha] = toAddress(alpha);
    values.addresses[SlotBeta] = toAddress(beta);
    desc.scaling = TCGEMM_ALPHA_BETA;
    return TCGEMM_SUCCESS;
  }
  values.alpha = loadScalar(desc.typeD, alpha);
  values.beta = loadScalar(desc.typeD, beta);
  desc.scaling = values.beta != 0    ? TCGEMM_ALPHA_BETA
                 : values.alpha != 1 ? TCGEMM_ALPHA
                                     : TCGEMM_UNSCALED;
  desc.alpha = values.alpha;
  desc.beta = values.beta;
  return TCGEMM_SUCCESS;
}

void ColumnMajorGemm::setAlignment() {
  uint64_t bits = values.addresses[SlotA] | values.addresses[SlotB] |
                  values.addresses[SlotD] | 16;
  desc.alignment = static_cast<uint32_t>(bits & -bits);
}

GemmKey ColumnMajorGemm::makeKey() const {
  GemmKey key{desc.m, desc.n, desc.k, desc.lda, desc.ldb, desc.ldd, 0};
  for (int word :
       {int(desc.typeA), int(desc.typeB), int(desc.typeD), int(desc.transA),
        int(desc.transB), int(desc.scaling) + 4 * int(desc.pointerMode)})
    key.words = key.words * 16 + (static_cast<uint32_t>(word) & 15);
  key.words = key.words * 32 + desc.alignment;
  return key;
}

tcgemmStatus tcgemmGemmEx(tcgemmHandle_t handle, tcgemmTranspose transA,
                          tcgemmTranspose transB, int64_t m, int64_t n,
                          int64_t k, const void *alpha, const void *a,
                          tcgemmType typeA, int64_t lda, const void *b,
                          tcgemmType typeB, int64_t ldb, const void *beta,
                          void *c, tcgemmType typeC, int64_t ldc,
                          CUstream_st *stream) {
  if (!isHandle(handle))
    return failHandle();
  for (int value : {int(typeA), int(typeB), int(typeC)})
    if (!findTypeName(static_cast<tcgemmType>(value)))
      return failNow(TCGEMM_INVALID_VALUE,
                     "a type is " + Twine(value) + ", which is no tcgemmType");
  for (int value : {int(transA), int(transB)})
    if (value != TCGEMM_N && value != TCGEMM_T)
      return failNow(TCGEMM_INVALID_VALUE,
                     "a transposition is " + Twine(value) +
                         ", but it must be TCGEMM_N or TCGEMM_T");
  ColumnMajorGemm gemm;
  gemm.desc.typeA = typeB;
  gemm.desc.typeB = typeA;
  gemm.desc.typeD = typeC;
  gemm.desc.transA = transB;
  gemm.desc.transB = transA;
  gemm.desc.m = n;
  gemm.desc.n = m;
  gemm.desc.k = k;
  gemm.desc.lda = ldb;
  gemm.desc.ldb = lda;
  gemm.desc.ldc = gemm.desc.ldd = ldc;
  Handle &found = *handle->handle;
  tcgemmPointerMode mode = found.pointerMode.load(std::memory_order_relaxed);
  if (tcgemmStatus status = gemm.setScalars(mode, alpha, beta))
    return status;
  gemm.values.addresses[SlotA] = toAddress(b);
  gemm.values.addresses[SlotB] = toAddress(a);
  gemm.values.addresses[SlotC] = gemm.values.addresses[SlotD] = toAddress(c);
  gemm.setAlignment();
  GemmKey key = gemm.makeKey();
  const Plan *plan = found.findPlan(key);
  if (!plan) {
    Expected<const Plan *> made = found.getPlan(key, gemm.desc);
    if (!made)
      return finish(made.takeError());
    plan = *made;
  }
  return found.runWithOwnWorkspace(*plan, gemm.values, toStream(stream));
}
