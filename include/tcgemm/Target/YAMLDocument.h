//===- YAMLDocument.h - Reading YAML with places in errors ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_YAMLDOCUMENT_H
#define TCGEMM_TARGET_YAMLDOCUMENT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"

namespace tcgemm {

/// Fails if the text is nested so deeply that reading it could overflow the
/// stack.
llvm::Error checkYAMLNesting(llvm::StringRef text, llvm::StringRef fileName);

/// Reads a document by LLVM's YAML I/O. The error is `file:line:column:` and
/// the first message; later messages are usually consequences of it.
template <typename T>
llvm::Error readYAML(llvm::StringRef text, llvm::StringRef fileName,
                     T &document) {
  if (llvm::Error error = checkYAMLNesting(text, fileName))
    return error;
  std::string message;
  auto collect = [](const llvm::SMDiagnostic &diagnostic, void *context) {
    auto &message = *static_cast<std::string *>(context);
    if (message.empty())
      message =
          llvm::formatv("{0}:{1}: {2}", diagnostic.getLineNo(),
                        diagnostic.getColumnNo() + 1, diagnostic.getMessage());
  };
  llvm::yaml::Input input(text, nullptr, collect, &message);
  input >> document;
  if (!input.error())
    return llvm::Error::success();
  return llvm::createStringError(
      fileName + ":" + (message.empty() ? input.error().message() : message));
}

} // namespace tcgemm

#endif // TCGEMM_TARGET_YAMLDOCUMENT_H
