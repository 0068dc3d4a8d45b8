//===- SpecialRegisters.h - Special registers -------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_SPECIALREGISTERS_H
#define TCGEMM_LIB_EMULATOR_MACHINE_SPECIALREGISTERS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tcgemm::emu {

struct Frame;
class Warp;

/// Registers whose value is fixed during the life of a thread. The components
/// x, y and z follow each other.
// clang-format off
enum class SpecialRegister : uint8_t {
  TidX, TidY, TidZ, NtidX, NtidY, NtidZ,
  CtaidX, CtaidY, CtaidZ, NctaidX, NctaidY, NctaidZ,
  ClusteridX, ClusteridY, ClusteridZ, NclusteridX, NclusteridY, NclusteridZ,
  ClusterCtaidX, ClusterCtaidY, ClusterCtaidZ,
  ClusterNctaidX, ClusterNctaidY, ClusterNctaidZ,
  ClusterCtarank, ClusterNctarank, IsExplicitCluster,
  Laneid, Warpid, Nwarpid, Smid, Nsmid, Gridid,
  LanemaskEq, LanemaskLe, LanemaskLt, LanemaskGe, LanemaskGt,
  DynamicSmemSize, TotalSmemSize, AggrSmemSize,
  /// Clocks. Instructions that read them ask the warp.
  Clock, ClockHi, Clock64, Globaltimer, GlobaltimerLo, GlobaltimerHi,
  /// Not a register: the address of a `.local` variable in this frame.
  LocalAddress,
};
// clang-format on

/// Finds `%tid.x` and others by name. `%tid` alone is not a scalar.
std::optional<SpecialRegister> findSpecialRegister(llvm::StringRef name);

/// Sets the special registers of a new frame.
void fillSpecials(const Warp &warp, Frame &frame);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_SPECIALREGISTERS_H
