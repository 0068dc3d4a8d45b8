#!/usr/bin/env python3
"""Draws docs/images/architecture.svg: levels of IR, passes and libraries.

usage: draw-architecture.py [--check]

With --check the script only tells whether the image is current. The arrows
between libraries are the LINK lists of lib/*/CMakeLists.txt, less those that
follow from others.
"""

import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
IMAGE = ROOT / "docs" / "images" / "architecture.svg"
WIDTH = 920

# A level of IR, its operations, and the passes that lead to the next level:
# (pass, library, effect).
LEVELS = [
    ("linalg on tensors", "linalg.matmul, linalg.generic, arith, math",
     [("tcgemm-raise", "Transforms", "finds products, fuses elementwise operations")]),
    ("Kernels and launches", "tcgemm.kernel, tcgemm.launch",
     [("one-shot-bufferize", "MLIR", "tensors become buffers of the caller"),
      ("tcgemm-configure", "Pipelines, Config, Store", "chooses the parameters: records or model")]),
    ("Configured kernels", "tcgemm.kernel with #tcgemm.config",
     [("tcgemm-schedule", "Schedules", "writes programs and the plan")]),
    ("Tile level", "tcgemm.program: rings, roles, mma, epilogue",
     [("tcgemm-lower-epilogue-math", "Transforms", "math functions become arithmetic"),
      ("tcgemm-lower-tiles", "Conversion/TileToNVGPU", "code of one thread")]),
    ("NVGPU level", "nvgpu, gpu, scf, vector, rank-1 memrefs",
     [("tcgemm-program-to-nvvm", "Conversion", "memrefs become pointers")]),
    ("LLVM and NVVM dialects", "llvm.func, nvvm.*",
     [("tcgemm-emit", "Target", "LLVM's NVPTX backend, then ptxas")]),
    ("PTX and cubin", "gpu.binary, plan",
     [("tcgemm-write-pack", "Pipelines", "or tcgemm-launch-to-gpu (Conversion) for embedders")]),
    ("Kernel pack, or gpu.launch_func", "manifest.json, *.cubin — or host code",
     []),
]

# Name of a box: (x, layer, width, title, text).
BOXES = {
    "tune": (20, 0, 265, "tcgemm-tune", ""),
    "opt": (380, 0, 110, "tcgemm-opt", ""),
    "run": (560, 0, 130, "tcgemm-run", ""),
    "check": (715, 0, 185, "tcgemm-check-module", ""),
    "reports": (20, 1, 120, "Tuner", "reports, exports"),
    "tuner": (155, 1, 130, "Tuner", "search, engine"),
    "plugin": (300, 1, 100, "Plugin", "for mlir-opt"),
    "driver": (745, 1, 155, "EmulatedDriver", "CUDA driver's API"),
    "compile": (440, 2, 120, "InitAll", "compileToPack"),
    "init": (390, 3, 170, "InitAll", "registration"),
    "runtime": (640, 3, 170, "Runtime", "devices, checks, timing"),
    "store": (60, 4, 180, "Store, Model", "records, database, times"),
    "pipelines": (390, 4, 170, "Pipelines", "configure, write-pack"),
    "conversion": (290, 5, 190, "Conversion", "and LinalgToGPU"),
    "schedules": (500, 5, 130, "Schedules", "programs, plans"),
    "transforms": (500, 6, 130, "Transforms", "raise, math"),
    "emulator": (660, 5, 150, "Emulator", "PTX on the CPU"),
    "tiles": (290, 6, 190, "Conversion/TileToNVGPU", ""),
    "dialect": (290, 7, 140, "Dialect", "ops, verifiers"),
    "support": (500, 7, 130, "Support", "integer builder"),
    "config": (170, 8, 190, "Config", "schedules, legality, model"),
    "target": (290, 9, 340, "Target", "chips, manifest, tensor maps, PTX, ptxas"),
    "gpuruntime": (740, 9, 160, "GpuRuntime", "for lowered host code"),
}
# From, to, the x of the start, and for a bent arrow the x of its end and how
# far above the end it bends.
EDGES = [
    ("tune", "reports", 80), ("tune", "tuner", 220),
    ("opt", "init", 420), ("plugin", "init", 350, 402, 6),
    ("run", "compile", 580, 545, 11), ("run", "runtime", 670),
    ("check", "driver", 820), ("check", "init", 728, 545, 6),
    ("reports", "store", 80), ("tuner", "store", 170),
    ("tuner", "compile", 275, 455, 11), ("tuner", "runtime", 262, 652, 15),
    ("driver", "runtime", 780), ("compile", "init", 500),
    ("init", "pipelines", 475), ("init", "store", 400, 200, 11),
    ("pipelines", "conversion", 430), ("pipelines", "schedules", 530),
    ("schedules", "transforms", 565),
    ("conversion", "tiles", 385), ("transforms", "support", 580),
    ("transforms", "dialect", 515, 420, 14), ("tiles", "dialect", 340),
    ("tiles", "support", 470, 515, 7), ("store", "config", 205),
    ("dialect", "config", 330), ("config", "target", 330),
    ("runtime", "emulator", 735), ("emulator", "target", 675, 610, 11),
]
BOX, LAYER = 40, 62


class Picture:
    def __init__(self):
        self.out = []

    def text(self, x, y, text, size=13, color="#1a1a1a", bold=False, mono=False,
             anchor="start"):
        style = ' font-weight="bold"' if bold else ""
        style += ' font-family="DejaVu Sans Mono, Menlo, monospace"' if mono else ""
        self.out.append('<text x="%g" y="%g" font-size="%g" fill="%s" text-anchor="%s"%s>%s</text>'
                        % (x, y, size, color, anchor, style, html.escape(text)))

    def box(self, x, y, width, height, fill, stroke):
        self.out.append('<rect x="%g" y="%g" width="%g" height="%g" rx="5" fill="%s" stroke="%s"/>'
                        % (x, y, width, height, fill, stroke))

    def arrow(self, points, color="#666666"):
        self.out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.2" '
                        'marker-end="url(#head)"/>'
                        % (" ".join("%g,%g" % point for point in points), color))


def draw_levels(picture, top):
    y = top
    for title, operations, passes in LEVELS:
        picture.box(20, y, 330, 42, "#e8f0fa", "#1f6fb4")
        picture.text(32, y + 18, title, bold=True)
        picture.text(32, y + 34, operations, 11, "#444444")
        if not passes:
            return y + 42
        gap = 12 + 20 * len(passes)
        picture.arrow([(60, y + 42), (60, y + 42 + gap - 2)])
        for index, (name, library, effect) in enumerate(passes):
            at = y + 42 + 20 + 20 * index
            picture.text(78, at, name, 12.5, mono=True)
            picture.text(310, at, "lib: " + library if library != "MLIR" else "upstream MLIR",
                         12, "#b34700")
            picture.text(520, at, effect, 12, "#444444")
        y += 42 + gap
    return y


def draw_libraries(picture, top):
    def place(name):
        x, layer, width, _, _ = BOXES[name]
        return x, top + LAYER * layer, width

    for edge in EDGES:
        start, end, x = edge[:3]
        _, y0, _ = place(start)
        _, y1, _ = place(end)
        y0 += BOX
        if len(edge) == 3:
            picture.arrow([(x, y0), (x, y1 - 2)])
        else:
            middle = y1 - edge[4]
            picture.arrow([(x, y0), (x, middle), (edge[3], middle), (edge[3], y1 - 2)])
    # Beside the boxes of the right column.
    _, y0, _ = place("check")
    _, y1, _ = place("gpuruntime")
    picture.arrow([(892, y0 + BOX), (892, y0 + BOX + 8), (910, y0 + BOX + 8),
                   (910, y1 - 10), (880, y1 - 10), (880, y1 - 2)])
    for name, (_, layer, _, title, text) in BOXES.items():
        x, y, width = place(name)
        if layer == 0:
            picture.box(x, y, width, BOX, "#fdf0e4", "#b34700")
        elif title in ("Target", "Config", "Emulator", "GpuRuntime", "Runtime",
                       "EmulatedDriver") or name in ("store", "reports"):
            picture.box(x, y, width, BOX, "#eef6ea", "#4d8a36")
        else:
            picture.box(x, y, width, BOX, "#e8f0fa", "#1f6fb4")
        if text:
            picture.text(x + width / 2, y + 17, title, 12.5, bold=True, anchor="middle")
            picture.text(x + width / 2, y + 32, text, 11, "#444444", anchor="middle")
        else:
            picture.text(x + width / 2, y + 25, title, 12.5, bold=True, anchor="middle")
    return top + LAYER * max(box[1] for box in BOXES.values()) + BOX


def main():
    picture = Picture()
    picture.text(20, 28, "From linalg to a kernel: levels of IR and passes", 16, bold=True)
    bottom = draw_levels(picture, 44)
    picture.text(20, bottom + 42, "Libraries: an arrow points to what a library needs", 16, bold=True)
    picture.text(20, bottom + 60, "Orange: tools. Blue: needs MLIR. Green: needs no MLIR (only Target's "
                 "emission of PTX does). Arrows that follow from others are left out.",
                 11.5, "#444444")
    bottom = draw_libraries(picture, bottom + 74)
    height = bottom + 20
    head = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
            'font-family="DejaVu Sans, Helvetica, Arial, sans-serif">' % (WIDTH, height, WIDTH, height))
    defs = ('<title>Architecture of tcgemm</title>\n<defs><marker id="head" viewBox="0 0 8 8" refX="7" '
            'refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" '
            'fill="#666666"/></marker></defs>\n<rect width="100%" height="100%" fill="#ffffff"/>')
    text = "\n".join([head, defs] + picture.out + ["</svg>"]) + "\n"
    if "--check" in sys.argv[1:]:
        if not IMAGE.exists() or IMAGE.read_text(encoding="utf-8") != text:
            sys.exit("%s is stale: run utils/docs/draw-architecture.py" % IMAGE.name)
        return
    IMAGE.parent.mkdir(parents=True, exist_ok=True)
    IMAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
