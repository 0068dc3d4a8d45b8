// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' \
// RUN:   --split-input-file | FileCheck %s

// A ring of two stages, 64 x 64 and 16 x 64 elements: 10240 bytes a stage. The
// barriers are behind it, those that say "full" first.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!b = !tcgemm.tile<16 x 64 x bf16, b128>
!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>, <16 x 64 x bf16, b128>]>
!acc = !tcgemm.acc<64 x 16, wgmma>
!flight = !tcgemm.acc<64 x 16, wgmma, in_flight = true>
// CHECK-LABEL: tcgemm.program @ring
gpu.module @module {
  tcgemm.program @ring(%mapA: !tcgemm.tensor_map<!a>, %mapB: !tcgemm.tensor_map<!b>, %m: i32, %n: i32, %tiles: i32,
                       %out: memref<?xf32, #gpu.address_space<global>>, %stride: i64)
      attributes {threads = 256 : i64, chip = "sm_90a"} {
    %false = arith.constant false
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    // One thread makes the barriers: a producer's arrival fills a stage, one of
    // each of the four warps that read it empties it. Another prefetches the maps.
    // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
    // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
    // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
    // CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i32
    // CHECK-DAG: %[[C160:.*]] = arith.constant 160 : i32
    // CHECK-DAG: %[[STAGE:.*]] = arith.constant 10240 : i32
    // A matrix of 128-byte rows: swizzle 1 at bit 62, 64 x 16 bytes from one
    // group of eight rows to the next at bit 32, 1 at bit 16.
    // CHECK-DAG: %[[FIELDS:.*]] = arith.constant 46116862{{[0-9]+}} : i64
    // CHECK-DAG: %[[STAGE16:.*]] = arith.constant 640 : i64
    // CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
    // CHECK: %[[FETCHES:.*]] = arith.cmpi eq, %{{.*}}, %[[C32]]
    // CHECK-NEXT: scf.if %[[FETCHES]]
    // CHECK-COUNT-2: llvm.inline_asm has_side_effects {{.*}}"prefetch.tensormap [$0];", "l"
    // CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
    // CHECK-NEXT: %[[IN_FIRST:.*]] = arith.cmpi ult, %{{.*}}, %[[C32]]
    // CHECK-NEXT: %[[MAKES:.*]] = arith.andi %[[IN_FIRST]], %[[ELECTED]]
    // CHECK-NEXT: scf.if %[[MAKES]]
    // CHECK-NEXT: %[[FULL0:.*]] = llvm.getelementptr %{{.*}}[20480]
    // CHECK-NEXT: nvvm.mbarrier.init %[[FULL0]], %[[C1]]
    // CHECK-NEXT: %[[EMPTY0:.*]] = llvm.getelementptr %{{.*}}[20496]
    // CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY0]], %[[C4]]
    // CHECK-NEXT: %[[FULL1:.*]] = llvm.getelementptr %{{.*}}[20488]
    // CHECK-NEXT: nvvm.mbarrier.init %[[FULL1]], %[[C1]]
    // CHECK-NEXT: %[[EMPTY1:.*]] = llvm.getelementptr %{{.*}}[20504]
    // CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY1]], %[[C4]]
    // CHECK-NEXT: nvvm.fence.mbarrier.init
    // CHECK-NOT: gpu.barrier
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring

    // The first warp, which has made the barriers, says so to the four that
    // multiply and goes on. The thread that made them copies.
    // CHECK: arith.cmpi ult, %[[WARP]], %[[C4]]
    // CHECK-NEXT: scf.if
    // CHECK: arith.cmpi eq, %[[WARP]], %[[C0]]
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: nvvm.barrier.arrive id = %[[C0]] number_of_threads = %[[C160]]
    // CHECK-NEXT: scf.if %[[ELECTED]]
    // The position is a stage and its phase. All stages start empty, so the
    // producer waits for the phase before the first.
    // CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %[[C0]], %[[PHASE:.*]] = %[[C0]]) -> (i32, i32)
    // CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]], %[[C1]]
    // CHECK-NEXT: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[OTHER]], %{{.*}}
    // CHECK: nvvm.mbarrier.arrive.expect_tx %[[FULL:.*]], %[[STAGE]]
    // CHECK: arith.muli %[[AT]], %[[STAGE]]
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %[[FULL]], box[%[[K:.*]], %{{.*}}] :
    // CHECK: llvm.getelementptr %{{.*}}[8192]
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %[[FULL]], box[%[[K]], %{{.*}}] :
    // Behind the last stage comes the first, in the other phase.
    // CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %[[C1]]
    // CHECK-NEXT: %[[LAST:.*]] = arith.cmpi eq, %[[NEXT]], %
    // CHECK-NEXT: %[[FLIP:.*]] = arith.extui %[[LAST]]
    // CHECK-NEXT: %[[WRAPPED:.*]] = arith.select %[[LAST]], %[[C0]], %[[NEXT]]
    // CHECK-NEXT: %[[FLIPPED:.*]] = arith.xori %[[PHASE]], %[[FLIP]]
    // CHECK-NEXT: scf.yield %[[WRAPPED]], %[[FLIPPED]]
    tcgemm.role producer warps [0, 4] {
      %start = tcgemm.ring.start %ring : !ring
      scf.for %i = %c0 to %tiles step %c1 iter_args(%at = %start) -> (!tcgemm.ring_state) : i32 {
        %k = arith.muli %i, %c64 : i32
        %w = tcgemm.ring.acquire %ring, %at : !ring -> !tcgemm.token<write>
        tcgemm.tma.load %mapA[%k, %m] to %ring, %at, %w tile 0 row %c0 : !tcgemm.tensor_map<!a>, !ring, !tcgemm.token<write>
        tcgemm.tma.load %mapB[%k, %n] to %ring, %at, %w tile 1 row %c0 : !tcgemm.tensor_map<!b>, !ring, !tcgemm.token<write>
        tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
        %next = tcgemm.ring.advance %ring, %at : !ring
        scf.yield %next : !tcgemm.ring_state
      }
    }

    // Without registers in a role there is no setmaxnreg.
    // CHECK-NOT: nvvm.setmaxregister
    // CHECK: nvvm.barrier id = %[[C0]] number_of_threads = %[[C160]]
    // CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[C0]], %
    // Both descriptors: address / 16 in 14 bits, the stage's part added to it.
    // CHECK: %[[A:.*]] = arith.ori %{{.*}}, %[[FIELDS]]
    // CHECK: %[[B:.*]] = arith.ori %{{.*}}, %[[FIELDS]]
    // Four steps of 16 along k are 32 bytes apart. The first sum starts from
    // nothing, so its registers are results alone; only the last 1 in a step's
    // operands is for "add to the sum".
    // CHECK: llvm.inline_asm has_side_effects
    // CHECK-SAME: wgmma.fence.sync.aligned;\0A
    // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, ${{[0-9]+}}, ${{[0-9]+}}, 0, 1, 1, 0, 0;
    // CHECK-SAME: wgmma.mma_async{{[^;]*}}, 1, 1, 1, 0, 0;
    // CHECK-SAME: wgmma.mma_async{{[^;]*}}, 1, 1, 1, 0, 0;
    // CHECK-SAME: wgmma.mma_async{{[^;]*}}, 1, 1, 1, 0, 0;
    // CHECK-SAME: wgmma.commit_group.sync.aligned;
    // CHECK-SAME: "=f,=f,=f,=f,=f,=f,=f,=f,l,l,l,l,l,l,l,l,~{memory}"
    // CHECK: scf.for {{.*}} iter_args({{.*}}, %[[BEFORE:[^ ]*]] = %[[C0]], %[[HERE:[^ ]*]] = %{{[^,]*}}, %[[P:[^ ]*]] = %{{[^,)]*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32, i32, i32, i32)
    // CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[P]], %
    // CHECK: %[[POSITION:.*]] = arith.extui %[[HERE]] : i32 to i64
    // CHECK: %[[OFFSET:.*]] = arith.muli %[[POSITION]], %[[STAGE16]]
    // CHECK: arith.addi %[[A]], %[[OFFSET]]
    // CHECK: arith.addi %[[B]], %[[OFFSET]]
    // CHECK: llvm.inline_asm {{.*}}"=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l,l,l,l,l,l,l,~{memory}"
    // Accumulators in flight are not named.
    // CHECK: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 1;", "~{memory}" : () -> ()
    // One thread of each warp frees the stage before.
    // CHECK: arith.muli %[[BEFORE]],
    // CHECK: scf.if
    // CHECK-NEXT: nvvm.mbarrier.arrive %
    // CHECK: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,~{memory}"
    // CHECK: nvvm.mbarrier.arrive %
    tcgemm.role consumer warps [4, 8] {
      %start = tcgemm.ring.start %ring : !ring
      %zero = tcgemm.acc.zero : !acc
      %r0 = tcgemm.ring.wait %ring, %start : !ring -> !tcgemm.token<read>
      %sum0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %zero if %false : !ring, !tcgemm.token<read>, !acc -> !flight
      %second = tcgemm.ring.advance %ring, %start : !ring
      %loop:3 = scf.for %i = %c1 to %tiles step %c1 iter_args(%sum = %sum0, %before = %r0, %at = %second) -> (!flight, !tcgemm.token<read>, !tcgemm.ring_state) : i32 {
        %r = tcgemm.ring.wait %ring, %at : !ring -> !tcgemm.token<read>
        %added = tcgemm.mma.async %ring, %at, %r tiles 0, 1 into %sum : !ring, !tcgemm.token<read>, !flight -> !flight
        %one = tcgemm.mma.await %added pending 1 : !flight -> !flight
        tcgemm.ring.release %ring, %before arrivals 4 : !ring, !tcgemm.token<read>
        %next = tcgemm.ring.advance %ring, %at : !ring
        scf.yield %one, %r, %next : !flight, !tcgemm.token<read>, !tcgemm.ring_state
      }
      %done = tcgemm.mma.await %loop#0 : !flight -> !acc
      tcgemm.ring.release %ring, %loop#1 arrivals 4 : !ring, !tcgemm.token<read>
      tcgemm.epilogue %done at(%c0, %m, %n) of(%m, %n) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%stride) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        tcgemm.yield %x : f32
      } : !acc
    }
    tcgemm.return
  }
}

// -----

// Operands along M and N instead of k, one of 128 rows: rows of the instruction
// 64 apart are the next box of 64 columns, a step of 16 along k is 16 rows.

!a = !tcgemm.tile<128 x 64 x f16, b128>
!b = !tcgemm.tile<64 x 64 x f16, b128>
!ring = !tcgemm.ring<2, mbarrier, [<128 x 64 x f16, b128>, <64 x 64 x f16, b128>]>
!acc = !tcgemm.acc<128 x 64, wgmma>
!flight = !tcgemm.acc<128 x 64, wgmma, in_flight = true>
// CHECK-LABEL: tcgemm.program @transposed
gpu.module @module {
  tcgemm.program @transposed(%mapA: !tcgemm.tensor_map<!b>, %mapB: !tcgemm.tensor_map<!b>, %m: i32, %n: i32, %tiles: i32,
                             %out: memref<?xf16, #gpu.address_space<global>>, %stride: i64)
      attributes {threads = 256 : i64, chip = "sm_90a"} {
    // CHECK-DAG: %[[STEP:.*]] = arith.constant 128 : i64
    // CHECK-DAG: %[[BLOCK:.*]] = arith.constant 512 : i64
    %false = arith.constant false
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring
    tcgemm.role producer warps [0, 4] {
      %start = tcgemm.ring.start %ring : !ring
      %w = tcgemm.ring.acquire %ring, %start : !ring -> !tcgemm.token<write>
      // The second box of A is 64 rows of 128 bytes behind the first.
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
      // CHECK: llvm.getelementptr %{{.*}}[8192]
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
      tcgemm.tma.load %mapA[%m, %c0] to %ring, %start, %w tile 0 row %c0 : !tcgemm.tensor_map<!b>, !ring, !tcgemm.token<write>
      tcgemm.tma.load %mapA[%n, %c0] to %ring, %start, %w tile 0 row %c64 : !tcgemm.tensor_map<!b>, !ring, !tcgemm.token<write>
      tcgemm.tma.load %mapB[%n, %c0] to %ring, %start, %w tile 1 row %c0 : !tcgemm.tensor_map<!b>, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
    }
    tcgemm.role consumer warps [4, 8] {
      %start = tcgemm.ring.start %ring : !ring
      %zero = tcgemm.acc.zero : !acc
      %r = tcgemm.ring.wait %ring, %start : !ring -> !tcgemm.token<read>
      // Two instructions a step, one for each 64 rows, both transposed.
      // CHECK: arith.addi %{{.*}}, %[[BLOCK]] : i64
      // CHECK: arith.addi %{{.*}}, %[[STEP]] : i64
      // CHECK: llvm.inline_asm
      // CHECK-SAME: m64n64k16.f32.f16.f16 {$0, {{[^}]*}}, $31}, ${{[0-9]+}}, ${{[0-9]+}}, 0, 1, 1, 1, 1;
      // CHECK-SAME: m64n64k16.f32.f16.f16 {$32, {{[^}]*}}, $63}, ${{[0-9]+}}, ${{[0-9]+}}, 0, 1, 1, 1, 1;
      %sum = tcgemm.mma.async %ring, %start, %r tiles 0, 1 a_transposed b_transposed into %zero if %false : !ring, !tcgemm.token<read>, !acc -> !flight
      %done = tcgemm.mma.await %sum : !flight -> !acc
      tcgemm.ring.release %ring, %r arrivals 4 : !ring, !tcgemm.token<read>
      // What the body rounds first goes through a product with one, so that ptxas
      // does not round over the wait.
      // CHECK: llvm.inline_asm asm_dialect = att "mul.rn.f32 $0, $1, 0f3F800000;", "=f,f" %{{.*}} : (f32) -> f32
      // CHECK: arith.truncf
      tcgemm.epilogue %done at(%c0, %m, %n) of(%m, %n) outputs(%out : memref<?xf16, #gpu.address_space<global>>) strides(%stride) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        %h = arith.truncf %x : f32 to f16
        %f = arith.extf %h : f16 to f32
        %twice = arith.addf %f, %f : f32
        %g = arith.truncf %twice : f32 to f16
        tcgemm.yield %g : f16
      } : !acc
    }
    tcgemm.return
  }
}
