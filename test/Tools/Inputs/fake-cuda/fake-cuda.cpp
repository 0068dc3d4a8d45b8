// A driver without a GPU. It prints the first launches as `tcgemm-run --plan`
// does, and where FAKE_RESULT is set, the product of bf16 matrices appears in
// the third allocation, as if a TN kernel had run: `right`, `wrong` (one
// element differs) or `wild` (a byte behind the result too). FAKE_SIZES are
// its sizes, FAKE_LAUNCHES how many launches it takes.
#include "cuda.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::vector<std::pair<char *, size_t>> allocations;
int numLaunches = 0;

template <typename Handle> Handle makeHandle(const char *text) {
  return reinterpret_cast<Handle>(const_cast<char *>(text));
}

const char *getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

float load(const char *at) {
  uint16_t half;
  std::memcpy(&half, at, 2);
  uint32_t bits = uint32_t(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

void multiply() {
  std::string kind = getVariable("FAKE_RESULT");
  int m = 0, n = 0, k = 0;
  if (kind.empty() ||
      std::sscanf(getVariable("FAKE_SIZES"), "%dx%dx%d", &m, &n, &k) != 3)
    return;
  const char *a = allocations[0].first, *b = allocations[1].first;
  char *d = allocations[2].first;
  for (int i = 0; i != m; ++i)
    for (int j = 0; j != n; ++j) {
      float sum = 0;
      for (int l = 0; l != k; ++l)
        sum += load(a + 2 * (i * k + l)) * load(b + 2 * (j * k + l));
      if (kind == "wrong" && i == m / 2 && j == n / 2)
        sum += 1;
      uint32_t bits;
      std::memcpy(&bits, &sum, 4);
      uint16_t half = uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
      std::memcpy(d + 2 * (i * n + j), &half, 2);
    }
  if (kind == "wild")
    d[allocations[2].second - 1] = 0;
}

} // namespace

extern "C" {

CUresult cuInit(unsigned) {
  return *getVariable("FAKE_NO_DEVICE") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  std::snprintf(name, size_t(length), "fake");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute, CUdevice) {
  *value = 132;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "a fake error";
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  const char *code = static_cast<const char *>(image);
  std::printf("module %s\n", std::memcmp(code, "\177ELF", 4) == 0 ? "cubin"
                             : std::strstr(code, ".entry")        ? "ptx"
                                                                  : "unknown");
  *module = makeHandle<CUmodule>(code);
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  *function = makeHandle<CUfunction>(name);
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  allocations.emplace_back(
      static_cast<char *>(aligned_alloc(256, (bytes + 255) / 256 * 256)),
      bytes);
  *address = reinterpret_cast<CUdeviceptr>(allocations.back().first);
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  std::free(reinterpret_cast<void *>(address));
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, size_t count) {
  std::memset(reinterpret_cast<void *>(address), value, count);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr target, const void *source, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *target, CUdeviceptr source, size_t bytes) {
  std::memcpy(target, reinterpret_cast<void *>(source), bytes);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream, CUgraph *graph) {
  *graph = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph,
                                     unsigned long long) {
  *exec = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec) { return CUDA_SUCCESS; }
CUresult cuGraphDestroy(CUgraph) { return CUDA_SUCCESS; }
CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float *milliseconds, CUevent, CUevent) {
  *milliseconds = 60;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **, void **) {
  unsigned cluster[3] = {1, 1, 1};
  bool dependent = false;
  for (unsigned i = 0; i != config->numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      cluster[0] = attribute.value.clusterDim.x;
      cluster[1] = attribute.value.clusterDim.y;
      cluster[2] = attribute.value.clusterDim.z;
    } else {
      dependent = attribute.value.programmaticStreamSerializationAllowed != 0;
    }
  }
  int wanted = std::max(1, std::atoi(getVariable("FAKE_LAUNCHES")));
  if (++numLaunches > wanted)
    return CUDA_SUCCESS;
  std::printf(
      "step %s  grid %ux%ux%u  block %ux%ux%u  cluster %ux%ux%u  shared "
      "memory %u bytes%s\n",
      reinterpret_cast<const char *>(function), config->gridDimX,
      config->gridDimY, config->gridDimZ, config->blockDimX, config->blockDimY,
      config->blockDimZ, cluster[0], cluster[1], cluster[2],
      config->sharedMemBytes, dependent ? "  dependent" : "");
  if (numLaunches == wanted)
    multiply();
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *, CUtensorMapDataType, cuuint32_t rank, void *,
    const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (numLaunches >= std::max(1, std::atoi(getVariable("FAKE_LAUNCHES"))))
    return CUDA_SUCCESS;
  auto print = [](const char *name, const auto *values, unsigned count) {
    std::printf(" %s ", name);
    for (unsigned i = 0; i != count; ++i)
      std::printf("%s%llu", i ? "x" : "", (unsigned long long)values[i]);
  };
  std::printf("tensor_map");
  print("dims", dims, rank);
  print("strides", strides, rank - 1);
  print("box", box, rank);
  constexpr int spans[] = {0, 32, 64, 128};
  std::printf(" swizzle %d\n", spans[swizzle]);
  return CUDA_SUCCESS;
}

} // extern "C"
