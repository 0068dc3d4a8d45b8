#!/bin/sh
# Compares the two methods for operands that TMA cannot copy, with schedule wgmma:
# packing, and copies by cp.async. Prints one line for each configuration; the last
# column has the configuration and its options. Needs a Hopper GPU.
#
#   utils/bench/benchmark-producer.sh [TCGEMM_RUN]   > table.csv
set -u
RUN=${1:-build/release/bin/tcgemm-run}
# All parameters are set, because the default model would choose the others.
PLAIN='schedule=wgmma epilogue=direct cluster=1x1x1 swap_ab=false split_k=1'
PLAIN="$PLAIN pingpong=false persistent=false stage_inputs=false"

# tag, M N K, configuration, then options of tcgemm-run. TMA could store none of
# these outputs. In a subshell: the callers' variables have the same names.
bench() (
  tag=$1 m=$2 n=$3 k=$4 config=$5
  shift 5
  timeout 120 "$RUN" --m "$m" --n "$n" --k "$k" --chip=sm_90a --no-verify \
    --records=none --config="$PLAIN $config" --bench --format=csv "$@" |
    grep -v '^tag,' | sed "s/^[^,]*,/$tag,/; s/\$/,\"$PLAIN $config $*\"/"
)

# Packing, and copies of some widths; the options set pitches that allow these widths.
compare() (
  tag=$1 m=$2 n=$3 k=$4 config=$5 bytes=$6
  shift 6
  bench "$tag pack" "$m" "$n" "$k" "$config" "$@"
  bench "$tag copy $bytes" "$m" "$n" "$k" \
    "$config producer=cp_async copy_a=$bytes copy_b=$bytes" "$@"
)

echo "tag,M,N,K,batch,status,variant,max_ratio,contender,cold_us,cold_p10,cold_p90,hot_us,cold_tflops,cold_ratio,cold_ratio_p10,cold_ratio_p90,hot_ratio,findings,configuration"

# TMA can copy these operands; compares each width of copies with TMA.
for tile in 'cta=128x256x64 warps=8x1x1 stages=4' \
  'cta=256x128x64 warps=8x1x1 stages=4' 'cta=128x128x64 warps=8x1x1 stages=6'; do
  config="$tile persistent=true"
  bench "$tile tma" 5124 9124 4096 "$config"
  for bytes in 16 8 4 2; do
    bench "$tile copy $bytes" 5124 9124 4096 \
      "$config producer=cp_async copy_a=$bytes copy_b=$bytes" --variant=copy_ab
  done
  bench "$tile copy A 16" 5124 9124 4096 "$config producer=cp_async" \
    --variant=copy_a
  bench "$tile copy B 16" 5124 9124 4096 "$config producer=cp_async" \
    --variant=copy_b
done

# Odd pitches; then the same padded to multiples of 4 and of 8 bytes.
for tile in 'cta=256x128x64 warps=8x1x1 stages=4' \
  'cta=128x256x64 warps=8x1x1 stages=4' 'cta=128x128x64 warps=8x1x1 stages=6' \
  'cta=64x256x64 warps=8x1x1 stages=5 pingpong=true'; do
  config="$tile persistent=true"
  compare "$tile odd" 4095 4097 4093 "$config" 2
  compare "$tile 4 bytes" 4095 4097 4093 "$config" 4 --ld-pad=1
  compare "$tile 8 bytes" 4095 4097 4093 "$config" 8 --ld-pad=A=7 --ld-pad=B=7
done

for tile in 'cta=64x128x64 warps=4x1x1 stages=6' \
  'cta=64x128x64 warps=4x1x1 stages=9' 'cta=64x128x128 warps=4x1x1 stages=4' \
  'cta=128x80x64 warps=8x1x1 stages=8' 'cta=64x168x64 warps=4x1x1 stages=6' \
  'cta=128x128x64 warps=8x1x1 stages=6' 'cta=64x64x64 warps=4x1x1 stages=6 min_ctas=2'; do
  compare "$tile odd" 777 1333 2111 "$tile" 2
  compare "$tile 4 bytes" 777 1333 2111 "$tile" 4 --ld-pad=3
done
