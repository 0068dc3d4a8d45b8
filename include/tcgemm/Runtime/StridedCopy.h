//===- StridedCopy.h - Copies between strided arrays ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies of a manifest on the device: by the launch that the pack has for
// them, or else by a kernel of our own.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_STRIDEDCOPY_H
#define TCGEMM_RUNTIME_STRIDEDCOPY_H

#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Runtime/Executor.h"
#include "tcgemm/Runtime/HostTensor.h"

namespace tcgemm {

/// An argument of a launch that copies: an address or a number.
struct CopyArgument {
  enum class Kind { Source, Target, Number } kind = Kind::Number;
  KernelArgument bytes; ///< Of a number.
};

/// A launch that copies, for any two arrays of the planned shapes.
struct CopyPlan {
  const Step *step = nullptr; ///< The launch of a pack; null: our own kernel.
  int64_t bytes = 0;          ///< Of an element that our own kernel copies.
  LaunchConfig config;
  std::vector<CopyArgument> arguments;
  bool runs = true; ///< False: there are no elements.
};

/// Plans a copy of elements of `bytes` bytes between shapes of the same sizes.
/// Errors: dimensions that neighbours cannot be joined with remain beyond the
/// limit, or more elements than a launch covers.
llvm::Expected<CopyPlan> planCopy(const StridedShape &from,
                                  const StridedShape &to, int64_t bytes);

/// Plans the launch that a pack has for a copy. `lookUp` has the symbols of the
/// function. Errors: an expression fails, a grid is out of range.
llvm::Expected<CopyPlan> planCopy(const Step &step, Expr::SymbolLookup lookUp);

/// Launches copies; loads their kernels on their first use.
class StridedCopier {
public:
  /// `executor` has the kernels of the pack whose launches are planned.
  StridedCopier(Device &device, Executor *executor)
      : device(device), executor(executor) {}
  /// Loads the kernel, which a capture does not allow.
  llvm::Error prepare(const CopyPlan &plan);
  /// Enqueues the copy between these addresses. Needs prepare().
  llvm::Error enqueue(const CopyPlan &plan, uint64_t source, uint64_t target);

private:
  llvm::Expected<Kernel *> getKernel(const CopyPlan &plan);

  struct Loaded {
    std::unique_ptr<Module> module;
    Kernel *kernel = nullptr;
  };

  Device &device;
  Executor *executor;
  std::map<int64_t, Loaded> kernels; ///< Our own, by the bytes of an element.
};

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_STRIDEDCOPY_H
