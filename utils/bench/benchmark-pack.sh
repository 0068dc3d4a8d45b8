#!/bin/sh
# Measures the cost of packing operands with odd pitches: the product with them, and
# with padded pitches, so that TMA reads A and B directly. Prints one line for each
# configuration. Needs a Hopper GPU.
#
#   utils/bench/benchmark-pack.sh [TCGEMM_RUN]   > table.csv
set -u
RUN=${1:-build/release/bin/tcgemm-run}
# All parameters are set, because the default model would choose the others.
WGMMA='schedule=wgmma cluster=1x1x1 swap_ab=false split_k=1 pingpong=false
  persistent=false stage_inputs=false producer=tma'

# tag, M N K, configuration, then options of tcgemm-run. In a subshell: the
# callers' variables have the same names.
bench() (
  tag=$1 m=$2 n=$3 k=$4 config=$5
  shift 5
  timeout 120 "$RUN" --m "$m" --n "$n" --k "$k" --chip=sm_90a --no-verify \
    --records=none --config="$config" --bench --format=csv "$@" |
    grep -v '^tag,' | sed "s/^[^,]*,/$tag,/"
)

# Packed, and with rows of a multiple of 16 bytes.
compare() (
  pad=$1
  shift
  bench "$1 odd" "$2" "$3" "$4" "$WGMMA $5"
  bench "$1 padded" "$2" "$3" "$4" "$WGMMA $5" \
    --ld-pad="A=$pad" --ld-pad="B=$pad"
)

echo "tag,M,N,K,batch,status,variant,max_ratio,contender,cold_us,cold_p10,cold_p90,hot_us,cold_tflops,cold_ratio,cold_ratio_p10,cold_ratio_p90,hot_ratio"

# The best of the records of an H200, and others.
compare 3 4095 4095 4097 4093 \
  'cta=128x128x64 warps=8x1x1 stages=6 epilogue=tma cluster=2x1x1 pingpong=true persistent=true'
compare 3 4095 4095 4097 4093 \
  'cta=128x256x64 warps=8x1x1 stages=4 epilogue=direct persistent=true'
compare 1 777 777 1333 2111 'cta=64x136x64 warps=4x1x1 stages=8 epilogue=tma'
compare 1 777 777 1333 2111 'cta=64x128x64 warps=4x1x1 stages=6 epilogue=direct'
for k in 128 64; do
  compare 7 129 129 257 513 \
    "cta=16x64x$k warps=4x1x1 stages=8 epilogue=direct swap_ab=true"
done
# Short rows, and a side of long ones.
compare 5 '1000000 rows' 1000000 64 3 \
  'cta=128x64x64 warps=8x1x1 stages=4 epilogue=tma'
compare 7 '200000 rows' 200000 64 129 \
  'cta=128x64x64 warps=8x1x1 stages=4 epilogue=tma'

# Element by element to shared memory, with one launch.
MMA='schedule=mma_sync unaligned=registers epilogue=staged'
for tile in 'cta=16x64x64 warps=1x4x1' 'cta=32x32x64 warps=2x2x1' \
  'cta=32x64x64 warps=1x4x1' 'cta=64x32x64 warps=4x1x1'; do
  for split in 1 2 4; do
    bench "$tile registers" 129 257 513 "$MMA $tile stages=3 split_k=$split"
  done
done
