//===- Timestamp.cpp - Timestamps as text ---------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Timestamp.h"
#include "llvm/Support/FormatVariadic.h"

#include <ctime>

using namespace llvm;

namespace tcgemm {

std::string formatTimestamp(int64_t seconds) {
  std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  return formatv("{0}-{1:02}-{2:02} {3:02}:{4:02}:{5:02}+00:00",
                 parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                 parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::optional<int64_t> parseTimestamp(StringRef text) {
  std::tm parts{};
  // A fraction or the offset of UTC may follow the seconds.
  const char *rest =
      strptime(text.substr(0, 10).str().c_str(), "%Y-%m-%d", &parts);
  if (!rest || text.size() < 19 || (text[10] != ' ' && text[10] != 'T') ||
      !strptime(text.substr(11, 8).str().c_str(), "%H:%M:%S", &parts))
    return std::nullopt;
  return timegm(&parts);
}

std::optional<int64_t> parseTime(StringRef text) {
  constexpr size_t kDay = 10, kSeconds = 19;
  std::string full = text.str();
  if (text.size() == kDay)
    full += " 00:00:00";
  if (full.size() != kSeconds)
    return std::nullopt;
  std::optional<int64_t> seconds = parseTimestamp(full);
  // February 30 would be a day in March.
  if (!seconds ||
      !StringRef(formatTimestamp(*seconds)).starts_with(text.take_front(kDay)))
    return std::nullopt;
  return seconds;
}

} // namespace tcgemm
