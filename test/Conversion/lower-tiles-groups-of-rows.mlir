// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' \
// RUN:   | FileCheck %s

// The end of a group is at least its start and at most the extent.

!offsets = memref<?xi32, #gpu.address_space<global>>
gpu.module @module {
  // CHECK-LABEL: tcgemm.program @groups
  // CHECK-SAME: (%[[O:.*]]: memref<?xi32{{.*}}>, %[[G:.*]]: i32, %[[M:.*]]: i32, %[[TILE:.*]]: i32, %[[COLUMNS:.*]]: i32, %[[OUT:.*]]: memref
  tcgemm.program @groups(%o: !offsets, %g: i32, %m: i32, %tile: i32, %columns: i32, %out: !offsets)
      attributes {threads = 32 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    // CHECK-DAG: %[[C127:.*]] = arith.constant 127 : i32
    // CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i32
    // CHECK: %[[COUNTED:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %[[G]] step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[FIRST:.*]] = %{{.*}})
    // CHECK:   %[[OFFSET:.*]] = memref.load %[[O]]
    // CHECK:   %[[LEAST:.*]] = arith.maxsi %[[OFFSET]], %[[FIRST]]
    // CHECK:   %[[END:.*]] = arith.minsi %[[LEAST]], %[[M]]
    // CHECK:   %[[ROWS:.*]] = arith.subi %[[END]], %[[FIRST]]
    // CHECK:   %[[UP:.*]] = arith.addi %[[ROWS]], %[[C127]]
    // CHECK:   %[[TILES:.*]] = arith.divui %[[UP]], %[[C128]]
    // CHECK:   %[[NEXT:.*]] = arith.addi %[[SUM]], %[[TILES]]
    // CHECK:   scf.yield %[[NEXT]], %[[END]]
    %count = tcgemm.group_tiles %o of %g below %m rows 128 : !offsets
    // CHECK: %[[FOUND:.*]]:5 = scf.while
    // CHECK:   memref.load %[[O]]
    // CHECK:   %[[OF_GROUP:.*]] = arith.muli %{{.*}}, %[[COLUMNS]]
    // CHECK:   %[[BEHIND:.*]] = arith.addi %{{.*}}, %[[OF_GROUP]]
    // CHECK:   %[[GOES_ON:.*]] = arith.cmpi ule, %[[BEHIND]], %[[TILE]]
    // CHECK:   scf.condition(%[[GOES_ON]])
    %group, %before, %start, %end = tcgemm.group_locate %o below %m rows 128 tile %tile columns %columns from(%c0, %c0, %c0) : !offsets
    %at = arith.index_cast %count : i32 to index
    // CHECK: memref.store %[[FOUND]]#0, %[[OUT]]
    // CHECK: memref.store %[[FOUND]]#4, %[[OUT]]
    memref.store %group, %out[%at] : !offsets
    memref.store %before, %out[%at] : !offsets
    memref.store %start, %out[%at] : !offsets
    memref.store %end, %out[%at] : !offsets
    tcgemm.return
  }
}
