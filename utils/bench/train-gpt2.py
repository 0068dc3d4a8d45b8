#!/usr/bin/env python3
"""Trains GPT-2 small by cuBLAS three times and by tcgemm once, and compares the losses.

  train-gpt2.py OUT.jsonl [OPTION...]
  train-gpt2.py --report OUT.jsonl

The model is GPT-2 small (12 layers, 12 heads, width 768, tied embeddings) in plain
PyTorch, without dropout. Weights are f32, and torch.autocast computes in bf16. AdamW,
gradients clipped to a norm of 1. Tokens are synthetic: with probability 0.6 the
successor of the last token by a fixed permutation, otherwise a draw from Zipf's
distribution. Initial weights and tokens are the same in all runs.

The runs of cuBLAS differ in what decides its algorithms: its heuristics (cublas 1),
cublasLt's instead (cublas 2), and no workspace, so that no sum is split (cublas 3).
PyTorch's attention adds in an order that changes from run to run, too. In the run of tcgemm all
torch.nn.Linear are replaced: the products, and the gradients of inputs, weights and biases
are its kernels, which the run checks by a profile of one step.

For each step, the spread is the range of the losses of the three runs of cuBLAS. The
report has the largest distance of tcgemm's loss to it. One more run of cuBLAS would also
leave the range of three at times: for comparison, the report has the largest distance of
each run to the range of two runs of cuBLAS (for cuBLAS, the other two). The exit code is
0 if tcgemm's distance to the range of two is at most the largest of a run of cuBLAS, 1 if
not, and 3 if runs are missing.

A run is a line of OUT.jsonl. A second call continues with the missing runs. Needs a GPU
and torch; PYTHONPATH and TCGEMM_LIBRARY as docs/guide/library.md says.
"""

import argparse
import itertools
import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import time

CUBLAS = ("cublas 1", "cublas 2", "cublas 3")
RUNS = CUBLAS + ("tcgemm",)
VOCABULARY, LAYERS, HEADS, WIDTH = 50257, 12, 12, 768
# The learning rate rises over 2,000 steps, as is usual for this model. If it rises
# within a few steps, the loss jumps, and runs diverge whatever computes them.
RATE, WARM_UP = 6e-4, 2000
# Rounded up, so that rows have a multiple of 16 bytes.
PADDED_VOCABULARY = 50304
# Kernels of products in libraries that PyTorch calls.
FOREIGN = re.compile(r"gemm|nvjet|xmma|gemv|splitKreduce", re.IGNORECASE)


# Data


def draw_tokens(torch, options):
    """Shape (steps, batch, length + 1)."""
    generator = torch.Generator().manual_seed(options.seed)
    count = options.steps * options.batch
    weights = 1 / (torch.arange(VOCABULARY, dtype=torch.float64) + 10)
    draws = torch.multinomial(weights, count * (options.length + 1),
                              replacement=True, generator=generator)
    draws = draws.reshape(count, options.length + 1)
    successors = torch.randperm(VOCABULARY, generator=generator)
    follows = torch.rand(count, options.length + 1, generator=generator) < 0.6
    tokens = draws.clone()
    for i in range(1, options.length + 1):
        tokens[:, i] = torch.where(follows[:, i], successors[tokens[:, i - 1]],
                                   draws[:, i])
    return tokens.reshape(options.steps, options.batch, options.length + 1)


# The model


def make_model(torch, length):
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
            self.attention = nn.Linear(WIDTH, WIDTH)
            self.fc = nn.Linear(WIDTH, 4 * WIDTH)
            self.proj = nn.Linear(4 * WIDTH, WIDTH)

        def attend(self, x):
            batch, length, _ = x.shape
            q, k, v = (part.view(batch, length, HEADS, -1).transpose(1, 2)
                       for part in self.qkv(x).split(WIDTH, dim=2))
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.attention(y.transpose(1, 2).reshape(batch, length, WIDTH))

        def forward(self, x):
            x = x + self.attend(self.norm1(x))
            hidden = functional.gelu(self.fc(self.norm2(x)), approximate="tanh")
            return x + self.proj(hidden)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens = nn.Embedding(PADDED_VOCABULARY, WIDTH)
            self.positions = nn.Embedding(length, WIDTH)
            self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
            self.norm = nn.LayerNorm(WIDTH)
            self.head = nn.Linear(WIDTH, PADDED_VOCABULARY, bias=False)
            for name, parameter in self.named_parameters():
                if parameter.dim() == 2:
                    scale = 0.02
                    if name.endswith(("attention.weight", "proj.weight")):
                        scale /= math.sqrt(2 * LAYERS)
                    nn.init.normal_(parameter, 0, scale)
                elif name.endswith("bias"):
                    nn.init.zeros_(parameter)
            self.head.weight = self.tokens.weight

        def forward(self, tokens, targets):
            positions = torch.arange(tokens.shape[1], device=tokens.device)
            x = self.tokens(tokens) + self.positions(positions)
            for block in self.blocks:
                x = block(x)
            logits = self.head(self.norm(x))
            return functional.cross_entropy(logits.flatten(0, 1).float(),
                                            targets.flatten())

    return Model()


# A run


def choose_algorithms(torch, name):
    if name == "cublas 2":
        torch.backends.cuda.preferred_blas_library("cublaslt")
    elif name == "cublas 3":
        os.environ.update(CUBLAS_WORKSPACE_CONFIG=":0:0", CUBLASLT_WORKSPACE_SIZE="0")


def make_optimizer(torch, model):
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() != 2]
    return torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1},
                              {"params": vectors, "weight_decay": 0.0}],
                             lr=RATE, betas=(0.9, 0.95))


def count_kernels(torch, step):
    """Calls of kernels in one step, by name, and how many of them are products of
    other libraries."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        step()
        torch.cuda.synchronize()
    counts = {event.key: event.count for event in profiled.key_averages()}
    foreign = {name[:120]: count for name, count in counts.items()
               if FOREIGN.search(name)
               and not re.search("flash|fmha|attention", name, re.IGNORECASE)}
    return {"kernels": sum(counts.values()), "foreign": foreign,
            "own": sum(count for name, count in counts.items()
                       if name.startswith("main_0"))}


def train(torch, name, options):
    choose_algorithms(torch, name)
    torch.manual_seed(options.seed)
    model = make_model(torch, options.length).to("cuda")
    if name == "tcgemm":
        import tcgemm.torch
        model = tcgemm.torch.replace_linears(model)
    optimizer = make_optimizer(torch, model)
    tokens = draw_tokens(torch, options).to("cuda")
    losses, times = [], []

    def step(number):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (number + 1) / WARM_UP)
        optimizer.zero_grad(set_to_none=True)
        batch = tokens[number]
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(batch[:, :-1], batch[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())

    result = {"run": name, "steps": options.steps, "batch": options.batch,
              "length": options.length, "seed": options.seed,
              "torch": torch.__version__, "date": time.strftime("%Y-%m-%d"),
              "device": torch.cuda.get_device_name()}
    profiled_step = min(3, options.steps - 1)
    for number in range(options.steps):
        start = time.monotonic()
        if number == profiled_step:
            # The step is the same; only its time is not counted.
            try:
                result["profile"] = count_kernels(torch, lambda: step(profiled_step))
            except Exception as error:
                result["profile"] = {"error": str(error)[:300]}
                if len(losses) == number:
                    step(number)
        else:
            step(number)
            times.append(time.monotonic() - start)
        if number % 20 == 0:
            print(name, number, losses[-1], flush=True)
    result.update(losses=losses, milliseconds=1000 * statistics.median(times))
    return result


def work(options):
    import torch
    result = train(torch, options.run, options)
    with open(options.out, "a", encoding="utf-8") as file:
        file.write(json.dumps(result) + "\n")


# All runs


def read_runs(options):
    """The last line of each run with these options."""
    runs = {}
    if os.path.exists(options.out):
        with open(options.out, encoding="utf-8") as file:
            for line in file:
                run = json.loads(line)
                if all(run[key] == getattr(options, key) for key in
                       ("steps", "batch", "length", "seed")):
                    runs[run["run"]] = run
    return runs


def start_run(options, name, seconds):
    command = [sys.executable, os.path.abspath(__file__), options.out, "--run", name]
    for key in ("steps", "batch", "length", "seed"):
        command += ["--" + key, str(getattr(options, key))]
    with open(options.out + ".log", "ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log,
                                   start_new_session=True)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            print("%s: no end in %d s" % (name, seconds), flush=True)
            return
    print("%s: %s" % (name, "done" if code == 0 else "exit code %d; see %s.log"
                      % (code, options.out)), flush=True)


def get_distance(loss, losses):
    """The distance of a loss to the range of others; infinite for NaN."""
    if math.isnan(loss):
        return math.inf
    return max(min(losses) - loss, loss - max(losses), 0)


def get_distances(run, others):
    return [get_distance(loss, losses) for loss, *losses in
            zip(run["losses"], *(other["losses"] for other in others))]


def report(options):
    runs = read_runs(options)
    for name, run in runs.items():
        print("%s: %s, PyTorch %s, %s; losses %.4f, %.4f, %.4f at steps 1, %d, %d; "
              "%.1f ms a step" % (
                  name, run["device"], run["torch"], run["date"], run["losses"][0],
                  run["losses"][run["steps"] // 2], run["losses"][-1],
                  run["steps"] // 2 + 1, run["steps"], run["milliseconds"]))
        if name == "tcgemm":
            print("  profile of a step: %s" % json.dumps(run["profile"]))
    missing = [name for name in RUNS if name not in runs]
    if missing:
        print("missing: " + ", ".join(missing))
        return 3
    cublas, ours = [runs[name] for name in CUBLAS], runs["tcgemm"]
    widths = [max(losses) - min(losses) for losses in
              zip(*(run["losses"] for run in cublas))]
    distances = get_distances(ours, cublas)
    largest = max(distances)
    print("spread of the three runs of cuBLAS: largest %.3g, mean %.3g" % (
        max(widths), statistics.fmean(widths)))
    print("tcgemm: in the spread at %d of %d steps; largest distance to it %.3g, at "
          "step %d" % (distances.count(0), len(distances), largest,
                       distances.index(largest) + 1))
    control = 0
    for run in cublas:
        distance = max(get_distances(run, [r for r in cublas if r is not run]))
        control = max(control, distance)
        print("%s: largest distance to the range of the other two %.3g" % (
            run["run"], distance))
    own = max(max(get_distances(ours, pair))
              for pair in itertools.combinations(cublas, 2))
    print("tcgemm: largest distance to the range of two %.3g" % own)
    print("within what runs of cuBLAS differ by: " + ("yes" if own <= control
                                                      else "no"))
    return 0 if own <= control else 1


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="the file of runs")
    parser.add_argument("--report", action="store_true",
                        help="print the report of the file, and run nothing")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--length", type=int, default=512,
                        help="tokens of a sequence (512)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=540,
                        help="seconds of all runs (540)")
    parser.add_argument("--run-limit", type=float, default=240,
                        help="seconds of a run (240)")
    parser.add_argument("--run", choices=RUNS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    for key in ("steps", "batch", "length"):
        if getattr(options, key) < 1:
            parser.error("--%s is %d, but must be at least 1"
                         % (key, getattr(options, key)))
    if options.run:
        return work(options)
    if not options.report:
        deadline, done = time.monotonic() + options.budget, read_runs(options)
        # The run of tcgemm is first, because it is the one that can fail.
        for name in reversed(RUNS):
            seconds = min(options.run_limit, deadline - time.monotonic())
            if name not in done and seconds > 0:
                start_run(options, name, seconds)
    return report(options)


if __name__ == "__main__":
    sys.exit(main())
