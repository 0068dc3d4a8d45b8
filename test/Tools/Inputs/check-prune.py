"""check-prune.py FILE.jsonl STRATEGY TRIED LOSS [PROBLEMS]: fails unless the strategy's
pruned replays tried at most the part TRIED of the candidates of each problem, and the best
of these is at most LOSS above the optimum. With PROBLEMS, there must be so many."""

import json
import sys

strategy, most, loss = sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
runs = [json.loads(line) for line in open(sys.argv[1])]
runs = [r for r in runs if r["strategy"] == strategy and "tried" in r]
if not runs or len(sys.argv) > 5 and len(runs) != int(sys.argv[5]):
    sys.exit(f"{len(runs)} problems were replayed by {strategy}")
bad = 0
for run in runs:
    part = run["tried"] / (run["tried"] + sum(run["pruned"].values()))
    text = f"{run['problem']}: {part:.3f} tried, loss {run['loss']}, {run['pruned']}"
    print(text)
    if part > most or run["loss"] is None or run["loss"] > loss:
        print(f"more than {most} tried, or more than {loss} lost: {text}")
        bad = 1
sys.exit(bad)
