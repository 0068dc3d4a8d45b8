#!/usr/bin/env python3
"""Measures the structure of the C++ code and prints what is over the limits.

Usage: measure-structure.py [--fail] [--summary] [PATH...]

PATH is a folder or file; without one it is lib and tools. The limits:

  classes     no class is defined over more than two .cpp files,
  members     a class has at most 40 members, functions and fields together,
  files       a file has at most 500 lines,
  functions   a function has at most 60 lines, from its head to its last brace,
  equal       files of two folders have at most five equal lines in a row, apart
              from comments, lone braces, declarations of overrides and entries of
              lists that are literals: these are data.

With --fail the exit status is 1 if something is over a limit. With --summary
only the counts are printed. The script reads the text without a compiler: it
removes comments, literals and preprocessor lines, and then follows braces.
"""

import argparse
import collections
import itertools
import os
import re
import sys

MAX_CLASS_FILES = 2
MAX_MEMBERS = 40
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_EQUAL_LINES = 5

TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"'''
                   r'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+\'''', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
OVERRIDE = re.compile(r"\boverride\s*(?=[;{])")
# Lines that say nothing: braces, access specifiers, the heads and ends of files.
EMPTY = re.compile(r"[{}();,]*$|(public|private|protected):$|(using )?namespace\b")
DATA = re.compile(r'("[^"]*"[,};\s]*)+$')
TYPE = re.compile(r"\b(class|struct|union|enum)\b")
QUALIFIED = re.compile(r"((?:\w+(?:<[^<>;{}()]*>)?::)+)(~?\w+|operator\W+)\s*\(")

Class = collections.namedtuple("Class", "name path line members")
Function = collections.namedtuple("Function", "name path line lines owner")


def blank(match):
    """Replaces text by spaces; keeps the digits of 1'000."""
    return re.sub(r"[^\n]", " ", match.group(0))


def strip(text):
    text = re.sub(r"(?<=\w)'(?=\w)", "_", text)
    return DIRECTIVE.sub(blank, TOKEN.sub(blank, text))


def list_lines(text):
    """The lines that are compared with other files, with their numbers. Literals
    remain, except in lines of nothing else, which are data. The overrides of an
    interface must be declared in each class."""
    text = DIRECTIVE.sub(blank, TOKEN.sub(
        lambda m: blank(m) if m.group(0)[0] == "/" else m.group(0), text))
    for match in reversed(list(OVERRIDE.finditer(text))):
        start = max(text.rfind(end, 0, match.start()) for end in ";{}") + 1
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:match.end()]) + \
            text[match.end():]
    lines = ((number, line.strip())
             for number, line in enumerate(text.split("\n"), 1))
    return [(number, line) for number, line in lines if not EMPTY.match(line) and not DATA.match(line)]


def remove_groups(text):
    """The text without what is in parentheses, brackets, braces or <>."""
    before = None
    while before != text:
        before = text
        text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[^<>()]*>", " ", text)
    return text


def count_declared(statement):
    """How many members a statement in a class declares."""
    statement = re.sub(r"\b(public|private|protected)\s*:", " ", statement).strip()
    words = statement.split()
    if not words or words[0] in ("friend", "using", "typedef", "static_assert"):
        return 0
    if "(" in statement:
        return 1
    if TYPE.match(statement) and len(words) < 3:
        return 0  # A declaration of a nested class.
    return remove_groups(statement).count(",") + 1


def classify(head):
    """The kind of the brace after `head`: namespace, class, function or block."""
    plain = remove_groups(re.sub(r"\btemplate\s*<", "<", head))
    if re.search(r"\bnamespace\b", plain) or re.search(r"\bextern\s*$", plain):
        return "namespace"
    found = TYPE.search(plain)
    if found and "(" not in re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head) \
            and "=" not in plain:
        return "enum" if found.group(1) == "enum" else "class"
    if "(" in head and not re.search(r"=\s*$", head) \
            and not re.search(r"(?<!operator)=\s*[^=\s]", plain):
        return "function"
    return "block"


def get_class_name(head):
    plain = re.sub(r"__attribute__\s*\(\(.*?\)\)|\balignas\s*\([^()]*\)|\bfinal\b",
                   " ", head)
    found = list(re.finditer(r"\b(?:class|struct|union)\s+([\w:]+)", plain))
    return found[-1].group(1) if found else "(unnamed)"


class Reader:
    """Follows the braces of one file."""

    def __init__(self, path, root):
        with open(path, encoding="utf-8", errors="replace") as file:
            raw = file.read()
        self.path = os.path.relpath(path, root)
        self.lines = raw.count("\n")
        self.text = strip(raw)
        self.compared = list_lines(raw)
        self.classes, self.functions, self.namespaces = [], [], set()

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def close(self, at):
        """The position after the brace that closes the one at `at`."""
        depth = 0
        for match in re.compile(r"[{}]").finditer(self.text, at):
            depth += 1 if match.group(0) == "{" else -1
            if depth == 0:
                return match.end()
        return len(self.text)

    def find_stop(self, at):
        """The next `;`, `{` or `}` outside of parentheses."""
        depth = 0
        for match in re.compile(r"[(){};]").finditer(self.text, at):
            char = match.group(0)
            if char in "()":
                depth += 1 if char == "(" else -1
            elif depth <= 0:
                return match.start()
        return len(self.text)

    def read(self, at=0, end=None, owner=None):
        """Reads a namespace or the body of a class; returns its members."""
        end = len(self.text) if end is None else end
        start, members = at, 0
        while at < end:
            at = self.find_stop(at)
            if at >= end:
                break
            head = self.text[start:at]
            char = self.text[at]
            if char == ";":
                members += count_declared(head) if owner else 0
                at = start = at + 1
                continue
            if char == "}":
                at = start = at + 1
                continue
            after = self.close(at)
            kind = classify(head)
            if kind == "namespace":
                self.namespaces.update(re.findall(r"\w+", head)[1:])
                self.read(at + 1, after - 1)
            elif kind == "class":
                name = get_class_name(head)
                full = owner + "::" + name if owner else name
                count = self.read(at + 1, after - 1, full)
                first = start + len(head) - len(head.lstrip())
                self.classes.append(Class(full, self.path, self.line(first), count))
                after = self.skip_declarator(after)
                if owner and self.text[after - 1] == ";" and \
                        re.search(r"\w", self.tail):
                    members += self.tail.count(",") + 1
            elif kind == "enum":
                after = self.skip_declarator(after)
            elif kind == "function":
                # An initialiser list `: a{1} {` contains braces.
                while re.match(r"\s*[,{]", self.text[after:after + 80]) and \
                        re.search(r"\)[^)]*:[^:]", self.text[start:at] + " "):
                    at = self.text.index("{", after) if "{" in \
                        self.text[after:end] else after
                    after = self.close(at)
                self.add_function(start, head, after, owner)
                members += 1 if owner else 0
            else:
                at = after
                continue  # An initialiser: the statement goes on.
            at = start = after
        return members

    def skip_declarator(self, at):
        stop = self.find_stop(at)
        self.tail = self.text[at:stop]
        return min(stop + 1, len(self.text)) if self.text[stop:stop + 1] == ";" else at

    def add_function(self, start, head, after, owner):
        first = start + len(head) - len(head.lstrip())
        line = self.line(first)
        found = list(QUALIFIED.finditer(head.split(" : ")[0]))
        classes = found[0].group(1).rstrip(":") if found else None
        name = found[0].group(1) + found[0].group(2) if found else (
            re.search(r"(~?\w+|operator\W+)\s*\(", head) or [None, head.strip()])[1]
        self.functions.append(Function(name.strip(), self.path, line,
                                       self.line(after - 1) - line + 1,
                                       None if owner else classes))


def find_sources(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for directory, _, names in os.walk(path):
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    yield os.path.join(directory, name)


def find_spread(readers):
    """Classes whose members are defined in more than two .cpp files.

    A class that a .cpp file defines is private to that file. Specialisations of a
    template are separate classes.
    """
    known = {n for r in readers if r.path.endswith(".h") for c in r.classes
             for n in c.name.split("::")} - {n for r in readers for n in r.namespaces}
    files = collections.defaultdict(set)
    for reader in readers:
        for function in reader.functions:
            if not function.path.endswith(".cpp") or not function.owner:
                continue
            owner = re.sub(r"<[^<>]*>", lambda m: m.group(0).replace("::", "."),
                           function.owner)
            names = [n for n in owner.split("::") if n.split("<")[0] in known]
            if names:
                library = "/".join(function.path.split(os.sep)[:2])
                files[library, names[0]].add(function.path)
    return {key: sorted(value) for key, value in files.items()
            if len(value) > MAX_CLASS_FILES}


def find_equal(readers):
    """The runs of equal lines in files of two folders, the longest first."""
    size = MAX_EQUAL_LINES + 1
    places = collections.defaultdict(list)
    for reader in readers:
        lines = [line for _, line in reader.compared]
        for start in range(len(lines) - size + 1):
            places[tuple(lines[start:start + size])].append((reader, start))
    pairs = collections.defaultdict(list)
    for same in places.values():
        for (a, i), (b, j) in itertools.combinations(same, 2):
            if os.path.dirname(a.path) != os.path.dirname(b.path):
                pairs[a, b, i - j].append((i, j))
    runs = [(len(starts) + size - 1,
             "%s:%d" % (a.path, a.compared[starts[0][0]][0]),
             "%s:%d" % (b.path, b.compared[starts[0][1]][0]))
            for (a, b, _), starts in pairs.items()]
    return ["%s and %s have %d equal lines" % (a, b, count)
            for count, a, b in sorted(runs, reverse=True)]


def main():
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
    parser = argparse.ArgumentParser(description="Measures the structure of C++ code.")
    parser.add_argument("--fail", action="store_true")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("paths", nargs="*")
    arguments = parser.parse_args()
    paths = arguments.paths or [os.path.join(root, "lib"), os.path.join(root, "tools")]
    readers = []
    for path in find_sources(paths):
        readers.append(Reader(path, root))
        readers[-1].read()
    spread = ["%s: %s is defined in %d files: %s" % (library, name, len(files),
                                                     ", ".join(map(os.path.basename, files)))
              for (library, name), files in sorted(find_spread(readers).items())]
    members = ["%s:%d: %s has %d members" % (c.path, c.line, c.name, c.members)
               for r in readers for c in r.classes if c.members > MAX_MEMBERS]
    files = ["%s: %d lines" % (r.path, r.lines) for r in readers
             if r.lines > MAX_FILE_LINES]
    functions = ["%s:%d: %s has %d lines" % (f.path, f.line, f.name, f.lines)
                 for r in readers for f in r.functions
                 if f.lines > MAX_FUNCTION_LINES]
    offenders = 0
    for title, limit, found in (
            ("classes over .cpp files", MAX_CLASS_FILES, spread),
            ("members of a class", MAX_MEMBERS, members),
            ("lines of a file", MAX_FILE_LINES, files),
            ("lines of a function", MAX_FUNCTION_LINES, functions),
            ("equal lines in two folders", MAX_EQUAL_LINES, find_equal(readers))):
        offenders += len(found)
        print("%s, limit %d: %d over it" % (title, limit, len(found)))
        if not arguments.summary:
            for line in found:
                print("  " + line)
    return 1 if arguments.fail and offenders else 0


if __name__ == "__main__":
    sys.exit(main())
