//===- LaunchProgram.h - A product's launches with open addresses -*- C++
//-*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_LAUNCHPROGRAM_H
#define TCGEMM_LIB_LIBRARY_LAUNCHPROGRAM_H

#include "Descriptor.h"
#include "Kernels.h"
#include "tcgemm/Runtime/Executor.h"

namespace tcgemm::library {

/// The values of a run. Addresses are numbers.
struct RunValues {
  /// Those of alpha and beta are used only if they are in memory.
  std::array<uint64_t, TCGEMM_NUM_SLOTS> addresses{};
  std::array<double, TCGEMM_NUM_SCALARS> scalars{1, 0};
  uint64_t workspace = 0, workspaceBytes = 0;
};

/// The launches of one product with the code that they launch.
class LaunchProgram {
public:
  /// Plans the launches for every address that is a multiple of the
  /// description's alignment.
  static llvm::Expected<LaunchProgram> create(std::shared_ptr<LoadedPack> pack,
                                              const Description &description,
                                              CopyKernels &copies);

  /// The launches, in their order: copies of operands, and kernels by their
  /// names.
  llvm::ArrayRef<std::string> getLaunches() const { return launches; }
  uint64_t getWorkspaceBytes() const {
    return tcgemmProgramGetWorkspace(program.get());
  }
  tcgemmStatus run(const RunValues &values, cuda::Stream stream) const {
    tcgemmRunValues plain{values.addresses.data(), values.scalars.data(),
                          values.workspace, values.workspaceBytes};
    return tcgemmProgramRun(program.get(), &plain, stream);
  }

private:
  struct Destroy {
    void operator()(tcgemmProgram *program) const {
      tcgemmProgramDestroy(program);
    }
  };
  friend class LaunchBuilder;

  explicit LaunchProgram(std::shared_ptr<LoadedPack> pack);

  std::shared_ptr<LoadedPack> pack;
  std::vector<std::shared_ptr<CopyKernel>> copies; ///< Those that it launches.
  std::vector<std::string> launches;
  std::unique_ptr<tcgemmProgram, Destroy> program;
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_LAUNCHPROGRAM_H
