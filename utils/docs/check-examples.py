#!/usr/bin/env python3
"""Runs the examples of the documentation on the emulator and compares their output.

usage: check-examples.py BIN [FILE...]

An example is a fenced block with lines `$ COMMAND`, each followed by its output. Only
commands are run that read no file and need no GPU: those of tcgemm-run with
--device=emulator, and those of tcgemm-tune that are named in OFFLINE. `…` in an output
stands for any text, and a line with nothing else for any lines. FILE: pages (default:
all of docs/ and README.md).

Prints each difference. Exit codes: 0, or 1 if an output differs; 2 for bad arguments.
"""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
OFFLINE = {"explain", "types", "tensile"}
TIMEOUT = 120


def find_pages():
    pages = [os.path.join(ROOT, "README.md")]
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        pages += [os.path.join(folder, name) for name in names
                  if name.endswith(".md")]
    return sorted(pages)


def find_examples(page):
    """[(line, command, output lines)] of a page."""
    examples = []
    inside = False
    for number, line in enumerate(open(page, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.lstrip().startswith("```"):
            inside = not inside
            block = []
            continue
        if not inside:
            continue
        if line.startswith("$ "):
            block = [number, line[2:], []]
            examples.append(block)
        elif block and block[1].endswith("\\"):
            block[1] = block[1][:-1] + line.strip()
        elif block:
            block[2].append(line)
    return examples


def can_run(command):
    """Whether an example reads no file, needs no GPU and is one command."""
    if re.search(r"[`$]|\.mlir|\.json|\.db|\.yaml|\.csv|\.log", command):
        return False
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # Python code of several lines.
        return False
    # Operators of the shell, such as a pipe, are words of their own.
    if any(re.fullmatch(r"[();<>|&]+", word) for word in words):
        return False
    if words[0] == "tcgemm-run":
        isGenerated = all(word.startswith("-") for word in words[1:])
        return "--device=emulator" in words and isGenerated
    return words[0] == "tcgemm-tune" and words[1] in OFFLINE


def matches(expected, actual):
    """Whether the lines of an output are those of the example."""
    if not expected:
        return not actual
    if expected[0].strip() == "…":
        return any(matches(expected[1:], actual[i:])
                   for i in range(len(actual) + 1))
    if not actual:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("…"))
    return (re.fullmatch(pattern, actual[0]) is not None and
            matches(expected[1:], actual[1:]))


def strip(lines):
    """Lines without those that are empty at the end."""
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def run(example, binaries):
    """The output of an example where it differs, or None."""
    _, command, output = example
    words = shlex.split(command, comments=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, XDG_CACHE_HOME=folder,
                           XDG_DATA_HOME=folder)
        environment.pop("TCGEMM_RECORDS", None)
        try:
            done = subprocess.run(
                [os.path.join(binaries, words[0])] + words[1:], cwd=folder,
                env=environment, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return ["no end within %d seconds" % TIMEOUT]
    actual = strip(done.stdout.split("\n"))
    return None if matches(strip(output), actual) else actual


def main(arguments):
    if not arguments:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    binaries = os.path.abspath(arguments[0])
    examples = [(page, example) for page in arguments[1:] or find_pages()
                for example in find_examples(page)
                if example[2] and can_run(example[1])]
    if not examples:
        print("check-examples.py: no examples", file=sys.stderr)
        return 2
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda pair: run(pair[1], binaries),
                                examples))
    differences = 0
    for (page, example), actual in zip(examples, results):
        if actual is None:
            continue
        differences += 1
        print("%s:%d: $ %s" % (os.path.relpath(page, ROOT), example[0],
                               example[1]))
        for line in actual:
            print("    " + line)
    print("%d of %d examples differ" % (differences, len(examples)))
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
