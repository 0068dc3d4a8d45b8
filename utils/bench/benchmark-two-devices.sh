#!/bin/sh
# Tunes a list of problems on one GPU and on all GPUs of a host, and compares times and
# winners. Needs at least two GPUs of one model, and ptxas.
#
#   utils/bench/benchmark-two-devices.sh [OPTION...] RESULT.txt
#
#   -l LIST     a file or shipped list of problems (suite)
#   -n COUNT    problems: every k-th of the list, so that COUNT of them remain (16)
#   -b BUDGET   candidates for each problem (24)
#   -s SPACES   searched spaces (wgmma-quick)
#   -f COUNT    finalists, which are measured again, interleaved (4)
#   -j COUNT    compilers at a time (the number of cores)
#   -t SECONDS  limit of each of the two searches (240); a search that reaches it fails
#   -d DEVICES  the devices of the second search (cuda:all)
#   -r RATIO    the highest ratio of the times (0.55)
#   -c FLAGS    more flags of the compilation (none)
#   -x TCGEMM_TUNE (build/release/bin/tcgemm-tune)
#   -k FOLDER   the databases are kept there (a temporary folder, removed)
#
# Everything is compiled before, in a search of its own, so that the two times are those of
# devices. Both searches have the same candidates: the first BUDGET ones in the order of the
# model (--strategy=estimated). RESULT.txt gets the times, their ratio, and for each
# problem whether the two winners are the same, a tie, or differ. Two winners are timed
# in turns on each GPU, because GPUs of one model differ. They differ if the same one is
# faster on all GPUs, by more than 1 % and with 95 % intervals that do not overlap. The
# exit code is 1 if the ratio is too high or a winner differs.
set -u
LIST=suite
COUNT=16
BUDGET=24
SPACES=wgmma-quick
FINALISTS=4
JOBS=$(nproc)
LIMIT=240
DEVICES=cuda:all
RATIO=0.55
TUNE=build/release/bin/tcgemm-tune
KEEP=
COMPILE=
while getopts l:n:b:s:f:j:t:d:r:c:x:k: option; do
  case $option in
  l) LIST=$OPTARG ;;
  n) COUNT=$OPTARG ;;
  b) BUDGET=$OPTARG ;;
  s) SPACES=$OPTARG ;;
  f) FINALISTS=$OPTARG ;;
  j) JOBS=$OPTARG ;;
  t) LIMIT=$OPTARG ;;
  d) DEVICES=$OPTARG ;;
  r) RATIO=$OPTARG ;;
  c) COMPILE=$OPTARG ;;
  x) TUNE=$OPTARG ;;
  k) KEEP=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -ne 1 ]; then
  echo "usage: benchmark-two-devices.sh [OPTION...] RESULT.txt" >&2
  exit 2
fi
RESULT=$1
FOLDER=${KEEP:-$(mktemp -d)}
mkdir -p "$FOLDER"
[ -n "$KEEP" ] || trap 'rm -rf "$FOLDER"' EXIT

fail() {
  echo "benchmark-two-devices.sh: $*" >&2
  exit 1
}

[ -f "$LIST" ] || LIST=$(dirname "$0")/../../tuning/$LIST.txt
[ -f "$LIST" ] || fail "there is no list '$LIST'"
grep -v -e '^#' -e '^$' "$LIST" |
  awk -v count="$COUNT" '{ line[NR] = $0 }
    END { step = NR > count ? NR / count : 1
          for (i = 0; int(i * step) < NR; ++i) print line[int(i * step) + 1] }' \
    > "$FOLDER/problems.txt"

search() {
  timeout "$LIMIT" "$TUNE" --problems="$FOLDER/problems.txt" --space="$SPACES" \
    --strategy=estimated --budget="$BUDGET" --finalists="$FINALISTS" --jobs="$JOBS" \
    "$@" < /dev/null
}

# The chip of the devices, as the search of a first candidate finds it.
"$TUNE" 256x256x256 --budget=1 --finalists=0 --device=cuda:0 --db="$FOLDER/chip.db" \
  > /dev/null < /dev/null || fail "no candidate runs on cuda:0"
CHIP=$("$TUNE" best --db="$FOLDER/chip.db" --format=jsonl |
  sed -n 's/.*"chip":"\([^"]*\)".*/\1/p' | head -n 1)
[ -n "$CHIP" ] || fail "the chip of cuda:0 is not known"
BEGIN=$(date +%s)
# shellcheck disable=SC2086
search --compile-only --chip="$CHIP" $COMPILE --db="$FOLDER/one.db" > /dev/null ||
  fail "the compilation failed"
COMPILED=$(($(date +%s) - BEGIN))
cp "$FOLDER/one.db" "$FOLDER/all.db"
cp -r "$FOLDER/one.db.binaries" "$FOLDER/all.db.binaries"

time_search() {
  begin=$(date +%s.%N)
  search --no-compile --device="$1" --db="$2" > "$2.txt" ||
    fail "the search on $1 failed; its output is in $2.txt"
  echo "$begin $(date +%s.%N)" | awk '{ printf "%.2f", $2 - $1 }'
}
ONE=$(time_search cuda:0 "$FOLDER/one.db") || exit 1
ALL=$(time_search "$DEVICES" "$FOLDER/all.db") || exit 1

for name in one all; do
  "$TUNE" best --db="$FOLDER/$name.db" --format=jsonl > "$FOLDER/$name.jsonl" ||
    fail "the records of $name.db cannot be read"
done
python3 - "$TUNE" "$FOLDER" "$ONE" "$ALL" "$COMPILED" "$RATIO" "$DEVICES" > "$RESULT" << 'END'
import itertools
import json
import subprocess
import sys

tune, folder, one, both, compiled, most, devices = sys.argv[1:]
TIE = 0.01  # Winners whose times differ by no more are a tie.
NO_DEVICE = 3  # The exit code.


def read(name):
    records = {}
    with open("%s/%s.jsonl" % (folder, name), encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            records[record["kernel"] + " " + record["sizes"]] = record
    return records


def show(record):
    return "%.2f us [%.2f, %.2f]" % (record["microseconds"], record["low"],
                                     record["high"])


def compare(first, second):
    """Which of two winners is faster, -1, 0 (a tie) or 1, timed in turns on each GPU,
    and a text with the times."""
    types = first["kernel"].split()
    signs, texts = set(), []
    listed = devices[len("cuda:"):].split(",")
    ordinals = (sorted({0} | set(map(int, listed)))
                if all(number.isdigit() for number in listed)
                else itertools.count())
    for device in ordinals:
        answer = subprocess.run(
            [tune, "compare", first["config"], second["config"], first["sizes"],
             "--device=cuda:%d" % device, "--db=%s/again-%d.db" % (folder, device),
             "--format=jsonl", "--dtype=" + types[0], "--layout=" + types[1],
             "--out-type=" + types[2], "--epilogue=" + types[3]],
            stdout=subprocess.PIPE, text=True)
        if answer.returncode == NO_DEVICE and device > 0:
            break
        answer.check_returncode()
        pair = json.loads(answer.stdout)
        a, b = pair["a"], pair["b"]
        if a["outcome"] != "success" or b["outcome"] != "success":
            sys.exit("%s: a winner fails in turns on cuda:%d" % (first["sizes"], device))
        texts.append("%s and %s on cuda:%d" % (show(a), show(b), device))
        low, high = sorted((a["microseconds"], b["microseconds"]))
        overlap = a["low"] <= b["high"] and b["low"] <= a["high"]
        tie = overlap or high <= low * (1 + TIE)
        signs.add(0 if tie else -1 if a["microseconds"] < b["microseconds"] else 1)
    return signs.pop() if len(signs) == 1 else 0, "; ".join(texts)


first, second = read("one"), read("all")
ratio = float(both) / float(one)
print("device %s, driver %s" % next(
    (record["device"], record["driver"]) for record in first.values()))
print("compilation %s s; cuda:0 %s s, %s %s s: ratio %.3f (at most %s)"
      % (compiled, one, devices, both, ratio, most), flush=True)
counts = {"same": 0, "tie": 0, "different": 0}
for problem in sorted(set(first) | set(second)):
    if problem not in first or problem not in second:
        counts["different"] += 1
        print("%s: only one search has a winner" % problem)
        continue
    a, b = first[problem], second[problem]
    line = "%s and %s" % (show(a), show(b))
    if a["config"] == b["config"]:
        kind = "same"
    else:
        faster, times = compare(a, b)
        line += ", in turns " + times
        kind = "different" if faster else "tie"
    counts[kind] += 1
    print("%s: %s, %s" % (problem, kind, line), flush=True)
print("%d problems: %d same, %d ties, %d different"
      % (sum(counts.values()), counts["same"], counts["tie"], counts["different"]))
sys.exit(ratio > float(most) or counts["different"] > 0)
END
CODE=$?
cat "$RESULT"
exit $CODE
