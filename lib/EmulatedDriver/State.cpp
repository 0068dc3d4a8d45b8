//===- State.cpp - State of the emulated driver ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "tcgemm/Emulator/Emulator.h"
#include "tcgemm/Runtime/AccessChecker.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace tcgemm;
using namespace tcgemm::emulated_driver;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

char Failure::ID = 0;

Error emulated_driver::fail(cuda::Result code, const Twine &text) {
  return llvm::make_error<Failure>(code, text.str());
}

Error emulated_driver::withCode(cuda::Result code, Error error) {
  if (!error || error.isA<Failure>())
    return error;
  return fail(code, llvm::toString(std::move(error)));
}

State &State::get() {
  // Never destroyed: destructors of the program may unload modules.
  static State *state = new State;
  return *state;
}

Error State::open() {
  if (device)
    return Error::success();
  if (!hasOptions)
    if (const char *chip = std::getenv("TCGEMM_DRIVER_CHIP"))
      options.chip = chip;
  Expected<std::unique_ptr<Device>> opened = openEmulator(options);
  if (!opened)
    return withCode(cuda::NoDevice, opened.takeError());
  device = std::move(*opened);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Modules and handles
//===----------------------------------------------------------------------===//

Expected<LoadedModule *> State::loadModule(const char *text) {
  Expected<std::unique_ptr<ptx::Module>> parsed = ptx::parse(text);
  if (!parsed)
    return withCode(cuda::InvalidPtx, parsed.takeError());
  ModuleImage image;
  image.ptx = text;
  Expected<std::unique_ptr<Module>> module = device->loadModule(image);
  if (!module)
    return withCode(cuda::InvalidPtx, module.takeError());
  auto loaded = std::make_unique<LoadedModule>();
  loaded->module = std::move(*module);
  loaded->text = std::move(*parsed);
  return modules.add(std::move(loaded));
}

Expected<LoadedFunction *> State::getFunction(LoadedModule &module,
                                              const char *name) {
  std::unique_ptr<LoadedFunction> &slot = module.functions[name];
  if (slot)
    return slot.get();
  Expected<Kernel *> kernel = module.module->getKernel(name);
  if (!kernel) {
    module.functions.erase(name);
    return withCode(cuda::NotFound, kernel.takeError());
  }
  slot = std::make_unique<LoadedFunction>();
  slot->kernel = *kernel;
  slot->name = name;
  for (const ptx::Variable &param : module.text->findFunction(name)->params)
    slot->argumentBytes.push_back(param.bytes);
  functions[slot.get()] = slot.get();
  return slot.get();
}

Expected<LoadedModule *> State::findModule(const void *handle) const {
  if (LoadedModule *module = modules.find(handle))
    return module;
  return fail(cuda::InvalidHandle, "not a module");
}

Expected<LoadedFunction *> State::findFunction(const void *handle) const {
  auto found = functions.find(handle);
  if (found != functions.end())
    return found->second;
  return fail(cuda::InvalidHandle, "not a function");
}

Error State::checkStream(const void *stream) const {
  return !stream || streams.find(stream)
             ? Error::success()
             : fail(cuda::InvalidHandle, "not a stream");
}

Error State::checkEvent(const void *event) const {
  return events.find(event) ? Error::success()
                            : fail(cuda::InvalidHandle, "not an event");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static Error readAttributes(const cuda::LaunchConfigEx &config,
                            LaunchConfig &result) {
  for (unsigned i = 0; i != config.numAttributes; ++i) {
    const cuda::LaunchAttribute &attribute = config.attributes[i];
    if (attribute.id == cuda::ClusterDimension)
      result.cluster = {attribute.value[0], attribute.value[1],
                        attribute.value[2]};
    else if (attribute.id == cuda::ProgrammaticStreamSerialization)
      result.dependent = attribute.value[0] != 0;
    else
      return fail(cuda::NotSupported, "launch attribute " +
                                          Twine(attribute.id) +
                                          " is not supported");
  }
  return Error::success();
}

/// Checks the launch against the attributes of its function.
static Error checkAttributes(const LoadedFunction &function,
                             const LaunchConfig &config) {
  if (config.sharedMemory > function.maxSharedMemory)
    return fail(cuda::InvalidValue, "launch of '" + function.name +
                                        "': " + Twine(config.sharedMemory) +
                                        " bytes of shared memory, " +
                                        "but the function's attribute allows " +
                                        Twine(function.maxSharedMemory));
  uint64_t cluster =
      uint64_t(config.cluster[0]) * config.cluster[1] * config.cluster[2];
  if (cluster > function.maxCluster)
    return fail(cuda::InvalidValue,
                "launch of '" + function.name + "': " + Twine(cluster) +
                    " blocks a cluster, but the function's attribute allows " +
                    Twine(function.maxCluster));
  return Error::success();
}

Error State::launch(const cuda::LaunchConfigEx &config,
                    const LoadedFunction &function, void **arguments) {
  if (Error error = checkStream(config.stream))
    return error;
  LaunchConfig launchConfig;
  launchConfig.grid = {config.grid[0], config.grid[1], config.grid[2]};
  launchConfig.block = {config.block[0], config.block[1], config.block[2]};
  launchConfig.sharedMemory = config.sharedMemory;
  if (Error error = readAttributes(config, launchConfig))
    return error;
  if (Error error = checkAttributes(function, launchConfig))
    return error;
  if (!arguments && !function.argumentBytes.empty())
    return fail(cuda::InvalidValue,
                "launch of '" + function.name + "': no arguments");
  if (isCapturing)
    return Error::success();
  std::vector<KernelArgument> values;
  for (size_t i = 0; i != function.argumentBytes.size(); ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): checked above.
    const auto *bytes = static_cast<const uint8_t *>(arguments[i]);
    values.emplace_back(bytes, bytes + function.argumentBytes[i]);
  }
  Error error = device->launch(*function.kernel, launchConfig, values);
  Observations seen = device->getAccessChecker()->takeObservations();
  if (!seen.hasFindings())
    return withCode(cuda::LaunchFailed, std::move(error));
  ++numFindings;
  std::string text = std::to_string(seen.findings.size() + seen.suppressed) +
                     " findings in kernel '" + function.name + "'";
  if (!seen.findings.empty())
    text += ": " + emu::toString(seen.findings.front());
  if (error)
    text += "; " + llvm::toString(std::move(error));
  return fail(cuda::IllegalAddress, text);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool State::isOnDevice(cuda::DevicePointer address) {
  return emu::Emulator::isGlobalAddress(address);
}

Error State::allocate(cuda::DevicePointer &address, uint64_t bytes) {
  if (bytes == 0)
    return fail(cuda::InvalidValue, "an allocation of 0 bytes");
  Expected<Buffer> buffer = device->allocate(bytes);
  if (!buffer)
    return withCode(cuda::OutOfMemory, buffer.takeError());
  address = buffer->getAddress();
  buffers.emplace(address, std::move(*buffer));
  return Error::success();
}

Error State::free(cuda::DevicePointer address) {
  if (address && !buffers.erase(address))
    return fail(cuda::InvalidValue, "no allocation begins at the address");
  return Error::success();
}

Error State::copy(cuda::DevicePointer target, cuda::DevicePointer source,
                  uint64_t bytes) {
  auto toHost = [](cuda::DevicePointer address) {
    return reinterpret_cast<void *>(address); // NOLINT(performance-*)
  };
  if (isOnDevice(target) && isOnDevice(source))
    return device->copyOnDevice(target, source, bytes);
  if (isOnDevice(target))
    return device->copyToDevice(target, toHost(source), bytes);
  if (isOnDevice(source))
    return device->copyFromDevice(toHost(target), source, bytes);
  std::memcpy(toHost(target), toHost(source), bytes);
  return Error::success();
}
