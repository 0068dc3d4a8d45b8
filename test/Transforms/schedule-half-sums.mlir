// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule -split-input-file | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule -tcgemm-lower-tiles -split-input-file | FileCheck %s --check-prefix=LOWER

// With the precision f16, instructions add in f16. The sum is extended before the
// epilogue, slices of k, or sums of warps. Tiles are plain f16.

// CHECK-LABEL: tcgemm.program @wgmma_0_main
// CHECK-SAME:    !tcgemm.tensor_map<<64 x 64 x f16, b128>>
// CHECK:         tcgemm.mma.async {{.*}} -> <64 x 64 of f16, wgmma, in_flight = true>
// CHECK:         scf.for
// CHECK:         %[[SUM:.*]] = tcgemm.mma.await %{{.*}} <64 x 64 of f16, wgmma>
// CHECK:         %[[WIDE:.*]] = tcgemm.acc.extend %[[SUM]] : <64 x 64 of f16, wgmma> -> <64 x 64, wgmma>
// CHECK:         tcgemm.epilogue {{.*}}%[[WIDE]]

// A register has two sums.

// LOWER-LABEL: tcgemm.program @wgmma_0_main(
// LOWER:         llvm.inline_asm {{.*}}m64n64k16.f16.f16.f16
// LOWER:         %[[PAIR:.*]] = llvm.bitcast %{{.*}} : i32 to vector<2xf16>
// LOWER:         vector.extract %[[PAIR]][0]
// LOWER:         arith.extf %{{.*}} : f16 to f32
func.func @wgmma(%a: memref<256x256xf16>, %b: memref<256x256xf16>, %c: memref<256x256xf16>) {
  linalg.matmul {tcgemm.precision = "f16", tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], epilogue = direct>}
    ins(%a, %b : memref<256x256xf16>, memref<256x256xf16>) outs(%c : memref<256x256xf16>)
  return
}

// -----

// The sum of each stage is promoted to f32.

// CHECK-LABEL: tcgemm.program @promoted_0_main
// CHECK:         %[[NONE:.*]] = tcgemm.acc.zero : <64 x 64 of f16, wgmma>
// CHECK:         %[[ZERO:.*]] = tcgemm.acc.extend %[[NONE]]
// CHECK:         scf.for {{.*}} iter_args(%[[TOTAL:.*]] = %[[ZERO]],
// CHECK:           tcgemm.mma.async {{.*}} into %[[NONE]]
// CHECK:           %[[PART:.*]] = tcgemm.mma.await
// CHECK:           %[[WIDE:.*]] = tcgemm.acc.extend %[[PART]]
// CHECK:           tcgemm.acc.add %[[TOTAL]], %[[WIDE]] : <64 x 64, wgmma>
func.func @promoted(%a: memref<256x256xf16>, %b: memref<256x256xf16>, %c: memref<256x256xf16>) {
  linalg.matmul {tcgemm.precision = "f16", tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], promote_sums = true>}
    ins(%a, %b : memref<256x256xf16>, memref<256x256xf16>) outs(%c : memref<256x256xf16>)
  return
}

// -----

// CHECK-LABEL: tcgemm.program @warps_0_main
// CHECK:         tcgemm.mma %{{.*}} : <a, 32 x 16 x f16>, <b, 32 x 16 x f16>, <32 x 32 of f16, mma_sync>
// CHECK:         %[[WIDE:.*]] = tcgemm.acc.extend %{{.*}} : <32 x 32 of f16, mma_sync> -> <32 x 32, mma_sync>
// LOWER-LABEL: tcgemm.program @warps_0_main(
// LOWER:         nvgpu.mma.sync{{.*}} -> vector<2x2xf16>
// LOWER:         arith.extf %{{.*}} : vector<2x2xf16> to vector<2x2xf32>
// CHECK:         tcgemm.acc.reduce {{.*}}%[[WIDE]]
func.func @warps(%a: memref<256x256xf16>, %b: memref<256x256xf16>, %c: memref<256x256xf16>) {
  linalg.matmul {tcgemm.precision = "f16", tcgemm.config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32], warps = [2, 2, 2]>}
    ins(%a, %b : memref<256x256xf16>, memref<256x256xf16>) outs(%c : memref<256x256xf16>)
  return
}
