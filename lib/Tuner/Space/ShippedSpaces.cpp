//===- ShippedSpaces.cpp - Spaces by name --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/Space.h"

using namespace llvm;

namespace tcgemm {

Expected<Space> readSpace(StringRef name) {
  Expected<std::string> text = readFileOrShipped(name, ".yaml");
  if (!text)
    return text.takeError();
  return Space::parse(*text, name);
}

std::vector<std::string> getDefaultSpaces(const ChipInfo &chip,
                                          ScalarType type) {
  if (type == ScalarType::F32)
    return {"simt-quick"};
  if (type == ScalarType::F64)
    return {"mma_sync-f64", "simt-f64"};
  if (getBitWidth(type) == 8)
    return {chip.features.wgmma ? "wgmma-8bit" : "mma_sync-quick"};
  if (type == ScalarType::TF32)
    return chip.features.wgmma
               ? std::vector<std::string>{"wgmma-tf32", "mma_sync-tf32"}
               : std::vector<std::string>{"mma_sync-tf32"};
  if (chip.features.wgmma)
    return {"wgmma-quick", "wgmma-waves",    "wgmma-clusters",
            "wgmma-short", "mma_sync-quick", "gemv"};
  return {"mma_sync-quick", "gemv"};
}

} // namespace tcgemm
