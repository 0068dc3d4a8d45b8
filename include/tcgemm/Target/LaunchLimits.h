//===- LaunchLimits.h - Limits of planned launches --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_LAUNCHLIMITS_H
#define TCGEMM_TARGET_LAUNCHLIMITS_H

#include <cstdint>

namespace tcgemm {

/// The largest number of multiprocessors that launches are planned for.
inline constexpr int64_t kMostProcessors = 65536;

} // namespace tcgemm

#endif // TCGEMM_TARGET_LAUNCHLIMITS_H
