#!/bin/sh
# Measures the cost of fused epilogues: the plain product, the product with an
# epilogue, and cuBLASLt with its fused bias followed by one elementwise kernel for
# the rest (tcgemm-run --compare=cublaslt-fused). Needs a Hopper GPU and cuBLASLt.
#
#   utils/bench/benchmark-fused.sh [OPTION...] [DB]   > fused.csv
#
#   -b BUDGET   candidates for each shape and epilogue, which are tuned first, in DB (0)
#   -r ROUNDS   rounds of a measurement (21)
#   -n TURNS    alternations of the plain and the fused product (3); times are medians
#   -o PATTERN  only rows whose "MxNxK epilogue" matches (grep -E)
#   -d FOLDER   folder of tcgemm-run and tcgemm-tune (build/release/bin)
#
# Without DB, configurations are those of the shipped records.
set -u
BUDGET=0
ROUNDS=21
TURNS=3
ONLY=.
BIN=build/release/bin
while getopts b:r:n:o:d: option; do
  case $option in
  b) BUDGET=$OPTARG ;;
  r) ROUNDS=$OPTARG ;;
  n) TURNS=$OPTARG ;;
  o) ONLY=$OPTARG ;;
  d) BIN=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
DB=${1:-}
if [ "$BUDGET" -gt 0 ] && [ -z "$DB" ]; then
  echo "benchmark-fused.sh: -b needs a DB" >&2
  exit 2
fi
ROWS=$(mktemp)
trap 'rm -f "$ROWS"' EXIT

# Kernels with approximate math have separate records. Products of few tiles use the
# default spaces of tcgemm-tune.
tune() {
  case $4 in
  *residual* | *gate*) spaces=--space=wgmma-fused math=--approximate-math ;;
  *) spaces=--space=wgmma-quick,wgmma-waves math= ;;
  esac
  [ $(($1 * $2)) -gt 2000000 ] || spaces=
  # shellcheck disable=SC2086 # options that may be none
  [ "$BUDGET" -eq 0 ] || "$BIN/tcgemm-tune" "${1}x${2}x$3" --dtype=bf16 \
    --layout=tn --epilogue="$4" $math $spaces --strategy=ranked \
    --budget="$BUDGET" --db="$DB" < /dev/null >&2
}

# M N K EPILOGUE, then options: the rows of one run, as CSV.
run() (
  m=$1 n=$2 k=$3 epilogue=$4
  shift 4
  timeout 120 "$BIN/tcgemm-run" --m "$m" --n "$n" --k "$k" --chip=sm_90a \
    --size-hint="${m}x${n}x$k" ${DB:+--records="$DB"} --epilogue="$epilogue" \
    --approximate-math --no-verify --bench --rounds="$ROUNDS" --format=csv "$@" \
    < /dev/null | grep -v '^tag,'
)

# Alternates between the product with and without the epilogue, so that clock and
# temperature are the same.
bench() {
  echo "${1}x${2}x$3 $4" | grep -qE "$ONLY" || return 0
  tune "$1" "$2" "$3" none
  tune "$1" "$2" "$3" "$4"
  : > "$ROWS"
  turn=0
  while [ $turn -lt "$TURNS" ]; do
    run "$1" "$2" "$3" none | sed 's/^/plain,/' >> "$ROWS"
    run "$1" "$2" "$3" "$4" --compare=cublaslt-fused | sed 's/^/fused,/' >> "$ROWS"
    turn=$((turn + 1))
  done
  # Columns after the name of the row: contender 9, cold_us 10, cold_ratio 15.
  awk -F, -v problem="$1,$2,$3,$4" '
    function median(values, count,   i, j, swap) {
      for (i = 1; i <= count; i++)
        for (j = i + 1; j <= count; j++)
          if (values[j] < values[i]) {
            swap = values[i]; values[i] = values[j]; values[j] = swap
          }
      return values[int((count + 1) / 2)]
    }
    $10 == "tcgemm" && $1 == "plain" { plain[++plains] = $11 }
    $10 == "tcgemm" && $1 == "fused" { fused[++fuseds] = $11 }
    $10 ~ /best$/ { theirs[++bests] = $11; ratio[bests] = $16 }
    END {
      p = median(plain, plains); f = median(fused, fuseds)
      printf "%s,%.2f,%.2f,%.3f,", problem, p, f, (p > 0 ? f / p : 0)
      if (bests) printf "%.2f,%.3f\n", median(theirs, bests), median(ratio, bests)
      else print ","
    }' "$ROWS"
}

echo "M,N,K,epilogue,plain_us,fused_us,fused_over_plain,cublaslt_elementwise_us,ratio"
bench 8192 4096 1024 bias_gelu_residual
# Llama-3 8B's up, down and q/k/v projections, and two of DeepSeek-V3's; then the up
# projections of Qwen2.5 0.5B, SmolLM2 360M, Qwen3 0.6B and Gemma 3 1B; then, with 64
# and 256 tokens an expert, those of the experts of Qwen3 30B-A3B and 235B-A22B,
# DeepSeek-V3 and gpt-oss.
for sizes in '2048 28672 4096' '2048 4096 14336' '8192 6144 4096' '256 28672 4096' \
  '4096 7168 2048' '4096 24576 1536' '8192 4864 896' '8192 2560 960' '8192 3072 1024' \
  '8192 6912 1152' '64 768 2048' '64 1536 4096' '64 2048 7168' '64 2880 2880' \
  '256 768 2048' '256 1536 4096' '256 2048 7168' '256 2880 2880'; do
  for epilogue in bias_silu_gate bias; do
    # shellcheck disable=SC2086 # three words
    bench $sizes $epilogue
  done
done
