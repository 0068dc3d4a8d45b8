/* A layer of experts by tcgemm's C library. Each group of rows of X has an
 * expert, whose matrix multiplies it. Then come the gradients of these
 * matrices, which are sums over the rows of each expert:
 *
 *   Y[i][j] = sum over k of X[i][k] * W[expert of row i][k][j]
 *   dW[e][k][j] = sum over the rows i of expert e of X[i][k] * dY[i][j]
 *
 *   gcc experts.c -ltcgemm -lcuda -o experts
 *
 * Only the kernels read the ends of the groups: neither the plans nor the runs
 * wait for their values. The program compares both results with loops on the
 * host. Groups need a GPU of compute capability 9.0.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgemm.h>

enum { ROWS = 100, N = 72, K = 40, EXPERTS = 4 };
/* The second expert has no rows, and the last rows have no expert. */
static const int32_t ends[EXPERTS] = {37, 37, 80, 96};

static void check(int code, const char *call) {
  if (code == 0)
    return;
  fprintf(stderr, "%s: %d: %s\n", call, code, tcgemmGetLastErrorMessage());
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

/* Small integers, which bf16 holds without an error. */
static float getX(int i, int k) { return (float)((i * 5 + k) % 5 - 2); }
static float getW(int e, int k, int j) {
  return (float)((e * 3 + k * 7 + j) % 3 - 1);
}
static float getDY(int i, int j) { return (float)((i + j * 2) % 3 - 1); }
static uint16_t narrow(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static uint16_t x[ROWS * K], w[EXPERTS * K * N], dy[ROWS * N];
static float y[ROWS * N], dw[EXPERTS * K * N];

static CUdeviceptr upload(const void *data, size_t bytes) {
  CUdeviceptr address;
  CHECK(cuMemAlloc(&address, bytes));
  CHECK(cuMemcpyHtoD(address, data, bytes));
  return address;
}

/* Plans a product, and runs it once. */
static void multiply(tcgemmHandle_t handle, const tcgemmGroupedDesc *desc,
                     CUdeviceptr a, CUdeviceptr b, CUdeviceptr offsets,
                     CUdeviceptr d) {
  tcgemmPlan_t plan;
  tcgemmOperands operands;
  size_t bytes;
  CUdeviceptr workspace = 0;
  CHECK(tcgemmPlanGrouped(handle, desc, &plan));
  CHECK(tcgemmPlanWorkspaceSize(plan, &bytes));
  if (bytes)
    CHECK(cuMemAlloc(&workspace, bytes));
  CHECK(tcgemmOperandsInit(&operands));
  operands.a = (const void *)a;
  operands.b = (const void *)b;
  operands.offsets = (const void *)offsets;
  operands.d = (void *)d;
  CHECK(tcgemmRunOperands(plan, &operands, (void *)workspace, bytes, NULL));
  CHECK(cuStreamSynchronize(NULL));
  if (bytes)
    CHECK(cuMemFree(workspace));
  CHECK(tcgemmPlanDestroy(plan));
}

/* Counts the elements of a row that differ from a loop's sums. */
static int countWrongRow(int e, int i) {
  int wrong = 0;
  for (int j = 0; j != N; ++j) {
    float sum = 0;
    for (int k = 0; k != K; ++k)
      sum += getX(i, k) * getW(e, k, j);
    wrong += y[i * N + j] != sum;
  }
  return wrong;
}

static int countWrongGradients(int e, int begin, int end) {
  int wrong = 0;
  for (int k = 0; k != K; ++k)
    for (int j = 0; j != N; ++j) {
      float sum = 0;
      for (int i = begin; i != end; ++i)
        sum += getX(i, k) * getDY(i, j);
      wrong += dw[(e * K + k) * N + j] != sum;
    }
  return wrong;
}

static void setMatrices(void) {
  for (int i = 0; i != ROWS; ++i) {
    for (int k = 0; k != K; ++k)
      x[i * K + k] = narrow(getX(i, k));
    for (int j = 0; j != N; ++j)
      dy[i * N + j] = narrow(getDY(i, j));
  }
  for (int e = 0; e != EXPERTS; ++e)
    for (int k = 0; k != K; ++k)
      for (int j = 0; j != N; ++j)
        w[(e * K + k) * N + j] = narrow(getW(e, k, j));
}

int main(void) {
  CUdevice device;
  CUcontext context;
  tcgemmHandle_t handle;
  tcgemmGroupedDesc desc;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(tcgemmCreate(&handle, TCGEMM_CURRENT_CONTEXT));
  setMatrices();
  CUdeviceptr onX = upload(x, sizeof x), onW = upload(w, sizeof w),
              onDY = upload(dy, sizeof dy), offsets = upload(ends, sizeof ends),
              onY = upload(y, sizeof y), onDW = upload(dw, sizeof dw);

  CHECK(tcgemmGroupedDescInit(&desc));
  desc.typeD = TCGEMM_F32;
  desc.m = ROWS, desc.n = N, desc.k = K, desc.groups = EXPERTS;
  multiply(handle, &desc, onX, onW, offsets, onY);

  /* A is the transpose of X, and the rows are the terms of the sums. */
  desc.kind = TCGEMM_GROUPS_ALONG_K;
  desc.transA = TCGEMM_T;
  desc.m = K, desc.n = N, desc.k = ROWS;
  multiply(handle, &desc, onX, onDY, offsets, onDW);

  CHECK(cuMemcpyDtoH(y, onY, sizeof y));
  CHECK(cuMemcpyDtoH(dw, onDW, sizeof dw));
  CHECK(tcgemmDestroy(handle));
  int wrong = 0, begin = 0;
  for (int e = 0; e != EXPERTS; ++e) {
    for (int i = begin; i != ends[e]; ++i)
      wrong += countWrongRow(e, i);
    wrong += countWrongGradients(e, begin, ends[e]);
    begin = ends[e];
  }
  printf("%d of %d elements are wrong\n", wrong, begin * N + EXPERTS * K * N);
  return wrong != 0;
}
