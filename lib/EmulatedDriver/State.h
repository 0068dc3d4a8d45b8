//===- State.h - State of the emulated driver -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is the address of an object in the state. So an unknown handle is an
// error, as with a driver.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATEDDRIVER_STATE_H
#define TCGEMM_LIB_EMULATEDDRIVER_STATE_H

#include "../GpuRuntime/CudaTypes.h"
#include "tcgemm/Emulator/Ptx.h"
#include "tcgemm/Runtime/EmulatorDevice.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tcgemm::emulated_driver {

/// A code of the driver with a text.
class Failure : public llvm::ErrorInfo<Failure> {
public:
  static char ID;
  Failure(cuda::Result code, std::string text)
      : code(code), text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  cuda::Result getCode() const { return code; }

private:
  cuda::Result code;
  std::string text;
};

llvm::Error fail(cuda::Result code, const llvm::Twine &text);
/// Adds a code to an error that has none.
llvm::Error withCode(cuda::Result code, llvm::Error error);

struct LoadedFunction {
  Kernel *kernel = nullptr;
  std::string name;
  std::vector<uint64_t> argumentBytes;
  /// Limits that cuFuncSetAttribute sets.
  unsigned maxSharedMemory = cuda::kMaxPlainSharedMemory;
  unsigned maxCluster = cuda::kMaxPortableCluster;
};

struct LoadedModule {
  std::unique_ptr<Module> module;
  std::unique_ptr<ptx::Module> text; ///< For the sizes of parameters.
  std::map<std::string, std::unique_ptr<LoadedFunction>> functions;
};

/// Objects of one kind by their address.
template <typename T> class Handles {
public:
  T *add(std::unique_ptr<T> object) {
    T *handle = object.get();
    objects.emplace(handle, std::move(object));
    return handle;
  }
  T *find(const void *handle) const {
    auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second.get();
  }
  bool erase(const void *handle) { return objects.erase(handle); }

private:
  std::map<const void *, std::unique_ptr<T>> objects;
};

struct Allocation {
  Buffer buffer;
  uint64_t bytes;
};

/// A device of the driver, and what was allocated on it. Its address is the
/// handle of its context.
struct Gpu {
  int ordinal = 0;
  std::unique_ptr<Device> device;
  std::map<cuda::DevicePointer, Allocation> buffers;
  uint64_t allocated = 0;   ///< Their bytes.
  uint64_t numLaunches = 0; ///< The launches of this process.
  /// The assertion of a kernel that failed, which ended all work in the context
  /// until that is destroyed; empty if none did.
  std::string assertion;
};

/// A device that is lost after some launches, as if it had fallen off the bus.
/// `marker` is a file that exists as soon as it is lost: no process can open
/// the device while there is such a file.
struct LostDevice {
  int ordinal = -1; ///< -1: no device is lost.
  uint64_t launches = 0;
  std::string marker;
};

/// A stream, an event or a graph. It is a handle only.
struct Token {
  char unused = 0;
};

/// The driver of a process. Its functions take the mutex.
class State {
public:
  static State &get();

  llvm::Error open();
  /// Fails before cuInit, and in a process that was forked after it. May be
  /// called without the mutex, which a forked process may never get.
  llvm::Error checkProcess() const;
  /// The device of an ordinal, which is its handle too. Errors: there is no
  /// such device, or it is lost.
  llvm::Expected<Gpu *> findGpu(int ordinal) const;
  /// The device of a context. Errors: it is no context, or the device is lost.
  llvm::Expected<Gpu *> findGpu(cuda::Context context) const;
  llvm::Expected<LoadedModule *> loadModule(const char *text);
  llvm::Expected<LoadedFunction *> getFunction(LoadedModule &module,
                                               const char *name);
  /// An unknown handle is an error.
  llvm::Expected<LoadedModule *> findModule(const void *handle) const;
  llvm::Expected<LoadedFunction *> findFunction(const void *handle) const;
  /// Null is the default stream.
  llvm::Error checkStream(const void *stream) const;
  llvm::Error checkEvent(const void *event) const;
  /// Fails if a kernel in the context of the call failed an assertion. Calls
  /// that wait for launches report that, as those of a GPU's driver do.
  llvm::Error checkAssertion() const;

  llvm::Error launch(const cuda::LaunchConfigEx &config,
                     const LoadedFunction &function, void **arguments);
  llvm::Error allocate(cuda::DevicePointer &address, uint64_t bytes);
  llvm::Error free(cuda::DevicePointer address);
  /// Copies in any direction. Addresses of the emulator are device memory.
  llvm::Error copy(cuda::DevicePointer target, cuda::DevicePointer source,
                   uint64_t bytes);
  static bool isOnDevice(cuda::DevicePointer address);
  /// The bytes that allocations of the current device may have together.
  uint64_t getCapacity() const;

  std::mutex mutex;
  EmulatorOptions options;
  bool hasOptions = false;
  std::vector<std::unique_ptr<Gpu>> gpus; ///< Empty before cuInit.
  Gpu *current = nullptr;                 ///< The device of the call's context.
  Handles<LoadedModule> modules;
  Handles<Token> streams, events, graphs;
  std::map<const void *, LoadedFunction *> functions;
  bool isCapturing = false;
  uint64_t numFindings = 0; ///< Launches with findings.

private:
  llvm::Error checkPresence(const Gpu &gpu) const;
  llvm::Error countLaunch();

  LostDevice lost;
  uint64_t memoryLimit = UINT64_MAX; ///< Bytes of a device's allocations.
  std::atomic<int> process{0};       ///< The one that called cuInit.
};

} // namespace tcgemm::emulated_driver

#endif // TCGEMM_LIB_EMULATEDDRIVER_STATE_H
