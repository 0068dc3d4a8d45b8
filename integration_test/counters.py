#!/usr/bin/env python3
"""Compares the emulator's counters with those of ncu on a GPU.

  counters.py pack    --packs FILE --tcgemm-run PATH
  counters.py record  --packs FILE --file FILE --tcgemm-run PATH [--ncu PATH]
  counters.py compare --packs FILE --file FILE --tcgemm-run PATH [--limit 2]

`pack` compiles the products of counter_products.py to one archive, so that later
changes to the compiler do not matter. `record` launches them and the kernels of
counter_kernels.py under ncu, which needs permission to read the GPU's counters, and
writes ncu's values to a file. `compare` runs the same launches on the emulator and
ends with 1 if a count differs by more than the limit in percent.
"""

import argparse
import csv
import ctypes
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import counter_kernels
from counter_compare import METRICS, MISC, compare, hash_kernel
from counter_products import (PRODUCTS, fail, hash_file, pack, unpack,
                              write_cases)

NCU_OPTIONS = ["--csv", "--page=raw", "--print-units=base",
               "--clock-control=none", "--cache-control=none",
               "--kernel-name-base=function"]


# Recording.


def launch(options):
    """Launches some of the experiments by the driver; ncu looks on."""
    driver = ctypes.CDLL("libcuda.so.1")

    def call(function, *arguments):
        status = getattr(driver, function)(*arguments)
        if status:
            fail("%s: error %d" % (function, status))

    def allocate(count):
        address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(count))
        call("cuMemsetD8_v2", address, 0, ctypes.c_size_t(count))
        return address

    call("cuInit", 0)
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    data, table = allocate(4 * counter_kernels.GLOBAL_WORDS), allocate(512)
    arguments = (ctypes.c_void_p * 2)(
        *[ctypes.cast(ctypes.pointer(x), ctypes.c_void_p)
          for x in (data, table)])
    functions = {}
    first, end = map(int, options.range.split(":"))
    for experiment in select(options)[first:end]:
        if experiment.kernel not in functions:
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            text = counter_kernels.make_ptx(experiment.kernel)
            call("cuModuleLoadData", ctypes.byref(module),
                 text.encode() + b"\0")
            call("cuModuleGetFunction", ctypes.byref(function), module,
                 counter_kernels.get_entry(experiment.kernel).encode())
            functions[experiment.kernel] = function
        call("cuMemcpyHtoD_v2", table, experiment.table(), ctypes.c_size_t(512))
        call("cuLaunchKernel", functions[experiment.kernel], experiment.grid, 1,
             1, 32 * experiment.warps, 1, 1, 0, None, arguments, None)
        call("cuCtxSynchronize")


def select(options):
    return [e for e in counter_kernels.list_experiments()
            if re.search(options.filter, e.name)]


def profile(options, log, command):
    """ncu's rows, one for each launch. A failure is printed and skipped."""
    command = [options.ncu] + NCU_OPTIONS + \
        ["--metrics", ",".join(options.metrics)] + command
    with open(log + ".csv", "w") as out, open(log + ".err", "w") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err,
                                 start_new_session=True)
        try:
            status = child.wait(max(1, options.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)  # And what it has launched.
            child.wait()
            status = "out of time"
    if status:
        print("counters.py: %s: %s" % (shlex.join(command[-6:]), status))
    with open(log + ".csv") as file:
        lines = file.read().splitlines()
    start = next((i for i, line in enumerate(lines) if '"Kernel Name"' in line),
                 len(lines))
    return list(csv.DictReader(lines[start:]))[1:]  # Units come first.


def get_values(row, metrics):
    """In the order of the metrics; None if ncu does not know a metric."""
    values = []
    for metric in metrics:
        try:
            values.append(int(float(row.get(metric, "").replace(",", ""))))
        except ValueError:
            values.append(None)
    return values


def record_experiments(options, folder, recorded):
    experiments = select(options)
    step = options.chunk
    for first in range(0, len(experiments), step):
        some = experiments[first:first + step]
        rows = profile(options, os.path.join(folder, "kernels%d" % first),
                       [sys.executable, os.path.abspath(__file__), "launch",
                        "--filter=" + options.filter,
                        "--range=%d:%d" % (first, first + len(some))])
        for experiment, row in zip(some, rows):
            entry = counter_kernels.get_entry(experiment.kernel)
            if row["Kernel Name"].split("(")[0] != entry:
                fail("%s: ncu names it %s" % (experiment.name,
                                              row["Kernel Name"]))
            recorded[experiment.name] = get_values(row, options.metrics)


def record_products(options, folder, recorded):
    unpack(options, folder)
    cases = write_cases(folder, PRODUCTS)
    rows = profile(options, os.path.join(folder, "products"),
                   [options.tcgemm_run, "--cases=" + cases, "--device=cuda",
                    "--verify-work=1"])
    for row in rows:  # The first launch of each.
        recorded.setdefault(row["Kernel Name"].split("(")[0],
                            get_values(row, options.metrics))


def record(options):
    options.metrics = options.metrics.split(",") if options.metrics \
        else METRICS + [MISC]
    result = {"about": options.about, "packs": hash_file(options.packs),
              "metrics": options.metrics, "kernels": {}, "products": {}}
    options.deadline = time.monotonic() + options.timeout
    os.makedirs(options.logs, exist_ok=True)
    if "products" in options.only:
        record_products(options, options.logs, result["products"])
    if "kernels" in options.only:
        record_experiments(options, options.logs, result["kernels"])
    kernels = {e.kernel for e in select(options)}
    result["hashes"] = {name: hash_kernel(name) for name in sorted(kernels)}
    write_recorded(options.file, result)
    print("%d experiments and %d kernels of products recorded" %
          (len(result["kernels"]), len(result["products"])))


def write_recorded(path, result):
    """A line for each launch."""
    def block(key):
        lines = ["  %s: %s" % (json.dumps(name), json.dumps(values))
                 for name, values in result[key].items()]
        return '"%s": {\n%s\n}' % (key, ",\n".join(lines))
    plain = ['"%s": %s' % (key, json.dumps(result[key]))
             for key in ("about", "packs", "metrics")]
    parts = plain + [block(key) for key in ("hashes", "kernels", "products")]
    with open(path, "w") as file:
        file.write("{%s}\n" % ",\n".join(parts))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("pack", "record", "compare"):
        sub = commands.add_parser(name)
        sub.add_argument("--packs", required=True)
        sub.add_argument("--tcgemm-run", required=True)
        if name != "pack":
            sub.add_argument("--file", required=True)
    sub = commands.choices["record"]
    sub.add_argument("--ncu", default="ncu")
    sub.add_argument("--metrics",
                     help="comma-separated; default: those compared")
    sub.add_argument("--only", default="kernels,products")
    sub.add_argument("--filter", default="",
                     help="expression that names of experiments match")
    sub.add_argument("--chunk", type=int, default=100,
                     help="experiments a run of ncu")
    sub.add_argument("--timeout", type=int, default=600,
                     help="seconds; what is recorded by then counts")
    sub.add_argument("--logs", default="counters-logs",
                     help="folder for ncu's output")
    sub.add_argument("--about", default="", help="GPU, driver and ncu")
    sub = commands.choices["compare"]
    sub.add_argument("--limit", type=float, default=2)
    sub.add_argument("--jobs", type=int, default=os.cpu_count())
    sub.add_argument("--table", action="store_true")
    sub = commands.add_parser("launch")
    sub.add_argument("--filter", default="")
    sub.add_argument("--range", required=True, help="of those, FIRST:END")
    options = parser.parse_args()
    return {"pack": pack, "record": record, "compare": compare,
            "launch": launch}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
