//===- ChangedParameters.h - Parameters without defaults --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_COMMON_CHANGEDPARAMETERS_H
#define TCGEMM_LIB_CONFIG_COMMON_CHANGEDPARAMETERS_H

#include "tcgemm/Config/KernelConfig.h"
#include "llvm/ADT/SmallVector.h"

namespace tcgemm {

/// The names of the parameters whose value is not the default, in the order of
/// KernelConfig::str. It compares values and writes no text, so that it is
/// cheap enough for each candidate of a search.
llvm::SmallVector<llvm::StringRef>
listChangedParameters(const KernelConfig &config);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_COMMON_CHANGEDPARAMETERS_H
