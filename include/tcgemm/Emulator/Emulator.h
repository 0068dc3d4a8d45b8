//===- Emulator.h - Runs PTX on the CPU -------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator's interface: device memory, modules of PTX, launches. It knows
// neither MLIR nor the rest of tcgemm.
//
//   emu::Emulator emulator;
//   auto module = emulator.load(ptxText);
//   uint64_t x = *emulator.allocate(bytes, "x");
//   emulator.write(x, data, bytes);
//   auto result = emulator.launch(**module->find("kernel"), launch, options);
//
// Threads of the host execute blocks, one warp after another. The result has
// the findings of the checkers. A finding does not end the launch unless
// execution cannot go on.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_EMULATOR_EMULATOR_H
#define TCGEMM_EMULATOR_EMULATOR_H

#include "tcgemm/Emulator/Finding.h"
#include "tcgemm/Emulator/Profile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tcgemm::emu {

class Program;
class GlobalMemory;

/// The checks while a kernel runs. An access outside of allocations never takes
/// place. With `bounds` it is a finding; without, it ends the launch as on a
/// GPU.
struct Checks {
  bool bounds = true;        ///< Out-of-bounds and misaligned accesses.
  bool uninitialised = true; ///< Registers, shared and global memory.
  bool races = true;         ///< Shared and global memory.
  bool barriers = true;      ///< Divergence and misuse of barriers.

  static Checks none() { return {false, false, false, false}; }
};

struct LaunchOptions {
  Checks checks;
  bool profile = false;
  unsigned threads = 0;       ///< Host threads; 0: one for each core.
  unsigned maxFindings = 100; ///< Distinct findings; more are only counted.
  /// The limit of warp instructions, which ends the launch; 0: none.
  uint64_t maxInstructions = 0;
  /// Properties of the emulated device that profiles need.
  uint64_t l2Bytes = 50u << 20;
  unsigned smCount = 132;
  /// Called now and then from one thread, with the numbers of finished and of
  /// all blocks.
  std::function<void(uint64_t done, uint64_t total)> progress;
  /// Set by another thread or a signal handler to end the launch.
  const std::atomic<bool> *cancel = nullptr;
};

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t sharedMemory = 0; ///< Dynamic shared memory, bytes for each block.
  /// The launch may overlap the one before it, and waits for it by
  /// griddepcontrol.wait. The emulator never overlaps launches, but checks the
  /// wait.
  bool dependent = false;
  /// The bytes of each kernel argument.
  std::vector<std::vector<uint8_t>> arguments;
};

struct LaunchResult {
  /// The reason why the kernel did not reach its end; empty if it did. Reasons
  /// are a trap, a deadlock, an illegal address without the checker and the
  /// instruction limit.
  std::string failure;
  std::vector<Finding> findings;
  /// The text that printf has printed, clusters in their order; at most 1 MiB.
  std::string printed;
  uint64_t suppressedFindings = 0; ///< Beyond LaunchOptions::maxFindings.
  Profile profile;                 ///< Filled if requested.
  uint64_t instructions = 0;       ///< Warp instructions executed.
};

/// An entry function of a loaded module.
class KernelCode;

/// An error that names the first unsupported instruction of the kernel or of a
/// function that it calls. Such a kernel cannot be launched.
llvm::Error checkSupport(const KernelCode &kernel);

/// Loaded and decoded PTX; its global variables have addresses. Must not
/// outlive its emulator.
class Module {
public:
  ~Module();
  /// Null if there is no entry of this name.
  const KernelCode *find(llvm::StringRef name) const;
  std::vector<std::string> getKernelNames() const;
  /// Address and size of a `.global` or `.const` variable.
  llvm::Expected<std::pair<uint64_t, uint64_t>>
  findVariable(llvm::StringRef name) const;

private:
  friend class Emulator;
  explicit Module(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program;
};

class Emulator {
public:
  Emulator();
  ~Emulator();

  /// Reads and decodes PTX. Errors name the line. An unsupported instruction is
  /// an error only at the launch of a kernel that reaches it.
  llvm::Expected<std::unique_ptr<Module>> load(llvm::StringRef ptx);

  /// Allocates global memory, 256-byte aligned and with red zones around it. It
  /// is undefined until it is written. Findings call it `name`.
  llvm::Expected<uint64_t> allocate(uint64_t bytes, llvm::StringRef name = "");
  llvm::Error free(uint64_t address);
  /// Host access. The range must lie in one allocation. Written bytes count as
  /// initialised.
  llvm::Error write(uint64_t address, const void *data, uint64_t bytes);
  llvm::Error read(void *data, uint64_t address, uint64_t bytes) const;
  /// Returns whether `address` lies in the address range of global memory.
  static bool isGlobalAddress(uint64_t address);
  /// Makes a range uninitialised.
  llvm::Error markUndefined(uint64_t address, uint64_t bytes);
  /// Sets whether kernels may write an allocation, which they may by default. A
  /// forbidden write is a finding.
  llvm::Error setWritable(uint64_t address, bool writable);
  /// The shape of an allocation's elements, for the text of findings: `columns`
  /// elements of `elementBytes` a row of `pitch` bytes, from byte `start` on.
  struct Shape {
    uint64_t columns = 0;
    uint64_t pitch = 0;
    unsigned elementBytes = 0;
    uint64_t start = 0;
  };
  llvm::Error setShape(uint64_t address, Shape shape);
  /// Bytes of [address, address + bytes) that were never written, as up to
  /// `limit` ranges of (offset, size): outputs that a kernel has missed.
  llvm::Expected<std::vector<std::pair<uint64_t, uint64_t>>>
  findUndefined(uint64_t address, uint64_t bytes, unsigned limit) const;

  /// Runs a kernel to its end. Returns an error if the launch is impossible or
  /// was cancelled.
  llvm::Expected<LaunchResult> launch(const KernelCode &kernel,
                                      const Launch &launch,
                                      const LaunchOptions &options);

private:
  std::unique_ptr<GlobalMemory> memory;
};

} // namespace tcgemm::emu

#endif // TCGEMM_EMULATOR_EMULATOR_H
