//===- Trace.h - Events of a kernel's roles ---------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format of a trace in a GPU's memory: compiled code writes it, the host
// reads it. Needs no MLIR.
//
// A program that writes a trace has two variables in its module. The layout is
// an array of 32-bit integers (TraceLayout::encode), which the host reads. The
// buffer is an array of 64-bit integers, little-endian. It has a stream for
// each traced CTA and each role: stream c * roles + r is that of role r of the
// CTA number c of the list. A header for each stream comes first, then the
// events: event i of stream s is number i * streams + s, so that one number is
// all that a thread keeps of its place in the buffer. An event is one word: the
// clock with the TraceEvent in its upper bits, because a producer has few
// registers.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_TRACE_H
#define TCGEMM_TARGET_TRACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tcgemm {

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// The point of its work that a role has reached. getTraceEventInfos has the
/// names, which are those of operations at the tile level.
enum class TraceEvent : uint32_t {
  RoleBegin,
  RoleEnd,
  AcquireBegin,
  AcquireEnd,
  Commit,
  WaitBegin,
  WaitEnd,
  Release,
  OrderBegin,
  OrderEnd,
  ReduceBegin,
  ReduceEnd,
  EpilogueBegin,
  EpilogueEnd,
};

/// The roles that have an event.
enum class TraceScope { All, Producers, Consumers };

struct TraceEventInfo {
  llvm::StringLiteral name; ///< `acquire_begin`.
  TraceScope scope;
};
/// By TraceEvent.
llvm::ArrayRef<TraceEventInfo> getTraceEventInfos();
std::optional<TraceEvent> findTraceEvent(llvm::StringRef name);

/// A part of a role's time, which starts with one event and ends with another.
/// Parts of the same kind follow each other: one starts at the later of its
/// first event and the end of the one before.
struct TraceSpanInfo {
  TraceEvent begin, end;
  llvm::StringLiteral name; ///< For people: `wait for an empty stage`.
  bool isWait = false;
};
/// The order is that of TraceSpan.
llvm::ArrayRef<TraceSpanInfo> getTraceSpanInfos();

enum class TraceSpan : unsigned {
  EmptyWait,
  Copies,
  FullWait,
  Products,
  TurnWait,
  ClusterSum,
  Epilogue,
};
llvm::StringRef getTraceSpanName(TraceSpan span);

//===----------------------------------------------------------------------===//
// Buffer
//===----------------------------------------------------------------------===//

inline constexpr int64_t kMaxTraceEvents = 65536; ///< Of one stream.
inline constexpr size_t kMaxTraceCtas = 16;

/// The choices of users.
struct TraceOptions {
  /// The CTAs by their numbers in the grid. Negative ones count from its end:
  /// -1 is the last CTA.
  std::vector<int64_t> ctas{0, -1};
  /// The events of a role for which there is room. Those after them are
  /// counted, but not kept.
  int64_t events = 4096;

  /// Errors: no CTA or too many, one that is there twice or has no 32-bit
  /// number, or a number of events out of its range.
  llvm::Error check() const;
};

/// A role of a program.
struct TraceRole {
  bool isProducer = false;
  int32_t firstWarp = 0;
};

/// The words of a header. Times are those of the role's first and last event:
/// nanoseconds of %globaltimer and clocks of %clock64.
enum class TraceWord : unsigned {
  Position, ///< Of the event that would come next; 0 if the role has not ended.
  Processor, ///< %smid
  FirstTimer,
  FirstClock,
  LastTimer,
  LastClock,
  Cta,  ///< %ctaid.x
  Ctas, ///< %nctaid.x; 0 if the stream's CTA has not run.
};

struct TraceLayout {
  static constexpr int64_t kHeaderWords = 8;
  /// The first bit of the TraceEvent in the word of an event.
  static constexpr unsigned kEventShift = 56;
  static constexpr int64_t kWordBytes = 8;

  TraceOptions options;
  std::vector<TraceRole> roles; ///< In the program's order.

  int64_t getStreams() const {
    return int64_t(options.ctas.size() * roles.size());
  }
  /// The places for events of all streams: the first position behind them.
  int64_t getPositions() const { return getStreams() * options.events; }
  int64_t getHeadersBytes() const {
    return getStreams() * kHeaderWords * kWordBytes;
  }
  int64_t getWords() const {
    return getStreams() * kHeaderWords + getPositions();
  }

  std::vector<int32_t> encode() const;
  /// Errors: another version, or numbers that are none of a layout.
  static llvm::Expected<TraceLayout> decode(llvm::ArrayRef<int32_t> words);
};

/// The names of a program's variables.
std::string getTraceVariable(llvm::StringRef program);
std::string getTraceLayoutVariable(llvm::StringRef program);

} // namespace tcgemm

#endif // TCGEMM_TARGET_TRACE_H
