#!/usr/bin/env python3
"""Changes the folder of a work list as if its only task had been killed.

usage: kill_task.py FOLDER --keep=LINES --age=SECONDS

Of the records of all files, so many are kept, and a part of the next one. No shard
is done, and the claims have the age."""

import argparse
import os
import pathlib
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--keep", type=int, required=True)
    parser.add_argument("--age", type=float, required=True)
    options = parser.parse_args()
    lines = []
    for file in sorted((options.folder / "records").iterdir()):
        lines += [line for line in file.read_text().splitlines(True)
                  if line.endswith("\n")]
        file.unlink()
    kept = lines[:options.keep] + [line[:40] for line in lines[options.keep:][:1]]
    (options.folder / "records" / "killed-1.0.jsonl").write_text("".join(kept))
    for file in (options.folder / "done").iterdir():
        file.unlink()
    then = time.time() - options.age
    for file in (options.folder / "claims").iterdir():
        os.utime(file, (then, then))


if __name__ == "__main__":
    main()
