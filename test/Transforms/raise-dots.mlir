// RUN: tcgemm-opt %s -tcgemm-raise -verify-diagnostics | FileCheck %s

// Products of vectors have one row and one column. Their results are numbers, or those of
// a batch.

// CHECK: tcgemm.kernel @dot_0 <1x1x1x1000>
// CHECK-SAME: [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">, #tcgemm.operand<input, f32, "">, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @dot
// CHECK-SAME: %[[A:.*]]: tensor<1000xf32>, %[[B:.*]]: tensor<1000xf32>, %[[C:.*]]: tensor<f32>
// CHECK: %[[ROW:.*]] = tensor.expand_shape %[[A]] {{\[\[0, 1\]\]}} output_shape [1, 1000]
// CHECK: %[[COLUMN:.*]] = tensor.expand_shape %[[B]] {{\[\[0, 1\]\]}} output_shape [1, 1000]
// CHECK: %[[D:.*]] = tensor.expand_shape %[[C]] [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
// CHECK: %[[R:.*]] = tcgemm.launch @dot_0 ins(%[[ROW]], %[[COLUMN]], %[[C]] : {{.*}}) outs(%[[D]] : tensor<1x1xf32>)
// CHECK: %[[N:.*]] = tensor.collapse_shape %[[R]] [] : tensor<1x1xf32> into tensor<f32>
// CHECK: return %[[N]]
func.func @dot(%a: tensor<1000xf32>, %b: tensor<1000xf32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%a, %b : tensor<1000xf32>, tensor<1000xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// On buffers, which may overlap.

// CHECK: tcgemm.kernel @buffers_0 <1x1x1x?>
// CHECK-LABEL: func.func @buffers
// CHECK: memref.expand_shape %{{.*}} [] output_shape [1, 1] : memref<f64> into memref<1x1xf64>
// CHECK: tcgemm.launch @buffers_0
func.func @buffers(%a: memref<?xf64>, %b: memref<?xf64>, %c: memref<f64>) {
  // expected-remark @below {{its output must not overlap A or B, which cannot be proven here}}
  linalg.dot ins(%a, %b : memref<?xf64>, memref<?xf64>) outs(%c : memref<f64>)
  return
}

// The consumer of the numbers of a batch is fused.
#rows = affine_map<(b, k) -> (b, k)>
#row = affine_map<(b, k) -> (b)>
#vector = affine_map<(b) -> (b)>
// CHECK: tcgemm.kernel @rows_0 <?x1x1x96>
// CHECK-SAME: [#tcgemm.operand<a, f16, "bmk">, #tcgemm.operand<b, f16, "bnk">, #tcgemm.operand<input, f32, "b">, #tcgemm.operand<output, f32, "bmn">]
// CHECK: arith.addf
// CHECK-LABEL: func.func @rows
// CHECK: tcgemm.launch @rows_0 ins({{.*}}) outs({{.*}} : tensor<?x1x1xf32>)
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[0, 1, 2\]\]}} : tensor<?x1x1xf32> into tensor<?xf32>
// CHECK-NOT: linalg.generic
func.func @rows(%a: tensor<?x96xf16>, %b: tensor<?x96xf16>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?x96xf16>
  %empty = tensor.empty(%size) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#rows, #rows, #row], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b : tensor<?x96xf16>, tensor<?x96xf16>) outs(%init : tensor<?xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
    ins(%0, %c : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Two k in another order of B are no product without a transposition.
#ab = affine_map<(a, b) -> (a, b)>
#ba = affine_map<(a, b) -> (b, a)>
#none = affine_map<(a, b) -> ()>
// CHECK-LABEL: func.func @trace
// CHECK: linalg.generic
func.func @trace(%a: tensor<33x48xf32>, %b: tensor<48x33xf32>, %c: tensor<f32>) -> tensor<f32> {
  // expected-remark @below {{it has the indices 'ab,ba->': the k indices 'a' and 'b' are not one index in memory; transpose an operand}}
  %0 = linalg.generic {indexing_maps = [#ab, #ba, #none], iterator_types = ["reduction", "reduction"]}
    ins(%a, %b : tensor<33x48xf32>, tensor<48x33xf32>) outs(%c : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// A sum of products of another product's result is a product itself.

// CHECK: tcgemm.kernel @weighted_0 <1x64x48x32>
// CHECK: tcgemm.kernel @weighted_1 <64x1x1x48>
// CHECK-SAME: [#tcgemm.operand<a, f32, "bmk">, #tcgemm.operand<b, f32, "bnk">, #tcgemm.operand<output, f32, "bmn">]
// CHECK-LABEL: func.func @weighted

func.func @weighted(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %w: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %r = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%0, %w : tensor<64x48xf32>, tensor<64x48xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32):
    %2 = arith.mulf %x, %y : f32
    %3 = arith.addf %t, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  return %0, %1 : tensor<64x48xf32>, tensor<64xf32>
}
