//===- Selection.h - Configurations for products ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_SELECTION_H
#define TCGEMM_LIB_LIBRARY_SELECTION_H

#include "Descriptor.h"
#include "tcgemm/Config/ConfigProvider.h"

#include <mutex>

namespace tcgemm::library {

/// Asks the records of TCGEMM_RECORDS, the shipped records, the models, and the
/// default model.
class Selection {
public:
  explicit Selection(const ChipInfo &chip) : chip(chip) {}
  /// A legal configuration. Errors: the records cannot be read; the parameters
  /// of the description are none; no configuration is legal.
  llvm::Expected<KernelConfig> choose(const Description &description);

private:
  llvm::Error prepare();

  const ChipInfo &chip;
  std::mutex mutex;
  ConfigProviders providers;
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_SELECTION_H
