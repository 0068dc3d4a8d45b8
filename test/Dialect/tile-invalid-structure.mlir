// RUN: tcgemm-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// Programs with one rule of docs/rationale/tile-level.md broken in each.

// A producer that reads.

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
  tcgemm.role producer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      // expected-error @below {{reads an mbarrier ring, which only a consumer role may}}
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A consumer that writes.

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
  tcgemm.role consumer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      // expected-error @below {{writes an mbarrier ring, which only a producer role may}}
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
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A cp_async ring in a role.

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
  tcgemm.role producer warps [0, 4] {
  %s0 = tcgemm.ring.start %ring : !ring
  // expected-error @below {{is in a role, but all threads share a cp_async ring}}
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
    %read2 = tcgemm.ring.wait %ring, %rs2, %group : !group pending 1 : !ring -> !read
    %ws2 = tcgemm.ring.advance %ring, %ws : !ring
    scf.yield %read2, %young, %rs2, %ws2 : !read, !group, !state, !state
  }
  tcgemm.ring.drain %ring, %r, %g : !ring, !read, !group
  }
  tcgemm.return
}

// -----

// Warps of two roles.

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
  // expected-error @below {{shares warp 3 with another role}}
  tcgemm.role consumer warps [3, 8] {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// Warps of no role.

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
  // expected-error @below {{leaves warp 4 without a role}}
  tcgemm.role consumer warps [8, 12] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// More warps than roles.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

// expected-error @below {{has 12 warps, but its roles have 8}}
tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 384 : i64, chip = "sm_90a"} {
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
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// Tile operations in control flow that is not followed.

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
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    scf.execute_region {
    // expected-error @below {{is in 'scf.execute_region', but rings, products and roles are only followed through}}
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    scf.yield
    }
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A ring that is not known.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32, %other: !ring)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    // expected-error @below {{must name a ring by its ring.create}}
    %start = tcgemm.ring.start %other : !ring
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
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A program without a body.

// expected-error @below {{has no body}}
tcgemm.program @p(i32) attributes {threads = 128 : i64, chip = "sm_80"}
