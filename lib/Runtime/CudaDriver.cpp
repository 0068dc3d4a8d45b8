//===- CudaDriver.cpp - The CUDA driver by dlopen -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the driver library and fills the table of functions.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include "tcgemm/Runtime/Device.h"

#include <dlfcn.h>

using namespace tcgemm;
using namespace tcgemm::cuda;
using llvm::Twine;

llvm::Expected<Driver> Driver::load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return llvm::createStringError(
        Twine("no CUDA driver: cannot load libcuda.so.1 (") + dlerror() + ")");
  Driver driver;
#define TCGEMM_LOAD(name, parameters)                                          \
  driver.name =                                                                \
      reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));          \
  if (!driver.name)                                                            \
    return llvm::createStringError(                                            \
        "the CUDA driver is too old: it has no " #name);
  TCGEMM_CUDA_FUNCTIONS(TCGEMM_LOAD)
#undef TCGEMM_LOAD
#define TCGEMM_LOAD(name, parameters)                                          \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));
  TCGEMM_CUDA_NEW_FUNCTIONS(TCGEMM_LOAD)
#undef TCGEMM_LOAD
  driver.isEmulated = dlsym(library, "tcgemm_emulated_driver") != nullptr;
  if (llvm::Error error = driver.check(driver.cuInit(0), "cuInit"))
    return std::move(error);
  return driver;
}

llvm::Error Driver::check(Result result, llvm::StringRef call) const {
  if (result == Success)
    return llvm::Error::success();
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != Success || !name)
    name = "unknown error";
  if (cuGetErrorString(result, &text) != Success || !text)
    text = "no description";
  return llvm::make_error<DeviceError>(
      (call + ": " + name + " (" + Twine(result) + "): " + text).str());
}
