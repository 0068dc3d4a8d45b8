#!/usr/bin/env python3
"""Runs `tcgemm-tune report --watch` while records are written, and prints what it does.

usage: watch-report.py TOOL FILE.jsonl FOLDER
"""

import os
import pathlib
import signal
import subprocess
import sys
import time


def wait_for(condition, what):
    end = time.monotonic() + 120
    while not condition():
        if time.monotonic() > end:
            sys.exit("no " + what)
        time.sleep(0.05)


def main():
    tool, source, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    lines = pathlib.Path(source).read_text().splitlines(keepends=True)
    records, page = folder / "records.jsonl", folder / "page.html"
    records.write_text("".join(lines[:20]))
    process = subprocess.Popen([tool, "report", str(records), "--watch=1", "-o", str(page)])
    try:
        wait_for(page.exists, "page")
        first = page.stat()
        print("reload: %s" % ('http-equiv="refresh" content="1"' in page.read_text()))
        # Nothing is written while no record comes.
        time.sleep(3)
        print("same: %s" % (page.stat().st_mtime_ns == first.st_mtime_ns))
        with records.open("a") as file:
            file.write("".join(lines[20:]))
        wait_for(lambda: page.stat().st_mtime_ns != first.st_mtime_ns, "second page")
        print("alive: %s" % (process.poll() is None))
        process.send_signal(signal.SIGINT)
        print("code: %d" % process.wait(timeout=120))
        print("files: %s" % " ".join(sorted(os.listdir(folder))))
    finally:
        if process.poll() is None:
            process.kill()


if __name__ == "__main__":
    main()
