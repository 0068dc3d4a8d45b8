// RUN: tcgemm-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// The programs that the tests of broken ones (tile-invalid-*.mlir too) are made of
// are legal; then one for each kind of rule.

// The programs that the twins below are made of are legal.

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
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 384 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 2 : !ring
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

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

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
    scf.for %t = %c0 to %m step %c1 iter_args(%first = %start) -> (!state) : i32 {
      tcgemm.order.wait turn 0 threads 256
      %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %first) -> (!state) : i32 {
        %r = tcgemm.ring.wait %ring, %s : !ring -> !read
        tcgemm.ring.release %ring, %r : !ring, !read
        %next = tcgemm.ring.advance %ring, %s : !ring
        scf.yield %next : !state
      }
      tcgemm.order.arrive turn 1 threads 256
      %skipped = tcgemm.ring.advance %ring, %end by %k_tiles : !ring
      scf.yield %skipped : !state
    }
  }
  tcgemm.role consumer warps [8, 12] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %own = tcgemm.ring.advance %ring, %start by %k_tiles : !ring
    tcgemm.order.arrive turn 0 threads 256
    scf.for %t = %c0 to %m step %c1 iter_args(%first = %own) -> (!state) : i32 {
      tcgemm.order.wait turn 1 threads 256
      %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %first) -> (!state) : i32 {
        %r = tcgemm.ring.wait %ring, %s : !ring -> !read
        tcgemm.ring.release %ring, %r : !ring, !read
        %next = tcgemm.ring.advance %ring, %s : !ring
        scf.yield %next : !state
      }
      tcgemm.order.arrive turn 0 threads 256
      %skipped = tcgemm.ring.advance %ring, %end by %k_tiles : !ring
      scf.yield %skipped : !state
    }
  }
  tcgemm.return
}

// -----

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
    %read2 = tcgemm.ring.wait %ring, %rs2, %group : !group pending 1 : !ring -> !read
    %ws2 = tcgemm.ring.advance %ring, %ws : !ring
    scf.yield %read2, %young, %rs2, %ws2 : !read, !group, !state, !state
  }
  tcgemm.ring.drain %ring, %r, %g : !ring, !read, !group
  tcgemm.return
}

// -----

// A stage never released.

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
      // expected-error @below {{stage is never released}}
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A token used twice.

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
      // expected-note @below {{it comes from here}}
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      // expected-error @below {{token is used twice}}
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

// A skipped phase: two steps between two waits.

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
    // expected-error @below {{phase is skipped: the ring's state advances by 2 an iteration, which makes 1 wait}}
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      %step = tcgemm.ring.advance %ring, %s : !ring
      %next = tcgemm.ring.advance %ring, %step : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A wrong arrive count: one consumer of two counted.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 384 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{arrive count is wrong: empty_arrivals is 1, but the consumers make 2}}
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

// Too many waits in flight: more stages held than the ring has.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<1, mbarrier, [!a, !a]>
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
    %r1 = tcgemm.ring.wait %ring, %end : !ring -> !read
    %then = tcgemm.ring.advance %ring, %end : !ring
    // expected-error @below {{too many waits in flight: it holds 2 stages of a ring of 1}}
    %r2 = tcgemm.ring.wait %ring, %then : !ring -> !read
    tcgemm.ring.release %ring, %r1 : !ring, !read
    tcgemm.ring.release %ring, %r2 : !ring, !read
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// An accumulator read in flight by a store.

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
    %acc = tcgemm.mma.await %p pending 1 : !flying -> !flying
    tcgemm.ring.release %ring, %last : !ring, !read
    // expected-error @below {{accumulator is read in flight: mma.await it with pending 0 first}}
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !flying, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A missing order barrier: roles that take turns without one.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

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
    scf.for %t = %c0 to %m step %c1 iter_args(%first = %start) -> (!state) : i32 {
      %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %first) -> (!state) : i32 {
        %r = tcgemm.ring.wait %ring, %s : !ring -> !read
        tcgemm.ring.release %ring, %r : !ring, !read
        %next = tcgemm.ring.advance %ring, %s : !ring
        scf.yield %next : !state
      }
      // expected-error @below {{order barrier is missing: the role leaves out uses of the ring}}
      %skipped = tcgemm.ring.advance %ring, %end by %k_tiles : !ring
      scf.yield %skipped : !state
    }
  }
  tcgemm.role consumer warps [8, 12] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %own = tcgemm.ring.advance %ring, %start by %k_tiles : !ring
    scf.for %t = %c0 to %m step %c1 iter_args(%first = %own) -> (!state) : i32 {
      %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %first) -> (!state) : i32 {
        %r = tcgemm.ring.wait %ring, %s : !ring -> !read
        tcgemm.ring.release %ring, %r : !ring, !read
        %next = tcgemm.ring.advance %ring, %s : !ring
        scf.yield %next : !state
      }
      %skipped = tcgemm.ring.advance %ring, %end by %k_tiles : !ring
      scf.yield %skipped : !state
    }
  }
  tcgemm.return
}

// -----

// Too much shared memory.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<14, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

// expected-error @below {{too much shared memory: uses 245984 bytes of shared memory; the limit of sm_90a is 232448}}
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
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}
