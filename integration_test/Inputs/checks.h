/* Checks and device memory for the C programs of this folder. The text of an
 * error is that of the API in TCGEMM_H, if the program has included it. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int code, const char *call) {
  if (code == 0)
    return;
  const char *text = "";
#ifdef TCGEMM_H
  text = tcgemmGetLastErrorMessage();
#endif
  fprintf(stderr, "%s: %d: %s\n", call, code, text);
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

/* Makes the primary context of a device current. */
static inline CUcontext open_device(int number) {
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, number));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  return context;
}

static inline CUdeviceptr upload(const void *data, size_t bytes) {
  CUdeviceptr address;
  CHECK(cuMemAlloc(&address, bytes));
  CHECK(cuMemcpyHtoD(address, data, bytes));
  return address;
}
