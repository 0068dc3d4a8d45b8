//===- Timeline.h - Timelines in files --------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Timelines of several sources beside each other, and their files: an image,
// and the JSON object format of Chrome's trace viewer, which Perfetto reads,
// too
// ("Trace Event Format", Google).
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_TIMELINE_H
#define TCGEMM_RUNTIME_TIMELINE_H

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tcgemm {

/// A part of a row. Times are nanoseconds, or what the group counts instead.
struct TimelineSpan {
  std::string name;
  double start = 0, duration = 0;
  bool isWait = false; ///< Drawn in grey.
  /// Numbers that describe it: the stage, the tile.
  std::vector<std::pair<std::string, int64_t>> numbers;
};

/// One after the other, or one inside another.
struct TimelineRow {
  std::string name; ///< `CTA 0 producer`.
  std::vector<TimelineSpan> spans;
};

/// The rows of one source.
struct TimelineGroup {
  std::string name; ///< `measured`, `model`.
  std::string unit; ///< Of its times: `ns`, or `instructions` on the emulator.
  std::vector<TimelineRow> rows;
};

struct Timeline {
  std::string title;
  std::vector<TimelineGroup> groups;
  /// Further facts about the whole, by name.
  std::vector<std::pair<std::string, std::string>> facts;
};

/// Writes a process for each group and a thread for each row. The file's times
/// are microseconds, as the format demands.
void writeChromeTrace(const Timeline &timeline, llvm::raw_ostream &out);

/// Writes an SVG image. Groups with the same unit have the same axis. A span
/// inside another one is drawn on its lower half.
void drawTimeline(const Timeline &timeline, llvm::raw_ostream &out);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_TIMELINE_H
