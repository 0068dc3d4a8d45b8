#!/usr/bin/env python3
"""Watches a work list while a task completes it.

usage: watch.py LOG WATCH... -- TASK...

The task starts as soon as LOG has a line. Prints measured, done_shards and candidates of
the first and last state that the watch prints. LOG must have the same states."""

import json
import os
import subprocess
import sys
import time

log = sys.argv[1]
separator = sys.argv.index("--")
before = open(log).read() if os.path.exists(log) else ""
watch = subprocess.Popen(sys.argv[2:separator], stdout=subprocess.PIPE, text=True)
end = time.monotonic() + 30
while not os.path.exists(log) or len(open(log).read()) == len(before):
    if time.monotonic() > end:
        sys.exit("no state after 30 s")
    time.sleep(0.02)
subprocess.run(sys.argv[separator + 1:], check=True, stderr=subprocess.DEVNULL,
               timeout=60)
lines = watch.communicate(timeout=60)[0]
if watch.returncode != 0 or open(log).read() != before + lines:
    sys.exit("the watch ended with %d, or the log differs" % watch.returncode)
states = [json.loads(line) for line in lines.splitlines()]
for state in (states[0], states[-1]):
    print([state[key] for key in ("measured", "done_shards", "candidates")])
