// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse,canonicalize))' | FileCheck %s

// The function of a fragment's elements, in registers.

!read = !tcgemm.token<read>
!tile = !tcgemm.tile<32 x 32 x bf16, xor>
!ring = !tcgemm.ring<2, cp_async, [!tile, !tile]>
!a = !tcgemm.fragment<a, 16 x 16 x bf16>
!b = !tcgemm.fragment<b, 16 x 16 x bf16>
!acc = !tcgemm.acc<16 x 16, mma_sync>
!globalf = memref<?xf32, #gpu.address_space<global>>

gpu.module @module {
  // Pairs of 16 bits are computed together. Of B, elements from number `valid` along
  // k on become zero: lane l has numbers 2 · (l mod 4) and the next, and the same 8
  // further on.
  // CHECK-LABEL: tcgemm.program @pairs(
  // CHECK-SAME: %[[VALID:[^:]*]]: i32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<2xbf16>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : bf16
  // CHECK: %[[A:.*]] = nvgpu.ldmatrix
  // CHECK: %[[B:.*]] = nvgpu.ldmatrix
  // CHECK: %[[PAIR:.*]] = vector.extract %[[A]][0] : vector<2xbf16> from vector<4x2xbf16>
  // CHECK: arith.addf %[[PAIR]], %[[ONE]] : vector<2xbf16>
  // CHECK-COUNT-3: arith.addf %{{.*}}, %[[ONE]] : vector<2xbf16>
  // CHECK: %[[QUARTER:.*]] = arith.remui %{{.*}}, %c4_i32
  // CHECK: %[[FIRST:.*]] = arith.muli %[[QUARTER]], %c2_i32
  // CHECK: %[[IS:.*]] = arith.cmpi slt, %[[FIRST]], %[[VALID]]
  // CHECK: arith.select %[[IS]], %{{.*}}, %[[ZERO]] : bf16
  // CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c1_i32
  // CHECK: arith.cmpi slt, %[[SECOND]], %[[VALID]]
  // CHECK: %[[THIRD:.*]] = arith.addi %[[FIRST]], %c8_i32
  // CHECK: arith.cmpi slt, %[[THIRD]], %[[VALID]]
  // CHECK: nvgpu.mma.sync
  tcgemm.program @pairs(%valid: i32, %out: !globalf) attributes {threads = 32 : i64, chip = "sm_90"} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %s64 = arith.constant 64 : i64
    %ring = tcgemm.ring.create : !ring
    %s = tcgemm.ring.start %ring : !ring
    %w = tcgemm.ring.acquire %ring, %s : !ring -> !tcgemm.token<write>
    %g = tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write> -> !tcgemm.token<in_flight>
    %r = tcgemm.ring.wait %ring, %s, %g : !tcgemm.token<in_flight> : !ring -> !read
    %a = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !a
    %b = tcgemm.fragment.load %ring, %s, %r warp %c0 tile 1 k_step 0 transposed false : !ring, !read -> !b
    %x = tcgemm.fragment.map %a {
    ^bb0(%e: bf16):
      %one = arith.constant 1.0 : bf16
      %sum = arith.addf %e, %one : bf16
      tcgemm.yield %sum : bf16
    } : <a, 16 x 16 x bf16>
    %y = tcgemm.fragment.map %b valid %valid {
    ^bb0(%e: bf16):
      %sum = arith.addf %e, %e : bf16
      tcgemm.yield %sum : bf16
    } : <b, 16 x 16 x bf16>
    %zero = tcgemm.acc.zero : !acc
    %acc = tcgemm.mma %x, %y, %zero : !a, !b, !acc
    tcgemm.ring.drain %ring, %r : !ring, !read
    tcgemm.epilogue %acc at (%c0, %c0, %c0) of (%c32, %c32) outputs(%out : !globalf) strides(%s64)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%v: f32):
      tcgemm.yield %v : f32
    } : !acc
    tcgemm.return
  }
}
