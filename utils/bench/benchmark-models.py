#!/usr/bin/env python3
"""Measures MLP blocks in PyTorch with and without tcgemm's layers, end to end.

  benchmark-models.py OUT.jsonl [OPTION...]
  benchmark-models.py --table OUT.jsonl

The blocks have random weights in bf16: `llama-mlp` is down(silu(gate(x)) * up(x)) of
Llama 3 8B, `gpt2-mlp` is proj(gelu(fc(x))) of GPT-2 small, with biases and the tanh
approximation. A row is a block and a number of tokens. Its contenders are

  eager, default, max-autotune   the block: as it is, and by torch.compile
  replaced, replaced default     after replace_linears: as it is, and by torch.compile
  fused, fused default           after replace_linears(fuse=True)
  fused 1, fused 2               the same with one or two kernels for a gated layer
                                 (llama-mlp); they do not count for the ratio

Each contender runs in a CUDA graph of ten calls or more, over copies of the weights
that are together more than twice the L2. Rounds run all contenders in random order. Times
are medians over the rounds, for one call. The ratio is that of the fastest of the first
three to the fastest of the next four. Results are compared with the block in f32.

A row is a line of OUT.jsonl as soon as it is measured. A second run continues: it
measures rows that OUT.jsonl does not have, and those in which a contender has failed or a
time limit has ended, up to --tries times. A row whose results are wrong is never tried
again. Each row has a time limit, after which its process is ended. OUT.jsonl.log has the
output of processes, OUT.jsonl.tcgemm.log the configurations of tcgemm's kernels. Needs a
GPU, torch and triton; PYTHONPATH and TCGEMM_LIBRARY as docs/guide/library.md says.
"""

import argparse
import json
import math
import os
import random
import selectors
import signal
import statistics
import subprocess
import sys
import time
import traceback

BASELINES = ("eager", "default", "max-autotune")
OURS = ("replaced", "replaced default", "fused", "fused default")
VARIANTS = ("fused 1", "fused 2")
MODELS = ("llama-mlp", "gpt2-mlp")
TOKENS = (1, 16, 64, 256, 1024, 4096, 8192)
# Relative to the result in f32: the root mean square of the errors, and the largest
# error to the largest result. bf16 has 8 bits, and a block rounds three times.
MOST_RMS, MOST_LARGEST = 0.01, 0.03


# Blocks


def make_block(torch, name):
    nn, functional = torch.nn, torch.nn.functional

    class LlamaMLP(nn.Module):
        width = 4096

        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(4096, 14336, bias=False)
            self.up = nn.Linear(4096, 14336, bias=False)
            self.down = nn.Linear(14336, 4096, bias=False)

        def forward(self, x):
            return self.down(functional.silu(self.gate(x)) * self.up(x))

    class GPT2MLP(nn.Module):
        width = 768

        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(768, 3072)
            self.proj = nn.Linear(3072, 768)

        def forward(self, x):
            return self.proj(functional.gelu(self.fc(x), approximate="tanh"))

    with torch.device("cuda"):
        return {"llama-mlp": LlamaMLP, "gpt2-mlp": GPT2MLP}[name]()


class Weights:
    """Copies of a block's parameters. A model has one of them at a time.

    Models share Parameter objects, so that one change of their data serves all.
    """

    def __init__(self, torch, block):
        self.parameters = list(block.parameters())
        size = sum(p.numel() * p.element_size() for p in self.parameters)
        cache = torch.cuda.get_device_properties(0).L2_cache_size
        count = 1 if size > 2 * cache else math.ceil(2.2 * cache / size)
        self.sets = [[p.data for p in self.parameters]]
        for _ in range(count - 1):
            self.sets.append([p.data.clone() for p in self.parameters])

    def select(self, number):
        for parameter, data in zip(self.parameters,
                                   self.sets[number % len(self.sets)]):
            parameter.data = data


# One row


def make_contender(torch, block, name):
    """The function of a contender. The block and its parameters are shared."""
    import copy

    import tcgemm.torch
    mode = None
    # The layers are other objects with the same parameters.
    memo = {id(p): p for p in block.parameters()}
    model = copy.deepcopy(block, memo)
    kind, _, option = name.partition(" ")
    if kind in ("default", "max-autotune"):
        # The other modes capture CUDA graphs of their own.
        mode = {"default": "default",
                "max-autotune": "max-autotune-no-cudagraphs"}[kind]
    elif kind in ("replaced", "fused"):
        model = tcgemm.torch.replace_linears(model, fuse=kind == "fused")
        mode = "default" if option == "default" else None
        if option in ("1", "2"):
            for module in model.modules():
                if isinstance(module, tcgemm.torch.GatedLinear):
                    module.kernels = int(option)
    if not mode:
        return model
    return torch.compile(model, mode=mode, dynamic=False, fullgraph=True)


def compare(result, reference):
    error = (result.float() - reference).flatten()
    rms = (error.square().mean() / reference.square().mean()).sqrt().item()
    largest = (error.abs().max() / reference.abs().max()).item()
    finite = bool(result.isfinite().all().item())
    return {"rms": rms, "largest": largest,
            "right": finite and rms <= MOST_RMS and largest <= MOST_LARGEST}


def capture(torch, function, weights, x, calls):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for number in range(3):
            weights.select(number)
            function(x)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for number in range(calls):
            weights.select(number)
            out = function(x)
    graph.replay()
    torch.cuda.synchronize()
    return graph, out


def time_replays(torch, graph, count):
    """Microseconds of a replay."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(count):
        graph.replay()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1000 / count


def measure_rounds(torch, graphs, calls, rounds, seed):
    times = {name: [] for name in graphs}
    counts = {}
    for name, graph in graphs.items():
        time_replays(torch, graph, 2)
        # About 4 ms.
        counts[name] = max(1, round(4000 / time_replays(torch, graph, 2)))
    order, generator = list(graphs), random.Random(seed)
    for _ in range(rounds):
        generator.shuffle(order)
        for name in order:
            time_replays(torch, graphs[name], 1)  # Of other caches and clocks.
            times[name].append(time_replays(torch, graphs[name], counts[name])
                               / calls)
    return times


def measure_row(torch, model, tokens, options, state):
    """Fills `state`, which is written even if the row ends early."""
    torch.manual_seed(options.seed)
    # Otherwise the sizes of many rows exceed the limit of compilations.
    torch._dynamo.reset()
    torch.cuda.empty_cache()
    block = make_block(torch, model).eval()
    with torch.no_grad():
        for parameter in block.parameters():
            parameter.normal_(0, 0.02)
        block.to(torch.bfloat16)
        x = torch.randn(tokens, block.width, device="cuda", dtype=torch.bfloat16)
        reference = make_block(torch, model).eval()
        reference.load_state_dict({name: value.float() for name, value in
                                   block.state_dict().items()})
        reference = reference(x.float())
        weights = Weights(torch, block)
        calls = max(10, len(weights.sets))
        state.update(copies=len(weights.sets), calls=calls)
        graphs, names = {}, BASELINES + OURS
        functions = []  # Their kernels stay loaded while graphs have them.
        if model == "llama-mlp":
            names += VARIANTS
        for name in names:
            if name in options.without:
                continue
            start = time.monotonic()
            try:
                function = make_contender(torch, block, name)
                weights.select(0)
                errors = compare(function(x), reference)
                functions.append(function)
                graph, out = capture(torch, function, weights, x, calls)
                # All copies have the same values.
                captured = compare(out, reference)
                errors["right"] &= captured["right"]
                graphs[name] = graph
                state["errors"][name] = errors
            except Exception as error:
                state["failures"][name] = "%s: %s" % (
                    type(error).__name__, str(error)[:500])
                traceback.print_exc()
            state["seconds"][name] = round(time.monotonic() - start, 1)
            state.write(False)
        state["times"] = measure_rounds(torch, graphs, calls, options.rounds,
                                        options.seed)
    state.write(True)


class State(dict):
    """What is known of a row, for the process that started this one."""

    def __init__(self, pipe, **values):
        super().__init__(errors={}, failures={}, seconds={}, **values)
        self.pipe = pipe

    def write(self, done):
        print(json.dumps({**self, "done": done}), file=self.pipe, flush=True)


def get_conditions(torch):
    try:
        text = subprocess.run(
            ["nvidia-smi", "--query-gpu=clocks.sm,clocks.mem,power.draw,"
             "temperature.gpu,driver_version", "--format=csv,noheader"],
            capture_output=True, text=True, timeout=20).stdout.strip()
    except Exception as error:
        text = str(error)
    return {"device": torch.cuda.get_device_name(), "torch": torch.__version__,
            "cuda": torch.version.cuda, "gpu": text,
            "date": time.strftime("%Y-%m-%d")}


def work(options):
    """Measures the rows of --rows, one after the other."""
    import torch
    pipe = os.fdopen(options.pipe, "w")
    torch.backends.cuda.matmul.allow_tf32 = False  # The reference is in f32.
    for row in options.rows.split(","):
        model, tokens = row.split(":")
        state = State(pipe, model=model, tokens=int(tokens),
                      conditions=get_conditions(torch))
        state.write(False)
        try:
            measure_row(torch, model, int(tokens), options, state)
        except Exception as error:
            state["failures"]["row"] = "%s: %s" % (type(error).__name__,
                                                   str(error)[:500])
            traceback.print_exc()
            state.write(True)


# All rows


def read_rows(path):
    rows = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file if line.strip()]
    return rows


def is_wrong(row):
    return not all(errors["right"] for errors in row["errors"].values())


def is_complete(row):
    return "times" in row and not row["failures"]


def choose_rows(options):
    """The rows to measure, those without a line first."""
    before = read_rows(options.out)
    wanted = []
    for tokens in options.tokens:
        for model in options.models:
            tries = [row for row in before
                     if (row["model"], row["tokens"]) == (model, tokens)]
            done = any(is_complete(row) or is_wrong(row) for row in tries)
            if not done and len(tries) < options.tries:
                wanted.append((len(tries), model, tokens))
    return [(model, tokens) for _, model, tokens in
            sorted(wanted, key=lambda each: each[0])]


def start_worker(options, rows, log):
    read, write = os.pipe()
    command = [sys.executable, os.path.abspath(__file__), options.out,
               "--worker", "--pipe", str(write), "--rows",
               ",".join("%s:%d" % row for row in rows),
               "--rounds", str(options.rounds), "--seed", str(options.seed),
               "--without", ",".join(options.without)]
    environment = dict(os.environ)
    environment.setdefault("TCGEMM_LOG", options.out + ".tcgemm.log")
    if options.cache:
        environment["TORCHINDUCTOR_CACHE_DIR"] = os.path.abspath(options.cache)
        environment["TORCHINDUCTOR_FX_GRAPH_CACHE"] = "1"
        environment["TRITON_CACHE_DIR"] = os.path.join(
            os.path.abspath(options.cache), "triton")
    process = subprocess.Popen(command, pass_fds=[write], env=environment,
                               stdout=log, stderr=log, start_new_session=True)
    os.close(write)
    return process, os.fdopen(read, "rb", buffering=0)


def stop_worker(process):
    """Also its processes that compile."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def finish_row(options, state, reason=None):
    state = {key: value for key, value in state.items() if key != "done"}
    if reason:
        state["failures"]["row"] = reason
    with open(options.out, "a", encoding="utf-8") as file:
        file.write(json.dumps(state) + "\n")
    print("%s, %d tokens: %s" % (state["model"], state["tokens"],
                                 describe_row(state)), flush=True)


def describe_row(row):
    if "times" not in row:
        return "; ".join(row["failures"].values()) or "no times"
    return ", ".join("%s %.2f us" % (name, statistics.median(times))
                     for name, times in row["times"].items())


def follow_worker(options, process, pipe, rows, deadline):
    """Writes rows until the worker ends or is ended. Returns those that are left."""
    rest, buffer, current = list(rows), b"", None
    limit = time.monotonic() + options.row_limit + options.start_limit
    selector = selectors.DefaultSelector()
    selector.register(pipe, selectors.EVENT_READ)
    reason = None
    while reason is None:
        wait = min(limit, deadline) - time.monotonic()
        if wait <= 0:
            reason = ("the time of the run was over" if limit > deadline
                      else "no end in %d s" % options.row_limit)
            break
        if not selector.select(timeout=min(wait, 5)):
            continue
        data = os.read(pipe.fileno(), 1 << 20)
        if not data:
            reason = "the process ended"
            break
        *lines, buffer = (buffer + data).split(b"\n")
        for line in lines:
            state = json.loads(line)
            key = (state["model"], state["tokens"])
            if current is None or key != (current["model"], current["tokens"]):
                limit = time.monotonic() + options.row_limit
            current = state
            if state["done"]:
                finish_row(options, state)
                rest.remove(key)
                current = None
                limit = (time.monotonic() + options.row_limit
                         + options.start_limit)
    stop_worker(process)
    if current:
        if time.monotonic() < deadline:  # Otherwise it is not the row's failure.
            finish_row(options, current, reason)
            rest.remove((current["model"], current["tokens"]))
    elif rest and reason == "the process ended" and rest == list(rows):
        raise SystemExit("benchmark-models: the process ended before its first "
                         "row; %s.log has its output" % options.out)
    return rest


def run(options):
    rows, deadline = choose_rows(options), time.monotonic() + options.budget
    with open(options.out + ".log", "ab") as log:
        while rows and time.monotonic() < deadline:
            process, pipe = start_worker(options, rows, log)
            with pipe:
                rows = follow_worker(options, process, pipe, rows, deadline)
    print_table(options.out)
    if rows:
        print("\nnot measured: " + ", ".join("%s %d" % row for row in rows))
        return 3
    return 0


# The table


def find_fastest(row, names):
    known = [(statistics.median(row["times"][name]), name) for name in names
             if name in row["times"] and row["errors"][name]["right"]]
    return min(known) if known else None


def print_table(path):
    best = {}
    for row in read_rows(path):
        key = (row["model"], row["tokens"])
        # The last one with most contenders.
        if key not in best or (len(row.get("times", {}))
                               >= len(best[key].get("times", {}))):
            best[key] = row
    ratios = {}
    for model in MODELS:
        rows = [best[key] for key in sorted(best) if key[0] == model]
        if not rows:
            continue
        print("\n%s, %s, %s, PyTorch %s. Times in us, medians." % (
            model, rows[0]["conditions"]["device"], rows[0]["conditions"]["date"],
            rows[0]["conditions"]["torch"]))
        names = [name for name in BASELINES + OURS + VARIANTS
                 if any(name in row.get("times", {}) for row in rows)]
        print("\n| tokens | " + " | ".join(names)
              + " | ratio | errors, baseline and tcgemm | notes |")
        print("|---" * (len(names) + 4) + "|")
        for row in rows:
            print_row(row, names, ratios.setdefault(model, []))
        print("| geometric mean" + " |" * len(names) + " | "
              + mean_text(ratios[model]) + " | | |")
    everything = [ratio for each in ratios.values() for ratio in each]
    print("\ngeometric mean of all %d rows: %s" % (len(everything),
                                                   mean_text(everything)))


def mean_text(ratios):
    if not ratios:
        return "none"
    return "%.3f" % math.exp(sum(map(math.log, ratios)) / len(ratios))


def print_row(row, names, ratios):
    times = row.get("times", {})
    cells = ["%.2f" % statistics.median(times[name]) if name in times else "-"
             for name in names]
    notes = ["%s: %s" % (name, text.split("\n")[0][:80])
             for name, text in row["failures"].items()]
    notes += ["%s is wrong" % name for name, errors in row["errors"].items()
              if not errors["right"]]
    theirs = ours = None
    if times:
        theirs, ours = find_fastest(row, BASELINES), find_fastest(row, OURS)
    ratio = errors = "-"
    if theirs and ours:
        # Rows without all baselines have no ratio: the missing one may be fastest.
        if all(name in times for name in BASELINES):
            ratios.append(theirs[0] / ours[0])
            ratio = "%.3f" % ratios[-1]
        errors = "%.4f, %.4f" % tuple(row["errors"][name]["rms"]
                                      for _, name in (theirs, ours))
    print("| %d | %s | %s | %s | %s |" % (row["tokens"], " | ".join(cells), ratio,
                                          errors, "; ".join(notes)))


def read_options():
    def read_numbers(text):
        return [int(word) for word in text.split(",")]

    def read_models(text):
        for word in text.split(","):
            if word not in MODELS:
                raise argparse.ArgumentTypeError(
                    "'%s' is none of %s" % (word, ", ".join(MODELS)))
        return text.split(",")

    def read_names(text):
        names = [word for word in text.split(",") if word]
        for word in names:
            if word not in BASELINES + OURS + VARIANTS:
                raise argparse.ArgumentTypeError(
                    "'%s' is none of %s" % (
                        word, ", ".join(BASELINES + OURS + VARIANTS)))
        return names

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="the file of rows")
    parser.add_argument("--table", action="store_true",
                        help="print the table of the file, and measure nothing")
    parser.add_argument("--models", type=read_models, default=list(MODELS))
    parser.add_argument("--tokens", type=read_numbers, default=list(TOKENS))
    parser.add_argument("--budget", type=float, default=540,
                        help="seconds of the whole run (540)")
    parser.add_argument("--row-limit", type=float, default=240,
                        help="seconds of a row (240)")
    parser.add_argument("--start-limit", type=float, default=90,
                        help="seconds until a process begins its first row (90)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tries", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", help="a folder for compilations of "
                        "torch.compile, which other runs find there")
    parser.add_argument("--without", type=read_names, default=[],
                        help="contenders to leave out, separated by commas")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--pipe", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--rows", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = read_options()
    if options.worker:
        return work(options)
    if options.table:
        return print_table(options.out)
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
