#!/bin/sh
# Measures tcgemm against cuBLASLt on lists of shapes. Needs a Hopper GPU and cuBLASLt.
# utils/bench/suite-table.py prints the table.
#
#   utils/bench/benchmark-suite.sh [OPTION...] > suite.csv
#
#   -l LISTS    files of shapes, separated by commas (tuning/suite.txt)
#   -r RECORDS  a database or file of tcgemm-tune, which precedes the shipped records;
#               or none
#   -x TCGEMM_RUN (build/release/bin/tcgemm-run)
set -u
RUN=build/release/bin/tcgemm-run
RECORDS=
LISTS=$(dirname "$0")/../../tuning/suite.txt
while getopts l:r:x: option; do
  case $option in
  l) LISTS=$OPTARG ;;
  r) RECORDS=$OPTARG ;;
  x) RUN=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -ne 0 ]; then
  echo "usage: benchmark-suite.sh [OPTION...] > suite.csv" >&2
  exit 2
fi

echo "tag,M,N,K,batch,status,variant,max_ratio,contender,cold_us,cold_p10,cold_p90,hot_us,cold_tflops,cold_ratio,cold_ratio_p10,cold_ratio_p90,hot_ratio"
for list in $(echo "$LISTS" | tr , ' '); do
  grep -v '^#' "$list" | while read -r tag m n k _; do
    timeout 120 "$RUN" --m "$m" --n "$n" --k "$k" --chip=sm_90a \
      --size-hint="${m}x${n}x${k}" ${RECORDS:+--records="$RECORDS"} --bench \
      --compare=cublaslt --no-verify --format=csv < /dev/null |
      grep -v '^tag,' | sed "s/^[^,]*,/$tag,/"
  done
done
