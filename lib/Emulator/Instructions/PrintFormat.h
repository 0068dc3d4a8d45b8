//===- PrintFormat.h - Format strings of printf -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A format string as CUDA's printf reads it: the flags, widths, precisions,
// sizes and conversions of C, without %n.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_PRINTFORMAT_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_PRINTFORMAT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tcgemm::emu {

/// The source of the values of conversions. A function returns nothing if there
/// is no value, which ends the text.
struct PrintArguments {
  /// The next argument of 4 or 8 bytes.
  llvm::function_ref<std::optional<uint64_t>(unsigned bytes)> next;
  /// The string at an address.
  llvm::function_ref<std::optional<std::string>(uint64_t address)> readString;
};

/// Appends the formatted text. Returns how many arguments were used, or -1 if
/// one was missing. A conversion that does not exist is printed as it stands.
int formatPrint(llvm::StringRef format, const PrintArguments &arguments,
                std::string &out);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_PRINTFORMAT_H
