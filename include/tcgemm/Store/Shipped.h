//===- Shipped.h - The files of tuning/, in the program ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spaces, suites and records are part of the binary, so that a tool needs no
// other files.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_SHIPPED_H
#define TCGEMM_STORE_SHIPPED_H

#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Store/Problems.h"
#include "llvm/ADT/StringMap.h"

namespace tcgemm {

struct ShippedFile {
  llvm::StringLiteral name; ///< `wgmma-quick.yaml`.
  llvm::StringRef text;
};
llvm::ArrayRef<ShippedFile> getShippedFiles();

/// The text of the file of that name in `files`.
llvm::StringRef getFileText(llvm::ArrayRef<ShippedFile> files,
                            llvm::StringRef name);

/// The text of a file, or of the shipped file called `name`, with or without
/// `extension`. The error lists the shipped files with that extension.
llvm::Expected<std::string> readFileOrShipped(llvm::StringRef name,
                                              llvm::StringRef extension);

/// The problems of a file, or of a shipped file: `suite`.
llvm::Expected<std::vector<TuningProblem>> readSuite(llvm::StringRef name,
                                                     const KernelSpec &kernel);

/// The constants of a file, or of a shipped file by name: `nvidia-h200`.
llvm::Expected<ModelConstants> readModelConstants(llvm::StringRef name);
/// The shipped constants, by chip.
llvm::Expected<llvm::StringMap<ModelConstants>> readShippedConstants();

} // namespace tcgemm

#endif // TCGEMM_STORE_SHIPPED_H
