#!/bin/sh
# Builds generated libraries with gcc, compares products of theirs with loops on the
# host, and measures the host's time of plans and calls. Needs a Hopper GPU and cuda.h.
#
#   utils/bench/benchmark-library.sh [TCGEMM_TUNE [CUDA_INCLUDE [CALLS]]]
set -eu
TUNE=$(realpath "${1:-build/release/bin/tcgemm-tune}")
CUDA=$(realpath "${2:-/usr/local/cuda/include}")
CALLS=${3:-100000}
ROOT=$(realpath "$(dirname "$0")/../..")
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT
cd "$DIR"

# export NAME ARGUMENT...
export_library() {
  name=$1
  shift
  "$TUNE" export "$@" --as=library --chip=sm_90a --name="$name" -o "$name" 2> notes ||
    { cat notes >&2; exit 1; }
  grep -v ': note:' notes
}

# build NAME: prints the seconds.
build() {
  start=$(date +%s)
  cmake -S "$1" -B "$1-build" -DCMAKE_C_COMPILER=gcc > log
  cmake --build "$1-build" --parallel > log
  echo "$1: built by gcc in $(($(date +%s) - start)) s"
}

# link NAME SOURCE PROGRAM
link() {
  gcc -O2 -pthread -I"$1/include" -I"$CUDA" "$2" -L"$1-build" -l"$1" -lcuda \
    -Wl,-rpath,"$DIR/$1-build" -o "$3"
}

# Sizes whose sums bf16 holds without an error; two of them are no multiples of 8.
export_library suite86 --problems="$ROOT/tuning/suite.txt" --scaling=none,alpha-beta --any-size
build suite86
link suite86 "$ROOT/integration_test/Inputs/generated-library/products.c" products
./products run:512x1024x128 run:512x1024x128,b run:512x1024x128,bg run:6144x128x128 \
  run:1024x1024x256 run:1000x1000x200 run:75x91x67 run:75x91x67,b run:1x64x136 \
  run:64x64x0 threads

link suite86 "$ROOT/utils/bench/benchmark-plans.c" plans
echo "a known size: $(./plans 4096 4096 4096)"
echo "other sizes: $(./plans 4001 4096 4096 64)"

export_library calls 64x64x64 --layout=tt
build calls
link calls "$ROOT/utils/bench/benchmark-host-time.c" host-time
./host-time "$CALLS"
