#!/usr/bin/env python3
"""Compares the results of two devices: an emulator and a GPU.

  compare_devices.py collect --cases DIR/cases.jsonl --count 200 --out FILE
  compare_devices.py record  --file FILE --tcgemm-run PATH [--device cuda]
  compare_devices.py compare --file FILE --tcgemm-run PATH [--jobs 2]

`collect` writes kernels and cases of random_cases.py, one case for each kernel, to
one file of JSON lines. The file includes MLIR and configurations, so that later
changes to the generator do not matter. `record` runs the cases and adds the
device's results to the file: a hash of every output, and a sample of its elements.
`compare` runs them again on the emulator and compares the results: by equality if
operands are small integers, whose sums are exact. Otherwise |x - y| may be up to
one ulp of the result's type at the output's largest magnitude. It ends with 1 if
there is a difference.
"""

import argparse
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile

# A unit in the last place, relative to the largest magnitude.
UNITS = {"bf16": 2.0 ** -7, "f16": 2.0 ** -10, "f32": 2.0 ** -17}


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def write(path, records):
    with open(path, "w") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def collect(options):
    """One case of each kernel; alternates between integers and others."""
    folder = os.path.dirname(os.path.abspath(options.cases))
    sources = {}
    for name in sorted(os.listdir(os.path.join(folder, "kernels"))):
        sources[name.split("_")[0]] = os.path.join(folder, "kernels", name)
    by_pack = {}
    for case in read(options.cases):
        by_pack.setdefault(os.path.basename(case["pack"]), []).append(case)
    records = []
    for pack, cases in sorted(by_pack.items()):
        if len(records) == options.count:
            break
        with open(sources[pack]) as file:
            command, _, text = file.read().partition("\n")
        flags = [word for word in shlex.split(command.lstrip("/ "))[2:]
                 if not word.startswith(("--save-pack=", "--pipeline-options="))]
        # Prefers integers, which are compared by equality.
        case = next((c for c in cases if c["fill"] == "int"), cases[0])
        if len(records) % 4 == 3 and not options.integers:
            case = next((c for c in cases if c["fill"] != "int"), cases[0])
        if options.integers and case["fill"] != "int":
            continue
        records.append({"mlir": text, "flags": flags, "case": case})
    write(options.out, records)
    print("%d kernels, %d with integers" % (
        len(records), sum(r["case"]["fill"] == "int" for r in records)))


def build(options, folder, index, record):
    """Compiles one kernel; its case, with the pack's place."""
    source = os.path.join(folder, "k%04d.mlir" % index)
    pack = os.path.join(folder, "k%04d" % index)
    with open(source, "w") as file:
        file.write(record["mlir"])
    command = [options.tcgemm_run, source, "--save-pack=" + pack]
    # Kernels that spill are as good as others here.
    command += record["flags"] + ["--pipeline-options=allow-spills format=" +
                                  options.code]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit("compare_devices.py: %s\n%s" % (shlex.join(command),
                                                 done.stdout[-2000:]))
    return dict(record["case"], pack=pack, id=str(index))


def run_slice(options, folder, cases, number):
    """Runs some of the cases in one process; outputs by the case's number."""
    path = os.path.join(folder, "cases%d.jsonl" % number)
    write(path, cases)
    command = [options.tcgemm_run, "--cases=" + path, "--format=json",
               "--device=" + options.device]
    if options.device == "emulator":
        command.append("--emulator-threads=1")
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    results = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if "tag" in record:
            results[int(record["tag"])] = record
    return results


def run(options, records):
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        cases = list(pool.map(
            lambda item: build(options, folder, item[0], item[1]),
            enumerate(records)))
        slices = options.jobs if options.device == "emulator" else 1
        parts = [cases[i::slices] for i in range(slices)]
        results = {}
        for part in pool.map(
                lambda item: run_slice(options, folder, item[1], item[0]),
                enumerate(parts)):
            results.update(part)
    return [results.get(i) for i in range(len(records))]


def get_outputs(result):
    return [o for launch in result["launches"] for o in launch["outputs"]]


def record(options):
    records = read(options.file)
    for item, result in zip(records, run(options, records)):
        if not result or result["status"] != "pass":
            sys.exit("compare_devices.py: %s: %s" % (item["case"], result))
        item["outputs"] = get_outputs(result)
    write(options.file, records)
    print("%d cases recorded" % len(records))


def difference(want, got):
    """The largest difference of two samples, in units in the last place."""
    worst = 0.0
    for x, y in zip(want["sample"], got["sample"]):
        if isinstance(x, str) or isinstance(y, str):  # inf and nan
            worst = worst if x == y else float("inf")
        else:
            worst = max(worst, abs(x - y))
    if not worst:
        return 0.0
    largest = max(want["largest"], 1e-30)
    return worst / (UNITS[want["type"]] * largest)


def compare(options):
    records = read(options.file)
    equal = different = wrong = 0
    worst = 0.0
    for index, (item, result) in enumerate(zip(records,
                                               run(options, records))):
        name = "case %d (%s)" % (index, item["case"]["id"])
        if not result or result["status"] != "pass":
            print("FAILURE: %s: %s" % (name, json.dumps(result)))
            wrong += 1
            continue
        for want, got in zip(item["outputs"], get_outputs(result)):
            if want["hash"] == got["hash"]:
                equal += 1
                continue
            units = difference(want, got)
            worst = max(worst, units)
            different += 1
            if item["case"]["fill"] == "int" or units > 1:
                print("FAILURE: %s: %s differs by %.3g units" %
                      (name, want["name"], units))
                wrong += 1
    print("%d cases; outputs: %d equal bit for bit, %d within %.3g units in the "
          "last place, %d wrong" % (len(records), equal, different, worst, wrong))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    sub = commands.add_parser("collect")
    sub.add_argument("--cases", required=True)
    sub.add_argument("--count", type=int, default=200)
    sub.add_argument("--out", required=True)
    sub.add_argument("--integers", action="store_true",
                     help="only kernels that have a case with integers")
    for name in ("record", "compare"):
        sub = commands.add_parser(name)
        sub.add_argument("--file", required=True)
        sub.add_argument("--tcgemm-run", required=True)
        sub.add_argument("--device", default="cuda" if name == "record"
                         else "emulator")
        sub.add_argument("--code", choices=("ptx", "cubin"),
                         default="cubin" if name == "record" else "ptx")
        sub.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    return {"collect": collect, "record": record,
            "compare": compare}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
