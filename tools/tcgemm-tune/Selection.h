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

/// Whether --db was given. Else there may be no database, and shipped records
/// and predictions answer.
bool isDatabaseGiven(const Flags &flags);

/// The records of --db, of --chip if it is given, and of `problems` if there
/// are any. For problems that the default database does not know they are the
/// shipped ones.
llvm::Expected<std::vector<Record>>
selectRecords(const Flags &flags, llvm::ArrayRef<TuningProblem> problems);

/// Of `records`, those of `problem`, and of --chip if it is given.
std::vector<Record> selectProblem(const Flags &flags,
                                  llvm::ArrayRef<Record> records,
                                  const TuningProblem &problem);

/// A configuration for a problem that has no record.
struct Prediction {
  Record record;      ///< Without a time.
  std::string source; ///< What it was predicted from.
};
/// Predicts from the shipped records, else by the default model, for --chip or
/// sm_90a. An error: nothing is legal.
llvm::Expected<Prediction> predictRecord(const Flags &flags,
                                         const TuningProblem &problem);

/// The one that is best known to be fast: of finalists if there are any, and
/// never a model's before a measured one. Null if nothing was right.
const Record *findBest(llvm::ArrayRef<Record> records);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_SELECTION_H
