//===- Ptxas.h - NVIDIA's assembler -----------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds ptxas, runs it with a time limit, and parses its output: registers,
// spills, stack, shared memory and remarks of every kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_PTXAS_H
#define TCGEMM_TARGET_PTXAS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tcgemm {

struct PtxasOptions {
  /// Optimization level, 0 to 3.
  int optLevel = 3;
  /// Seconds after which ptxas is killed.
  unsigned timeout = 60;
  std::vector<std::string> extraArguments;
};

/// The properties of one entry point in the output of ptxas.
struct PtxasEntry {
  std::string name;
  int64_t registers = 0;
  int64_t spillStoreBytes = 0, spillLoadBytes = 0;
  int64_t stackBytes = 0;
  int64_t staticSharedBytes = 0;
  int64_t barriers = 0;
  /// Its numbered remarks, e.g. "(C7515) Potential Performance Loss: …".
  std::vector<std::string> remarks;
};

struct PtxasLog {
  std::vector<PtxasEntry> entries;
  /// Numbered remarks that name no entry point.
  std::vector<std::string> remarks;
  std::vector<std::string> warnings;

  const PtxasEntry *find(llvm::StringRef name) const;
};

/// Reads the output of `ptxas -v`.
PtxasLog parsePtxasLog(llvm::StringRef text);

struct PtxasResult {
  std::string cubin;
  /// The output of ptxas without its notes on compile time.
  std::string text;
  PtxasLog log;
};

/// The places where an assembler may be. Tests replace the environment.
struct PtxasSearch {
  /// Value of an environment variable, or none.
  std::optional<std::string> (*getEnvironment)(llvm::StringRef name);
  std::string fallback = "/usr/local/cuda/bin/ptxas";
  PtxasSearch();
};

/// An assembler. Not safe for use by several threads at a time.
class Ptxas {
public:
  /// Uses `path` if given, or else searches $TCGEMM_PTXAS, $PATH,
  /// $CUDA_HOME/bin, $CUDA_PATH/bin and /usr/local/cuda/bin. The error lists
  /// the searched places.
  static llvm::Expected<Ptxas> find(llvm::StringRef path = "",
                                    const PtxasSearch &search = {});

  llvm::StringRef getPath() const { return path; }
  /// The version, "13.0.88". Runs ptxas once.
  llvm::Expected<llvm::StringRef> getVersion();

  /// Assembles PTX for `chip`.
  llvm::Expected<PtxasResult> assemble(llvm::StringRef ptx,
                                       llvm::StringRef chip,
                                       const PtxasOptions &options = {}) const;

private:
  explicit Ptxas(std::string path) : path(std::move(path)) {}
  std::string path;
  std::string version;
};

} // namespace tcgemm

#endif // TCGEMM_TARGET_PTXAS_H
