#!/bin/sh
# Makes the table of docs/performance.md: the wgmma schedule against cuBLASLt on
# the shapes that the project is judged by. Needs a Hopper GPU and cuBLASLt.
#
#   utils/bench/benchmark-wgmma.sh [TCGEMM_RUN]   > table.csv
set -u
RUN=${1:-build/release/bin/tcgemm-run}

# All parameters are set, because the default model would choose the others.
OPEN='cluster=1x1x1 swap_ab=false split_k=1 pingpong=false stage_inputs=false'

# tag, M N K, configuration, then options of tcgemm-run
bench() {
  tag=$1 m=$2 n=$3 k=$4 config=$5
  shift 5
  timeout 120 "$RUN" --m "$m" --n "$n" --k "$k" --chip=sm_90a --no-verify \
    --config="schedule=wgmma $OPEN $config" --bench --compare=cublaslt \
    --format=csv "$@" | grep -v '^tag,' | sed "s/^[^,]*,/$tag,/"
}

LARGE='cta=128x256x64 warps=8x1x1 stages=4 epilogue=tma persistent=true'
DEEP='cta=256x168x64 warps=8x1x1 stages=3 epilogue=tma persistent=true raster_group=16'
FUSED='cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma persistent=true pingpong=true stage_inputs=true cluster=1x2x1 raster_group=16'

echo "tag,M,N,K,batch,status,variant,max_ratio,contender,cold_us,cold_p10,cold_p90,hot_us,cold_tflops,cold_ratio,cold_ratio_p10,cold_ratio_p90,hot_ratio"
bench tn 4096 4096 4096 "$LARGE"
bench tn 8192 8192 8192 "$DEEP"
bench tn 2048 4096 14336 "$LARGE raster_group=16"
bench tn 4096 8192 28672 "$DEEP"
bench nn 8192 8192 8192 'cta=256x168x64 warps=8x1x1 stages=3 epilogue=tma persistent=true' --layout=nn
for layout in nt tt; do bench $layout 8192 8192 8192 "$LARGE" --layout=$layout; done
bench tn-f16 4096 4096 4096 "$LARGE" --type=f16 --out-type=f16
bench tn 5124 9124 4096 "$LARGE"
bench tn 4095 4097 4093 \
  'cta=256x128x64 warps=8x1x1 stages=4 epilogue=tma persistent=true'
bench tn 1000 1000 1000 \
  'cta=64x128x64 warps=4x1x1 stages=5 epilogue=tma cluster=2x1x1'
bench tn-plain 8192 4096 1024 "$LARGE"
bench tn-gelu 8192 4096 1024 "$FUSED" --epilogue=bias_gelu_residual \
  --approximate-math
bench tn-gelu-exact 8192 4096 1024 "$FUSED" --epilogue=bias_gelu_residual
