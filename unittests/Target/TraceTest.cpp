//===- TraceTest.cpp - Tests of the format of traces ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Trace.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

TraceLayout makeLayout() {
  TraceLayout layout;
  layout.options.ctas = {3, -2147483648LL, 2147483647};
  layout.options.events = kMaxTraceEvents;
  layout.roles = {{true, 0}, {false, 4}, {false, 8}};
  return layout;
}

std::string getError(const TraceOptions &options) {
  return llvm::toString(options.check());
}

std::string getError(llvm::ArrayRef<int32_t> words) {
  llvm::Expected<TraceLayout> layout = TraceLayout::decode(words);
  return layout ? "" : llvm::toString(layout.takeError());
}

TEST(Trace, EventsAreFoundByTheirNames) {
  for (size_t i = 0; i != getTraceEventInfos().size(); ++i)
    EXPECT_EQ(findTraceEvent(getTraceEventInfos()[i].name),
              static_cast<TraceEvent>(i));
  EXPECT_EQ(findTraceEvent("acquire"), std::nullopt);
  EXPECT_EQ(static_cast<size_t>(TraceEvent::EpilogueEnd) + 1,
            getTraceEventInfos().size());
  EXPECT_EQ(getTraceEventInfos()[unsigned(TraceEvent::Commit)].name, "commit");
  EXPECT_EQ(getTraceEventInfos()[unsigned(TraceEvent::Release)].name,
            "release");
}

TEST(Trace, SpansAreByTheirNumber) {
  EXPECT_EQ(static_cast<size_t>(TraceSpan::Epilogue) + 1,
            getTraceSpanInfos().size());
  EXPECT_EQ(getTraceSpanName(TraceSpan::EmptyWait), "wait for an empty stage");
  EXPECT_EQ(getTraceSpanName(TraceSpan::Products), "products of a stage");
  EXPECT_EQ(getTraceSpanName(TraceSpan::Epilogue), "epilogue");
}

TEST(Trace, LayoutsAreReadAsTheyWereWritten) {
  TraceLayout layout = makeLayout();
  llvm::Expected<TraceLayout> read = TraceLayout::decode(layout.encode());
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->options.ctas, layout.options.ctas);
  EXPECT_EQ(read->options.events, layout.options.events);
  ASSERT_EQ(read->roles.size(), 3u);
  EXPECT_TRUE(read->roles[0].isProducer);
  EXPECT_FALSE(read->roles[2].isProducer);
  EXPECT_EQ(read->roles[2].firstWarp, 8);
}

TEST(Trace, BuffersHaveHeadersAndEvents) {
  TraceLayout layout = makeLayout();
  layout.options.events = 5;
  EXPECT_EQ(layout.getStreams(), 9);
  EXPECT_EQ(layout.getPositions(), 45);
  EXPECT_EQ(layout.getHeadersBytes(), 9 * 64);
  EXPECT_EQ(layout.getWords(), 9 * 8 + 45);
  EXPECT_EQ(getTraceVariable("main"), "main_trace");
  EXPECT_EQ(getTraceLayoutVariable("main"), "main_trace_layout");
}

TEST(Trace, RefusesOptionsOutOfTheirRanges) {
  EXPECT_EQ(getError(TraceOptions()), "");
  TraceOptions options;
  options.events = 1;
  EXPECT_EQ(getError(options), "");
  options.ctas.assign(kMaxTraceCtas + 1, 0);
  EXPECT_EQ(getError(options), "a trace is of 1 to 16 CTAs, but 17 are given");
  options.ctas = {-2147483649LL};
  EXPECT_EQ(getError(options),
            "the CTA -2147483649 of a trace is not from -2^31 to 2^31 - 1");
}

TEST(Trace, RefusesDamagedLayouts) {
  EXPECT_EQ(getError(llvm::ArrayRef<int32_t>()),
            "the layout of the trace has version 0, but this program reads "
            "version 1");
  std::vector<int32_t> words = makeLayout().encode();
  ++words[0];
  EXPECT_EQ(getError(words), "the layout of the trace has version 2, but this "
                             "program reads version 1");
  words = makeLayout().encode();
  words.pop_back();
  EXPECT_EQ(getError(words),
            "the layout of the trace has 3 CTAs and 3 roles in 12 words");
  words = makeLayout().encode();
  words[2] = -1;
  EXPECT_EQ(getError(words),
            "the layout of the trace has -1 CTAs and 3 roles in 13 words");
  words = makeLayout().encode();
  words[1] = 0;
  EXPECT_EQ(getError(words), "a trace has room for 1 to 65536 events of a "
                             "role, but 0 is given");
}

} // namespace
