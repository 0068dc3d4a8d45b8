//===- ChooseConfig.h - The configuration of a kernel -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_CHOOSECONFIG_H
#define TCGEMM_CONFIG_CHOOSECONFIG_H

#include "tcgemm/Config/ConfigProvider.h"

namespace tcgemm {

/// A configuration and the name of its source.
struct ChosenConfig {
  KernelConfig config;
  std::string source;
};

/// Asks the providers in their order, and applies the request's overrides to
/// the first answer. Without an answer, the configuration has built-in values,
/// and the schedule is one that takes the problem's types, if there is one: it
/// may be illegal, and its rules then say why. Errors: the overrides have an
/// unknown parameter or value.
llvm::Expected<ChosenConfig> chooseConfig(const ConfigProviders &providers,
                                          const ConfigRequest &request);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_CHOOSECONFIG_H
