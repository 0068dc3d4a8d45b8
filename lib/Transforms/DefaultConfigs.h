//===- DefaultConfigs.h - The defaults of each schedule -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_DEFAULTCONFIGS_H
#define TCGEMM_LIB_TRANSFORMS_DEFAULTCONFIGS_H

#include "tcgemm/Transforms/ConfigProvider.h"
#include <initializer_list>

namespace tcgemm {

/// The product of counts, or 2^50 if it is larger: sizes may be up to 2^40, and
/// an estimate of such a problem has only to be large.
int64_t multiplyCounts(std::initializer_list<int64_t> counts);

/// A wgmma configuration for `problem`, the request's with all sizes known;
/// none where the chip, the problem or what the user fixes forbids all.
std::optional<KernelConfig> lookupDefaultWgmma(const ConfigRequest &request,
                                               const ProblemInfo &problem);

/// A simt configuration for such a problem of f32; none where what the user
/// fixes forbids all.
std::optional<KernelConfig> lookupDefaultSimt(const ConfigRequest &request,
                                              const ProblemInfo &problem);

/// A gemv configuration, if the user asks for it or the product has so few rows
/// or columns that it is faster, of 16-bit operands that are contiguous along
/// k; none where what the user fixes forbids all. (Sizes of `request` itself
/// may be unknown.)
std::optional<KernelConfig> lookupDefaultGemv(const ConfigRequest &request,
                                              const ProblemInfo &problem);

/// estimateTime for gemv, for simt and for wgmma.
double estimateGemvTime(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem);
double estimateSimtTime(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem);
double estimateWgmmaTime(const KernelConfig &config, const ChipInfo &chip,
                         const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_TRANSFORMS_DEFAULTCONFIGS_H
