#!/bin/sh
# Measures what a trace costs, and writes traces of a GPU: for each kernel the cold
# times without and with a trace, and the files NAME.json and NAME.svg in FOLDER.
# Needs a GPU of sm_90a and ptxas.
#
#   utils/bench/benchmark-trace.sh FOLDER [TCGEMM_RUN]   > table.csv
set -u
FOLDER=${1:?usage: benchmark-trace.sh FOLDER [TCGEMM_RUN]}
RUN=${2:-build/release/bin/tcgemm-run}
CHECK=$(dirname "$0")/../../test/Tools/Inputs/check-trace.py
mkdir -p "$FOLDER"
status=0

# The cold time: M N K config, then options of tcgemm-run.
time_kernel() {
  m=$1 n=$2 k=$3 config=$4
  shift 4
  "$RUN" --m "$m" --n "$n" --k "$k" --chip=sm_90a --config="$config" --allow-spills \
    --bench --format=csv "$@" | awk -F, '$9 == "tcgemm" { print $10 }'
}

# name, M N K, config
bench() {
  plain=$(time_kernel "$2" "$3" "$4" "$5")
  traced=$(time_kernel "$2" "$3" "$4" "$5" --pipeline-options=trace=true)
  awk -v name="$1" -v size="$2,$3,$4" -v plain="$plain" -v traced="$traced" 'BEGIN {
    printf "%s,%s,%s,%s,%s\n", name, size, plain, traced,
           (plain > 0) ? sprintf("%.3f", traced / plain) : "" }'
  # The third run has warm caches.
  "$RUN" --m "$2" --n "$3" --k "$4" --chip=sm_90a --config="$5" --allow-spills --repeat=3 \
    --trace="$FOLDER/$1.json" --trace-chart="$FOLDER/$1.svg" --trace-events=65536 >&2 ||
    status=1
  [ ! -f "$FOLDER/$1.json" ] || python3 "$CHECK" "$FOLDER/$1.json" >&2 || status=1
}

ALL="schedule=wgmma stages=4 epilogue=tma split_k=1 swap_ab=false stage_inputs=false"
echo "name,M,N,K,plain_us,traced_us,traced_over_plain"
bench cooperative 4096 4096 4096 "$ALL cta=128x256x64 warps=8x1x1 persistent=true pingpong=false cluster=2x1x1"
bench pingpong 4096 4096 4096 "$ALL cta=64x256x64 warps=8x1x1 persistent=true pingpong=true cluster=1x1x1"
bench single-tile 1024 1024 4096 "$ALL cta=128x128x64 warps=8x1x1 persistent=false pingpong=false cluster=1x1x1"
bench short 6144 6144 64 "$ALL cta=128x128x64 warps=8x1x1 persistent=true pingpong=false cluster=1x1x1"
bench slices 512 512 16384 "$ALL cta=128x128x64 warps=8x1x1 persistent=false pingpong=false cluster=1x1x4"
exit $status
