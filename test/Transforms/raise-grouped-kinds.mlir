// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false | FileCheck %s

// Padded groups have counts, and everything has the dimension b.
// CHECK:      tcgemm.kernel @padded_0 <8x?x64x32>
// CHECK-SAME:   [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<output, bf16, "bmn">]
// CHECK-LABEL: func.func @padded
// CHECK-SAME:    (%[[A:.*]]: tensor<8x?x32xbf16>, %[[B:.*]]: tensor<8x64x32xbf16>, %[[C:.*]]: tensor<8xi32>, %[[E:.*]]: tensor
// CHECK:         %[[R:.*]] = tcgemm.launch @padded_0 ins(%[[A]], %[[B]], %[[C]] : {{.*}}) outs(%[[E]] : {{.*}})
// CHECK:         return %[[R]]
func.func @padded(%a: tensor<8x?x32xbf16>, %b: tensor<8x64x32xbf16>, %c: tensor<8xi32>, %e: tensor<8x?x64xbf16>) -> tensor<8x?x64xbf16> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %c : tensor<8x?x32xbf16>, tensor<8x64x32xbf16>, tensor<8xi32>)
    outs(%e : tensor<8x?x64xbf16>) transpose_b -> tensor<8x?x64xbf16>
  return %d : tensor<8x?x64xbf16>
}

// With groups along k, only the offsets and the output have b.
// CHECK:      tcgemm.kernel @ragged_0 <?x96x64x?>
// CHECK-SAME:   [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">]
// CHECK-LABEL: func.func @ragged
// CHECK:         tcgemm.launch @ragged_0 ins(%arg0, %arg1, %arg2 :
func.func @ragged(%a: tensor<?x96xbf16>, %b: tensor<?x64xbf16>, %o: tensor<?xi32>, %e: tensor<?x96x64xf32>) -> tensor<?x96x64xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x96xbf16>, tensor<?x64xbf16>, tensor<?xi32>)
    outs(%e : tensor<?x96x64xf32>) transpose_a -> tensor<?x96x64xf32>
  return %d : tensor<?x96x64xf32>
}

// Elementwise consumers are fused. The number of groups is that of the offsets.
// CHECK:      tcgemm.kernel @fused_0 <?x96x64x?>
// CHECK-SAME:   [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">]
// CHECK:        arith.mulf
// CHECK-LABEL: func.func @fused
// CHECK-NOT:     arith.mulf
// CHECK:         tcgemm.launch @fused_0
// CHECK-NOT:     arith.mulf
func.func @fused(%a: tensor<96x?xbf16>, %b: tensor<64x?xbf16>, %o: tensor<?xi32>, %e: tensor<?x96x64xf32>) -> tensor<?x96x64xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<96x?xbf16>, tensor<64x?xbf16>, tensor<?xi32>)
    outs(%e : tensor<?x96x64xf32>) transpose_b -> tensor<?x96x64xf32>
  %s = arith.mulf %d, %d : tensor<?x96x64xf32>
  return %s : tensor<?x96x64xf32>
}

// Values of groups are vectors of a batch where the result has the dimension b.
// CHECK:      tcgemm.kernel @padded_values_0 <8x?x64x32>
// CHECK-SAME:   #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<input, f32, "bn">, #tcgemm.operand<input, f32, "b">, #tcgemm.operand<output, f32, "bmn">]
// CHECK:      tcgemm.kernel @ragged_values_0 <8x96x64x?>
// CHECK-SAME:   #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<input, f32, "bn">, #tcgemm.operand<input, f32, "b">, #tcgemm.operand<output, f32, "bmn">]
#bmn = affine_map<(b, m, n) -> (b, m, n)>
func.func @padded_values(%a: tensor<8x?x32xbf16>, %b: tensor<8x64x32xbf16>, %c: tensor<8xi32>, %bias: tensor<8x64xf32>, %scale: tensor<8xf32>, %e: tensor<8x?x64xf32>) -> tensor<8x?x64xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %c : tensor<8x?x32xbf16>, tensor<8x64x32xbf16>, tensor<8xi32>)
    outs(%e : tensor<8x?x64xf32>) transpose_b -> tensor<8x?x64xf32>
  %r = linalg.generic {indexing_maps = [#bmn, affine_map<(b, m, n) -> (b, n)>, affine_map<(b, m, n) -> (b)>, #bmn], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%d, %bias, %scale : tensor<8x?x64xf32>, tensor<8x64xf32>, tensor<8xf32>) outs(%e : tensor<8x?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %out: f32):
    %p = arith.addf %x, %y : f32
    %q = arith.mulf %p, %z : f32
    linalg.yield %q : f32
  } -> tensor<8x?x64xf32>
  return %r : tensor<8x?x64xf32>
}
func.func @ragged_values(%a: tensor<?x96xbf16>, %b: tensor<?x64xbf16>, %o: tensor<8xi32>, %bias: tensor<8x64xf32>, %scale: tensor<8xf32>, %e: tensor<8x96x64xf32>) -> tensor<8x96x64xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x96xbf16>, tensor<?x64xbf16>, tensor<8xi32>)
    outs(%e : tensor<8x96x64xf32>) transpose_a -> tensor<8x96x64xf32>
  %r = linalg.generic {indexing_maps = [#bmn, affine_map<(b, m, n) -> (b, n)>, affine_map<(b, m, n) -> (b)>, #bmn], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%d, %bias, %scale : tensor<8x96x64xf32>, tensor<8x64xf32>, tensor<8xf32>) outs(%e : tensor<8x96x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %out: f32):
    %p = arith.addf %x, %y : f32
    %q = arith.mulf %p, %z : f32
    linalg.yield %q : f32
  } -> tensor<8x96x64xf32>
  return %r : tensor<8x96x64xf32>
}

// A kernel that checks its offsets is another one than a kernel that does not.
// CHECK:      tcgemm.kernel @checked_0 <8x?x64x32>
// CHECK-NOT:    check_offsets
// CHECK:      tcgemm.kernel @checked_1 <8x?x64x32>
// CHECK:        attributes {check_offsets}
// CHECK-LABEL: func.func @checked
// CHECK:         tcgemm.launch @checked_0
// CHECK:         tcgemm.launch @checked_1
func.func @checked(%a: tensor<8x?x32xf16>, %b: tensor<8x64x32xf16>, %c: tensor<8xi32>, %e: tensor<8x?x64xf16>, %f: tensor<8x?x64xf16>) -> (tensor<8x?x64xf16>, tensor<8x?x64xf16>) {
  %0 = tcgemm.grouped_matmul ins(%a, %b, %c : tensor<8x?x32xf16>, tensor<8x64x32xf16>, tensor<8xi32>)
    outs(%e : tensor<8x?x64xf16>) transpose_b -> tensor<8x?x64xf16>
  %1 = tcgemm.grouped_matmul ins(%a, %b, %c : tensor<8x?x32xf16>, tensor<8x64x32xf16>, tensor<8xi32>)
    outs(%f : tensor<8x?x64xf16>) transpose_b check_offsets -> tensor<8x?x64xf16>
  return %0, %1 : tensor<8x?x64xf16>, tensor<8x?x64xf16>
}
