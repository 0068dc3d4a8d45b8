//===- EmulatorDevice.cpp - Kernels without a GPU -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Device interface on emu::Emulator. A launch returns when it has ended.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/EmulatorDevice.h"
#include "tcgemm/Runtime/AccessChecker.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/EmulatedTensorMap.h"

#include "llvm/ADT/StringMap.h"

#include <limits>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

LaunchWatcher::~LaunchWatcher() = default;
AccessChecker::~AccessChecker() = default;

namespace {

using Text = std::shared_ptr<const std::string>;

class EmulatedKernel : public Kernel {
public:
  EmulatedKernel(const emu::KernelCode &code, std::string name, Text ptx)
      : code(code), name(std::move(name)), ptx(std::move(ptx)) {}

  const emu::KernelCode &code;
  std::string name;
  Text ptx;
};

class EmulatedModule : public Module {
public:
  EmulatedModule(std::unique_ptr<emu::Module> module, Text ptx)
      : module(std::move(module)), ptx(std::move(ptx)) {}

  Expected<Kernel *> getKernel(StringRef symbol) override;
  Expected<std::pair<uint64_t, uint64_t>> getVariable(StringRef name) override {
    return module->findVariable(name);
  }

private:
  std::unique_ptr<emu::Module> module;
  Text ptx;
  llvm::StringMap<std::unique_ptr<EmulatedKernel>> kernels;
};

class EmulatorDevice : public Device, public AccessChecker {
public:
  EmulatorDevice(EmulatorOptions options, DeviceProperties properties)
      : options(std::move(options)), properties(std::move(properties)) {}

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
  Error synchronize() override { return Error::success(); }
  Expected<TensorMapImage>
  encodeTensorMap(const TensorMapDescription &map) override {
    return encodeEmulatedTensorMap(map);
  }
  Expected<std::unique_ptr<Graph>>
  capture(llvm::function_ref<Error()> enqueue) override;
  Expected<double> time(llvm::function_ref<Error()> enqueue) override;
  AccessChecker *getAccessChecker() override { return this; }

  Error describe(uint64_t address, const BufferInfo &info) override;
  bool tracksContents() const override { return options.checks.uninitialised; }
  Error markUndefined(uint64_t address, uint64_t bytes) override;
  Expected<std::vector<std::pair<uint64_t, uint64_t>>>
  findUndefined(uint64_t address, uint64_t bytes) const override;
  Observations takeObservations() override {
    return std::exchange(observations, {});
  }

private:
  Expected<uint64_t> allocateMemory(size_t bytes, StringRef name) override;
  void freeMemory(uint64_t address) override;

  const EmulatorOptions options;
  DeviceProperties properties;
  emu::Emulator emulator;
  Observations observations;
  /// The launches of a graph that is being captured.
  struct Recorded {
    EmulatedKernel *kernel;
    LaunchConfig config;
    std::vector<KernelArgument> arguments;
  };
  std::vector<Recorded> *recording = nullptr;

  class RecordedGraph : public Graph {
  public:
    RecordedGraph(EmulatorDevice &device, std::vector<Recorded> launches)
        : device(device), launches(std::move(launches)) {}
    Error launch() override;

  private:
    EmulatorDevice &device;
    std::vector<Recorded> launches;
  };
};

} // namespace

constexpr size_t kPieceBytes = 1 << 20;

static Error asDeviceError(Error error) {
  if (!error)
    return error;
  return llvm::make_error<DeviceError>("emulator: " +
                                       llvm::toString(std::move(error)));
}

/// Converts the error to one of the input: the device can load other modules.
static Error refuse(Error error) {
  return llvm::createStringError("the emulator does not take the PTX: " +
                                 llvm::toString(std::move(error)));
}

Expected<Kernel *> EmulatedModule::getKernel(StringRef symbol) {
  if (auto known = kernels.find(symbol); known != kernels.end())
    return known->second.get();
  const emu::KernelCode *code = module->find(symbol);
  if (!code) {
    std::string names;
    for (const std::string &name : module->getKernelNames())
      names += (names.empty() ? "" : ", ") + name;
    return llvm::createStringError(
        "no kernel '" + symbol +
        "' in the PTX, which has: " + (names.empty() ? "none" : names));
  }
  if (Error error = emu::checkSupport(*code))
    return refuse(std::move(error));
  std::unique_ptr<EmulatedKernel> &slot = kernels[symbol];
  slot = std::make_unique<EmulatedKernel>(*code, symbol.str(), ptx);
  return slot.get();
}

Expected<uint64_t> EmulatorDevice::allocateMemory(size_t bytes,
                                                  StringRef name) {
  Expected<uint64_t> address = emulator.allocate(bytes, name);
  if (!address)
    return asDeviceError(address.takeError());
  return *address;
}

void EmulatorDevice::freeMemory(uint64_t address) {
  // A failure to release cannot be handled.
  llvm::consumeError(emulator.free(address));
}

Error EmulatorDevice::copyToDevice(uint64_t address, const void *source,
                                   size_t bytes) {
  return bytes ? asDeviceError(emulator.write(address, source, bytes))
               : Error::success();
}

Error EmulatorDevice::copyFromDevice(void *target, uint64_t address,
                                     size_t bytes) {
  return bytes ? asDeviceError(emulator.read(target, address, bytes))
               : Error::success();
}

Error EmulatorDevice::copyOnDevice(uint64_t target, uint64_t source,
                                   size_t bytes) {
  // In pieces, because the host may lack the memory for a second copy.
  std::vector<uint8_t> piece(std::min(bytes, kPieceBytes));
  for (size_t done = 0; done < bytes; done += piece.size()) {
    size_t size = std::min(piece.size(), bytes - done);
    if (Error error = copyFromDevice(piece.data(), source + done, size))
      return error;
    if (Error error = copyToDevice(target + done, piece.data(), size))
      return error;
  }
  return Error::success();
}

Error EmulatorDevice::fill32(uint64_t address, uint32_t value, size_t count) {
  std::vector<uint32_t> piece(std::min(count, kPieceBytes / sizeof(uint32_t)),
                              value);
  for (size_t done = 0; done < count; done += piece.size()) {
    size_t size = std::min(piece.size(), count - done);
    if (Error error = copyToDevice(address + done * sizeof(uint32_t),
                                   piece.data(), size * sizeof(uint32_t)))
      return error;
  }
  return Error::success();
}

Expected<std::unique_ptr<Module>>
EmulatorDevice::loadModule(const ModuleImage &image) {
  if (image.ptx.empty())
    return llvm::createStringError(
        "the module has no PTX, which is what the emulator executes: it cannot "
        "run a cubin");
  auto ptx = std::make_shared<const std::string>(image.ptx);
  Expected<std::unique_ptr<emu::Module>> module = emulator.load(*ptx);
  if (!module)
    return refuse(module.takeError());
  return std::make_unique<EmulatedModule>(std::move(*module), std::move(ptx));
}

Error EmulatorDevice::launch(Kernel &kernel, const LaunchConfig &config,
                             llvm::ArrayRef<KernelArgument> arguments) {
  auto &emulated = static_cast<EmulatedKernel &>(kernel);
  if (recording) {
    recording->push_back({&emulated, config, arguments.vec()});
    return Error::success();
  }
  if (config.sharedMemory > properties.sharedMemoryPerBlock)
    return llvm::make_error<DeviceError>(
        "launch of '" + emulated.name + "': a block wants " +
        std::to_string(config.sharedMemory) + " bytes of shared memory, " +
        options.chip + " has " +
        std::to_string(properties.sharedMemoryPerBlock));
  emu::Launch launch;
  launch.grid = config.grid;
  launch.block = config.block;
  launch.cluster = config.cluster;
  launch.sharedMemory = config.sharedMemory;
  launch.dependent = config.dependent;
  for (const KernelArgument &argument : arguments)
    launch.arguments.emplace_back(argument.begin(), argument.end());
  emu::LaunchOptions launchOptions;
  launchOptions.checks = options.checks;
  launchOptions.profile = options.profile;
  launchOptions.threads = options.threads;
  launchOptions.maxInstructions = options.maxInstructions;
  launchOptions.l2Bytes = static_cast<uint64_t>(properties.l2Bytes);
  launchOptions.smCount = static_cast<unsigned>(properties.smCount);
  launchOptions.cancel = options.cancel;
  LaunchWatcher *watcher = options.watcher;
  if (watcher) {
    launchOptions.progress = [watcher](uint64_t done, uint64_t total) {
      watcher->update(done, total);
    };
    watcher->begin(emulated.name,
                   uint64_t(config.grid[0]) * config.grid[1] * config.grid[2]);
  }
  Expected<emu::LaunchResult> result =
      emulator.launch(emulated.code, launch, launchOptions);
  if (watcher)
    watcher->end();
  if (!result)
    return llvm::make_error<DeviceError>(
        "launch of '" + emulated.name +
        "' on the emulator: " + llvm::toString(result.takeError()));
  std::move(result->findings.begin(), result->findings.end(),
            std::back_inserter(observations.findings));
  observations.suppressed += result->suppressedFindings;
  observations.instructions += result->instructions;
  observations.printed += result->printed;
  if (options.profile)
    observations.profiles.push_back({std::move(result->profile), emulated.ptx});
  if (!result->failure.empty())
    return llvm::make_error<DeviceError>(
        "kernel '" + emulated.name +
        "' could not continue: " + result->failure);
  return Error::success();
}

Error EmulatorDevice::RecordedGraph::launch() {
  for (const Recorded &recorded : launches)
    if (Error error = device.launch(*recorded.kernel, recorded.config,
                                    recorded.arguments))
      return error;
  return Error::success();
}

Expected<std::unique_ptr<Graph>>
EmulatorDevice::capture(llvm::function_ref<Error()> enqueue) {
  std::vector<Recorded> launches;
  recording = &launches;
  Error error = enqueue();
  recording = nullptr;
  if (error)
    return std::move(error);
  return std::make_unique<RecordedGraph>(*this, std::move(launches));
}

Expected<double> EmulatorDevice::time(llvm::function_ref<Error()>) {
  return llvm::createStringError(
      "the emulator has no clock of a GPU: nothing can be measured on it");
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

Error EmulatorDevice::describe(uint64_t address, const BufferInfo &info) {
  if (Error error = emulator.setWritable(address, info.isWritable))
    return asDeviceError(std::move(error));
  return asDeviceError(emulator.setShape(
      address, {info.columns, info.pitch, info.elementBytes, info.start}));
}

Error EmulatorDevice::markUndefined(uint64_t address, uint64_t bytes) {
  return bytes ? asDeviceError(emulator.markUndefined(address, bytes))
               : Error::success();
}

Expected<std::vector<std::pair<uint64_t, uint64_t>>>
EmulatorDevice::findUndefined(uint64_t address, uint64_t bytes) const {
  if (bytes == 0)
    return std::vector<std::pair<uint64_t, uint64_t>>();
  auto ranges = emulator.findUndefined(address, bytes,
                                       std::numeric_limits<unsigned>::max());
  if (!ranges)
    return asDeviceError(ranges.takeError());
  return ranges;
}

Expected<std::unique_ptr<Device>>
tcgemm::openEmulator(const EmulatorOptions &options) {
  Expected<const ChipInfo &> chip = lookupChip(options.chip);
  if (!chip)
    return chip.takeError();
  DeviceProperties properties;
  properties.name = "emulator (" + options.chip + ")";
  properties.isEmulated = true;
  properties.major = static_cast<int>(chip->capability / 10);
  properties.minor = static_cast<int>(chip->capability % 10);
  properties.smCount = options.smCount ? options.smCount : chip->speed.numSMs;
  properties.l2Bytes = static_cast<int64_t>(chip->speed.l2MiB * (1 << 20));
  properties.globalMemory = int64_t(1) << 40; // The range of addresses.
  properties.sharedMemoryPerBlock = chip->sharedPerBlock;
  return std::make_unique<EmulatorDevice>(options, std::move(properties));
}
