// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// Tokens and states through scf.if, scf.while and nested loops: all legal.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

// CHECK-LABEL: tcgemm.program @branches
tcgemm.program @branches(%map: !tcgemm.tensor_map<!a>, %n: i32, %even: i1)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !ring
  tcgemm.role producer warps [0, 4] {
    %start = tcgemm.ring.start %ring : !ring
    // CHECK: scf.while
    %end = scf.while (%s = %start) : (!state) -> !state {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      scf.if %even {
        tcgemm.tma.load %map[%n, %n] to %ring, %s, %w tile 0 : !tcgemm.tensor_map<!a>, !ring, !write
        tcgemm.tma.load %map[%n, %n] to %ring, %s, %w tile 1 : !tcgemm.tensor_map<!a>, !ring, !write
      }
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.condition(%even) %next : !state
    } do {
    ^bb0(%s: !state):
      scf.yield %s : !state
    }
    // Both ways make one use of the ring.
    %last = scf.if %even -> (!state) {
      %w = tcgemm.ring.acquire %ring, %end : !ring -> !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %end : !ring
      scf.yield %next : !state
    } else {
      %w = tcgemm.ring.acquire %ring, %end : !ring -> !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %end : !ring
      scf.yield %next : !state
    }
    %w = tcgemm.ring.acquire %ring, %last : !ring -> !write
    tcgemm.ring.commit %ring, %w : !ring, !write
  }
  tcgemm.role consumer warps [4, 8] {
    %start = tcgemm.ring.start %ring : !ring
    // CHECK: scf.for
    %end = scf.for %t = %c0 to %n step %c1 iter_args(%s0 = %start) -> (!state) : i32 {
      // A tile's loop and a peeled stage behind it.
      %s1 = scf.for %kt = %c0 to %n step %c1 iter_args(%s = %s0) -> (!state) : i32 {
        %r = tcgemm.ring.wait %ring, %s : !ring -> !read
        scf.if %even {
          tcgemm.ring.release %ring, %r : !ring, !read
        } else {
          tcgemm.ring.release %ring, %r : !ring, !read
        }
        %next = tcgemm.ring.advance %ring, %s : !ring
        scf.yield %next : !state
      }
      %zero = tcgemm.acc.zero : !acc
      %r = tcgemm.ring.wait %ring, %s1 : !ring -> !read
      // CHECK: tcgemm.mma.async
      %p = tcgemm.mma.async %ring, %s1, %r tiles 0, 1 into %zero : !ring, !read, !acc -> !flying
      %kept = scf.if %even -> (!read) {
        scf.yield %r : !read
      } else {
        scf.yield %r : !read
      }
      %sum = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %kept : !ring, !read
      %s2 = tcgemm.ring.advance %ring, %s1 : !ring
      scf.yield %s2 : !state
    }
  }
  tcgemm.return
}

// A cp_async ring that is started anew for each tile.

!cp_ring = !tcgemm.ring<2, cp_async, [!a]>
!group = !tcgemm.token<in_flight>

// CHECK-LABEL: tcgemm.program @restarts
tcgemm.program @restarts(%n: i32) attributes {threads = 128 : i64, chip = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create : !cp_ring
  scf.for %t = %c0 to %n step %c1 : i32 {
    %s = tcgemm.ring.start %ring : !cp_ring
    %w = tcgemm.ring.acquire %ring, %s : !cp_ring -> !write
    %g = tcgemm.ring.commit %ring, %w : !cp_ring, !write -> !group
    %r = tcgemm.ring.wait %ring, %s, %g : !group : !cp_ring -> !read
    // CHECK: tcgemm.ring.drain
    tcgemm.ring.drain %ring, %r : !cp_ring, !read
  }
  tcgemm.return
}
