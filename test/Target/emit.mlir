// RUN: tcgemm-opt %s --tcgemm-emit="format=ptx chip=sm_80" | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-emit="format=ptx chip=sm_120" \
// RUN:   | FileCheck %s --check-prefix=SM120
// RUN: tcgemm-opt %s --tcgemm-emit="format=ptx short-pointers=false opt-level=0" \
// RUN:   | FileCheck %s --check-prefix=LONG

// PTX needs neither ptxas nor a toolkit.

// CHECK: gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80", features = "+ptx80">
// CHECK-SAME: assembly = "{{.*}}.version 8.0{{.*}}.target sm_80
// CHECK-SAME: .extern .shared .align 1024 .b8 smem[]
// CHECK-SAME: .entry fill
// Shared addresses have 32 bits.
// CHECK-SAME: st.shared.b32 {{\\09?}}[{{.*}}%r
// CHECK-NOT: llvm.func
// SM120: .version 8.7{{.*}}.target sm_120
// LONG: .target sm_90
// LONG-SAME: st.shared.b32 {{\\09?}}[{{.*}}%rd
gpu.module @kernels {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @fill(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %base = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %s = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %s : i32, !llvm.ptr<3>
    nvvm.barrier0
    %v = llvm.load %s : !llvm.ptr<3> -> i32
    %d = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %d : i32, !llvm.ptr<1>
    llvm.return
  }
}
