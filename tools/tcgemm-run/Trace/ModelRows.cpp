//===- ModelRows.cpp - The simulator's timeline ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelRows.h"

#include "tcgemm/Target/Trace.h"

using namespace tcgemm;

namespace {

/// A row whose spans follow each other. The time between them is a wait.
class RowBuilder {
public:
  explicit RowBuilder(std::string name) { row.name = std::move(name); }

  /// Adds a span, and before it the wait since the end of the one before.
  void add(TraceSpan span, Picoseconds start, Picoseconds duration,
           int64_t number, llvm::StringRef wait) {
    if (start > end)
      append(wait, end, start - end, number, /*isWait=*/true);
    append(getTraceSpanName(span), start, duration, number, /*isWait=*/false);
    end = start + duration;
  }
  TimelineRow take() { return std::move(row); }

private:
  void append(llvm::StringRef name, Picoseconds start, Picoseconds duration,
              int64_t number, bool isWait) {
    row.spans.push_back({name.str(),
                         double(start) * 1e-3,
                         double(duration) * 1e-3,
                         isWait,
                         {{"number", number}}});
  }

  TimelineRow row;
  Picoseconds end = 0;
};

/// Numbers of a consumer's stages and tiles, as a measured trace counts them.
struct ConsumerRow {
  RowBuilder row;
  int64_t stages = 0, tiles = 0;
};

} // namespace

static TimelineRow getProducerRow(const KernelPrediction &prediction) {
  const PipelineShape &shape = prediction.firstShape;
  RowBuilder row("CTA of the first wave, producer");
  int64_t number = 0;
  for (const StageStarts &stage : prediction.first.stages) {
    const RingTimes &times =
        prediction.firstTimes.get(number / shape.ring.stages, shape).ring;
    Picoseconds start = std::min(stage.copyA, stage.copyB);
    Picoseconds end =
        std::max(stage.copyA + times.copyA, stage.copyB + times.copyB);
    row.add(TraceSpan::Copies, start, end - start, number++,
            getTraceSpanName(TraceSpan::EmptyWait));
  }
  return row.take();
}

std::vector<TimelineRow>
tcgemm::getModelRows(const KernelPrediction &prediction) {
  const PipelineShape &shape = prediction.firstShape;
  std::vector<TimelineRow> rows{getProducerRow(prediction)};
  std::vector<ConsumerRow> consumers;
  for (int64_t i = 0; i < shape.consumers; ++i) {
    std::string name = "CTA of the first wave, consumer";
    if (shape.consumers > 1)
      name += " " + std::to_string(i);
    consumers.push_back({RowBuilder(name)});
  }
  for (int64_t tile = 0; tile < shape.tiles; ++tile) {
    ConsumerRow &consumer = consumers[tile % shape.consumers];
    const RingTimes &times = prediction.firstTimes.get(tile, shape).ring;
    for (int64_t i = 0; i < shape.ring.stages; ++i) {
      const StageStarts &stage =
          prediction.first.stages[tile * shape.ring.stages + i];
      consumer.row.add(TraceSpan::Products, stage.math, times.math,
                       consumer.stages++,
                       getTraceSpanName(TraceSpan::FullWait));
    }
    consumer.row.add(TraceSpan::Epilogue, prediction.first.epilogues[tile],
                     times.epilogue, consumer.tiles++,
                     "wait for the stores of the tile before");
  }
  for (ConsumerRow &consumer : consumers)
    rows.push_back(consumer.row.take());
  return rows;
}
