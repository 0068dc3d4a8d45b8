// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' | FileCheck %s

!global = memref<?xbf16, #gpu.address_space<global>>

gpu.module @m {
  // Eight lanes have eight columns each, so that four lanes and four warps divide k.
  // CHECK-LABEL: tcgemm.program @across
  // Loads of columns begin at a multiple of eight.
  // CHECK: arith.muli %{{.*}}, %c8_i32
  // CHECK: arith.minui
  // A trip is of 2 x 4 warps x 4 lanes.
  // CHECK: %[[TRIPS:.*]] = arith.divui %{{.*}}, %c32_i32
  // The loop carries two addresses and eight sums.
  // CHECK: scf.for %{{.*}} = %c0_i32 to %[[TRIPS]] step %c1_i32 iter_args({{.*}}) -> (i64, i64, f32, f32, f32, f32, f32, f32, f32, f32)
  // All loads come first: two of eight columns, and two elements.
  // CHECK: ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4 + 0];"
  // CHECK: ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4 + 0];"
  // CHECK-NOT: math.fma
  // CHECK: ld.global.nc.b16 $0, [$1 + 0];"
  // CHECK-NOT: math.fma
  // CHECK: ld.global.nc.b16 $0, [$1 + 0];"
  // CHECK-COUNT-16: math.fma
  // CHECK-NOT: math.fma
  // CHECK: scf.yield
  // The rest of k, by loads that have predicates.
  // CHECK: scf.if
  // CHECK: setp.ge.s32 isThere, $5, 1;
  // CHECK: setp.ge.s32 isThere, $5, 17;
  // Sums over the four lanes of the same columns; the first one stores eight.
  // CHECK-COUNT-16: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK: arith.cmpi ult, %{{.*}}, %c8_i32
  // CHECK: scf.if
  // CHECK-COUNT-8: memref.store %{{.*}} : memref<256xf32, #gpu.address_space<workgroup>>
  // CHECK: gpu.barrier
  tcgemm.program @across(%x: !global, %y: !global, %at: i64, %step: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
    %one = arith.constant 1 : i64
    %acc = tcgemm.acc.dot %x[%at] stride %one step %step at %i of %i by %y[%at] stride %one step %step at %i of %i
      depth %i size 1 64 slices 4 unroll 2 bytes 2 16 lanes 8 : !global, !global -> <1 x 1, row>
    tcgemm.return
  }
}
