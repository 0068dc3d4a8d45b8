// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s

// The largest absolute value before the scale and the conversion to e4m3, as
// FP8 recipes need it.

#id = affine_map<(m, n) -> (m, n)>
#none = affine_map<(m, n) -> ()>

// CHECK-LABEL: tcgemm.kernel @amax_0 <1x?x?x?>
// CHECK-SAME:    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f8E4M3FN, "mn">, #tcgemm.operand<output, f32, "", reduction = <maximumf, 0.000000e+00 : f32>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT:    %[[SCALED:.*]] = arith.mulf %[[ACC]], %[[S]] : f32
// CHECK-NEXT:    %[[D:.*]] = arith.truncf %[[SCALED]] : f32 to f8E4M3FN
// CHECK-NEXT:    %[[ABS:.*]] = math.absf %[[ACC]] : f32
// CHECK-NEXT:    tcgemm.yield %[[D]], %[[ABS]] : f8E4M3FN, f32
// CHECK-LABEL: func.func @amax
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: tensor<?x?xf8E4M3FN>, %{{.*}}: tensor<?x?xf32>, %[[R:[a-z0-9]+]]: tensor<f32>
// CHECK-NOT:     linalg.generic
// CHECK:         %[[L:.*]]:2 = tcgemm.launch @amax_0 {{.*}} outs(%[[OUT]], %[[R]] : tensor<?x?xf8E4M3FN>, tensor<f32>)
// CHECK:         return %[[L]]#0, %[[L]]#1
func.func @amax(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %s: f32, %d: tensor<?x?xf8E4M3FN>, %e: tensor<?x?xf32>, %r: tensor<f32>) -> (tensor<?x?xf8E4M3FN>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<?x?xf32>) outs(%d : tensor<?x?xf8E4M3FN>) {
  ^bb0(%x: f32, %o: f8E4M3FN):
    %2 = arith.mulf %x, %s : f32
    %3 = arith.truncf %2 : f32 to f8E4M3FN
    linalg.yield %3 : f8E4M3FN
  } -> tensor<?x?xf8E4M3FN>
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<f32>) -> tensor<f32>
  %4 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<?x?xf32>) outs(%i : tensor<f32>) {
  ^bb0(%x: f32, %t: f32):
    %5 = math.absf %x : f32
    %6 = arith.maximumf %5, %t : f32
    linalg.yield %6 : f32
  } -> tensor<f32>
  return %1, %4 : tensor<?x?xf8E4M3FN>, tensor<f32>
}

// -----

// linalg.reduce along either dimension. An operation that reads a result
// follows the launch.

// CHECK-LABEL: tcgemm.kernel @rows_and_columns_0
// CHECK-SAME:    #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f32, "m", reduction = <maxnumf, 0xFF800000 : f32>>, #tcgemm.operand<output, f32, "n", reduction = <addf, 0.000000e+00 : f32>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]], %[[ACC]], %[[ACC]] : f32, f32, f32
// CHECK-LABEL: func.func @rows_and_columns
// CHECK:         %[[L:.*]]:3 = tcgemm.launch @rows_and_columns_0
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[L]]#0, %[[L]]#1
func.func @rows_and_columns(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64x48xf32>, tensor<48xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %em = tensor.empty() : tensor<64xf32>
  %en = tensor.empty() : tensor<48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %fm = linalg.fill ins(%low : f32) outs(%em : tensor<64xf32>) -> tensor<64xf32>
  %fn = linalg.fill ins(%zero : f32) outs(%en : tensor<48xf32>) -> tensor<48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %max = linalg.reduce { arith.maxnumf } ins(%0 : tensor<64x48xf32>) outs(%fm : tensor<64xf32>) dimensions = [1]
  %sum = linalg.reduce { arith.addf } ins(%0 : tensor<64x48xf32>) outs(%fn : tensor<48xf32>) dimensions = [0]
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%0, %max : tensor<64x48xf32>, tensor<64xf32>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %2 = arith.subf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<64x48xf32>
  return %1, %sum : tensor<64x48xf32>, tensor<48xf32>
}

// -----

// The product is stored although only the reduction uses it. The sum is of
// differences to another matrix, and of all batches.

// CHECK-LABEL: tcgemm.kernel @only_reduced_0 <4x64x48x32>
// CHECK-SAME:    #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "bmn">, #tcgemm.operand<output, f32, "m", reduction = <addf, 1.000000e+00 : f32>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[W:.*]]: f32):
// CHECK-NEXT:    %[[P:.*]] = arith.subf %[[ACC]], %[[W]] : f32
// CHECK-NEXT:    tcgemm.yield %[[ACC]], %[[P]] : f32, f32
func.func @only_reduced(%a: tensor<4x64x32xbf16>, %b: tensor<4x32x48xbf16>, %w: tensor<64x48xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %e = tensor.empty() : tensor<4x64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x64x32xbf16>, tensor<4x32x48xbf16>) outs(%f : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, b, m) -> (b, m, n)>, affine_map<(n, b, m) -> (m, n)>, affine_map<(n, b, m) -> (m)>],
                       iterator_types = ["reduction", "reduction", "parallel"]}
    ins(%0, %w : tensor<4x64x48xf32>, tensor<64x48xf32>) outs(%one : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32):
    %2 = arith.subf %x, %y : f32
    %3 = arith.addf %t, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

// Integers.

// CHECK-LABEL: tcgemm.kernel @integers_0
// CHECK-SAME:    #tcgemm.operand<output, i32, "mn">, #tcgemm.operand<output, i32, "n", reduction = <maxsi, -2147483648 : i32>>]
func.func @integers(%a: tensor<64x32xi8>, %b: tensor<32x48xi8>) -> (tensor<64x48xi32>, tensor<48xi32>) {
  %zero = arith.constant 0 : i32
  %low = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<64x48xi32>
  %en = tensor.empty() : tensor<48xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<64x48xi32>) -> tensor<64x48xi32>
  %fn = linalg.fill ins(%low : i32) outs(%en : tensor<48xi32>) -> tensor<48xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x48xi8>) outs(%f : tensor<64x48xi32>) -> tensor<64x48xi32>
  %1 = linalg.reduce { arith.maxsi } ins(%0 : tensor<64x48xi32>) outs(%fn : tensor<48xi32>) dimensions = [0]
  return %0, %1 : tensor<64x48xi32>, tensor<48xi32>
}

// -----

// C is replaced by D in place while its rows are reduced.

// CHECK-LABEL: tcgemm.kernel @in_place_0
// CHECK-SAME:    #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f32, "m", reduction = <minnumf, 3.000000e+00 : f32>>]
// CHECK:         in_place
func.func @in_place(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %c: tensor<64x48xf32> {bufferization.writable = true}) -> (tensor<64x48xf32>, tensor<64xf32>) {
  %three = arith.constant dense<3.0> : tensor<64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.reduce { arith.minnumf } ins(%0 : tensor<64x48xf32>) outs(%three : tensor<64xf32>) dimensions = [1]
  return %0, %1 : tensor<64x48xf32>, tensor<64xf32>
}

// -----

// Reductions of a contraction with several batch indices are not fused.

#a = affine_map<(b, m, c, n, k) -> (b, m, c, k)>
#b = affine_map<(b, m, c, n, k) -> (c, b, n, k)>
#d = affine_map<(b, m, c, n, k) -> (b, c, m, n)>
#id4 = affine_map<(b, c, m, n) -> (b, c, m, n)>
#rows = affine_map<(b, c, m, n) -> (b, c, m)>

// CHECK-LABEL: tcgemm.kernel @two_batches_0
// CHECK-NOT: reduction =
// CHECK-LABEL: func.func @two_batches
// CHECK: tcgemm.launch @two_batches_0
// CHECK: linalg.generic {{.*}}"reduction"
func.func @two_batches(%a: tensor<2x64x3x32xbf16>, %b: tensor<3x2x48x32xbf16>) -> (tensor<2x3x64x48xf32>, tensor<2x3x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x64x48xf32>
  %er = tensor.empty() : tensor<2x3x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x64x48xf32>) -> tensor<2x3x64x48xf32>
  %0 = linalg.contract indexing_maps = [#a, #b, #d]
    ins(%a, %b : tensor<2x64x3x32xbf16>, tensor<3x2x48x32xbf16>) outs(%f : tensor<2x3x64x48xf32>) -> tensor<2x3x64x48xf32>
  %i = linalg.fill ins(%zero : f32) outs(%er : tensor<2x3x64xf32>) -> tensor<2x3x64xf32>
  %1 = linalg.generic {indexing_maps = [#id4, #rows], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%0 : tensor<2x3x64x48xf32>) outs(%i : tensor<2x3x64xf32>) {
  ^bb0(%x: f32, %t: f32):
    %2 = arith.addf %x, %t : f32
    linalg.yield %2 : f32
  } -> tensor<2x3x64xf32>
  return %0, %1 : tensor<2x3x64x48xf32>, tensor<2x3x64xf32>
}
