//===- Observed.h - Output of the emulator's observations -------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings and profiles of launches.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_OBSERVED_H
#define TCGEMM_TOOLS_TCGEMM_RUN_OBSERVED_H

#include "tcgemm/Runtime/AccessChecker.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tcgemm {

/// Nothing if no emulator has run.
void printObservations(const Observations &observed, llvm::raw_ostream &os);

/// Adds `instructions`, `findings`, `suppressed_findings` and, if there are,
/// `profiles` and `printed`.
void addObservations(const Observations &observed, llvm::json::Object &object);

/// Writes the PTX of profiled launches with counts in the margin, one launch
/// after the other.
void printAnnotated(const Observations &observed, llvm::raw_ostream &os);

/// A file of such PTX, which grows with every launch.
class AnnotatedFile {
public:
  /// Without a path nothing is written.
  explicit AnnotatedFile(std::string path) : path(std::move(path)) {}
  llvm::Error write(const Observations &observed);

private:
  std::string path;
  bool isStarted = false;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_OBSERVED_H
