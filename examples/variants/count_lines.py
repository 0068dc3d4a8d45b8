#!/usr/bin/env python3
"""Counts the lines of the variants, and compares them with the limits.

Usage: count_lines.py [--page PAGE]

A line counts if it is neither blank nor a comment. The limits are the lines that
GemmKernels.jl needed for the same variants. The table goes to stdout. With a page
of the documentation, the page must have the table and quote the files.

Exit codes: 0; 1 if there are too many lines, or the page differs; 2 for wrong
arguments or files that cannot be read.
"""

import argparse
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "variants"

# Variant, its files, and the limit, if there is one.
VARIANTS = [
    ("padding in shared memory", ["padding.h"], 14),
    ("diagonal operand", ["diagonal.mlir"], 23),
    ("contraction", ["contraction.mlir"], 58),
    ("complex and dual numbers", ["numbers.h"], 169),
    ("padding by a rule", ["padding_rule.h"], None),
    ("anti-diagonal operand", ["anti_diagonal.mlir"], None),
    ("split-complex and Eisenstein's numbers", ["own_numbers.h"], None),
]


def count(text):
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def strip_head(text):
    """The file without the comment with its licence."""
    if not text.startswith("//==="):
        return text.strip()
    end = text.index("//\n//===---") + len("//\n")
    return text[text.index("\n", end):].strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=pathlib.Path)
    page = parser.parse_args().page
    try:
        texts = {name: (FOLDER / name).read_text()
                 for _, names, _ in VARIANTS for name in names}
        page_text = page.read_text() if page else None
    except OSError as error:
        print("count_lines.py: error: %s" % error, file=sys.stderr)
        return 2
    table = ["| variant | files | lines | limit |", "|---|---|---|---|"]
    errors = []
    for variant, names, limit in VARIANTS:
        lines = sum(count(texts[name]) for name in names)
        table.append("| %s | %s | %d | %s |" % (
            variant, ", ".join("`%s`" % name for name in names), lines,
            limit or ""))
        if limit and lines > limit:
            errors.append("%s has %d lines, but the limit is %d"
                          % (variant, lines, limit))
    print("\n".join(table))
    if page_text is not None:
        if "\n".join(table) not in page_text:
            errors.append("%s does not have this table" % page)
        errors += ["%s does not quote %s" % (page, name)
                   for name, text in texts.items()
                   if strip_head(text) not in page_text]
    for error in errors:
        print("count_lines.py: error: " + error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
