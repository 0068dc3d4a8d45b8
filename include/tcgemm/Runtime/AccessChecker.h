//===- AccessChecker.h - Interface of a device with checks ------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that checks every access of a kernel (the emulator) finds more
// defects if it knows the purpose of each allocation.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_ACCESSCHECKER_H
#define TCGEMM_RUNTIME_ACCESSCHECKER_H

#include "tcgemm/Emulator/Finding.h"
#include "tcgemm/Emulator/Profile.h"

#include "llvm/Support/Error.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tcgemm {

/// The purpose of an allocation.
struct BufferInfo {
  bool isWritable = true;
  /// Rows of `columns` elements every `pitch` bytes from byte `start`, so that
  /// findings can name an element; 0: not divided into rows.
  uint64_t columns = 0;
  uint64_t pitch = 0;
  unsigned elementBytes = 0;
  uint64_t start = 0;
};

/// A profile, and the PTX text to which its line numbers refer.
struct ProfiledLaunch {
  emu::Profile profile;
  std::shared_ptr<const std::string> ptx;
};

/// Observations of one or more launches.
struct Observations {
  std::vector<emu::Finding> findings;
  uint64_t suppressed = 0;   ///< Findings that were counted but not stored.
  uint64_t instructions = 0; ///< Executed warp instructions.
  std::vector<ProfiledLaunch> profiles;
  std::string printed; ///< Output of printf in kernels.

  /// Returns whether there is a finding that is not a warning.
  bool hasFindings() const {
    return suppressed != 0 ||
           std::any_of(findings.begin(), findings.end(), [](const auto &each) {
             return !emu::isWarning(each.kind);
           });
  }
};

class AccessChecker {
public:
  virtual ~AccessChecker();

  virtual llvm::Error describe(uint64_t address, const BufferInfo &info) = 0;
  /// Returns whether the device records which bytes were written. If it does
  /// not, the next two functions must not be called.
  virtual bool tracksContents() const = 0;
  virtual llvm::Error markUndefined(uint64_t address, uint64_t bytes) = 0;
  /// The bytes never written, as ranges of (offset, size).
  virtual llvm::Expected<std::vector<std::pair<uint64_t, uint64_t>>>
  findUndefined(uint64_t address, uint64_t bytes) const = 0;
  /// The observations since the last call.
  virtual Observations takeObservations() = 0;
};

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_ACCESSCHECKER_H
