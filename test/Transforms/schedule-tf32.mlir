// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule -split-input-file | FileCheck %s

// Tiles and tensor maps are tf32, whose elements have 32 bits in memory: a row of 128
// bytes has 32 of them. Buffers are f32. B is not contiguous along k: it is packed so.

// CHECK-LABEL: tcgemm.kernel @wgmma_0
// CHECK-NOT:     name = "aligned"
// CHECK:         tensor_maps = [<"A", tf32, base = pointer A, dims = ["K", "M"], strides = ["A.stride0 * 4"], box = [32, 64], swizzle = 128
// CHECK-LABEL: tcgemm.program @wgmma_0_main
// CHECK-SAME:    !tcgemm.tensor_map<<64 x 32 x tf32, b128>>
// CHECK:         tcgemm.mma.async
// CHECK-SAME:      mbarrier, [<64 x 32 x tf32, b128>, <64 x 32 x tf32, b128>]>
// CHECK-LABEL: tcgemm.program @wgmma_0_pack
// CHECK-SAME:    memref<?xf32, #gpu.address_space<global>>
func.func @wgmma(%a: memref<256x256xf32>, %b: memref<256x256xf32>, %c: memref<256x256xf32>) {
  linalg.matmul {tcgemm.precision = "tf32", tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 32], warps = [4, 1, 1], instruction = [64, 64, 8]>}
    ins(%a, %b : memref<256x256xf32>, memref<256x256xf32>) outs(%c : memref<256x256xf32>)
  return
}

// -----

// CHECK-LABEL: tcgemm.program @mma_0_main
// CHECK:         tcgemm.fragment.load
// CHECK-SAME:      -> <a, 32 x 8 x tf32>
// CHECK:         tcgemm.mma %{{.*}} : <a, 32 x 8 x tf32>, <b, 32 x 8 x tf32>, <32 x 32, mma_sync>
func.func @mma(%a: memref<256x256xf32>, %b: memref<256x256xf32>, %c: memref<256x256xf32>) {
  linalg.matmul {tcgemm.precision = "tf32", tcgemm.config = #tcgemm.config<cta = [64, 64, 32], warps = [2, 2, 1]>}
    ins(%a, %b : memref<256x256xf32>, memref<256x256xf32>) outs(%c : memref<256x256xf32>)
  return
}
