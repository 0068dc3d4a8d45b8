// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' | FileCheck %s

!global = memref<?xbf16, #gpu.address_space<global>>
!half = memref<?xf16, #gpu.address_space<global>>

gpu.module @kernels {
  // A stage has 16 x 256 elements of 4 bits: 32 bytes of each of 64 threads. The copies of
  // two iterations start before the loop, with the scales of two.
  // CHECK-LABEL: tcgemm.program @copied
  // CHECK-COUNT-2: "cp.async.cg.shared.global.L2::128B [$0 + {{.*}}], [$1 + 0], 16, $2;"
  // CHECK: nvvm.cp.async.commit.group
  // CHECK-COUNT-2: "cp.async.cg.shared.global.L2::128B [$0 + {{.*}}], [$1 + 0], 16, $2;"
  // CHECK: nvvm.cp.async.commit.group
  // CHECK-COUNT-4: ld.global.nc.b16
  // CHECK: scf.for
  // CHECK: nvvm.cp.async.wait.group 1
  // CHECK: arith.cmpi sge
  // CHECK-COUNT-2: "cp.async.cg.shared.global.L2::128B [$0 + {{.*}}], [$1 + 0], 16, $2;"
  // CHECK: nvvm.cp.async.commit.group
  // CHECK-COUNT-2: ld.global.nc.b16
  // CHECK-COUNT-2: "ld.shared.v4.b32 {$0, $1, $2, $3}, [$4 + {{.*}}];"
  // CHECK-COUNT-8: nvgpu.mma.sync
  // CHECK: scf.yield
  // The sums of the warps are behind the three stages.
  // CHECK: memref.store
  tcgemm.program @copied(%x: !global, %y: memref<?xi8, #gpu.address_space<global>>, %t: !half, %d: !half, %m: i32, %n: i32, %first: i32, %s: i64)
      attributes {threads = 64 : i64, chip = "sm_90"} {
    %z = arith.constant 0 : i64
    %c0 = arith.constant 0 : i32
    %k = arith.constant 4096 : i32
    %acc = tcgemm.acc.dot %x[%z] stride %s at %c0 of %m by %y[%z] stride %s at %first of %n
      depth %k size 1 16 slices 2 unroll 1 bytes 16 16 mma stages 3 scaled %t[%z, %s, %s] group 128 (!half)
      {many_type = i4} : !global, memref<?xi8, #gpu.address_space<global>> -> <1 x 1, row>
    tcgemm.epilogue %acc at (%c0, %c0, %first) of (%m, %n) outputs (%d : !half) strides (%s)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to f16
      tcgemm.yield %0 : f16
    } : <1 x 1, row>
    tcgemm.return
  }
}
