#!/usr/bin/env python3
"""Checks the documentation: links, paths in sources, and the lengths of lines.

Usage: check-docs.py [ROOT]

The script prints each of these, and then exits with 1:

* a relative link or image of a .md file whose target does not exist;
* an anchor that no heading of its page has;
* a path in backticks of a .md file that ends in .cpp, .h or .td and is not the end
  of a file's path;
* a path docs/... in any other file that names no file;
* a line of a .md file with more than 120 columns. Tables, code blocks, lines
  with a URL and generated pages are excepted;
* a line of a .td file in include/ with more than 100 columns.
"""

import os
import re
import sys
import unicodedata

MD_COLUMNS = 120
TD_COLUMNS = 100

GENERATED = "<!-- Written from "
SOURCES = (".c", ".cpp", ".h", ".inc", ".td", ".py", ".sh", ".cmake", ".txt",
           ".mlir", ".test", ".yaml", ".yml", ".in", ".js", ".csv")

FENCE = re.compile(r"^\s*(```+|~~~+)")
CODE = re.compile(r"(`+)(.+?)\1")
# The text of a link may contain an image or brackets.
LINK = re.compile(r"\]\(\s*<?([^)\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$")
HTML = re.compile(r"<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)=\"([^\"]+)\"")
ANCHOR = re.compile(r"<a\b[^>]*?\b(?:id|name)=\"([^\"]+)\"")
HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
# Files of other projects.
EXTERNAL = ("cuda.h",)
CODE_PATH = re.compile(r"`([A-Za-z0-9_./-]*[A-Za-z0-9_]\.(?:cpp|h|td))`")
PATH = re.compile(r"\bdocs/[A-Za-z0-9_./-]*[A-Za-z0-9_-]\.(?:md|svg|png)\b")


def find_files(root):
    """Yields the paths of the tree's files, without builds, hidden folders and the
    inputs of tests."""
    for directory, folders, names in os.walk(root):
        top = directory == root
        folders[:] = sorted(f for f in folders
                            if (not f.startswith(".") or (top and f == ".ci"))
                            and f not in ("__pycache__", "Inputs")
                            and not (top and f.startswith("build")))
        for name in sorted(names):
            yield os.path.join(directory, name)


def read_lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


def parse_prose(lines):
    """Yields (number, line, is code) for each line."""
    fence = None
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line)
        if fence:
            yield number, line, True
            if match and match.group(1).startswith(fence):
                fence = None
        elif match:
            fence = match.group(1)
            yield number, line, True
        else:
            yield number, line, False


def make_anchor(heading):
    """The anchor that GitHub creates for a heading's text."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]*>", "", text).replace("`", "").replace("*", "")
    kept = [c for c in text.strip().lower()
            if c in " -_" or unicodedata.category(c)[0] in "LN"]
    return "".join(kept).replace(" ", "-")


def find_anchors(lines):
    anchors, counts = set(), {}
    for _, line, code in parse_prose(lines):
        if code:
            continue
        anchors.update(ANCHOR.findall(line))
        match = HEADING.match(line)
        if match:
            name = make_anchor(match.group(2))
            count = counts.get(name, 0)
            counts[name] = count + 1
            anchors.add("%s-%d" % (name, count) if count else name)
    return anchors


class Checker:
    def __init__(self, root):
        self.root = root
        self.errors = []
        self.anchors = {}
        self.endings = set()

    def add(self, path, number, message):
        where = os.path.relpath(path, self.root)
        self.errors.append("%s:%d: %s" % (where, number, message))

    def get_anchors(self, path):
        if path not in self.anchors:
            self.anchors[path] = find_anchors(read_lines(path))
        return self.anchors[path]

    def check_link(self, path, number, target):
        if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", target):
            return
        name, _, anchor = target.partition("#")
        page = path if not name else os.path.normpath(
            os.path.join(os.path.dirname(path), name))
        if not os.path.exists(page):
            self.add(path, number, "broken link: %s" % target)
        elif anchor and page.endswith(".md"):
            if anchor not in self.get_anchors(page):
                self.add(path, number, "broken anchor: %s" % target)

    def add_endings(self, path):
        parts = os.path.relpath(path, self.root).split(os.sep)
        self.endings.update("/".join(parts[i:]) for i in range(len(parts)))

    def check_page(self, path):
        lines = read_lines(path)
        is_generated = bool(lines) and lines[0].startswith(GENERATED)
        for number, line, code in parse_prose(lines):
            if code:
                continue
            text = CODE.sub("", line)
            for target in (LINK.findall(text) + REFERENCE.findall(text) +
                           HTML.findall(text)):
                self.check_link(path, number, target)
            for name in CODE_PATH.findall(line):
                sibling = os.path.join(os.path.dirname(path), name)
                if not (name in self.endings or name in EXTERNAL or
                        "NAME" in name or os.path.exists(sibling)):
                    self.add(path, number, "no such file: %s" % name)
            if (len(line) > MD_COLUMNS and not is_generated and
                    not line.lstrip().startswith("|") and "://" not in line):
                self.add(path, number, "%d columns, more than %d"
                         % (len(line), MD_COLUMNS))

    def check_source(self, path):
        is_td = path.endswith(".td") and os.path.relpath(
            path, self.root).startswith("include" + os.sep)
        for number, line in enumerate(read_lines(path), 1):
            for name in PATH.findall(line):
                if not os.path.exists(os.path.join(self.root, name)):
                    self.add(path, number, "no such file: %s" % name)
            if is_td and len(line) > TD_COLUMNS:
                self.add(path, number, "%d columns, more than %d"
                         % (len(line), TD_COLUMNS))

    def run(self):
        paths = sorted(find_files(self.root))
        for path in paths:
            self.add_endings(path)
        for path in paths:
            if path.endswith(".md"):
                self.check_page(path)
            elif path.endswith(SOURCES) or "." not in os.path.basename(path):
                if not os.path.islink(path):
                    self.check_source(path)
        return self.errors


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                           os.path.join(os.path.dirname(__file__), "..", ".."))
    errors = Checker(root).run()
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
