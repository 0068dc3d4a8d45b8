//===- NumericsChart.cpp - Errors of products, drawn ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumericsReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tcgemm;
using llvm::formatv;
using llvm::StringRef;

namespace {

// Pixels.
constexpr double kPanel = 300, kHeight = 320, kGap = 24;
constexpr double kLeft = 72, kTop = 92, kRight = 24, kBottom = 52;

/// Distinct for most people with impaired colour vision.
constexpr StringRef kColours[] = {"#555555", "#0072b2", "#d55e00", "#009e73",
                                  "#cc79a7", "#e69f00", "#56b4e9"};
/// The loop is the line to compare with.
constexpr StringRef kDashes[] = {"5 3", "none"};

class Chart {
public:
  Chart(const NumericsReport &report, llvm::raw_ostream &os)
      : report(report), os(os), data(report.getData()),
        modes(report.getModes()), depths(report.getDepths()) {
    llvm::sort(depths);
    findRange();
  }
  void draw();

private:
  void findRange();
  void drawLegend();
  void drawPanel(size_t panel);
  void drawLine(size_t panel, size_t mode);
  void write(double x, double y, StringRef anchor, const llvm::Twine &text,
             StringRef more = "") {
    os << formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" text-anchor=\"{2}\"{3}>{4}"
                  "</text>\n",
                  x, y, anchor, more, text.str());
  }
  void rule(double x1, double y1, double x2, double y2, StringRef colour) {
    os << formatv("<path d=\"M{0:f1} {1:f1}L{2:f1} {3:f1}\" stroke=\"{4}\" "
                  "fill=\"none\"/>\n",
                  x1, y1, x2, y2, colour);
  }
  double getWidth() const {
    return kLeft + data.size() * (kPanel + kGap) - kGap + kRight;
  }
  double getLeft(size_t panel) const { return kLeft + panel * (kPanel + kGap); }
  double getX(size_t panel, int64_t k) const {
    double first = std::log2(depths.front()), last = std::log2(depths.back());
    double share = last > first ? (std::log2(k) - first) / (last - first) : 0.5;
    return getLeft(panel) + 16 + share * (kPanel - 32);
  }
  double getY(double error) const {
    return kTop + (high - std::log10(error)) / (high - low) * kHeight;
  }
  StringRef getColour(size_t mode) const {
    return kColours[mode % std::size(kColours)];
  }
  StringRef getDash(size_t mode) const {
    return kDashes[std::min<size_t>(mode, 1)];
  }

  const NumericsReport &report;
  llvm::raw_ostream &os;
  std::vector<NumericsData> data;
  std::vector<std::string> modes;
  std::vector<int64_t> depths;
  int low = -8, high = -7; ///< Decades.
};

bool isDrawn(const NumericsRow *row) {
  return row && row->error.largest > 0 && std::isfinite(row->error.largest);
}

} // namespace

void Chart::findRange() {
  bool hasRange = false;
  for (const NumericsRow &row : report.rows)
    if (isDrawn(&row)) {
      double decade = std::log10(row.error.largest);
      int below = static_cast<int>(std::floor(decade));
      int above = static_cast<int>(std::ceil(decade));
      low = hasRange ? std::min(low, below) : below;
      high = hasRange ? std::max(high, above) : above;
      hasRange = true;
    }
  high = std::max(high, low + 1);
}

/// The legend is below the title, the loop first.
void Chart::drawLegend() {
  double x = kLeft;
  for (auto [i, mode] : llvm::enumerate(modes)) {
    os << formatv("<path d=\"M{0:f1} 48h26\" stroke=\"{1}\" stroke-width=\"2\" "
                  "stroke-dasharray=\"{2}\"/>\n",
                  x, getColour(i), getDash(i));
    write(x + 32, 52, "start", mode);
    x += 32 + 8 * mode.size() + 20;
  }
}

void Chart::drawPanel(size_t panel) {
  double left = getLeft(panel), bottom = kTop + kHeight;
  for (int decade = low; decade <= high; ++decade) {
    double y = getY(std::pow(10.0, decade));
    rule(left, y, left + kPanel, y, "#dddddd");
    if (panel == 0)
      write(left - 8, y + 4, "end", formatv("1e{0}", decade).str());
  }
  for (int64_t k : depths) {
    double x = getX(panel, k);
    rule(x, bottom, x, bottom + 5, "#555555");
    write(x, bottom + 18, "middle", std::to_string(k));
  }
  rule(left, bottom, left + kPanel, bottom, "#555555");
  rule(left, kTop, left, bottom, "#555555");
  write(left + kPanel / 2, bottom + 38, "middle", "K");
  write(left, kTop - 10, "start", getName(data[panel]),
        " font-weight=\"bold\"");
  // The first line, the loop's, is above the others that it may coincide with.
  for (size_t mode = modes.size(); mode-- > 0;)
    drawLine(panel, mode);
}

void Chart::drawLine(size_t panel, size_t mode) {
  std::string path;
  bool isBroken = true;
  for (int64_t k : depths) {
    const NumericsRow *row = report.find(data[panel], k, modes[mode]);
    if (!isDrawn(row)) {
      isBroken = true;
      continue;
    }
    double x = getX(panel, k), y = getY(row->error.largest);
    path += formatv("{0}{1:f1} {2:f1}", isBroken ? "M" : "L", x, y);
    isBroken = false;
    os << formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"3\" fill=\"{2}\"/>"
                  "\n",
                  x, y, getColour(mode));
  }
  if (!path.empty())
    os << formatv("<path d=\"{0}\" stroke=\"{1}\" stroke-width=\"2\" "
                  "fill=\"none\" stroke-dasharray=\"{2}\"/>\n",
                  path, getColour(mode), getDash(mode));
}

void Chart::draw() {
  double height = kTop + kHeight + kBottom;
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
                "{0:f0} {1:f0}\" width=\"{0:f0}\" height=\"{1:f0}\" "
                "font-family=\"sans-serif\" font-size=\"12\">\n",
                getWidth(), height)
     << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  write(kLeft, 26, "start", report.title,
        " font-size=\"15\" font-weight=\"bold\"");
  double middle = kTop + kHeight / 2;
  write(16, middle, "middle", "largest |C - C64| / (|A| |B|)",
        formatv(" transform=\"rotate(-90 16 {0:f0})\"", middle).str());
  drawLegend();
  for (size_t panel = 0; panel != data.size(); ++panel)
    drawPanel(panel);
  os << "</svg>\n";
}

void tcgemm::drawNumerics(const NumericsReport &report, llvm::raw_ostream &os) {
  Chart(report, os).draw();
}
