//===- StridedCopy.h - Copies between strided arrays ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies of a manifest on the device. The two sides may have their
// contiguous elements along different dimensions: then a block transposes a
// tile in shared memory, so that it reads and writes whole runs.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_STRIDEDCOPY_H
#define TCGEMM_RUNTIME_STRIDEDCOPY_H

#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Runtime/HostTensor.h"

namespace tcgemm {

/// A launch of the kernel that copies.
struct CopyPlan {
  LaunchConfig config;
  std::vector<KernelArgument> arguments;
  bool runs = true; ///< False: there are no elements.
};

/// Plans a copy of elements of `bytes` bytes from `source` to `target`, two
/// device addresses, with shapes of the same sizes. Errors: dimensions that
/// neighbours cannot be joined with remain beyond the limit, or more elements
/// than a launch covers.
llvm::Expected<CopyPlan> planCopy(uint64_t source, const StridedShape &from,
                                  uint64_t target, const StridedShape &to,
                                  int64_t bytes);

/// The kernel for elements of 1, 2, 4 or 8 bytes.
std::string writeCopyPtx(int64_t bytes);
inline constexpr const char *kCopyKernel = "tcgemm_copy";

/// Loads the kernels on their first use.
class StridedCopier {
public:
  explicit StridedCopier(Device &device) : device(device) {}
  /// Loads the kernel for such elements, which a capture does not allow.
  llvm::Error prepare(int64_t bytes);
  /// Enqueues the copy. Needs prepare().
  llvm::Error enqueue(const CopyPlan &plan, int64_t bytes);

private:
  struct Loaded {
    std::unique_ptr<Module> module;
    Kernel *kernel = nullptr;
  };

  Device &device;
  std::map<int64_t, Loaded> kernels;
};

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_STRIDEDCOPY_H
