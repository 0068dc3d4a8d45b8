//===- CopyKernels.cpp - Kernels that copy operands -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyKernels.h"
#include "tcgemm/Target/CopyKernel.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;

CopyKernel::~CopyKernel() {
  if (!module)
    return;
  CurrentContext current(*device);
  // A failure to unload cannot be handled.
  device->getDriver().cuModuleUnload(module);
}

Expected<std::shared_ptr<CopyKernel>>
CopyKernel::load(std::shared_ptr<DeviceContext> device, unsigned bytes) {
  std::shared_ptr<CopyKernel> kernel(new CopyKernel(std::move(device)));
  const Driver &driver = kernel->device->getDriver();
  std::string name = getCopyKernelName(bytes), text = writeCopyPtx(bytes);
  if (Error error =
          driver.check(driver.cuModuleLoadDataEx(&kernel->module, text.c_str(),
                                                 0, nullptr, nullptr),
                       "cuModuleLoadDataEx of '" + name + "'"))
    return std::move(error);
  if (Error error =
          driver.check(driver.cuModuleGetFunction(&kernel->function,
                                                  kernel->module, name.c_str()),
                       "cuModuleGetFunction of '" + name + "'"))
    return std::move(error);
  return kernel;
}

Expected<std::shared_ptr<CopyKernel>> CopyKernels::get(unsigned bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<CopyKernel> &slot = kernels[bytes];
  if (slot)
    return slot;
  Expected<std::shared_ptr<CopyKernel>> loaded =
      CopyKernel::load(device, bytes);
  if (loaded)
    slot = *loaded;
  return loaded;
}
