"""The command `compare` of counters.py."""

import concurrent.futures
import hashlib
import json
import os
import re
import tempfile

import counter_kernels
import npy_files
from counter_products import (PRODUCTS, fail, hash_file, run, unpack,
                              write_cases)

CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
METRICS = [CONFLICTS + ".sum", CONFLICTS + "_op_ld.sum",
           CONFLICTS + "_op_st.sum", CONFLICTS + "_op_ldgsts.sum",
           WAVEFRONTS + ".sum", WAVEFRONTS + "_op_ld.sum",
           WAVEFRONTS + "_op_st.sum", SECTORS + "ld.sum", SECTORS + "st.sum"]

# A part of ncu's sum of wavefronts that the emulator does not count: instructions
# that ptxas adds, and reads of special registers.
MISC = WAVEFRONTS + "_op_misc.sum"

# Launches, metrics, and why those cannot be compared.
LEFT_OUT = [
    (r"cg16\S* (by128|same|halves)", SECTORS,
     "copies, some the next repetition's, write the same bytes: a race, of "
     "which the GPU drops the losers"),
    (r"ca\d+ \S+ <- (by64|by128|by512|far2)$", CONFLICTS,
     "varies where lines miss L1; `_again` has them hit it"),
    (r"cg16_part by16 eight$", CONFLICTS + "|" + WAVEFRONTS,
     "what L2 sends contends with the zeros for banks: varies"),
    (r"(default|tt|cut_rows|sectors|warps_k)_0_main$", CONFLICTS,
     "what L2 sends contends with ldmatrix for banks: varies"),
    (r"packing_0_main$", CONFLICTS + "|" + WAVEFRONTS + r"\.",
     "likewise, and by so much that the sum of wavefronts varies"),
    (r"by4_0_copy_4$", CONFLICTS + "|" + WAVEFRONTS + r"\.",
     "depends on which lines L1 looks up at once, by sets not all known"),
    (r"red_inc ", CONFLICTS + "|" + WAVEFRONTS,
     "ptxas makes them count lanes (ATOMS.POPC.INC)"),
]


def hash_kernel(name):
    text = counter_kernels.make_ptx(name)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def get_profiles(text):
    profiles = []
    for line in text.splitlines():
        item = json.loads(line)
        for owner in [item] + item.get("launches", []):
            profiles += owner.get("profiles", [])
    return profiles


EMULATOR = ["--device=emulator", "--checks=none", "--profile", "--no-verify",
            "--format=json", "--emulator-threads=1"]


def emulate_experiment(options, folder, index, experiment):
    source = os.path.join(folder, experiment.kernel + ".ptx")
    table = os.path.join(folder, "table%d.npy" % index)
    words = experiment.table()
    npy_files.write_bytes(table, "<i4", (len(words) // 4,), words)
    text = run([options.tcgemm_run, source, "--grid=%d" % experiment.grid,
                "--block=%d" % (32 * experiment.warps),
                "--arg=inout:u32[%d]:constant:0" % counter_kernels.GLOBAL_WORDS,
                "--arg=in:i32[128]:" + table] + EMULATOR)
    return get_profiles(text)[0]["metrics"]


def emulate(options, recorded):
    """The emulator's metrics of the recorded launches, by name."""
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


def get_measured(recorded):
    """By launch and metric; None if ncu has no value, or if it is left out."""
    launches = {}
    for part in ("kernels", "products"):
        for name, values in recorded[part].items():
            row = dict(zip(recorded["metrics"], values))
            row[WAVEFRONTS + ".sum"] -= row[MISC]
            for launch, metrics, _ in LEFT_OUT:
                if re.match(launch, name):
                    row.update((metric, None) for metric in METRICS
                               if re.match(metrics, metric))
            launches[name] = {metric: row[metric] for metric in METRICS}
    return launches


def compare(options):
    with open(options.file) as file:
        recorded = json.load(file)
    if recorded["packs"] != hash_file(options.packs):
        fail("the packs are not those recorded")
    for kernel, value in recorded["hashes"].items():
        if hash_kernel(kernel) != value:
            fail("kernel %s is not what was recorded" % kernel)
    emulated = emulate(options, recorded)
    launches = get_measured(recorded)
    wrong = values = left = 0
    for name, measured in launches.items():
        if name not in emulated:
            fail("%s was recorded, and nothing here launches it" % name)
        for metric, truth in measured.items():
            if truth is None:
                left += 1
                continue
            values += 1
            count = emulated[name][metric]
            if abs(count - truth) <= options.limit / 100 * truth:
                continue
            wrong += 1
            print("DIFFERENT: %-36s %-66s ncu %9d  emulator %9d" %
                  (name, metric, truth, count))
    print("%d launches, %d counts (%d left out), %d differ by more than %g %%" %
          (len(launches), values, left, wrong, options.limit))
    if options.table:
        print_table(launches, emulated)
    return 1 if wrong else 0


COLUMNS = [("Wavefronts", WAVEFRONTS + ".sum"),
           ("Conflicts", CONFLICTS + ".sum"),
           ("Sectors loaded", SECTORS + "ld.sum"),
           ("Sectors stored", SECTORS + "st.sum")]


def print_table(launches, emulated):
    """A row for each kernel, patterns summed up: ncu's counts, and how much
    more the emulator's are where they differ."""
    print("| Kernel | Launches | " + " | ".join(c for c, _ in COLUMNS) + " |")
    print("|---|" + "---:|" * (len(COLUMNS) + 1))
    groups = {}
    for name in launches:
        groups.setdefault(name.split(" ")[0], []).append(name)
    for group, names in groups.items():
        cells = ["`%s`" % group, str(len(names))]
        for _, metric in COLUMNS:
            compared = [n for n in names if launches[n][metric] is not None]
            truth = sum(launches[n][metric] for n in compared)
            count = sum(emulated[n][metric] for n in compared)
            cell = "%d" % truth if compared else "-"
            if len(names) > len(compared) > 0:
                cell += " (of %d)" % len(compared)
            if count != truth:
                cell += " / %d, %+.2f %%" % (count, 100 * (count / truth - 1)
                                            if truth else 100)
            cells.append(cell)
        print("| " + " | ".join(cells) + " |")
