// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s
// RUN: tcgemm-opt %s -mlir-print-op-generic | tcgemm-opt | FileCheck %s

// Two CTAs of a cluster share B: each copies half of it to both. A stage is free
// when the consumers of both have released it.

!a = !tcgemm.tile<128 x 64 x bf16, b128>
!b = !tcgemm.tile<256 x 64 x bf16, b128>
!c = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !b]>
!map_a = !tcgemm.tensor_map<!a>
!map_b = !tcgemm.tensor_map<!tcgemm.tile<128 x 64 x bf16, b128>>
!map_c = !tcgemm.tensor_map<!c>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 256, wgmma>
!flying = !tcgemm.acc<64 x 256, wgmma, in_flight = true>

// CHECK-LABEL: tcgemm.program @multicast
// CHECK-SAME: cluster = 2
// CHECK: %[[RING:.*]] = tcgemm.ring.create empty_arrivals 16 :
// CHECK: tcgemm.tma.load %{{.*}}[%{{.*}}, %{{.*}}] to %[[RING]], %{{.*}}, %{{.*}} tile 0 :
// CHECK: tcgemm.tma.load %{{.*}}[%{{.*}}, %{{.*}}] to %[[RING]], %{{.*}}, %{{.*}} tile 1 row %{{.*}} multicast 3 : <<128 x 64 x bf16, b128>>
// CHECK: tcgemm.ring.release %[[RING]], %{{.*}} arrivals 4 multicast 3
// CHECK: tcgemm.tma.store
// CHECK: tcgemm.tma.await
// CHECK: tcgemm.return
tcgemm.program @multicast(%map_a: !map_a, %map_b: !map_b, %map_c: !map_c, %rank: i32,
                       %tiles: i32, %tiles_m: i32, %tiles_n: i32, %k_tiles: i32,
                       %first: i32, %ctas: i32)
    attributes {threads = 384 : i64, chip = "sm_90a", cluster = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %ring = tcgemm.ring.create full_arrivals 1 empty_arrivals 16 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %written = scf.for %t = %first to %tiles step %ctas iter_args(%tile_start = %start) -> (!state) : i32 {
      %batch, %m, %n, %slice = tcgemm.raster %t of %tiles_m x %tiles_n slices %c1
          along_m true group 8 slices_inner false
      %m0 = arith.muli %m, %c256 : i32
      %n0 = arith.muli %n, %c256 : i32
      // Each CTA of the pair has its own rows of A and copies half of B to both.
      %own = arith.muli %rank, %c128 : i32
      %m_own = arith.addi %m0, %own : i32
      %n_half = arith.addi %n0, %own : i32
      %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%state = %tile_start) -> (!state) : i32 {
        %k0 = arith.muli %kt, %c64 : i32
        %w = tcgemm.ring.acquire %ring, %state : !ring -> !write
        tcgemm.tma.load %map_a[%k0, %m_own] to %ring, %state, %w tile 0 : !map_a, !ring, !write
        tcgemm.tma.load %map_b[%k0, %n_half] to %ring, %state, %w tile 1 row %own multicast 3 : !map_b, !ring, !write
        tcgemm.ring.commit %ring, %w : !ring, !write
        %next = tcgemm.ring.advance %ring, %state : !ring
        scf.yield %next : !state
      }
      scf.yield %end : !state
    }
    tcgemm.ring.await_releases %ring, %written : !ring
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    scf.for %t = %first to %tiles step %ctas iter_args(%tile_start = %start) -> (!state) : i32 {
      // The first k-step is peeled: it starts from nothing.
      %none = tcgemm.acc.zero : !acc
      %false = arith.constant false
      %r0 = tcgemm.ring.wait %ring, %tile_start : !ring -> !read
      %p0 = tcgemm.mma.async %ring, %tile_start, %r0 tiles 0, 1 into %none if %false
          : !ring, !read, !acc -> !flying
      %second = tcgemm.ring.advance %ring, %tile_start : !ring
      // One product stays in flight; its stage is released an iteration later.
      %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
          iter_args(%sum = %p0, %before = %r0, %state = %second) -> (!flying, !read, !state) : i32 {
        %r = tcgemm.ring.wait %ring, %state : !ring -> !read
        %p1 = tcgemm.mma.async %ring, %state, %r tiles 0, 1 into %sum : !ring, !read, !flying -> !flying
        %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
        tcgemm.ring.release %ring, %before arrivals 4 multicast 3 : !ring, !read
        %next = tcgemm.ring.advance %ring, %state : !ring
        scf.yield %p2, %r, %next : !flying, !read, !state
      }
      %acc = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %last arrivals 4 multicast 3 : !ring, !read
      %batch, %m, %n, %slice = tcgemm.raster %t of %tiles_m x %tiles_n slices %c1
          along_m true group 8 slices_inner false
      %m0 = arith.muli %m, %c256 : i32
      %n0 = arith.muli %n, %c256 : i32
      %own = arith.muli %rank, %c128 : i32
      %m_own = arith.addi %m0, %own : i32
      tcgemm.tma.store %acc to %map_c[%n0, %m_own] buffers 2 : !acc, !map_c
      scf.yield %end : !state
    }
    tcgemm.tma.await
  }
  tcgemm.role consumer warps [8, 12] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    scf.for %t = %first to %tiles step %ctas iter_args(%tile_start = %start) -> (!state) : i32 {
      // The first k-step is peeled: it starts from nothing.
      %none = tcgemm.acc.zero : !acc
      %false = arith.constant false
      %r0 = tcgemm.ring.wait %ring, %tile_start : !ring -> !read
      %p0 = tcgemm.mma.async %ring, %tile_start, %r0 tiles 0, 1 row %c64 into %none if %false
          : !ring, !read, !acc -> !flying
      %second = tcgemm.ring.advance %ring, %tile_start : !ring
      // One product stays in flight; its stage is released an iteration later.
      %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
          iter_args(%sum = %p0, %before = %r0, %state = %second) -> (!flying, !read, !state) : i32 {
        %r = tcgemm.ring.wait %ring, %state : !ring -> !read
        %p1 = tcgemm.mma.async %ring, %state, %r tiles 0, 1 row %c64 into %sum : !ring, !read, !flying -> !flying
        %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
        tcgemm.ring.release %ring, %before arrivals 4 multicast 3 : !ring, !read
        %next = tcgemm.ring.advance %ring, %state : !ring
        scf.yield %p2, %r, %next : !flying, !read, !state
      }
      %acc = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %last arrivals 4 multicast 3 : !ring, !read
      %batch, %m, %n, %slice = tcgemm.raster %t of %tiles_m x %tiles_n slices %c1
          along_m true group 8 slices_inner false
      %m0 = arith.muli %m, %c256 : i32
      %n0 = arith.muli %n, %c256 : i32
      %own = arith.muli %rank, %c128 : i32
      %m_own = arith.addi %m0, %own : i32
      %m1 = arith.addi %m_own, %c64 : i32
      tcgemm.tma.store %acc to %map_c[%n0, %m1] buffers 2 : !acc, !map_c
      scf.yield %end : !state
    }
    tcgemm.tma.await
  }
  tcgemm.return
}
