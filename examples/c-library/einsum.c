/* A product by index string: D[b, h, q, k] = sum over d of A[b, q, h, d] *
 * B[b, k, h, d], in f32. These are the scores of attention with several heads.
 *
 *   gcc einsum.c -ltcgemm -lcuda -o einsum
 *
 * It compares the result with a loop on the host.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcgemm.h>

enum { BATCH = 2, QUERIES = 40, KEYS = 24, HEADS = 3, DEPTH = 32 };

static void check(int code, const char *call) {
  if (code == 0)
    return;
  fprintf(stderr, "%s: %d: %s\n", call, code, tcgemmGetLastErrorMessage());
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

static float a[BATCH][QUERIES][HEADS][DEPTH], b[BATCH][KEYS][HEADS][DEPTH];
static float d[BATCH][HEADS][QUERIES][KEYS];

static void draw(float *values, size_t count) {
  for (size_t i = 0; i != count; ++i)
    values[i] = (float)((int)(i * 7 % 5) - 2);
}

static CUdeviceptr upload(const void *data, size_t bytes) {
  CUdeviceptr address;
  CHECK(cuMemAlloc(&address, bytes));
  CHECK(cuMemcpyHtoD(address, data, bytes));
  return address;
}

static int countWrong(void) {
  int wrong = 0;
  for (int i = 0; i != BATCH; ++i)
    for (int h = 0; h != HEADS; ++h)
      for (int q = 0; q != QUERIES; ++q)
        for (int k = 0; k != KEYS; ++k) {
          float sum = 0;
          for (int e = 0; e != DEPTH; ++e)
            sum += a[i][q][h][e] * b[i][k][h][e];
          wrong += d[i][h][q][k] != sum;
        }
  return wrong;
}

int main(void) {
  draw(&a[0][0][0][0], sizeof a / sizeof(float));
  draw(&b[0][0][0][0], sizeof b / sizeof(float));
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUdeviceptr onA = upload(a, sizeof a), onB = upload(b, sizeof b);
  CUdeviceptr onD = upload(d, sizeof d), workspace = 0;

  tcgemmHandle_t handle;
  tcgemmContractionDesc desc;
  tcgemmPlan_t plan;
  size_t workspaceBytes;
  const int64_t sizesA[] = {BATCH, QUERIES, HEADS, DEPTH};
  const int64_t sizesB[] = {BATCH, KEYS, HEADS, DEPTH};
  CHECK(tcgemmCreate(&handle, TCGEMM_CURRENT_CONTEXT));
  CHECK(tcgemmContractionDescInit(&desc));
  desc.typeA = desc.typeB = desc.typeD = TCGEMM_F32;
  desc.indices = "bqhd,bkhd->bhqk";
  memcpy(desc.sizesA, sizesA, sizeof sizesA);
  memcpy(desc.sizesB, sizesB, sizeof sizesB);
  CHECK(tcgemmPlanContraction(handle, &desc, &plan));
  CHECK(tcgemmPlanWorkspaceSize(plan, &workspaceBytes));
  if (workspaceBytes)
    CHECK(cuMemAlloc(&workspace, workspaceBytes));
  CHECK(tcgemmRun(plan, (void *)onA, (void *)onB, NULL, (void *)onD,
                  (void *)workspace, NULL));

  CHECK(cuMemcpyDtoH(d, onD, sizeof d));
  CHECK(tcgemmPlanDestroy(plan));
  CHECK(tcgemmDestroy(handle));
  int wrong = countWrong();
  printf("%d of %d elements are wrong\n", wrong,
         BATCH * HEADS * QUERIES * KEYS);
  return wrong != 0;
}
