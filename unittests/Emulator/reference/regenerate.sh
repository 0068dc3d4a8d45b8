#!/bin/sh
# Part of the tcgemm project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the reference kernels to PTX. The committed files are what nvcc 13.0
# (V13.0.88) has made of them; what an H200 computes with them is recorded
# afterwards by
#
#   utils/ci/record-emulator-reference.py unittests/Emulator/reference
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-/usr/local/cuda/bin/nvcc}
for file in *.cu; do
  arch=sm_90
  case $file in wgmma.cu) arch=sm_90a ;; esac
  "$nvcc" -std=c++17 -arch=$arch -ptx -o "${file%.cu}.ptx" "$file"
done
