//===- FlatConfig.h - Configurations in formats of other tuners -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and values that are valid in Python: `cta_m = 128`, `persistent =
// True`.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_EXCHANGE_FLATCONFIG_H
#define TCGEMM_LIB_TUNER_EXCHANGE_FLATCONFIG_H

#include "tcgemm/Store/Record.h"
#include "tcgemm/Store/Timestamp.h"

namespace tcgemm {

/// A parameter's value: an integer, a boolean, or a word.
struct FlatValue {
  std::string text;

  bool isTruth() const { return text == "true" || text == "false"; }
  std::optional<int64_t> getNumber() const;
  llvm::json::Value getJSON() const;
  /// The text of Python's `str()`: True, 64, wgmma.
  std::string getPythonText() const;
  /// The text of Python's `repr()`, with quotes around words.
  std::string getPythonLiteral() const;
};

struct FlatParameter {
  std::string name;
  FlatValue value;
};

/// All parameters; a parameter with three parts becomes three.
std::vector<FlatParameter> flatten(const KernelConfig &config);

/// The configuration with the parameters of an object; missing parameters have
/// their defaults. Errors: a name that is not a parameter, an invalid value.
llvm::Expected<KernelConfig> unflatten(const llvm::json::Object &object);

/// The member `tcgemm` with the common data of a file's records.
llvm::json::Object describeGroup(const Record &record);
/// The member `tcgemm` of one record.
llvm::json::Object describeRecord(const Record &record);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_EXCHANGE_FLATCONFIG_H
