// RUN: tcgemm-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// Programs with one rule of docs/tile-level.md broken in each.

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

// A stage never released on one path.

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
      %even = arith.cmpi eq, %kt, %c0 : i32
      // expected-error @below {{stage is never released if the condition is false}}
      scf.if %even {
        tcgemm.ring.release %ring, %r : !ring, !read
      }
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A stage never committed.

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
      // expected-error @below {{stage is never committed}}
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
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

// Copies never waited for.

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
  // expected-error @below {{copies are never waited for}}
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
  tcgemm.ring.drain %ring, %r : !ring, !read
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

// A token used after its end.

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
      // expected-note @below {{it comes from here}}
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      // expected-error @below {{token is used twice: it has ended before}}
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
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

// A token from outside a loop used up by each iteration.

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
  // expected-note @below {{it comes from here}}
  %r0 = tcgemm.ring.wait %ring, %s0, %g0 : !group pending 1 : !ring -> !read
  %r, %g, %sr, %sw = scf.for %kt = %c0 to %k_tiles step %c1
      iter_args(%read = %r0, %group = %g1, %rs = %s0, %ws = %s2)
      -> (!read, !group, !state, !state) : i32 {
    %w = tcgemm.ring.acquire %ring, %ws : !ring -> !write
    %young = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
    // expected-error @below {{token is used twice: each iteration of the loop would end it; pass it into the loop}}
    tcgemm.ring.release %ring, %r0 : !ring, !read
    %rs2 = tcgemm.ring.advance %ring, %rs : !ring
    %read2 = tcgemm.ring.wait %ring, %rs2, %group : !group pending 1 : !ring -> !read
    %ws2 = tcgemm.ring.advance %ring, %ws : !ring
    scf.yield %read2, %young, %rs2, %ws2 : !read, !group, !state, !state
  }
  tcgemm.ring.drain %ring, %r, %g : !ring, !read, !group
  tcgemm.return
}

// -----

// A token given to something that knows nothing of it.

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
      // expected-error @below {{takes a token, but neither borrows nor ends it}}
      "test.use"(%r) : (!read) -> ()
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

// A token of another ring.

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
  %other = tcgemm.ring.create : !ring
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
      // expected-error @below {{takes a token of another ring}}
      tcgemm.ring.release %other, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A token of another stage.

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
      %then = tcgemm.ring.advance %ring, %s : !ring
      // expected-error @below {{takes a token of another stage}}
      %p = tcgemm.mma.async %ring, %then, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
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

// A skipped phase: a step over two.

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
    // expected-error @below {{phase is skipped: the ring's state advances by 2 an iteration, which makes 1 acquire}}
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %c2 = arith.constant 2 : i32
      %next = tcgemm.ring.advance %ring, %s by %c2 : !ring
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

// A phase skipped before the first wait.

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
    %later = tcgemm.ring.advance %ring, %start : !ring
    %zero = tcgemm.acc.zero : !acc
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %later) -> (!acc, !state) : i32 {
      // expected-error @below {{phase is skipped: the state leaves out 1 use of the ring since the last wait}}
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

// A phase skipped by one branch.

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
    %even = arith.cmpi eq, %m, %c0 : i32
    // expected-error @below {{phase is skipped: its branches do not make the same number of waits}}
    scf.if %even {
      %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
      tcgemm.ring.release %ring, %r0 : !ring, !read
    }
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

// A repeated phase: the state is not advanced.

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
    // expected-error @below {{phase is repeated: the ring's state advances by 0 an iteration, which makes 1 wait}}
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %s : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A repeated phase: two waits for one stage.

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
      // expected-error @below {{phase is repeated: the state has not advanced since the stage's last wait}}
      %r1 = tcgemm.ring.wait %ring, %s : !ring -> !read
      tcgemm.ring.release %ring, %r1 : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A repeated phase: the position is not carried round the tile loop.

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
    // expected-error @below {{phase is repeated: the position of the ring's next acquire is not carried round the loop}}
    scf.for %t = %c0 to %m step %c1 : i32 {
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
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

// A repeated phase: two uses of one position in a cp_async ring.

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
  // expected-error @below {{phase is repeated: the state has not advanced since the stage's last acquire}}
  %w1 = tcgemm.ring.acquire %ring, %s0 : !ring -> !write
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

// A wrong arrive count: consumers in turns counted together.

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
  // expected-error @below {{arrive count is wrong: empty_arrivals is 2, but the consumers make 1}}
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

// A wrong arrive count: two releases of a role differ.

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
      %even = arith.cmpi eq, %kt, %c0 : i32
      scf.if %even {
        tcgemm.ring.release %ring, %r : !ring, !read
      } else {
        // expected-error @below {{arrive count is wrong: makes 4 arrivals, but elsewhere its role makes 1}}
        tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
      }
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A wrong arrive count: roles in turns that release differently.

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
  // expected-error @below {{arrive count is wrong: makes 4 arrivals a stage, but the role that it takes turns with 1}}
  tcgemm.role consumer warps [8, 12] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %own = tcgemm.ring.advance %ring, %start by %k_tiles : !ring
    tcgemm.order.arrive turn 0 threads 256
    scf.for %t = %c0 to %m step %c1 iter_args(%first = %own) -> (!state) : i32 {
      tcgemm.order.wait turn 1 threads 256
      %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %first) -> (!state) : i32 {
        %r = tcgemm.ring.wait %ring, %s : !ring -> !read
        tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
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

// A wrong arrive count: producers.

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
  // expected-error @below {{arrive count is wrong: full_arrivals is 2, but 1 producer role(s) commit its stages}}
  %ring = tcgemm.ring.create full_arrivals 2 : !ring
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

// A legal multicast.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!half = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!half>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a", cluster = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 2 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 row %m : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 multicast 3 : !map, !ring, !write
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
      tcgemm.ring.release %ring, %r multicast 3 : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.cluster.sync
  tcgemm.return
}

// -----

// A wrong arrive count: the other CTA is not counted.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!half = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!half>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a", cluster = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{arrive count is wrong: empty_arrivals is 1, but the consumers make 1 in each of 2 CTAs}}
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 row %m : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 multicast 3 : !map, !ring, !write
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
      tcgemm.ring.release %ring, %r multicast 3 : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.cluster.sync
  tcgemm.return
}

// -----

// A wrong arrive count: the other CTA is not told.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!half = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!half>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a", cluster = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 2 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 row %m : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 multicast 3 : !map, !ring, !write
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
      // expected-error @below {{arrive count is wrong: releases the stage to multicast 1, but the ring's copies go to multicast 3}}
      tcgemm.ring.release %ring, %r : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.cluster.sync
  tcgemm.return
}

// -----

// A multicast out of the cluster.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!half = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!half>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a", cluster = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 2 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 row %m : !map, !ring, !write
      // expected-error @below {{multicast 5 names CTA 2 of a cluster of 2}}
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 multicast 5 : !map, !ring, !write
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
      tcgemm.ring.release %ring, %r multicast 3 : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.cluster.sync
  tcgemm.return
}

// -----

// A cluster that ends too early.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!half = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!half>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

// expected-error @below {{cluster.sync is missing after its roles}}
tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a", cluster = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 2 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 row %m : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 multicast 3 : !map, !ring, !write
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
      tcgemm.ring.release %ring, %r multicast 3 : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

// A wrong transaction count.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!half = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!half>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90a", cluster = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 2 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 multicast 3 : !map, !ring, !write
      // expected-error @below {{transaction count is wrong: tile 0 of the stage has 8192 bytes, but its copies bring 4096}}
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
      tcgemm.ring.release %ring, %r multicast 3 : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
    tcgemm.tma.await
  }
  tcgemm.cluster.sync
  tcgemm.return
}

// -----

// A ring that is only written.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 128 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{is written, but never read}}
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
  tcgemm.return
}

// -----

// A ring that is only read.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 128 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{is read, but never written}}
  %ring = tcgemm.ring.create : !ring
  tcgemm.role consumer warps [0, 4] registers 240 {
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

// A missing order barrier: a wait outside the turn.

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
        // expected-error @below {{order barrier is missing: the role waits for the stage outside its turn}}
        %r = tcgemm.ring.wait %ring, %s : !ring -> !read
        tcgemm.ring.release %ring, %r : !ring, !read
        %next = tcgemm.ring.advance %ring, %s : !ring
        scf.yield %next : !state
      }
      tcgemm.order.wait turn 0 threads 256
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

// A missing order barrier: nobody gives the turn.

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
      // expected-error @below {{order barrier is missing: no other role arrives for turn 0}}
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
    scf.for %t = %c0 to %m step %c1 iter_args(%first = %own) -> (!state) : i32 {
      tcgemm.order.wait turn 1 threads 256
      %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %first) -> (!state) : i32 {
        %r = tcgemm.ring.wait %ring, %s : !ring -> !read
        tcgemm.ring.release %ring, %r : !ring, !read
        %next = tcgemm.ring.advance %ring, %s : !ring
        scf.yield %next : !state
      }
      tcgemm.order.arrive turn 2 threads 256
      %skipped = tcgemm.ring.advance %ring, %end by %k_tiles : !ring
      scf.yield %skipped : !state
    }
  }
  tcgemm.return
}

// -----

// A missing order barrier: nobody waits for the turn.

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
      // expected-error @below {{order barrier is missing: no role waits for turn 7}}
      tcgemm.order.arrive turn 7 threads 256
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

// A missing order barrier: both wait for the same turn.

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
      tcgemm.order.arrive turn 0 threads 256
      %skipped = tcgemm.ring.advance %ring, %end by %k_tiles : !ring
      scf.yield %skipped : !state
    }
  }
  tcgemm.role consumer warps [8, 12] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %own = tcgemm.ring.advance %ring, %start by %k_tiles : !ring
    tcgemm.order.arrive turn 0 threads 256
    scf.for %t = %c0 to %m step %c1 iter_args(%first = %own) -> (!state) : i32 {
      // expected-error @below {{order barrier is missing: two roles wait for the same turn 0}}
      tcgemm.order.wait turn 0 threads 256
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

// A missing order barrier: nobody arrives ahead.

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
    scf.for %t = %c0 to %m step %c1 iter_args(%first = %own) -> (!state) : i32 {
      // expected-error @below {{order barrier is missing: every role waits for its turn first}}
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

// An order barrier for the wrong number of threads.

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
      // expected-error @below {{arrive count is wrong: the order barrier is for 128 threads, but 256 take part in turn 0}}
      tcgemm.order.wait turn 0 threads 128
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

// -----

// Too much shared memory on a smaller chip.

!a = !tcgemm.tile<64 x 64 x bf16, xor>
!ring = !tcgemm.ring<7, cp_async, [!a, !a]>
!loader = !tcgemm.loader<!a, bytes = 16, k_contiguous = true, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

// expected-error @below {{too much shared memory: uses 114688 bytes of shared memory; the limit of sm_86 is 101376}}
tcgemm.program @p(%loader: !loader, %at: i64, %k_tiles: i32)
    attributes {threads = 128 : i64, chip = "sm_86"} {
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

// Shared memory that is still in use.

!a = !tcgemm.tile<64 x 64 x bf16, xor>
!ring = !tcgemm.ring<3, cp_async, [!a, !a]>
!loader = !tcgemm.loader<!a, bytes = 16, k_contiguous = true, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%loader: !loader, %at: i64, %k_tiles: i32,
                  %old: !tcgemm.acc<64 x 64, mma_sync>)
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
  // expected-error @below {{needs the ring's memory, but a stage of it is in use}}
  %sum = tcgemm.acc.reduce %old over %c0 of 2 through %ring : !tcgemm.acc<64 x 64, mma_sync>, !ring -> !tcgemm.acc<64 x 64, mma_sync>
  tcgemm.ring.drain %ring, %r, %g : !ring, !read, !group
  tcgemm.return
}

// -----

// A store that is never awaited.

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
    // expected-error @below {{is never awaited: a tma.await must follow it at the end of 'tcgemm.role'}}
    tcgemm.tma.store %acc to %map[%m, %m] buffers 2 : !acc, !map
  }
  tcgemm.return
}

// -----

// Too many registers.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

// expected-error @below {{too many registers: its roles ask for 66560, but an SM has 65536}}
tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 384 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 2 : !ring
  tcgemm.role producer warps [0, 4] registers 40 {
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

// Registers for part of a warpgroup.

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
  // expected-error @below {{its warps must be multiples of 4, but are [4, 7)}}
  tcgemm.role consumer warps [4, 7] registers 240 {
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

// A number of registers that setmaxnreg does not take.

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
  // expected-error @below {{registers must be a multiple of 8 from 24 to 256, but are 241}}
  tcgemm.role consumer warps [4, 8] registers 241 {
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
    // expected-error @below {{stands in 'scf.execute_region', but rings, products and roles are only followed through}}
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

// A chip without wgmma.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  // expected-error @below {{needs sm_90a, but the program is for sm_90}}
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

// A chip without TMA.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_89"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{needs sm_90, but the program is for sm_89}}
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

// An unknown chip.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

// expected-error @below {{unknown chip 'sm_1'}}
tcgemm.program @p(%map: !map, %m: i32, %k_tiles: i32)
    attributes {threads = 256 : i64, chip = "sm_1"} {
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

// A program without a body.

// expected-error @below {{has no body}}
tcgemm.program @p(i32) attributes {threads = 128 : i64, chip = "sm_80"}
