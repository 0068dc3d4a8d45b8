#!/usr/bin/env python3
"""Runs clang-tidy-22 on changed sources, or on all of them.

usage: run-clang-tidy.py [--build DIR] [--base REV | --all] [--jobs N]
                         [--minutes N] [--list] [FILE ...]

Without --all or files, it takes the sources that differ from the merge base with
REV, including uncommitted and new files. REV is origin/main by default, or main
in a clone without that branch. clang-tidy reads a changed header through its own
.cpp file, or else through one source that includes it.

The results are kept in DIR/clang-tidy.json. A file is read again only if the
file, a header of the project that it includes, its compile command or .clang-tidy
has changed. A stopped run therefore continues.

Findings in headers of LLVM and of the system are ignored: those of the analyzer
depend on invariants that it does not know. Each run prints the findings of all
selected sources.

The script exits with 1 if there are findings, and with 3 if there is no merge
base. A run that --minutes stops exits with 0 if it has no findings so far, and
prints how many sources are left.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time

TIDY = "clang-tidy-22"
FOLDERS = ("include/", "lib/", "tools/", "unittests/")
FINDING = re.compile(r"^(\S+?):(\d+):(\d+): (warning|error): .*", re.M)


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          check=True, **options).stdout


def find_changed(root, base):
    """The changed and the new files, relative to the root."""
    def git(*arguments):
        return run(("git", "-C", root) + arguments, stderr=subprocess.DEVNULL)

    bases = [base] if base else ["origin/main", "main"]
    for candidate in bases:
        try:
            start = git("merge-base", "HEAD", candidate).strip()
        except (subprocess.CalledProcessError, FileNotFoundError):
            continue
        names = git("diff", "--name-only", "--diff-filter=d", start)
        names += git("ls-files", "--others", "--exclude-standard")
        return [n for n in names.splitlines() if n.startswith(FOLDERS)]
    print("clang-tidy: no merge base with %s" % " or ".join(bases))
    sys.exit(3)


class Sources:
    """The sources of a build with their commands and headers."""

    def __init__(self, root, build):
        self.root = root
        self.commands = {}
        objects = {}
        with open(os.path.join(build, "compile_commands.json")) as file:
            for entry in json.load(file):
                name = os.path.relpath(entry["file"], root)
                if not name.startswith(FOLDERS):
                    continue
                self.commands[name] = entry["command"]
                words = shlex.split(entry["command"])
                objects[words[words.index("-o") + 1]] = name
        self.headers = {name: [] for name in self.commands}
        name = None
        for line in run(("ninja", "-C", build, "-t", "deps")).splitlines():
            if line.startswith(" "):
                path = os.path.normpath(os.path.join(build, line.strip()))
                header = os.path.relpath(path, root)
                if name and header != name and header.startswith(FOLDERS):
                    self.headers[name].append(header)
            else:
                name = objects.get(line.split(":")[0])

    def get_key(self, name):
        """A digest of all that a result depends on."""
        digest = hashlib.sha256(self.commands[name].encode())
        for path in [".clang-tidy", name] + sorted(self.headers[name]):
            digest.update(path.encode() + b"\0")
            try:
                with open(os.path.join(self.root, path), "rb") as file:
                    digest.update(file.read())
            except FileNotFoundError:
                pass
        return digest.hexdigest()

    def find_reader(self, header):
        """The source through which clang-tidy reads a header."""
        stem = os.path.splitext(os.path.basename(header))[0]
        readers = [s for s in sorted(self.commands) if header in self.headers[s]]
        own = [s for s in readers
               if os.path.splitext(os.path.basename(s))[0] == stem]
        return (own + readers + [None])[0]

    def select(self, names):
        selected = set()
        for name in names:
            if name in self.commands:
                selected.add(name)
            elif name.endswith((".h", ".inc")):
                selected.add(self.find_reader(name))
        return sorted(selected - {None})


def run_tidy(root, build, name):
    # A terminal's interrupt must not reach clang-tidy: its result would look clean.
    result = subprocess.run(
        (TIDY, "--quiet", "-p", build, os.path.join(root, name)),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True)
    output = result.stdout
    if result.returncode and not FINDING.search(output):
        output += "%s:1:1: error: %s failed: %s\n" % (
            os.path.join(root, name), TIDY, result.stderr.strip())
    return output.replace(root + "/", "")


def split_findings(output):
    """The findings in the project, each with its notes."""
    starts = [match.start() for match in FINDING.finditer(output)]
    texts = [output[a:b] for a, b in zip(starts, starts[1:] + [len(output)])]
    return [text for text in texts if text.startswith(FOLDERS)]


def write_state(path, state):
    with open(path + ".new", "w") as file:
        json.dump(state, file, indent=0)
    os.replace(path + ".new", path)


def read_state(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (FileNotFoundError, ValueError):
        return {}


def tidy(root, build, pending, arguments, state, path):
    """Runs clang-tidy on the sources that the time limit allows. Returns the
    number of those that are left."""
    stop = time.time() + 60 * arguments.minutes if arguments.minutes else None
    done = 0

    def work(item):
        name, key = item
        if stop and time.time() > stop:
            return None
        return name, key, run_tidy(root, build, name)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(work, pending):
            if not result:
                continue
            name, key, output = result
            state[name] = {"key": key, "output": output}
            write_state(path, state)
            done += 1
            if sys.stderr.isatty():
                sys.stderr.write("\r%d of %d sources" % (done, len(pending)))
    return len(pending) - done


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", metavar="DIR")
    parser.add_argument("--base", metavar="REV")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--list", action="store_true",
                        help="print the selected sources only")
    parser.add_argument("files", nargs="*", metavar="FILE")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
    build = os.path.realpath(arguments.build)
    sources = Sources(root, build)
    if arguments.all:
        selected = sorted(sources.commands)
    else:
        selected = sources.select(
            [os.path.relpath(os.path.realpath(f), root) for f in arguments.files]
            or find_changed(root, arguments.base))
    if arguments.list:
        print("\n".join(selected))
        return 0
    path = os.path.join(build, "clang-tidy.json")
    state = read_state(path)
    keys = {name: sources.get_key(name) for name in selected}
    pending = [item for item in keys.items()
               if state.get(item[0], {}).get("key") != item[1]]
    left = tidy(root, build, pending, arguments, state, path)
    findings = {}
    for name in selected:
        if state.get(name, {}).get("key") == keys[name]:
            for finding in split_findings(state[name]["output"]):
                findings.setdefault(finding.splitlines()[0], finding)
    sys.stdout.write("".join(findings[line] for line in sorted(findings)))
    print("clang-tidy: %d sources, %d findings%s" % (
        len(selected) - left, len(findings),
        "; %d sources are left (time limit)" % left if left else ""))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
