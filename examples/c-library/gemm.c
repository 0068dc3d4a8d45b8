/* A product of column-major matrices, as cublasGemmEx computes it, in place:
 * C = 2 * A * B^T + C.
 *
 *   gcc gemm.c -ltcgemm -lcuda -o gemm
 *
 * It compares the result with a loop on the host.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tcgemm.h>

enum { M = 70, N = 33, K = 51 };

static void check(int code, const char *call) {
  if (code == 0)
    return;
  fprintf(stderr, "%s: %d: %s\n", call, code, tcgemmGetLastErrorMessage());
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

static float a[M * K], b[N * K], c[M * N], expected[M * N];

static void fill(float *data, int count) {
  for (int i = 0; i != count; ++i)
    data[i] = (float)(i * 7 % 11 - 5);
}

static CUdeviceptr upload(const void *data, size_t bytes) {
  CUdeviceptr address;
  CHECK(cuMemAlloc(&address, bytes));
  CHECK(cuMemcpyHtoD(address, data, bytes));
  return address;
}

int main(void) {
  fill(a, M * K);
  fill(b, N * K);
  fill(c, M * N);
  for (int j = 0; j != N; ++j)
    for (int i = 0; i != M; ++i) {
      float sum = 0;
      for (int k = 0; k != K; ++k)
        sum += a[k * M + i] * b[k * N + j];
      expected[j * M + i] = 2 * sum + c[j * M + i];
    }
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUdeviceptr on_a = upload(a, sizeof a), on_b = upload(b, sizeof b),
              on_c = upload(c, sizeof c);

  tcgemmHandle_t handle;
  const float alpha = 2, beta = 1;
  CHECK(tcgemmCreate(&handle, TCGEMM_CURRENT_CONTEXT));
  CHECK(tcgemmGemmEx(handle, TCGEMM_N, TCGEMM_T, M, N, K, &alpha,
                     (const void *)on_a, TCGEMM_F32, M, (const void *)on_b,
                     TCGEMM_F32, N, &beta, (void *)on_c, TCGEMM_F32, M, NULL));
  CHECK(tcgemmDestroy(handle));

  CHECK(cuMemcpyDtoH(c, on_c, sizeof c));
  int wrong = 0;
  for (int i = 0; i != M * N; ++i)
    wrong += c[i] != expected[i];
  printf("%d of %d elements are wrong\n", wrong, M * N);
  return wrong != 0;
}
