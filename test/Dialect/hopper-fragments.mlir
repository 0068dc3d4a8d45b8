// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s
// RUN: tcgemm-opt %s -mlir-print-op-generic | tcgemm-opt | FileCheck %s

// A consumer that converts A, two steps of a stage, in registers. One product stays in
// flight while the next fragment is converted.

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

// CHECK-LABEL: tcgemm.program @converted
// CHECK: tcgemm.role consumer
// CHECK: %[[N:.*]] = tcgemm.fragment.load %{{.*}}, %{{.*}}, %{{.*}} warp %{{.*}} tile 0 k_step 0 transposed false : {{.*}} -> <a, 64 x 32 x i4 for wgmma>
// CHECK: %[[W:.*]] = tcgemm.fragment.convert %[[N]] : <a, 64 x 32 x i4 for wgmma> -> <a, 64 x 32 x bf16 for wgmma>
// CHECK: %[[P:.*]] = tcgemm.mma.async_fragment %[[W]] by %{{.*}}, %{{.*}}, %{{.*}} tile 1 k_step 0 new into %{{.*}} : <a, 64 x 32 x bf16 for wgmma>, <3, mbarrier, [<64 x 32 x i8, b32>, <32 x 64 x bf16, b128>]>, <read>, <64 x 32, wgmma> -> <64 x 32, wgmma, in_flight = true>
// CHECK: tcgemm.mma.async_fragment %{{.*}} by {{.*}} k_step 1 into %[[P]]
// CHECK: scf.for
// CHECK: tcgemm.mma.await %{{.*}} pending 1
// CHECK: tcgemm.ring.release
// CHECK: tcgemm.acc.scale %{{.*}} by 6 : <64 x 32, wgmma>
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
      %q1 = tcgemm.mma.await %q0 pending 1 : !flying -> !flying
      tcgemm.ring.release %ring, %before arrivals 4 : !ring, !read
      %f3 = tcgemm.fragment.convert %n3 : !narrow -> !wide
      %q2 = tcgemm.mma.async_fragment %f3 by %ring, %s, %r tile 1 k_step 1 into %q1 : !wide, !ring, !read, !flying -> !flying
      %q3 = tcgemm.mma.await %q2 pending 1 : !flying -> !flying
      %next = tcgemm.ring.advance %ring, %s : !ring
      scf.yield %q3, %r, %next : !flying, !read, !state
    }
    %scaled = tcgemm.mma.await %p : !flying -> !acc
    %acc = tcgemm.acc.scale %scaled by 6 : !acc
    tcgemm.ring.release %ring, %last arrivals 4 : !ring, !read
    tcgemm.epilogue %acc at (%c0, %m, %m) of (%m, %m) outputs(%out : memref<?xf32>)
        strides(%stride) dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
  }
  tcgemm.return
}
