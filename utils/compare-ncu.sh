#!/bin/sh
# Compares what the emulator counts with what ncu counts on a GPU.
#
#   utils/compare-ncu.sh [-r TCGEMM_RUN] [-l PERCENT] [-k KERNEL]... [OPTION...]
#
# OPTION... is passed to tcgemm-run: a pack, an MLIR file or the sizes of a
# product, or a PTX file with its launch. KERNEL restricts ncu to kernels of
# these names (all that the emulator has profiled, if there is none). Without
# options the kernels of utils/ncu-kernels.ptx are run. Counts that differ by
# more than PERCENT (2) are marked, and then the exit code is 1.
#
#   utils/compare-ncu.sh --m 512 --n 512 --k 2048
#   utils/compare-ncu.sh pack-directory --shape A=512x2048 --shape B=512x2048
#
# Needs ncu, the right to read counters, and Python 3.
set -eu
here=$(dirname "$0")
run=$here/../build/release/bin/tcgemm-run
limit=2
kernels=
while [ $# -gt 1 ]; do
  case $1 in
  -r) run=$2 ;;
  -l) limit=$2 ;;
  -k) kernels="$kernels $2" ;;
  *) break ;;
  esac
  shift 2
done

ncu=${NCU:-ncu}
# The sass_ counters are counted by instrumented code: without what the L1's
# other clients do to the counters of the hardware.
metrics='smsp__inst_executed.sum
smsp__thread_inst_executed.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
lts__t_bytes_op_read.sum
lts__t_bytes_op_write.sum
dram__bytes_read.sum
dram__bytes_write.sum'
# What this ncu does not know would fail all of them.
known=$("$ncu" --query-metrics-mode suffix --metrics \
  "$(echo "$metrics" | sed 's/\.sum$//' | paste -sd, -)" 2>/dev/null || true)
if [ -n "$known" ]; then
  metrics=$(echo "$metrics" | while read -r metric; do
    echo "$known" | grep -qF "${metric%.sum}" && echo "$metric"
  done)
fi
metrics=$(echo "$metrics" | paste -sd, -)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# name, then options of tcgemm-run
compare() {
  name=$1
  shift
  "$run" "$@" --device=emulator --checks=none --profile --no-verify \
    --format=json >"$work/emulator.json"
  # A line a problem; profiles are its own (PTX files) or its launches'.
  python3 - "$work/emulator.json" >"$work/profiles.json" <<'PYTHON'
import json, sys

profiles = []
for line in open(sys.argv[1]):
    record = json.loads(line)
    for owner in [record] + record.get("launches", []):
        profiles += owner.get("profiles", [])
json.dump(profiles, sys.stdout)
PYTHON
  wanted=${kernels:-$(python3 -c '
import json, sys
print(*{p["kernel"] for p in json.load(open(sys.argv[1]))})' \
    "$work/profiles.json")}
  pattern=$(echo $wanted | sed 's/ /|/g')
  "$ncu" --csv --page raw --print-units base --clock-control none \
    --cache-control none --kernel-name-base function \
    --kernel-name "regex:^($pattern)\$" --metrics "$metrics" \
    "$run" "$@" --device=cuda --no-verify >"$work/ncu.csv" ||
    { cat "$work/ncu.csv" >&2; return 2; }
  python3 - "$name" "$limit" "$work/profiles.json" "$work/ncu.csv" <<'PYTHON'
import csv, json, sys

name, limit = sys.argv[1], float(sys.argv[2])
profiles = json.load(open(sys.argv[3]))
emulated = {}
for profile in profiles:  # The first launch of each kernel.
    emulated.setdefault(profile["kernel"], profile["metrics"])
lines = open(sys.argv[4]).read().splitlines()
while lines and '"Kernel Name"' not in lines[0]:
    lines.pop(0)
rows = list(csv.DictReader(lines))[1:]  # Units come first.
measured = {}
for row in rows:
    measured.setdefault(row["Kernel Name"].split("(")[0], row)
bad = False
print(f"{name}\n{'':56}{'ncu':>14}{'emulator':>14}{'differs':>10}")
for kernel, metrics in emulated.items():
    row = measured.get(kernel)
    if row is None:
        print(f"  {kernel}: ncu has not seen it")
        bad = True
        continue
    print(f"  {kernel}")
    for metric, value in metrics.items():
        text = row.get(metric, "").replace(",", "")
        if not text:
            continue
        truth = float(text)
        short = metric.replace("l1tex__data_", "").replace("pipe_lsu_", "")
        if max(truth, value) == 0:
            continue
        percent = 100 * (value - truth) / truth if truth else float("inf")
        # Instructions are SASS's and PTX's, caches a model's: not compared.
        exact = "shared" in metric or "t_sectors" in metric
        differs = exact and abs(percent) > limit
        bad |= differs
        print(f"    {short[:52]:52}{truth:14.0f}{value:14.0f}"
              f"{percent:9.1f}%{' !' if differs else ''}")
sys.exit(bad)
PYTHON
}

if [ $# -gt 0 ]; then
  compare "$*" "$@"
  exit
fi
status=0
file=$here/ncu-kernels.ptx
for kernel in $(sed -n 's/^\.visible \.entry \([a-z0-9_]*\)(.*/\1/p' "$file"); do
  compare "$kernel" "$file" --kernel="$kernel" --grid=8 --block=128 \
    --arg=in:u32[16384]:int --arg=out:u32[16384] || status=1
done
exit $status
