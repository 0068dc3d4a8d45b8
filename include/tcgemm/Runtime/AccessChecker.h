//===- AccessChecker.h - What a checking device is told ---------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that looks at every access of a kernel, the emulator, finds more
// than wrong results if it knows what its memory is for.
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

/// What an allocation is for.
struct BufferInfo {
  bool isWritable = true;
  /// Rows of `columns` elements every `pitch` bytes from byte `start`, so that
  /// findings can name an element; 0: no rows to speak of.
  uint64_t columns = 0;
  uint64_t pitch = 0;
  unsigned elementBytes = 0;
  uint64_t start = 0;
};

/// A profile, and the text that its lines count in.
struct ProfiledLaunch {
  emu::Profile profile;
  std::shared_ptr<const std::string> ptx;
};

/// What was seen in launches.
struct Observations {
  std::vector<emu::Finding> findings;
  uint64_t suppressed = 0;   ///< Findings that were only counted.
  uint64_t instructions = 0; ///< Of warps.
  std::vector<ProfiledLaunch> profiles;
  std::string printed; ///< By printf of kernels.

  /// Whether there is a defect; warnings are none.
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
  /// Whether it is known which bytes were written. If not, the next two must
  /// not be called.
  virtual bool tracksContents() const = 0;
  virtual llvm::Error markUndefined(uint64_t address, uint64_t bytes) = 0;
  /// The bytes never written, as ranges of (offset, size).
  virtual llvm::Expected<std::vector<std::pair<uint64_t, uint64_t>>>
  findUndefined(uint64_t address, uint64_t bytes) const = 0;
  /// What was seen since the last call.
  virtual Observations takeObservations() = 0;
};

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_ACCESSCHECKER_H
