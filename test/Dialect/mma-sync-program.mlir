// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s
// RUN: tcgemm-opt %s -mlir-print-op-generic | tcgemm-opt | FileCheck %s

// A multistage mma.sync kernel: cp.async fills a ring of four stages, of which
// three are ahead; fragments are loaded one k-step ahead, across the stage
// boundary too.

!a = !tcgemm.tile<128 x 32 x bf16, xor>
!b = !tcgemm.tile<256 x 32 x bf16, xor>
!ring = !tcgemm.ring<4, cp_async, [!a, !b]>
!load_a = !tcgemm.loader<!a, bytes = 16, k_contiguous = true, threads = 256>
!load_b = !tcgemm.loader<!b, bytes = 16, k_contiguous = true, threads = 256>
!frag_a = !tcgemm.fragment<a, 64 x 16 x bf16>
!frag_b = !tcgemm.fragment<b, 64 x 16 x bf16>
!acc = !tcgemm.acc<64 x 64, mma_sync>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

// CHECK-LABEL: tcgemm.program @mma_sync
// CHECK: %[[RING:.*]] = tcgemm.ring.create :
// CHECK: %[[W0:.*]] = tcgemm.ring.acquire
// CHECK: scf.if
// CHECK: tcgemm.loader.copy {{.*}} to %[[RING]], %{{.*}}, %[[W0]] tile 0 part 0 of 1 k_valid %{{.*}} :
// CHECK: %[[G0:.*]] = tcgemm.ring.commit %[[RING]], %[[W0]]
// CHECK: %[[R0:.*]] = tcgemm.ring.wait %[[RING]], %{{.*}}, %[[G0]] : !tcgemm.token<in_flight> pending 2
// CHECK: %[[LOOP:.*]]:7 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[READ:.*]] = %[[R0]],
// CHECK: tcgemm.fragment.load %[[RING]], %{{.*}}, %[[READ]] warp %{{.*}} tile 0 k_step 1 transposed false
// CHECK: tcgemm.ring.release %[[RING]], %[[READ]]
// CHECK: %[[NEXT:.*]] = tcgemm.ring.wait %[[RING]], %{{.*}}, %{{.*}} : !tcgemm.token<in_flight> pending 2
// CHECK: tcgemm.fragment.load %[[RING]], %{{.*}}, %[[NEXT]] warp %{{.*}} tile 0 k_step 0 transposed false
// CHECK: tcgemm.ring.drain %[[RING]], %[[LOOP]]#1, %[[LOOP]]#2, %[[LOOP]]#3 :
// CHECK: tcgemm.epilogue %[[LOOP]]#0
tcgemm.program @mma_sync(%a: memref<?xbf16>, %b: memref<?xbf16>, %out: memref<?xbf16>,
                         %stride_a: i64, %stride_b: i64, %pitch: i64,
                         %size_m: i32, %size_n: i32, %k_tiles: i32, %residue: i32,
                         %m0: i32, %n0: i32, %warp_m: i32, %warp_n: i32)
    attributes {threads = 256 : i64, chip = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c32 = arith.constant 32 : i32
  %no_batch = arith.constant 0 : i64
  %la = tcgemm.loader.create %a stride %stride_a at %m0 of %size_m : memref<?xbf16> -> !load_a
  %lb = tcgemm.loader.create %b stride %stride_b at %n0 of %size_n : memref<?xbf16> -> !load_b
  %a0 = tcgemm.loader.start %la batch %no_batch k %c0 : !load_a
  %b0 = tcgemm.loader.start %lb batch %no_batch k %c0 : !load_b
  %ring = tcgemm.ring.create : !ring
  %zero = tcgemm.acc.zero : !acc

  // The first stage holds the residue of K; the others are whole.
  %s0 = tcgemm.ring.start %ring : !ring
  %w0 = tcgemm.ring.acquire %ring, %s0 : !ring -> !write
  %has0 = arith.cmpi slt, %c0, %k_tiles : i32
  scf.if %has0 {
    tcgemm.loader.copy %la, %a0 to %ring, %s0, %w0 tile 0 part 0 of 1 k_valid %residue
        : !load_a, !ring, !write
    tcgemm.loader.copy %lb, %b0 to %ring, %s0, %w0 tile 1 part 0 of 1 k_valid %residue
        : !load_b, !ring, !write
  }
  %g0 = tcgemm.ring.commit %ring, %w0 : !ring, !write -> !group
  %a1 = tcgemm.loader.advance %la, %a0 by %residue : !load_a
  %b1 = tcgemm.loader.advance %lb, %b0 by %residue : !load_b
  %s1 = tcgemm.ring.advance %ring, %s0 : !ring
  %w1 = tcgemm.ring.acquire %ring, %s1 : !ring -> !write
  %has1 = arith.cmpi slt, %c1, %k_tiles : i32
  scf.if %has1 {
    tcgemm.loader.copy %la, %a1 to %ring, %s1, %w1 tile 0 part 0 of 1 : !load_a, !ring, !write
    tcgemm.loader.copy %lb, %b1 to %ring, %s1, %w1 tile 1 part 0 of 1 : !load_b, !ring, !write
  }
  %g1 = tcgemm.ring.commit %ring, %w1 : !ring, !write -> !group
  %a2 = tcgemm.loader.advance %la, %a1 by %c32 : !load_a
  %b2 = tcgemm.loader.advance %lb, %b1 by %c32 : !load_b
  %s2 = tcgemm.ring.advance %ring, %s1 : !ring
  %w2 = tcgemm.ring.acquire %ring, %s2 : !ring -> !write
  %has2 = arith.cmpi slt, %c2, %k_tiles : i32
  scf.if %has2 {
    tcgemm.loader.copy %la, %a2 to %ring, %s2, %w2 tile 0 part 0 of 1 : !load_a, !ring, !write
    tcgemm.loader.copy %lb, %b2 to %ring, %s2, %w2 tile 1 part 0 of 1 : !load_b, !ring, !write
  }
  %g2 = tcgemm.ring.commit %ring, %w2 : !ring, !write -> !group
  %s3 = tcgemm.ring.advance %ring, %s2 : !ring

  %r0 = tcgemm.ring.wait %ring, %s0, %g0 : !group pending 2 : !ring -> !read
  %fa0 = tcgemm.fragment.load %ring, %s0, %r0 warp %warp_m tile 0 k_step 0 transposed false
      : !ring, !read -> !frag_a
  %fb0 = tcgemm.fragment.load %ring, %s0, %r0 warp %warp_n tile 1 k_step 0 transposed false
      : !ring, !read -> !frag_b
  %acc, %read, %young, %youngest, %sr, %fa, %fb = scf.for %kt = %c0 to %k_tiles step %c1
      iter_args(%sum = %zero, %r = %r0, %o1 = %g1, %o2 = %g2, %rs = %s0, %x0 = %fa0, %y0 = %fb0)
      -> (!acc, !read, !group, !group, !state, !frag_a, !frag_b) : i32 {
    // k-step 0, under the loads of the next and the copies of the stage to come.
    %x1 = tcgemm.fragment.load %ring, %rs, %r warp %warp_m tile 0 k_step 1 transposed false
        : !ring, !read -> !frag_a
    %y1 = tcgemm.fragment.load %ring, %rs, %r warp %warp_n tile 1 k_step 1 transposed false
        : !ring, !read -> !frag_b
    %ws = tcgemm.ring.advance %ring, %rs by %c3 : !ring
    %w = tcgemm.ring.acquire %ring, %ws : !ring -> !write
    tcgemm.loader.copy %la, %a0 to %ring, %ws, %w tile 0 part 0 of 1 : !load_a, !ring, !write
    tcgemm.loader.copy %lb, %b0 to %ring, %ws, %w tile 1 part 0 of 1 : !load_b, !ring, !write
    %o3 = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
    %sum0 = tcgemm.mma %x0, %y0, %sum : !frag_a, !frag_b, !acc
    // k-step 1, under the loads of the next stage.
    tcgemm.ring.release %ring, %r : !ring, !read
    %rs2 = tcgemm.ring.advance %ring, %rs : !ring
    %r2 = tcgemm.ring.wait %ring, %rs2, %o1 : !group pending 2 : !ring -> !read
    %x2 = tcgemm.fragment.load %ring, %rs2, %r2 warp %warp_m tile 0 k_step 0 transposed false
        : !ring, !read -> !frag_a
    %y2 = tcgemm.fragment.load %ring, %rs2, %r2 warp %warp_n tile 1 k_step 0 transposed false
        : !ring, !read -> !frag_b
    %sum1 = tcgemm.mma %x1, %y1, %sum0 : !frag_a, !frag_b, !acc
    scf.yield %sum1, %r2, %o2, %o3, %rs2, %x2, %y2
        : !acc, !read, !group, !group, !state, !frag_a, !frag_b
  }
  tcgemm.ring.drain %ring, %read, %young, %youngest : !ring, !read, !group, !group
  tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%size_m, %size_n)
      outputs(%out : memref<?xbf16>) strides(%pitch) dims ["mn"] arguments [] guards []
      staging 65536 {
  ^bb0(%x: f32):
    %narrow = arith.truncf %x : f32 to bf16
    tcgemm.yield %narrow : bf16
  } : !acc
  tcgemm.return
}
