#!/bin/sh
# Measures tcgemm with its tuned records against cuBLASLt on the suite's shapes.
# Needs a Hopper GPU and cuBLASLt. utils/bench/suite-table.py prints the table.
#
#   utils/bench/benchmark-suite.sh [TCGEMM_RUN [RECORDS]]   > suite.csv
#
# RECORDS: a database or file of tcgemm-tune, which precedes the shipped records.
set -u
RUN=${1:-build/release/bin/tcgemm-run}
RECORDS=${2:-}

echo "tag,M,N,K,batch,status,variant,max_ratio,contender,cold_us,cold_p10,cold_p90,hot_us,cold_tflops,cold_ratio,cold_ratio_p10,cold_ratio_p90,hot_ratio"
grep -v '^#' "$(dirname "$0")/../../tuning/suite.txt" | while read -r tag m n k _; do
  timeout 120 "$RUN" --m "$m" --n "$n" --k "$k" --chip=sm_90a \
    --size-hint="${m}x${n}x${k}" ${RECORDS:+--records="$RECORDS"} --bench \
    --compare=cublaslt --no-verify --format=csv < /dev/null |
    grep -v '^tag,' | sed "s/^[^,]*,/$tag,/"
done
