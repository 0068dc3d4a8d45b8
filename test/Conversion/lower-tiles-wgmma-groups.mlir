// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' \
// RUN:   | FileCheck %s

// A lane has two of 64 rows, 8 apart. The four lanes of a row load a group each: its
// number is that of four groups plus the lane's. What is loaded stays as it is until it is
// selected, so that no lane waits for it earlier.

!acc = !tcgemm.acc<64 x 8, wgmma>
!narrow = !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>
!scales = memref<?xf16, #gpu.address_space<global>>
!zeros = memref<?xi8, #gpu.address_space<global>>
// CHECK-LABEL: tcgemm.program @groups
// CHECK-SAME: %{{.*}}: memref<?xf16{{.*}}>, %{{.*}}: memref<?xi8{{.*}}>, %[[OFFSET:.*]]: i64, %[[STRIDE:.*]]: i64, %[[BY_GROUP:.*]]: i64, %[[N:.*]]: i32, %[[END:.*]]: i32, %[[G:.*]]: i32, %[[GROUPS:.*]]: i32
gpu.module @module {
  tcgemm.program @groups(%s: !scales, %z: !zeros, %offset: i64, %stride: i64, %by_group: i64, %n: i32, %end: i32,
                         %g: i32, %groups: i32, %out: memref<?xf32, #gpu.address_space<global>>, %pitch: i64)
      attributes {threads = 128 : i64, chip = "sm_90a"} {
    // CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i32
    // CHECK-DAG: %[[MASK:.*]] = arith.constant -4 : i32
    // CHECK-DAG: %[[SEGMENTS:.*]] = arith.constant 7199 : i32
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %total = tcgemm.acc.zero : !acc
      // CHECK-DAG: %[[OF_FOUR:.*]] = arith.andi %[[G]], %[[MASK]]
      // CHECK-DAG: %[[IN_ROW:.*]] = arith.remui %[[LANE:.*]], %[[FOUR]]
      // CHECK: %[[GROUP:.*]] = arith.addi %[[OF_FOUR]], %[[IN_ROW]]
      // CHECK: arith.cmpi ult, %[[GROUP]], %[[GROUPS]]
      // CHECK-COUNT-2: @exists ld.global.u16 $0, [$1];
      %sv = tcgemm.group_values.load %s[%offset] by %stride, %by_group from %n below %end group %g below %groups : !scales -> <f16, 64>
      // CHECK-COUNT-2: @exists ld.global.u8 $0, [$1];
      %zv = tcgemm.group_values.load %z[%offset] by %stride, %by_group from %n below %end group %g below %groups : !zeros -> <i8, 64>
      // CHECK: %[[BITS:.*]] = nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %[[G]], %[[SEGMENTS]]
      // CHECK: nvvm.shfl.sync idx
      // CHECK: %[[HALF:.*]] = arith.trunci %[[BITS]] : i32 to i16
      // CHECK: %[[NUMBER:.*]] = arith.bitcast %[[HALF]] : i16 to f16
      // CHECK: %[[SCALE:.*]] = arith.extf %[[NUMBER]] : f16 to f32
      %rows = tcgemm.scales.select %sv[%g] : <f16, 64> -> <a, 64>
      // CHECK: math.fma %{{.*}}, %[[SCALE]]
      %sum = tcgemm.acc.add %total, %total scaled(%rows : !tcgemm.scales<a, 64>) : !acc
      tcgemm.epilogue %sum at (%c0, %n, %n) of (%n, %n) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%pitch) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        tcgemm.yield %x : f32
      } : !acc
    }
    tcgemm.return
  }
}
