/* A matrix product by tcgemm's C library: D = relu(A * B + bias), in bf16.
 *
 *   gcc matmul.c -ltcgemm -lcuda -o matmul
 *
 * It compares the result with a loop on the host.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgemm.h>

enum { M = 100, N = 72, K = 136 };

static void check(int code, const char *call) {
  if (code == 0)
    return;
  fprintf(stderr, "%s: %d: %s\n", call, code, tcgemmGetLastErrorMessage());
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

static float widen(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Small integers, which bf16 and f32 hold without an error. */
static uint16_t draw(int i) {
  float value = (float)(i * 7 % 5 - 2);
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static uint16_t a[M * K], b[K * N];
static float bias[N], d[M * N];

static float compute(int i, int j) {
  float sum = bias[j];
  for (int k = 0; k != K; ++k)
    sum += widen(a[i * K + k]) * widen(b[k * N + j]);
  return sum > 0 ? sum : 0;
}

static CUdeviceptr upload(const void *data, size_t bytes) {
  CUdeviceptr address;
  CHECK(cuMemAlloc(&address, bytes));
  CHECK(cuMemcpyHtoD(address, data, bytes));
  return address;
}

int main(void) {
  for (int i = 0; i != M * K; ++i)
    a[i] = draw(i);
  for (int i = 0; i != K * N; ++i)
    b[i] = draw(i + 3);
  for (int i = 0; i != N; ++i)
    bias[i] = (float)(i % 9 - 4);
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
  desc.typeD = TCGEMM_F32;
  desc.epilogue = "bias_relu";
  CHECK(tcgemmPlan(handle, &desc, &plan));
  CHECK(tcgemmPlanWorkspaceSize(plan, &workspaceBytes));

  tcgemmOperands operands;
  CHECK(tcgemmOperandsInit(&operands));
  operands.a = (const void *)upload(a, sizeof a);
  operands.b = (const void *)upload(b, sizeof b);
  operands.d = (void *)upload(d, sizeof d);
  operands.epilogue[0] = (const void *)upload(bias, sizeof bias);
  CUdeviceptr workspace = 0;
  if (workspaceBytes)
    CHECK(cuMemAlloc(&workspace, workspaceBytes));
  CHECK(tcgemmRunOperands(plan, &operands, (void *)workspace, workspaceBytes,
                          NULL));

  CHECK(cuMemcpyDtoH(d, (CUdeviceptr)operands.d, sizeof d));
  CHECK(tcgemmPlanDestroy(plan));
  CHECK(tcgemmDestroy(handle));
  int wrong = 0;
  for (int i = 0; i != M; ++i)
    for (int j = 0; j != N; ++j)
      wrong += d[i * N + j] != compute(i, j);
  printf("%d of %d elements are wrong\n", wrong, M * N);
  return wrong != 0;
}
