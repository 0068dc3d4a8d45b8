#!/bin/sh
# Measures programmatic dependent launch with short kernels: the suite's shapes of
# less than 30 us, each with its record's configuration, and with
# dependent_launch = true. The runs of a chain are consecutive kernels in a CUDA
# graph. Prints one line for each contender. Needs a Hopper GPU and cuBLASLt.
#
#   utils/bench/benchmark-dependent-launch.sh [TCGEMM_RUN [RECORDS]]   > table.csv
#
# RECORDS: a file of tcgemm-tune's records (default: those of an H200).
set -u
RUN=${1:-build/release/bin/tcgemm-run}
ROOT=$(dirname "$0")/../..
RECORDS=${2:-$ROOT/tuning/nvidia-h200.jsonl}

# tag, MxNxK, measured time in us, configuration.
list_records() {
  python3 - "$RECORDS" "$ROOT/tuning/suite.txt" <<'EOF'
import json
import sys

with open(sys.argv[2]) as file:
    suite = {"x".join(line.split()[1:4]): line.split()[0] for line in file
             if line.strip() and not line.startswith("#")}
with open(sys.argv[1]) as file:
    for record in map(json.loads, file):
        tag = suite.pop(record["sizes"], None)
        if tag and record["microseconds"] < 30:
            config = record["config"].split("dependent_launch")[0].strip(" ,")
            print(tag, record["sizes"], config.replace(" ", ""))
EOF
}

echo "launch,tag,M,N,K,batch,status,variant,max_ratio,contender,cold_us,cold_p10,cold_p90,hot_us,cold_tflops,cold_ratio,cold_ratio_p10,cold_ratio_p90,hot_ratio,findings"
list_records | while read -r tag sizes config; do
  m=${sizes%%x*} rest=${sizes#*x}
  n=${rest%%x*} k=${rest#*x}
  for launch in ordinary=false dependent=true; do
    timeout 120 "$RUN" --m "$m" --n "$n" --k "$k" --chip=sm_90a --records=none \
      --config="$config,dependent_launch=${launch#*=}" --bench \
      --compare=cublaslt --format=csv < /dev/null |
      grep -v '^tag,' | sed "s/^[^,]*,/${launch%=*},$tag,/"
  done
done
