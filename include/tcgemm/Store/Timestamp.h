//===- Timestamp.h - Timestamps as text -------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Timestamps are seconds since 1970, UTC.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_TIMESTAMP_H
#define TCGEMM_STORE_TIMESTAMP_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tcgemm {

/// `2026-11-21 18:34:26+00:00`.
std::string formatTimestamp(int64_t seconds);
/// Reads a timestamp of a file, also with `T` instead of the blank and with a
/// fraction; none if the text is not a timestamp.
std::optional<int64_t> parseTimestamp(llvm::StringRef text);
/// Reads a time that a user gives: `2026-11-21`, `2026-11-21 18:34:26` or
/// `2026-11-21T18:34:26`. None if the text is none of them, or if there is no
/// such day.
std::optional<int64_t> parseTime(llvm::StringRef text);

} // namespace tcgemm

#endif // TCGEMM_STORE_TIMESTAMP_H
