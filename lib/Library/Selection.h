//===- Selection.h - Configurations for products ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_SELECTION_H
#define TCGEMM_LIB_LIBRARY_SELECTION_H

#include "Descriptor.h"
#include "tcgemm/Config/ChoiceCache.h"
#include "tcgemm/Store/RecordProvider.h"

#include <mutex>

namespace tcgemm::library {

/// The treatment of sizes that are not tuned: TCGEMM_MODE.
enum class Mode {
  Off,   ///< The user's database is not used.
  Cache, ///< The user's database is read.
  Tune,  ///< They are tuned in the background, into the user's database.
};
/// Errors: the variable has no such value.
llvm::Expected<Mode> readMode();

/// Asks the records of TCGEMM_RECORDS, those of the user's database, the
/// shipped records, the models, and the default model.
class Selection {
public:
  /// `database` is the path of the user's database; empty if it is not used.
  Selection(const ChipInfo &chip, std::string database)
      : chip(chip), database(std::move(database)) {}
  /// A legal configuration. Errors: the records cannot be read; the parameters
  /// of the description are none; no configuration is legal.
  llvm::Expected<ChosenConfig> choose(const Description &description);

  /// Returns whether a record that was read has the product and its sizes.
  bool isTuned(const TuningProblem &problem);
  /// Returns whether the user's database has them by now. A database that
  /// cannot be read has none, and is logged.
  bool isInDatabase(const TuningProblem &problem) const;
  /// Reads the records again. Failures are logged; the old records stay.
  void reread();

private:
  /// The sources of choices.
  struct Sources {
    std::shared_ptr<RecordProvider> records; ///< The first one, if any.
    ConfigProviders providers;
  };
  llvm::Expected<Sources> read() const;
  llvm::Error prepare();
  ConfigRequest makeRequest(TuningProblem problem,
                            const std::string &config) const;

  const ChipInfo &chip;
  const std::string database;
  std::mutex mutex;
  Sources sources;   ///< Without providers until the first choice.
  ChoiceCache cache; ///< Of those sources.
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_SELECTION_H
