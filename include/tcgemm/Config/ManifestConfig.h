//===- ManifestConfig.h - Configurations in manifests -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_MANIFESTCONFIG_H
#define TCGEMM_CONFIG_MANIFESTCONFIG_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tcgemm {

/// The parameters in `#tcgemm.config<...>`, as KernelConfig::apply reads them.
/// A manifest has the attribute's text. None if `text` is another one.
inline std::optional<llvm::StringRef>
getManifestParameters(llvm::StringRef text) {
  if (text.consume_front("#tcgemm.config<") && text.consume_back(">"))
    return text;
  return std::nullopt;
}

} // namespace tcgemm

#endif // TCGEMM_CONFIG_MANIFESTCONFIG_H
