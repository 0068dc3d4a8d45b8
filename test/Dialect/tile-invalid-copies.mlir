// RUN: tcgemm-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// What threads copy into an mbarrier ring: hopper-cp-async.mlir with one rule of
// docs/rationale/tile-level.md broken in each.

// A wrong arrive count: the threads that publish are left out.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{arrive count is wrong: full_arrivals is 1, but 1 producer role(s) make 129}}
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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

// A wrong arrive count: no TMA copy, whose bytes would be announced.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{arrive count is wrong: full_arrivals is 129, but 1 producer role(s) make 128}}
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 0 part 0 of 1 : !loader, !ring, !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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

// Copies of threads that no group is made of.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      // expected-error @below {{copies are never waited for: its role fills the ring by loader.copy, so it gives an in_flight token}}
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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

// A group without copies of threads.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      // expected-error @below {{gives an in_flight token, but its role makes no loader.copy}}
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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

// A group that is never published.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    // expected-error @below {{copies are never waited for}}
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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

// A group that is published twice.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        // expected-note @below {{it comes from here}}
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      // expected-error @below {{token is used twice}}
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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

// More groups left in flight than there are.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      // expected-error @below {{too many waits in flight: leaves 2 groups of copies pending, but only 1 are younger}}
      tcgemm.ring.publish %ring, %before pending 2 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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

// A ring with too few stages: the producer publishes a stage when it has another,
// which the consumer, who holds one until the next is there, does not give.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<2, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{too many waits in flight: a producer holds 1 stages while it waits for one and a consumer 1, which takes a ring of 3 stages, but it has 2}}
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %second = tcgemm.ring.advance %ring, %start : !ring
    %acc, %end, %left = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %second, %held = %r0) -> (!acc, !state, !read) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %held : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next, %r : !acc, !state, !read
    }
    tcgemm.ring.release %ring, %left : !ring, !read
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// Copies for other threads than the role's.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 256>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      // expected-error @below {{copies with 256 threads, but its role has 128}}
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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

// Copies for the threads of the CTA, by a role's.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %base: memref<?xbf16>, %stride: i64, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  %loader = tcgemm.loader.create %base stride %stride at %m of %m : memref<?xbf16> -> !loader
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      // expected-error @below {{copies with a loader that was created outside its role}}
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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

// A consumer that copies.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %group: !group, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 1 : !loader, !ring, !write
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      // expected-error @below {{writes an mbarrier ring, which only a producer role may}}
      tcgemm.ring.publish %ring, %group : !ring, !group
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

// Copies that bring less than the stage has.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!loader = !tcgemm.loader<!a, bytes = 8, k_contiguous = true, threads = 128>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %loader: !loader, %at: i64, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create full_arrivals 129 : !ring
  tcgemm.role producer warps [0, 4] registers 56 {
    %start = tcgemm.ring.start %ring : !ring
    %none = tcgemm.ring.empty_group %ring : !ring -> !group
    %end, %last = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%s = %start, %before = %none) -> (!state, !group) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 1 part 0 of 2 : !loader, !ring, !write
      // expected-error @below {{transaction count is wrong: tile 1 of the stage has 8192 bytes, but its copies bring 4096}}
      %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
      tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next, %g : !state, !group
    }
    tcgemm.ring.publish %ring, %last : !ring, !group
  }
  tcgemm.role consumer warps [4, 8] registers 200 {
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
