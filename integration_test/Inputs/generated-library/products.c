/* Products of a generated library, compared with a loop on the host.
 *
 *   products COMMAND...
 *
 * A command is `run:MxNxK` with options of letters behind commas: `a` alpha,
 * `b` alpha and beta, `d` both in device memory, `x` C is D, `g`
 * tcgemmGemmEx, `s` rows with gaps, `1` addresses that are multiples of 2 only,
 * `3` three products, `h` f16 elements; or `threads`, or `errors`. Each prints
 * a line. */
#include <cuda.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgemm.h>

#include "checks.h"

static uint16_t narrow(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static float widen(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Small integers, whose sums bf16 holds without an error. */
static float draw(size_t i, int seed) {
  uint32_t bits = (uint32_t)i * 2654435761U + (uint32_t)seed * 40503U;
  return (float)((int)((bits ^ bits >> 15) % 3) - 1);
}

struct Matrix {
  size_t rows, columns, ld, batch, shift;
  uint16_t *values;
  CUdeviceptr memory, address;
};

static size_t getCount(const struct Matrix *matrix) {
  return matrix->batch * matrix->rows * matrix->ld;
}

/* `shift` is the distance of the address from a multiple of 256, in elements.
 */
static struct Matrix make(size_t batch, size_t rows, size_t columns, size_t gap,
                          size_t shift, int seed) {
  struct Matrix matrix = {rows, columns, columns + gap, batch, shift, 0, 0, 0};
  size_t count = getCount(&matrix);
  matrix.values = malloc((count + 1) * sizeof *matrix.values);
  for (size_t i = 0; i != count; ++i)
    matrix.values[i] = narrow(draw(i, seed));
  CHECK(cuMemAlloc(&matrix.memory, (count + shift + 1) * 2));
  matrix.address = matrix.memory + 2 * shift;
  CHECK(cuMemcpyHtoD(matrix.address, matrix.values, count * 2));
  return matrix;
}

static void release(struct Matrix *matrix) {
  CHECK(cuMemFree(matrix->memory));
  free(matrix->values);
}

static float get(const struct Matrix *matrix, size_t batch, size_t row,
                 size_t column) {
  return widen(
      matrix->values[(batch * matrix->rows + row) * matrix->ld + column]);
}

static int has(const char *options, char letter) {
  return options && strchr(options, letter);
}

static size_t countWrong(const struct Matrix *a, const struct Matrix *b,
                         const struct Matrix *c, const struct Matrix *d,
                         float alpha, float beta) {
  size_t wrong = 0;
  for (size_t batch = 0; batch != d->batch; ++batch)
    for (size_t i = 0; i != d->rows; ++i)
      for (size_t j = 0; j != d->columns; ++j) {
        float sum = 0;
        for (size_t k = 0; k != a->columns; ++k)
          sum += get(a, batch, i, k) * get(b, batch, j, k);
        float expected = alpha * sum + beta * get(c, batch, i, j);
        wrong += widen(narrow(expected)) != get(d, batch, i, j);
      }
  return wrong;
}

struct Run {
  size_t m, n, k, batch;
  const char *options;
  float alpha, beta;
};

/* A is M x K, and B is stored as N x K: the layout tn. */
static tcgemmStatus plan(tcgemmHandle_t handle, const struct Run *run,
                         size_t gap, tcgemmPlan_t *result) {
  tcgemmMatmulDesc desc;
  CHECK(tcgemmMatmulDescInit(&desc));
  desc.m = (int64_t)run->m;
  desc.n = (int64_t)run->n;
  desc.k = (int64_t)run->k;
  desc.batch = (int64_t)run->batch;
  desc.transB = TCGEMM_T;
  if (gap) {
    desc.lda = desc.ldb = (int64_t)(run->k + gap);
    desc.ldc = desc.ldd = (int64_t)(run->n + gap);
  }
  desc.scaling = has(run->options, 'b') || has(run->options, 'd')
                     ? TCGEMM_ALPHA_BETA
                 : has(run->options, 'a') ? TCGEMM_ALPHA
                                          : TCGEMM_UNSCALED;
  if (has(run->options, 'd'))
    desc.pointerMode = TCGEMM_POINTER_DEVICE;
  if (has(run->options, '1'))
    desc.alignment = 2;
  if (has(run->options, 'h'))
    desc.typeA = desc.typeB = desc.typeD = TCGEMM_F16;
  return tcgemmPlan(handle, &desc, result);
}

static void runPlan(tcgemmPlan_t plan, const struct Run *run,
                    const struct Matrix *a, const struct Matrix *b,
                    const struct Matrix *c, const struct Matrix *d) {
  size_t bytes;
  CUdeviceptr workspace = 0;
  tcgemmOperands operands;
  CHECK(tcgemmPlanWorkspaceSize(plan, &bytes));
  if (bytes)
    CHECK(cuMemAlloc(&workspace, bytes));
  CHECK(tcgemmOperandsInit(&operands));
  operands.a = (const void *)a->address;
  operands.b = (const void *)b->address;
  if (has(run->options, 'b') || has(run->options, 'd'))
    operands.c = (const void *)c->address;
  operands.d = (void *)d->address;
  if (has(run->options, 'd')) {
    operands.alphaPointer =
        (const void *)upload(&run->alpha, sizeof run->alpha);
    operands.betaPointer = (const void *)upload(&run->beta, sizeof run->beta);
  } else {
    operands.alpha = run->alpha;
    operands.beta = run->beta;
  }
  CHECK(tcgemmRunOperands(plan, &operands, (void *)workspace, bytes, NULL));
  if (bytes)
    CHECK(cuMemFree(workspace));
}

/* The same product with column-major arguments: D is N x M there. */
static void runGemm(tcgemmHandle_t handle, const struct Run *run,
                    const struct Matrix *a, const struct Matrix *b,
                    const struct Matrix *d) {
  CHECK(tcgemmGemmEx(
      handle, TCGEMM_T, TCGEMM_N, (int64_t)run->n, (int64_t)run->m,
      (int64_t)run->k, &run->alpha, (const void *)b->address, TCGEMM_BF16,
      (int64_t)b->ld, (const void *)a->address, TCGEMM_BF16, (int64_t)a->ld,
      &run->beta, (void *)d->address, TCGEMM_BF16, (int64_t)d->ld, NULL));
}

/* The context of the handle. */
static CUcontext current;

static void runProduct(tcgemmHandle_t handle, const char *text) {
  struct Run run = {0, 0, 0, 1, strchr(text, ','), 1, 0};
  if (sscanf(text, "%zux%zux%zu", &run.m, &run.n, &run.k) != 3)
    exit(2);
  if (has(run.options, '3'))
    run.batch = 3;
  if (has(run.options, 'a') || has(run.options, 'b') || has(run.options, 'd'))
    run.alpha = -2;
  if (has(run.options, 'b') || has(run.options, 'd'))
    run.beta = 4;
  size_t gap = has(run.options, 's') ? 8 : 0;
  size_t shift = has(run.options, '1') ? 1 : 0;
  tcgemmPlan_t planned = NULL;
  if (!has(run.options, 'g')) {
    /* Plans need no current context. */
    CHECK(cuCtxSetCurrent(NULL));
    tcgemmStatus status = plan(handle, &run, gap, &planned);
    CHECK(cuCtxSetCurrent(current));
    if (status) {
      report(text, status);
      return;
    }
  }
  struct Matrix a = make(run.batch, run.m, run.k, gap, shift, 0);
  struct Matrix b = make(run.batch, run.n, run.k, gap, shift, 1);
  struct Matrix c = make(run.batch, run.m, run.n, gap, shift, 2);
  struct Matrix d = make(run.batch, run.m, run.n, gap, shift, 2);
  if (has(run.options, 'g'))
    runGemm(handle, &run, &a, &b, &d);
  else
    runPlan(planned, &run, &a, &b, has(run.options, 'x') ? &d : &c, &d);
  CHECK(cuMemcpyDtoH(d.values, d.address, getCount(&d) * 2));
  const char *config = "";
  if (planned)
    CHECK(tcgemmPlanConfig(planned, &config));
  printf("%s: %zu of %zu wrong, %.*s\n", text,
         countWrong(&a, &b, &c, &d, run.alpha, run.beta),
         run.batch * run.m * run.n,
         (int)(strcspn(config, "]") + (*config != 0)), config);
  CHECK(tcgemmPlanDestroy(planned));
  release(&a);
  release(&b);
  release(&c);
  release(&d);
}

/* Threads that share a handle. Each also opens and closes one of its own. */
enum { NUM_THREADS = 8, NUM_CALLS = 6 };

struct Thread {
  pthread_t id;
  tcgemmHandle_t handle;
  CUcontext context;
  size_t wrong;
};

static void *runThread(void *argument) {
  struct Thread *thread = argument;
  struct Run run = {33, 40, 96, 1, "", 1, 0};
  CHECK(cuCtxSetCurrent(thread->context));
  for (int i = 0; i != NUM_CALLS; ++i) {
    tcgemmHandle_t own;
    CHECK(tcgemmCreate(&own, TCGEMM_CURRENT_CONTEXT));
    struct Matrix a = make(1, run.m, run.k, 0, 0, i);
    struct Matrix b = make(1, run.n, run.k, 0, 0, 1);
    struct Matrix d = make(1, run.m, run.n, 0, 0, 2);
    runGemm(i % 3 ? thread->handle : own, &run, &a, &b, &d);
    CHECK(tcgemmDestroy(own));
    CHECK(cuMemcpyDtoH(d.values, d.address, getCount(&d) * 2));
    thread->wrong += countWrong(&a, &b, &d, &d, 1, 0);
    release(&a);
    release(&b);
    release(&d);
  }
  return NULL;
}

static void runThreads(tcgemmHandle_t handle, CUcontext context) {
  struct Thread threads[NUM_THREADS];
  size_t wrong = 0;
  for (int i = 0; i != NUM_THREADS; ++i) {
    threads[i].handle = handle;
    threads[i].context = context;
    threads[i].wrong = 0;
    if (pthread_create(&threads[i].id, NULL, runThread, &threads[i]))
      exit(1);
  }
  for (int i = 0; i != NUM_THREADS; ++i) {
    pthread_join(threads[i].id, NULL);
    wrong += threads[i].wrong;
  }
  printf("%d threads: %zu wrong\n", NUM_THREADS, wrong);
}

/* Calls that a library of 64x64x64 refuses. */
static void printErrors(tcgemmHandle_t handle) {
  struct Run run = {64, 64, 64, 1, "", 1, 0};
  tcgemmPlan_t planned = NULL;
  tcgemmMatmulDesc desc;
  CHECK(tcgemmMatmulDescInit(&desc));
  desc.m = desc.n = desc.k = 64;
  desc.transB = TCGEMM_T;
  desc.epilogue = "gelu";
  report("epilogue", tcgemmPlan(handle, &desc, &planned));
  desc.epilogue = "none";
  desc.config = "stages=2";
  report("config", tcgemmPlan(handle, &desc, &planned));
  desc.config = NULL;
  desc.epilogueBody = "%result = math.absf %sum : f32";
  report("body", tcgemmPlan(handle, &desc, &planned));
  desc.epilogueBody = NULL;
  desc.dual = "add";
  report("dual", tcgemmPlan(handle, &desc, &planned));
  desc.dual = NULL;
  desc.groupSize = 64;
  report("scales", tcgemmPlan(handle, &desc, &planned));
  desc.groupSize = 0;
  desc.reductions = "amax";
  report("reductions", tcgemmPlan(handle, &desc, &planned));
  desc.reductions = NULL;
  desc.algebra = "max-plus";
  report("algebra", tcgemmPlan(handle, &desc, &planned));
  desc.algebra = NULL;
  desc.ldc = 5; /* The product has no C. */
  report("ldc", tcgemmPlan(handle, &desc, &planned));
  report("tune", tcgemmTunePlan(handle, planned));
  CHECK(tcgemmPlanDestroy(planned));
  desc.scaling = TCGEMM_ALPHA;
  desc.ldc = 5;
  report("alpha, ldc", tcgemmPlan(handle, &desc, &planned));
  CHECK(tcgemmPlanDestroy(planned));
  desc.scaling = TCGEMM_ALPHA_BETA;
  report("beta, ldc", tcgemmPlan(handle, &desc, &planned));
  desc.scaling = TCGEMM_UNSCALED;
  desc.ldc = TCGEMM_DENSE;
  desc.lda = 63;
  report("lda", tcgemmPlan(handle, &desc, &planned));
  desc.lda = TCGEMM_DENSE;
  desc.typeA = (tcgemmType)77;
  report("type", tcgemmPlan(handle, &desc, &planned));
  desc.structSize = 5;
  report("size", tcgemmPlan(handle, &desc, &planned));
  tcgemmContractionDesc contraction;
  CHECK(tcgemmContractionDescInit(&contraction));
  report("contraction", tcgemmPlanContraction(handle, &contraction, &planned));
  tcgemmGroupedDesc groups;
  CHECK(tcgemmGroupedDescInit(&groups));
  report("groups", tcgemmPlanGrouped(handle, &groups, &planned));
  report("handle", tcgemmPlan((tcgemmHandle_t)&run, &desc, &planned));
  report("plan", tcgemmRun(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK(plan(handle, &run, 0, &planned));
  report("null",
         tcgemmRun(planned, (void *)256, NULL, NULL, (void *)256, NULL, NULL));
  report("address", tcgemmRun(planned, (void *)258, (void *)256, NULL,
                              (void *)256, NULL, NULL));
  tcgemmOperands operands;
  CHECK(tcgemmOperandsInit(&operands));
  operands.a = operands.b = operands.d = (void *)256;
  operands.alpha = 2;
  report("alpha", tcgemmRunOperands(planned, &operands, NULL, 0, NULL));
  operands.alpha = 1;
  operands.c = (void *)256;
  report("unread", tcgemmRunOperands(planned, &operands, NULL, 0, NULL));
  operands.c = NULL;
  report("shared", tcgemmRunOperands(planned, &operands, NULL, 0, NULL));
  CHECK(tcgemmPlanDestroy(planned));
  report("device", tcgemmCreate(&handle, 99));
}

int main(int argc, char **argv) {
  const char *number = getenv("TEST_DEVICE");
  tcgemmHandle_t handle;
  current = open_device(number ? atoi(number) : 0);
  CHECK(tcgemmCreate(&handle, TCGEMM_CURRENT_CONTEXT));
  for (int i = 1; i != argc; ++i)
    if (!strncmp(argv[i], "run:", 4))
      runProduct(handle, argv[i] + 4);
    else if (!strcmp(argv[i], "threads"))
      runThreads(handle, current);
    else if (!strcmp(argv[i], "errors"))
      printErrors(handle);
    else
      return 2;
  CHECK(tcgemmDestroy(handle));
  return 0;
}
