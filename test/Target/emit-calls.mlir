// RUN: tcgemm-opt %s --tcgemm-emit="format=ptx" --split-input-file --verify-diagnostics

// What PTX cannot do is an error, not the end of the process.

// expected-error@+1 {{gpu.module 'intrinsic' calls 'llvm.exp.f32', which PTX has no instruction for}}
gpu.module @intrinsic {
  llvm.func @k(%p: !llvm.ptr<1>, %v: f32) attributes {nvvm.kernel} {
    %0 = llvm.intr.exp(%v) : (f32) -> f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// expected-error@+1 {{gpu.module 'libm' calls 'erff', which PTX has no instruction for}}
gpu.module @libm {
  llvm.func @erff(f32) -> f32
  llvm.func @k(%p: !llvm.ptr<1>, %v: f32) attributes {nvvm.kernel} {
    %0 = llvm.call @erff(%v) : (f32) -> f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
