/* A program that launches a kernel by the CUDA driver's API. It loads whatever
 * libcuda.so.1 the system has; without a GPU, tcgemm's emulated driver:
 *
 *   cc launch.c -ldl -o launch
 *   LD_LIBRARY_PATH=/usr/lib/tcgemm/emulated-driver ./launch
 *   LD_LIBRARY_PATH=/usr/lib/tcgemm/emulated-driver ./launch 1001
 *
 * The argument is the number of elements that the kernel is told: with more
 * than there are, it reads and writes beyond the arrays, which the emulated
 * driver finds.
 *
 * The declarations are the driver's. A program that has cuda.h includes it.
 */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;

/* y[i] += a * x[i] for i < n. */
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a,\n"
    "                      .param .u32 n) {\n"
    "  .reg .pred %p;\n"
    "  .reg .b32 %r<5>;\n"
    "  .reg .f32 %f<4>;\n"
    "  .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d0, [x];\n"
    "  ld.param.u64 %d1, [y];\n"
    "  ld.param.f32 %f0, [a];\n"
    "  ld.param.u32 %r0, [n];\n"
    "  mov.u32 %r1, %ctaid.x;\n"
    "  mov.u32 %r2, %ntid.x;\n"
    "  mov.u32 %r3, %tid.x;\n"
    "  mad.lo.s32 %r4, %r1, %r2, %r3;\n"
    "  setp.ge.u32 %p, %r4, %r0;\n"
    "  @%p bra DONE;\n"
    "  mul.wide.u32 %d2, %r4, 4;\n"
    "  add.s64 %d0, %d0, %d2;\n"
    "  add.s64 %d1, %d1, %d2;\n"
    "  ld.global.f32 %f1, [%d0];\n"
    "  ld.global.f32 %f2, [%d1];\n"
    "  fma.rn.f32 %f3, %f0, %f1, %f2;\n"
    "  st.global.f32 [%d1], %f3;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n";

enum { kElements = 1000, kThreads = 128, kDevice = 0 };

/* The driver's functions, under the names that the library exports. */
#define FUNCTIONS(X)                                                           \
  X(cuInit, (unsigned))                                                        \
  X(cuGetErrorName, (CUresult, const char **))                                 \
  X(cuGetErrorString, (CUresult, const char **))                               \
  X(cuDeviceGetName, (char *, int, CUdevice))                                  \
  X(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                         \
  X(cuCtxSetCurrent, (CUcontext))                                              \
  X(cuModuleLoadData, (CUmodule *, const void *))                              \
  X(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))               \
  X(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                    \
  X(cuMemFree_v2, (CUdeviceptr))                                               \
  X(cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t))                      \
  X(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t))                            \
  X(cuLaunchKernel,                                                            \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, CUstream, void **, void **))                                    \
  X(cuCtxSynchronize, (void))

#define DECLARE(name, parameters) static CUresult(*name) parameters;
FUNCTIONS(DECLARE)

static void *find(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (!function) {
    fprintf(stderr, "the driver has no %s\n", name);
    exit(1);
  }
  return function;
}

static void load_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "no CUDA driver: %s\n", dlerror());
    exit(1);
  }
#define FIND(name, parameters) *(void **)&name = find(library, #name);
  FUNCTIONS(FIND)
}

static void check(CUresult result, const char *call) {
  const char *name = "?", *text = "?";
  if (result == 0)
    return;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  fprintf(stderr, "%s: %s: %s\n", call, name, text);
  exit(1);
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv) {
  static float x[kElements], y[kElements];
  size_t bytes = sizeof x;
  int wrong = 0;
  float a = 2;
  unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : kElements;
  unsigned blocks = (n + kThreads - 1) / kThreads;
  char device_name[100];
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr device_x, device_y;
  void *arguments[] = {&device_x, &device_y, &a, &n};

  load_driver();
  CHECK(cuInit(0));
  CHECK(cuDeviceGetName(device_name, sizeof device_name, kDevice));
  printf("device: %s\n", device_name);
  CHECK(cuDevicePrimaryCtxRetain(&context, kDevice));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, ptx));
  CHECK(cuModuleGetFunction(&kernel, module, "saxpy"));

  for (int i = 0; i < kElements; ++i) {
    x[i] = (float)i;
    y[i] = 1;
  }
  CHECK(cuMemAlloc_v2(&device_x, bytes));
  CHECK(cuMemAlloc_v2(&device_y, bytes));
  CHECK(cuMemcpyHtoD_v2(device_x, x, bytes));
  CHECK(cuMemcpyHtoD_v2(device_y, y, bytes));
  CHECK(cuLaunchKernel(kernel, blocks, 1, 1, kThreads, 1, 1, 0, NULL, arguments,
                       NULL));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH_v2(y, device_y, bytes));
  CHECK(cuMemFree_v2(device_x));
  CHECK(cuMemFree_v2(device_y));

  for (int i = 0; i < kElements; ++i)
    wrong += y[i] != 2 * (float)i + 1;
  if (wrong == 0)
    printf("all results are right\n");
  else
    printf("%d of %d results are wrong\n", wrong, kElements);
  return wrong != 0;
}
