// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule -split-input-file | FileCheck %s

// A program splits A and B into parts. A row has 32 columns of each of three parts in
// turn; K is rounded up to 32. A stage multiplies six pairs of parts. B is not contiguous
// along k; its parts are.

// CHECK-LABEL: tcgemm.kernel @wgmma_0
// CHECK-SAME:    <a, !tcgemm.precision<bf16x6>, "mk">, #tcgemm.operand<b, !tcgemm.precision<bf16x6>, "kn">
// CHECK-NOT:     name = "aligned"
// CHECK:         @wgmma_0_split
// CHECK:         tensor_maps = [<"A", bf16, base = workspace "0", dims = ["ceildiv(K, 32) * 32 * 3", "M"], strides = ["ceildiv(K, 32) * 32 * 3 * 2"], box = [32, 64], swizzle = 64
// CHECK-LABEL: tcgemm.program @wgmma_0_main
// CHECK-SAME:    !tcgemm.tensor_map<<64 x 32 x bf16, b64>>
// CHECK:         mbarrier, [<64 x 32 x bf16, b64>, <64 x 32 x bf16, b64>, <64 x 32 x bf16, b64>, <64 x 32 x bf16, b64>, <64 x 32 x bf16, b64>, <64 x 32 x bf16, b64>]>
// CHECK:         tcgemm.mma.async {{.*}} tiles 2, 3 into %{{.*}} if %false
// CHECK:         tcgemm.mma.async {{.*}} tiles 0, 5 into
// CHECK:         tcgemm.mma.async {{.*}} tiles 4, 1 into
// CHECK:         tcgemm.mma.async {{.*}} tiles 0, 3 into
// CHECK:         tcgemm.mma.async {{.*}} tiles 2, 1 into
// CHECK:         tcgemm.mma.async {{.*}} tiles 0, 1 into
// CHECK-NOT:     tcgemm.mma.async
// CHECK:         tcgemm.acc.add
// CHECK-LABEL: tcgemm.program @wgmma_0_split
// CHECK-SAME:    memref<?xf32, #gpu.address_space<global>>
// CHECK-SAME:    memref<?xbf16, #gpu.address_space<global>>
// CHECK:         arith.subf
// CHECK-COUNT-12: vector.store {{.*}} vector<8xbf16>
// CHECK-NOT:     vector.store
func.func @wgmma(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul {tcgemm.precision = "bf16x6", tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 192], warps = [4, 1, 1], instruction = [64, 64, 16], promote_sums = true>}
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
