#!/bin/sh
# Makes the table of docs/performance.md: the mma_sync schedule against cuBLASLt
# on the shapes that the project is judged by. Needs a GPU and cuBLASLt.
#
#   utils/bench/benchmark-mma-sync.sh [TCGEMM_RUN]   > table.csv
set -u
RUN=${1:-build/release/bin/tcgemm-run}

# tag, M N K, then options of tcgemm-run
bench() {
  tag=$1 m=$2 n=$3 k=$4
  shift 4
  timeout 120 "$RUN" --m "$m" --n "$n" --k "$k" --size-hint "${m}x${n}x$k" \
    --bench --compare=cublaslt --format=csv "$@" |
    grep -v '^tag,' | sed "s/^[^,]*,/$tag,/"
}

echo "tag,M,N,K,batch,status,variant,max_ratio,contender,cold_us,cold_p10,cold_p90,hot_us,cold_tflops,cold_ratio,cold_ratio_p10,cold_ratio_p90,hot_ratio"
bench tn 4096 4096 4096
bench tn-static 4096 4096 4096 --static
for layout in nn nt tt; do bench $layout 4096 4096 4096 --layout=$layout; done
bench tn-f16 4096 4096 4096 --type=f16 --out-type=f16
bench tn 8192 8192 8192
bench tn 5124 9124 4096
bench tn 4095 4097 4096
bench tn 4095 4097 4093
bench tn 777 1333 2111 \
  --config='cta=64x80x128 warps=2x1x2 stages=3 raster_group=1 epilogue=direct
  loads_first=false'
bench tn 1000 1000 1000 \
  --config='cta=64x128x128 warps=2x2x1 stages=4 raster_group=1 epilogue=staged
  shared=sectors'
bench tn 1024 16 500000
bench tn-gelu 8192 4096 1024 --epilogue=bias_gelu_residual
bench tn-plain 8192 4096 1024
