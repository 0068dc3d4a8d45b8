// RUN: tcgemm-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// A fragment is converted while the product that reads its registers, of the iteration
// before, may be in flight.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!map_a = !tcgemm.tensor_map<!a>
!map_b = !tcgemm.tensor_map<!b>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!narrow = !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>
!wide = !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

tcgemm.program @converted(%map_a: !map_a, %map_b: !map_b, %m: i32, %k_tiles: i32,
                          %out: memref<?xf32>, %stride: i64)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map_a[%kt, %m] to %ring, %s, %w tile 0 : !map_a, !ring, !write
      tcgemm.tma.load %map_b[%kt, %m] to %ring, %s, %w tile 1 : !map_b, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %n0 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !narrow
    %n1 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !narrow
    %f0 = tcgemm.fragment.convert %n0 : !narrow -> !wide
    %p0 = tcgemm.mma.async_fragment %f0 by %ring, %start, %r0 tile 1 k_step 0 new into %zero : !wide, !ring, !read, !acc -> !flying
    %f1 = tcgemm.fragment.convert %n1 : !narrow -> !wide
    %p1 = tcgemm.mma.async_fragment %f1 by %ring, %start, %r0 tile 1 k_step 1 into %p0 : !wide, !ring, !read, !flying -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%sum = %p1, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %n2 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !narrow
      %n3 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !narrow
      // expected-error @below {{writes the registers of a fragment that a product in flight may read: mma.await it first}}
      %f2 = tcgemm.fragment.convert %n2 : !narrow -> !wide
      %q0 = tcgemm.mma.async_fragment %f2 by %ring, %s, %r tile 1 k_step 0 into %sum : !wide, !ring, !read, !flying -> !flying
      %q1 = tcgemm.mma.await %q0 pending 2 : !flying -> !flying
      %f3 = tcgemm.fragment.convert %n3 : !narrow -> !wide
      %q2 = tcgemm.mma.async_fragment %f3 by %ring, %s, %r tile 1 k_step 1 into %q1 : !wide, !ring, !read, !flying -> !flying
      %q3 = tcgemm.mma.await %q2 pending 2 : !flying -> !flying
      tcgemm.ring.release %ring, %before arrivals 4 : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %q3, %r, %next : !flying, !read, !state
    }
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last arrivals 4 : !ring, !read
    tcgemm.epilogue %acc at (%c0, %m, %m) of (%m, %m) outputs(%out : memref<?xf32>)
        strides(%stride) dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
  }
  tcgemm.return
}

// -----

// A loop writes a fragment that it carries while a product reads it.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!map_a = !tcgemm.tensor_map<!a>
!map_b = !tcgemm.tensor_map<!b>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!narrow = !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>
!wide = !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

tcgemm.program @converted(%map_a: !map_a, %map_b: !map_b, %m: i32, %k_tiles: i32,
                          %out: memref<?xf32>, %stride: i64)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map_a[%kt, %m] to %ring, %s, %w tile 0 : !map_a, !ring, !write
      tcgemm.tma.load %map_b[%kt, %m] to %ring, %s, %w tile 1 : !map_b, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %n0 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !narrow
    %n1 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !narrow
    %f0 = tcgemm.fragment.convert %n0 : !narrow -> !wide
    %p0 = tcgemm.mma.async_fragment %f0 by %ring, %start, %r0 tile 1 k_step 0 new into %zero : !wide, !ring, !read, !acc -> !flying
    %f1 = tcgemm.fragment.convert %n1 : !narrow -> !wide
    %p1 = tcgemm.mma.async_fragment %f1 by %ring, %start, %r0 tile 1 k_step 1 into %p0 : !wide, !ring, !read, !flying -> !flying
    %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    // expected-error @below {{writes the registers of a fragment that a product in flight may read}}
    %p, %last, %end, %carried = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%sum = %p2, %before = %r0, %s = %second, %old = %f1) -> (!flying, !read, !state, !wide) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %n2 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !narrow
      %n3 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !narrow
      %f2 = tcgemm.fragment.convert %n2 : !narrow -> !wide
      %q0 = tcgemm.mma.async_fragment %f2 by %ring, %s, %r tile 1 k_step 0 into %sum : !wide, !ring, !read, !flying -> !flying
      %q1 = tcgemm.mma.await %q0 pending 1 : !flying -> !flying
      tcgemm.ring.release %ring, %before arrivals 4 : !ring, !read
      %f3 = tcgemm.fragment.convert %n3 : !narrow -> !wide
      %q2 = tcgemm.mma.async_fragment %old by %ring, %s, %r tile 1 k_step 1 into %q1 : !wide, !ring, !read, !flying -> !flying
      %q3 = tcgemm.mma.await %q2 pending 1 : !flying -> !flying
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %q3, %r, %next, %f3 : !flying, !read, !state, !wide
    }
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last arrivals 4 : !ring, !read
    tcgemm.epilogue %acc at (%c0, %m, %m) of (%m, %m) outputs(%out : memref<?xf32>)
        strides(%stride) dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
  }
  tcgemm.return
}

// -----

// A stage is released while a product reads it.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!map_a = !tcgemm.tensor_map<!a>
!map_b = !tcgemm.tensor_map<!b>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!narrow = !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>
!wide = !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

tcgemm.program @converted(%map_a: !map_a, %map_b: !map_b, %m: i32, %k_tiles: i32,
                          %out: memref<?xf32>, %stride: i64)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map_a[%kt, %m] to %ring, %s, %w tile 0 : !map_a, !ring, !write
      tcgemm.tma.load %map_b[%kt, %m] to %ring, %s, %w tile 1 : !map_b, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %n0 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !narrow
    %n1 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !narrow
    %f0 = tcgemm.fragment.convert %n0 : !narrow -> !wide
    %p0 = tcgemm.mma.async_fragment %f0 by %ring, %start, %r0 tile 1 k_step 0 new into %zero : !wide, !ring, !read, !acc -> !flying
    %f1 = tcgemm.fragment.convert %n1 : !narrow -> !wide
    %p1 = tcgemm.mma.async_fragment %f1 by %ring, %start, %r0 tile 1 k_step 1 into %p0 : !wide, !ring, !read, !flying -> !flying
    %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%sum = %p2, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      // expected-error @below {{stage is released while a product that reads it may be in flight}}
      tcgemm.ring.release %ring, %before arrivals 4 : !ring, !read
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %n2 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !narrow
      %n3 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !narrow
      %f2 = tcgemm.fragment.convert %n2 : !narrow -> !wide
      %q0 = tcgemm.mma.async_fragment %f2 by %ring, %s, %r tile 1 k_step 0 into %sum : !wide, !ring, !read, !flying -> !flying
      %q1 = tcgemm.mma.await %q0 pending 1 : !flying -> !flying
      %f3 = tcgemm.fragment.convert %n3 : !narrow -> !wide
      %q2 = tcgemm.mma.async_fragment %f3 by %ring, %s, %r tile 1 k_step 1 into %q1 : !wide, !ring, !read, !flying -> !flying
      %q3 = tcgemm.mma.await %q2 pending 1 : !flying -> !flying
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %q3, %r, %next : !flying, !read, !state
    }
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last arrivals 4 : !ring, !read
    tcgemm.epilogue %acc at (%c0, %m, %m) of (%m, %m) outputs(%out : memref<?xf32>)
        strides(%stride) dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
  }
  tcgemm.return
}

// -----

// More stages are in flight than the ring has.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<2, mbarrier, [!a, !b]>
!map_a = !tcgemm.tensor_map<!a>
!map_b = !tcgemm.tensor_map<!b>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!narrow = !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>
!wide = !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

tcgemm.program @converted(%map_a: !map_a, %map_b: !map_b, %m: i32, %k_tiles: i32,
                          %out: memref<?xf32>, %stride: i64)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map_a[%kt, %m] to %ring, %s, %w tile 0 : !map_a, !ring, !write
      tcgemm.tma.load %map_b[%kt, %m] to %ring, %s, %w tile 1 : !map_b, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %n0 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !narrow
    %n1 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !narrow
    %f0 = tcgemm.fragment.convert %n0 : !narrow -> !wide
    %p0 = tcgemm.mma.async_fragment %f0 by %ring, %start, %r0 tile 1 k_step 0 new into %zero : !wide, !ring, !read, !acc -> !flying
    %f1 = tcgemm.fragment.convert %n1 : !narrow -> !wide
    %p1 = tcgemm.mma.async_fragment %f1 by %ring, %start, %r0 tile 1 k_step 1 into %p0 : !wide, !ring, !read, !flying -> !flying
    %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%sum = %p2, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %n2 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !narrow
      %n3 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !narrow
      %f2 = tcgemm.fragment.convert %n2 : !narrow -> !wide
      %q0 = tcgemm.mma.async_fragment %f2 by %ring, %s, %r tile 1 k_step 0 into %sum : !wide, !ring, !read, !flying -> !flying
      // expected-error @below {{too many waits in flight: leaves 2 products pending, but their ring has only 2 stages}}
      %q1 = tcgemm.mma.await %q0 pending 2 : !flying -> !flying
      tcgemm.ring.release %ring, %before arrivals 4 : !ring, !read
      %f3 = tcgemm.fragment.convert %n3 : !narrow -> !wide
      %q2 = tcgemm.mma.async_fragment %f3 by %ring, %s, %r tile 1 k_step 1 into %q1 : !wide, !ring, !read, !flying -> !flying
      %q3 = tcgemm.mma.await %q2 pending 1 : !flying -> !flying
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %q3, %r, %next : !flying, !read, !state
    }
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last arrivals 4 : !ring, !read
    tcgemm.epilogue %acc at (%c0, %m, %m) of (%m, %m) outputs(%out : memref<?xf32>)
        strides(%stride) dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
  }
  tcgemm.return
}

// -----

// A fragment of wgmma is A with rows of whole warpgroups.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f() {
  // expected-error @below {{must be of A, with a multiple of 64 rows, a multiple of 16 k and elements of at most 16 bits, but it is of b, 64 x 32}}
  "test.op"() : () -> !tcgemm.fragment<b, 64 x 32 x i4 for wgmma>
  return
}

// -----

// A fragment of 32 rows.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f() {
  // expected-error @below {{but it is of a, 32 x 32}}
  "test.op"() : () -> !tcgemm.fragment<a, 32 x 32 x i4 for wgmma>
  return
}

// -----

// A lane loads 16 bytes of a row.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%ring: !ring, %s: !state, %t: !read, %w: i32) {
  // expected-error @below {{cannot read a}}
  %0 = tcgemm.fragment.load %ring, %s, %t warp %w tile 0 k_step 0 transposed false : !ring, !read -> !tcgemm.fragment<a, 64 x 16 x i4 for wgmma>
  return
}

// -----

// Elements of another type.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%ring: !ring, %s: !state, %t: !read, %w: i32) {
  // expected-error @below {{cannot read a}}
  %0 = tcgemm.fragment.load %ring, %s, %t warp %w tile 1 k_step 0 transposed false : !ring, !read -> !tcgemm.fragment<a, 64 x 16 x i8 for wgmma>
  return
}

// -----

// A step that the tile does not have.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%ring: !ring, %s: !state, %t: !read, %w: i32) {
  // expected-error @below {{reads step 2 of a tile of 2 steps}}
  %0 = tcgemm.fragment.load %ring, %s, %t warp %w tile 0 k_step 2 transposed false : !ring, !read -> !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>
  return
}

// -----

// A transposed tile without its depth; rows that are no multiple of it; tiles of other
// than 64 columns or 16 bits; a step behind the depth; a depth of another tile.

!a = !tcgemm.tile<128 x 64 x bf16, b128>
!c = !tcgemm.tile<64 x 32 x bf16, b64>
!n = !tcgemm.tile<64 x 32 x i8, b32>
!ring = !tcgemm.ring<3, mbarrier, [!a, !c, !n]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!rows = !tcgemm.fragment<a, 64 x 16 x bf16 for wgmma>

func.func @f(%ring: !ring, %s: !state, %t: !read, %w: i32) {
  %0 = tcgemm.fragment.load %ring, %s, %t warp %w tile 0 k_step 3 transposed true depth 64 : !ring, !read -> !rows
  // expected-error @below {{needs a depth and elements of 16 bits exactly if it transposes a tile, which must have 64 columns and a multiple of the depth's rows, but reads a}}
  %1 = tcgemm.fragment.load %ring, %s, %t warp %w tile 0 k_step 0 transposed true : !ring, !read -> !rows
  return
}

// -----

!a = !tcgemm.tile<128 x 64 x bf16, b128>
!c = !tcgemm.tile<64 x 32 x bf16, b64>
!n = !tcgemm.tile<64 x 32 x i8, b32>
!ring = !tcgemm.ring<3, mbarrier, [!a, !c, !n]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!rows = !tcgemm.fragment<a, 64 x 16 x bf16 for wgmma>

func.func @f(%ring: !ring, %s: !state, %t: !read, %w: i32) {
  // expected-error @below {{needs a depth and elements of 16 bits exactly}}
  %0 = tcgemm.fragment.load %ring, %s, %t warp %w tile 0 k_step 0 transposed true depth 48 : !ring, !read -> !rows
  return
}

// -----

!a = !tcgemm.tile<128 x 64 x bf16, b128>
!c = !tcgemm.tile<64 x 32 x bf16, b64>
!n = !tcgemm.tile<64 x 32 x i8, b32>
!ring = !tcgemm.ring<3, mbarrier, [!a, !c, !n]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!rows = !tcgemm.fragment<a, 64 x 16 x bf16 for wgmma>

func.func @f(%ring: !ring, %s: !state, %t: !read, %w: i32) {
  // expected-error @below {{needs a depth and elements of 16 bits exactly}}
  %0 = tcgemm.fragment.load %ring, %s, %t warp %w tile 1 k_step 0 transposed true depth 64 : !ring, !read -> !rows
  return
}

// -----

!a = !tcgemm.tile<128 x 64 x bf16, b128>
!c = !tcgemm.tile<64 x 32 x bf16, b64>
!n = !tcgemm.tile<64 x 32 x i8, b32>
!ring = !tcgemm.ring<3, mbarrier, [!a, !c, !n]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!rows = !tcgemm.fragment<a, 64 x 16 x bf16 for wgmma>

func.func @f(%ring: !ring, %s: !state, %t: !read, %w: i32) {
  // expected-error @below {{needs a depth and elements of 16 bits exactly}}
  %0 = tcgemm.fragment.load %ring, %s, %t warp %w tile 2 k_step 0 transposed true depth 64 : !ring, !read -> !tcgemm.fragment<a, 64 x 16 x i8 for wgmma>
  return
}

// -----

!a = !tcgemm.tile<128 x 64 x bf16, b128>
!c = !tcgemm.tile<64 x 32 x bf16, b64>
!n = !tcgemm.tile<64 x 32 x i8, b32>
!ring = !tcgemm.ring<3, mbarrier, [!a, !c, !n]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!rows = !tcgemm.fragment<a, 64 x 16 x bf16 for wgmma>

func.func @f(%ring: !ring, %s: !state, %t: !read, %w: i32) {
  // expected-error @below {{needs a depth and elements of 16 bits exactly}}
  %0 = tcgemm.fragment.load %ring, %s, %t warp %w tile 0 k_step 0 transposed false depth 64 : !ring, !read -> !rows
  return
}

// -----

!a = !tcgemm.tile<128 x 64 x bf16, b128>
!c = !tcgemm.tile<64 x 32 x bf16, b64>
!n = !tcgemm.tile<64 x 32 x i8, b32>
!ring = !tcgemm.ring<3, mbarrier, [!a, !c, !n]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!rows = !tcgemm.fragment<a, 64 x 16 x bf16 for wgmma>

func.func @f(%ring: !ring, %s: !state, %t: !read, %w: i32) {
  // expected-error @below {{reads step 4 of a tile of 4 steps}}
  %0 = tcgemm.fragment.load %ring, %s, %t warp %w tile 0 k_step 4 transposed true depth 64 : !ring, !read -> !rows
  return
}

// -----

// A conversion that changes the shape.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%f: !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>) {
  // expected-error @below {{only the element type of a fragment of wgmma may change}}
  %0 = tcgemm.fragment.convert %f : !tcgemm.fragment<a, 64 x 32 x i4 for wgmma> -> !tcgemm.fragment<a, 64 x 16 x bf16 for wgmma>
  return
}

// -----

// A conversion to a type without an instruction.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%f: !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>) {
  // expected-error @below {{cannot convert 'i4' to 'i8': it converts elements of 4 or 8 bits to f16 or bf16, and those of 4 bits to f8E4M3FN}}
  %0 = tcgemm.fragment.convert %f : !tcgemm.fragment<a, 64 x 32 x i4 for wgmma> -> !tcgemm.fragment<a, 64 x 32 x i8 for wgmma>
  return
}

// -----

// Narrow elements are converted first.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%ring: !ring, %s: !state, %t: !read, %f: !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>, %x: !acc) {
  // expected-error @below {{no wgmma multiplies}}
  %0 = tcgemm.mma.async_fragment %f by %ring, %s, %t tile 1 k_step 0 into %x : !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>, !ring, !read, !acc -> !flying
  return
}

// -----

// Different types of 16 bits.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%ring: !ring, %s: !state, %t: !read, %f: !tcgemm.fragment<a, 64 x 32 x f16 for wgmma>, %x: !acc) {
  // expected-error @below {{no wgmma multiplies}}
  %0 = tcgemm.mma.async_fragment %f by %ring, %s, %t tile 1 k_step 0 into %x : !tcgemm.fragment<a, 64 x 32 x f16 for wgmma>, !ring, !read, !acc -> !flying
  return
}

// -----

// A product that is not in flight.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%ring: !ring, %s: !state, %t: !read, %f: !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>, %x: !acc) {
  // expected-error @below {{result must be in flight}}
  %0 = tcgemm.mma.async_fragment %f by %ring, %s, %t tile 1 k_step 0 into %x : !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>, !ring, !read, !acc -> !acc
  return
}

// -----

// A step of B that the tile does not have.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%ring: !ring, %s: !state, %t: !read, %f: !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>, %x: !acc) {
  // expected-error @below {{multiplies step 2 of a tile of 2 steps}}
  %0 = tcgemm.mma.async_fragment %f by %ring, %s, %t tile 1 k_step 2 into %x : !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>, !ring, !read, !acc -> !flying
  return
}

// -----

// A tile that the stage does not have.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%ring: !ring, %s: !state, %t: !read, %f: !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>, %x: !acc) {
  // expected-error @below {{names tile 2, but a stage has 2}}
  %0 = tcgemm.mma.async_fragment %f by %ring, %s, %t tile 2 k_step 0 into %x : !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>, !ring, !read, !acc -> !flying
  return
}

// -----

// B has other columns than the sums.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

func.func @f(%ring: !ring, %s: !state, %t: !read, %f: !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>, %x: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{shapes do not fit}}
  %0 = tcgemm.mma.async_fragment %f by %ring, %s, %t tile 1 k_step 0 into %x : !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>, !ring, !read, !tcgemm.acc<64 x 64, wgmma> -> !tcgemm.acc<64 x 64, wgmma, in_flight = true>
  return
}

// -----

// The same, of the function of a fragment's elements.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!map_a = !tcgemm.tensor_map<!a>
!map_b = !tcgemm.tensor_map<!b>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!wide = !tcgemm.fragment<a, 64 x 16 x bf16 for wgmma>
!acc = !tcgemm.acc<64 x 32, wgmma>
!flying = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

tcgemm.program @mapped(%map_a: !map_a, %map_b: !map_b, %m: i32, %k_tiles: i32,
                          %out: memref<?xf32>, %stride: i64)
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role producer warps [0, 4] registers 24 {
    %start = tcgemm.ring.start %ring : !ring
    %end = scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%s = %start) -> (!state) : i32 {
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
      tcgemm.tma.load %map_a[%kt, %m] to %ring, %s, %w tile 0 : !map_a, !ring, !write
      tcgemm.tma.load %map_b[%kt, %m] to %ring, %s, %w tile 1 : !map_b, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %next : !state
    }
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %start = tcgemm.ring.start %ring : !ring
    %zero = tcgemm.acc.zero : !acc
    %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
    %n0 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !wide
    %n1 = tcgemm.fragment.load %ring, %start, %r0 warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !wide
    %f0 = tcgemm.fragment.map %n0 {
    ^bb0(%x: bf16):
      %sum_f0 = arith.addf %x, %x : bf16
      tcgemm.yield %sum_f0 : bf16
    } : <a, 64 x 16 x bf16 for wgmma>
    %p0 = tcgemm.mma.async_fragment %f0 by %ring, %start, %r0 tile 1 k_step 0 new into %zero : !wide, !ring, !read, !acc -> !flying
    %f1 = tcgemm.fragment.map %n1 {
    ^bb0(%x: bf16):
      %sum_f1 = arith.addf %x, %x : bf16
      tcgemm.yield %sum_f1 : bf16
    } : <a, 64 x 16 x bf16 for wgmma>
    %p1 = tcgemm.mma.async_fragment %f1 by %ring, %start, %r0 tile 1 k_step 1 into %p0 : !wide, !ring, !read, !flying -> !flying
    %second = tcgemm.ring.advance %ring, %start : !ring
    %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
        iter_args(%sum = %p1, %before = %r0, %s = %second) -> (!flying, !read, !state) : i32 {
      %r = tcgemm.ring.wait %ring, %s : !ring -> !read
      %n2 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !wide
      %n3 = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !wide
      // expected-error @below {{writes the registers of a fragment that a product in flight may read: mma.await it first}}
      %f2 = tcgemm.fragment.map %n2 {
      ^bb0(%x: bf16):
        %sum_f2 = arith.addf %x, %x : bf16
        tcgemm.yield %sum_f2 : bf16
      } : <a, 64 x 16 x bf16 for wgmma>
      %q0 = tcgemm.mma.async_fragment %f2 by %ring, %s, %r tile 1 k_step 0 into %sum : !wide, !ring, !read, !flying -> !flying
      %q1 = tcgemm.mma.await %q0 pending 2 : !flying -> !flying
      %f3 = tcgemm.fragment.map %n3 {
      ^bb0(%x: bf16):
        %sum_f3 = arith.addf %x, %x : bf16
        tcgemm.yield %sum_f3 : bf16
      } : <a, 64 x 16 x bf16 for wgmma>
      %q2 = tcgemm.mma.async_fragment %f3 by %ring, %s, %r tile 1 k_step 1 into %q1 : !wide, !ring, !read, !flying -> !flying
      %q3 = tcgemm.mma.await %q2 pending 2 : !flying -> !flying
      tcgemm.ring.release %ring, %before arrivals 4 : !ring, !read
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %q3, %r, %next : !flying, !read, !state
    }
    %acc = tcgemm.mma.await %p : !flying -> !acc
    tcgemm.ring.release %ring, %last arrivals 4 : !ring, !read
    tcgemm.epilogue %acc at (%c0, %m, %m) of (%m, %m) outputs(%out : memref<?xf32>)
        strides(%stride) dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
  }
  tcgemm.return
}
