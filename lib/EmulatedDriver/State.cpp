//===- State.cpp - State of the emulated driver ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "tcgemm/Emulator/Emulator.h"
#include "tcgemm/Runtime/AccessChecker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

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

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// The value of a variable, or null if it is not set or empty.
static const char *getSetting(const char *name) {
  const char *text = std::getenv(name);
  return text && *text ? text : nullptr;
}

/// The number in TCGEMM_DRIVER_DEVICES.
static Expected<unsigned> readNumDevices() {
  constexpr unsigned most = 64;
  const char *text = getSetting("TCGEMM_DRIVER_DEVICES");
  if (!text)
    return 1;
  unsigned count = 0;
  if (llvm::StringRef(text).getAsInteger(10, count) || count > most)
    return fail(cuda::InvalidValue,
                "TCGEMM_DRIVER_DEVICES is '" + Twine(text) +
                    "', but it must be a number from 0 to " + Twine(most));
  return count;
}

/// The number in TCGEMM_DRIVER_MEMORY; no limit without the variable.
static Expected<uint64_t> readMemoryLimit() {
  const char *text = getSetting("TCGEMM_DRIVER_MEMORY");
  if (!text)
    return UINT64_MAX;
  uint64_t bytes = 0;
  if (llvm::StringRef(text).getAsInteger(10, bytes))
    return fail(cuda::InvalidValue, "TCGEMM_DRIVER_MEMORY is '" + Twine(text) +
                                        "', but it must be a number of bytes");
  return bytes;
}

/// The value of TCGEMM_DRIVER_LOST, `ORDINAL:LAUNCHES:FILE`.
static Expected<LostDevice> readLostDevice() {
  const char *text = getSetting("TCGEMM_DRIVER_LOST");
  if (!text)
    return LostDevice();
  LostDevice lost;
  auto [ordinal, rest] = llvm::StringRef(text).split(':');
  auto [launches, marker] = rest.split(':');
  if (ordinal.getAsInteger(10, lost.ordinal) ||
      launches.getAsInteger(10, lost.launches) || marker.empty())
    return fail(cuda::InvalidValue,
                "TCGEMM_DRIVER_LOST is '" + Twine(text) +
                    "', but it must be ORDINAL:LAUNCHES:FILE");
  lost.marker = marker.str();
  return lost;
}

Error State::open() {
  if (!gpus.empty())
    return Error::success();
  llvm::SmallVector<llvm::StringRef> chips;
  if (const char *list = getSetting("TCGEMM_DRIVER_CHIP"); list && !hasOptions)
    llvm::StringRef(list).split(chips, ',');
  Expected<unsigned> count = readNumDevices();
  if (!count)
    return count.takeError();
  if (*count == 0)
    return fail(cuda::NoDevice, "TCGEMM_DRIVER_DEVICES is 0");
  Expected<LostDevice> unlucky = readLostDevice();
  if (!unlucky)
    return unlucky.takeError();
  lost = std::move(*unlucky);
  Expected<uint64_t> memory = readMemoryLimit();
  if (!memory)
    return memory.takeError();
  memoryLimit = *memory;
  if (const char *races = getSetting("TCGEMM_DRIVER_RACES"))
    options.checks.races = llvm::StringRef(races) != "0";
  if (const char *contents = getSetting("TCGEMM_DRIVER_UNINITIALISED"))
    options.checks.uninitialised = llvm::StringRef(contents) != "0";
  std::vector<std::unique_ptr<Gpu>> made;
  for (unsigned i = 0; i != *count; ++i) {
    EmulatorOptions own = options;
    if (!chips.empty())
      own.chip = chips[i % chips.size()].str();
    Expected<std::unique_ptr<Device>> device = openEmulator(own);
    if (!device)
      return withCode(cuda::NoDevice, device.takeError());
    Gpu &gpu = *made.emplace_back(std::make_unique<Gpu>());
    gpu.ordinal = static_cast<int>(i);
    gpu.device = std::move(*device);
  }
  gpus = std::move(made);
  process = getpid();
  return Error::success();
}

Error State::checkProcess() const {
  int opener = process.load();
  if (opener == 0)
    return fail(cuda::NotInitialized, "cuInit was not called");
  if (opener != getpid())
    return fail(cuda::NotInitialized,
                "the process is a fork of the one that called cuInit");
  return Error::success();
}

Error State::checkPresence(const Gpu &gpu) const {
  if (gpu.ordinal != lost.ordinal || !llvm::sys::fs::exists(lost.marker))
    return Error::success();
  return fail(cuda::DeviceUnavailable, "device " + Twine(gpu.ordinal) +
                                           " is lost: '" + lost.marker +
                                           "' exists");
}

Expected<Gpu *> State::findGpu(int ordinal) const {
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= gpus.size())
    return fail(cuda::InvalidDevice, "there is no device " + Twine(ordinal) +
                                         ": the ordinals are 0 to " +
                                         Twine(gpus.size() - 1));
  Gpu *gpu = gpus[ordinal].get();
  if (Error error = checkPresence(*gpu))
    return std::move(error);
  return gpu;
}

Expected<Gpu *> State::findGpu(cuda::Context context) const {
  for (const std::unique_ptr<Gpu> &gpu : gpus)
    if (static_cast<void *>(gpu.get()) == static_cast<void *>(context))
      return findGpu(gpu->ordinal);
  return fail(cuda::InvalidContext, "not a context");
}

/// Counts a launch on the current device, which may be its last one.
Error State::countLaunch() {
  if (current->ordinal != lost.ordinal ||
      current->numLaunches++ < lost.launches)
    return Error::success();
  std::error_code code;
  llvm::raw_fd_ostream marker(lost.marker, code);
  if (code)
    return fail(cuda::InvalidValue,
                "cannot write '" + lost.marker + "': " + code.message());
  return fail(cuda::DeviceUnavailable,
              "device " + Twine(current->ordinal) + " is lost");
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
  Expected<std::unique_ptr<Module>> module = current->device->loadModule(image);
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

Error State::checkAssertion() const {
  if (current->assertion.empty())
    return Error::success();
  return fail(cuda::AssertionFailed, current->assertion);
}

/// Returns the findings of a launch as an error. `error` says why it could not
/// continue, if it could not.
static Error reportFindings(const LoadedFunction &function,
                            const Observations &seen, Error error) {
  std::string text = std::to_string(seen.findings.size() + seen.suppressed) +
                     " findings in kernel '" + function.name + "'";
  if (!seen.findings.empty())
    text += ": " + emu::toString(seen.findings.front());
  if (error)
    text += "; " + llvm::toString(std::move(error));
  return fail(cuda::IllegalAddress, text);
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
  if (isCapturing || !current->assertion.empty())
    return Error::success();
  if (Error error = countLaunch())
    return error;
  std::vector<KernelArgument> values;
  for (size_t i = 0; i != function.argumentBytes.size(); ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): checked above.
    const auto *bytes = static_cast<const uint8_t *>(arguments[i]);
    values.emplace_back(bytes, bytes + function.argumentBytes[i]);
  }
  Device &device = *current->device;
  Error error = device.launch(*function.kernel, launchConfig, values);
  Observations seen = device.getAccessChecker()->takeObservations();
  if (!seen.hasFindings())
    return withCode(cuda::LaunchFailed, std::move(error));
  ++numFindings;
  auto assertion =
      llvm::find_if(seen.findings, [](const emu::Finding &finding) {
        return finding.kind == emu::FindingKind::AssertionFailed;
      });
  if (assertion == seen.findings.end())
    return reportFindings(function, seen, std::move(error));
  llvm::consumeError(std::move(error));
  current->assertion = emu::toString(*assertion);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool State::isOnDevice(cuda::DevicePointer address) {
  return emu::Emulator::isGlobalAddress(address);
}

uint64_t State::getCapacity() const {
  uint64_t memory = current->device->getProperties().globalMemory;
  return std::min(memory, memoryLimit);
}

Error State::allocate(cuda::DevicePointer &address, uint64_t bytes) {
  if (bytes == 0)
    return fail(cuda::InvalidValue, "an allocation of 0 bytes");
  if (bytes > memoryLimit || current->allocated > memoryLimit - bytes)
    return fail(cuda::OutOfMemory, Twine(current->allocated) + " of " +
                                       Twine(memoryLimit) +
                                       " bytes are allocated");
  Expected<Buffer> buffer = current->device->allocate(bytes);
  if (!buffer)
    return withCode(cuda::OutOfMemory, buffer.takeError());
  address = buffer->getAddress();
  current->buffers.emplace(address, Allocation{std::move(*buffer), bytes});
  current->allocated += bytes;
  return Error::success();
}

Error State::free(cuda::DevicePointer address) {
  if (!address)
    return Error::success();
  auto found = current->buffers.find(address);
  if (found == current->buffers.end())
    return fail(cuda::InvalidValue, "no allocation begins at the address");
  current->allocated -= found->second.bytes;
  current->buffers.erase(found);
  return Error::success();
}

Error State::copy(cuda::DevicePointer target, cuda::DevicePointer source,
                  uint64_t bytes) {
  auto toHost = [](cuda::DevicePointer address) {
    return reinterpret_cast<void *>(address); // NOLINT(performance-*)
  };
  if (isOnDevice(target) && isOnDevice(source))
    return current->device->copyOnDevice(target, source, bytes);
  if (isOnDevice(target))
    return current->device->copyToDevice(target, toHost(source), bytes);
  if (isOnDevice(source))
    return current->device->copyFromDevice(toHost(target), source, bytes);
  std::memcpy(toHost(target), toHost(source), bytes);
  return Error::success();
}
