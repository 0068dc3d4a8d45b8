// RUN: tcgemm-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// Programs with one rule of docs/rationale/tile-level.md broken in each.

// Too many waits in flight: more groups pending than there are.

!a = !tcgemm.tile<64 x 64 x bf16, xor>
!ring = !tcgemm.ring<3, cp_async, [!a, !a]>
!loader = !tcgemm.loader<!a, bytes = 16, k_contiguous = true, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%loader: !loader, %at: i64, %k_tiles: i32)
    attributes {threads = 128 : i64, chip = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  %s0 = tcgemm.ring.start %ring : !ring
  %w0 = tcgemm.ring.acquire %ring, %s0 : !ring -> !write
  tcgemm.loader.copy %loader, %at to %ring, %s0, %w0 tile 0 part 0 of 1 : !loader, !ring, !write
  %g0 = tcgemm.ring.commit %ring, %w0 : !ring, !write -> !group
  %s1 = tcgemm.ring.advance %ring, %s0 : !ring
  %w1 = tcgemm.ring.acquire %ring, %s1 : !ring -> !write
  %g1 = tcgemm.ring.commit %ring, %w1 : !ring, !write -> !group
  %s2 = tcgemm.ring.advance %ring, %s1 : !ring
  %r0 = tcgemm.ring.wait %ring, %s0, %g0 : !group pending 1 : !ring -> !read
  %r, %g, %sr, %sw = scf.for %kt = %c0 to %k_tiles step %c1
      iter_args(%read = %r0, %group = %g1, %rs = %s0, %ws = %s2)
      -> (!read, !group, !state, !state) : i32 {
    %w = tcgemm.ring.acquire %ring, %ws : !ring -> !write
    %young = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
    tcgemm.ring.release %ring, %read : !ring, !read
    %rs2 = tcgemm.ring.advance %ring, %rs : !ring
    // expected-error @below {{too many waits in flight: leaves 2 groups of copies pending, but only 1 are younger}}
    %read2 = tcgemm.ring.wait %ring, %rs2, %group : !group pending 2 : !ring -> !read
    %ws2 = tcgemm.ring.advance %ring, %ws : !ring
    scf.yield %read2, %young, %rs2, %ws2 : !read, !group, !state, !state
  }
  tcgemm.ring.drain %ring, %r, %g : !ring, !read, !group
  tcgemm.return
}

// -----

// Too many waits in flight: a ring with too few stages.

!a = !tcgemm.tile<64 x 64 x bf16, xor>
!ring = !tcgemm.ring<2, cp_async, [!a, !a]>
!loader = !tcgemm.loader<!a, bytes = 16, k_contiguous = true, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%loader: !loader, %at: i64, %k_tiles: i32)
    attributes {threads = 128 : i64, chip = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  %s0 = tcgemm.ring.start %ring : !ring
  %w0 = tcgemm.ring.acquire %ring, %s0 : !ring -> !write
  tcgemm.loader.copy %loader, %at to %ring, %s0, %w0 tile 0 part 0 of 1 : !loader, !ring, !write
  %g0 = tcgemm.ring.commit %ring, %w0 : !ring, !write -> !group
  %s1 = tcgemm.ring.advance %ring, %s0 : !ring
  %w1 = tcgemm.ring.acquire %ring, %s1 : !ring -> !write
  %g1 = tcgemm.ring.commit %ring, %w1 : !ring, !write -> !group
  %s2 = tcgemm.ring.advance %ring, %s1 : !ring
  %r0 = tcgemm.ring.wait %ring, %s0, %g0 : !group pending 1 : !ring -> !read
  %r, %g, %sr, %sw = scf.for %kt = %c0 to %k_tiles step %c1
      iter_args(%read = %r0, %group = %g1, %rs = %s0, %ws = %s2)
      -> (!read, !group, !state, !state) : i32 {
    // expected-error @below {{too many waits in flight: it holds 3 stages of a ring of 2}}
    %w = tcgemm.ring.acquire %ring, %ws : !ring -> !write
    %young = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
    tcgemm.ring.release %ring, %read : !ring, !read
    %rs2 = tcgemm.ring.advance %ring, %rs : !ring
    %read2 = tcgemm.ring.wait %ring, %rs2, %group : !group pending 1 : !ring -> !read
    %ws2 = tcgemm.ring.advance %ring, %ws : !ring
    scf.yield %read2, %young, %rs2, %ws2 : !read, !group, !state, !state
  }
  tcgemm.ring.drain %ring, %r, %g : !ring, !read, !group
  tcgemm.return
}

// -----

// A stage written before a barrier has published its release.

!a = !tcgemm.tile<64 x 64 x bf16, xor>
!ring = !tcgemm.ring<2, cp_async, [!a, !a]>
!loader = !tcgemm.loader<!a, bytes = 16, k_contiguous = true, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%loader: !loader, %at: i64, %k_tiles: i32)
    attributes {threads = 128 : i64, chip = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  %s0 = tcgemm.ring.start %ring : !ring
  %w0 = tcgemm.ring.acquire %ring, %s0 : !ring -> !write
  tcgemm.loader.copy %loader, %at to %ring, %s0, %w0 tile 0 part 0 of 1 : !loader, !ring, !write
  %g0 = tcgemm.ring.commit %ring, %w0 : !ring, !write -> !group
  %s1 = tcgemm.ring.advance %ring, %s0 : !ring
  %w1 = tcgemm.ring.acquire %ring, %s1 : !ring -> !write
  %g1 = tcgemm.ring.commit %ring, %w1 : !ring, !write -> !group
  %s2 = tcgemm.ring.advance %ring, %s1 : !ring
  %r0 = tcgemm.ring.wait %ring, %s0, %g0 : !group pending 1 : !ring -> !read
  %r, %g, %sr, %sw = scf.for %kt = %c0 to %k_tiles step %c1
      iter_args(%read = %r0, %group = %g1, %rs = %s0, %ws = %s2)
      -> (!read, !group, !state, !state) : i32 {
    tcgemm.ring.release %ring, %read : !ring, !read
    // expected-error @below {{too many waits in flight: it holds 2 stages of a ring of 2, and no barrier has followed the release of 1}}
    %w = tcgemm.ring.acquire %ring, %ws : !ring -> !write
    %young = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
    %rs2 = tcgemm.ring.advance %ring, %rs : !ring
    %read2 = tcgemm.ring.wait %ring, %rs2, %group : !group pending 1 : !ring -> !read
    %ws2 = tcgemm.ring.advance %ring, %ws : !ring
    scf.yield %read2, %young, %rs2, %ws2 : !read, !group, !state, !state
  }
  tcgemm.ring.drain %ring, %r, %g : !ring, !read, !group
  tcgemm.return
}

// -----

// Copies in flight whose order changes round the loop.

!a = !tcgemm.tile<64 x 64 x bf16, xor>
!ring = !tcgemm.ring<4, cp_async, [!a, !a]>
!loader = !tcgemm.loader<!a, bytes = 16, k_contiguous = true, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%loader: !loader, %at: i64, %k_tiles: i32)
    attributes {threads = 128 : i64, chip = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  %s0 = tcgemm.ring.start %ring : !ring
  %w0 = tcgemm.ring.acquire %ring, %s0 : !ring -> !write
  tcgemm.loader.copy %loader, %at to %ring, %s0, %w0 tile 0 part 0 of 1 : !loader, !ring, !write
  %g0 = tcgemm.ring.commit %ring, %w0 : !ring, !write -> !group
  %s1 = tcgemm.ring.advance %ring, %s0 : !ring
  %w1 = tcgemm.ring.acquire %ring, %s1 : !ring -> !write
  %g1 = tcgemm.ring.commit %ring, %w1 : !ring, !write -> !group
  %s2 = tcgemm.ring.advance %ring, %s1 : !ring
  %w2 = tcgemm.ring.acquire %ring, %s2 : !ring -> !write
  %g2 = tcgemm.ring.commit %ring, %w2 : !ring, !write -> !group
  %s3 = tcgemm.ring.advance %ring, %s2 : !ring
  %r0 = tcgemm.ring.wait %ring, %s0, %g0 : !group pending 1 : !ring -> !read
  // expected-error @below {{tokens of copies in flight change their order round the loop}}
  %r, %g, %h, %sr, %sw = scf.for %kt = %c0 to %k_tiles step %c1
      iter_args(%read = %r0, %group = %g1, %mid = %g2, %rs = %s0, %ws = %s3)
      -> (!read, !group, !group, !state, !state) : i32 {
    %w = tcgemm.ring.acquire %ring, %ws : !ring -> !write
    %young = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
    tcgemm.ring.release %ring, %read : !ring, !read
    %rs2 = tcgemm.ring.advance %ring, %rs : !ring
    %read2 = tcgemm.ring.wait %ring, %rs2, %group : !group pending 1 : !ring -> !read
    %ws2 = tcgemm.ring.advance %ring, %ws : !ring
    scf.yield %read2, %young, %mid, %rs2, %ws2 : !read, !group, !group, !state, !state
  }
  tcgemm.ring.drain %ring, %r, %g, %h : !ring, !read, !group, !group
  tcgemm.return
}

// -----

// Legal: one product in flight round the loop.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %p0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %zero : !ring, !read, !acc -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%old = %p0, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p1 = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !flying -> !flying
      %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
      tcgemm.ring.release %ring, %before : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %p2, %r, %next : !flying, !read, !state
    }
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last : !ring, !read
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// Too many waits in flight: more products than stages.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %p0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %zero : !ring, !read, !acc -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%old = %p0, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p1 = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !flying -> !flying
      // expected-error @below {{too many waits in flight: leaves 4 products pending, but their ring has only 4 stages}}
      %p2 = tcgemm.mma.await %p1 pending 4 : !flying -> !flying
      tcgemm.ring.release %ring, %before : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %p2, %r, %next : !flying, !read, !state
    }
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last : !ring, !read
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A stage released under a product: too many pending.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %p0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %zero : !ring, !read, !acc -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%old = %p0, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p1 = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !flying -> !flying
      %p2 = tcgemm.mma.await %p1 pending 2 : !flying -> !flying
      // expected-error @below {{stage is released while a product that reads it may be in flight}}
      tcgemm.ring.release %ring, %before : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %p2, %r, %next : !flying, !read, !state
    }
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last : !ring, !read
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A stage released under a product: before the last await.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %p0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %zero : !ring, !read, !acc -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%old = %p0, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p1 = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !flying -> !flying
      %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
      tcgemm.ring.release %ring, %before : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %p2, %r, %next : !flying, !read, !state
    }
    // expected-error @below {{stage is released while a product that reads it may be in flight}}
    tcgemm.ring.release %ring, %last : !ring, !read
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// An accumulator read in flight by an epilogue.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %out: memref<?xbf16>, %pitch: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %p0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %zero : !ring, !read, !acc -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%old = %p0, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p1 = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !flying -> !flying
      %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
      tcgemm.ring.release %ring, %before : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %p2, %r, %next : !flying, !read, !state
    }
    tcgemm.ring.release %ring, %last : !ring, !read
    // expected-error @below {{accumulator is read in flight: mma.await it with pending 0 first}}
    tcgemm.epilogue %p at (%c0, %m, %m) of (%m, %m) outputs(%out : memref<?xbf16>)
        strides(%pitch) dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      %narrow = arith.truncf %x : f32 to bf16
      tcgemm.yield %narrow : bf16
    } : !flying
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// An accumulator read in flight by something else.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %p0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %zero : !ring, !read, !acc -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%old = %p0, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p1 = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !flying -> !flying
      %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
      tcgemm.ring.release %ring, %before : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %p2, %r, %next : !flying, !read, !state
    }
    // expected-error @below {{accumulator is read in flight}}
    "test.use"(%p) : (!flying) -> ()
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last : !ring, !read
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// An accumulator in flight used twice.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %p0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %zero : !ring, !read, !acc -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    // expected-note @below {{it comes from here}}
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%old = %p0, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p1 = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !flying -> !flying
      %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
      tcgemm.ring.release %ring, %before : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %p2, %r, %next : !flying, !read, !state
    }
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last : !ring, !read
    // expected-error @below {{accumulator in flight is used twice}}
    %again = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// An accumulator never awaited.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %p0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %zero : !ring, !read, !acc -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    // expected-error @below {{accumulator is never awaited}}
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%old = %p0, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p1 = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !flying -> !flying
      %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
      tcgemm.ring.release %ring, %before : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %p2, %r, %next : !flying, !read, !state
    }
    tcgemm.ring.release %ring, %last : !ring, !read
    tcgemm.tma.store %zero to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}
