"""Charts of lines as SVG: a value by a size, a line for each contender. Needs no
package."""

import math

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 250, 60, 40, 34
COLORS = ("#d95f02", "#1f6fb4", "#1b9e77", "#7570b3", "#666666")
COLUMNS = 2


def round_up(value):
    """The next 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value)


def draw_panel(add, place, title, lines):
    """`lines` has {name: [(x, y)]}; `place` is the panel's upper left corner."""
    points = [point for line in lines.values() for point in line]
    right, top = max(x for x, _ in points), round_up(max(y for _, y in points))
    x0, y0 = place[0] + LEFT, place[1] + HEIGHT - BOTTOM
    across, up = WIDTH - LEFT - 20, HEIGHT - BOTTOM - TOP
    add('<text x="%d" y="%d" font-weight="bold">%s</text>' % (x0, place[1] + 18, title))
    for part in range(5):
        y, x = y0 - up * part / 4, x0 + across * part / 4
        add('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#dddddd"/>'
            % (x0, y, x0 + across, y))
        add('<text x="%d" y="%.1f" text-anchor="end">%g</text>'
            % (x0 - 6, y + 4, top * part / 4))
        add('<text x="%.1f" y="%d" text-anchor="middle">%g</text>'
            % (x, y0 + 16, right * part / 4))
    step = across // len(lines)
    for number, ((name, line), color) in enumerate(zip(lines.items(), COLORS)):
        text = " ".join("%.1f,%.1f" % (x0 + across * x / right, y0 - up * y / top)
                        for x, y in line)
        add('<polyline points="%s" fill="none" stroke="%s" stroke-width="2">'
            '<title>%s</title></polyline>' % (text, color, name))
        add('<text x="%d" y="%d" fill="%s">%s</text>'
            % (x0 + step * number, y0 + 32, color, name))


def write_chart(path, title, panels):
    """`panels` has {title: {name: [(x, y)]}}. A panel has at most five lines."""
    rows = -(-len(panels) // COLUMNS)
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
             'font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="12">'
             % (COLUMNS * WIDTH, rows * HEIGHT),
             '<title>%s</title>' % title,
             '<rect width="100%" height="100%" fill="#ffffff"/>']
    for number, (name, content) in enumerate(panels.items()):
        draw_panel(lines.append, (number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT),
                   name, content)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["</svg>"]) + "\n")
