/* What the C library does when a process is forked or memory is full:
 *
 *   library-faults fork|memory
 */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <tcgemm.h>
#include <unistd.h>

#include "checks.h"

/* Rows of A and B are not aligned, so that they are packed into a workspace. */
enum { M = 31, N = 33, K = 35 };
static unsigned short a[M * K], b[K * N], c[M * N], expected[M * N];
static CUdeviceptr on_a, on_b, on_c;
static CUcontext context;
static tcgemmHandle_t handle;

/* Integers up to 255 are exact in bf16, as the upper half of an f32. */
static unsigned short round_integer(int value) {
  float wide = (float)value;
  unsigned bits;
  memcpy(&bits, &wide, sizeof bits);
  return (unsigned short)(bits >> 16);
}

static void prepare(void) {
  int va[M * K], vb[K * N];
  for (int i = 0; i != M * K; ++i)
    a[i] = round_integer(va[i] = i % 3);
  for (int i = 0; i != K * N; ++i)
    b[i] = round_integer(vb[i] = i % 2);
  for (int j = 0; j != N; ++j)
    for (int i = 0; i != M; ++i) {
      int sum = 0;
      for (int k = 0; k != K; ++k)
        sum += va[k * M + i] * vb[j * K + k];
      expected[j * M + i] = round_integer(sum);
    }
  memset(c, -1, sizeof c);
  context = open_device(0);
  on_a = upload(a, sizeof a);
  on_b = upload(b, sizeof b);
  on_c = upload(c, sizeof c);
  CHECK(tcgemmCreate(&handle, 0));
}

static tcgemmStatus multiply(int64_t m) {
  const float alpha = 1, beta = 0;
  return tcgemmGemmEx(handle, TCGEMM_N, TCGEMM_N, m, N, K, &alpha,
                      (const void *)on_a, TCGEMM_BF16, M, (const void *)on_b,
                      TCGEMM_BF16, K, &beta, (void *)on_c, TCGEMM_BF16, M,
                      NULL);
}

/* Checks that C is right, after it was not touched before. */
static void compare(void) {
  CHECK(cuMemcpyDtoH(c, on_c, sizeof c));
  printf("%s\n", memcmp(c, expected, sizeof c) == 0 ? "right" : "WRONG");
}

static void expect_untouched(void) {
  CHECK(cuMemcpyDtoH(c, on_c, sizeof c));
  for (int i = 0; i != M * N; ++i)
    CHECK(c[i] != 0xffff);
}

/* Plans while the main thread forks. */
static void *plan_more(void *unused) {
  for (int64_t m = 1; m != 9; ++m)
    if (cuCtxSetCurrent(context) || multiply(m))
      return unused;
  return NULL;
}

static void report(const char *call, tcgemmStatus status) {
  printf("%s: %s: %s\n", call, tcgemmGetStatusName(status),
         status ? tcgemmGetLastErrorMessage() : "");
}

static int run_child(tcgemmPlan_t plan) {
  tcgemmMatmulDesc desc;
  tcgemmPlan_t other;
  tcgemmHandle_t fresh;
  size_t bytes;
  const char *text;
  alarm(60); /* It must not wait for a mutex. */
  tcgemmMatmulDescInit(&desc);
  report("tcgemmPlan", tcgemmPlan(handle, &desc, &other));
  report("tcgemmGemmEx", multiply(M));
  report("tcgemmRun", tcgemmRun(plan, (const void *)on_a, (const void *)on_b,
                                NULL, (void *)on_c, NULL, NULL));
  report("tcgemmPlanWorkspaceSize", tcgemmPlanWorkspaceSize(plan, &bytes));
  report("tcgemmPlanExplain", tcgemmPlanExplain(plan, &text));
  report("tcgemmTunePlan", tcgemmTunePlan(handle, plan));
  report("tcgemmCreate", tcgemmCreate(&fresh, 0));
  report("tcgemmPlanDestroy", tcgemmPlanDestroy(plan));
  fflush(stdout);
  return 0;
}

static int try_fork(void) {
  tcgemmMatmulDesc desc;
  tcgemmPlan_t plan;
  pthread_t thread;
  void *failed;
  int status;
  tcgemmMatmulDescInit(&desc);
  desc.m = desc.n = desc.k = 8;
  CHECK(tcgemmPlan(handle, &desc, &plan));
  CHECK(pthread_create(&thread, NULL, plan_more, &status));
  usleep(20000);
  pid_t child = fork();
  if (child == 0)
    _exit(run_child(plan));
  CHECK(waitpid(child, &status, 0) != child);
  CHECK(status);
  CHECK(pthread_join(thread, &failed));
  CHECK(failed != NULL);
  CHECK(multiply(M));
  compare();
  return 0;
}

static int try_memory(void) {
  CUdeviceptr filler[64];
  int count = 0;
  while (count != 64 && cuMemAlloc(&filler[count], 256) == 0)
    ++count;
  report("tcgemmGemmEx", multiply(M));
  expect_untouched();
  while (count != 0)
    CHECK(cuMemFree(filler[--count]));
  CHECK(multiply(M));
  compare();
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  prepare();
  return strcmp(argv[1], "fork") == 0 ? try_fork() : try_memory();
}
