// RUN: tcgemm-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// Programs with one rule of docs/rationale/tile-level.md broken in each.

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
