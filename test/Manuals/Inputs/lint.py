#!/usr/bin/env python3
"""Prints what mandoc finds in the manual pages of a folder, and their number.

usage: lint.py FOLDER

mandoc looks for the pages of cross references where the system has its own. Those of
this folder count too.
"""

import gzip
import pathlib
import re
import subprocess
import sys
import tempfile

REFERENCE = re.compile(r"referenced manual not found: Xr (\S+) (\d)")


def lint(pages):
    """What mandoc prints. It reads one compressed page at a time only."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / page.name.removesuffix(".gz") for page in pages]
        for page, path in zip(pages, paths):
            path.write_bytes(gzip.decompress(page.read_bytes()))
        return subprocess.run(["mandoc", "-Tlint", *map(str, paths)], text=True,
                              check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT).stdout


def main():
    pages = sorted(pathlib.Path(sys.argv[1]).glob("*.gz"))
    shown = lint(pages)
    names = {page.name.removesuffix(".gz") for page in pages}
    for line in shown.splitlines():
        found = REFERENCE.search(line)
        if not found or "%s.%s" % found.groups() not in names:
            print(line)
    print("%d pages" % len(pages))


if __name__ == "__main__":
    main()
