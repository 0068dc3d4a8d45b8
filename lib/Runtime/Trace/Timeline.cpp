//===- Timeline.cpp - Timelines in files ----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Timeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// The place of a row in the file. Viewers take 0 for an unknown number.
struct RowNumber {
  int64_t process, thread;
};

/// Names a process or a thread, and gives its place among the others.
void writeName(json::OStream &json, StringRef what, RowNumber number,
               StringRef name) {
  json.object([&] {
    json.attribute("name", (what + "_name").str());
    json.attribute("ph", "M");
    json.attribute("pid", number.process);
    json.attribute("tid", number.thread);
    json.attributeObject("args",
                         [&] { json.attribute("name", json::fixUTF8(name)); });
  });
  json.object([&] {
    json.attribute("name", (what + "_sort_index").str());
    json.attribute("ph", "M");
    json.attribute("pid", number.process);
    json.attribute("tid", number.thread);
    json.attributeObject("args", [&] {
      json.attribute("sort_index",
                     what == "process" ? number.process : number.thread);
    });
  });
}

void writeSpan(json::OStream &json, const TimelineSpan &span,
               RowNumber number) {
  json.object([&] {
    json.attribute("name", span.name);
    json.attribute("cat", "tcgemm");
    json.attribute("ph", "X");
    json.attribute("ts", span.start * 1e-3);
    json.attribute("dur", span.duration * 1e-3);
    json.attribute("pid", number.process);
    json.attribute("tid", number.thread);
    if (span.numbers.empty())
      return;
    json.attributeObject("args", [&] {
      for (const auto &[name, value] : span.numbers)
        json.attribute(name, value);
    });
  });
}

} // namespace

void writeChromeTrace(const Timeline &timeline, raw_ostream &out) {
  json::OStream json(out);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeObject("otherData", [&] {
      for (const auto &[name, value] : timeline.facts)
        json.attribute(name, json::fixUTF8(value));
    });
    json.attributeArray("traceEvents", [&] {
      for (auto [process, group] : enumerate(timeline.groups)) {
        auto processNumber = static_cast<int64_t>(process + 1);
        writeName(json, "process", {processNumber, 0}, group.name);
        for (auto [thread, row] : enumerate(group.rows)) {
          RowNumber number{processNumber, static_cast<int64_t>(thread + 1)};
          writeName(json, "thread", number, row.name);
          for (const TimelineSpan &span : row.spans)
            writeSpan(json, span, number);
        }
      }
    });
  });
  out << '\n';
}

} // namespace tcgemm
