//===- KernelTrace.cpp - The events that a kernel wrote -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/KernelTrace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <deque>
#include <limits>
#include <map>

using namespace llvm;

namespace tcgemm {

uint64_t KernelTrace::countMissing() const {
  uint64_t sum = 0;
  for (const TracedRole &role : roles)
    sum += role.missing;
  return sum;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool hasTrace(Module &module, StringRef program) {
  auto variable = module.getVariable(getTraceLayoutVariable(program));
  if (variable)
    return true;
  consumeError(variable.takeError());
  return false;
}

Error clearTrace(Device &device, Module &module, StringRef program) {
  auto variable = module.getVariable(getTraceVariable(program));
  if (!variable)
    return variable.takeError();
  return device.fill32(variable->first, 0, variable->second / 4);
}

/// The integers of a variable.
template <typename T>
static Expected<std::vector<T>> readVariable(Device &device, Module &module,
                                             StringRef name) {
  auto variable = module.getVariable(name);
  if (!variable)
    return variable.takeError();
  std::vector<T> words(variable->second / sizeof(T));
  if (Error error = device.copyFromDevice(words.data(), variable->first,
                                          words.size() * sizeof(T)))
    return std::move(error);
  return std::move(words);
}

Expected<KernelTrace> readTrace(Device &device, Module &module,
                                StringRef program) {
  auto encoded =
      readVariable<int32_t>(device, module, getTraceLayoutVariable(program));
  if (!encoded)
    return encoded.takeError();
  Expected<TraceLayout> layout = TraceLayout::decode(*encoded);
  if (!layout)
    return layout.takeError();
  auto words =
      readVariable<uint64_t>(device, module, getTraceVariable(program));
  if (!words)
    return words.takeError();
  return decodeTrace(*layout, *words);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

namespace {

class Decoder {
public:
  Decoder(const TraceLayout &layout, ArrayRef<uint64_t> words)
      : layout(layout), words(words) {}

  Expected<KernelTrace> decode();

private:
  uint64_t get(int64_t stream, TraceWord word) const {
    return words[stream * TraceLayout::kHeaderWords +
                 static_cast<int64_t>(word)];
  }
  std::string getRoleName(size_t role) const;
  Expected<TracedRole> decodeRole(int64_t stream, size_t role) const;
  Error decodeEvents(int64_t stream, int64_t count, TracedRole &role) const;
  void findAbsent(KernelTrace &trace) const;

  const TraceLayout &layout;
  ArrayRef<uint64_t> words;
};

} // namespace

std::string Decoder::getRoleName(size_t role) const {
  bool isProducer = layout.roles[role].isProducer;
  auto isSame = [&](const TraceRole &other) {
    return other.isProducer == isProducer;
  };
  std::string name = isProducer ? "producer" : "consumer";
  if (count_if(layout.roles, isSame) == 1)
    return name;
  auto before = ArrayRef(layout.roles).take_front(role);
  return name + " " + std::to_string(count_if(before, isSame));
}

Error Decoder::decodeEvents(int64_t stream, int64_t count,
                            TracedRole &role) const {
  int64_t streams = layout.getStreams();
  ArrayRef<uint64_t> events =
      words.drop_front(streams * TraceLayout::kHeaderWords);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t word = events[i * streams + stream];
    uint64_t event = word >> TraceLayout::kEventShift;
    if (event >= getTraceEventInfos().size())
      return createStringError(formatv(
          "event {0} of the {1} of CTA {2} has the kind {3}, but the "
          "last one is {4}",
          i, role.name, role.cta, event, getTraceEventInfos().size() - 1));
    uint64_t clock =
        word & maskTrailingOnes<uint64_t>(TraceLayout::kEventShift);
    role.events.push_back({static_cast<TraceEvent>(event), clock});
  }
  return Error::success();
}

Expected<TracedRole> Decoder::decodeRole(int64_t stream, size_t number) const {
  TracedRole role;
  role.name = getRoleName(number);
  role.cta = static_cast<int64_t>(get(stream, TraceWord::Cta));
  role.processor = static_cast<int64_t>(get(stream, TraceWord::Processor));
  role.first = {get(stream, TraceWord::FirstTimer),
                get(stream, TraceWord::FirstClock)};
  role.last = {get(stream, TraceWord::LastTimer),
               get(stream, TraceWord::LastClock)};
  auto position = static_cast<int64_t>(get(stream, TraceWord::Position));
  int64_t streams = layout.getStreams();
  if (position < stream || (position - stream) % streams != 0)
    return createStringError(
        formatv("the {0} of CTA {1} has not ended: its trace ends at position "
                "{2}, which is none of stream {3} of {4}",
                role.name, role.cta, position, stream, streams));
  int64_t count = (position - stream) / streams;
  int64_t kept = std::min(count, layout.options.events);
  role.missing = count - kept;
  if (Error error = decodeEvents(stream, kept, role))
    return std::move(error);
  return std::move(role);
}

/// The numbers that no CTA of the grid has. If two of the list are one CTA, the
/// first one has its events.
void Decoder::findAbsent(KernelTrace &trace) const {
  for (int64_t cta : layout.options.ctas) {
    int64_t number = cta < 0 ? trace.ctas + cta : cta;
    if (number < 0 || number >= trace.ctas)
      trace.absent.push_back(cta);
  }
}

Expected<KernelTrace> Decoder::decode() {
  if (static_cast<int64_t>(words.size()) != layout.getWords())
    return createStringError(
        formatv("the trace has {0} words, but its layout needs {1}",
                words.size(), layout.getWords()));
  KernelTrace trace;
  trace.options = layout.options;
  for (size_t cta = 0; cta != layout.options.ctas.size(); ++cta)
    for (size_t number = 0; number != layout.roles.size(); ++number) {
      auto stream = static_cast<int64_t>(cta * layout.roles.size() + number);
      auto ctas = static_cast<int64_t>(get(stream, TraceWord::Ctas));
      if (ctas == 0)
        continue;
      trace.ctas = ctas;
      Expected<TracedRole> role = decodeRole(stream, number);
      if (!role)
        return role.takeError();
      trace.roles.push_back(std::move(*role));
    }
  findAbsent(trace);
  return std::move(trace);
}

Expected<KernelTrace> decodeTrace(const TraceLayout &layout,
                                  ArrayRef<uint64_t> words) {
  return Decoder(layout, words).decode();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {

/// Converts the clocks of a CTA, whose multiprocessor has one for all roles.
class CtaClock {
public:
  void add(const TracedRole &role) {
    if (isEmpty || role.first.clock < first.clock)
      first = role.first;
    if (isEmpty || role.last.clock > last.clock)
      last = role.last;
    isEmpty = false;
  }
  /// Nanoseconds of the timer, relative to `start`.
  double convert(uint64_t clock, uint64_t start) const {
    // A timer of microseconds may not have moved.
    double rate = last.clock > first.clock && last.timer > first.timer
                      ? double(last.timer - first.timer) /
                            double(last.clock - first.clock)
                      : 1;
    return double(int64_t(first.timer - start)) +
           double(int64_t(clock - first.clock)) * rate;
  }

private:
  bool isEmpty = true;
  ClockPair first, last;
};

/// Makes the spans of a role.
class SpanBuilder {
public:
  SpanBuilder(const CtaClock &clock, uint64_t start)
      : clock(clock), start(start), open(getTraceSpanInfos().size()) {}

  std::vector<TimelineSpan> build(const TracedRole &role);

private:
  /// The begins of spans of a kind that have not ended, and what is known of
  /// those before.
  struct Open {
    std::deque<uint64_t> begins;
    uint64_t lastEnd = 0;
    int64_t count = 0;
  };
  void end(size_t kind, uint64_t at);

  const CtaClock &clock;
  uint64_t start;
  std::vector<Open> open;
  std::vector<TimelineSpan> spans;
};

} // namespace

void SpanBuilder::end(size_t kind, uint64_t at) {
  Open &of = open[kind];
  uint64_t from = std::max(of.begins.front(), of.lastEnd);
  of.begins.pop_front();
  of.lastEnd = at;
  TimelineSpan span;
  span.name = getTraceSpanInfos()[kind].name.str();
  span.isWait = getTraceSpanInfos()[kind].isWait;
  span.start = clock.convert(from, start);
  span.duration = clock.convert(at, start) - span.start;
  span.numbers = {{"number", of.count++},
                  {"clock", static_cast<int64_t>(from)},
                  {"clocks", static_cast<int64_t>(at - from)}};
  spans.push_back(std::move(span));
}

std::vector<TimelineSpan> SpanBuilder::build(const TracedRole &role) {
  for (const TracedEvent &event : role.events)
    for (auto [kind, info] : enumerate(getTraceSpanInfos())) {
      if (event.event == info.end && !open[kind].begins.empty())
        end(kind, event.clock);
      if (event.event == info.begin)
        open[kind].begins.push_back(event.clock);
    }
  // A viewer nests a span in the longer one with the same start before it.
  stable_sort(spans, [](const TimelineSpan &a, const TimelineSpan &b) {
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
  });
  return std::move(spans);
}

std::vector<TimelineRow> getRows(const KernelTrace &trace) {
  std::map<int64_t, CtaClock> clocks;
  uint64_t start = std::numeric_limits<uint64_t>::max();
  for (const TracedRole &role : trace.roles) {
    clocks[role.cta].add(role);
    start = std::min(start, role.first.timer);
  }
  std::vector<TimelineRow> rows;
  for (const TracedRole &role : trace.roles) {
    const CtaClock &clock = clocks[role.cta];
    TimelineRow row;
    row.name =
        formatv("CTA {0}, {1} (SM {2})", role.cta, role.name, role.processor);
    row.spans = SpanBuilder(clock, start).build(role);
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace tcgemm
