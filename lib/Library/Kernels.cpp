//===- Kernels.cpp - Loaded kernels of a device ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Failure.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;

LoadedPack::~LoadedPack() {
  CurrentContext current(*device);
  // A failure to unload cannot be handled.
  for (cuda::ModuleHandle module : modules)
    device->getDriver().cuModuleUnload(module);
  for (const LoadedConstant &constant : constants)
    device->getDriver().cuMemFree_v2(constant.address);
}

/// The library launches kernels, and neither fills nor copies.
Error LoadedPack::checkLaunches() {
  const Manifest &manifest = pack.manifest;
  if (manifest.functions.size() == 1)
    for (const FunctionLaunch &each : getFunctionInfo().launches)
      launches.push_back(std::get_if<LaunchInfo>(&each));
  if (!launches.empty() && !llvm::is_contained(launches, nullptr))
    return Error::success();
  return fail(TCGEMM_NOT_SUPPORTED,
              "the product needs more than launches of kernels");
}

Error LoadedPack::loadConstants() {
  const Driver &driver = device->getDriver();
  for (auto [info, bytes] :
       llvm::zip_equal(pack.manifest.constants, pack.constants)) {
    if (bytes.empty() || !driver.cuMemcpyHtoDAsync_v2)
      return fail(TCGEMM_NOT_SUPPORTED,
                  "constant '" + info.name +
                      "' of the kernels cannot be copied to the device");
    LoadedConstant &constant = constants.emplace_back();
    constant.sizes = info.shape;
    if (Error error =
            driver.check(driver.cuMemAlloc_v2(&constant.address, bytes.size()),
                         "cuMemAlloc of a constant"))
      return error;
    if (Error error = driver.check(
            driver.cuMemcpyHtoDAsync_v2(constant.address, bytes.data(),
                                        bytes.size(), /*stream=*/nullptr),
            "cuMemcpyHtoDAsync of a constant"))
      return error;
    // Runs may be in any stream.
    if (Error error = driver.check(driver.cuStreamSynchronize(nullptr),
                                   "cuStreamSynchronize"))
      return error;
  }
  return Error::success();
}

Error LoadedPack::loadModules() {
  const Driver &driver = device->getDriver();
  for (auto [info, image] : llvm::zip(pack.manifest.modules, pack.images)) {
    const std::string &code = image.cubin.empty() ? image.ptx : image.cubin;
    std::array<char, 8192> text{};
    int options[] = {cuda::ErrorLogBuffer, cuda::ErrorLogBufferSizeBytes};
    void *values[] = {text.data(), reinterpret_cast<void *>(text.size())};
    cuda::ModuleHandle handle = nullptr;
    cuda::Result result =
        driver.cuModuleLoadDataEx(&handle, code.c_str(), 2, options, values);
    text.back() = 0;
    if (Error error =
            driver.check(result, "cuModuleLoadDataEx of '" + info.name + "'"))
      return text[0] ? fail(TCGEMM_DRIVER, llvm::toString(std::move(error)) +
                                               "\n" + text.data())
                     : std::move(error);
    modules.push_back(handle);
  }
  return Error::success();
}

Expected<std::shared_ptr<LoadedPack>>
LoadedPack::load(std::shared_ptr<DeviceContext> device, KernelPack pack) {
  std::shared_ptr<LoadedPack> loaded(
      new LoadedPack(std::move(device), std::move(pack)));
  if (Error error = loaded->checkLaunches())
    return std::move(error);
  if (Error error = loaded->loadModules())
    return std::move(error);
  if (Error error = loaded->loadConstants())
    return std::move(error);
  return loaded;
}

Expected<cuda::Function> LoadedPack::getFunction(const Step &step) const {
  const Driver &driver = device->getDriver();
  const Manifest &manifest = pack.manifest;
  size_t index = manifest.findModule(step.module) - manifest.modules.data();
  cuda::Function function = nullptr;
  if (Error error =
          driver.check(driver.cuModuleGetFunction(&function, modules[index],
                                                  step.symbol.c_str()),
                       "cuModuleGetFunction of '" + step.symbol + "'"))
    return std::move(error);
  if (step.sharedMemory > cuda::kMaxPlainSharedMemory)
    if (Error error = driver.check(
            driver.cuFuncSetAttribute(function, cuda::MaxDynamicSharedSizeBytes,
                                      static_cast<int>(step.sharedMemory)),
            "cuFuncSetAttribute of '" + step.symbol + "' to " +
                llvm::Twine(step.sharedMemory) + " bytes of shared memory"))
      return std::move(error);
  if (step.cluster[0] * step.cluster[1] * step.cluster[2] >
      cuda::kMaxPortableCluster)
    if (Error error = driver.check(
            driver.cuFuncSetAttribute(function,
                                      cuda::NonPortableClusterSizeAllowed, 1),
            "cuFuncSetAttribute of '" + step.symbol + "' to large clusters"))
      return std::move(error);
  return function;
}

Expected<std::shared_ptr<LoadedPack>> Kernels::get(const KernelKey &key) {
  std::string hash = key.getHash();
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<LoadedPack> &slot = packs[hash];
  if (slot)
    return slot;
  Expected<KernelPack> pack = getPack(key);
  if (!pack)
    return withStatus(TCGEMM_FILE, pack.takeError());
  Expected<std::shared_ptr<LoadedPack>> loaded =
      LoadedPack::load(device, std::move(*pack));
  if (loaded)
    slot = *loaded;
  return loaded;
}
