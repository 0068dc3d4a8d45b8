#!/usr/bin/env python3
"""Draws docs/images/speed.svg from the table "All shapes" of docs/performance.md.

usage: draw-speed.py [--check]

Each dot is a product: cuBLASLt's time over tcgemm's, on a logarithmic axis.
Dots that would overlap are stacked. The line in a row is the geometric mean of
the row. With --check the script only checks that the image is current.
"""

import html
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "performance.md"
IMAGE = ROOT / "docs" / "images" / "speed.svg"

# Title of a row, and the groups of the table that are in it.
ROWS = [
    ("Square, 512 to 16384", ["square"]),
    ("Small and LU panels", ["thesis", "wsmodel", "lu"]),
    ("DeepBench", ["deepbench"]),
    ("Llama 3 8B", ["llama8b-qkv", "llama8b-up", "llama8b-down"]),
    ("Llama 3 70B", ["llama70b-qkv", "llama70b-up", "llama70b-down"]),
    ("DeepSeek-V3", ["dsv3"]),
    ("Odd sizes", ["odd"]),
]
TICKS = [0.9, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0]
LEFT, RIGHT, TOP, HEIGHT, WIDTH = 190, 70, 64, 54, 860
RADIUS = 3.6


def read_table():
    """Yields (group, shape, tcgemm's µs, cuBLASLt's µs, ratio)."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 8 or not re.fullmatch(r"\d+×\d+×\d+( \*)?", cells[1]):
            continue
        yield (cells[0], cells[1].rstrip(" *"), float(cells[4]),
               float(cells[6]), float(cells[7]))


def find_x(ratio):
    low, high = math.log(0.85), math.log(5.2)
    return LEFT + (math.log(ratio) - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def stack(points):
    """Gives each point a level: 0, then 1, -1, 2, … where it would overlap."""
    placed = []
    for point in sorted(points, key=lambda p: p[4]):
        x = find_x(point[4])
        for level in (0, 1, -1, 2, -2, 3, -3):
            if all(abs(x - other) >= 2 * RADIUS + 0.5 or at != level
                   for other, at, _ in placed):
                break
        placed.append((x, level, point))
    return placed


def draw(shapes):
    bottom = TOP + HEIGHT * len(ROWS)
    out = []
    add = out.append
    add('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" '
        'height="%d" font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="13">'
        % (WIDTH, bottom + 76, WIDTH, bottom + 76))
    add('<title>Speed against cuBLASLt on an NVIDIA H200</title>')
    add('<rect width="100%" height="100%" fill="#ffffff"/>')
    add('<text x="16" y="26" font-size="16" font-weight="bold" fill="#1a1a1a">'
        'cuBLASLt\'s time over tcgemm\'s: %d products, bf16, A and B contiguous '
        'along K</text>' % len(shapes))
    add('<text x="16" y="46" fill="#444444">Right of 1.0 tcgemm is faster. '
        'Line: geometric mean of the row; of all: %.2f.</text>'
        % mean([s[4] for s in shapes]))
    for tick in TICKS:
        x = find_x(tick)
        strong = tick == 1.0
        add('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s" stroke-width="%s"/>'
            % (x, TOP, x, bottom, "#555555" if strong else "#dddddd",
               1.5 if strong else 1))
        add('<text x="%.1f" y="%d" text-anchor="middle" fill="#444444">%g</text>'
            % (x, bottom + 18, tick))
    for index, (title, groups) in enumerate(ROWS):
        points = [s for s in shapes if s[0] in groups]
        y = TOP + HEIGHT * index + HEIGHT / 2
        add('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#eeeeee"/>'
            % (16, y + HEIGHT / 2, WIDTH - 16, y + HEIGHT / 2))
        add('<text x="%d" y="%.1f" text-anchor="end" fill="#1a1a1a">%s (%d)</text>'
            % (LEFT - 14, y + 4, html.escape(title), len(points)))
        average = mean([p[4] for p in points])
        x = find_x(average)
        add('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#d95f02" '
            'stroke-width="2.5"/>' % (x, y - 21, x, y + 21))
        add('<text x="%d" y="%.1f" text-anchor="end" fill="#b34700">%.2f</text>'
            % (WIDTH - 20, y + 4, average))
        for x, level, point in stack(points):
            slow = point[4] < 1
            add('<circle cx="%.1f" cy="%.1f" r="%s" fill="%s" fill-opacity="0.8">'
                '<title>%s: tcgemm %.2f µs, cuBLASLt %.2f µs, %.3f</title></circle>'
                % (x, y - level * (2 * RADIUS + 0.5), RADIUS,
                   "#7a7a7a" if slow else "#1f6fb4", point[1], point[2],
                   point[3], point[4]))
    add('<text x="16" y="%d" fill="#444444" font-size="11.5">NVIDIA H200 '
        '(132 SMs, 700 W), CUDA driver 13.0, cuBLASLt 13.1.0, 2026-11-22. '
        'cuBLASLt: the fastest of all its answers.</text>' % (bottom + 44))
    add('<text x="16" y="%d" fill="#444444" font-size="11.5">'
        'utils/bench/benchmark-suite.sh &gt; suite.csv; utils/bench/suite-table.py '
        'suite.csv. Grey: cuBLASLt is faster.</text>' % (bottom + 62))
    add("</svg>")
    return "\n".join(out) + "\n"


def main():
    shapes = list(read_table())
    known = {group for _, groups in ROWS for group in groups}
    unknown = {shape[0] for shape in shapes} - known
    if not shapes or unknown:
        sys.exit("no table, or unknown groups: %s" % sorted(unknown))
    text = draw(shapes)
    if "--check" in sys.argv[1:]:
        if not IMAGE.exists() or IMAGE.read_text(encoding="utf-8") != text:
            sys.exit("%s is stale: run utils/docs/draw-speed.py" % IMAGE.name)
        return
    IMAGE.parent.mkdir(parents=True, exist_ok=True)
    IMAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
