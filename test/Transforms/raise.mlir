// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s

// All four layouts, by indexing maps.

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: tcgemm.kernel @layouts_0 <1x128x256x64>
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]] : f32
// CHECK:       tcgemm.kernel @layouts_1
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
// CHECK:       tcgemm.kernel @layouts_2
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "kn">,
// CHECK:       tcgemm.kernel @layouts_3
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "nk">,
// CHECK-LABEL: func.func @layouts
// CHECK-SAME:    %[[A:.*]]: tensor<128x64xbf16>, %[[AT:.*]]: tensor<64x128xbf16>, %[[B:.*]]: tensor<64x256xbf16>, %[[BT:.*]]: tensor<256x64xbf16>
// CHECK-NOT:     linalg
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<128x256xf32>
// CHECK:         tcgemm.launch @layouts_0 ins(%[[A]], %[[B]] : {{.*}}) outs(%[[E]] : {{.*}})
// CHECK:         tcgemm.launch @layouts_1 ins(%[[A]], %[[BT]] :
// CHECK:         tcgemm.launch @layouts_2 ins(%[[AT]], %[[B]] :
// CHECK:         tcgemm.launch @layouts_3 ins(%[[AT]], %[[BT]] :
func.func @layouts(%a: tensor<128x64xbf16>, %at: tensor<64x128xbf16>,
                   %b: tensor<64x256xbf16>, %bt: tensor<256x64xbf16>)
    -> (tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<128x64xbf16>, tensor<64x256xbf16>)
                     outs(%f : tensor<128x256xf32>) -> tensor<128x256xf32>
  %1 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
    ins(%a, %bt : tensor<128x64xbf16>, tensor<256x64xbf16>) outs(%f : tensor<128x256xf32>) -> tensor<128x256xf32>
  %2 = linalg.matmul indexing_maps = [#km, #kn, #mn]
    ins(%at, %b : tensor<64x128xbf16>, tensor<64x256xbf16>) outs(%f : tensor<128x256xf32>) -> tensor<128x256xf32>
  %3 = linalg.matmul indexing_maps = [#km, #nk, #mn]
    ins(%at, %bt : tensor<64x128xbf16>, tensor<256x64xbf16>) outs(%f : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0, %1, %2, %3 : tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>
}

// -----

// A transposition of an operand becomes its layout; the sizes that are known
// anywhere are known to the kernel.

// CHECK-LABEL: tcgemm.kernel @transposed_operand_0 <1x?x32x64>
// CHECK-SAME:    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<output, f16, "mn">]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    %[[D:.*]] = arith.truncf %[[ACC]] : f32 to f16
// CHECK-NEXT:    tcgemm.yield %[[D]] : f16
// CHECK-LABEL: func.func @transposed_operand
// CHECK-SAME:    %[[A:.*]]: tensor<?x64xf16>, %[[B:.*]]: tensor<32x?xf16>
// CHECK-NOT:     linalg
// CHECK:         tcgemm.launch @transposed_operand_0 ins(%[[A]], %[[B]] :
func.func @transposed_operand(%a: tensor<?x64xf16>, %b: tensor<32x?xf16>, %m: index, %k: index) -> tensor<?x32xf16> {
  %zero = arith.constant 0.0 : f16
  %et = tensor.empty(%k) : tensor<?x32xf16>
  %bt = linalg.transpose ins(%b : tensor<32x?xf16>) outs(%et : tensor<?x32xf16>) permutation = [1, 0]
  %e = tensor.empty(%m) : tensor<?x32xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<?x32xf16>) -> tensor<?x32xf16>
  %0 = linalg.matmul ins(%a, %bt : tensor<?x64xf16>, tensor<?x32xf16>) outs(%f : tensor<?x32xf16>) -> tensor<?x32xf16>
  return %0 : tensor<?x32xf16>
}

// -----

// CHECK-LABEL: tcgemm.kernel @batch_0 <8x?x?x?>
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bkn">, #tcgemm.operand<output, f32, "bmn">]
func.func @batch(%a: tensor<8x?x?xbf16>, %b: tensor<8x?x?xbf16>, %c: tensor<8x?x?xf32>) -> tensor<8x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<8x?x?xbf16>, tensor<8x?x?xbf16>) outs(%f : tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
  return %0 : tensor<8x?x?xf32>
}

// -----

// An operand that all batches share has no b; the batch may stand between.

#a = affine_map<(b, m, n, k) -> (m, b, k)>
#b = affine_map<(b, m, n, k) -> (n, k)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
// CHECK-LABEL: tcgemm.kernel @shared_operand_0 <?x?x?x?>
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "mbk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "bmn">]
func.func @shared_operand(%a: tensor<?x?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %0 = linalg.contract indexing_maps = [#a, #b, #c]
    ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// A generic with the casts in its body, loops and factors in another order. Its
// result is stored n before m, so that the transpose is computed: A and B swap.

// CHECK-LABEL: tcgemm.kernel @generic_0 <1x?x?x?>
// CHECK-SAME:    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "kn">, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @generic
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf16>, %[[Y:.*]]: tensor<?x?xf16>
// CHECK:         tcgemm.launch @generic_0 ins(%[[Y]], %[[X]] :
func.func @generic(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(k, i, j) -> (k, i)>, affine_map<(k, i, j) -> (j, k)>, affine_map<(k, i, j) -> (j, i)>],
    iterator_types = ["reduction", "parallel", "parallel"]}
    ins(%x, %y : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%p: f16, %q: f16, %acc: f32):
    %p32 = arith.extf %p : f16 to f32
    %q32 = arith.extf %q : f16 to f32
    %1 = arith.mulf %q32, %p32 : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// What the contraction accumulates onto: a tensor, a constant, a scalar.

// CHECK-LABEL: tcgemm.kernel @onto_0
// CHECK-SAME:    #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<output, bf16, "mn">]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: bf16):
// CHECK-NEXT:    %[[CF:.*]] = arith.extf %[[C]] : bf16 to f32
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[ACC]], %[[CF]] : f32
// CHECK-NEXT:    %[[D:.*]] = arith.truncf %[[S]] : f32 to bf16
// CHECK-NEXT:    tcgemm.yield %[[D]]
// CHECK:       tcgemm.kernel @onto_1
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1.000000e+00 : bf16
// CHECK:         tcgemm.yield
// CHECK:       tcgemm.kernel @onto_2
// CHECK-SAME:    #tcgemm.operand<scalar, bf16, "">
// CHECK-LABEL: func.func @onto
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xbf16>, %[[B:.*]]: tensor<?x?xbf16>, %[[C:.*]]: tensor<?x?xbf16>, %[[E:.*]]: tensor<?x?xbf16>, %[[S:.*]]: bf16
// CHECK:         tcgemm.launch @onto_0 ins(%[[A]], %[[B]], %[[C]] : {{.*}}) outs(%[[C]] :
// CHECK:         tcgemm.launch @onto_1 ins(%[[A]], %[[B]] : {{.*}}) outs(%[[E]] :
// CHECK:         tcgemm.launch @onto_2 ins(%[[A]], %[[B]], %[[S]] : {{.*}}) outs(%[[E]] :
func.func @onto(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xbf16>, %e: tensor<?x?xbf16>, %s: bf16)
    -> (tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %one = arith.constant 1.0 : bf16
  %f1 = linalg.fill ins(%one : bf16) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %1 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f1 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %f2 = linalg.fill ins(%s : bf16) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %2 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f2 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0, %1, %2 : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xbf16>
}

// -----

// A zero constant is a fill; a broadcast bias to accumulate onto is an input.

// CHECK-LABEL: tcgemm.kernel @constants_0
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]]
// CHECK:       tcgemm.kernel @constants_1
// CHECK-SAME:    #tcgemm.operand<input, f32, "n">
// CHECK-LABEL: func.func @constants
// CHECK-SAME:    %[[A:.*]]: tensor<16x32xf16>, %[[B:.*]]: tensor<32x8xf16>, %[[V:.*]]: tensor<8xf32>
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<16x8xf32>
// CHECK:         tcgemm.launch @constants_0 {{.*}} outs(%[[E]] :
// CHECK:         tcgemm.launch @constants_1 ins(%[[A]], %[[B]], %[[V]] :
func.func @constants(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %bias: tensor<8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x32xf16>, tensor<32x8xf16>) outs(%zero : tensor<16x8xf32>) -> tensor<16x8xf32>
  %e = tensor.empty() : tensor<16x8xf32>
  %c = linalg.broadcast ins(%bias : tensor<8xf32>) outs(%e : tensor<16x8xf32>) dimensions = [0]
  %1 = linalg.matmul ins(%a, %b : tensor<16x32xf16>, tensor<32x8xf16>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// Kernel names do not clash with the module's; loops are entered.

// CHECK-LABEL: tcgemm.kernel @f_0_0
// CHECK-LABEL: func.func @f(
// CHECK:         scf.for
// CHECK:           tcgemm.launch @f_0_0
func.func private @f_0()
func.func @f(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> tensor<?x?xf32> {
    %1 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// -----

// A matrix by a vector, and a vector by a matrix, in a batch too: M is 1. What
// follows fuses.

// CHECK-LABEL: tcgemm.kernel @vectors_0 <1x1x64x128>
// CHECK-SAME:    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, f32, "mn">]
// CHECK:         math.exp
// CHECK:       tcgemm.kernel @vectors_1 <?x1x32x?>
// CHECK-SAME:    [#tcgemm.operand<a, f16, "bmk">, #tcgemm.operand<b, f16, "bkn">, #tcgemm.operand<output, f32, "bmn">]
// CHECK-LABEL: func.func @vectors
// CHECK-SAME:    %[[A:[^:]*]]: tensor<64x128xf16>, %[[X:[^:]*]]: tensor<128xf16>,
// CHECK:         %[[XM:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [1, 128]
// CHECK:         %[[R:.*]] = tcgemm.launch @vectors_0 ins(%[[XM]], %[[A]], %{{.*}} : {{.*}}) outs(%{{.*}} : tensor<1x64xf32>)
// CHECK:         tensor.collapse_shape %[[R]] {{\[\[}}0, 1]] : tensor<1x64xf32> into tensor<64xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 1, %{{.*}}] : tensor<?x?xf16> into tensor<?x1x?xf16>
// CHECK:         tcgemm.launch @vectors_1
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<?x1x32xf32> into tensor<?x32xf32>
func.func @vectors(%a: tensor<64x128xf16>, %x: tensor<128xf16>, %y: tensor<64xf32>,
                   %xb: tensor<?x?xf16>, %ab: tensor<?x?x32xf16>, %yb: tensor<?x32xf32>) -> (tensor<64xf32>, tensor<?x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.matvec ins(%a, %x : tensor<64x128xf16>, tensor<128xf16>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.exp ins(%0 : tensor<64xf32>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%yb : tensor<?x32xf32>) -> tensor<?x32xf32>
  %2 = linalg.batch_vecmat ins(%xb, %ab : tensor<?x?xf16>, tensor<?x?x32xf16>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %1, %2 : tensor<64xf32>, tensor<?x32xf32>
}
