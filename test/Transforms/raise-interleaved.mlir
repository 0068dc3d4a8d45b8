// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false | FileCheck %s

// A transposition that puts interleaved elements into order becomes the type of the
// operand. The kernel reads the interleaved matrix.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

// CHECK: tcgemm.kernel @weights_0 <1x?x64x512>
// CHECK-SAME: [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, !tcgemm.interleaved<u4i>, "nk">,
// CHECK-LABEL: func.func @weights
// CHECK-SAME: %[[A:.*]]: tensor<?x512xbf16>, %[[B:.*]]: tensor<64x512xi4>
// CHECK-NOT: linalg.transpose
// CHECK: tcgemm.launch @weights_0 ins(%[[A]], %[[B]],
func.func @weights(%a: tensor<?x512xbf16>, %b: tensor<64x512xi4>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %parts = tensor.expand_shape %b [[0], [1, 2, 3, 4]] output_shape [64, 16, 4, 2, 4] : tensor<64x512xi4> into tensor<64x16x4x2x4xi4>
  %empty = tensor.empty() : tensor<64x16x4x4x2xi4>
  %t = linalg.transpose ins(%parts : tensor<64x16x4x2x4xi4>) outs(%empty : tensor<64x16x4x4x2xi4>) permutation = [0, 1, 4, 2, 3]
  %ordered = tensor.collapse_shape %t [[0], [1, 2, 3, 4]] : tensor<64x16x4x4x2xi4> into tensor<64x512xi4>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %ordered : tensor<?x512xbf16>, tensor<64x512xi4>) outs(%c : tensor<?x64xf32>) {
  ^bb0(%x: bf16, %y: i4, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.uitofp %y : i4 to f32
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// The transposition may be two, and the sizes known at run time.
// CHECK: tcgemm.kernel @of_a_0 <1x64x?x?>
// CHECK-SAME: [#tcgemm.operand<a, !tcgemm.interleaved<s4i>, "mk">, #tcgemm.operand<b, f16, "nk">,
// CHECK-LABEL: func.func @of_a
// CHECK-SAME: %[[A:.*]]: tensor<64x?xi4>, %[[B:[^:]*]]: tensor<?x?xf16>
// CHECK: tcgemm.launch @of_a_0 ins(%[[A]], %[[B]],
func.func @of_a(%a: tensor<64x?xi4>, %b: tensor<?x?xf16>, %c: tensor<64x?xf32>, %blocks: index) -> tensor<64x?xf32> {
  %parts = tensor.expand_shape %a [[0], [1, 2, 3, 4]] output_shape [64, %blocks, 4, 2, 4] : tensor<64x?xi4> into tensor<64x?x4x2x4xi4>
  %empty = tensor.empty(%blocks) : tensor<64x?x4x4x2xi4>
  %t0 = linalg.transpose ins(%parts : tensor<64x?x4x2x4xi4>) outs(%empty : tensor<64x?x4x4x2xi4>) permutation = [0, 1, 2, 4, 3]
  %t1 = linalg.transpose ins(%t0 : tensor<64x?x4x4x2xi4>) outs(%empty : tensor<64x?x4x4x2xi4>) permutation = [0, 1, 3, 2, 4]
  %ordered = tensor.collapse_shape %t1 [[0], [1, 2, 3, 4]] : tensor<64x?x4x4x2xi4> into tensor<64x?xi4>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%ordered, %b : tensor<64x?xi4>, tensor<?x?xf16>) outs(%c : tensor<64x?xf32>) {
  ^bb0(%x: i4, %y: f16, %o: f32):
    %u = arith.sitofp %x : i4 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<64x?xf32>
  return %0 : tensor<64x?xf32>
}

// No other transposition is an order of elements that kernels read.
// CHECK: tcgemm.kernel @other_order_0
// CHECK-SAME: #tcgemm.operand<b, i4, "nk">
// CHECK-LABEL: func.func @other_order
// CHECK: linalg.transpose
// CHECK: tcgemm.launch @other_order_0
func.func @other_order(%a: tensor<16x64xbf16>, %b: tensor<8x64xi4>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %parts = tensor.expand_shape %b [[0], [1, 2, 3, 4]] output_shape [8, 2, 4, 2, 4] : tensor<8x64xi4> into tensor<8x2x4x2x4xi4>
  %empty = tensor.empty() : tensor<8x2x4x2x4xi4>
  %t = linalg.transpose ins(%parts : tensor<8x2x4x2x4xi4>) outs(%empty : tensor<8x2x4x2x4xi4>) permutation = [0, 1, 4, 3, 2]
  %ordered = tensor.collapse_shape %t [[0], [1, 2, 3, 4]] : tensor<8x2x4x2x4xi4> into tensor<8x64xi4>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %ordered : tensor<16x64xbf16>, tensor<8x64xi4>) outs(%c : tensor<16x8xf32>) {
  ^bb0(%x: bf16, %y: i4, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// The kernel is that of @other_order.
// CHECK-LABEL: func.func @shorter_blocks
// CHECK: linalg.transpose
// CHECK: tcgemm.launch @other_order_0
func.func @shorter_blocks(%a: tensor<16x64xbf16>, %b: tensor<8x64xi4>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %parts = tensor.expand_shape %b [[0], [1, 2, 3, 4]] output_shape [8, 4, 2, 2, 4] : tensor<8x64xi4> into tensor<8x4x2x2x4xi4>
  %empty = tensor.empty() : tensor<8x4x4x2x2xi4>
  %t = linalg.transpose ins(%parts : tensor<8x4x2x2x4xi4>) outs(%empty : tensor<8x4x4x2x2xi4>) permutation = [0, 1, 4, 2, 3]
  %ordered = tensor.collapse_shape %t [[0], [1, 2, 3, 4]] : tensor<8x4x4x2x2xi4> into tensor<8x64xi4>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %ordered : tensor<16x64xbf16>, tensor<8x64xi4>) outs(%c : tensor<16x8xf32>) {
  ^bb0(%x: bf16, %y: i4, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// No instruction multiplies interleaved elements by s8: the transposition stays.
// CHECK: tcgemm.kernel @partner_0
// CHECK-SAME: [#tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, i4, "nk">,
// CHECK-LABEL: func.func @partner
// CHECK: linalg.transpose
// CHECK: tcgemm.launch @partner_0
func.func @partner(%a: tensor<16x64xi8>, %b: tensor<8x64xi4>, %c: tensor<16x8xi32>) -> tensor<16x8xi32> {
  %parts = tensor.expand_shape %b [[0], [1, 2, 3, 4]] output_shape [8, 2, 4, 2, 4] : tensor<8x64xi4> into tensor<8x2x4x2x4xi4>
  %empty = tensor.empty() : tensor<8x2x4x4x2xi4>
  %t = linalg.transpose ins(%parts : tensor<8x2x4x2x4xi4>) outs(%empty : tensor<8x2x4x4x2xi4>) permutation = [0, 1, 4, 2, 3]
  %ordered = tensor.collapse_shape %t [[0], [1, 2, 3, 4]] : tensor<8x2x4x4x2xi4> into tensor<8x64xi4>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %ordered : tensor<16x64xi8>, tensor<8x64xi4>) outs(%c : tensor<16x8xi32>) {
  ^bb0(%x: i8, %y: i4, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i4 to i32
    %p = arith.muli %u, %v : i32
    %r = arith.addi %o, %p : i32
    linalg.yield %r : i32
  } -> tensor<16x8xi32>
  return %0 : tensor<16x8xi32>
}
