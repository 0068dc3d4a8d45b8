//===- CudaDevice.cpp - A device of the CUDA driver -----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Device interface on the driver API: one primary context, one stream.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include "tcgemm/Runtime/Device.h"

#include "llvm/ADT/StringMap.h"

using namespace tcgemm;
using namespace tcgemm::cuda;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {

class CudaKernel : public Kernel {
public:
  CudaKernel(Function function, std::string name)
      : function(function), name(std::move(name)) {}

  Function function;
  std::string name;
  /// The last value of the function's attribute.
  uint32_t maxSharedMemory = 0;
  bool allowsLargeClusters = false;
};

class CudaModule : public Module {
public:
  CudaModule(const Driver &driver, ModuleHandle handle)
      : driver(driver), handle(handle) {}
  ~CudaModule() override { driver.cuModuleUnload(handle); }

  Expected<Kernel *> getKernel(StringRef symbol) override {
    std::unique_ptr<CudaKernel> &slot = kernels[symbol];
    if (slot)
      return slot.get();
    Function function = nullptr;
    std::string name = symbol.str();
    if (Error error = driver.check(
            driver.cuModuleGetFunction(&function, handle, name.c_str()),
            "cuModuleGetFunction of '" + name + "'"))
      return std::move(error);
    slot = std::make_unique<CudaKernel>(function, name);
    return slot.get();
  }

  Expected<std::pair<uint64_t, uint64_t>> getVariable(StringRef name) override {
    DevicePointer address = 0;
    size_t bytes = 0;
    if (Error error =
            driver.check(driver.cuModuleGetGlobal_v2(&address, &bytes, handle,
                                                     name.str().c_str()),
                         ("cuModuleGetGlobal of '" + name + "'").str()))
      return std::move(error);
    return std::pair<uint64_t, uint64_t>(address, bytes);
  }

private:
  const Driver &driver;
  ModuleHandle handle;
  llvm::StringMap<std::unique_ptr<CudaKernel>> kernels;
};

class CudaGraph : public Graph {
public:
  CudaGraph(const Driver &driver, GraphExec exec, Stream stream)
      : driver(driver), exec(exec), stream(stream) {}
  ~CudaGraph() override { driver.cuGraphExecDestroy(exec); }
  Error launch() override {
    return driver.check(driver.cuGraphLaunch(exec, stream), "cuGraphLaunch");
  }

private:
  const Driver &driver;
  GraphExec exec;
  Stream stream;
};

class CudaDevice : public Device {
public:
  CudaDevice(const Driver &driver, DeviceProperties properties)
      : driver(driver), properties(std::move(properties)) {}
  ~CudaDevice() override;

  Error initialize(DeviceHandle handle);

  const DeviceProperties &getProperties() const override { return properties; }
  Error copyToDevice(uint64_t address, const void *source,
                     size_t bytes) override;
  Error copyFromDevice(void *target, uint64_t address, size_t bytes) override;
  Error copyOnDevice(uint64_t target, uint64_t source, size_t bytes) override;
  Error fill32(uint64_t address, uint32_t value, size_t count) override;
  Expected<std::unique_ptr<Module>>
  loadModule(const ModuleImage &image) override;
  Error launch(Kernel &kernel, const LaunchConfig &config,
               llvm::ArrayRef<KernelArgument> arguments) override;
  Expected<TensorMapImage>
  encodeTensorMap(const TensorMapDescription &map) override;
  Error synchronize() override {
    return driver.check(driver.cuStreamSynchronize(stream),
                        "cuStreamSynchronize");
  }
  Expected<std::unique_ptr<Graph>>
  capture(llvm::function_ref<Error()> enqueue) override;
  Expected<double> time(llvm::function_ref<Error()> enqueue) override;
  void *getNativeStream() override { return stream; }

private:
  Expected<uint64_t> allocateMemory(size_t bytes, StringRef name) override;
  void freeMemory(uint64_t address) override { driver.cuMemFree_v2(address); }
  Error prepare(CudaKernel &kernel, const LaunchConfig &config);

  const Driver driver;
  DeviceProperties properties;
  DeviceHandle device = 0;
  bool retained = false;
  Stream stream = nullptr;
  Event start = nullptr, stop = nullptr;
};

} // namespace

Error CudaDevice::initialize(DeviceHandle handle) {
  device = handle;
  Context context = nullptr;
  if (Error error =
          driver.check(driver.cuDevicePrimaryCtxRetain(&context, device),
                       "cuDevicePrimaryCtxRetain"))
    return error;
  retained = true;
  if (Error error =
          driver.check(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent"))
    return error;
  // 1 is CU_STREAM_NON_BLOCKING: the stream does not wait for the null stream.
  if (Error error =
          driver.check(driver.cuStreamCreate(&stream, 1), "cuStreamCreate"))
    return error;
  if (Error error =
          driver.check(driver.cuEventCreate(&start, 0), "cuEventCreate"))
    return error;
  return driver.check(driver.cuEventCreate(&stop, 0), "cuEventCreate");
}

CudaDevice::~CudaDevice() {
  // A failure to release cannot be handled.
  if (start)
    driver.cuEventDestroy_v2(start);
  if (stop)
    driver.cuEventDestroy_v2(stop);
  if (stream)
    driver.cuStreamDestroy_v2(stream);
  if (retained)
    driver.cuDevicePrimaryCtxRelease_v2(device);
}

Expected<uint64_t> CudaDevice::allocateMemory(size_t bytes, StringRef) {
  DevicePointer pointer = 0;
  if (Error error =
          driver.check(driver.cuMemAlloc_v2(&pointer, bytes),
                       ("cuMemAlloc of " + Twine(bytes) + " bytes").str()))
    return std::move(error);
  return pointer;
}

Error CudaDevice::copyToDevice(uint64_t address, const void *source,
                               size_t bytes) {
  if (bytes == 0)
    return Error::success();
  if (Error error = driver.check(
          driver.cuMemcpyHtoDAsync_v2(address, source, bytes, stream),
          "cuMemcpyHtoDAsync"))
    return error;
  // The caller may free the source as soon as this function returns.
  return synchronize();
}

Error CudaDevice::copyFromDevice(void *target, uint64_t address, size_t bytes) {
  if (bytes == 0)
    return Error::success();
  if (Error error = driver.check(
          driver.cuMemcpyDtoHAsync_v2(target, address, bytes, stream),
          "cuMemcpyDtoHAsync"))
    return error;
  return synchronize();
}

Error CudaDevice::copyOnDevice(uint64_t target, uint64_t source, size_t bytes) {
  if (bytes == 0)
    return Error::success();
  return driver.check(
      driver.cuMemcpyDtoDAsync_v2(target, source, bytes, stream),
      "cuMemcpyDtoDAsync");
}

Error CudaDevice::fill32(uint64_t address, uint32_t value, size_t count) {
  if (count == 0)
    return Error::success();
  return driver.check(driver.cuMemsetD32Async(address, value, count, stream),
                      "cuMemsetD32Async");
}

Expected<std::unique_ptr<Module>>
CudaDevice::loadModule(const ModuleImage &image) {
  const std::string &code = image.cubin.empty() ? image.ptx : image.cubin;
  std::array<char, 8192> log{};
  int options[] = {ErrorLogBuffer, ErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  ModuleHandle handle = nullptr;
  Result result =
      driver.cuModuleLoadDataEx(&handle, code.c_str(), 2, options, values);
  if (Error error = driver.check(result, image.cubin.empty()
                                             ? "cuModuleLoadDataEx (PTX)"
                                             : "cuModuleLoadDataEx (cubin)")) {
    if (log[0] == 0)
      return std::move(error);
    log.back() = 0;
    return llvm::make_error<DeviceError>(llvm::toString(std::move(error)) +
                                         "\n" + log.data());
  }
  return std::make_unique<CudaModule>(driver, handle);
}

Error CudaDevice::prepare(CudaKernel &kernel, const LaunchConfig &config) {
  if (config.sharedMemory > kernel.maxSharedMemory) {
    if (Error error =
            driver.check(driver.cuFuncSetAttribute(
                             kernel.function, MaxDynamicSharedSizeBytes,
                             static_cast<int>(config.sharedMemory)),
                         "cuFuncSetAttribute of '" + kernel.name + "' to " +
                             std::to_string(config.sharedMemory) +
                             " bytes of shared memory"))
      return error;
    kernel.maxSharedMemory = config.sharedMemory;
  }
  // Every chip with clusters supports eight blocks in a cluster.
  uint32_t cluster = config.cluster[0] * config.cluster[1] * config.cluster[2];
  if (cluster <= 8 || kernel.allowsLargeClusters)
    return Error::success();
  kernel.allowsLargeClusters = true;
  return driver.check(
      driver.cuFuncSetAttribute(kernel.function, NonPortableClusterSizeAllowed,
                                1),
      "cuFuncSetAttribute of '" + kernel.name + "' to large clusters");
}

Error CudaDevice::launch(Kernel &kernel, const LaunchConfig &config,
                         llvm::ArrayRef<KernelArgument> arguments) {
  auto &cudaKernel = static_cast<CudaKernel &>(kernel);
  if (Error error = prepare(cudaKernel, config))
    return error;
  llvm::SmallVector<void *, 32> pointers;
  for (const KernelArgument &argument : arguments)
    pointers.push_back(const_cast<uint8_t *>(argument.data()));
  const auto &[gx, gy, gz] = config.grid;
  const auto &[bx, by, bz] = config.block;
  const auto &[cx, cy, cz] = config.cluster;
  std::string call = "launch of '" + cudaKernel.name + "' with grid " +
                     std::to_string(gx) + "x" + std::to_string(gy) + "x" +
                     std::to_string(gz);
  llvm::SmallVector<LaunchAttribute, 2> attributes;
  if (cx * cy * cz > 1) {
    LaunchAttribute &cluster = attributes.emplace_back();
    cluster.id = ClusterDimension;
    for (unsigned i = 0; i != 3; ++i)
      cluster.value[i] = config.cluster[i];
    if (!driver.cuLaunchKernelEx)
      return llvm::createStringError(
          call + ": clusters need a driver of CUDA 11.8 or later");
  }
  // On devices without dependent launches, the kernel's wait returns at once. A
  // capture converts the attribute to an edge of this kind.
  if (config.dependent && driver.cuLaunchKernelEx && properties.major >= 9) {
    LaunchAttribute &dependent = attributes.emplace_back();
    dependent.id = ProgrammaticStreamSerialization;
    dependent.value[0] = 1;
  }
  if (attributes.empty())
    return driver.check(driver.cuLaunchKernel(cudaKernel.function, gx, gy, gz,
                                              bx, by, bz, config.sharedMemory,
                                              stream, pointers.data(), nullptr),
                        call);
  LaunchConfigEx launchConfig{
      {gx, gy, gz},        {bx, by, bz},
      config.sharedMemory, stream,
      attributes.data(),   static_cast<unsigned>(attributes.size())};
  return driver.check(driver.cuLaunchKernelEx(&launchConfig,
                                              cudaKernel.function,
                                              pointers.data(), nullptr),
                      call);
}

Expected<TensorMapImage>
CudaDevice::encodeTensorMap(const TensorMapDescription &map) {
  if (Error error = checkTensorMap(map))
    return std::move(error);
  if (!driver.cuTensorMapEncodeTiled || !driver.cuTensorMapEncodeIm2col)
    return llvm::createStringError(
        "tensor maps need a driver of CUDA 12.0 or later");
  if (properties.major < 9)
    return llvm::createStringError(
        "tensor maps need compute capability 9.0 or more, '" + properties.name +
        "' has " + Twine(properties.major) + "." + Twine(properties.minor));
  llvm::SmallVector<uint64_t, 5> dims(map.dims.begin(), map.dims.end());
  llvm::SmallVector<uint64_t, 4> strides(map.strides.begin(),
                                         map.strides.end());
  uint32_t elementStrides[kMaxTensorMapRank] = {1, 1, 1, 1, 1};
  // The driver requires an address that is a multiple of 64.
  alignas(64) TensorMapImage image{};
  if (map.window) {
    llvm::copy(map.window->steps, elementStrides + 1);
    if (Error error = driver.check(
            driver.cuTensorMapEncodeIm2col(
                image.data(), static_cast<int>(getTensorMapTypeCode(map.type)),
                kWindowRank, reinterpret_cast<void *>(map.base), dims.data(),
                strides.data(), map.window->lower.data(),
                map.window->upper.data(), map.box[0], map.box[1],
                elementStrides, /*interleave=*/0,
                static_cast<int>(getTensorMapSwizzleCode(map.swizzle)),
                static_cast<int>(getTensorMapPromotionCode(map.l2Promotion)),
                /*fill=*/0),
            "cuTensorMapEncodeIm2col"))
      return std::move(error);
    return image;
  }
  if (Error error = driver.check(
          driver.cuTensorMapEncodeTiled(
              image.data(), static_cast<int>(getTensorMapTypeCode(map.type)),
              static_cast<uint32_t>(map.dims.size()),
              reinterpret_cast<void *>(map.base), dims.data(), strides.data(),
              map.box.data(), elementStrides, /*interleave=*/0,
              static_cast<int>(getTensorMapSwizzleCode(map.swizzle)),
              static_cast<int>(getTensorMapPromotionCode(map.l2Promotion)),
              /*fill=*/0),
          "cuTensorMapEncodeTiled"))
    return std::move(error);
  return image;
}

Expected<std::unique_ptr<Graph>>
CudaDevice::capture(llvm::function_ref<Error()> enqueue) {
  if (Error error = driver.check(
          driver.cuStreamBeginCapture_v2(stream, CaptureModeRelaxed),
          "cuStreamBeginCapture"))
    return std::move(error);
  Error body = enqueue();
  // The capture must end in any case. Otherwise the stream could not be used
  // again.
  GraphHandle graph = nullptr;
  Error end = driver.check(driver.cuStreamEndCapture(stream, &graph),
                           "cuStreamEndCapture");
  if (body || end) {
    if (graph)
      driver.cuGraphDestroy(graph);
    return llvm::joinErrors(std::move(body), std::move(end));
  }
  GraphExec exec = nullptr;
  Error error =
      driver.check(driver.cuGraphInstantiateWithFlags(&exec, graph, 0),
                   "cuGraphInstantiateWithFlags");
  driver.cuGraphDestroy(graph);
  if (error)
    return std::move(error);
  return std::make_unique<CudaGraph>(driver, exec, stream);
}

Expected<double> CudaDevice::time(llvm::function_ref<Error()> enqueue) {
  if (Error error =
          driver.check(driver.cuEventRecord(start, stream), "cuEventRecord"))
    return std::move(error);
  if (Error error = enqueue())
    return std::move(error);
  if (Error error =
          driver.check(driver.cuEventRecord(stop, stream), "cuEventRecord"))
    return std::move(error);
  if (Error error =
          driver.check(driver.cuEventSynchronize(stop), "cuEventSynchronize"))
    return std::move(error);
  float milliseconds = 0;
  if (Error error =
          driver.check(driver.cuEventElapsedTime(&milliseconds, start, stop),
                       "cuEventElapsedTime"))
    return std::move(error);
  return milliseconds;
}

Expected<std::unique_ptr<Device>> tcgemm::openDevice(unsigned ordinal) {
  Expected<Driver> driver = Driver::load();
  if (!driver)
    return driver.takeError();
  Expected<int> count = cuda::countDevices(*driver);
  if (!count)
    return count.takeError();
  if (ordinal >= static_cast<unsigned>(*count))
    return llvm::createStringError("no device " + Twine(ordinal) +
                                   ": there are " + Twine(*count));
  DeviceHandle handle = 0;
  if (Error error =
          driver->check(driver->cuDeviceGet(&handle, static_cast<int>(ordinal)),
                        "cuDeviceGet"))
    return std::move(error);
  Expected<DeviceProperties> properties = getProperties(*driver, handle);
  if (!properties)
    return properties.takeError();
  auto device = std::make_unique<CudaDevice>(*driver, std::move(*properties));
  if (Error error = device->initialize(handle))
    return std::move(error);
  return device;
}
