// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' \
// RUN:   | FileCheck %s

// Two CTAs split k. Of 64 x 16 sums each owns 8 columns, four registers a thread,
// and has 2048 bytes behind its stages for what the other sends, and a barrier.

!tile = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<2, mbarrier, [!tile, <16 x 64 x bf16, b128>]>
!acc = !tcgemm.acc<64 x 16, wgmma>
!part = !tcgemm.acc<64 x 8, wgmma>
// CHECK-LABEL: tcgemm.program @reduce
gpu.module @module {
  tcgemm.program @reduce(%mapA: !tcgemm.tensor_map<!tile>, %mapB: !tcgemm.tensor_map<!tcgemm.tile<16 x 64 x bf16, b128>>,
                         %m: i32, %n: i32, %rank: i32, %out: memref<?xf32, #gpu.address_space<global>>, %stride: i64)
      attributes {threads = 256 : i64, chip = "sm_90a", cluster = 2 : i64} {
    %false = arith.constant false
    %c0 = arith.constant 0 : i32
    // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
    // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
    // CHECK-DAG: %[[BYTES:.*]] = arith.constant 2048 : i32
    // The thread that makes the barriers expects the bytes of one sender. The
    // program arrives, but waits for the cluster only where it needs it.
    // CHECK: %[[INBOX:.*]] = llvm.getelementptr %[[SHARED:.*]][22528]
    // CHECK-NEXT: nvvm.mbarrier.init %[[INBOX]], %[[C1]] :
    // CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[INBOX]], %[[BYTES]] :
    // CHECK: nvvm.fence.mbarrier.init
    // CHECK: nvvm.cluster.arrive.relaxed {aligned}
    // CHECK-NOT: nvvm.cluster.wait
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring
    tcgemm.role producer warps [0, 4] {
      %start = tcgemm.ring.start %ring : !ring
      %w = tcgemm.ring.acquire %ring, %start : !ring -> !tcgemm.token<write>
      tcgemm.tma.load %mapA[%c0, %m] to %ring, %start, %w tile 0 : !tcgemm.tensor_map<!tile>, !ring, !tcgemm.token<write>
      tcgemm.tma.load %mapB[%c0, %n] to %ring, %start, %w tile 1 : !tcgemm.tensor_map<!tcgemm.tile<16 x 64 x bf16, b128>>, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
    }
    // The warps that copy wait at their end, not before their copies.
    // CHECK-COUNT-2: nvvm.cp.async.bulk.tensor
    // CHECK: nvvm.cluster.wait{{$}}
    // CHECK-NOT: nvvm.cluster.wait
    tcgemm.role consumer warps [4, 8] {
      %start = tcgemm.ring.start %ring : !ring
      %zero = tcgemm.acc.zero : !acc
      %r = tcgemm.ring.wait %ring, %start : !ring -> !tcgemm.token<read>
      %p = tcgemm.mma.async %ring, %start, %r tiles 0, 1 into %zero if %false : !ring, !tcgemm.token<read>, !acc -> !tcgemm.acc<64 x 16, wgmma, in_flight = true>
      %done = tcgemm.mma.await %p : !tcgemm.acc<64 x 16, wgmma, in_flight = true> -> !acc
      tcgemm.ring.release %ring, %r arrivals 4 : !ring, !tcgemm.token<read>
      // CHECK: %[[SUMS:.*]] = llvm.inline_asm {{.*}}wgmma.wait_group
      // CHECK: %[[X0:.*]] = llvm.extractvalue %[[SUMS]][0]
      // CHECK: %[[X4:.*]] = llvm.extractvalue %[[SUMS]][4]
      // CHECK: nvvm.cluster.wait {aligned}
      // Both the place and the barrier are the owner's.
      // CHECK: %[[SENDS0:.*]] = arith.cmpi ne, %[[RANK:.*]], %[[C0]]
      // CHECK: scf.if %[[SENDS0]]
      // CHECK: %[[OWNER:.*]] = arith.addi
      // CHECK: %[[BARRIER:.*]] = llvm.inline_asm {{.*}} "mapa.shared::cluster.u32 {{.*}} %{{.*}}, %[[OWNER]] :
      // CHECK: %[[PLACE:.*]] = llvm.inline_asm {{.*}} "mapa.shared::cluster.u32 {{.*}} %{{.*}}, %[[OWNER]] :
      // CHECK: "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [$4 + 0], {$0, $1, $2, $3}, [$5];", {{.*}} %[[X0]], {{.*}}, %[[PLACE]], %[[BARRIER]] :
      // CHECK: %[[SENDS1:.*]] = arith.cmpi ne, %[[RANK]], %[[C1]]
      // CHECK: scf.if %[[SENDS1]]
      // CHECK: "st.async.weak.{{.*}} %[[X4]], {{.*}} :
      // Each adds what has come to its own columns.
      // CHECK: %[[OWN:.*]] = llvm.getelementptr %[[SHARED]][22528]
      // CHECK: nvvm.mbarrier.try_wait.parity %[[OWN]], %[[C0]],
      // CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[RANK]], %[[C1]]
      // CHECK: %[[MINE:.*]] = arith.select %[[FIRST]], %[[X0]], %[[X4]]
      // CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[20480]
      // CHECK: %[[CAME:.*]] = llvm.load %[[AT]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      // CHECK: %[[ONE:.*]] = vector.extract %[[CAME]][0]
      // CHECK: %[[SUM:.*]] = arith.addf %[[MINE]], %[[ONE]]
      // CHECK-COUNT-3: arith.addf
      // CHECK: vector.from_elements %[[SUM]],
      %sum = tcgemm.acc.cluster_reduce %done rank %rank of 2 : !acc -> !part
      tcgemm.epilogue %sum at(%c0, %m, %n) of(%m, %n) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%stride) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        tcgemm.yield %x : f32
      } : !part
    }
    // Nobody stores into a CTA that has all it waits for: no one waits at the end.
    // CHECK-NOT: nvvm.cluster
    // CHECK: tcgemm.return
    tcgemm.return
  }
}
