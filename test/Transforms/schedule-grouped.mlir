// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule | FileCheck %s

// Each role counts the tiles and finds the group of each of them. The grid's size is a
// bound that the host knows.

// CHECK-LABEL: tcgemm.kernel @groups_0
// CHECK:         "empty_k"
// CHECK:         "aligned"
// CHECK-SAME:    grid = ["min((M / 64 + min(M, batch)) * ceildiv(N, 64) * 1, max(1, sm_count * 1 / 1))", "1", "1"]
// CHECK-LABEL: tcgemm.program @groups_0_main(
// CHECK:         tcgemm.role producer
// CHECK:           %[[COUNT:.*]] = tcgemm.group_tiles %[[OFFSETS:.*]] of %[[G:.*]] below %[[M:.*]] rows 64
// CHECK:           %[[ALL:.*]] = arith.muli %[[COUNT]], %[[COLUMNS:.*]] :
// CHECK:           scf.for %[[TILE:.*]] = %{{.*}} to %[[ALL]] step %{{.*}} iter_args(%{{.*}}, %[[FROM:.*]] = %c0{{.*}}, %[[TILES:.*]] = %c0{{.*}}, %[[ROW:.*]] = %c0
// CHECK-NEXT:        %[[GROUP:.*]], %[[BEFORE:.*]], %[[START:.*]], %[[END:.*]] = tcgemm.group_locate %[[OFFSETS]] below %[[M]] rows 64 tile %[[TILE]] columns %[[COLUMNS]] from(%[[FROM]], %[[TILES]], %[[ROW]])
// CHECK:             %[[OWN:.*]] = arith.subi %[[TILE]], %[[BEFORE]]
// CHECK:             tcgemm.raster %[[OWN]] of
// CHECK-SAME:          batched false
// CHECK:             tcgemm.tma.load %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK:             tcgemm.tma.load %{{.*}}[%{{.*}}, %{{.*}}, %[[GROUP]]]
// CHECK:             scf.yield %{{.*}}, %[[GROUP]], %[[BEFORE]], %[[START]]

// Rows from the group's end on are not stored.
// CHECK:         tcgemm.role consumer
// CHECK:           %{{.*}}, %{{.*}}, %{{.*}}, %[[END2:.*]] = tcgemm.group_locate
// CHECK:           tcgemm.epilogue %{{.*}} at(%{{.*}}) of(%[[END2]], %{{.*}})
func.func @groups(%a: tensor<?x?xbf16>, %b: tensor<?x?x?xbf16>, %o: tensor<?xi32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xbf16>, tensor<?x?x?xbf16>, tensor<?xi32>)
    outs(%e : tensor<?x?xf32>) transpose_b {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], persistent = true>} -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// Values of groups are read at the group's coordinate, by every path of the epilogue.

// CHECK-LABEL: tcgemm.kernel @values
// CHECK-LABEL: tcgemm.program @values_main(
// CHECK:         tcgemm.role consumer
// CHECK:           %[[GROUP3:.*]], %{{.*}}, %{{.*}}, %[[END3:.*]] = tcgemm.group_locate
// CHECK:           tcgemm.epilogue %{{.*}} at(%[[GROUP3]], %{{.*}}) of(%[[END3]], %{{.*}}) {{.*}}["bn", "b", "mn"]
tcgemm.kernel @values <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<offsets, i32, "b">,
     #tcgemm.operand<input, f32, "bn">, #tcgemm.operand<input, f32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %bias: f32, %scale: f32):
  %0 = arith.mulf %acc, %scale : f32
  %1 = arith.addf %0, %bias : f32
  tcgemm.yield %1 : f32
} attributes {config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], persistent = true>}
