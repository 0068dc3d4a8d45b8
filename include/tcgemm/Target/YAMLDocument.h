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
/// the first message; later messages are usually consequences of it. Without a
/// document it is `file:` and the reason.
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
  if (message.empty()) // There is no place.
    message = text.trim().empty() ? " it is empty" : " it has no YAML document";
  return llvm::createStringError(fileName + ":" + message);
}

/// Maps the keys of a mapping that must be there: pairs of a key and the place
/// of its value.
inline void mapRequired(llvm::yaml::IO &) {}
template <typename T, typename... Rest>
void mapRequired(llvm::yaml::IO &io, const char *key, T &value,
                 Rest &&...rest) {
  io.mapRequired(key, value);
  mapRequired(io, std::forward<Rest>(rest)...);
}

/// Maps keys that may be left out, as pairs like those of mapRequired.
inline void mapOptional(llvm::yaml::IO &) {}
template <typename T, typename... Rest>
void mapOptional(llvm::yaml::IO &io, const char *key, T &value,
                 Rest &&...rest) {
  io.mapOptional(key, value);
  mapOptional(io, std::forward<Rest>(rest)...);
}

} // namespace tcgemm

#endif // TCGEMM_TARGET_YAMLDOCUMENT_H
