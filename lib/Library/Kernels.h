//===- Kernels.h - Loaded kernels of a device -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_KERNELS_H
#define TCGEMM_LIB_LIBRARY_KERNELS_H

#include "CopyKernels.h"
#include "Driver.h"
#include "PackCache.h"

#include <map>
#include <mutex>

namespace tcgemm::library {

/// A constant of a pack on the device.
struct LoadedConstant {
  cuda::DevicePointer address = 0;
  std::vector<int64_t> sizes; ///< Outermost first.
};

/// A pack with one function, whose modules and constants are on the device.
class LoadedPack {
public:
  static llvm::Expected<std::shared_ptr<LoadedPack>>
  load(std::shared_ptr<DeviceContext> device, KernelPack pack);
  ~LoadedPack();
  LoadedPack(const LoadedPack &) = delete;
  LoadedPack &operator=(const LoadedPack &) = delete;

  const FunctionInfo &getFunctionInfo() const {
    return pack.manifest.functions.front();
  }
  /// The function's launches, all of them of kernels.
  llvm::ArrayRef<const LaunchInfo *> getLaunches() const { return launches; }
  const KernelInfo &getKernel(const LaunchInfo &launch) const {
    return *pack.manifest.findKernel(launch.kernel);
  }
  llvm::ArrayRef<LoadedConstant> getConstants() const { return constants; }
  const DeviceContext &getDevice() const { return *device; }
  /// The function of a step, which may use the step's resources.
  llvm::Expected<cuda::Function> getFunction(const Step &step) const;

private:
  LoadedPack(std::shared_ptr<DeviceContext> device, KernelPack pack)
      : device(std::move(device)), pack(std::move(pack)) {}
  llvm::Error checkLaunches();
  llvm::Error loadModules();
  llvm::Error loadConstants();

  std::shared_ptr<DeviceContext> device;
  KernelPack pack;
  std::vector<const LaunchInfo *> launches;
  std::vector<LoadedConstant> constants;
  std::vector<cuda::ModuleHandle> modules; ///< One per manifest.modules.
};

/// The kernels that were used on a device.
class Kernels {
public:
  explicit Kernels(const std::shared_ptr<DeviceContext> &device)
      : copies(device), device(device) {}
  /// Loads the kernel if it is not loaded, and compiles it if nobody has it.
  llvm::Expected<std::shared_ptr<LoadedPack>> get(const KernelKey &key);

  CopyKernels copies;

private:
  std::shared_ptr<DeviceContext> device;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<LoadedPack>> packs; ///< By hash.
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_KERNELS_H
