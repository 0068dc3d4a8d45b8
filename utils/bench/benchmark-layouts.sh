#!/bin/sh
# Tunes twenty shapes in several layouts, types and epilogues and measures them
# against cuBLASLt. Needs a Hopper GPU and cuBLASLt.
#
#   utils/bench/benchmark-layouts.sh [OPTION...] DB CSV
#
#   -k KINDS    TYPE-LAYOUT, TYPE-LAYOUT-OUT or TYPE-LAYOUT-OUT-EPILOGUE, separated by
#               commas (f16-tn,bf16-nn,bf16-nt,bf16-tt)
#   -p PROBLEMS list of shapes (tuning/suite-20.txt)
#   -c COMPARE  cublaslt, or cublaslt-fused: with the scales of FP8 (cublaslt)
#   -r          FP8: cuBLASLt adds partial sums in f32 (--cublaslt-precise)
#   -s SPACES   searched spaces (the default of tcgemm-tune)
#   -b BUDGET   candidates for each shape; 0: only the records of DB (16)
#   -t SECONDS  limit of the device's time (none)
#   -d FOLDER   folder of tcgemm-run and tcgemm-tune (build/release/bin)
#
# Another run with the same DB and CSV continues. At the end, or after the time limit
# (exit code 130), it prints the geometric means of cuBLASLt's best time over tcgemm's.
set -u
KINDS=f16-tn,bf16-nn,bf16-nt,bf16-tt
SHAPES=$(dirname "$0")/../../tuning/suite-20.txt
COMPARE=cublaslt
PRECISE=
SPACES=
BUDGET=16
LIMIT=
BIN=build/release/bin
while getopts k:p:c:rs:b:t:d: option; do
  case $option in
  k) KINDS=$OPTARG ;;
  p) SHAPES=$OPTARG ;;
  c) COMPARE=$OPTARG ;;
  r) PRECISE=--cublaslt-precise ;;
  s) SPACES=$OPTARG ;;
  b) BUDGET=$OPTARG ;;
  t) LIMIT=$OPTARG ;;
  d) BIN=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -ne 2 ]; then
  echo "usage: benchmark-layouts.sh [OPTION...] DB CSV" >&2
  exit 2
fi
DB=$1 CSV=$2
END=${LIMIT:+$(($(date +%s) + LIMIT))}

# The remaining seconds, if there is a limit; never 0, which means no limit.
remaining() { [ -z "$END" ] || echo $((END > $(date +%s) ? END - $(date +%s) : 1)); }
is_over() { [ -n "$END" ] && [ "$(date +%s)" -ge "$END" ]; }

# The geometric mean of each kind and of all.
summarize() {
  awk -F, '$9 ~ /best$/ { split($1, tag, "/"); for (kind in kinds) delete kinds[kind]
      kinds[tag[1]]; kinds["all"]
      for (kind in kinds) { sum[kind] += log($15); count[kind]++ } }
    END { for (kind in sum)
      printf "%s: %d shapes, geometric mean %.3f\n", kind, count[kind],
        exp(sum[kind] / count[kind]) }' "$CSV" | sort
}

[ -s "$CSV" ] ||
  echo "tag,M,N,K,batch,status,variant,max_ratio,contender,cold_us,cold_p10,cold_p90,hot_us,cold_tflops,cold_ratio,cold_ratio_p10,cold_ratio_p90,hot_ratio" > "$CSV"
CODE=0
for kind in $(echo "$KINDS" | tr , ' '); do
  # shellcheck disable=SC2046 # The parts are words.
  set -- $(echo "$kind" | tr - ' ')
  type=$1 layout=$2
  set -- --layout="$layout" ${3:+--out-type="$3"} ${4:+--epilogue="$4"}
  is_over && break
  if [ "$BUDGET" -gt 0 ]; then
    rest=$(remaining)
    ${rest:+timeout -s INT "$rest"} "$BIN/tcgemm-tune" --problems="$SHAPES" \
      --dtype="$type" "$@" ${SPACES:+--space="$SPACES"} --strategy=ranked \
      --budget="$BUDGET" --db="$DB" < /dev/null >&2
    case $? in
    0 | 1) ;;
    124 | 130)
      CODE=130
      break
      ;;
    *) exit 4 ;;
    esac
  fi
  grep -v '^#' "$SHAPES" | while read -r tag m n k; do
    is_over && break
    grep -q "^$kind/$tag,$m,$n,$k," "$CSV" && continue
    timeout 120 "$BIN/tcgemm-run" --m "$m" --n "$n" --k "$k" --chip=sm_90a \
      --type="$type" "$@" --size-hint="${m}x${n}x${k}" \
      --records="$DB" --bench --compare="$COMPARE" $PRECISE --no-verify --format=csv \
      < /dev/null | grep -v '^tag,' | sed "s|^[^,]*,|$kind/$tag,|" >> "$CSV"
  done
done
summarize
is_over && CODE=130
exit $CODE
