// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s
// RUN: tcgemm-opt %s -mlir-print-op-generic | tcgemm-opt | FileCheck %s

// Ping-pong: each consumer takes every other tile of 64x256, and its epilogue
// overlaps the other's products. Order barriers keep them in turn.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!b = !tcgemm.tile<256 x 64 x bf16, b128>
!c = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !b]>
!map_a = !tcgemm.tensor_map<!a>
!map_b = !tcgemm.tensor_map<!b>
!map_c = !tcgemm.tensor_map<!c>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 256, wgmma>
!flying = !tcgemm.acc<64 x 256, wgmma, in_flight = true>

// CHECK-LABEL: tcgemm.program @pingpong
// CHECK: %[[RING:.*]] = tcgemm.ring.create :
// CHECK: tcgemm.role producer warps [0, 4] registers 24 {
// CHECK: tcgemm.role consumer warps [4, 8] registers 240 {
// CHECK-NOT: order.arrive
// CHECK: scf.for
// CHECK: tcgemm.order.wait turn 0 threads 256
// CHECK: tcgemm.ring.release %[[RING]], %{{[^ ]*}} :
// CHECK: tcgemm.order.arrive turn 1 threads 256
// CHECK: tcgemm.ring.advance %[[RING]], %{{.*}} by %{{.*}} :
// CHECK: tcgemm.tma.store
// CHECK: tcgemm.role consumer warps [8, 12] registers 240 {
// CHECK: %[[OWN:.*]] = tcgemm.ring.advance %[[RING]], %{{.*}} by %{{.*}} :
// CHECK: tcgemm.order.arrive turn 0 threads 256
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[OWN]])
// CHECK: tcgemm.order.wait turn 1 threads 256
// CHECK: tcgemm.order.arrive turn 0 threads 256
tcgemm.program @pingpong(%map_a: !map_a, %map_b: !map_b, %map_c: !map_c,
                       %tiles: i32, %tiles_m: i32, %tiles_n: i32, %k_tiles: i32,
                       %first: i32, %ctas: i32)
    attributes {threads = 384 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %two_rounds = arith.addi %ctas, %ctas : i32
  %ring = tcgemm.ring.create full_arrivals 1 empty_arrivals 1 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    scf.for %t = %first to %tiles step %ctas iter_args(%tile_start = %start) -> (!state) : i32 {
      %batch, %m, %n, %slice = tcgemm.raster %t of %tiles_m x %tiles_n slices %c1
          along_m true group 8 slices_inner false
      %m0 = arith.muli %m, %c64 : i32
      %n0 = arith.muli %n, %c256 : i32
      %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%state = %tile_start) -> (!state) : i32 {
        %k0 = arith.muli %kt, %c64 : i32
        %w = tcgemm.ring.acquire %ring, %state : !ring -> !write
        tcgemm.tma.load %map_a[%k0, %m0] to %ring, %state, %w tile 0 : !map_a, !ring, !write
        tcgemm.tma.load %map_b[%k0, %n0] to %ring, %state, %w tile 1 : !map_b, !ring, !write
        tcgemm.ring.commit %ring, %w : !ring, !write
        %next = tcgemm.ring.advance %ring, %state : !ring
        scf.yield %next : !state
      }
      scf.yield %end : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    scf.for %t = %first to %tiles step %two_rounds iter_args(%tile_start = %start) -> (!state) : i32 {
      %none = tcgemm.acc.zero : !acc
      tcgemm.order.wait turn 0 threads 256
      %sum, %end = scf.for %kt = %c0 to %k_tiles step %c1
          iter_args(%old = %none, %state = %tile_start) -> (!acc, !state) : i32 {
        %r = tcgemm.ring.wait %ring, %state : !ring -> !read
        %more = arith.cmpi ne, %kt, %c0 : i32
        %p = tcgemm.mma.async %ring, %state, %r tiles 0, 1 into %old if %more : !ring, !read, !acc -> !flying
        %new = tcgemm.mma.await %p : !flying -> !acc
        tcgemm.ring.release %ring, %r : !ring, !read
        %next = tcgemm.ring.advance %ring, %state : !ring
        scf.yield %new, %next : !acc, !state
      }
      tcgemm.order.arrive turn 1 threads 256
      // The other role's tile comes between.
      %skipped = tcgemm.ring.advance %ring, %end by %k_tiles : !ring
      %batch, %m, %n, %slice = tcgemm.raster %t of %tiles_m x %tiles_n slices %c1
          along_m true group 8 slices_inner false
      %m0 = arith.muli %m, %c64 : i32
      %n0 = arith.muli %n, %c256 : i32
      tcgemm.tma.store %sum to %map_c[%n0, %m0] buffers 2 : !acc, !map_c
      scf.yield %skipped : !state
    }
    tcgemm.tma.await
  }
  tcgemm.role consumer warps [8, 12] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    // The other role goes first; this one starts behind its tile.
    %own = tcgemm.ring.advance %ring, %start by %k_tiles : !ring
    %own_first = arith.addi %first, %ctas : i32
    tcgemm.order.arrive turn 0 threads 256
    scf.for %t = %own_first to %tiles step %two_rounds iter_args(%tile_start = %own) -> (!state) : i32 {
      %none = tcgemm.acc.zero : !acc
      tcgemm.order.wait turn 1 threads 256
      %sum, %end = scf.for %kt = %c0 to %k_tiles step %c1
          iter_args(%old = %none, %state = %tile_start) -> (!acc, !state) : i32 {
        %r = tcgemm.ring.wait %ring, %state : !ring -> !read
        %more = arith.cmpi ne, %kt, %c0 : i32
        %p = tcgemm.mma.async %ring, %state, %r tiles 0, 1 into %old if %more : !ring, !read, !acc -> !flying
        %new = tcgemm.mma.await %p : !flying -> !acc
        tcgemm.ring.release %ring, %r : !ring, !read
        %next = tcgemm.ring.advance %ring, %state : !ring
        scf.yield %new, %next : !acc, !state
      }
      tcgemm.order.arrive turn 0 threads 256
      // The other role's tile comes between.
      %skipped = tcgemm.ring.advance %ring, %end by %k_tiles : !ring
      %batch, %m, %n, %slice = tcgemm.raster %t of %tiles_m x %tiles_n slices %c1
          along_m true group 8 slices_inner false
      %m0 = arith.muli %m, %c64 : i32
      %n0 = arith.muli %n, %c256 : i32
      tcgemm.tma.store %sum to %map_c[%n0, %m0] buffers 2 : !acc, !map_c
      scf.yield %skipped : !state
    }
    tcgemm.tma.await
  }
  tcgemm.return
}
