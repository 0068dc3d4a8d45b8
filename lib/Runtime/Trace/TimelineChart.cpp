//===- TimelineChart.cpp - Timelines as an image --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Timeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

// Pixels.
constexpr double kWidth = 960, kLeft = 24, kRight = 24, kTop = 76;
constexpr double kTitle = 26, kRow = 42, kBar = 20, kAxis = 42;
/// A span that is shorter would vanish.
constexpr double kLeastWidth = 0.4;

/// The colours of waits, and those of work, which are distinct for most people
/// with impaired colour vision.
constexpr StringRef kWaitColours[] = {"#c8c8c8", "#a0a0a0", "#808080",
                                      "#606060"};
constexpr StringRef kWorkColours[] = {"#0072b2", "#009e73", "#e69f00",
                                      "#cc79a7", "#56b4e9"};

/// The largest of 1, 2 or 5 times a power of ten that is at most `value`.
double roundDown(double value) {
  double power = std::pow(10, std::floor(std::log10(value)));
  for (double factor : {5.0, 2.0})
    if (factor * power <= value)
      return factor * power;
  return power;
}

std::string escape(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '<'   ? std::string("&lt;")
               : c == '&' ? std::string("&amp;")
                          : std::string(1, c);
  return escaped;
}

class Chart {
public:
  Chart(const Timeline &timeline, raw_ostream &out)
      : timeline(timeline), out(out) {
    for (const TimelineGroup &group : timeline.groups)
      for (const TimelineRow &row : group.rows)
        for (const TimelineSpan &span : row.spans)
          addName(span);
  }
  void draw();

private:
  struct Name {
    std::string text;
    StringRef colour;
  };
  void addName(const TimelineSpan &span);
  double getEnd(StringRef unit) const;
  double getHeight() const;
  void write(double x, double y, StringRef text, StringRef more = "") {
    out << formatv("<text x=\"{0:f1}\" y=\"{1:f1}\"{2}>{3}</text>\n", x, y,
                   more, escape(text));
  }
  void drawLegend();
  void drawGroup(const TimelineGroup &group, double y);
  void drawAxis(double end, StringRef unit, double top, double bottom);
  void drawRow(const TimelineRow &row, double end, double y);
  double getX(double time, double end) const {
    return kLeft + time / end * (kWidth - kLeft - kRight);
  }
  const Name *find(StringRef text) const {
    return llvm::find_if(names,
                         [&](const Name &name) { return name.text == text; });
  }

  const Timeline &timeline;
  raw_ostream &out;
  SmallVector<Name> names; ///< Of spans, as they appear.
  unsigned numWaits = 0, numWorks = 0;
};

} // namespace

void Chart::addName(const TimelineSpan &span) {
  if (find(span.name) != names.end())
    return;
  StringRef colour = span.isWait
                         ? kWaitColours[numWaits++ % std::size(kWaitColours)]
                         : kWorkColours[numWorks++ % std::size(kWorkColours)];
  names.push_back({span.name, colour});
}

/// The end of all groups whose times have the unit: they share an axis.
double Chart::getEnd(StringRef unit) const {
  double end = 0;
  for (const TimelineGroup &group : timeline.groups)
    for (const TimelineRow &row : group.rows)
      for (const TimelineSpan &span : row.spans)
        if (group.unit == unit)
          end = std::max(end, span.start + span.duration);
  return end > 0 ? end : 1;
}

double Chart::getHeight() const {
  double height = kTop;
  for (const TimelineGroup &group : timeline.groups)
    height += kTitle + double(group.rows.size()) * kRow + kAxis;
  return height;
}

void Chart::drawLegend() {
  constexpr double swatch = 12, character = 6.6, gap = 18;
  double x = kLeft, y = 44;
  for (const Name &name : names) {
    double width = swatch + 6 + character * double(name.text.size()) + gap;
    if (x + width > kWidth - kRight && x > kLeft) {
      x = kLeft;
      y += 18;
    }
    out << formatv("<rect x=\"{0:f1}\" y=\"{1:f1}\" width=\"{2}\" "
                   "height=\"{2}\" fill=\"{3}\"/>\n",
                   x, y - 10, swatch, name.colour);
    write(x + swatch + 6, y, name.text);
    x += width;
  }
}

void Chart::drawAxis(double end, StringRef unit, double top, double bottom) {
  double step = roundDown(end / 6);
  for (int tick = 0; tick * step <= end; ++tick) {
    double time = tick * step;
    double x = getX(time, end);
    out << formatv("<path d=\"M{0:f1} {1:f1}V{2:f1}\" stroke=\"#dddddd\"/>\n",
                   x, top, bottom);
    std::string text = step < 1 ? formatv("{0:f2}", time).str()
                                : formatv("{0:f0}", time).str();
    write(x, bottom + 16, text, " text-anchor=\"middle\" fill=\"#444444\"");
  }
  write(kWidth - kRight, bottom + 30, unit,
        " text-anchor=\"end\" fill=\"#444444\"");
}

/// A span inside another one takes the lower half of the bar.
void Chart::drawRow(const TimelineRow &row, double end, double y) {
  write(kLeft, y + 13, row.name, " fill=\"#444444\"");
  double outerEnd = 0;
  for (const TimelineSpan &span : row.spans) {
    bool isInside =
        span.start < outerEnd && span.start + span.duration <= outerEnd;
    if (!isInside)
      outerEnd = span.start + span.duration;
    double x = getX(span.start, end);
    double width =
        std::max(kLeastWidth, getX(span.start + span.duration, end) - x);
    out << formatv("<rect x=\"{0:f2}\" y=\"{1:f1}\" width=\"{2:f2}\" "
                   "height=\"{3:f1}\" fill=\"{4}\"><title>{5}, {6:f1} to "
                   "{7:f1}</title></rect>\n",
                   x, y + 17 + (isInside ? kBar / 2 : 0), width,
                   isInside ? kBar / 2 : kBar, find(span.name)->colour,
                   escape(span.name), span.start, span.start + span.duration);
  }
}

void Chart::drawGroup(const TimelineGroup &group, double y) {
  double end = getEnd(group.unit);
  write(kLeft, y + 18, group.name, " font-weight=\"bold\"");
  y += kTitle;
  drawAxis(end, group.unit, y, y + double(group.rows.size()) * kRow);
  for (const TimelineRow &row : group.rows) {
    drawRow(row, end, y);
    y += kRow;
  }
}

void Chart::draw() {
  out << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
                 "{0:f0} {1:f0}\" width=\"{0:f0}\" height=\"{1:f0}\" "
                 "font-family=\"sans-serif\" font-size=\"12\">\n",
                 kWidth, getHeight())
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  write(kLeft, 24, timeline.title, " font-size=\"15\" font-weight=\"bold\"");
  drawLegend();
  double y = kTop;
  for (const TimelineGroup &group : timeline.groups) {
    drawGroup(group, y);
    y += kTitle + double(group.rows.size()) * kRow + kAxis;
  }
  out << "</svg>\n";
}

void drawTimeline(const Timeline &timeline, raw_ostream &out) {
  Chart(timeline, out).draw();
}

} // namespace tcgemm
