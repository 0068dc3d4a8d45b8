//===- Executor.h - Planning and launching kernels --------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes launches from a kernel's manifest and its operands: infers and
// checks sizes, chooses a variant and evaluates expressions. Planning needs no
// device.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_EXECUTOR_H
#define TCGEMM_RUNTIME_EXECUTOR_H

#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Runtime/HostTensor.h"

namespace tcgemm {

/// The sizes of a problem, by Dim.

/// The actual operand of a kernel's operand.
struct BoundOperand {
  StridedShape shape;
  uint64_t address = 0; ///< Address of element 0 in bytes.
  double scalar = 0;    ///< Value of a scalar operand.
};

/// Infers the sizes from the operands' shapes; `batch` is 1 if no operand has
/// it. Errors: shapes contradict each other or the kernel's fixed sizes.
llvm::Expected<ProblemSizes> inferSizes(const KernelInfo &kernel,
                                        llvm::ArrayRef<BoundOperand> operands);

struct PlannedArgument {
  const Argument *source = nullptr;
  /// The value of an integer, the address of a pointer, the offset in the
  /// workspace (the launch adds the workspace's address), or the index of a
  /// tensor map in the step's list.
  int64_t value = 0;
  KernelArgument bytes;
};

/// A tensor map, encoded at the launch.
struct PlannedTensorMap {
  const TensorMapInfo *source = nullptr;
  TensorMapDescription description;
  /// True if the base is an offset into the workspace.
  bool isInWorkspace = false;
};

struct PlannedStep {
  const Step *step = nullptr;
  bool runs = true; ///< False if `when` is 0 or the grid is empty.
  LaunchConfig config;
  std::vector<PlannedTensorMap> tensorMaps;
  std::vector<PlannedArgument> arguments;
};

/// A kernel's launches for one problem. Points into the manifest.
struct LaunchPlan {
  const KernelInfo *kernel = nullptr;
  const Variant *variant = nullptr;
  ProblemSizes sizes{};
  int64_t workspaceBytes = 0;
  std::vector<PlannedStep> steps;
};

struct PlanOptions {
  int64_t smCount = 0;
  std::string variant; ///< Forced variant; empty: the first whose guard holds.
};

/// Chooses the variant and evaluates its expressions. Errors: no variant, or
/// not the forced one, accepts the problem; an expression fails; a grid, an i32
/// argument or a value of a tensor map is out of range.
llvm::Expected<LaunchPlan> planLaunch(const KernelInfo &kernel,
                                      llvm::ArrayRef<BoundOperand> operands,
                                      const PlanOptions &options);

/// The plan as readable text.
std::string describePlan(const LaunchPlan &plan);

/// Launches plans of one pack on one device; modules are loaded on first use.
class Executor {
public:
  Executor(Device &device, const KernelPack &pack)
      : device(device), pack(pack), modules(pack.images.size()) {}

  /// Loads the modules that the plan's steps use.
  llvm::Error prepare(const LaunchPlan &plan);
  /// Enqueues the steps. `workspace` has at least plan.workspaceBytes.
  llvm::Error launch(const LaunchPlan &plan, uint64_t workspace);
  /// The module called `name`; loads it on the first use.
  llvm::Expected<Module *> getModule(llvm::StringRef name);
  /// The kernel of a step; loads its module on the first use.
  llvm::Expected<Kernel *> getKernel(const Step &step);

private:
  llvm::Expected<KernelArgument> encode(const PlannedStep &planned,
                                        const PlannedTensorMap &map,
                                        uint64_t workspace);

  Device &device;
  const KernelPack &pack;
  std::vector<std::unique_ptr<Module>> modules;
};

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_EXECUTOR_H
