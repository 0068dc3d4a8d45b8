/* Functions of a generated library (functions.mlir), compared with loops on the
 * host.
 *
 *   functions M N [affine]: of `chain`, M is the number of rows. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgemm_function.h>

#include "checks.h"

/* Small integers, which bf16 holds without an error. */
static float draw(size_t i) {
  uint32_t bits = (uint32_t)i * 2654435761U;
  return (float)((int)((bits ^ bits >> 15) % 3) - 1);
}

static CUdeviceptr makeMatrix(size_t count, float *values) {
  uint16_t *halves = malloc(count * sizeof *halves);
  for (size_t i = 0; i != count; ++i) {
    uint32_t bits;
    values[i] = draw(i + count);
    memcpy(&bits, &values[i], sizeof bits);
    halves[i] = (uint16_t)(bits >> 16);
  }
  CUdeviceptr address = upload(halves, count * sizeof *halves);
  free(halves);
  return address;
}

static float *multiply(const float *a, const float *b, size_t m, size_t n,
                       size_t k) {
  float *d = calloc(m * n, sizeof *d);
  for (size_t i = 0; i != m; ++i)
    for (size_t j = 0; j != n; ++j)
      for (size_t l = 0; l != k; ++l)
        d[i * n + j] += a[i * k + l] * b[l * n + j];
  return d;
}

static tcgemmShape makeShape(size_t rows, size_t columns) {
  tcgemmShape shape = {
      2, {(int64_t)rows, (int64_t)columns}, {TCGEMM_DENSE, TCGEMM_DENSE}};
  return shape;
}

/* Runs a function whose last argument is its result, and counts the elements
   that differ from `expected`. */
static void run(tcgemmHandle_t handle, const char *name,
                const tcgemmShape *shapes, tcgemmValue *values, unsigned count,
                const float *expected, size_t elements) {
  tcgemmPlan_t plan;
  size_t bytes, wrong = 0;
  CUdeviceptr workspace = 0, result;
  float *d = malloc(elements * sizeof *d);
  CHECK(cuMemAlloc(&result, elements * sizeof *d));
  values[count - 1].address = (void *)result;
  CHECK(tcgemmPlanFunction(handle, name, shapes, count, 16, &plan));
  CHECK(tcgemmPlanWorkspaceSize(plan, &bytes));
  if (bytes) {
    CHECK(cuMemAlloc(&workspace, bytes));
    report("small workspace",
           tcgemmRunFunction(plan, values, count, (void *)workspace, bytes - 1,
                             NULL));
  }
  report("values", tcgemmRunFunction(plan, values, count - 1, (void *)workspace,
                                     bytes, NULL));
  report("product", tcgemmRun(plan, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK(tcgemmRunFunction(plan, values, count, (void *)workspace, bytes, NULL));
  CHECK(cuMemcpyDtoH(d, result, elements * sizeof *d));
  for (size_t i = 0; i != elements; ++i)
    wrong += d[i] != expected[i];
  printf("%s: %zu of %zu wrong\n", name, wrong, elements);
  CHECK(tcgemmPlanDestroy(plan));
  free(d);
}

static void runChain(tcgemmHandle_t handle, size_t m) {
  const size_t n = 48, k = 64, last = 40;
  float *a = malloc(m * k * sizeof *a), *b = malloc(k * n * sizeof *b);
  float *c = malloc(n * last * sizeof *c);
  tcgemmShape shapes[] = {makeShape(m, k), makeShape(k, n), makeShape(n, last),
                          makeShape(m, last)};
  tcgemmValue values[4] = {{(void *)makeMatrix(m * k, a), 0},
                           {(void *)makeMatrix(k * n, b), 0},
                           {(void *)makeMatrix(n * last, c), 0}};
  float *product = multiply(a, b, m, n, k);
  for (size_t i = 0; i != m * n; ++i)
    product[i] = product[i] > 0 ? product[i] : 0;
  run(handle, "chain", shapes, values, 4, multiply(product, c, m, last, n),
      m * last);
  tcgemmPlan_t plan = NULL;
  shapes[1].sizes[1] = 47;
  report("static", tcgemmPlanFunction(handle, "chain", shapes, 4, 16, &plan));
  shapes[1].sizes[1] = 48;
  shapes[3].sizes[0] = (int64_t)m + 1;
  report("rows", tcgemmPlanFunction(handle, "chain", shapes, 4, 16, &plan));
  shapes[3].rank = 1;
  report("rank", tcgemmPlanFunction(handle, "chain", shapes, 4, 16, &plan));
  report("count", tcgemmPlanFunction(handle, "chain", shapes, 3, 16, &plan));
  report("align", tcgemmPlanFunction(handle, "chain", shapes, 4, 3, &plan));
  report("name", tcgemmPlanFunction(handle, "chains", shapes, 4, 16, &plan));
}

static void runAffine(tcgemmHandle_t handle, size_t m, size_t n) {
  const size_t k = 72;
  const float factor = -1.5F;
  float *a = malloc(m * k * sizeof *a), *b = malloc(k * n * sizeof *b);
  tcgemmShape scalar = {0, {0}, {0}};
  tcgemmShape shapes[] = {makeShape(m, k), makeShape(k, n), scalar,
                          makeShape(m, n)};
  tcgemmValue values[4] = {{(void *)makeMatrix(m * k, a), 0},
                           {(void *)makeMatrix(k * n, b), 0},
                           {NULL, factor}};
  float *expected = multiply(a, b, m, n, k);
  for (size_t i = 0; i != m * n; ++i)
    expected[i] = factor * expected[i] + 1;
  run(handle, "affine", shapes, values, 4, expected, m * n);
}

/* Two results, and constants of the module. */
static void runWeights(tcgemmHandle_t handle, size_t m) {
  static const float b[] = {1, 2, 3, -1, 4, .5F, 2, -2, 8, .25F, 7, -3};
  static float ones[4 * 5];
  for (size_t i = 0; i != 4 * 5; ++i)
    ones[i] = 1;
  float *a = malloc(m * 4 * sizeof *a), *d = malloc(m * 8 * sizeof *d);
  tcgemmShape shapes[] = {makeShape(m, 4), makeShape(m, 3), makeShape(m, 5)};
  CUdeviceptr results, other, workspace = 0;
  CHECK(cuMemAlloc(&results, m * 3 * sizeof *d));
  CHECK(cuMemAlloc(&other, m * 5 * sizeof *d));
  tcgemmValue values[] = {{(void *)makeMatrix(m * 4, a), 0},
                          {(void *)results, 0},
                          {(void *)other, 0}};
  tcgemmPlan_t plan;
  size_t bytes, wrong = 0;
  CHECK(tcgemmPlanFunction(handle, "weights", shapes, 3, 16, &plan));
  CHECK(tcgemmPlanWorkspaceSize(plan, &bytes));
  if (bytes)
    CHECK(cuMemAlloc(&workspace, bytes));
  CHECK(tcgemmRunFunction(plan, values, 3, (void *)workspace, bytes, NULL));
  float *products[] = {multiply(a, b, m, 3, 4), multiply(a, ones, m, 5, 4)};
  CHECK(cuMemcpyDtoH(d, results, m * 3 * sizeof *d));
  for (size_t i = 0; i != m * 3; ++i)
    wrong += d[i] != products[0][i];
  CHECK(cuMemcpyDtoH(d, other, m * 5 * sizeof *d));
  for (size_t i = 0; i != m * 5; ++i)
    wrong += d[i] != products[1][i];
  printf("weights: %zu of %zu wrong\n", wrong, m * 8);
  CHECK(tcgemmPlanDestroy(plan));
}

static float widen(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void runTransposed(tcgemmHandle_t handle, size_t m) {
  const size_t n = 48, k = 64;
  float *a = malloc(m * k * sizeof *a), *b = malloc(k * n * sizeof *b);
  float *d = malloc(m * n * sizeof *d);
  uint16_t *turned = malloc(m * k * sizeof *turned);
  tcgemmShape shapes[] = {makeShape(m, k), makeShape(k, n), makeShape(m, n),
                          makeShape(k, m)};
  CUdeviceptr results, other, workspace = 0;
  CHECK(cuMemAlloc(&results, m * n * sizeof *d));
  CHECK(cuMemAlloc(&other, m * k * sizeof *turned));
  tcgemmValue values[] = {{(void *)makeMatrix(m * k, a), 0},
                          {(void *)makeMatrix(k * n, b), 0},
                          {(void *)results, 0},
                          {(void *)other, 0}};
  tcgemmPlan_t plan;
  size_t bytes, wrong = 0;
  CHECK(tcgemmPlanFunction(handle, "transposed", shapes, 4, 16, &plan));
  CHECK(tcgemmPlanWorkspaceSize(plan, &bytes));
  if (bytes)
    CHECK(cuMemAlloc(&workspace, bytes));
  CHECK(tcgemmRunFunction(plan, values, 4, (void *)workspace, bytes, NULL));
  CHECK(cuMemcpyDtoH(d, results, m * n * sizeof *d));
  CHECK(cuMemcpyDtoH(turned, other, m * k * sizeof *turned));
  float *product = multiply(a, b, m, n, k);
  for (size_t i = 0; i != m * n; ++i)
    wrong += d[i] != product[i];
  for (size_t i = 0; i != m; ++i)
    for (size_t l = 0; l != k; ++l)
      wrong += widen(turned[l * m + i]) != a[i * k + l];
  printf("transposed: %zu of %zu wrong\n", wrong, m * (n + k));
  CHECK(tcgemmPlanDestroy(plan));
  shapes[3].sizes[1] = (int64_t)m + 1;
  report("columns",
         tcgemmPlanFunction(handle, "transposed", shapes, 4, 16, &plan));
  shapes[3].sizes[1] = (int64_t)m;
  shapes[3].strides[0] = (int64_t)m + 8;
  report("gaps",
         tcgemmPlanFunction(handle, "transposed", shapes, 4, 16, &plan));
}

static void runFilled(tcgemmHandle_t handle) {
  const size_t m = 32, n = 48, k = 64, side = 8;
  float *a = malloc(m * k * sizeof *a), *b = malloc(k * n * sizeof *b);
  float d[8 * 8];
  tcgemmShape shapes[] = {makeShape(m, k), makeShape(k, n), makeShape(m, n),
                          makeShape(side, side)};
  CUdeviceptr product, filled;
  CHECK(cuMemAlloc(&product, m * n * sizeof *a));
  CHECK(cuMemAlloc(&filled, sizeof d));
  tcgemmValue values[] = {{(void *)makeMatrix(m * k, a), 0},
                          {(void *)makeMatrix(k * n, b), 0},
                          {(void *)product, 0},
                          {(void *)filled, 0}};
  tcgemmPlan_t plan;
  size_t wrong = 0;
  CHECK(tcgemmPlanFunction(handle, "filled", shapes, 4, 16, &plan));
  CHECK(tcgemmRunFunction(plan, values, 4, NULL, 0, NULL));
  CHECK(cuMemcpyDtoH(d, filled, sizeof d));
  for (size_t i = 0; i != side * side; ++i)
    wrong += d[i] != .5F;
  printf("filled: %zu of %zu wrong\n", wrong, side * side);
  CHECK(tcgemmPlanDestroy(plan));
  shapes[3].strides[0] = 16;
  report("rows with gaps",
         tcgemmPlanFunction(handle, "filled", shapes, 4, 16, &plan));
}

int main(int argc, char **argv) {
  tcgemmHandle_t handle;
  if (argc < 3)
    return 2;
  open_device(0);
  CHECK(tcgemmCreate(&handle, TCGEMM_CURRENT_CONTEXT));
  for (unsigned i = 0; i != tcgemmGetFunctionCount(); ++i) {
    const char *name;
    unsigned count;
    CHECK(tcgemmGetFunction(i, &name, &count));
    printf("function %s, %u arguments\n", name, count);
  }
  report("index", tcgemmGetFunction(99, NULL, NULL));
  if (argc == 3)
    runChain(handle, (size_t)atoi(argv[1]));
  runAffine(handle, (size_t)atoi(argv[1]), (size_t)atoi(argv[2]));
  runWeights(handle, (size_t)atoi(argv[1]));
  runTransposed(handle, (size_t)atoi(argv[1]));
  runFilled(handle);
  CHECK(tcgemmDestroy(handle));
  return 0;
}
