//===- PackSource.h - Reads or compiles kernel packs ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs come from a directory, a file, or text written here.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_PACKSOURCE_H
#define TCGEMM_TOOLS_TCGEMM_RUN_PACKSOURCE_H

#include "SessionContext.h"

#include "tcgemm/Store/RecordProvider.h"

namespace tcgemm {

class PackSource {
public:
  explicit PackSource(const SessionContext &context)
      : options(context.options), err(context.err) {}

  /// The pack of a problem. If no chip was given, the compiler takes that of
  /// `device`. Notes go to the errors.
  llvm::Expected<KernelPack> getPack(const NamedProblem &problem,
                                     const Device *device) const;
  /// Returns whether what is generated is for one problem, though its sizes are
  /// dynamic: then tuned records of that size are meant. Many problems share a
  /// kernel unless records were asked for.
  bool hasOwnKernels() const;
  /// The chip to compile for: what was asked for, else that of the device.
  std::string getTargetChip(const DeviceProperties &properties) const;
  /// The chip to emulate: what was asked for, else that of the first module.
  std::string getChip(llvm::StringRef packPath) const;

private:
  llvm::Expected<std::string> getSource(const NamedProblem &problem) const;
  llvm::Expected<std::shared_ptr<RecordProvider>>
  prepareRecords(const NamedProblem &problem, CompileOptions &compile) const;
  llvm::Expected<KernelPack> compile(const NamedProblem &problem,
                                     const Device *device) const;
  void note(llvm::StringRef text) const {
    err << "tcgemm-run: note: " << text << '\n';
  }

  const SessionOptions &options;
  llvm::raw_ostream &err;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_PACKSOURCE_H
