/* A library that calls cuBLAS, as frameworks do. The program that loads it is
 * cublas-program.c. cuBLAS is that of unittests/CublasShim, whose products
 * compute nothing. */
#include <string.h>

#include "checks.h"

typedef struct HandleTag *Handle;
int cublasCreate_v2(Handle *handle);
int cublasSgemm_v2(Handle handle, int transA, int transB, int m, int n, int k,
                   const float *alpha, const float *a, int lda, const float *b,
                   int ldb, const float *beta, float *c, int ldc);
const char *fakeCublasTakeCall(void);

enum { M = 24, N = 40, K = 16 };
static float a[M * K], b[K * N], c[M * N];
static CUdeviceptr on_a, on_b, on_c;
static Handle handle;

void prepare(void) {
  for (int i = 0; i != M * K; ++i)
    a[i] = (float)(i % 5);
  for (int i = 0; i != K * N; ++i)
    b[i] = (float)(i % 7);
  open_device(0);
  on_a = upload(a, sizeof a);
  on_b = upload(b, sizeof b);
  on_c = upload(c, sizeof c);
  CHECK(cublasCreate_v2(&handle));
}

/* Multiplies. Returns 1 if the product was computed, and is right; 0 if cuBLAS
 * was called and C is as before. All else ends the program. */
int multiply(void) {
  const float alpha = 1, beta = 0;
  memset(c, -1, sizeof c);
  CHECK(cuMemcpyHtoD(on_c, c, sizeof c));
  CHECK(cublasSgemm_v2(handle, 0, 0, M, N, K, &alpha, (const float *)on_a, M,
                       (const float *)on_b, K, &beta, (float *)on_c, M));
  CHECK(cuMemcpyDtoH(c, on_c, sizeof c));
  if (fakeCublasTakeCall()[0]) {
    unsigned bits;
    for (int i = 0; i != M * N; ++i) {
      memcpy(&bits, &c[i], sizeof bits);
      CHECK(bits != 0xffffffff);
    }
    return 0;
  }
  for (int j = 0; j != N; ++j)
    for (int i = 0; i != M; ++i) {
      float sum = 0;
      for (int k = 0; k != K; ++k)
        sum += a[k * M + i] * b[j * K + k];
      CHECK(c[j * M + i] != sum);
    }
  return 1;
}
