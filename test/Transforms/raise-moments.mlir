// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s

// LayerNorm in two passes: the mean, then the mean of (x - mean)². They are
// results of one reduction; nothing else remains.

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#v = affine_map<(m) -> (m)>

// CHECK-LABEL: tcgemm.kernel @layer_norm_0
// CHECK-SAME:    #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f32, "m", reduction = <meanf, 0.000000e+00 : f32>>, #tcgemm.operand<output, f32, "m", reduction = <variancef, 0.000000e+00 : f32>>]
// CHECK-LABEL: func.func @layer_norm
// CHECK:         %[[L:.*]]:3 = tcgemm.launch @layer_norm_0
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[L]]#0, %[[L]]#1, %[[L]]#2
func.func @layer_norm(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 48.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %x = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %me = tensor.empty() : tensor<64xf32>
  %mz = linalg.fill ins(%zero : f32) outs(%me : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x48xf32>) outs(%mz : tensor<64xf32>) dimensions = [1]
  %mean = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
    ins(%sum : tensor<64xf32>) outs(%me : tensor<64xf32>) {
  ^bb0(%s: f32, %o: f32):
    %q = arith.divf %s, %count : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  %squares = linalg.generic {indexing_maps = [#mn, #m, #m], iterator_types = ["parallel", "reduction"]}
    ins(%x, %mean : tensor<64x48xf32>, tensor<64xf32>) outs(%mz : tensor<64xf32>) {
  ^bb0(%s: f32, %u: f32, %t: f32):
    %d = arith.subf %s, %u : f32
    %q = arith.mulf %d, %d : f32
    %r = arith.addf %t, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %variance = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
    ins(%squares : tensor<64xf32>) outs(%me : tensor<64xf32>) {
  ^bb0(%s: f32, %o: f32):
    %q = arith.divf %s, %count : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  return %x, %mean, %variance : tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Columns of a rounded result, the reciprocal of 64, and sums with other
// readers: the first sum is a result of the kernel, the second is 64 times the
// variance.

#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
#v = affine_map<(n) -> (n)>

// CHECK-LABEL: tcgemm.kernel @columns_0
// CHECK-SAME:    #tcgemm.operand<output, f32, "n", reduction = <meanf, 0.000000e+00 : f32>>
// CHECK-SAME:    #tcgemm.operand<output, f32, "n", reduction = <variancef, 0.000000e+00 : f32>>
// CHECK-SAME:    #tcgemm.operand<output, f32, "n", reduction = <addf, 0.000000e+00 : f32>>
// CHECK-LABEL: func.func @columns
// CHECK:         %[[L:.*]]:4 = tcgemm.launch @columns_0
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%[[L]]#2 : tensor<48xf32>)
// CHECK:           %[[C:.*]] = arith.constant 6.400000e+01 : f32
// CHECK:           arith.mulf %{{.*}}, %[[C]]
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[L]]#3, %[[L]]#1, %[[S]]
func.func @columns(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) {
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant 0.0 : f32
  %part = arith.constant 0.015625 : f32
  %e = tensor.empty() : tensor<64x48xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<64x48xbf16>) -> tensor<64x48xbf16>
  %x = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xbf16>) -> tensor<64x48xbf16>
  %me = tensor.empty() : tensor<48xf32>
  %mz = linalg.fill ins(%none : f32) outs(%me : tensor<48xf32>) -> tensor<48xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #n], iterator_types = ["reduction", "parallel"]}
    ins(%x : tensor<64x48xbf16>) outs(%mz : tensor<48xf32>) {
  ^bb0(%s: bf16, %t: f32):
    %w = arith.extf %s : bf16 to f32
    %r = arith.addf %w, %t : f32
    linalg.yield %r : f32
  } -> tensor<48xf32>
  %mean = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
    ins(%sum : tensor<48xf32>) outs(%me : tensor<48xf32>) {
  ^bb0(%s: f32, %o: f32):
    %q = arith.mulf %part, %s : f32
    linalg.yield %q : f32
  } -> tensor<48xf32>
  %squares = linalg.generic {indexing_maps = [#mn, #n, #n], iterator_types = ["reduction", "parallel"]}
    ins(%x, %mean : tensor<64x48xbf16>, tensor<48xf32>) outs(%mz : tensor<48xf32>) {
  ^bb0(%s: bf16, %u: f32, %t: f32):
    %w = arith.extf %s : bf16 to f32
    %d = arith.subf %u, %w : f32
    %q = arith.mulf %d, %d : f32
    %r = arith.addf %q, %t : f32
    linalg.yield %r : f32
  } -> tensor<48xf32>
  return %sum, %mean, %squares : tensor<48xf32>, tensor<48xf32>, tensor<48xf32>
}
