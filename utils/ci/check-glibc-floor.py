#!/usr/bin/env python3
"""Checks the requirements of the tools in a folder on their machine.

usage: check-glibc-floor.py READELF LIMIT BIN_DIR

Fails if a tool needs a symbol of a glibc later than LIMIT (say 2.34), or a
shared library other than glibc's own.
"""

import os
import re
import subprocess
import sys

GLIBC = re.compile(r"^(lib(c|m|dl|pthread|rt)\.so|ld-linux)")


def version(text):
    return tuple(int(part) for part in text.split("."))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    readelf, limit, folder = sys.argv[1:]
    failed = False
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not name.startswith("tcgemm-") or not os.access(path, os.X_OK):
            continue
        command = [readelf, "-W", "-d", "--dyn-syms", path]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        highest = (0,)
        for symbol, found in re.findall(r"(\S+)@+GLIBC_([\d.]+)", output):
            highest = max(highest, version(found))
            if version(found) > version(limit):
                failed = True
                print(f"{name}: {symbol} needs GLIBC_{found}, over the limit of {limit}",
                      file=sys.stderr)
        for library in re.findall(r"Shared library: \[(.*)\]", output):
            if not GLIBC.match(library):
                failed = True
                print(f"{name}: needs {library}", file=sys.stderr)
        print(f"{name}: needs glibc {'.'.join(map(str, highest))}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
