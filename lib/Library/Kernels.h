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

/// A pack whose modules are on the device.
class LoadedPack {
public:
  static llvm::Expected<std::shared_ptr<LoadedPack>>
  load(std::shared_ptr<DeviceContext> device, KernelPack pack);
  ~LoadedPack();
  LoadedPack(const LoadedPack &) = delete;
  LoadedPack &operator=(const LoadedPack &) = delete;

  /// The only kernel, and its only launch.
  const KernelInfo &getKernel() const { return pack.manifest.kernels.front(); }
  const LaunchInfo &getLaunch() const { return *launch; }
  const DeviceContext &getDevice() const { return *device; }
  /// The function of a step, which may use the step's resources.
  llvm::Expected<cuda::Function> getFunction(const Step &step) const;

private:
  LoadedPack(std::shared_ptr<DeviceContext> device, KernelPack pack)
      : device(std::move(device)), pack(std::move(pack)) {}
  llvm::Error checkLaunches();
  llvm::Error loadModules();

  std::shared_ptr<DeviceContext> device;
  KernelPack pack;
  const LaunchInfo *launch = nullptr;
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
