/* Measures the time of tcgemmPlan and tcgemmPlanDestroy together, for bf16 and
 * the layout tn, with libtcgemm.so or a generated library.
 *
 *   gcc -O2 benchmark-plans.c -Iproducts/include -Lproducts-build -lproducts -o
 * plans
 *   ./plans M N K [ROWS]
 *
 * With ROWS, the sizes have M to M + ROWS - 1 rows, so that each plan is of
 * another size than the last one. Kernels are loaded before. The program prints
 * the least mean of 200 plans, in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tcgemm.h>
#include <time.h>

enum { ROUNDS = 50, PLANS = 200 };

static void check(int code, const char *call) {
  if (code == 0)
    return;
  fprintf(stderr, "%s: %d: %s\n", call, code, tcgemmGetLastErrorMessage());
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s M N K [ROWS]\n", argv[0]);
    return 1;
  }
  int rows = argc > 4 ? atoi(argv[4]) : 1;
  if (rows < 1) {
    fprintf(stderr, "ROWS is %d, but it must be 1 or more\n", rows);
    return 1;
  }
  tcgemmHandle_t handle;
  tcgemmMatmulDesc desc;
  CHECK(tcgemmCreate(&handle, 0));
  CHECK(tcgemmMatmulDescInit(&desc));
  desc.transB = TCGEMM_T;
  desc.n = atoll(argv[2]);
  desc.k = atoll(argv[3]);
  double least = 1e30;
  /* The first round loads the kernels. */
  for (int round = 0; round <= ROUNDS; ++round) {
    double start = now();
    for (int i = 0; i != PLANS; ++i) {
      tcgemmPlan_t plan;
      desc.m = atoll(argv[1]) + i % rows;
      CHECK(tcgemmPlan(handle, &desc, &plan));
      CHECK(tcgemmPlanDestroy(plan));
    }
    double mean = (now() - start) / PLANS;
    if (round > 0 && mean < least)
      least = mean;
  }
  printf("%.2f us a plan\n", least);
  CHECK(tcgemmDestroy(handle));
  return 0;
}
