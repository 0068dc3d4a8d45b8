//===- Fuzz.h - Shared by the fuzz targets ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is a file that defines LLVMFuzzerTestOneInput. An input is either
// taken or refused with a message; a crash, a hang, or a broken promise of the
// interface is a failure.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_FUZZ_H
#define TCGEMM_UNITTESTS_FUZZ_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <cstdlib>
#include <optional>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace tcgemm::fuzz {

/// Ends the run: the input shows a defect.
[[noreturn]] inline void fail(const llvm::Twine &message) {
  llvm::errs() << "broken promise: " << message << "\n";
  abort();
}

inline void require(bool condition, const llvm::Twine &message) {
  if (!condition)
    fail(message);
}

/// A rejection must have a message.
inline void checkRefusal(llvm::Error error) {
  require(!llvm::toString(std::move(error)).empty(), "an error without text");
}

/// The value, or nothing if the input was rejected.
template <typename T> std::optional<T> accept(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  checkRefusal(value.takeError());
  return std::nullopt;
}

/// The value of an input that must not be rejected.
template <typename T>
T acceptAgain(llvm::Expected<T> value, const llvm::Twine &what) {
  if (!value)
    fail(what + " is refused: " + llvm::toString(value.takeError()));
  return std::move(*value);
}

inline llvm::StringRef getText(const uint8_t *data, size_t size) {
  return llvm::StringRef(reinterpret_cast<const char *>(data), size);
}

/// Takes the first line off `text`.
inline llvm::StringRef takeLine(llvm::StringRef &text) {
  auto [line, rest] = text.split('\n');
  text = rest;
  return line;
}

} // namespace tcgemm::fuzz

#endif // TCGEMM_UNITTESTS_FUZZ_H
