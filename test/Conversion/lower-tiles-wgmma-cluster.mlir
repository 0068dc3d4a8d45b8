// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' \
// RUN:   | FileCheck %s

// A cluster of 2 x 2, rank m + 2n. A is shared with the rank that differs in n,
// B with the one that differs in m; each CTA copies a half of both to both.

!half = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>, <64 x 64 x bf16, b128>]>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flight = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
// CHECK-LABEL: tcgemm.program @cluster
gpu.module @module {
  tcgemm.program @cluster(%mapA: !tcgemm.tensor_map<!half>, %mapB: !tcgemm.tensor_map<!half>, %m: i32, %n: i32, %rowA: i32, %rowB: i32,
                          %out: memref<?xf32, #gpu.address_space<global>>, %stride: i64)
      attributes {threads = 256 : i64, chip = "sm_90a", cluster = 4 : i64} {
    // CHECK-DAG: %[[TWELVE:.*]] = arith.constant 12 : i32
    // CHECK-DAG: %[[BYTES:.*]] = arith.constant 16384 : i32
    // CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i32
    // CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i32
    // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
    // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
    %false = arith.constant false
    %c0 = arith.constant 0 : i32
    // Four warps of each of three CTAs empty a stage. The whole cluster waits for
    // the barriers: another CTA's copies arrive at them.
    // CHECK: nvvm.mbarrier.init %{{.*}}, %[[TWELVE]]
    // CHECK: nvvm.fence.mbarrier.init
    // CHECK: nvvm.cluster.arrive.relaxed {aligned}
    // CHECK-NEXT: nvvm.cluster.wait {aligned}
    // CHECK-NOT: gpu.barrier
    %ring = tcgemm.ring.create empty_arrivals 12 : !ring
    tcgemm.role producer warps [0, 4] {
      %start = tcgemm.ring.start %ring : !ring
      // A stage's own barrier counts what all copy into it.
      // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
      %w = tcgemm.ring.acquire %ring, %start : !ring -> !tcgemm.token<write>
      // The mask is relative to the lowest rank of those that share: its bits are
      // moved by the part of the rank that they do not vary.
      // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
      // CHECK: %[[LOW:.*]] = arith.andi %[[RANK]], %[[C1]]
      // CHECK: arith.shli %[[FIVE]], %[[LOW]]
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %
      tcgemm.tma.load %mapA[%c0, %m] to %ring, %start, %w tile 0 row %rowA multicast 5 : !tcgemm.tensor_map<!half>, !ring, !tcgemm.token<write>
      // CHECK: %[[HIGH:.*]] = arith.andi %[[RANK]], %[[C2]]
      // CHECK: arith.shli %[[THREE]], %[[HIGH]]
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %
      tcgemm.tma.load %mapB[%c0, %n] to %ring, %start, %w tile 1 row %rowB multicast 3 : !tcgemm.tensor_map<!half>, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
      %end = tcgemm.ring.advance %ring, %start : !ring
      tcgemm.ring.await_releases %ring, %end : !ring
    }
    tcgemm.role consumer warps [4, 8] {
      %start = tcgemm.ring.start %ring : !ring
      %zero = tcgemm.acc.zero : !acc
      %r = tcgemm.ring.wait %ring, %start : !ring -> !tcgemm.token<read>
      %sum = tcgemm.mma.async %ring, %start, %r tiles 0, 1 into %zero if %false : !ring, !tcgemm.token<read>, !acc -> !flight
      // CHECK: wgmma.wait_group.sync.aligned 0;
      %done = tcgemm.mma.await %sum : !flight -> !acc
      // Three lanes of each warp arrive, one at each CTA that copies to this one:
      // ranks r, r ^ 1 and r ^ 2.
      // CHECK: %[[LANE:.*]] = arith.remui
      // CHECK: %[[ARRIVES:.*]] = arith.cmpi ult, %[[LANE]], %[[THREE]]
      // CHECK: scf.if %[[ARRIVES]]
      // CHECK: %[[OWN:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
      // CHECK: %[[PEER:.*]] = arith.xori %[[OWN]], %[[LANE]]
      // CHECK: %[[THERE:.*]] = nvvm.mapa %{{.*}}, %[[PEER]] : !llvm.ptr<3> -> !llvm.ptr<7>
      // CHECK: nvvm.mbarrier.arrive %[[THERE]] : !llvm.ptr<7>
      tcgemm.ring.release %ring, %r arrivals 4 multicast 7 : !ring, !tcgemm.token<read>
      tcgemm.epilogue %done at(%c0, %m, %n) of(%m, %n) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%stride) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        tcgemm.yield %x : f32
      } : !acc
    }
    // CHECK-NOT: nvvm.cluster
    // CHECK: tcgemm.return
    tcgemm.return
  }

  // The producer ends when its stages have been released: a wait for each stage's empty
  // barrier, from the one behind the last that was written.
  // CHECK-LABEL: tcgemm.program @awaits_releases
  tcgemm.program @awaits_releases(%map: !tcgemm.tensor_map<!half>, %m: i32)
      attributes {threads = 256 : i64, chip = "sm_90a", cluster = 2 : i64} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create empty_arrivals 8 : !ring
    tcgemm.role producer warps [0, 4] {
      %start = tcgemm.ring.start %ring : !ring
      %w = tcgemm.ring.acquire %ring, %start : !ring -> !tcgemm.token<write>
      tcgemm.tma.load %map[%c0, %m] to %ring, %start, %w tile 0 multicast 3 : !tcgemm.tensor_map<!half>, !ring, !tcgemm.token<write>
      tcgemm.tma.load %map[%c0, %m] to %ring, %start, %w tile 1 multicast 3 : !tcgemm.tensor_map<!half>, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
      %end = tcgemm.ring.advance %ring, %start : !ring
      // CHECK: scf.for %{{.*}} = %c0_i32 to %c2_i32 step %c1_i32 iter_args(%[[STAGE:.*]] = %c1_i32, %[[PHASE:.*]] = %c0_i32)
      // CHECK: %[[BYTES:.*]] = arith.muli %[[STAGE]], %c8_i32
      // CHECK: %[[STAGES:.*]] = llvm.getelementptr %{{.*}}[%[[BYTES]]]
      // CHECK: %[[EMPTY:.*]] = llvm.getelementptr %[[STAGES]][32784]
      // CHECK: %[[PARITY:.*]] = arith.xori %[[PHASE]], %c1_i32
      // CHECK: nvvm.mbarrier.try_wait.parity %[[EMPTY]], %[[PARITY]]
      // CHECK: scf.yield
      tcgemm.ring.await_releases %ring, %end : !ring
    }
    tcgemm.role consumer warps [4, 8] {
      %start = tcgemm.ring.start %ring : !ring
      %r = tcgemm.ring.wait %ring, %start : !ring -> !tcgemm.token<read>
      tcgemm.ring.release %ring, %r arrivals 4 multicast 3 : !ring, !tcgemm.token<read>
    }
    // CHECK-NOT: nvvm.cluster
    // CHECK: tcgemm.return
    tcgemm.return
  }
}
