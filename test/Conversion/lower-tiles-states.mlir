// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles))' | FileCheck %s
// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,tcgemm-program-to-nvvm))' \
// RUN:   | FileCheck %s --check-prefix=NVVM

!global = memref<?xf32, #gpu.address_space<global>>
!acc = !tcgemm.acc<16 x 16, mma_sync>

!indices = memref<?xi64, #gpu.address_space<global>>
!pairs = memref<?xvector<2xf32>, #gpu.address_space<global>>
!moments = memref<?xvector<4xf32>, #gpu.address_space<global>>

gpu.module @states {
  // An index is a maximum of integers: the value's bits, ordered as integers are, and
  // the complement of the column. Two halves of 32 bits are exchanged.

  // CHECK-LABEL: tcgemm.program @indices(
  // CHECK-SAME: %[[P:[a-z0-9]+]]: memref<?xi64
  // CHECK: %[[STATES:.*]]:2 = scf.if %{{.*}} -> (i64, i64) {
  // CHECK: %[[SUM:.*]] = arith.addf %[[X:.*]], %{{.*}} : f32
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[SUM]] : f32 to i32
  // CHECK: %[[SIGN:.*]] = arith.shrsi %[[BITS]], %c31
  // CHECK: %[[MASK:.*]] = arith.andi %[[SIGN]], %c2147483647
  // CHECK: %[[NUMBER:.*]] = arith.xori %[[BITS]], %[[MASK]]
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
  // CHECK: %[[KEY:.*]] = arith.select %[[NAN]], %c2147483647{{.*}}, %[[NUMBER]]
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[KEY]] : i32 to i64
  // CHECK: %[[HIGH:.*]] = arith.shli %[[WIDE]], %c32
  // CHECK: %[[COLUMN:.*]] = arith.subi %c2147483647{{.*}}, %{{.*}} : i32
  // CHECK: %[[LOW:.*]] = arith.extui %[[COLUMN]] : i32 to i64
  // CHECK: arith.ori %[[HIGH]], %[[LOW]]
  // CHECK-COUNT-6: arith.maxsi
  // CHECK-NOT: arith.maxsi
  // CHECK: } else {
  // CHECK: %[[WORDS:.*]] = llvm.bitcast %[[STATES]]#0 : i64 to vector<2xi32>
  // CHECK-COUNT-2: nvvm.shfl.sync bfly
  // CHECK: %[[OTHER:.*]] = llvm.bitcast %{{.*}} : vector<2xi32> to i64
  // CHECK: arith.maxsi %[[STATES]]#0, %[[OTHER]]
  // CHECK: memref.store %{{.*}}, %[[P]]
  // NVVM-LABEL: llvm.func @indices(
  // NVVM: llvm.intr.smax
  tcgemm.program @indices(%d: !global, %p: !indices, %pitch: i64, %slots: i64, %length: i64,
                          %m: i32, %n: i32, %m0: i32, %n0: i32)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.zero : !acc
    tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%m, %n) outputs(%d : !global) strides(%pitch) dims ["mn"]
        arguments [] guards [] reductions [#tcgemm.partial<argmaximumf, "m">] to %p strides %slots, %length : !indices {
    ^bb0(%x: f32):
      tcgemm.yield %x, %x : f32, f32
    } : !acc
    tcgemm.return
  }

  // Four values of a row: one maximum, and the exponential function of four differences.

  // CHECK-LABEL: tcgemm.program @sums(
  // CHECK: scf.if %{{.*}} -> (vector<2xf32>, vector<2xf32>) {
  // CHECK-COUNT-3: arith.maximumf
  // CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[X:.*]], %[[M:.*]] : f32
  // CHECK: %[[EXPONENT:.*]] = arith.mulf %[[DIFFERENCE]]
  // CHECK: %[[POWER:.*]] = llvm.inline_asm {{.*}}"ex2.approx.ftz.f32 $0, $1;", "=f,f" %[[EXPONENT]]
  // CHECK: %[[SAME:.*]] = arith.cmpf oeq, %[[X]], %[[M]]
  // CHECK: arith.select %[[SAME]], %{{.*}}, %[[POWER]]
  // CHECK-COUNT-3: ex2.approx
  // CHECK: vector.from_elements %[[M]], %{{.*}} : vector<2xf32>
  // CHECK: } else {
  // NVVM-LABEL: llvm.func @sums(
  // NVVM: llvm.intr.maximum
  tcgemm.program @sums(%d: !global, %p: !pairs, %pitch: i64, %slots: i64, %length: i64,
                       %m: i32, %n: i32, %m0: i32, %n0: i32)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.zero : !acc
    tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%m, %n) outputs(%d : !global) strides(%pitch) dims ["mn"]
        arguments [] guards [] reductions [#tcgemm.partial<sumexpf, "m">] to %p strides %slots, %length : !pairs {
    ^bb0(%x: f32):
      tcgemm.yield %x, %x : f32, f32
    } : !acc
    tcgemm.return
  }

  // The result is the sum of squared deviations divided by the number of values.

  // CHECK-LABEL: tcgemm.program @combine(
  // CHECK: scf.for {{.*}} -> (vector<4xf32>)
  // CHECK-COUNT-8: memref.load
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK: memref.store
  // CHECK: %[[LAST:.*]] = memref.load %{{.*}} : memref<64xvector<4xf32>
  // CHECK: scf.if
  // CHECK: %[[SQUARES:.*]] = vector.extract %[[LAST]][2]
  // CHECK: %[[NUMBER:.*]] = vector.extract %[[LAST]][0]
  // CHECK: %[[LEAST:.*]] = arith.maximumf %[[NUMBER]]
  // CHECK: %[[VARIANCE:.*]] = arith.divf %[[SQUARES]], %[[LEAST]]
  // CHECK: memref.store %[[VARIANCE]]
  // NVVM-LABEL: llvm.func @combine(
  // NVVM: llvm.fdiv
  tcgemm.program @combine(%p: !moments, %r: !global, %s: i64, %i: i32)
      attributes {threads = 64 : i64, chip = "sm_80"} {
    tcgemm.partials.combine %p[%s] by #tcgemm.reduction<variancef, 0.0 : f32> count %s stride %s
      to %r[%s] stride %s results %i of 32 : !moments, !global
    tcgemm.return
  }

  // The warps of one result's CTA exchange their values; 16 loads are in flight.

  // CHECK-LABEL: tcgemm.program @combine_one(
  // CHECK: scf.for {{.*}} -> (f32)
  // CHECK-COUNT-16: memref.load
  // CHECK-NOT: memref.load
  // CHECK: scf.yield
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK: scf.if
  // CHECK: memref.store
  // CHECK: gpu.barrier
  // CHECK: memref.load %{{.*}} : memref<64xf32
  // CHECK: arith.select
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: gpu.barrier
  // CHECK: memref.store
  tcgemm.program @combine_one(%p: !global, %r: !global, %s: i64, %i: i32)
      attributes {threads = 64 : i64, chip = "sm_80"} {
    tcgemm.partials.combine %p[%s] by #tcgemm.reduction<maximumf, 0.0 : f32> count %s stride %s
      to %r[%s] stride %s results %i of 1 : !global, !global
    tcgemm.return
  }
}
