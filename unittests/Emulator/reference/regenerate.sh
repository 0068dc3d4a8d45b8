#!/bin/sh
# Part of the tcgemm project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the reference kernels to PTX and puts it into generated.tar.xz. The
# committed PTX comes from nvcc 13.0 (V13.0.88). Afterwards record the results on
# an H200:
#
#   utils/ci/record-emulator-reference.py unittests/Emulator/reference
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-/usr/local/cuda/bin/nvcc}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for file in *.cu; do
  arch=sm_90
  case $file in wgmma.cu) arch=sm_90a ;; esac
  "$nvcc" -std=c++17 -arch=$arch -ptx -o "$out/${file%.cu}.ptx" "$file"
done
../../../utils/ci/record-emulator-reference.py --ptx "$out" .
