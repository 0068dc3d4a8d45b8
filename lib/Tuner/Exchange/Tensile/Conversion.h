//===- Conversion.h - Tensile's values as a space ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_EXCHANGE_TENSILE_CONVERSION_H
#define TCGEMM_LIB_TUNER_EXCHANGE_TENSILE_CONVERSION_H

#include "Exchange/Tensile/Document.h"
#include "tcgemm/Tuner/Space.h"
#include "tcgemm/Tuner/Tensile.h"

namespace tcgemm::tensile {

/// The parts of a space that parameters add. Names are written once each.
struct SpaceDraft {
  int64_t elementBytes = 4;
  std::vector<SpaceAxis> parameters, variables;
  std::vector<ParameterValue> derived; ///< The values are expressions.
  std::vector<std::string> notes;
};

/// Converts a parameter's list of values. The list has at least one value.
using Converter = llvm::Error (*)(const Document &document, const Node &values,
                                  SpaceDraft &draft);

/// The converter of the parameter `name`; null if there is no such parameter.
Converter findConverter(llvm::StringRef name);

} // namespace tcgemm::tensile

#endif // TCGEMM_LIB_TUNER_EXCHANGE_TENSILE_CONVERSION_H
