// RUN: tcgemm-opt %s --tcgemm-lower-tiles | FileCheck %s

// An epilogue's input that comes by TMA: one thread of the role waits for the
// ring and copies; each warp reads what belongs to its accumulator by ldmatrix.

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<128 x 64 x bf16, b128>]>
!read = !tcgemm.token<read>
!write = !tcgemm.token<write>

gpu.module @module {
  // CHECK-LABEL: tcgemm.program @staged
  // Behind the stage and the 8 KiB that stores go through: two barriers, the
  // empty one for four warps. One barrier for both rings' creation.
  // CHECK-COUNT-2: nvvm.mbarrier.init
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: gpu.barrier
  // CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
  // CHECK: scf.if %[[ISFIRST]]
  // CHECK: nvvm.elect.sync
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: %c16384_i32
  // CHECK: nvvm.mbarrier.arrive.expect_tx
  // CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // All threads wait, and read the box of the part that they store.
  // CHECK: nvvm.mbarrier.try_wait.parity
  // A short body is not in a loop.
  // CHECK-NOT: scf.for
  // CHECK: arith.muli %{{.*}}, %c8192_i32
  // CHECK-COUNT-4: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4
  // CHECK-COUNT-4: nvvm.stmatrix
  // CHECK-NOT: scf.for
  // CHECK: arith.muli %{{.*}}, %c8192_i32
  // CHECK-COUNT-4: nvvm.ldmatrix
  // CHECK-COUNT-4: nvvm.stmatrix
  // CHECK: nvvm.mbarrier.arrive
  tcgemm.program @staged(%map: !map, %in: memref<?xbf16, 1>, %pitch: i64, %n: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %zero = arith.constant 0 : i32
    %row = arith.constant 64 : i32
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring
    tcgemm.role consumer warps [0, 4] {
      %state = tcgemm.ring.start %ring : !ring
      tcgemm.elect {
        %w = tcgemm.ring.acquire %ring, %state : !ring -> !write
        tcgemm.tma.load %map[%zero, %zero] to %ring, %state, %w tile 0 : !map, !ring, !write
        tcgemm.tma.load %map[%row, %zero] to %ring, %state, %w tile 0 row %row : !map, !ring, !write
        tcgemm.ring.commit %ring, %w : !ring, !write
      }
      %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 128, wgmma>
      %r = tcgemm.ring.wait %ring, %state : !ring -> !read
      tcgemm.epilogue %acc at(%zero, %zero, %zero) of(%n, %n) inputs(%in : memref<?xbf16, 1>) strides(%pitch) maps(%map : !map) buffers 1 staged [0] in %ring, %r : !ring, !read dims ["mn", "mn"] arguments [0] guards [-1] {
      ^bb0(%x: f32, %y: bf16):
        %z = arith.extf %y : bf16 to f32
        %sum = arith.addf %x, %z : f32
        %d = arith.truncf %sum : f32 to bf16
        tcgemm.yield %d : bf16
      } : !tcgemm.acc<64 x 128, wgmma>
      tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
      tcgemm.tma.await
    }
    tcgemm.return
  }
}
