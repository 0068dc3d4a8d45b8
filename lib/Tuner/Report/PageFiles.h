//===- PageFiles.h - The parts of the page ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_REPORT_PAGEFILES_H
#define TCGEMM_LIB_TUNER_REPORT_PAGEFILES_H

#include "tcgemm/Store/Shipped.h"

namespace tcgemm {

/// The files of lib/Tuner/Report/page/, which the build embeds in the library.
llvm::ArrayRef<ShippedFile> getPageFiles();

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_REPORT_PAGEFILES_H
