//===- Device.h - Where kernels run -----------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface to whatever runs kernels: the CUDA driver, or an emulator.
// A device has one stream, on which everything is ordered; errors of a kernel
// may surface at any later call. A device is used from one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_DEVICE_H
#define TCGEMM_RUNTIME_DEVICE_H

#include "tcgemm/Target/KernelPack.h"
#include "tcgemm/Target/TensorMap.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tcgemm {

class AccessChecker;
class Device;

/// A failure of the device or its driver, as against one of the input: after it
/// the device may be unusable.
class DeviceError : public llvm::ErrorInfo<DeviceError> {
public:
  static char ID;
  explicit DeviceError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

/// `error` with `context` and a colon before its text; a DeviceError stays one.
llvm::Error addContext(const llvm::Twine &context, llvm::Error error);

/// What a device is; memory in bytes.
struct DeviceProperties {
  std::string name;
  std::string driver;      ///< `CUDA driver 13.0`.
  std::string pciBusId;    ///< `0000:3B:00.0`; empty if it is no GPU.
  bool isEmulated = false; ///< Runs on the CPU, without a GPU's time.
  int major = 0;           ///< Compute capability.
  int minor = 0;
  int64_t smCount = 0;
  int64_t l2Bytes = 0;
  int64_t globalMemory = 0;
  int64_t sharedMemoryPerBlock = 0; ///< With opt-in.
};

/// Device memory that is freed with its owner. At least 256-byte aligned.
class Buffer {
public:
  Buffer() = default;
  Buffer(Device &device, uint64_t address, size_t bytes)
      : device(&device), address(address), bytes(bytes) {}
  Buffer(Buffer &&other) noexcept { swap(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer();

  uint64_t getAddress() const { return address; }
  size_t getSize() const { return bytes; }

private:
  void swap(Buffer &other) noexcept {
    std::swap(device, other.device);
    std::swap(address, other.address);
    std::swap(bytes, other.bytes);
  }

  Device *device = nullptr;
  uint64_t address = 0;
  size_t bytes = 0;
};

/// A function of a loaded module; owned by the module.
class Kernel {
public:
  virtual ~Kernel();
};

/// Loaded code. Must not outlive its device.
class Module {
public:
  virtual ~Module();
  /// The function `symbol`; an error names it if there is none.
  virtual llvm::Expected<Kernel *> getKernel(llvm::StringRef symbol) = 0;
  /// Address and size of a variable in global memory. An error: there is none,
  /// or the device cannot tell.
  virtual llvm::Expected<std::pair<uint64_t, uint64_t>>
  getVariable(llvm::StringRef name);
};

/// The bytes of one kernel argument, in the layout of its C type.
using KernelArgument = llvm::SmallVector<uint8_t, 8>;

struct LaunchConfig {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t sharedMemory = 0; ///< Dynamic, bytes a block.
  /// Programmatic dependent launch: blocks may start while the launch ahead of
  /// this one ends, and wait for that end by themselves. Devices that know of
  /// no such launches make an ordinary one.
  bool dependent = false;
};

/// A captured sequence of launches.
class Graph {
public:
  virtual ~Graph();
  /// Enqueues the whole sequence on the device's stream.
  virtual llvm::Error launch() = 0;
};

class Device {
public:
  virtual ~Device();

  virtual const DeviceProperties &getProperties() const = 0;

  /// `name` is how a device that checks accesses calls the memory.
  llvm::Expected<Buffer> allocate(size_t bytes, llvm::StringRef name = "");
  virtual llvm::Error copyToDevice(uint64_t address, const void *source,
                                   size_t bytes) = 0;
  /// Waits for everything enqueued before.
  virtual llvm::Error copyFromDevice(void *target, uint64_t address,
                                     size_t bytes) = 0;
  virtual llvm::Error copyOnDevice(uint64_t target, uint64_t source,
                                   size_t bytes) = 0;
  /// Sets `count` 32-bit words.
  virtual llvm::Error fill32(uint64_t address, uint32_t value,
                             size_t count) = 0;

  /// Loads the cubin if there is one, else the PTX.
  virtual llvm::Expected<std::unique_ptr<Module>>
  loadModule(const ModuleImage &image) = 0;
  virtual llvm::Error launch(Kernel &kernel, const LaunchConfig &config,
                             llvm::ArrayRef<KernelArgument> arguments) = 0;
  virtual llvm::Error synchronize() = 0;

  /// The bytes of a tensor map for this device's kernels, which take them by
  /// value. Errors: a rule of checkTensorMap is broken, or the device has no
  /// Tensor Memory Accelerator.
  virtual llvm::Expected<TensorMapImage>
  encodeTensorMap(const TensorMapDescription &map);

  /// Records what `enqueue` launches instead of running it.
  virtual llvm::Expected<std::unique_ptr<Graph>>
  capture(llvm::function_ref<llvm::Error()> enqueue) = 0;
  /// Milliseconds that the device needs for what `enqueue` enqueues. Waits.
  virtual llvm::Expected<double>
  time(llvm::function_ref<llvm::Error()> enqueue) = 0;

  /// The stream for other libraries of the same platform; null if none.
  virtual void *getNativeStream() { return nullptr; }
  /// Of a device that checks accesses; its buffers need no red zones. Else
  /// null.
  virtual AccessChecker *getAccessChecker() { return nullptr; }

private:
  friend class Buffer;
  virtual llvm::Expected<uint64_t> allocateMemory(size_t bytes,
                                                  llvm::StringRef name) = 0;
  virtual void freeMemory(uint64_t address) = 0;
};

/// The devices of the CUDA driver, in its order. An error says why there are
/// none: no driver library, or no device.
llvm::Expected<std::vector<DeviceProperties>> listDevices();

/// Opens device number `ordinal` of listDevices().
llvm::Expected<std::unique_ptr<Device>> openDevice(unsigned ordinal);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_DEVICE_H
