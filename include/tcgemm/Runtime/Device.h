//===- Device.h - Where kernels run -----------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of devices that run kernels: the CUDA driver or an emulator.
// A device has one stream, which orders all operations. An error of a kernel
// may be reported by any later call. A device is used from one thread at a
// time.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_DEVICE_H
#define TCGEMM_RUNTIME_DEVICE_H

#include "tcgemm/Target/FormatError.h"
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

/// A failure of the device or its driver, in contrast to an invalid input. The
/// device may be unusable after it.
class DeviceError : public TextError<DeviceError> {
public:
  static char ID;
  using TextError::TextError;
};

/// Prepends `context` and a colon to the text of `error`. A DeviceError remains
/// a DeviceError.
llvm::Error addContext(const llvm::Twine &context, llvm::Error error);

/// The properties of a device; sizes of memory are in bytes.
struct DeviceProperties {
  std::string name;
  std::string driver;   ///< `CUDA driver 13.0`.
  std::string pciBusId; ///< `0000:3B:00.0`; empty if the device is not a GPU.
  bool isEmulated = false; ///< Runs on the CPU, so that times mean nothing.
  int major = 0;           ///< Compute capability.
  int minor = 0;
  int64_t smCount = 0;
  int64_t l2Bytes = 0;
  int64_t globalMemory = 0;
  int64_t sharedMemoryPerBlock = 0; ///< The opt-in limit.
};

/// Owned device memory, freed by the destructor. At least 256-byte aligned.
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
  /// The function `symbol`. Errors: the module has no such function.
  virtual llvm::Expected<Kernel *> getKernel(llvm::StringRef symbol) = 0;
  /// Address and size in bytes of a variable in global memory. Errors: there is
  /// no such variable, or the device does not support the query.
  virtual llvm::Expected<std::pair<uint64_t, uint64_t>>
  getVariable(llvm::StringRef name);
};

/// The bytes of one kernel argument, in the layout of its C type.
using KernelArgument = llvm::SmallVector<uint8_t, 8>;

struct LaunchConfig {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t sharedMemory = 0; ///< Dynamic shared memory, bytes for each block.
  /// Programmatic dependent launch: blocks may start before the preceding
  /// launch has ended, and wait for its end themselves. A device without such
  /// launches makes an ordinary one.
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

  /// `name` denotes the memory in the findings of a device that checks
  /// accesses.
  llvm::Expected<Buffer> allocate(size_t bytes, llvm::StringRef name = "");
  virtual llvm::Error copyToDevice(uint64_t address, const void *source,
                                   size_t bytes) = 0;
  /// Waits for all work that was enqueued before.
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

  /// Encodes a tensor map for kernels of this device, which take it by value.
  /// Errors: a rule of checkTensorMap is broken, or the device has no Tensor
  /// Memory Accelerator.
  virtual llvm::Expected<TensorMapImage>
  encodeTensorMap(const TensorMapDescription &map);

  /// Records the launches of `enqueue` instead of running them.
  virtual llvm::Expected<std::unique_ptr<Graph>>
  capture(llvm::function_ref<llvm::Error()> enqueue) = 0;
  /// The time in milliseconds that the device needs for the work that `enqueue`
  /// enqueues. Waits for its end.
  virtual llvm::Expected<double>
  time(llvm::function_ref<llvm::Error()> enqueue) = 0;

  /// The stream, for other libraries of the same platform; null if there is
  /// none.
  virtual void *getNativeStream() { return nullptr; }
  /// The checker, if the device checks accesses, or else null. Buffers of such
  /// a device need no red zones.
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
/// The number of devices of the CUDA driver, those that cannot be used
/// included. Errors: there is no driver or no device.
llvm::Expected<unsigned> countDevices();

/// Opens device number `ordinal` of listDevices().
llvm::Expected<std::unique_ptr<Device>> openDevice(unsigned ordinal);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_DEVICE_H
