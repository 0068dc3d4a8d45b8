// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// Programs that may be launched before the grid ahead of them has ended.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!map = !tcgemm.tensor_map<!a>
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!out = memref<?xf32, #gpu.address_space<global>>

// Each role waits for itself. What touches no global memory comes before.

// CHECK-LABEL: tcgemm.program @roles
// CHECK: role producer
// CHECK: tcgemm.grid.wait
// CHECK: tcgemm.tma.load
// CHECK: tcgemm.grid.launch_dependents
// CHECK: role consumer
// CHECK: tcgemm.grid.wait
// CHECK: memref.store
tcgemm.program @roles(%map: !map, %m: i32, %k_tiles: i32, %out: !out)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    tcgemm.grid.wait
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 0 : !map, !ring, !write
      tcgemm.tma.load %map[%kt, %m] to %ring, %s, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
    tcgemm.grid.launch_dependents
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %acc, %end = scf.for %kt = %c0 to %k_tiles step %c1
        iter_args(%old = %zero, %s = %start) -> (!acc, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %p = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %old : !ring, !read, !acc -> !flying
      %new = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %new, %next : !acc, !state
    }
    tcgemm.grid.wait
    %at = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    memref.store %one, %out[%at] : !out
  }
  tcgemm.return
}

// A wait in the program's own block serves all that follows, roles too.

// CHECK-LABEL: tcgemm.program @whole
// CHECK: tcgemm.grid.wait
// CHECK: scf.if
// CHECK: memref.load
tcgemm.program @whole(%in: !out, %runs: i1) attributes {threads = 32 : i64, chip = "sm_90"} {
  %at = arith.constant 0 : index
  tcgemm.grid.wait
  scf.if %runs {
    %x = memref.load %in[%at] : !out
    memref.store %x, %in[%at] : !out
  }
  tcgemm.grid.launch_dependents
  tcgemm.return
}
