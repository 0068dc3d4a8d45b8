//===- ShippedMachines.h - Machine files by name ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_SHIPPEDMACHINES_H
#define TCGEMM_STORE_SHIPPEDMACHINES_H

#include "tcgemm/Model/ChoiceModel.h"
#include "llvm/ADT/StringMap.h"

namespace tcgemm {

inline constexpr llvm::StringLiteral kMachineExtension = ".machine.yaml";

/// The machine of a file, or of a shipped file by name: `nvidia-h200`.
llvm::Expected<Machine> readMachine(llvm::StringRef name);
/// The shipped machine whose name is that of the device, if there is one.
llvm::Expected<std::optional<Machine>>
findShippedMachine(llvm::StringRef device);
/// By chips, the shipped machine on which the chip's shipped constants were
/// fitted.
llvm::Expected<llvm::StringMap<Machine>> readShippedMachinesByChip();

/// The shipped constants and machines.
struct ShippedSpeeds {
  llvm::StringMap<ModelConstants> constants;
  llvm::StringMap<Machine> machines;

  /// Those of a chip; null where there are none.
  ChipSpeeds find(llvm::StringRef chip) const;
};
llvm::Expected<ShippedSpeeds> readShippedSpeeds();

} // namespace tcgemm

#endif // TCGEMM_STORE_SHIPPEDMACHINES_H
