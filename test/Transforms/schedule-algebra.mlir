// RUN: tcgemm-opt %s -tcgemm-schedule -split-input-file | FileCheck %s --check-prefix=TILE
// RUN: tcgemm-opt %s -tcgemm-schedule -split-input-file | tcgemm-opt -split-input-file | FileCheck %s --check-prefix=TILE
// RUN: tcgemm-opt %s -tcgemm-schedule -tcgemm-lower-tiles -split-input-file | FileCheck %s --check-prefix=NVGPU --implicit-check-not=math.fma

// Programs have the kernel's algebra. Elements of A beyond K become its neutral element;
// B has zeros there. Only the first k-tile has such elements, and a loop of its own.
// Slices are reduced by the same operation.

// TILE-LABEL: tcgemm.program @paths_reduce(
// TILE-SAME: algebra = #tcgemm.algebra<reduce = max, combine = plus>
// TILE-LABEL: tcgemm.program @paths_main(
// TILE-SAME: algebra = #tcgemm.algebra<reduce = max, combine = plus>
// TILE: %[[A:.*]] = tcgemm.fragment.load {{.*}} tile 0
// TILE: %[[SECOND:.*]] = arith.addi %[[FIRST:.*]], %c1_i32
// TILE: %[[END:.*]] = arith.minsi %[[SECOND]], %[[LAST:.*]] : i32
// TILE: scf.for %{{.*}} = %[[FIRST]] to %[[END]] step
// TILE: tcgemm.fragment.map {{.*}} valid
// TILE: tcgemm.yield %{{.*}} : f32
// TILE-NOT: tcgemm.fragment.map
// TILE: tcgemm.mma
// TILE: scf.for %{{.*}} = %[[SECOND]] to %[[LAST]] step
// TILE-NOT: tcgemm.fragment.map
// TILE: tcgemm.ring.drain
// NVGPU-LABEL: tcgemm.program @paths_reduce(
// NVGPU: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// NVGPU: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[NONE]])
// NVGPU: %[[PART:.*]] = memref.load
// NVGPU: arith.maximumf %[[SUM]], %[[PART]] : f32
// NVGPU-LABEL: tcgemm.program @paths_main(
// NVGPU: arith.select {{.*}} : f32
// NVGPU: %[[PATH:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// NVGPU: arith.maximumf %{{.*}}, %[[PATH]] : f32
tcgemm.kernel @paths <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {algebra = #tcgemm.algebra<reduce = max, combine = plus>,
  chip = "sm_80", config = #tcgemm.config<schedule = simt,
  cta = [32, 32, 16], threads = [8, 8, 1], stages = 3, split_k = 2>}

// -----

// A static K of whole tiles needs no replacement.

// TILE-LABEL: tcgemm.program @whole_main(
// TILE-NOT: tcgemm.fragment.map
// TILE: tcgemm.mma
// NVGPU-LABEL: tcgemm.program @whole_main(
// NVGPU-NOT: arith.select {{.*}} : f32
// NVGPU: %[[LEAST:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : f32
// NVGPU: arith.minnumf %{{.*}}, %[[LEAST]] : f32
tcgemm.kernel @whole <1x?x?x64>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {algebra = #tcgemm.algebra<reduce = minnum, combine = maxnum>,
  chip = "sm_80", config = #tcgemm.config<schedule = simt,
  cta = [32, 32, 16], threads = [8, 8, 1], stages = 3>}

// -----

// Where zeros are not enough, B has another value beyond K, too: here -inf times 1.

// TILE-LABEL: tcgemm.program @factors_main(
// TILE: %[[A:.*]] = tcgemm.fragment.map {{.*}} valid
// TILE: %[[B:.*]] = tcgemm.fragment.map {{.*}} valid
// TILE: tcgemm.mma %[[A]], %[[B]]
// NVGPU-LABEL: tcgemm.program @factors_main(
// NVGPU: arith.select {{.*}} : f32
// NVGPU: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// NVGPU-NEXT: arith.select %{{.*}}, %{{.*}}, %[[ONE]] : f32
tcgemm.kernel @factors <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {algebra = #tcgemm.algebra<reduce = max, combine = times>,
  chip = "sm_80", config = #tcgemm.config<schedule = simt,
  cta = [32, 32, 16], threads = [8, 8, 1], stages = 3>}

// -----

// Zeros are what disjunctions start with.

// TILE-LABEL: tcgemm.program @masks_main(
// TILE-NOT: tcgemm.fragment.map
// TILE: tcgemm.mma
// NVGPU-LABEL: tcgemm.program @masks_main(
// NVGPU: arith.extui %{{.*}} : i8 to i32
// NVGPU: %[[BOTH:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
// NVGPU: arith.ori %{{.*}}, %[[BOTH]] : i32
tcgemm.kernel @masks <1x?x?x?>
    [#tcgemm.operand<a, ui8, "mk">, #tcgemm.operand<b, ui8, "nk">,
     #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: i32):
  tcgemm.yield %acc : i32
} attributes {algebra = #tcgemm.algebra<reduce = or, combine = and>,
  chip = "sm_80", config = #tcgemm.config<schedule = simt, transpose_staging = false,
  cta = [32, 32, 32], threads = [8, 8, 1], stages = 3>}
