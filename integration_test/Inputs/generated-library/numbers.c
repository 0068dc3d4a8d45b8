/* Products of complex matrices of f64 by a generated library (numbers.mlir),
 * compared with loops on the host. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgemm_function.h>

#include "checks.h"

enum { M = 20, N = 18, K = 24 };

/* Small integers. */
static double *drawNumbers(size_t count, size_t seed) {
  double *values = malloc(2 * count * sizeof *values);
  for (size_t i = 0; i != 2 * count; ++i) {
    uint32_t bits = (uint32_t)(i + seed) * 2654435761U;
    values[i] = (double)((int)((bits ^ bits >> 15) % 5) - 2);
  }
  return values;
}

static tcgemmShape makeShape(size_t rows, size_t columns) {
  tcgemmShape shape = {3,
                       {(int64_t)rows, (int64_t)columns, 2},
                       {TCGEMM_DENSE, TCGEMM_DENSE, TCGEMM_DENSE}};
  return shape;
}

/* Adds the products to `sums`. */
static void multiply(const double *a, const double *b, int alongK,
                     double *sums) {
  for (size_t m = 0; m != M; ++m)
    for (size_t n = 0; n != N; ++n)
      for (size_t k = 0; k != K; ++k) {
        const double *x = a + 2 * (m * K + k);
        const double *y = b + 2 * (alongK ? n * K + k : k * N + n);
        double *sum = sums + 2 * (m * N + n);
        sum[0] += x[0] * y[0] - x[1] * y[1];
        sum[1] += x[0] * y[1] + x[1] * y[0];
      }
}

static void run(tcgemmHandle_t handle, const char *name, int alongK) {
  const size_t bytesOfD = 2 * M * N * sizeof(double);
  double *a = drawNumbers(M * K, 0), *b = drawNumbers(N * K, 77),
         *c = drawNumbers(M * N, 99), *d = malloc(bytesOfD);
  tcgemmShape shapes[] = {makeShape(M, K), makeShape(K, N), makeShape(M, N),
                          makeShape(M, N)};
  if (alongK)
    shapes[1] = makeShape(N, K);
  tcgemmPlan_t plan;
  size_t bytes, wrong = 0;
  CUdeviceptr workspace = 0, result;
  CHECK(tcgemmPlanFunction(handle, name, shapes, 4, 16, &plan));
  CHECK(tcgemmPlanWorkspaceSize(plan, &bytes));
  if (bytes)
    CHECK(cuMemAlloc(&workspace, bytes));
  CHECK(cuMemAlloc(&result, bytesOfD));
  tcgemmValue values[] = {{(void *)upload(a, 2 * M * K * sizeof(double)), 0},
                          {(void *)upload(b, 2 * N * K * sizeof(double)), 0},
                          {(void *)upload(c, bytesOfD), 0},
                          {(void *)result, 0}};
  CHECK(tcgemmRunFunction(plan, values, 4, (void *)workspace, bytes, NULL));
  CHECK(cuMemcpyDtoH(d, result, bytesOfD));
  multiply(a, b, alongK, c);
  for (size_t i = 0; i != 2 * M * N; ++i)
    wrong += d[i] != c[i];
  printf("%s: %zu of %d wrong\n", name, wrong, 2 * M * N);
  CHECK(tcgemmPlanDestroy(plan));
  shapes[1].sizes[0] -= 1;
  report("sizes", tcgemmPlanFunction(handle, name, shapes, 4, 16, &plan));
  free(a);
  free(b);
  free(c);
  free(d);
}

int main(void) {
  tcgemmHandle_t handle;
  open_device(0);
  CHECK(tcgemmCreate(&handle, 0));
  run(handle, "along_n", 0);
  run(handle, "along_k", 1);
  CHECK(tcgemmDestroy(handle));
  return 0;
}
