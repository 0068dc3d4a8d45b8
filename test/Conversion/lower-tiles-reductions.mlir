// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles))' | FileCheck %s
// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,tcgemm-program-to-nvvm))' \
// RUN:   | FileCheck %s --check-prefix=NVVM

!global = memref<?xf32, #gpu.address_space<global>>
!acc = !tcgemm.acc<16 x 16, mma_sync>

gpu.module @module {
  // The sums of rows: a lane has 4 elements of each of 2 rows. A whole tile needs no
  // conditions. Four lanes share a row, and the first of them stores the partial
  // result if the row and the tile are inside.

  // CHECK-LABEL: tcgemm.program @rows(
  // CHECK-SAME: %[[M:[^:]*]]: i32, %[[N:[^:]*]]: i32, %[[M0:[^:]*]]: i32, %[[N0:[^:]*]]: i32
  // CHECK: %[[WHOLE:.*]] = arith.andi
  // CHECK: %[[SUMS:.*]]:2 = scf.if %[[WHOLE]] -> (f32, f32) {
  // CHECK-NOT: arith.select
  // CHECK-COUNT-6: arith.addf
  // CHECK-NOT: arith.addf
  // CHECK: } else {
  // CHECK: arith.cmpi ult, %{{.*}}, %[[N]]
  // CHECK-COUNT-8: arith.select
  // CHECK-NOT: arith.select
  // CHECK: }
  // CHECK: %[[TILE:.*]] = arith.divui %[[N0]], %c16_i32
  // CHECK: arith.cmpi ult, %[[N0]], %[[N]]
  // CHECK: %[[S1:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[SUMS]]#0, %c1_i32
  // CHECK: %[[T1:.*]] = arith.addf %[[SUMS]]#0, %[[S1]]
  // CHECK: %[[S2:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[T1]], %c2_i32
  // CHECK: %[[T2:.*]] = arith.addf %[[T1]], %[[S2]]
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: scf.if
  // CHECK-NEXT: arith.index_cast
  // CHECK-NEXT: memref.store %[[T2]]
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %[[SUMS]]#1
  // CHECK: tcgemm.return
  tcgemm.program @rows(%d: !global, %p: !global, %pitch: i64, %slots: i64, %length: i64,
                       %m: i32, %n: i32, %m0: i32, %n0: i32)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.zero : !acc
    tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%m, %n) outputs(%d : !global) strides(%pitch) dims ["mn"]
        arguments [] guards [] reductions [#tcgemm.partial<addf, "m">] to %p strides %slots, %length : !global {
    ^bb0(%x: f32):
      tcgemm.yield %x, %x : f32, f32
    } : !acc
    tcgemm.return
  }

  // The largest absolute value: all 32 lanes combine one value. max.NaN keeps NaN.

  // CHECK-LABEL: tcgemm.program @all(
  // CHECK: scf.if %{{.*}} -> (f32) {
  // CHECK-COUNT-7: arith.maximumf
  // CHECK: } else {
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: memref.store
  // NVVM-LABEL: llvm.func @all(
  // NVVM: llvm.intr.maximum
  tcgemm.program @all(%d: !global, %p: !global, %pitch: i64, %slots: i64, %length: i64,
                      %m: i32, %n: i32, %m0: i32, %n0: i32)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.zero : !acc
    tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%m, %n) outputs(%d : !global) strides(%pitch) dims ["mn"]
        arguments [] guards [] reductions [#tcgemm.partial<maximumf, "">] to %p strides %slots, %length : !global {
    ^bb0(%x: f32):
      %y = math.absf %x : f32
      tcgemm.yield %x, %y : f32, f32
    } : !acc
    tcgemm.return
  }

  // Two groups of 32 lanes: each combines every other partial result, eight loads
  // at a time; then the first group combines both.

  // CHECK-LABEL: tcgemm.program @combine(
  // CHECK-SAME: %[[P:[^:]*]]: memref{{[^,]*}}, #gpu.address_space<global>>, %[[R:[^:]*]]: memref
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c16_i64
  // CHECK-COUNT-8: memref.load %[[P]]
  // CHECK-NOT: memref.load
  // CHECK: memref.store %{{.*}}, %[[SHARED:view[_0-9]*]][
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK-COUNT-2: memref.load %[[SHARED]]
  // CHECK: memref.store %{{.*}}, %[[SHARED]]
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.if
  // CHECK: arith.constant -5.0
  // CHECK: memref.store %{{.*}}, %[[R]]
  tcgemm.program @combine(%p: !global, %r: !global, %offset: i64, %count: i64, %stride: i64, %i: i32)
      attributes {threads = 64 : i64, chip = "sm_80"} {
    tcgemm.partials.combine %p[%offset] by #tcgemm.reduction<addf, -5.0 : f32> count %count stride %stride
      to %r[%offset] stride %stride results %i of 32 : !global, !global
    tcgemm.return
  }
}
