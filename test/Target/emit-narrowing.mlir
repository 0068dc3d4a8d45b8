// RUN: tcgemm-opt %s --tcgemm-emit="format=ptx chip=sm_80" | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-emit="format=ptx chip=sm_80 opt-level=0" | FileCheck %s

// A bfloat that is added in f32 does not become a half before, although a half
// has its significand's bits: 1e10 is infinite as a half, and 1e-10 zero.

// CHECK: .entry mixed
// CHECK-NOT: add.rn.f16
// CHECK: add.rn.f32
// CHECK-NOT: add.rn.f16
// CHECK: cvt.rn.f16.f32
gpu.module @kernels {
  llvm.func @mixed(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f16
    %y = llvm.load %q : !llvm.ptr<1> -> bf16
    %wide = llvm.fpext %x : f16 to f32
    %wider = llvm.fpext %y : bf16 to f32
    %sum = llvm.fadd %wide, %wider : f32
    %narrow = llvm.fptrunc %sum : f32 to f16
    llvm.store %narrow, %p : f16, !llvm.ptr<1>
    llvm.return
  }
}
