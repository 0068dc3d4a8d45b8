// RUN: tcgemm-opt %s -tcgemm-schedule -split-input-file | FileCheck %s --check-prefix=TILE
// RUN: tcgemm-opt %s -tcgemm-schedule -tcgemm-lower-tiles -split-input-file | FileCheck %s --check-prefix=NVGPU

// Tiles of bits count bytes, their fragments and products bits. The strides of rows in
// programs count bytes.

// TILE-LABEL: tcgemm.program @warps_main(
// TILE: tcgemm.loader.create {{.*}} -> <<32 x 64 x ui1, xor>, bytes = 16, k_contiguous = true, threads = 128>
// TILE: tcgemm.fragment.load {{.*}} tile 0 k_step 1 {{.*}} -> <a, 16 x 256 x ui1>
// TILE: tcgemm.mma {{.*}} : <a, 16 x 256 x ui1>, <b, 16 x 256 x ui1>, <16 x 16 of i32, mma_sync>
// NVGPU-LABEL: tcgemm.program @warps_main(
// NVGPU: nvgpu.device_async_copy {{.*}}, 16, {{.*}} to memref<{{[0-9]+}}xi8
// NVGPU: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false} : memref<{{[0-9]+}}xi8, {{.*}} -> vector<4x4xi8>
// NVGPU: llvm.inline_asm {{.*}}mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc
tcgemm.kernel @warps <1x?x?x?>
    [#tcgemm.operand<a, ui1, "mk">, #tcgemm.operand<b, ui1, "nk">,
     #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: i32):
  tcgemm.yield %acc : i32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = mma_sync,
  cta = [32, 32, 512], warps = [2, 2, 1], stages = 3>}

// -----

// TILE-LABEL: tcgemm.program @groups_main(
// TILE-SAME: !tcgemm.tensor_map<<64 x 128 x ui1, b128>> {tcgemm.binding = #tcgemm.tensor_map<"A", i8, base = pointer A, dims = ["K / 8", "M"], strides = ["A.stride0 / 8 * 1"], box = [128, 64]
// TILE: tcgemm.ring.create {{.*}} : <3, mbarrier, [<64 x 128 x ui1, b128>, <32 x 128 x ui1, b128>]>
// NVGPU-LABEL: tcgemm.program @groups_main(
// NVGPU: llvm.inline_asm{{.*}}wgmma.fence
// NVGPU-SAME: wgmma.mma_async.sync.aligned.m64n32k256.s32.b1.b1.and.popc {{[^;]*}}, 0;
// NVGPU-SAME: wgmma.mma_async.sync.aligned.m64n32k256.s32.b1.b1.and.popc {{[^;]*}}, 1;
// NVGPU-SAME: wgmma.mma_async.sync.aligned.m64n32k256.s32.b1.b1.and.popc {{[^;]*}}, 1;
// NVGPU-SAME: wgmma.mma_async.sync.aligned.m64n32k256.s32.b1.b1.and.popc {{[^;]*}}, 1;
tcgemm.kernel @groups <1x?x?x?>
    [#tcgemm.operand<a, ui1, "mk">, #tcgemm.operand<b, ui1, "nk">,
     #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: i32):
  tcgemm.yield %acc : i32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [64, 32, 1024], warps = [4, 1, 1], instruction = [64, 32, 256],
  stages = 3>}
