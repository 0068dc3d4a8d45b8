#!/usr/bin/env python3
"""Measures the loss for sizes without a record.

Draws sizes. For each, compares the configuration that shipped records and models
choose, or those of --records, with the best that tuning this size finds. `tcgemm-tune compare` measures both
interleaved. Prints a line for each size and the geometric mean of the loss. Needs a
Hopper GPU.

  utils/bench/nearest-cost.py --db=nearest.db --limit=200 > nearest.csv

Another run with the same database continues. Sizes beyond the time limit are
omitted, and the last line reports this.
"""
import argparse
import json
import math
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

# tcgemm-tune's exit code for a run that was interrupted.
INTERRUPTED = 130


def draw_sizes(options):
    """Sizes with uniform logarithms. Most are multiples of 8, one in `odd-every` is
    not. Products larger than `max_products` are drawn again."""
    source = random.Random(options.seed)

    def draw(low, high, is_odd):
        size = round(math.exp(source.uniform(math.log(low), math.log(high))))
        return size if is_odd or size < 8 else size // 8 * 8

    sizes = []
    while len(sizes) < options.count:
        is_odd = len(sizes) % options.odd_every == options.odd_every - 1
        m, n, k = (draw(1, 8192, is_odd), draw(64, 16384, is_odd),
                   draw(64, 16384, is_odd))
        if m * n * k <= options.max_products and (m, n, k) not in sizes:
            sizes.append((m, n, k))
    return sizes


def get_choice(options, size):
    """The configuration that tcgemm-run would choose, and its source."""
    m, n, k = size
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [options.tcgemm_run, "--m=%d" % m, "--n=%d" % n, "--k=%d" % k,
             "--chip=sm_90a", "--size-hint=%dx%dx%d" % size, "--plan",
             "--pipeline-options=format=ptx", "--save-pack=" + folder + "/pack",
             *(["--records=" + options.records] if options.records else [])],
            capture_output=True, text=True)
        if done.returncode:
            sys.exit("nearest-cost.py: tcgemm-run: " + done.stderr.strip())
        with open(folder + "/pack/manifest.json") as file:
            manifest = json.load(file)
    # The first variant is that for K = 0, which has the chosen configuration.
    config = manifest["kernels"][0]["variants"][0]["config"]
    answer = re.search(r"(?:records|logic) of [^,]*, (\w+)", done.stderr)
    return (re.fullmatch(r"#tcgemm.config<(.*)>", config)[1],
            answer[1] if answer else "default")


def tune(options, sizes, deadline):
    """Tunes all sizes in one run; returns whether it came to its end."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as problems:
        for size in sizes:
            problems.write("random %d %d %d\n" % size)
        problems.flush()
        process = subprocess.Popen(
            [options.tcgemm_tune, "--problems=" + problems.name,
             "--layout=tn", "--dtype=bf16", "--strategy=ranked",
             "--budget=%d" % options.budget, "--device=" + options.device,
             "--db=" + options.db] +
            (["--space=" + options.space] if options.space else []),
            stdout=sys.stderr)
        try:
            code = process.wait(timeout=max(1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            # The tuner records the current candidate and ends.
            process.send_signal(signal.SIGINT)
            code = process.wait()
    if code not in (0, 1, INTERRUPTED):
        sys.exit("nearest-cost.py: tcgemm-tune ended with %d" % code)
    return code != INTERRUPTED


def read_best(options):
    """The fastest recorded configuration of each size, as text."""
    done = subprocess.run([options.tcgemm_tune, "best", "--db=" + options.db,
                           "--format=jsonl"], capture_output=True, text=True)
    best = {}
    for record in map(json.loads, done.stdout.splitlines()):
        size = tuple(map(int, record["sizes"].split("x")))
        best[size] = record["config"]
    return best


def compare(options, choice, best, size):
    """The times of both, interleaved on the device. These records are not added to the
    database of tuning, because a tie could make the choice the best."""
    done = subprocess.run(
        [options.tcgemm_tune, "compare", choice, best, "%dx%dx%d" % size,
         "--layout=tn", "--dtype=bf16", "--db=" + options.db + ".compared",
         "--device=" + options.device, "--format=jsonl"],
        capture_output=True, text=True)
    if "both are the same configuration" in done.stderr:
        return None
    if done.returncode:
        sys.exit("nearest-cost.py: tcgemm-tune compare: " + done.stderr.strip())
    pair = json.loads(done.stdout.splitlines()[-1])
    for side in ("a", "b"):
        if pair[side]["outcome"] != "success":
            sys.exit("nearest-cost.py: %dx%dx%d: %s: %s" % (
                *size, pair[side]["config"], pair[side]["message"]))
    return pair["a"]["microseconds"], pair["b"]["microseconds"]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tcgemm-run", default="build/release/bin/tcgemm-run")
    parser.add_argument("--tcgemm-tune", default="build/release/bin/tcgemm-tune")
    parser.add_argument("--db", required=True, help="where tuning is recorded")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=2028)
    parser.add_argument("--odd-every", type=int, default=8,
                        help="one size in so many is no multiple of 8")
    parser.add_argument("--max-products", type=float, default=2e11,
                        help="largest M*N*K")
    parser.add_argument("--space", default="",
                        help="what is searched (what tcgemm-tune takes by itself)")
    parser.add_argument("--budget", type=int, default=24,
                        help="candidates a size; 0: --db has them")
    parser.add_argument("--limit", type=float, default=200,
                        help="seconds for everything")
    parser.add_argument("--records", default="",
                        help="a file of records or size logic, which is asked "
                        "before the shipped records")
    parser.add_argument("--list", action="store_true",
                        help="print sizes and choices; needs no device")
    return parser.parse_args()


def main():
    options = parse_options()
    begin = time.monotonic()
    sizes = draw_sizes(options)
    print("# seed %d, %d sizes, budget %d of %s" %
          (options.seed, len(sizes), options.budget,
           options.space or "the default spaces"))
    print("M,N,K,answer,chosen_us,tuned_us,cost,chosen,tuned")
    if not options.list and options.budget:
        # The remaining time is for the comparisons.
        tune(options, sizes, begin + 0.6 * options.limit)
    best = {} if options.list else read_best(options)
    costs = {}  # By the kind of answer.
    for size in sizes:
        choice, answer = get_choice(options, size)
        row = list(map(str, size)) + [answer]
        if options.list:
            print(",".join(row + ["", "", "", '"%s"' % choice, ""]))
            continue
        if size not in best or time.monotonic() - begin > options.limit:
            continue
        times = compare(options, choice, best[size], size)
        # The choice may be faster than the tuner's best.
        cost = max(1, times[0] / times[1]) if times else 1
        costs.setdefault(answer, []).append(cost)
        row += ["%.2f" % time for time in times] if times else ["", ""]
        print(",".join(row + ["%.3f" % cost, '"%s"' % choice,
                              '"%s"' % best[size]]), flush=True)
    def get_mean(values):
        return math.exp(sum(map(math.log, values)) / len(values))

    for answer, values in sorted(costs.items()):
        print("# geometric mean of the cost of %d answers '%s': %.3f" %
              (len(values), answer, get_mean(values)))
    everything = sum(costs.values(), [])
    if everything:
        print("# geometric mean of the cost over %d of %d sizes: %.3f" %
              (len(everything), len(sizes), get_mean(everything)))


if __name__ == "__main__":
    main()
