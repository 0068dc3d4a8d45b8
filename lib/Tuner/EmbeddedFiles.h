//===- EmbeddedFiles.h - Texts that the library writes out ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of lib/Tuner/report/ and lib/Tuner/program/, which the build puts
// into the library.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_EMBEDDEDFILES_H
#define TCGEMM_LIB_TUNER_EMBEDDEDFILES_H

#include "tcgemm/Store/Shipped.h"
#include "llvm/ADT/STLExtras.h"

namespace tcgemm {

llvm::ArrayRef<ShippedFile> getEmbeddedFiles();

/// The text of a file that is there.
inline llvm::StringRef getEmbeddedFile(llvm::StringRef name) {
  const ShippedFile *file =
      llvm::find_if(getEmbeddedFiles(),
                    [&](const ShippedFile &file) { return file.name == name; });
  assert(file != getEmbeddedFiles().end() && "the build embeds no such file");
  return file->text;
}

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_EMBEDDEDFILES_H
