// RUN: tcgemm-opt %s -tcgemm-raise=dual=false -split-input-file | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>
#none = affine_map<(m, n) -> ()>

// D = alpha * A * B + beta * C, rounded to bf16.

// CHECK-LABEL: tcgemm.kernel @alpha_beta_0 <1x?x?x?>
// CHECK-SAME:    #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, bf16, "mn">]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: f32, %[[ALPHA:.*]]: f32, %[[BETA:.*]]: f32):
// CHECK-NEXT:    %[[AB:.*]] = arith.mulf %[[ACC]], %[[ALPHA]] : f32
// CHECK-NEXT:    %[[BC:.*]] = arith.mulf %[[C]], %[[BETA]] : f32
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[AB]], %[[BC]] : f32
// CHECK-NEXT:    %[[D:.*]] = arith.truncf %[[S]] : f32 to bf16
// CHECK-NEXT:    tcgemm.yield %[[D]] : bf16
// CHECK-LABEL: func.func @alpha_beta
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xbf16>, %[[B:.*]]: tensor<?x?xbf16>, %[[C:.*]]: tensor<?x?xf32>, %[[D:.*]]: tensor<?x?xbf16>, %[[ALPHA:.*]]: f32, %[[BETA:.*]]: f32
// CHECK-NOT:     linalg
// CHECK:         %[[R:.*]] = tcgemm.launch @alpha_beta_0 ins(%[[A]], %[[B]], %[[C]], %[[ALPHA]], %[[BETA]] : {{.*}}) outs(%[[D]] : {{.*}})
// CHECK:         return %[[R]]
func.func @alpha_beta(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32>, %d: tensor<?x?xbf16>,
                      %alpha: f32, %beta: f32, %e: tensor<?x?xf32>) -> tensor<?x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %c : tensor<?x?xf32>, tensor<?x?xf32>) outs(%d : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %o: bf16):
    %2 = arith.mulf %x, %alpha : f32
    %3 = arith.mulf %y, %beta : f32
    %4 = arith.addf %2, %3 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<?x?xbf16>
  return %1 : tensor<?x?xbf16>
}

// -----

// Biases along rows and columns, a transposed residual, an element, a scalar
// operand and a body that reads its destination.

#id = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>
#none = affine_map<(m, n) -> ()>
// CHECK-LABEL: tcgemm.kernel @operands_0
// CHECK-SAME:    #tcgemm.operand<input, f32, "m">, #tcgemm.operand<input, f32, "n">, #tcgemm.operand<input, f32, "nm">, #tcgemm.operand<input, f32, "">, #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @operands
// CHECK-SAME:    %{{.*}}, %{{.*}}, %[[E:.*]]: tensor<?x?xf32>, %[[BM:.*]]: tensor<?xf32>, %[[BN:.*]]: tensor<?xf32>, %[[R:.*]]: tensor<?x?xf32>, %[[X:.*]]: tensor<f32>, %[[S:.*]]: f32
// CHECK:         tcgemm.launch @operands_0 ins(%{{.*}}, %{{.*}}, %[[BM]], %[[BN]], %[[R]], %[[X]], %[[S]], %[[E]] : {{.*}}) outs(%[[E]] :
func.func @operands(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %e: tensor<?x?xf32>, %bm: tensor<?xf32>, %bn: tensor<?xf32>,
                    %r: tensor<?x?xf32>, %x: tensor<f32>, %s: f32) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #col, #t, #none, #none, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %bm, %bn, %r, %x, %s : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<f32>, f32) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %v: f32, %w: f32, %y: f32, %o: f32):
    %2 = arith.addf %p, %q : f32
    %3 = arith.addf %2, %u : f32
    %4 = arith.addf %3, %v : f32
    %5 = arith.mulf %4, %w : f32
    %6 = arith.mulf %5, %y : f32
    %7 = arith.addf %6, %o : f32
    linalg.yield %7 : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// A chain of named operations: broadcast bias, relu against a filled tensor,
// clamp by linalg.map, and exp, tanh.

#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @named_0 <1x16x32x64>
// CHECK-SAME:    #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, f32, "mn">]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[ACC]], %[[BIAS]] : f32
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %[[RELU:.*]] = arith.maximumf %[[S]], %[[ZERO]] : f32
// CHECK-NEXT:    %[[SIX:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-NEXT:    %[[MIN:.*]] = arith.minimumf %[[RELU]], %[[SIX]] : f32
// CHECK-NEXT:    %[[EXP:.*]] = math.exp %[[MIN]] : f32
// CHECK-NEXT:    %[[TANH:.*]] = math.tanh %[[EXP]] : f32
// CHECK-NEXT:    tcgemm.yield %[[TANH]] : f32
// CHECK-LABEL: func.func @named
// CHECK-NOT:     linalg
// CHECK:         return
func.func @named(%a: tensor<16x64xf16>, %b: tensor<64x32xf16>, %bias: tensor<32xf32>) -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x64xf16>, tensor<64x32xf16>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
  %bb = linalg.broadcast ins(%bias : tensor<32xf32>) outs(%e : tensor<16x32xf32>) dimensions = [0]
  %1 = linalg.add ins(%0, %bb : tensor<16x32xf32>, tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %2 = linalg.max ins(%1, %f : tensor<16x32xf32>, tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %3 = linalg.map ins(%2 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>)
    (%x: f32, %o: f32) {
      %y = arith.minimumf %x, %six : f32
      linalg.yield %y : f32
    }
  %4 = linalg.elementwise kind = #linalg.elementwise_kind<exp>
    ins(%3 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %5 = linalg.tanh ins(%4 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %5 : tensor<16x32xf32>
}

// -----

// GELU (erf, tanh) and SiLU of one product: three consumers, three outputs, the
// product itself is none. A result in bf16 is rounded before its consumers.

#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @activations_0
// CHECK-SAME:    "kn">, #tcgemm.operand<output, bf16, "mn">, #tcgemm.operand<output, bf16, "mn">, #tcgemm.operand<output, f32, "mn">]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    %[[R:.*]] = arith.truncf %[[ACC]] : f32 to bf16
// CHECK:         %[[X:.*]] = arith.extf %[[R]] : bf16 to f32
// CHECK:         math.erf
// CHECK:         arith.extf %[[R]] : bf16 to f32
// CHECK:         math.tanh
// CHECK:         arith.extf %[[R]] : bf16 to f32
// CHECK:         math.exp
// CHECK:         tcgemm.yield %{{.*}}, %{{.*}}, %{{.*}} : bf16, bf16, f32
// CHECK-LABEL: func.func @activations
// CHECK-NOT:     linalg
// CHECK:         %[[E0:.*]] = tensor.empty(
// CHECK:         %[[L:.*]]:3 = tcgemm.launch @activations_0 {{.*}} -> tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xf32>
// CHECK:         return %[[L]]#0, %[[L]]#1, %[[L]]#2
func.func @activations(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %e: tensor<?x?xbf16>, %ef: tensor<?x?xf32>)
    -> (tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : bf16
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.707106769 : f32
  %c = arith.constant 0.797884583 : f32
  %d = arith.constant 0.044715 : f32
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %x32 = arith.extf %x : bf16 to f32
    %s = arith.mulf %x32, %rsqrt2 : f32
    %g = math.erf %s : f32
    %g1 = arith.addf %g, %one : f32
    %h = arith.mulf %x32, %half : f32
    %y = arith.mulf %h, %g1 : f32
    %z = arith.truncf %y : f32 to bf16
    linalg.yield %z : bf16
  } -> tensor<?x?xbf16>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %x32 = arith.extf %x : bf16 to f32
    %x2 = arith.mulf %x32, %x32 : f32
    %x3 = arith.mulf %x2, %x32 : f32
    %p = arith.mulf %x3, %d : f32
    %q = arith.addf %p, %x32 : f32
    %r = arith.mulf %q, %c : f32
    %g = math.tanh %r : f32
    %g1 = arith.addf %g, %one : f32
    %h = arith.mulf %x32, %half : f32
    %y = arith.mulf %h, %g1 : f32
    %z = arith.truncf %y : f32 to bf16
    linalg.yield %z : bf16
  } -> tensor<?x?xbf16>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<?x?xbf16>) outs(%ef : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %x32 = arith.extf %x : bf16 to f32
    %n = arith.negf %x32 : f32
    %p = math.exp %n : f32
    %q = arith.addf %p, %one : f32
    %y = arith.divf %x32, %q : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %1, %2, %3 : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xf32>
}

// -----

// A user that is not fused, and stands between, moves behind the launch; it
// makes the intermediate an output. The size of a destination does not hang on
// the result.

#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @multi_use_0
// CHECK-SAME:    "kn">, #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f16, "mn">]
// CHECK-LABEL: func.func @multi_use
// CHECK-SAME:    %[[A:.*]]: tensor<?x64xf16>, %[[B:.*]]: tensor<64x32xf16>
// CHECK:         %[[DIM:.*]] = tensor.dim %[[A]]
// CHECK:         %[[E:.*]] = tensor.empty(%[[DIM]]) : tensor<?x32xf32>
// CHECK:         %[[DIM1:.*]] = tensor.dim %[[A]]
// CHECK:         %[[E1:.*]] = tensor.empty(%[[DIM1]]) : tensor<?x32xf16>
// CHECK:         %[[L:.*]]:2 = tcgemm.launch @multi_use_0 {{.*}} outs(%[[E]], %[[E1]] :
// CHECK:         %[[S:.*]] = tensor.extract_slice %[[L]]#0
// CHECK:         return %[[S]], %[[L]]#1
func.func @multi_use(%a: tensor<?x64xf16>, %b: tensor<64x32xf16>, %e: tensor<?x32xf32>) -> (tensor<4x4xf32>, tensor<?x32xf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e0 = tensor.empty(%m) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x32xf16>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %s = tensor.extract_slice %0[0, 0] [4, 4] [1, 1] : tensor<?x32xf32> to tensor<4x4xf32>
  %d = tensor.dim %0, %c0 : tensor<?x32xf32>
  %e1 = tensor.empty(%d) : tensor<?x32xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<?x32xf32>) outs(%e1 : tensor<?x32xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x32xf16>
  return %s, %1 : tensor<4x4xf32>, tensor<?x32xf16>
}

// -----

// Two contractions in a chain are two kernels; the first's result, rounded and
// clamped, is the second's A.

#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @chain_0
// CHECK:       tcgemm.kernel @chain_1
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xf16>, %[[W1:.*]]: tensor<64x128xf16>, %[[W2:.*]]: tensor<128x32xf16>
// CHECK:         %[[H:.*]] = tcgemm.launch @chain_0 ins(%[[X]], %[[W1]] : {{.*}} -> tensor<?x128xf16>
// CHECK:         %[[Y:.*]] = tcgemm.launch @chain_1 ins(%[[H]], %[[W2]] :
// CHECK:         return %[[Y]]
func.func @chain(%x: tensor<?x64xf16>, %w1: tensor<64x128xf16>, %w2: tensor<128x32xf16>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %m = tensor.dim %x, %c0 : tensor<?x64xf16>
  %e0 = tensor.empty(%m) : tensor<?x128xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %0 = linalg.matmul ins(%x, %w1 : tensor<?x64xf16>, tensor<64x128xf16>) outs(%f0 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %e1 = tensor.empty(%m) : tensor<?x128xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<?x128xf32>) outs(%e1 : tensor<?x128xf16>) {
  ^bb0(%p: f32, %o: f16):
    %q = arith.truncf %p : f32 to f16
    %r = arith.maximumf %q, %zero16 : f16
    linalg.yield %r : f16
  } -> tensor<?x128xf16>
  %e2 = tensor.empty(%m) : tensor<?x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %2 = linalg.matmul ins(%1, %w2 : tensor<?x128xf16>, tensor<128x32xf16>) outs(%f2 : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %2 : tensor<?x32xf32>
}

// -----

// Coordinates, in a batch: a causal mask.

#id = affine_map<(b, m, n) -> (b, m, n)>
// CHECK-LABEL: tcgemm.kernel @mask_0
// CHECK:         %[[N:.*]] = tcgemm.index "n"
// CHECK:         %[[M:.*]] = tcgemm.index "m"
// CHECK:         %[[B:.*]] = tcgemm.index "b"
// CHECK:         arith.cmpi ule, %[[N]], %[[M]] : index
func.func @mask(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%0 : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %j = linalg.index 2 : index
    %i = linalg.index 1 : index
    %k = linalg.index 0 : index
    %le = arith.cmpi ule, %j, %i : index
    %i32 = arith.index_cast %k : index to i32
    %kf = arith.sitofp %i32 : i32 to f32
    %y = arith.select %le, %x, %kf : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  return %1 : tensor<?x?x?xf32>
}

// -----

// A transposed result beside a straight one keeps both; its coordinates and
// operands follow.

// CHECK-LABEL: tcgemm.kernel @transposed_output_0
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f32, "nm">]
func.func @transposed_output(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %e: tensor<?x?xf32>, %et: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.transpose ins(%0 : tensor<?x?xf32>) outs(%et : tensor<?x?xf32>) permutation = [1, 0]
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Only a transposed result: A and B swap, and every n is an m.

#id = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>
// CHECK-LABEL: tcgemm.kernel @swapped_0
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<input, f32, "m">, #tcgemm.operand<output, f32, "mn">]
// CHECK:         tcgemm.index "m"
// CHECK-LABEL: func.func @swapped
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xbf16>, %[[B:.*]]: tensor<?x?xbf16>
// CHECK:         tcgemm.launch @swapped_0 ins(%[[B]], %[[A]],
func.func @swapped(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %bias: tensor<?xf32>, %e: tensor<?x?xf32>, %et: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #bias, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %i = linalg.index 1 : index
    %i32 = arith.index_cast %i : index to i32
    %if = arith.sitofp %i32 : i32 to f32
    %s = arith.addf %x, %y : f32
    %p = arith.mulf %s, %if : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  %2 = linalg.transpose ins(%1 : tensor<?x?xf32>) outs(%et : tensor<?x?xf32>) permutation = [1, 0]
  return %2 : tensor<?x?xf32>
}

// -----

// Without dual products, the operation in which two meet goes with the first, whose launch
// follows the second's.

// CHECK-LABEL: tcgemm.kernel @gated_0
// CHECK-SAME:    #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @gated
// CHECK:         %[[U:.*]] = tcgemm.launch @gated_1
// CHECK:         %[[G:.*]] = tcgemm.launch @gated_0 ins(%{{.*}}, %{{.*}}, %[[U]] :
// CHECK:         return %[[G]]
func.func @gated(%x: tensor<?x?xbf16>, %g: tensor<?x?xbf16>, %u: tensor<?x?xbf16>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%x, %g : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul ins(%x, %u : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = linalg.mul ins(%0, %1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// Elementwise operations on whole tensors.

// CHECK-LABEL: tcgemm.kernel @tensors_0
// CHECK-SAME:    #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f16, "mn">]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[R:.*]]: f32):
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[ACC]], %[[R]] : f32
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %[[M:.*]] = arith.maximumf %[[S]], %[[ZERO]] : f32
// CHECK-NEXT:    %[[T:.*]] = math.tanh %[[M]] : f32
// CHECK-NEXT:    %[[D:.*]] = arith.truncf %[[T]] : f32 to f16
// CHECK-NEXT:    tcgemm.yield %[[D]] : f16
// CHECK-LABEL: func.func @tensors
// CHECK:         arith.negf %{{.*}} : tensor<16x32xf32>
// CHECK:         tcgemm.launch @tensors_0
// CHECK-NOT:     linalg
// CHECK:         return
func.func @tensors(%a: tensor<16x64xf16>, %b: tensor<64x32xf16>, %r: tensor<16x32xf32>) -> tensor<16x32xf16> {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = arith.negf %r : tensor<16x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x64xf16>, tensor<64x32xf16>) outs(%zero : tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = arith.addf %0, %n : tensor<16x32xf32>
  %2 = arith.maximumf %1, %zero : tensor<16x32xf32>
  %3 = math.tanh %2 : tensor<16x32xf32>
  %4 = arith.truncf %3 : tensor<16x32xf32> to tensor<16x32xf16>
  return %4 : tensor<16x32xf16>
}
