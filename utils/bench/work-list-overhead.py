#!/usr/bin/env python3
"""Measures what a work list costs: many tasks on one folder, which only wait.

  utils/bench/work-list-overhead.py [--tasks=64] [--candidates=200] [--milliseconds=50]

Each task has a simulated device that is busy for so many milliseconds with a candidate.
Prints the share of the tasks' time in functions of the work list, the processor's time
for each candidate, and the share of the time in which the devices were busy. With --most
the exit code is 1 if the first share is above so many per cent."""

import argparse
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SPACE = """
name: overhead
fixed:
  - {name: schedule, value: mma_sync}
parameters:
  - {name: cta, values: [64x64x32, 32x64x32, 64x32x32, 64x64x64, 128x64x32, 64x128x32,
                         128x128x32, 32x32x32]}
  - {name: stages, values: [2, 3, 4, 5]}
  - {name: epilogue, values: [direct, staged]}
"""
CONFIGS = 64
LINE = re.compile(r"task 0: (\d+) candidates, \d+ shards in ([0-9.]+) (s|min|h), of which "
                  r"the work list took ([0-9.]+) s")
SECONDS = {"s": 1, "min": 60, "h": 3600}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tcgemm-tune", default="build/release/bin/tcgemm-tune")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--tasks", type=int, default=64)
    parser.add_argument("--candidates", type=int, default=200, help="of each task")
    parser.add_argument("--milliseconds", type=float, default=50)
    parser.add_argument("--shard-size", type=int, default=32)
    parser.add_argument("--most", type=float)
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="tcgemm-overhead-"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "space.yaml").write_text(SPACE)
    problems = max(1, options.tasks * options.candidates // CONFIGS)
    base = [options.tcgemm_tune, "--m=64:%d:1" % (63 + problems), "--n=256", "--k=1024",
            "--device=simulated", "--chip=sm_80", "--jobs=1",
            "--space=%s" % (folder / "space.yaml"), "--work=%s" % (folder / "work"),
            "--shard-size=%d" % options.shard_size, "--finalists=0"]
    # What is compiled is not measured here.
    subprocess.run(base + ["--compile-only"], check=True, stderr=subprocess.DEVNULL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    tasks = [subprocess.Popen(
        base + ["--no-compile", "--simulation=ms=%g" % options.milliseconds],
        stderr=subprocess.PIPE, text=True) for _ in range(options.tasks)]
    outputs = [task.communicate()[1] for task in tasks]
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(folder)
    matches = [LINE.search(text) for text in outputs]
    if None in matches or any(task.returncode for task in tasks):
        sys.exit("a task failed: %s" % next(
            text for text, match, task in zip(outputs, matches, tasks)
            if match is None or task.returncode))
    total = sum(int(match[1]) for match in matches)
    seconds = sum(float(match[2]) * SECONDS[match[3]] for match in matches)
    share = 100 * sum(float(match[4]) for match in matches) / seconds
    if total != problems * CONFIGS:
        sys.exit("%d candidates instead of %d" % (total, problems * CONFIGS))
    cpu = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    busy = 100 * total * options.milliseconds / 1000 / (options.tasks * wall)
    print("%d tasks, %d candidates of %g ms, %.1f s" % (options.tasks, total,
                                                        options.milliseconds, wall))
    print("work list: %.2f %% of the tasks' time" % share)
    print("processor: %.2f ms a candidate, starts of tasks included"
          % (1000 * cpu / total))
    print("devices: %.1f %% busy" % busy)
    if options.most is not None and share > options.most:
        sys.exit("the work list takes %.2f %%, more than %g %%" % (share, options.most))


if __name__ == "__main__":
    main()
