// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tcgemm-opt %t.mlir --split-input-file | FileCheck %s

// B of 4 bits takes the rows of wgmma. It stays packed in the ring: a row of 128 elements
// has 64 bytes, while A's row has two parts.

// CHECK-LABEL: tcgemm.kernel @packed
// Rows of B are whole bytes, and its map counts bytes.
// CHECK: #tcgemm.variant<"aligned", guard = "{{[^"]*}}K / 2 >= 1 && {{[^"]*}}B.stride0 / 2 * 1 % 16 == 0{{[^"]*}} && B.stride1 == 1 && B.stride0 % 2 == 0 && K % 2 == 0
// CHECK-SAME: <"B", i8, base = pointer B, dims = ["K / 2", "N"], strides = ["B.stride0 / 2 * 1"], box = [64, 128], swizzle = 64
// A packed operand's map has the workspace's pitch.
// CHECK-SAME: #tcgemm.variant<"pack_b"
// CHECK-SAME: <"B", i8, base = workspace "0", dims = ["K / 2", "N"], strides = ["ceildiv(ceildiv(K, 2), 16) * 16 * 2 / 2 * 1"]

// CHECK: tcgemm.program @packed_main(
// CHECK: %[[RING:.*]] = tcgemm.ring.create empty_arrivals 8 : <3, mbarrier, [<128 x 64 x i8, b64>, <32 x 64 x bf16, b128>, <32 x 64 x bf16, b128>]>
// CHECK: tcgemm.role producer
// CHECK: scf.for %[[KT:[^ ]*]] =
// CHECK: %[[K:.*]] = arith.muli %[[KT]], %c128_i32{{.*}} : i32
// CHECK: %[[BYTES:.*]] = arith.divui %[[K]], %c2_i32{{.*}} : i32
// CHECK: tcgemm.tma.load %{{.*}}[%[[BYTES]], %{{.*}}] {{.*}} tile 0
// CHECK: tcgemm.tma.load %{{.*}}[%[[K]], %{{.*}}] {{.*}} tile 1
// CHECK: tcgemm.tma.load {{.*}} tile 2
// CHECK: tcgemm.role consumer
// CHECK: %[[GROUP:.*]] = tcgemm.warpgroup
// The bytes of two steps are loaded ahead. The first stage has no products before it.
// CHECK: %[[R0:.*]] = tcgemm.ring.wait
// CHECK: %[[N0:.*]] = tcgemm.fragment.load %[[RING]], {{.*}}, %[[R0]] warp %[[GROUP]] tile 0 k_step 0 {{.*}} -> <a, 64 x 32 x i4 for wgmma>
// CHECK: tcgemm.fragment.load {{.*}} k_step 1
// CHECK: %[[F0:.*]] = tcgemm.fragment.convert %[[N0]] : <a, 64 x 32 x i4 for wgmma> -> <a, 64 x 32 x bf16 for wgmma>
// CHECK: tcgemm.fragment.load {{.*}} k_step 2
// CHECK: tcgemm.mma.async_fragment %[[F0]] by %[[RING]], {{.*}} tile 1 k_step 0 new into
// CHECK-NOT: tcgemm.mma.await
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 1 k_step 1 into
// CHECK-NOT: tcgemm.mma.await
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 2 k_step 0 into
// CHECK-NOT: tcgemm.mma.await
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 2 k_step 1 into
// CHECK: tcgemm.mma.await {{.*}} pending 3
// A fragment is converted while three products run. The stage before is released when
// only products of this one are in flight.
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[BEFORE:.*]] = %[[R0]],
// CHECK: tcgemm.fragment.convert
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 1 k_step 0 into
// CHECK-NEXT: tcgemm.mma.await {{.*}} pending 3
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 1 k_step 1 into
// CHECK-NEXT: tcgemm.mma.await {{.*}} pending 3
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 2 k_step 0 into
// CHECK-NEXT: tcgemm.mma.await {{.*}} pending 3
// CHECK-NEXT: tcgemm.ring.release %[[RING]], %[[BEFORE]]
// CHECK: tcgemm.mma.async_fragment {{.*}} tile 2 k_step 1 into
// CHECK-NEXT: tcgemm.mma.await {{.*}} pending 3
// CHECK: %[[SUM:.*]] = tcgemm.mma.await {{.*}} -> <64 x 32, wgmma>
// CHECK: %[[SCALED:.*]] = tcgemm.acc.scale %[[SUM]] by 6 : <64 x 32, wgmma>
// CHECK: tcgemm.epilogue %[[SCALED]]
tcgemm.kernel @packed <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [32, 128, 128], warps = [8, 1, 1], instruction = [64, 32, 16],
  stages = 3, swap_ab = true>}

// -----

// A ring of two stages: the stage before is released after the first product.

// CHECK-LABEL: tcgemm.program @short_main(
// CHECK: tcgemm.ring.create empty_arrivals 4 : <2, mbarrier, [<64 x 64 x ui8, b64>, <16 x 64 x f16, b128>]>
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[BEFORE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (!tcgemm.acc<64 x 16, wgmma, in_flight = true>
// CHECK: tcgemm.mma.async_fragment {{.*}} k_step 0 into
// CHECK-NEXT: tcgemm.mma.await {{.*}} pending 1
// CHECK-NEXT: tcgemm.ring.release %{{.*}}, %[[BEFORE]]
// CHECK-NOT: tcgemm.mma.await
// CHECK: tcgemm.mma.async_fragment {{.*}} k_step 3 into
// CHECK-NEXT: tcgemm.mma.await {{.*}} pending 3
// Elements of f16 have no scale.
// CHECK-NOT: tcgemm.acc.scale
tcgemm.kernel @short <1x?x?x?>
    [#tcgemm.operand<a, ui8, "mk">, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 16, 64], warps = [4, 1, 1], instruction = [64, 16, 16],
  stages = 2>}
