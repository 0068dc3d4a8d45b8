// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' \
// RUN:   --split-input-file | FileCheck %s

// Stores by TMA, in boxes of 64 x 64, through one of two tiles of 8192 bytes.

!box = !tcgemm.tile<64 x 64 x bf16, b128>
!acc = !tcgemm.acc<64 x 128, wgmma>
// CHECK-LABEL: tcgemm.program @tma
gpu.module @module {
  tcgemm.program @tma(%map: !tcgemm.tensor_map<!box>, %m: i32, %n: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
    // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
    // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i32
    // CHECK-DAG: %[[THREADS:.*]] = arith.constant 128 : i32
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %acc = tcgemm.acc.zero : !acc
      // Neighbours are rounded together, before a tile is waited for.
      // CHECK: nvvm.convert.f32x2.to.bf16x2
      // The first warp waits until TMA has read the tile of two chunks ago, the
      // warpgroup for it.
      // CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %{{.*}}, %[[C0]]
      // CHECK-NEXT: scf.if %[[IS_FIRST]]
      // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 1 {read}
      // CHECK: nvvm.barrier id = %[[GROUP:.*]] number_of_threads = %[[THREADS]]
      // CHECK-COUNT-4: nvvm.stmatrix
      // What was written here must be seen by TMA, which one thread then starts.
      // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      // CHECK-NEXT: nvvm.barrier id = %[[GROUP]] number_of_threads = %[[THREADS]]
      // CHECK-NEXT: scf.if %[[IS_FIRST]]
      // CHECK-NEXT: nvvm.elect.sync
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%[[N:arg[0-9]+]], %[[M:arg[0-9]+]]]
      // CHECK: nvvm.cp.async.bulk.commit.group
      // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
      // CHECK-COUNT-4: nvvm.stmatrix
      // CHECK: %[[SECOND:.*]] = arith.addi %[[N]], %[[C64]]
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%[[SECOND]], %[[M]]]
      tcgemm.epilogue %acc at(%c0, %m, %n) of(%m, %n) maps(%map : !tcgemm.tensor_map<!box>) buffers 2 dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to bf16
        tcgemm.yield %0 : bf16
      } : !acc
      // The tiles must not go before TMA has read them.
      // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
      tcgemm.tma.await
    }
    tcgemm.return
  }
}

// -----

// An accumulator that lies across turns by stmatrix.trans.

!box = !tcgemm.tile<16 x 64 x bf16, b128>
!acc = !tcgemm.acc<64 x 16, wgmma>
// CHECK-LABEL: tcgemm.program @turned
gpu.module @module {
  tcgemm.program @turned(%map: !tcgemm.tensor_map<!box>, %m: i32, %n: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %acc = tcgemm.acc.zero : !acc
      // CHECK: nvvm.stmatrix {{.*}} layout = #nvvm.mma_layout<col>
      tcgemm.epilogue %acc at(%c0, %m, %n) of(%m, %n) maps(%map : !tcgemm.tensor_map<!box>) buffers 1 dims ["mn"] arguments [] guards [] transposed {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to bf16
        tcgemm.yield %0 : bf16
      } : !acc
      tcgemm.tma.await
    }
    tcgemm.return
  }
}

// -----

// A tile of two boxes, and two buffers for them: in the next tile a box comes
// again to a buffer when the other one has been used in between.

!box = !tcgemm.tile<64 x 64 x bf16, b128>
!acc = !tcgemm.acc<64 x 128, wgmma>
// CHECK-LABEL: tcgemm.program @whole_rounds
gpu.module @module {
  tcgemm.program @whole_rounds(%map: !tcgemm.tensor_map<!box>, %m: i32, %n: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    tcgemm.role consumer warps [0, 4] {
      // CHECK: scf.for
      // CHECK-NOT: wait_group 0
      scf.for %tile = %c0 to %m step %c1 : i32 {
        %acc = tcgemm.acc.zero : !acc
        // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
        // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
        tcgemm.epilogue %acc at(%c0, %tile, %n) of(%m, %n) maps(%map : !tcgemm.tensor_map<!box>) buffers 2 dims ["mn"] arguments [] guards [] {
        ^bb0(%x: f32):
          %0 = arith.truncf %x : f32 to bf16
          tcgemm.yield %0 : bf16
        } : !acc
      }
      // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
      tcgemm.tma.await
    }
    tcgemm.return
  }
}

// -----

// Of three buffers, the second tile starts with the one that the first has used
// last but one. So all are waited for.

!box = !tcgemm.tile<64 x 64 x bf16, b128>
!acc = !tcgemm.acc<64 x 128, wgmma>
// CHECK-LABEL: tcgemm.program @broken_rounds
gpu.module @module {
  tcgemm.program @broken_rounds(%map: !tcgemm.tensor_map<!box>, %m: i32, %n: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    tcgemm.role consumer warps [0, 4] {
      // CHECK: scf.for
      scf.for %tile = %c0 to %m step %c1 : i32 {
        %acc = tcgemm.acc.zero : !acc
        // CHECK: scf.if %[[IS_FIRST:[0-9]+]]
        // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
        // CHECK: scf.if %[[IS_FIRST]]
        // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 2 {read}
        // CHECK: nvvm.barrier id
        // CHECK: nvvm.stmatrix
        tcgemm.epilogue %acc at(%c0, %tile, %n) of(%m, %n) maps(%map : !tcgemm.tensor_map<!box>) buffers 3 dims ["mn"] arguments [] guards [] {
        ^bb0(%x: f32):
          %0 = arith.truncf %x : f32 to bf16
          tcgemm.yield %0 : bf16
        } : !acc
      }
      tcgemm.tma.await
    }
    tcgemm.return
  }
}
