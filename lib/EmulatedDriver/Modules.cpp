//===- Modules.cpp - Modules, functions and launches ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "EntryPoints.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tcgemm;
using namespace tcgemm::emulated_driver;
using llvm::Error;
using llvm::Expected;

namespace {

Error setAttribute(State &state, LoadedFunction &function, int attribute,
                   int value) {
  if (attribute == NonPortableClusterSizeAllowed) {
    function.maxCluster = value ? 16 : kMaxPortableCluster;
    return Error::success();
  }
  if (attribute != MaxDynamicSharedSizeBytes)
    return fail(InvalidValue, "function attribute " + llvm::Twine(attribute) +
                                  " is not known");
  int64_t limit = state.current->device->getProperties().sharedMemoryPerBlock;
  if (value < 0 || value > limit)
    return fail(InvalidValue, llvm::Twine(value) +
                                  " bytes of shared memory, but the limit is " +
                                  llvm::Twine(limit));
  function.maxSharedMemory = static_cast<unsigned>(value);
  return Error::success();
}

} // namespace

Result cuModuleLoadData(ModuleHandle *module, const void *image) {
  return run([&](State &state) -> Error {
    Expected<LoadedModule *> loaded =
        state.loadModule(static_cast<const char *>(image));
    if (!loaded)
      return loaded.takeError();
    *module = reinterpret_cast<ModuleHandle>(*loaded);
    return Error::success();
  });
}

Result cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned,
                          int *, void **) {
  return cuModuleLoadData(module, image);
}

Result cuModuleLoad(ModuleHandle *module, const char *path) {
  Result result = Success;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    result = finish(fail(FileNotFound,
                         llvm::Twine(path) + ": " + file.getError().message()));
  // The buffer ends with a zero, as the text of a module does.
  return result == Success ? cuModuleLoadData(module, (*file)->getBufferStart())
                           : result;
}

Result cuModuleUnload(ModuleHandle handle) {
  return run([&](State &state) -> Error {
    Expected<LoadedModule *> module = state.findModule(handle);
    if (!module)
      return module.takeError();
    for (const auto &[name, function] : (*module)->functions)
      state.functions.erase(function.get());
    state.modules.erase(handle);
    return Error::success();
  });
}

Result cuModuleGetFunction(Function *function, ModuleHandle handle,
                           const char *name) {
  return run([&](State &state) -> Error {
    Expected<LoadedModule *> module = state.findModule(handle);
    if (!module)
      return module.takeError();
    Expected<LoadedFunction *> found = state.getFunction(**module, name);
    if (!found)
      return found.takeError();
    *function = reinterpret_cast<Function>(*found);
    return Error::success();
  });
}

Result cuModuleGetGlobal_v2(DevicePointer *address, size_t *bytes,
                            ModuleHandle handle, const char *name) {
  return run([&](State &state) -> Error {
    Expected<LoadedModule *> module = state.findModule(handle);
    if (!module)
      return module.takeError();
    auto variable = (*module)->module->getVariable(name);
    if (!variable)
      return withCode(NotFound, variable.takeError());
    if (address)
      *address = variable->first;
    if (bytes)
      *bytes = variable->second;
    return Error::success();
  });
}

Result cuFuncSetAttribute(Function handle, int attribute, int value) {
  return run([&](State &state) -> Error {
    Expected<LoadedFunction *> function = state.findFunction(handle);
    if (!function)
      return function.takeError();
    return setAttribute(state, **function, attribute, value);
  });
}

Result cuFuncGetAttribute(int *value, int attribute, Function handle) {
  return run([&](State &state) -> Error {
    Expected<LoadedFunction *> function = state.findFunction(handle);
    if (!function)
      return function.takeError();
    switch (attribute) {
    case FunctionMaxThreadsPerBlock:
      *value = 1024;
      return Error::success();
    case MaxDynamicSharedSizeBytes:
      *value = static_cast<int>((*function)->maxSharedMemory);
      return Error::success();
    case NonPortableClusterSizeAllowed:
      *value = (*function)->maxCluster > kMaxPortableCluster;
      return Error::success();
    default:
      return fail(InvalidValue, "function attribute " + llvm::Twine(attribute) +
                                    " is not known");
    }
  });
}

Result cuLaunchKernelEx(const LaunchConfigEx *config, Function handle,
                        void **arguments, void **extra) {
  return run([&](State &state) -> Error {
    Expected<LoadedFunction *> function = state.findFunction(handle);
    if (!function)
      return function.takeError();
    if (extra && *extra)
      return fail(NotSupported, "arguments in one buffer are not supported");
    return state.launch(*config, **function, arguments);
  });
}

Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned sharedMemory, Stream stream,
                      void **arguments, void **extra) {
  LaunchConfigEx config{{gridX, gridY, gridZ},
                        {blockX, blockY, blockZ},
                        sharedMemory,
                        stream,
                        nullptr,
                        0};
  return cuLaunchKernelEx(&config, function, arguments, extra);
}
