// RUN: tcgemm-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// Programs with one rule of docs/rationale/tile-level.md broken in each.

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
  // expected-error @below {{arrive count is wrong: full_arrivals is 2, but 1 producer role(s) make 1}}
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
    tcgemm.ring.await_releases %ring, %end : !ring
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
    tcgemm.ring.await_releases %ring, %end : !ring
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
    tcgemm.ring.await_releases %ring, %end : !ring
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
    tcgemm.ring.await_releases %ring, %end : !ring
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

// expected-error @below {{ring.await_releases is missing at the end of its producers}}
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

tcgemm.program @awaits_releases(%map: !map, %m: i32, %k_tiles: i32)
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
    tcgemm.ring.await_releases %ring, %end : !ring
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

tcgemm.program @awaits_too_early(%map: !map, %m: i32, %k_tiles: i32)
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
    // expected-error @below {{the state is not the one behind the role's last ring.acquire}}
    tcgemm.ring.await_releases %ring, %start : !ring
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
    tcgemm.ring.await_releases %ring, %end : !ring
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

!ring = !tcgemm.ring<2, cp_async, [!tcgemm.tile<64 x 64 x bf16, xor>]>

tcgemm.program @no_barriers() attributes {threads = 128 : i64, chip = "sm_90a"} {
  %ring = tcgemm.ring.create : !ring
  %start = tcgemm.ring.start %ring : !ring
  // expected-error @below {{is for mbarrier rings}}
  tcgemm.ring.await_releases %ring, %start : !ring
  tcgemm.return
}
