// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s

// Functions of the elements of A and B that are computed before the product.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

// In the contraction's body: relu(a + 1) * b.

// CHECK-LABEL: tcgemm.kernel @body_0
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">]
// CHECK:       } transform_a {
// CHECK-NEXT:  ^bb0(%[[X:.*]]: bf16):
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1.0
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[X]], %[[ONE]] : bf16
// CHECK-NEXT:    %[[RELU:.*]] = arith.maximumf %[[SUM]], %[[ZERO]] : bf16
// CHECK-NEXT:    tcgemm.yield %[[RELU]] : bf16
// CHECK-NEXT:  }
// CHECK-LABEL: func.func @body
// CHECK-NOT:     linalg.generic
// CHECK:         tcgemm.launch @body_0
func.func @body(%A: tensor<?x?xbf16>, %B: tensor<?x?xbf16>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %one = arith.constant 1.0 : bf16
    %z = arith.constant 0.0 : bf16
    %x1 = arith.addf %x, %one : bf16
    %x2 = arith.maximumf %x1, %z : bf16
    %u = arith.extf %x2 : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// Elementwise producers, one after another, and a transposition between them.
// The rounding to bf16 is kept.

#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: tcgemm.kernel @producers_0
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">]
// CHECK:       } transform_b {
// CHECK-NEXT:  ^bb0(%[[X:.*]]: bf16):
// CHECK-NEXT:    %[[W:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK-NEXT:    %[[E:.*]] = math.exp %[[W]] : f32
// CHECK-NEXT:    %[[R:.*]] = arith.truncf %[[E]] : f32 to bf16
// CHECK-NEXT:    %[[N:.*]] = arith.negf %[[R]] : bf16
// CHECK-NEXT:    tcgemm.yield %[[N]] : bf16
// CHECK-LABEL: func.func @producers
// CHECK-SAME:    %[[A:[^:]*]]: tensor<64x96xbf16>, %[[B:[^:]*]]: tensor<32x96xbf16>
// CHECK:         tcgemm.launch @producers_0 ins(%[[A]], %[[B]] :
func.func @producers(%A: tensor<64x96xbf16>, %B: tensor<32x96xbf16>, %e: tensor<32x96xbf16>, %f: tensor<96x32xbf16>,
                     %init: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%B : tensor<32x96xbf16>) outs(%e : tensor<32x96xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %w = arith.extf %x : bf16 to f32
    %y = math.exp %w : f32
    %r = arith.truncf %y : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x96xbf16>
  %t = linalg.transpose ins(%exp : tensor<32x96xbf16>) outs(%f : tensor<96x32xbf16>) permutation = [1, 0]
  %n = linalg.negf ins(%t : tensor<96x32xbf16>) outs(%f : tensor<96x32xbf16>) -> tensor<96x32xbf16>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<64x32xf32>) -> tensor<64x32xf32>
  %d = linalg.matmul ins(%A, %n : tensor<64x96xbf16>, tensor<96x32xbf16>) outs(%zeros : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %d : tensor<64x32xf32>
}

// -----

// Scalars, and vectors along m and k. A kernel reads an operand once, if the
// epilogue reads it, too.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#m = affine_map<(m, n, k) -> (m)>
#k = affine_map<(m, n, k) -> (k)>
#d = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// CHECK-LABEL: tcgemm.kernel @broadcast_0
// CHECK-SAME:    #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<scalar, f16, "">, #tcgemm.operand<input, f16, "m">, #tcgemm.operand<input, f16, "k">, #tcgemm.operand<output, f16, "mn">]
// CHECK-NEXT:  ^bb0(%{{.*}}: f32, %{{.*}}: f16, %[[ROW:.*]]: f16, %{{.*}}: f16):
// CHECK:         arith.addf %{{.*}}, %[[ROW]] : f16
// CHECK:       } transform_a {
// CHECK-NEXT:  ^bb0(%[[X:.*]]: f16, %[[S:.*]]: f16, %[[V:.*]]: f16, %[[W:.*]]: f16):
// CHECK-NEXT:    %[[XS:.*]] = arith.mulf %[[X]], %[[S]] : f16
// CHECK-NEXT:    %[[XV:.*]] = arith.addf %[[XS]], %[[V]] : f16
// CHECK-NEXT:    %[[XW:.*]] = arith.mulf %[[XV]], %[[W]] : f16
// CHECK-NEXT:    tcgemm.yield %[[XW]] : f16
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf16>, %[[B:[^:]*]]: tensor<?x?xf16>, %[[RS:[^:]*]]: tensor<?xf16>, %[[KS:[^:]*]]: tensor<?xf16>, %[[SC:[^:]*]]: f16
// CHECK:         tcgemm.launch @broadcast_0 ins(%[[A]], %[[B]], %[[SC]], %[[RS]], %[[KS]] :
func.func @broadcast(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %rows: tensor<?xf16>, %ks: tensor<?xf16>, %s: f16,
                     %init: tensor<?x?xf32>, %e: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#a, #b, #m, #k, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B, %rows, %ks : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf16>, tensor<?xf16>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%x: f16, %y: f16, %v: f16, %w: f16, %sum: f32):
    %xs = arith.mulf %x, %s : f16
    %xv = arith.addf %xs, %v : f16
    %xw = arith.mulf %xv, %w : f16
    %u = arith.extf %xw : f16 to f32
    %z = arith.extf %y : f16 to f32
    %p = arith.mulf %z, %u : f32
    %next = arith.addf %p, %sum : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%d, %rows : tensor<?x?xf32>, tensor<?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%x: f32, %v: f16, %o: f16):
    %t = arith.truncf %x : f32 to f16
    %q = arith.addf %t, %v : f16
    linalg.yield %q : f16
  } -> tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}

// -----

// The kernel computes the transpose, so that A and B change places with their
// functions. Kernels that differ in their functions are different ones.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#t = affine_map<(m, n, k) -> (n, m)>

// CHECK-LABEL: tcgemm.kernel @swapped_0
// CHECK:       } transform_b {
// CHECK:         math.absf
// CHECK-LABEL: tcgemm.kernel @swapped_1
// CHECK:       } transform_b {
// CHECK:         arith.negf
// CHECK-NOT: tcgemm.kernel
func.func @swapped(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %init: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #t], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %u = math.absf %x : f32
    %p = arith.mulf %u, %y : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#a, #b, #t], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %u = math.absf %x : f32
    %p = arith.mulf %u, %y : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#a, #b, #t], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %u = arith.negf %x : f32
    %p = arith.mulf %u, %y : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
