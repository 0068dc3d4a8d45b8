//===- SpaceDocument.h - Parameters and values in YAML ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of files of spaces and protocols.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SPACE_SPACEDOCUMENT_H
#define TCGEMM_LIB_TUNER_SPACE_SPACEDOCUMENT_H

#include "tcgemm/Target/YAMLDocument.h"
#include "tcgemm/Tuner/Space.h"

LLVM_YAML_IS_SEQUENCE_VECTOR(tcgemm::ParameterValue)
LLVM_YAML_IS_SEQUENCE_VECTOR(tcgemm::SpaceAxis)

namespace llvm::yaml {
template <> struct MappingTraits<tcgemm::ParameterValue> {
  static void mapping(IO &io, tcgemm::ParameterValue &fixed) {
    tcgemm::mapRequired(io, "name", fixed.name, "value", fixed.value);
  }
};
template <> struct MappingTraits<tcgemm::SpaceAxis> {
  static void mapping(IO &io, tcgemm::SpaceAxis &axis) {
    tcgemm::mapRequired(io, "name", axis.name, "values", axis.values);
  }
};
} // namespace llvm::yaml

#endif // TCGEMM_LIB_TUNER_SPACE_SPACEDOCUMENT_H
