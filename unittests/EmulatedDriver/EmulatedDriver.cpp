//===- EmulatedDriver.cpp - The CUDA driver's API on the emulator ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As much of the driver as exported programs use, so that they are run and
// checked without a GPU. Modules are PTX. What is captured into a graph is not
// run again, and nothing takes any time. TCGEMM_DRIVER_CHIP names the chip.
//
//===----------------------------------------------------------------------===//

#include "cuda.h"
#include "tcgemm/Emulator/Ptx.h"
#include "tcgemm/Runtime/AccessChecker.h"
#include "tcgemm/Runtime/EmulatorDevice.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <map>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

namespace {

struct LoadedModule {
  std::unique_ptr<Module> module;
  std::unique_ptr<ptx::Module> text; ///< For the sizes of parameters.
};

struct LoadedFunction {
  Kernel *kernel;
  std::vector<uint64_t> argumentBytes;
};

/// A program has one of these; it is used from one thread.
struct Driver {
  std::unique_ptr<Device> device;
  std::map<uint64_t, Buffer> buffers;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  std::vector<std::unique_ptr<LoadedFunction>> functions;
  bool isCapturing = false;
};

Driver &getDriver() {
  static Driver driver;
  return driver;
}

CUresult finish(Error error) {
  if (!error)
    return CUDA_SUCCESS;
  llvm::errs() << "emulated driver: " << llvm::toString(std::move(error))
               << '\n';
  return CUDA_ERROR_INVALID_VALUE;
}

Error open() {
  EmulatorOptions options;
  if (const char *chip = std::getenv("TCGEMM_DRIVER_CHIP"))
    options.chip = chip;
  Expected<std::unique_ptr<Device>> device = openEmulator(options);
  if (!device)
    return device.takeError();
  getDriver().device = std::move(*device);
  return Error::success();
}

Expected<LoadedModule *> loadModule(const char *text) {
  Expected<std::unique_ptr<ptx::Module>> parsed = ptx::parse(text);
  if (!parsed)
    return parsed.takeError();
  ModuleImage image;
  image.ptx = text;
  Expected<std::unique_ptr<Module>> module =
      getDriver().device->loadModule(image);
  if (!module)
    return module.takeError();
  auto loaded = std::make_unique<LoadedModule>();
  loaded->module = std::move(*module);
  loaded->text = std::move(*parsed);
  getDriver().modules.push_back(std::move(loaded));
  return getDriver().modules.back().get();
}

Expected<LoadedFunction *> getFunction(LoadedModule &module, const char *name) {
  Expected<Kernel *> kernel = module.module->getKernel(name);
  if (!kernel)
    return kernel.takeError();
  auto function = std::make_unique<LoadedFunction>();
  function->kernel = *kernel;
  for (const ptx::Variable &param : module.text->findFunction(name)->params)
    function->argumentBytes.push_back(param.bytes);
  getDriver().functions.push_back(std::move(function));
  return getDriver().functions.back().get();
}

Error launch(const CUlaunchConfig &config, const LoadedFunction &function,
             void **arguments) {
  Driver &driver = getDriver();
  if (driver.isCapturing)
    return Error::success();
  LaunchConfig launchConfig;
  launchConfig.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  launchConfig.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  for (unsigned i = 0; i != config.numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &cluster = attribute.value.clusterDim;
      launchConfig.cluster = {cluster.x, cluster.y, cluster.z};
    } else {
      launchConfig.dependent =
          attribute.value.programmaticStreamSerializationAllowed != 0;
    }
  }
  launchConfig.sharedMemory = config.sharedMemBytes;
  std::vector<KernelArgument> values;
  for (size_t i = 0; i != function.argumentBytes.size(); ++i) {
    const auto *bytes = static_cast<const uint8_t *>(arguments[i]);
    values.emplace_back(bytes, bytes + function.argumentBytes[i]);
  }
  if (Error error =
          driver.device->launch(*function.kernel, launchConfig, values))
    return error;
  Observations observations =
      driver.device->getAccessChecker()->takeObservations();
  if (!observations.findings.empty())
    return llvm::createStringError("the emulator has " +
                                   llvm::Twine(observations.findings.size()) +
                                   " findings");
  return Error::success();
}

ScalarType getType(CUtensorMapDataType type) {
  switch (type) {
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    return ScalarType::F16;
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    return ScalarType::F32;
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return ScalarType::BF16;
  }
  return ScalarType::F16;
}

} // namespace

extern "C" {

CUresult cuInit(unsigned) { return finish(open()); }
CUresult cuDeviceGet(CUdevice *device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  std::snprintf(name, size_t(length), "the emulator");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute, CUdevice) {
  *value = static_cast<int>(getDriver().device->getProperties().smCount);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "an error of the emulated driver";
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  Expected<LoadedModule *> loaded =
      loadModule(static_cast<const char *>(image));
  if (!loaded)
    return finish(loaded.takeError());
  *module = reinterpret_cast<CUmodule>(*loaded);
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  Expected<LoadedFunction *> found =
      getFunction(*reinterpret_cast<LoadedModule *>(module), name);
  if (!found)
    return finish(found.takeError());
  *function = reinterpret_cast<CUfunction>(*found);
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  Expected<Buffer> buffer = getDriver().device->allocate(bytes);
  if (!buffer)
    return finish(buffer.takeError());
  *address = buffer->getAddress();
  getDriver().buffers.emplace(*address, std::move(*buffer));
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  getDriver().buffers.erase(address);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, size_t count) {
  std::vector<unsigned char> bytes(count, value);
  return cuMemcpyHtoD(address, bytes.data(), count);
}
CUresult cuMemcpyHtoD(CUdeviceptr target, const void *source, size_t bytes) {
  return finish(getDriver().device->copyToDevice(target, source, bytes));
}
CUresult cuMemcpyDtoH(void *target, CUdeviceptr source, size_t bytes) {
  return finish(getDriver().device->copyFromDevice(target, source, bytes));
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
  getDriver().isCapturing = true;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream, CUgraph *graph) {
  getDriver().isCapturing = false;
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
                          void **arguments, void **) {
  return finish(launch(*config, *reinterpret_cast<LoadedFunction *>(function),
                       arguments));
}

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *base,
    const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill) {
  TensorMapDescription description;
  description.type = getType(type);
  description.base = reinterpret_cast<uint64_t>(base);
  description.dims.assign(dims, dims + rank);
  description.strides.assign(strides, strides + rank - 1);
  description.box.assign(box, box + rank);
  description.swizzle = static_cast<unsigned>(swizzle);
  constexpr unsigned promotions[] = {0, 64, 128, 256};
  description.l2Promotion = promotions[promotion];
  Expected<TensorMapImage> image =
      getDriver().device->encodeTensorMap(description);
  if (!image)
    return finish(image.takeError());
  static_assert(sizeof(CUtensorMap) == sizeof(TensorMapImage));
  std::memcpy(map, image->data(), sizeof(CUtensorMap));
  return CUDA_SUCCESS;
}

} // extern "C"
