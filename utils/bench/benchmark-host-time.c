/* Measures the host's time of a call of the C library, above that of
 * cuLaunchKernelEx with the same kernel.
 *
 *   cmake --install build/release --prefix /opt/tcgemm
 *   gcc -O2 utils/bench/benchmark-host-time.c -I/opt/tcgemm/include \
 *     -I/usr/local/cuda/include -L/opt/tcgemm/lib -ltcgemm -lcuda \
 *     -Wl,-rpath,/opt/tcgemm/lib -o benchmark-host-time
 *   ./benchmark-host-time [calls]
 *
 * The product is 64x64x64 in bf16. The addresses are others in each call. The
 * stream is synchronised every 500 calls, so that no call waits for a full
 * queue. The kernel and its arguments for the raw launches come from a captured
 * call. Blocks of 500 calls of each kind alternate. The program prints medians
 * in microseconds, and the difference to the raw launches.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgemm.h>
#include <time.h>

enum { SIZE = 64, BLOCK = 500, BUFFERS = 16, BUFFER_BYTES = SIZE * SIZE * 2 };

static void check(int code, const char *call) {
  if (code == 0)
    return;
  fprintf(stderr, "%s: %d: %s\n", call, code, tcgemmGetLastErrorMessage());
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

typedef struct {
  tcgemmHandle_t handle;
  tcgemmPlan_t plan;
  CUstream stream;
  CUdeviceptr memory, workspace;
} Bench;

/* The address of buffer `i`. */
static void *get(const Bench *bench, int i) {
  CUdeviceptr offset = (CUdeviceptr)(i % BUFFERS) * BUFFER_BYTES;
  return (void *)(uintptr_t)(bench->memory + offset);
}

static void run_plan(const Bench *bench, int i) {
  CHECK(tcgemmRun(bench->plan, get(bench, i), get(bench, i + 1), NULL,
                  get(bench, i + 2), (void *)(uintptr_t)bench->workspace,
                  bench->stream));
}

static void run_gemm(const Bench *bench, int i) {
  const float alpha = 1, beta = 0;
  CHECK(tcgemmGemmEx(bench->handle, TCGEMM_N, TCGEMM_N, SIZE, SIZE, SIZE,
                     &alpha, get(bench, i), TCGEMM_BF16, SIZE,
                     get(bench, i + 1), TCGEMM_BF16, SIZE, &beta,
                     get(bench, i + 2), TCGEMM_BF16, SIZE, bench->stream));
}

/* A launch as the library makes it. */
typedef struct {
  CUgraph graph; /* Owns the arguments. */
  CUfunction function;
  void **arguments;
  CUlaunchConfig config;
  CUlaunchAttribute attributes[2];
} RawLaunch;

static void add_cluster(RawLaunch *raw, CUgraphNode node) {
  CUkernelNodeAttrValue value;
  CHECK(cuGraphKernelNodeGetAttribute(
      node, CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION, &value));
  if (value.clusterDim.x * value.clusterDim.y * value.clusterDim.z <= 1)
    return;
  CUlaunchAttribute *attribute = &raw->attributes[raw->config.numAttrs++];
  attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute->value.clusterDim.x = value.clusterDim.x;
  attribute->value.clusterDim.y = value.clusterDim.y;
  attribute->value.clusterDim.z = value.clusterDim.z;
}

static void capture(const Bench *bench, void (*run)(const Bench *, int),
                    RawLaunch *raw) {
  memset(raw, 0, sizeof *raw);
  CHECK(cuStreamBeginCapture(bench->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  run(bench, 0);
  CHECK(cuStreamEndCapture(bench->stream, &raw->graph));
  CUgraphNode node;
  size_t count = 0;
  CHECK(cuGraphGetNodes(raw->graph, NULL, &count));
  if (count != 1) {
    fprintf(stderr, "a call has %zu launches, but the figures are for one\n",
            count);
    exit(1);
  }
  CHECK(cuGraphGetNodes(raw->graph, &node, &count));
  CUDA_KERNEL_NODE_PARAMS params;
  CHECK(cuGraphKernelNodeGetParams(node, &params));
  raw->function = params.func;
  raw->arguments = params.kernelParams;
  raw->config.gridDimX = params.gridDimX;
  raw->config.gridDimY = params.gridDimY;
  raw->config.gridDimZ = params.gridDimZ;
  raw->config.blockDimX = params.blockDimX;
  raw->config.blockDimY = params.blockDimY;
  raw->config.blockDimZ = params.blockDimZ;
  raw->config.sharedMemBytes = params.sharedMemBytes;
  raw->config.hStream = bench->stream;
  raw->config.attrs = raw->attributes;
  add_cluster(raw, node);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double get_median(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, compare);
  return times[count / 2];
}

/* Measures one kind of call against the raw launches of its kernel. */
static void measure(const Bench *bench, const char *name,
                    void (*run)(const Bench *, int), int calls) {
  RawLaunch raw;
  double *ours = malloc(sizeof *ours * (size_t)calls);
  double *plain = malloc(sizeof *plain * (size_t)calls);
  if (!ours || !plain)
    exit(1);
  run(bench, 0); /* Plans, where that is left to do. */
  CHECK(cuStreamSynchronize(bench->stream));
  capture(bench, run, &raw);
  for (int first = 0; first < calls; first += BLOCK) {
    int last = first + BLOCK < calls ? first + BLOCK : calls;
    for (int i = first; i != last; ++i) {
      double start = now();
      CHECK(cuLaunchKernelEx(&raw.config, raw.function, raw.arguments, NULL));
      plain[i] = now() - start;
    }
    CHECK(cuStreamSynchronize(bench->stream));
    for (int i = first; i != last; ++i) {
      double start = now();
      run(bench, i);
      ours[i] = now() - start;
    }
    CHECK(cuStreamSynchronize(bench->stream));
  }
  double a = get_median(ours, calls), b = get_median(plain, calls);
  printf("%-14s %7.3f us, raw launch %7.3f us, difference %7.3f us\n", name, a,
         b, a - b);
  CHECK(cuGraphDestroy(raw.graph));
  free(ours);
  free(plain);
}

int main(int argc, char **argv) {
  int calls = argc > 1 ? atoi(argv[1]) : 100000;
  if (calls < 1) {
    fprintf(stderr, "the number of calls must be 1 or more\n");
    return 1;
  }
  Bench bench;
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuStreamCreate(&bench.stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemAlloc(&bench.memory, BUFFERS * BUFFER_BYTES));
  CHECK(cuMemsetD8(bench.memory, 0, BUFFERS * BUFFER_BYTES));
  CHECK(tcgemmCreate(&bench.handle, TCGEMM_CURRENT_CONTEXT));

  tcgemmMatmulDesc desc;
  size_t bytes = 0;
  const char *config;
  CHECK(tcgemmMatmulDescInit(&desc));
  desc.m = desc.n = desc.k = SIZE;
  CHECK(tcgemmPlan(bench.handle, &desc, &bench.plan));
  CHECK(tcgemmPlanConfig(bench.plan, &config));
  CHECK(tcgemmPlanWorkspaceSize(bench.plan, &bytes));
  bench.workspace = 0;
  if (bytes)
    CHECK(cuMemAlloc(&bench.workspace, bytes));
  printf("%s\n%d calls\n", config, calls);
  measure(&bench, "tcgemmRun", run_plan, calls);
  measure(&bench, "tcgemmGemmEx", run_gemm, calls);
  CHECK(tcgemmPlanDestroy(bench.plan));
  CHECK(tcgemmDestroy(bench.handle));
  return 0;
}
