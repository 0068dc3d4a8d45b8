// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles))' \
// RUN:   | FileCheck %s

// A thread has both sums of an element: registers 0 and 1 are columns 0 and 1 of the left
// half, 4 and 5 those of the right half.

!out = memref<?xf32, #gpu.address_space<global>>
gpu.module @module {
  // CHECK-LABEL: tcgemm.program @dual
  // CHECK-SAME: (%{{.*}}: memref<{{.*}}>, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: f32)
  // CHECK-COUNT-4: arith.subf %{{.*}}, %{{.*}} : f32
  // CHECK-NOT: arith.subf
  tcgemm.program @dual(%out: !out, %m: i32, %stride: i64, %s: f32) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %sum = tcgemm.acc.zero : <64 x 16, wgmma>
    %left, %right = tcgemm.acc.split %sum : <64 x 16, wgmma> -> <64 x 8, wgmma>
    tcgemm.epilogue %left with %right : !tcgemm.acc<64 x 8, wgmma> at(%m, %m, %m) of(%m, %m) scalars(%s : f32) outputs(%out : !out) strides(%stride) dims ["mn"] arguments [-1] guards [] {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %0 = arith.subf %x, %y : f32
      %1 = arith.mulf %0, %z : f32
      tcgemm.yield %1 : f32
    } : <64 x 8, wgmma>
    tcgemm.return
  }
}
