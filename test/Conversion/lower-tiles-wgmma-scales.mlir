// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' \
// RUN:   | FileCheck %s

// A thread has two of 64 rows, 8 apart, and a quarter of the columns, of which the
// first 128 have another scale than the rest. Rows beyond the last read its scale.

!acc = !tcgemm.acc<64 x 256, wgmma>
!scales = memref<?xf32, #gpu.address_space<global>>
// CHECK-LABEL: tcgemm.program @scaled
// CHECK-SAME: %[[SA:.*]]: memref<?xf32{{.*}}>, %[[SB:.*]]: memref<?xf32{{.*}}>, %[[OFFSET:.*]]: i64, %[[STRIDE:.*]]: i64, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[BLOCK:.*]]: i32, %[[BLOCKS:.*]]: i32
gpu.module @module {
  tcgemm.program @scaled(%sa: !scales, %sb: !scales, %offset: i64, %stride: i64, %m: i32, %n: i32, %block: i32, %blocks: i32,
                         %out: memref<?xf32, #gpu.address_space<global>>, %pitch: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
    // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
    // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %total = tcgemm.acc.zero : !acc
      %part = tcgemm.acc.zero : !acc
      // CHECK-DAG: %[[FIRST:.*]] = arith.addi %[[M]],
      // CHECK-DAG: %[[LAST:.*]] = arith.subi %[[N]], %[[C1]]
      // CHECK: arith.minui %[[FIRST]], %[[LAST]]
      // CHECK: %[[ROW0:.*]] = memref.load %[[SA]]
      // CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[C8]]
      // CHECK: arith.minui %[[SECOND]], %[[LAST]]
      // CHECK: %[[ROW1:.*]] = memref.load %[[SA]]
      %rows = tcgemm.scales.load %sa[%offset] by %stride from %m below %n : !scales -> <a, 64>
      // CHECK: arith.minui %[[BLOCK]]
      // CHECK: %[[COLUMNS0:.*]] = memref.load %[[SB]]
      // CHECK: %[[COLUMNS1:.*]] = memref.load %[[SB]]
      %columns = tcgemm.scales.load %sb[%offset] by %stride from %block below %blocks : !scales -> <b, 256>
      // CHECK-DAG: %[[F00:.*]] = arith.mulf %[[ROW0]], %[[COLUMNS0]]
      // CHECK-DAG: %[[F01:.*]] = arith.mulf %[[ROW0]], %[[COLUMNS1]]
      // CHECK-DAG: %[[F10:.*]] = arith.mulf %[[ROW1]], %[[COLUMNS0]]
      // CHECK-DAG: %[[F11:.*]] = arith.mulf %[[ROW1]], %[[COLUMNS1]]
      // CHECK: math.fma %{{.*}}, %[[F00]]
      // CHECK: math.fma %{{.*}}, %[[F10]]
      // CHECK: math.fma %{{.*}}, %[[F01]]
      // CHECK: math.fma %{{.*}}, %[[F11]]
      // CHECK-NOT: math.fma
      %sum = tcgemm.acc.add %total, %part scaled(%rows, %columns : !tcgemm.scales<a, 64>, !tcgemm.scales<b, 256>) : !acc
      tcgemm.epilogue %sum at (%c0, %m, %n) of (%m, %n) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%pitch) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        tcgemm.yield %x : f32
      } : !acc
    }
    tcgemm.return
  }
}

// A warp copies the scales of its 16 rows, a lane each, and those of two blocks of
// columns, to one of four slots of its own. A thread reads those of its two rows.

// CHECK-LABEL: tcgemm.program @copied
// CHECK-SAME: %[[SA:.*]]: memref<?xf32{{.*}}>, %[[SB:.*]]: memref<?xf32{{.*}}>, %[[OFFSET:.*]]: i64, %[[STRIDE:.*]]: i64, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32
gpu.module @copies {
  tcgemm.program @copied(%sa: !scales, %sb: !scales, %offset: i64, %stride: i64, %m: i32, %n: i32, %k: i32,
                         %out: memref<?xf32, #gpu.address_space<global>>, %pitch: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
    // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
    // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : i32
    // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %total = tcgemm.acc.zero : !acc
      %part = tcgemm.acc.zero : !acc
      // The parts of the second buffer follow the four warps' parts of the first one:
      // 4 · 4 · 16 · 4 bytes.
      // CHECK: llvm.getelementptr %{{.*}}[1024]
      %rows = tcgemm.scales.create : <a, 64, 4>
      %columns = tcgemm.scales.create : <b, 256, 4>
      // CHECK: nvvm.bar.warp.sync
      // CHECK: %[[SLOT:.*]] = arith.remui %[[K]], %[[C4]]
      // CHECK: %[[HAS:.*]] = arith.cmpi ult, %[[LANE:.*]], %[[C16]]
      // CHECK: scf.if %[[HAS]] {
      // CHECK:   arith.minui
      // CHECK:   nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache =  ca
      // CHECK: }
      tcgemm.scales.fetch %sa[%offset] by %stride from %m below %n to %rows[%k] : !scales -> <a, 64, 4>
      // CHECK: nvvm.bar.warp.sync
      // CHECK: %[[HAS2:.*]] = arith.cmpi ult, %[[LANE]], %[[C2]]
      // CHECK: scf.if %[[HAS2]] {
      // CHECK:   nvvm.cp.async.shared.global
      // CHECK: }
      tcgemm.scales.fetch %sb[%offset] by %stride from %m below %n to %columns[%k] : !scales -> <b, 256, 4>
      // CHECK: nvvm.cp.async.commit.group
      tcgemm.scales.commit
      // CHECK: nvvm.cp.async.wait.group 3
      // CHECK: nvvm.bar.warp.sync
      // CHECK: %[[ROW0:.*]] = llvm.load
      // CHECK: %[[ROW1:.*]] = llvm.load
      %r = tcgemm.scales.read %rows[%k] pending 3 : <a, 64, 4> -> <a, 64>
      // CHECK: nvvm.cp.async.wait.group 0
      // CHECK: nvvm.bar.warp.sync
      // CHECK: %[[BLOCK0:.*]] = llvm.load
      // CHECK: %[[BLOCK1:.*]] = llvm.load
      %c = tcgemm.scales.read %columns[%k] pending 0 : <b, 256, 4> -> <b, 256>
      // CHECK: arith.mulf %[[ROW0]], %[[BLOCK0]]
      // CHECK: arith.mulf %[[ROW1]], %[[BLOCK1]]
      %sum = tcgemm.acc.add %total, %part scaled(%r, %c : !tcgemm.scales<a, 64>, !tcgemm.scales<b, 256>) : !acc
      tcgemm.epilogue %sum at (%c0, %m, %n) of (%m, %n) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%pitch) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        tcgemm.yield %x : f32
      } : !acc
    }
    tcgemm.return
  }
}

// A tile of 96 columns starts and ends inside blocks of 128. It has a scale for each 32
// columns. Four of these scales are of one block.

// CHECK-LABEL: tcgemm.program @parts
// CHECK-SAME: %[[SA:.*]]: memref<?xf32{{.*}}>, %[[SB:.*]]: memref<?xf32{{.*}}>, %[[OFFSET:.*]]: i64, %[[STRIDE:.*]]: i64, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[PART:.*]]: i32, %[[BLOCKS:.*]]: i32, %[[K:.*]]: i32
gpu.module @parts_of_blocks {
  tcgemm.program @parts(%sa: !scales, %sb: !scales, %offset: i64, %stride: i64, %m: i32, %n: i32, %part: i32, %blocks: i32,
                        %k: i32, %out: memref<?xf32, #gpu.address_space<global>>, %pitch: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
    // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
    // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
    // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %total = tcgemm.acc.zero : !tcgemm.acc<64 x 96, wgmma>
      %sum = tcgemm.acc.zero : !tcgemm.acc<64 x 96, wgmma>
      %columns = tcgemm.scales.create : <b, 96, 4>
      // CHECK: nvvm.bar.warp.sync
      // CHECK: %[[HAS:.*]] = arith.cmpi ult, %[[LANE:.*]], %[[C3]]
      // CHECK: scf.if %[[HAS]] {
      // CHECK:   %[[NUMBER:.*]] = arith.addi %[[PART]], %[[LANE]]
      // CHECK:   %[[BLOCK:.*]] = arith.divui %[[NUMBER]], %[[C4]]
      // CHECK:   %[[LAST:.*]] = arith.subi %[[BLOCKS]], %[[C1]]
      // CHECK:   arith.minui %[[BLOCK]], %[[LAST]]
      // CHECK:   nvvm.cp.async.shared.global
      // CHECK: }
      tcgemm.scales.fetch %sb[%offset] by %stride from %part below %blocks to %columns[%k] : !scales -> <b, 96, 4>
      tcgemm.scales.commit
      // CHECK: nvvm.cp.async.wait.group 0
      // CHECK: %[[S0:.*]] = llvm.load
      // CHECK: %[[S1:.*]] = llvm.load
      // CHECK: %[[S2:.*]] = llvm.load
      %c = tcgemm.scales.read %columns[%k] pending 0 : <b, 96, 4> -> <b, 96>
      // CHECK: math.fma %{{.*}}, %[[S0]]
      // CHECK: math.fma %{{.*}}, %[[S1]]
      // CHECK: math.fma %{{.*}}, %[[S2]]
      %scaled = tcgemm.acc.add %total, %sum scaled(%c : !tcgemm.scales<b, 96>) : !tcgemm.acc<64 x 96, wgmma>
      // CHECK: %[[LOADED:.*]] = arith.divui %[[PART]], %[[C4]]
      // CHECK: arith.minui %[[LOADED]]
      // CHECK: memref.load %[[SB]]
      %loaded = tcgemm.scales.load %sb[%offset] by %stride from %part below %blocks : !scales -> <b, 96>
      // CHECK: math.fma
      %again = tcgemm.acc.add %scaled, %sum scaled(%loaded : !tcgemm.scales<b, 96>) : !tcgemm.acc<64 x 96, wgmma>
      tcgemm.epilogue %again at (%c0, %m, %n) of (%m, %n) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%pitch) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        tcgemm.yield %x : f32
      } : !tcgemm.acc<64 x 96, wgmma>
    }
    tcgemm.return
  }
}
