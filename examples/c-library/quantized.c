/* A product with weights of 4 bits by tcgemm's C library. A byte has two
 * weights of a column of B, and each 64 of them have a scale and a zero point:
 *
 *   D[i][j] = sum over k of A[i][k] * scale[j][k / 64] * (B[k][j] - zero[j][k /
 * 64])
 *
 *   gcc quantized.c -ltcgemm -lcuda -o quantized
 *
 * The kernel also computes the greatest absolute value of each row of D. The
 * program compares both with a loop on the host.
 */
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgemm.h>

enum { M = 100, N = 72, K = 256, GROUP = 64, GROUPS = K / GROUP };

static void check(int code, const char *call) {
  if (code == 0)
    return;
  fprintf(stderr, "%s: %d: %s\n", call, code, tcgemmGetLastErrorMessage());
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

/* Small integers, which bf16 holds without an error. */
static float getA(int i, int k) { return (float)((i * 5 + k) % 5 - 2); }
static uint16_t narrow(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}
static int getB(int k, int j) { return (k * 7 + j * 3) % 16; }

static uint16_t a[M * K];
static uint8_t b[N * K / 2]; /* A row for each column j: k is innermost. */
static float scales[N * GROUPS];
static uint8_t zeroPoints[N * GROUPS];
static float d[M * N], rowMaxima[M];

static float compute(int i, int j) {
  float sum = 0;
  for (int k = 0; k != K; ++k) {
    int group = j * GROUPS + k / GROUP;
    sum += getA(i, k) * scales[group] * (float)(getB(k, j) - zeroPoints[group]);
  }
  return sum;
}

static CUdeviceptr upload(const void *data, size_t bytes) {
  CUdeviceptr address;
  CHECK(cuMemAlloc(&address, bytes));
  CHECK(cuMemcpyHtoD(address, data, bytes));
  return address;
}

int main(void) {
  for (int i = 0; i != M * K; ++i)
    a[i] = narrow(getA(i / K, i % K));
  for (int j = 0; j != N; ++j)
    for (int k = 0; k != K; k += 2)
      b[(j * K + k) / 2] = (uint8_t)(getB(k, j) | getB(k + 1, j) << 4);
  for (int i = 0; i != N * GROUPS; ++i) {
    scales[i] = i % 3 ? 0.5F : 2;
    zeroPoints[i] = (uint8_t)(i % 16);
  }
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  tcgemmHandle_t handle;
  tcgemmMatmulDesc desc;
  tcgemmPlan_t plan;
  size_t workspaceBytes;
  CHECK(tcgemmCreate(&handle, TCGEMM_CURRENT_CONTEXT));
  CHECK(tcgemmMatmulDescInit(&desc));
  desc.m = M, desc.n = N, desc.k = K;
  desc.typeB = TCGEMM_U4;
  desc.typeD = TCGEMM_F32;
  desc.transB = TCGEMM_T;
  desc.groupSize = GROUP;
  desc.zeroPointType = TCGEMM_U8;
  desc.reductions = "row-amax";
  CHECK(tcgemmPlan(handle, &desc, &plan));
  CHECK(tcgemmPlanWorkspaceSize(plan, &workspaceBytes));

  tcgemmOperands operands;
  CHECK(tcgemmOperandsInit(&operands));
  operands.a = (const void *)upload(a, sizeof a);
  operands.b = (const void *)upload(b, sizeof b);
  operands.d = (void *)upload(d, sizeof d);
  operands.scaleB = (const void *)upload(scales, sizeof scales);
  operands.zeroPoints = (const void *)upload(zeroPoints, sizeof zeroPoints);
  operands.reductions[0] = (void *)upload(rowMaxima, sizeof rowMaxima);
  CUdeviceptr workspace = 0;
  if (workspaceBytes)
    CHECK(cuMemAlloc(&workspace, workspaceBytes));
  CHECK(tcgemmRunOperands(plan, &operands, (void *)workspace, workspaceBytes,
                          NULL));

  CHECK(cuMemcpyDtoH(d, (CUdeviceptr)operands.d, sizeof d));
  CHECK(cuMemcpyDtoH(rowMaxima, (CUdeviceptr)operands.reductions[0],
                     sizeof rowMaxima));
  CHECK(tcgemmPlanDestroy(plan));
  CHECK(tcgemmDestroy(handle));
  int wrong = 0;
  for (int i = 0; i != M; ++i) {
    float greatest = 0;
    for (int j = 0; j != N; ++j) {
      float expected = compute(i, j);
      wrong += d[i * N + j] != expected;
      greatest = fmaxf(greatest, fabsf(expected));
    }
    wrong += rowMaxima[i] != greatest;
  }
  printf("%d of %d elements are wrong\n", wrong, M * N + M);
  return wrong != 0;
}
