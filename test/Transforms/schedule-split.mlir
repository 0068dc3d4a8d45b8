// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule -split-input-file | FileCheck %s

// A program splits A and B into parts. The main program reads six parts of K, rounded
// up to 16, columns for each row: one product of bf16 with that depth. B is not
// contiguous along k; its parts are.

// CHECK-LABEL: tcgemm.kernel @wgmma_0
// CHECK-SAME:    <a, !tcgemm.precision<bf16x6>, "mk">, #tcgemm.operand<b, !tcgemm.precision<bf16x6>, "kn">
// CHECK-NOT:     name = "aligned"
// CHECK:         @wgmma_0_split
// CHECK:         tensor_maps = [<"A", bf16, base = workspace "0", dims = ["ceildiv(K, 16) * 16 * 6", "M"], strides = ["ceildiv(K, 16) * 16 * 6 * 2"], box = [64, 64], swizzle = 128
// CHECK-LABEL: tcgemm.program @wgmma_0_main
// CHECK-SAME:    !tcgemm.tensor_map<<64 x 64 x bf16, b128>>
// CHECK:         mbarrier, [<64 x 64 x bf16, b128>, <64 x 64 x bf16, b128>]>
// CHECK:         tcgemm.acc.add
// CHECK-LABEL: tcgemm.program @wgmma_0_split
// CHECK-SAME:    memref<?xf32, #gpu.address_space<global>>
// CHECK-SAME:    memref<?xbf16, #gpu.address_space<global>>
// CHECK:         arith.subf
// CHECK-COUNT-24: vector.store {{.*}} vector<8xbf16>
// CHECK-NOT:     vector.store
func.func @wgmma(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul {tcgemm.precision = "bf16x6", tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], promote_sums = true>}
    ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// -----

// The depth of a static product is a constant: 3 products of parts of 250, rounded up
// to 256.

// CHECK-LABEL: tcgemm.program @mma_0_main
// CHECK:         arith.constant 768 : i32
// CHECK:         tcgemm.mma %{{.*}} : <a, 32 x 8 x tf32>, <b, 32 x 8 x tf32>, <32 x 32, mma_sync>
// CHECK-LABEL: tcgemm.program @mma_0_split
// CHECK-COUNT-24: vector.store {{.*}} vector<4xf32>
// CHECK-NOT:     vector.store
func.func @mma(%a: memref<256x250xf32>, %b: memref<250x256xf32>, %c: memref<256x256xf32>) {
  linalg.matmul {tcgemm.precision = "tf32x3", tcgemm.config = #tcgemm.config<cta = [64, 64, 32], warps = [2, 2, 1]>}
    ins(%a, %b : memref<256x250xf32>, memref<250x256xf32>) outs(%c : memref<256x256xf32>)
  return
}
