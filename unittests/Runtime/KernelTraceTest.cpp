//===- KernelTraceTest.cpp - Tests of traces from a device's memory -------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/KernelTrace.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

/// The words of a buffer, as roles write them.
class Writer {
public:
  explicit Writer(TraceLayout newLayout)
      : layout(std::move(newLayout)), words(layout.getWords(), 0) {}

  void begin(int64_t stream, uint64_t timer, uint64_t clock, uint64_t cta,
             uint64_t ctas) {
    set(stream, TraceWord::FirstTimer, timer);
    set(stream, TraceWord::FirstClock, clock);
    set(stream, TraceWord::Processor, 100 + cta);
    set(stream, TraceWord::Cta, cta);
    set(stream, TraceWord::Ctas, ctas);
    count = 0;
  }
  void add(int64_t stream, TraceEvent event, uint64_t clock) {
    if (count < layout.options.events)
      words[layout.getStreams() * TraceLayout::kHeaderWords +
            count * layout.getStreams() + stream] =
          clock | uint64_t(event) << TraceLayout::kEventShift;
    ++count;
  }
  void end(int64_t stream, uint64_t timer, uint64_t clock) {
    set(stream, TraceWord::LastTimer, timer);
    set(stream, TraceWord::LastClock, clock);
    set(stream, TraceWord::Position, count * layout.getStreams() + stream);
  }
  void set(int64_t stream, TraceWord word, uint64_t value) {
    words[stream * TraceLayout::kHeaderWords + int64_t(word)] = value;
  }

  TraceLayout layout;
  std::vector<uint64_t> words;

private:
  int64_t count = 0;
};

TraceLayout makeLayout(std::vector<int64_t> ctas, int64_t events) {
  TraceLayout layout;
  layout.options.ctas = std::move(ctas);
  layout.options.events = events;
  layout.roles = {{true, 0}, {false, 4}};
  return layout;
}

/// A producer and a consumer of CTA 7 of 8, with two clocks a nanosecond. One
/// product is in flight while the next stage is waited for.
Writer writeCta() {
  Writer writer(makeLayout({-1}, 16));
  writer.begin(0, 1000, 5000, 7, 8);
  writer.add(0, TraceEvent::AcquireBegin, 5010);
  writer.add(0, TraceEvent::AcquireEnd, 5020);
  writer.add(0, TraceEvent::Commit, 5050);
  writer.end(0, 1030, 5060);
  writer.begin(1, 1001, 5002, 7, 8);
  writer.add(1, TraceEvent::WaitBegin, 5010);
  writer.add(1, TraceEvent::WaitEnd, 5100);
  writer.add(1, TraceEvent::WaitBegin, 5110);
  writer.add(1, TraceEvent::WaitEnd, 5120);
  writer.add(1, TraceEvent::Release, 5200);
  writer.add(1, TraceEvent::Release, 5300);
  writer.add(1, TraceEvent::EpilogueBegin, 5310);
  writer.add(1, TraceEvent::EpilogueEnd, 5390);
  writer.end(1, 1200, 5400);
  return writer;
}

std::string getError(const Writer &writer) {
  llvm::Expected<KernelTrace> trace = decodeTrace(writer.layout, writer.words);
  return trace ? "" : llvm::toString(trace.takeError());
}

TEST(KernelTrace, HasTheRolesOfCtasThatRan) {
  Writer writer = writeCta();
  KernelTrace trace = llvm::cantFail(decodeTrace(writer.layout, writer.words));
  EXPECT_EQ(trace.ctas, 8);
  EXPECT_TRUE(trace.absent.empty());
  EXPECT_EQ(trace.countMissing(), 0u);
  ASSERT_EQ(trace.roles.size(), 2u);
  EXPECT_EQ(trace.roles[0].name, "producer");
  EXPECT_EQ(trace.roles[1].name, "consumer");
  EXPECT_EQ(trace.roles[1].cta, 7);
  EXPECT_EQ(trace.roles[1].processor, 107);
  ASSERT_EQ(trace.roles[1].events.size(), 8u);
  EXPECT_EQ(trace.roles[1].events[4].event, TraceEvent::Release);
  EXPECT_EQ(trace.roles[1].events[4].clock, 5200u);
}

TEST(KernelTrace, RowsFollowTheTimer) {
  Writer writer = writeCta();
  std::vector<TimelineRow> rows =
      getRows(llvm::cantFail(decodeTrace(writer.layout, writer.words)));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "CTA 7, producer (SM 107)");
  ASSERT_EQ(rows[0].spans.size(), 2u);
  EXPECT_EQ(rows[0].spans[0].name, "wait for an empty stage");
  EXPECT_DOUBLE_EQ(rows[0].spans[0].start, 5);
  EXPECT_DOUBLE_EQ(rows[0].spans[0].duration, 5);
  EXPECT_EQ(rows[0].spans[1].name, "copies of a stage");
  EXPECT_DOUBLE_EQ(rows[0].spans[1].duration, 15);

  // The second product starts at the end of the first; the wait for its stage
  // lies inside the first.
  const auto &spans = rows[1].spans;
  ASSERT_EQ(spans.size(), 5u);
  EXPECT_EQ(spans[1].name, "products of a stage");
  EXPECT_DOUBLE_EQ(spans[1].start, 50);
  EXPECT_DOUBLE_EQ(spans[1].duration, 50);
  EXPECT_EQ(spans[2].name, "wait for a full stage");
  EXPECT_DOUBLE_EQ(spans[2].start, 55);
  EXPECT_EQ(spans[3].name, "products of a stage");
  EXPECT_DOUBLE_EQ(spans[3].start, 100);
  EXPECT_DOUBLE_EQ(spans[3].duration, 50);
  EXPECT_EQ(spans[3].numbers.front(),
            (std::pair<std::string, int64_t>("number", 1)));
  EXPECT_EQ(spans[4].name, "epilogue");
}

TEST(KernelTrace, CtasHaveClocksOfTheirOwn) {
  Writer writer(makeLayout({0, 1}, 4));
  // The second CTA starts 100 ns later; its clock is far ahead.
  for (int64_t cta : {0, 1}) {
    uint64_t clock = cta ? 900000 : 10, timer = cta ? 300 : 200;
    for (int64_t role : {0, 1}) {
      writer.begin(2 * cta + role, timer, clock, cta, 2);
      if (role == 0) {
        writer.add(2 * cta, TraceEvent::AcquireBegin, clock + 20);
        writer.add(2 * cta, TraceEvent::AcquireEnd, clock + 30);
      }
      writer.end(2 * cta + role, timer + 100, clock + 100);
    }
  }
  std::vector<TimelineRow> rows =
      getRows(llvm::cantFail(decodeTrace(writer.layout, writer.words)));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_DOUBLE_EQ(rows[0].spans.front().start, 20);
  EXPECT_DOUBLE_EQ(rows[2].spans.front().start, 120);
}

TEST(KernelTrace, ClocksAreNanosecondsIfTheTimerStandsStill) {
  Writer writer(makeLayout({0}, 4));
  writer.begin(0, 1000, 50, 0, 1);
  writer.add(0, TraceEvent::AcquireBegin, 60);
  writer.add(0, TraceEvent::AcquireEnd, 90);
  writer.end(0, 1000, 100);
  std::vector<TimelineRow> rows =
      getRows(llvm::cantFail(decodeTrace(writer.layout, writer.words)));
  EXPECT_DOUBLE_EQ(rows.front().spans.front().start, 10);
  EXPECT_DOUBLE_EQ(rows.front().spans.front().duration, 30);
}

TEST(KernelTrace, CountsWhatIsMissing) {
  Writer writer(makeLayout({0}, 2));
  writer.begin(0, 1, 1, 0, 1);
  for (uint64_t i = 0; i != 5; ++i)
    writer.add(0, TraceEvent::Commit, i);
  writer.end(0, 2, 2);
  KernelTrace trace = llvm::cantFail(decodeTrace(writer.layout, writer.words));
  EXPECT_EQ(trace.countMissing(), 3u);
  EXPECT_EQ(trace.roles.front().events.size(), 2u);
}

TEST(KernelTrace, NamesCtasThatTheGridLacks) {
  Writer writer(makeLayout({0, 4, -4, -5, 3}, 2));
  writer.begin(0, 1, 1, 0, 4);
  writer.end(0, 2, 2);
  KernelTrace trace = llvm::cantFail(decodeTrace(writer.layout, writer.words));
  // -4 is CTA 0, and 3 exists.
  EXPECT_EQ(trace.absent, (std::vector<int64_t>{4, -5}));
}

TEST(KernelTrace, RefusesDamage) {
  Writer writer = writeCta();
  writer.set(1, TraceWord::Position, 0);
  EXPECT_EQ(getError(writer),
            "the consumer of CTA 7 has not ended: its trace ends at position "
            "0, which is none of stream 1 of 2");
  writer = writeCta();
  writer.words[2 * TraceLayout::kHeaderWords] = uint64_t(14)
                                                << TraceLayout::kEventShift;
  EXPECT_EQ(getError(writer), "event 0 of the producer of CTA 7 has the kind "
                              "14, but the last one is 13");
  writer.words.pop_back();
  EXPECT_EQ(getError(writer),
            "the trace has 47 words, but its layout needs 48");
}

TEST(KernelTrace, ConsumersHaveNumbers) {
  Writer writer(makeLayout({0}, 2));
  writer.layout.roles.push_back({false, 8});
  writer.words.assign(writer.layout.getWords(), 0);
  for (int64_t role : {0, 1, 2}) {
    writer.begin(role, 1, 1, 0, 1);
    writer.end(role, 2, 2);
  }
  KernelTrace trace = llvm::cantFail(decodeTrace(writer.layout, writer.words));
  ASSERT_EQ(trace.roles.size(), 3u);
  EXPECT_EQ(trace.roles[0].name, "producer");
  EXPECT_EQ(trace.roles[1].name, "consumer 0");
  EXPECT_EQ(trace.roles[2].name, "consumer 1");
}

} // namespace
