// RUN: printf '#!/bin/sh\nif [ $1 = --version ]; then echo "release 1.0, V1.0.1"; exit; fi\nfor last; do :; done\nspill=16; if grep -q minnctapersm $last; then spill=0; fi\necho "ptxas info    : Compiling entry function '"'k'"' for sm"\necho "    0 bytes stack frame, $spill bytes spill stores, 0 bytes spill loads"\nwhile [ $1 != -o ]; do shift; done; echo cubin > $2\n' > %t.ptxas
// RUN: chmod +x %t.ptxas
// RUN: tcgemm-opt %s --tcgemm-emit="ptxas=%t.ptxas" | FileCheck %s

// This ptxas spills unless it is told that one block is enough.

// CHECK: spill_bytes = 0 : i64
// CHECK-SAME: assembly = "{{.*}}.minnctapersm 1
gpu.module @m {
  llvm.func @k(%p: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>} {
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
