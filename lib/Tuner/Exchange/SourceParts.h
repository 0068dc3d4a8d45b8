//===- SourceParts.h - Pieces of generated C++ ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_EXCHANGE_SOURCEPARTS_H
#define TCGEMM_LIB_TUNER_EXCHANGE_SOURCEPARTS_H

#include "tcgemm/Target/Manifest.h"

namespace tcgemm {

/// The replacements of the marks in a file of lib/Tuner/Exchange/program/, in
/// the order of the file. A mark may occur several times.
using SourceParts = std::vector<std::pair<llvm::StringRef, std::string>>;

/// Writes `text` with every `/*@NAME@*/` replaced by the part of that name.
void fillIn(llvm::StringRef text, const SourceParts &parts,
            llvm::raw_ostream &os);

/// An expression of the manifest in C++, over the members of `v` and the
/// functions of the generated header.
std::string printExpr(const Expr &expr);

/// Returns whether C and C++ accept the name.
bool isIdentifier(llvm::StringRef name);

/// `"text"`, escaped.
std::string quote(llvm::StringRef text);

/// The different functions that a kernel's steps launch.
struct FunctionTable {
  struct Entry {
    unsigned module; ///< Its index in the manifest.
    std::string symbol;
    int64_t sharedMemory = 0; ///< The maximum over all launches.
    bool hasLargeCluster = false;
  };
  std::vector<Entry> entries;

  FunctionTable(const Manifest &manifest, const KernelInfo &kernel);
  /// The index of a step's function.
  unsigned find(const Step &step) const;
};

/// The members of the generated class; each launches a variant.
std::string printVariants(const KernelInfo &kernel,
                          const FunctionTable &functions);

/// The body of the generated applyEpilogue. Errors: an operation that the
/// host's check does not support.
llvm::Expected<std::string> printEpilogue(const KernelInfo &kernel);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_EXCHANGE_SOURCEPARTS_H
