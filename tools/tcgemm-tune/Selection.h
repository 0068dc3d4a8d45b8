//===- Selection.h - Which records a command is about -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_SELECTION_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_SELECTION_H

#include "Flags.h"

namespace tcgemm {

/// A configuration as people name it: its parameters, or the hash that records
/// and reports show, or how that begins.
struct ConfigChoice {
  std::string hash; ///< Empty if it is named by its parameters.
  KernelConfig config;

  /// An error: no hash of at least four digits, and no configuration.
  static llvm::Expected<ConfigChoice> parse(llvm::StringRef text);
  bool matches(const KernelConfig &other) const {
    return hash.empty() ? other == config
                        : llvm::StringRef(other.hash()).starts_with(hash);
  }
};

/// Returns whether --db was given. Else there may be no database, and shipped
/// records and predictions answer.
bool isDatabaseGiven(const Flags &flags);

/// The records of --db, filtered by --chip if it is given, and by `problems` if
/// there are any. Problems that are not in the default database have the
/// shipped records.
llvm::Expected<std::vector<Record>>
selectRecords(const Flags &flags, llvm::ArrayRef<TuningProblem> problems);

/// The records of `problem`, filtered by --chip if it is given.
std::vector<Record> selectProblem(const Flags &flags,
                                  llvm::ArrayRef<Record> records,
                                  const TuningProblem &problem);

/// A configuration for a problem that has no record.
struct Prediction {
  Record record;      ///< Without a time.
  std::string source; ///< Origin of the prediction.
};
/// Predicts from the shipped records, or else by the default model. Errors: no
/// configuration is legal.
llvm::Expected<Prediction> predictRecord(const TuningProblem &problem,
                                         llvm::StringRef chipName);

/// The fastest record: of the finalists if there are any, and a measured record
/// before one of a model. Null without a success.
const Record *findBest(llvm::ArrayRef<Record> records);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_SELECTION_H
