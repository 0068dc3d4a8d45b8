// REQUIRES: ptxas
// RUN: tcgemm-opt %s --tcgemm-emit | FileCheck %s

// Two modules: one run of ptxas each; what it says is kept. The module's own
// target comes before the option's chip.

// CHECK: gpu.binary @one [#gpu.object<#nvvm.target<chip = "sm_90"
// CHECK-SAME: properties = {kernels = {first = {barriers = 0 : i64, registers = {{[0-9]+}} : i64, remarks = [], spill_bytes = 0 : i64, stack_bytes = 0 : i64, static_shared_memory = 0 : i64}
// CHECK-SAME: second = {{{.*}}static_shared_memory = 1024 : i64}}
// CHECK-SAME: log = "ptxas info
// CHECK-SAME: ptxas = "{{[0-9]+\.[0-9]+}}
// CHECK-SAME: bin = "\7FELF
// CHECK-SAME: assembly = "
// CHECK: gpu.binary @two [#gpu.object<#nvvm.target<chip = "sm_86"
gpu.module @one {
  llvm.mlir.global internal @static() {addr_space = 3 : i32} : !llvm.array<256 x i32>
  llvm.func @first(%p: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @second(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %base = llvm.mlir.addressof @static : !llvm.ptr<3>
    %s = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %s : i32, !llvm.ptr<3>
    nvvm.barrier0
    %v = llvm.load %base : !llvm.ptr<3> -> i32
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
gpu.module @two [#nvvm.target<chip = "sm_86">] {
  llvm.func @third(%p: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
