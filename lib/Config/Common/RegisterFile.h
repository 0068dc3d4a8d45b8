//===- RegisterFile.h - Registers of a multiprocessor -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates of registers are not told the chip. They count with what all chips
// have, which a unit test compares with each of them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_COMMON_REGISTERFILE_H
#define TCGEMM_LIB_CONFIG_COMMON_REGISTERFILE_H

#include "tcgemm/Target/Chip.h"

namespace tcgemm {

inline constexpr int64_t kRegistersPerSM = ChipInfo{}.registersPerSM;
inline constexpr int64_t kMaxRegistersPerThread =
    ChipInfo{}.maxRegistersPerThread;

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_COMMON_REGISTERFILE_H
