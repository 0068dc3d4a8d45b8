//===- FakeDevice.h - A device for tests ------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory on the host, and kernels that are functions of the test. Launches are
// recorded.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_RUNTIME_FAKEDEVICE_H
#define TCGEMM_UNITTESTS_RUNTIME_FAKEDEVICE_H

#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Target/EmulatedTensorMap.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

namespace tcgemm {

struct RecordedLaunch {
  std::string symbol;
  LaunchConfig config;
  std::vector<KernelArgument> arguments;

  template <typename T> T get(unsigned index) const {
    T value{};
    if (arguments[index].size() == sizeof(T))
      std::memcpy(&value, arguments[index].data(), sizeof(T));
    return value;
  }
};

class FakeDevice : public Device {
public:
  /// The effect of a launch; null: none.
  std::function<void(const RecordedLaunch &)> onLaunch;
  std::vector<RecordedLaunch> launches;
  unsigned numModules = 0;
  int64_t numAllocations = 0;
  bool hasTensorMaps = true;
  DeviceProperties properties;

  FakeDevice() {
    properties.name = "fake";
    properties.smCount = 10;
    properties.l2Bytes = 1000;
  }

  const DeviceProperties &getProperties() const override { return properties; }
  llvm::Error copyToDevice(uint64_t address, const void *source,
                           size_t bytes) override {
    std::memcpy(reinterpret_cast<void *>(address), source, bytes);
    return llvm::Error::success();
  }
  llvm::Error copyFromDevice(void *target, uint64_t address,
                             size_t bytes) override {
    std::memcpy(target, reinterpret_cast<void *>(address), bytes);
    return llvm::Error::success();
  }
  llvm::Error copyOnDevice(uint64_t target, uint64_t source,
                           size_t bytes) override {
    std::memcpy(reinterpret_cast<void *>(target),
                reinterpret_cast<void *>(source), bytes);
    return llvm::Error::success();
  }
  llvm::Error fill32(uint64_t address, uint32_t value, size_t count) override {
    std::fill_n(reinterpret_cast<uint32_t *>(address), count, value);
    return llvm::Error::success();
  }
  llvm::Error synchronize() override { return llvm::Error::success(); }

  llvm::Expected<std::unique_ptr<Module>>
  loadModule(const ModuleImage &) override {
    ++numModules;
    return std::make_unique<FakeModule>();
  }
  llvm::Error launch(Kernel &kernel, const LaunchConfig &config,
                     llvm::ArrayRef<KernelArgument> arguments) override {
    launches.push_back(
        {static_cast<FakeKernel &>(kernel).symbol, config, arguments.vec()});
    if (onLaunch && !capturing)
      onLaunch(launches.back());
    return llvm::Error::success();
  }
  llvm::Expected<TensorMapImage>
  encodeTensorMap(const TensorMapDescription &map) override {
    if (!hasTensorMaps)
      return Device::encodeTensorMap(map);
    return encodeEmulatedTensorMap(map);
  }
  llvm::Expected<std::unique_ptr<Graph>>
  capture(llvm::function_ref<llvm::Error()> enqueue) override {
    capturing = true;
    llvm::Error error = enqueue();
    capturing = false;
    if (error)
      return std::move(error);
    return std::make_unique<FakeGraph>();
  }
  llvm::Expected<double>
  time(llvm::function_ref<llvm::Error()> enqueue) override {
    if (llvm::Error error = enqueue())
      return std::move(error);
    return 10.0;
  }

private:
  struct FakeKernel : Kernel {
    std::string symbol;
  };
  struct FakeModule : Module {
    std::map<std::string, FakeKernel> kernels;
    llvm::Expected<Kernel *> getKernel(llvm::StringRef symbol) override {
      if (symbol == "missing")
        return llvm::createStringError("no function 'missing'");
      FakeKernel &kernel = kernels[symbol.str()];
      kernel.symbol = symbol.str();
      return &kernel;
    }
  };
  struct FakeGraph : Graph {
    llvm::Error launch() override { return llvm::Error::success(); }
  };

  llvm::Expected<uint64_t> allocateMemory(size_t bytes,
                                          llvm::StringRef) override {
    ++numAllocations;
    size_t size = (bytes + 255) / 256 * 256;
    return reinterpret_cast<uint64_t>(std::aligned_alloc(256, size));
  }
  void freeMemory(uint64_t address) override {
    --numAllocations;
    std::free(reinterpret_cast<void *>(address));
  }

  bool capturing = false;
};

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_RUNTIME_FAKEDEVICE_H
