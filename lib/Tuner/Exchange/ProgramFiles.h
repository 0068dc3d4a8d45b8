//===- ProgramFiles.h - The parts of programs -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_EXCHANGE_PROGRAMFILES_H
#define TCGEMM_LIB_TUNER_EXCHANGE_PROGRAMFILES_H

#include "tcgemm/Store/Shipped.h"

namespace tcgemm {

/// The files of lib/Tuner/Exchange/program/, which the build embeds in the
/// library.
llvm::ArrayRef<ShippedFile> getProgramFiles();
/// Those of lib/Library/Generated/, lib/Library/Portable/ and tcgemm.h.
llvm::ArrayRef<ShippedFile> getLibraryFiles();

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_EXCHANGE_PROGRAMFILES_H
