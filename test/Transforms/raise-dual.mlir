// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>

// One kernel: the function of the first product, the other one, and what follows.
// CHECK-LABEL: tcgemm.kernel @swiglu_0 <1x?x128x64>
// CHECK-SAME: #tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<b2, bf16, "kn">, #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, bf16, "mn">
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK: %[[Z:.*]] = arith.mulf %[[E]], %[[Y]]
// CHECK: %[[S:.*]] = arith.addf %[[Z]], %[[BIAS]]
// CHECK: %[[T:.*]] = arith.truncf %[[S]]
// CHECK: tcgemm.yield %[[T]] : bf16
// CHECK-NOT: tcgemm.kernel
// CHECK-LABEL: func.func @swiglu
// CHECK: tcgemm.launch @swiglu_0 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xbf16>, tensor<64x128xbf16>, tensor<64x128xbf16>, tensor<128xf32>)
// CHECK-NOT: linalg
func.func @swiglu(%a: tensor<?x64xbf16>, %b: tensor<64x128xbf16>, %c: tensor<64x128xbf16>, %bias: tensor<128xf32>,
                  %z: tensor<?x128xf32>, %e: tensor<?x128xbf16>) -> tensor<?x128xbf16> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
  %x = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x128xbf16>) outs(%i : tensor<?x128xf32>) -> tensor<?x128xf32>
  %g = linalg.exp ins(%x : tensor<?x128xf32>) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
  %y = linalg.matmul ins(%a, %c : tensor<?x64xbf16>, tensor<64x128xbf16>) outs(%i : tensor<?x128xf32>) -> tensor<?x128xf32>
  %p = arith.mulf %g, %y : tensor<?x128xf32>
  %d = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (n)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x128xf32>, tensor<128xf32>) outs(%e : tensor<?x128xbf16>) {
  ^bb0(%v: f32, %w: f32, %o: bf16):
    %0 = arith.addf %v, %w : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<?x128xbf16>
  return %d : tensor<?x128xbf16>
}

// -----

// Results with other users are outputs, and C is added to the first sum.
// CHECK-LABEL: tcgemm.kernel @outputs_0
// CHECK-SAME: #tcgemm.operand<b2, f16, "kn">, #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f32, "mn">
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[C:.*]]: f32):
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[C]]
// CHECK: %[[P:.*]] = arith.addf %[[S]], %[[Y]]
// CHECK: tcgemm.yield %[[Y]], %[[P]]
func.func @outputs(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf16>, %i: tensor<8x32xf32>,
                   %z: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %x = linalg.matmul ins(%a, %b : tensor<8x64xf16>, tensor<64x32xf16>) outs(%i : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.matmul ins(%a, %c : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = arith.addf %x, %y : tensor<8x32xf32>
  return %y, %p : tensor<8x32xf32>, tensor<8x32xf32>
}

// -----

// Products that do not meet stay apart, without a remark.
// CHECK-LABEL: tcgemm.kernel @apart_0
// CHECK-NOT: b2
// CHECK: tcgemm.launch @apart_0
// CHECK: tcgemm.launch @apart_0
func.func @apart(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf16>,
                 %z: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %x = linalg.matmul ins(%a, %b : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.matmul ins(%a, %c : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %x, %y : tensor<8x32xf32>, tensor<8x32xf32>
}
