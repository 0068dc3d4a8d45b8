#!/usr/bin/env python3
"""What the emulator counts, against what ncu counts on a GPU.

  counters.py pack    --packs FILE --tcgemm-run PATH
  counters.py record  --packs FILE --file FILE --tcgemm-run PATH [--ncu PATH]
  counters.py compare --packs FILE --file FILE --tcgemm-run PATH [--limit 2]

`pack` compiles the products of PRODUCTS into one archive, so that later changes
to the compiler do not matter. `record` launches them, and the kernels of
counter_kernels.py, under ncu, which needs a GPU whose counters may be read, and
writes ncu's values into a file. `compare` runs the same on the emulator and ends
with 1 if a count differs by more than the limit in percent.
"""

import argparse
import concurrent.futures
import csv
import ctypes
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

import counter_kernels

# Configurations of small tiles, unlike each other in what they do to memory.
SMALL = "cta=[64,64,32],warps=[2,2,1],stages=3,schedule=mma_sync"

# Name, sizes, options of tcgemm-run's generator, and scalars.
PRODUCTS = [
    ("default", (512, 512, 1024), "", {}),
    ("nn", (256, 256, 256), "--layout nn --config=%s" % SMALL, {}),
    ("tt", (256, 256, 256), "--layout tt --type f16 --out-type f32 "
     "--config=%s,epilogue=direct" % SMALL, {}),
    ("padded", (256, 256, 256), "--layout nt --config=%s,shared=pad" % SMALL,
     {}),
    ("cut_rows", (250, 250, 504), "--config=%s" % SMALL, {}),
    ("sectors", (250, 250, 504), "--config=cta=[64,64,64],warps=[2,2,1],"
     "stages=3,schedule=mma_sync,shared=sectors", {}),
    ("bias_relu", (256, 256, 256), "--epilogue bias_relu "
     "--config=%s,epilogue=staged" % SMALL, {}),
    ("residual", (256, 256, 256), "--epilogue residual_silu --beta 0.5 "
     "--config=%s,epilogue=staged" % SMALL, {}),
    ("by4", (130, 134, 202), "--config=%s,unaligned=copy_4" % SMALL, {}),
    ("packing", (131, 137, 211), "--config=%s" % SMALL, {}),
    ("split_k", (128, 128, 1024), "--config=%s,split_k=4" % SMALL, {}),
    ("warps_k", (128, 128, 512), "--config=cta=[64,64,64],warps=[2,2,2],"
     "stages=3,schedule=mma_sync", {}),
]

CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
METRICS = [CONFLICTS + ".sum", CONFLICTS + "_op_ld.sum",
           CONFLICTS + "_op_st.sum", CONFLICTS + "_op_ldgsts.sum",
           WAVEFRONTS + ".sum", WAVEFRONTS + "_op_ld.sum",
           WAVEFRONTS + "_op_st.sum", SECTORS + "ld.sum", SECTORS + "st.sum"]

NCU_OPTIONS = ["--csv", "--page=raw", "--print-units=base",
               "--clock-control=none", "--cache-control=none",
               "--kernel-name-base=function"]


def fail(text):
    sys.exit("counters.py: " + text)


def run(command, **keywords):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **keywords)
    if done.returncode:
        fail("%s\n%s%s" % (shlex.join(command), done.stdout[-2000:],
                           done.stderr[-2000:]))
    return done.stdout


# Products.


def pack(options):
    """Packs named as their products, and so are the kernels in them."""
    with tempfile.TemporaryDirectory() as folder, \
            tarfile.open(options.packs, "w:xz") as archive:
        for name, (m, n, k), flags, _ in PRODUCTS:
            sizes = ["--m=%d" % m, "--n=%d" % n, "--k=%d" % k]
            flags = shlex.split(flags)
            source = os.path.join(folder, name + ".mlir")
            with open(source, "w") as file:
                text = run([options.tcgemm_run, "--emit-mlir"] + sizes + flags)
                file.write(text.replace("@main(", "@%s(" % name))
            place = os.path.join(folder, name)
            config = [f for f in flags if f.startswith("--config=")]
            run([options.tcgemm_run, source, "--plan", "--save-pack=" + place,
                 "--chip=sm_90", "--pipeline-options=format=ptx"] + sizes +
                config)
            for file in sorted(os.listdir(place)):
                archive.add(os.path.join(place, file), name + "/" + file,
                            filter=strip)


def strip(member):
    """The same archive whoever makes it, and when."""
    member.mtime = member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o644
    return member


def unpack(options, folder):
    with tarfile.open(options.packs) as archive:
        archive.extractall(folder, filter="data")


def write_cases(folder, products):
    path = os.path.join(folder, "cases.jsonl")
    with open(path, "w") as file:
        for name, (m, n, k), _, scalars in products:
            case = {"id": name, "pack": name, "sizes": {"M": m, "N": n, "K": k},
                    "scalars": scalars}
            file.write(json.dumps(case) + "\n")
    return path


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
    """ncu's rows, one a launch. A failure is said and leaves the rest alone."""
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
    """In the order of the metrics; None where ncu does not know one."""
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


def hash_kernel(name):
    text = counter_kernels.make_ptx(name)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def hash_file(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def record(options):
    options.metrics = options.metrics.split(",") if options.metrics else METRICS
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


# Comparing.


def get_profiles(text):
    profiles = []
    for line in text.splitlines():
        item = json.loads(line)
        for owner in [item] + item.get("launches", []):
            profiles += owner.get("profiles", [])
    return profiles


EMULATOR = ["--device=emulator", "--checks=none", "--profile", "--no-verify",
            "--format=json", "--emulator-threads=1"]


def write_table(path, data):
    """As NumPy writes an array of words."""
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % (
        len(data) // 4)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") +
                   header.encode() + data)


def emulate_experiment(options, folder, index, experiment):
    source = os.path.join(folder, experiment.kernel + ".ptx")
    table = os.path.join(folder, "table%d.npy" % index)
    write_table(table, experiment.table())
    text = run([options.tcgemm_run, source, "--grid=%d" % experiment.grid,
                "--block=%d" % (32 * experiment.warps),
                "--arg=inout:u32[%d]:constant:0" % counter_kernels.GLOBAL_WORDS,
                "--arg=in:i32[128]:" + table] + EMULATOR)
    return get_profiles(text)[0]["metrics"]


def emulate(options, recorded):
    """The emulator's metrics of what was recorded, by name."""
    experiments = [e for e in counter_kernels.list_experiments()
                   if e.name in recorded["kernels"]]
    results = {}
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        unpack(options, folder)
        products = [p for p in PRODUCTS
                    if any(name.startswith(p[0] + "_0_")
                           for name in recorded["products"])]
        futures = []
        for product in products:
            place = os.path.join(folder, "case_" + product[0])
            os.mkdir(place)
            os.symlink(os.path.join(folder, product[0]),
                       os.path.join(place, product[0]))
            futures.append(pool.submit(
                run, [options.tcgemm_run,
                      "--cases=" + write_cases(place, [product])] + EMULATOR))
        for kernel in {e.kernel for e in experiments}:
            with open(os.path.join(folder, kernel + ".ptx"), "w") as file:
                file.write(counter_kernels.make_ptx(kernel))
        metrics = pool.map(
            lambda item: emulate_experiment(options, folder, *item),
            enumerate(experiments))
        for experiment, values in zip(experiments, metrics):
            results[experiment.name] = values
        for future in futures:
            for found in get_profiles(future.result()):
                results.setdefault(found["kernel"], found["metrics"])
    return results


def compare(options):
    with open(options.file) as file:
        recorded = json.load(file)
    if recorded["packs"] != hash_file(options.packs):
        fail("the packs are not those recorded")
    for kernel, value in recorded["hashes"].items():
        if hash_kernel(kernel) != value:
            fail("kernel %s is not what was recorded" % kernel)
    emulated = emulate(options, recorded)
    launches = {name: dict(zip(recorded["metrics"], values))
                for part in ("kernels", "products")
                for name, values in recorded[part].items()}
    wrong = values = 0
    for name, measured in launches.items():
        if name not in emulated:
            fail("%s was recorded, and nothing here launches it" % name)
        for metric in METRICS:
            truth, count = measured.get(metric), emulated[name][metric]
            if truth is None:
                continue
            values += 1
            if abs(count - truth) <= options.limit / 100 * truth:
                continue
            wrong += 1
            print("DIFFERENT: %-36s %-66s ncu %9d  emulator %9d" %
                  (name, metric, truth, count))
    print("%d launches, %d counts, %d differ by more than %g %%" %
          (len(launches), values, wrong, options.limit))
    if options.table:
        print_table(launches, emulated)
    return 1 if wrong else 0


COLUMNS = [("wavefronts", WAVEFRONTS + ".sum"), ("conflicts", CONFLICTS + ".sum"),
           ("sectors loaded", SECTORS + "ld.sum"),
           ("sectors stored", SECTORS + "st.sum")]


def print_table(launches, emulated):
    """A row for each kernel, patterns summed up: `ncu / emulator`."""
    print("| Kernel | Launches | " + " | ".join(c for c, _ in COLUMNS) + " |")
    print("|---|" + "---|" * (len(COLUMNS) + 1))
    groups = {}
    for name in launches:
        groups.setdefault(name.split(" ")[0], []).append(name)
    for group, names in groups.items():
        cells = ["`%s`" % group, str(len(names))]
        for _, metric in COLUMNS:
            truth = sum(launches[n].get(metric) or 0 for n in names)
            count = sum(emulated[n][metric] for n in names)
            cells.append("%d / %d" % (truth, count))
        print("| " + " | ".join(cells) + " |")


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
    sub.add_argument("--metrics", help="comma-separated; default: those compared")
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
