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
  /// Of alpha and beta only if they are in memory.
  std::array<uint64_t, NumSlots> addresses{};
  double alpha = 1, beta = 0;
  uint64_t workspace = 0, workspaceBytes = 0;
};

/// The launches of one product, evaluated once. What is left for a run is to
/// copy the arguments, to write the addresses into them, and to launch. So a
/// run neither allocates memory nor takes a lock.
class LaunchProgram {
public:
  /// Plans the launches for every address that is a multiple of the
  /// description's alignment.
  static llvm::Expected<LaunchProgram> create(std::shared_ptr<LoadedPack> pack,
                                              const Description &description);

  uint64_t getWorkspaceBytes() const { return workspaceBytes; }
  tcgemmStatus run(const RunValues &values, cuda::Stream stream) const;

private:
  /// An address that is written into the arguments.
  struct Address {
    unsigned target = 0; ///< Bytes in the arguments.
    bool isInWorkspace = false;
    unsigned slot = 0;   ///< If it is not.
    uint64_t offset = 0; ///< Bytes behind the slot or the workspace.
  };
  struct Scalar {
    unsigned target = 0;
    bool isAlpha = false;
    ScalarType type = ScalarType::F32;
  };
  struct Launch {
    cuda::Function function = nullptr;
    cuda::LaunchConfigEx config{};
    std::array<cuda::LaunchAttribute, 2> attributes{};
    std::vector<uint8_t> bytes;    ///< All arguments.
    std::vector<unsigned> offsets; ///< The place of each argument in the bytes.
    std::vector<Address> addresses;
    std::vector<Address> maps; ///< Tensor maps of these addresses.
    std::vector<Scalar> scalars;
    std::string name;
  };
  friend class LaunchBuilder;

  LaunchProgram(std::shared_ptr<LoadedPack> pack) : pack(std::move(pack)) {}
  tcgemmStatus checkValues(const RunValues &values) const;
  tcgemmStatus launch(const Launch &launch, const RunValues &values,
                      cuda::Stream stream) const;

  std::shared_ptr<LoadedPack> pack;
  /// Slots whose address must not be null: they are read or written.
  std::vector<unsigned> usedSlots;
  bool readsC = false; ///< If the host's beta is not 0.
  /// Slots with the power of two that divides their addresses.
  std::vector<std::pair<unsigned, uint64_t>> alignments;
  uint64_t workspaceBytes = 0;
  std::vector<Launch> launches;
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_LAUNCHPROGRAM_H
