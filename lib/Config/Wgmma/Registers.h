//===- Registers.h - Registers of a wgmma kernel ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_WGMMA_REGISTERS_H
#define TCGEMM_LIB_CONFIG_WGMMA_REGISTERS_H

#include "tcgemm/Config/Wgmma.h"

namespace tcgemm {

/// Registers that a thread needs in addition to its accumulators.
inline constexpr int64_t kOtherRegisters = 32;

/// Registers with which a thread starts.
int64_t getLaunchRegisters(const KernelConfig &config);
/// The most registers of a thread that multiplies.
int64_t getRegisterLimit(const KernelConfig &config, const ChipInfo &chip,
                         const ProblemInfo &problem);
/// Registers of one instruction's result, and those that ptxas needs beside
/// them. They must fit into the initial number of the kernel: ptxas ignores
/// setmaxnreg here.
int64_t countInstructionRegisters(const KernelConfig &config);
/// Registers of the fragments of an operand that is converted or mapped: the
/// bytes of two steps, and the fragments of four products and of the next one.
int64_t countFragmentRegisters(const KernelConfig &config,
                               const ProblemInfo &problem);
/// Registers of the scales of a block, and of their products; or of the scales
/// and zero points of a group, and of the groups that are loaded ahead.
int64_t countScaleRegisters(const KernelConfig &config,
                            const ProblemInfo &problem);

/// Registers of a thread that multiplies: all of these and the sums.
int64_t countThreadRegisters(const KernelConfig &config,
                             const ProblemInfo &problem);

/// Registers of the states of reductions.
int64_t countReductions(const KernelConfig &config, const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_WGMMA_REGISTERS_H
