#!/bin/sh
# Builds gemm.c with pkg-config, and runs it.
#
# Usage: build.sh LIBDIR CUDA_INCLUDE CUDA_LIBRARY PROGRAM
set -eu
flags=$(PKG_CONFIG_PATH="$1/pkgconfig" pkg-config --cflags --libs tcgemm)
# The flags are words.
# shellcheck disable=SC2086
cc "$(dirname "$0")/gemm.c" -I"$2" $flags "$3" -Wl,-rpath,"$1" \
  -Wl,-rpath,"$(dirname "$3")" -o "$4"
exec "$4"
