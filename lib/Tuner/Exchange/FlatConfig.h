//===- FlatConfig.h - Configurations as other tuners see them ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and values that can be Python's: `cta_m = 128`, `persistent = True`.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_EXCHANGE_FLATCONFIG_H
#define TCGEMM_LIB_TUNER_EXCHANGE_FLATCONFIG_H

#include "tcgemm/Store/Record.h"

namespace tcgemm {

/// A parameter's value: a whole number, `true` or `false`, or a word.
struct FlatValue {
  std::string text;

  bool isTruth() const { return text == "true" || text == "false"; }
  std::optional<int64_t> getNumber() const;
  llvm::json::Value getJSON() const;
  /// As `str()` of Python writes it: True, 64, wgmma.
  std::string getPythonText() const;
  /// As `repr()` does, with quotes about words.
  std::string getPythonLiteral() const;
};

struct FlatParameter {
  std::string name;
  FlatValue value;
};

/// All parameters, those of three parts as three.
std::vector<FlatParameter> flatten(const KernelConfig &config);

/// The configuration that an object has the parameters of; what is not there
/// has its default. Errors: a name that is no parameter, a wrong value.
llvm::Expected<KernelConfig> unflatten(const llvm::json::Object &object);

/// `2026-11-21 18:34:26+00:00`.
std::string formatTimestamp(int64_t seconds);
/// Reads it, with `T` for the blank and a fraction too; none if it is no time.
std::optional<int64_t> parseTimestamp(llvm::StringRef text);

/// What a file says about all of its records in the member `tcgemm`.
llvm::json::Object describeGroup(const Record &record);
/// What a file says about one record there.
llvm::json::Object describeRecord(const Record &record);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_EXCHANGE_FLATCONFIG_H
