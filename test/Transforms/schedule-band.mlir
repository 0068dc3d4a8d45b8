// RUN: tcgemm-opt %s -tcgemm-schedule -split-input-file | FileCheck %s

// The k-tiles of a tile end where A is zero; rows are taken from the last one on, and
// the tiles of a CTA from both ends of each round. The elements of a stage are masked
// if some are outside, before its products.

// CHECK-LABEL: tcgemm.program @lower_main(
// CHECK:         tcgemm.role producer
// CHECK:           scf.for %[[ROUND:[a-z0-9]*]] =
// CHECK:             %[[PARITY:.*]] = arith.andi %[[ROUND]], %{{.*}}
// CHECK:             arith.select
// CHECK:             %{{.*}}, %[[M:.*]], %{{.*}}, %{{.*}} = tcgemm.raster
// CHECK:             %[[REVERSED:.*]] = arith.subi %{{.*}}, %[[M]]
// CHECK:             %[[START:.*]] = arith.muli %[[REVERSED]], %c128
// CHECK:             %[[BEHIND:.*]] = arith.addi %{{.*}}, %c128
// CHECK:             arith.minui %[[BEHIND]], %{{.*}}
// CHECK:             scf.for
// CHECK:               tcgemm.tma.load
// CHECK:         tcgemm.role consumer
// CHECK:           %[[READ:.*]] = tcgemm.ring.wait
// CHECK:           arith.cmpi sgt
// CHECK-NEXT:      scf.if
// CHECK:             tcgemm.ring.mask %{{.*}}, %{{.*}}, %[[READ]] tile 0 at %{{.*}}, %{{.*}} <"lower">
// CHECK-NOT:         tcgemm.ring.mask
// CHECK:           tcgemm.mma.async
// CHECK:           scf.for
// CHECK:             tcgemm.ring.wait
// CHECK:             tcgemm.ring.mask
// CHECK:             tcgemm.mma.async
tcgemm.kernel @lower <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk", band = <"lower">>, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%x: f32):
  %0 = arith.truncf %x : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16], persistent = true>}

// -----

// B with k along its rows: its tile is a stack of boxes. A, whose zeros are in memory,
// is not masked.

// CHECK-LABEL: tcgemm.program @both_main(
// CHECK:         tcgemm.role consumer
// CHECK-NOT:       tile 0 at
// CHECK:           tcgemm.ring.mask %{{.*}}, %{{.*}}, %{{.*}} tile 1 stack 64 at %{{.*}}, %{{.*}} <"unit-lower">
tcgemm.kernel @both <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk", band = <"band:3:70:zeros">>, #tcgemm.operand<b, bf16, "kn", band = <"unit-lower">>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 128, 64], warps = [4, 1, 1], instruction = [64, 128, 16]>}

// -----

// The tiles on and below the diagonal, in blocks of 256 x 256. Those below it are stored
// twice, here through the same map.

// CHECK-LABEL: tcgemm.kernel @symmetric
// CHECK:         "aligned"
// CHECK-SAME:    M == N
// CHECK-SAME:    grid = ["min(batch * (ceildiv(M, 256) * (ceildiv(M, 256) + 1) / 2) * 2,
// CHECK:         "aligned_direct"
// CHECK-LABEL: tcgemm.program @symmetric_main(
// CHECK-NOT:     out0_turned
// CHECK:         tcgemm.role consumer
// CHECK:           %[[OFF:.*]] = arith.cmpi ne
// CHECK:           tcgemm.epilogue %[[SUM:.*]] at(%[[B:.*]], %[[M:.*]], %[[N:.*]]) of
// CHECK:           scf.if %[[OFF]] {
// CHECK:             tcgemm.epilogue %[[SUM]] at(%[[B]], %[[N]], %[[M]]) of
// CHECK-SAME:        transposed
tcgemm.kernel @symmetric <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">,
     #tcgemm.operand<output, bf16, "bmn">] epilogue {
^bb0(%x: f32):
  %0 = arith.truncf %x : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {symmetric, chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [128, 256, 64], warps = [8, 1, 1], instruction = [64, 256, 16], epilogue = tma, persistent = true>}

// -----

// A tile of 16 columns has other boxes when it is transposed: there are two maps.

// CHECK-LABEL: tcgemm.program @narrow_main(
// CHECK-SAME:    "out0", bf16, {{[^>]*}} box = [16, 64]
// CHECK-SAME:    "out0_turned", bf16, {{[^>]*}} box = [64, 16]
tcgemm.kernel @narrow <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%x: f32):
  %0 = arith.truncf %x : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {symmetric, chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 16, 64], warps = [4, 1, 1], instruction = [64, 16, 16], epilogue = tma>}
