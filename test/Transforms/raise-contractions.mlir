// RUN: tcgemm-opt %s --split-input-file --tcgemm-raise="remarks=false" | FileCheck %s
// RUN: tcgemm-opt %s --split-input-file \
// RUN:   --tcgemm-raise="remarks=false transpose-operands" | FileCheck %s --check-prefix=TRANSPOSED
// RUN: tcgemm-opt %s --split-input-file \
// RUN:   --tcgemm-raise="remarks=false summed-dims" | FileCheck %s --check-prefix=SUMMED

// Contractions with several dimensions of one kind.

#a = affine_map<(b, h, q, k, d) -> (b, q, h, d)>
#b = affine_map<(b, h, q, k, d) -> (b, k, h, d)>
#c = affine_map<(b, h, q, k, d) -> (b, h, q, k)>

// Two outer dimensions.
// CHECK: tcgemm.kernel @scores_0 <2x?x?x64x4>
// CHECK-SAME: [#tcgemm.operand<a, bf16, "bmck">, #tcgemm.operand<b, bf16, "bnck">,
// CHECK-SAME: #tcgemm.operand<output, f32, "bcmn">]
// CHECK-LABEL: func.func @scores
// CHECK: tcgemm.launch @scores_0 ins(%arg0, %arg1 : tensor<2x?x4x64xbf16>, tensor<2x?x4x64xbf16>)
func.func @scores(%a: tensor<2x?x4x64xbf16>, %b: tensor<2x?x4x64xbf16>,
                  %init: tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %d = linalg.contract indexing_maps = [#a, #b, #c]
    ins(%a, %b : tensor<2x?x4x64xbf16>, tensor<2x?x4x64xbf16>)
    outs(%zeros : tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  return %d : tensor<2x4x?x?xf32>
}

// -----

#a = affine_map<(b, h, w, k, c) -> (b, h, w, c)>
#b = affine_map<(b, h, w, k, c) -> (c, k)>
#c = affine_map<(b, h, w, k, c) -> (b, h, w, k)>
#bias = affine_map<(b, h, w, k) -> (k)>
#all = affine_map<(b, h, w, k) -> (b, h, w, k)>

// Neighbours are joined, and the epilogue's operands with them.
// CHECK: tcgemm.kernel @conv1x1_0 <1x?x16x8>
// CHECK-SAME: [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "kn">,
// CHECK-SAME: #tcgemm.operand<input, f32, "n">, #tcgemm.operand<input, f32, "mn">,
// CHECK-SAME: #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @conv1x1
// CHECK-DAG: %[[A:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1, 2], [3]]
// CHECK-DAG: %[[R:.*]] = tensor.collapse_shape %arg3 {{\[}}[0, 1, 2], [3]]
// CHECK: %[[D:.*]] = tcgemm.launch @conv1x1_0 ins(%[[A]], %arg1, %arg2, %[[R]] :
// CHECK: tensor.expand_shape %[[D]] {{\[}}[0, 1, 2], [3]]
func.func @conv1x1(%a: tensor<?x5x5x8xf16>, %b: tensor<8x16xf16>, %bias: tensor<16xf32>,
                   %residual: tensor<?x5x5x16xf32>, %init: tensor<?x5x5x16xf32>)
    -> tensor<?x5x5x16xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x5x5x16xf32>) -> tensor<?x5x5x16xf32>
  %p = linalg.contract indexing_maps = [#a, #b, #c]
    ins(%a, %b : tensor<?x5x5x8xf16>, tensor<8x16xf16>)
    outs(%zeros : tensor<?x5x5x16xf32>) -> tensor<?x5x5x16xf32>
  %d = linalg.generic {indexing_maps = [#all, #bias, #all, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%p, %bias, %residual : tensor<?x5x5x16xf32>, tensor<16xf32>, tensor<?x5x5x16xf32>)
    outs(%init : tensor<?x5x5x16xf32>) {
  ^bb0(%x: f32, %y: f32, %r: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<?x5x5x16xf32>
  return %d : tensor<?x5x5x16xf32>
}

// -----

#a = affine_map<(a, b, c, d) -> (b, d, a)>
#b = affine_map<(a, b, c, d) -> (d, c)>
#c = affine_map<(a, b, c, d) -> (a, b, c)>

// An m that is not tiled is an outer dimension that B lacks.
// CHECK: tcgemm.kernel @outer_m_0 <3x5x7x9>
// CHECK-SAME: [#tcgemm.operand<a, f16, "bkm">, #tcgemm.operand<b, f16, "kn">,
// CHECK-SAME: #tcgemm.operand<output, f32, "mbn">]
func.func @outer_m(%a: tensor<3x9x5xf16>, %b: tensor<9x7xf16>, %init: tensor<5x3x7xf32>)
    -> tensor<5x3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<5x3x7xf32>) -> tensor<5x3x7xf32>
  %d = linalg.contract indexing_maps = [#a, #b, #c]
    ins(%a, %b : tensor<3x9x5xf16>, tensor<9x7xf16>)
    outs(%zeros : tensor<5x3x7xf32>) -> tensor<5x3x7xf32>
  return %d : tensor<5x3x7xf32>
}

// -----

#a = affine_map<(m, n, a, b) -> (m, a, b)>
#b = affine_map<(m, n, a, b) -> (a, n, b)>
#c = affine_map<(m, n, a, b) -> (m, n)>

// Two k that are no neighbours in B: it is transposed if that is wanted.
// CHECK-LABEL: func.func @two_k
// CHECK: linalg.contract
// TRANSPOSED: tcgemm.kernel @two_k_0 <1x8x16x48>
// TRANSPOSED-SAME: [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
// TRANSPOSED-SAME: #tcgemm.operand<output, f32, "mn">]
// TRANSPOSED-LABEL: func.func @two_k
// TRANSPOSED: %[[T:.*]] = linalg.transpose ins(%arg1 : tensor<6x16x8xf16>) outs({{.*}} : tensor<16x6x8xf16>) permutation = [1, 0, 2]
// TRANSPOSED-DAG: %[[B:.*]] = tensor.collapse_shape %[[T]] {{\[}}[0], [1, 2]]
// TRANSPOSED-DAG: %[[A:.*]] = tensor.collapse_shape %arg0 {{\[}}[0], [1, 2]]
// TRANSPOSED: tcgemm.launch @two_k_0 ins(%[[A]], %[[B]] :
func.func @two_k(%a: tensor<8x6x8xf16>, %b: tensor<6x16x8xf16>, %init: tensor<8x16xf32>)
    -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<8x16xf32>) -> tensor<8x16xf32>
  %d = linalg.contract indexing_maps = [#a, #b, #c]
    ins(%a, %b : tensor<8x6x8xf16>, tensor<6x16x8xf16>)
    outs(%zeros : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %d : tensor<8x16xf32>
}

// -----

#a = affine_map<(m, n, k, b) -> (m, k, b)>
#b = affine_map<(m, n, k, b) -> (k, n, b)>
#c = affine_map<(m, n, k, b) -> (m, n, b)>

// The batch is innermost everywhere: D is transposed behind.
// TRANSPOSED: tcgemm.kernel @batch_last_0 <4x8x16x24>
// TRANSPOSED-SAME: [#tcgemm.operand<a, f16, "bmk">, #tcgemm.operand<b, f16, "bnk">,
// TRANSPOSED-SAME: #tcgemm.operand<output, f32, "bmn">]
// TRANSPOSED-LABEL: func.func @batch_last
// TRANSPOSED: %[[A:.*]] = linalg.transpose ins(%arg0 :
// TRANSPOSED-SAME: permutation = [2, 0, 1]
// TRANSPOSED: %[[B:.*]] = linalg.transpose ins(%arg1 :
// TRANSPOSED-SAME: permutation = [2, 1, 0]
// TRANSPOSED: %[[D:.*]] = tcgemm.launch @batch_last_0 ins(%[[A]], %[[B]] :
// TRANSPOSED: linalg.transpose ins(%[[D]] :
// TRANSPOSED-SAME: permutation = [1, 2, 0]
func.func @batch_last(%a: tensor<8x24x4xf16>, %b: tensor<24x16x4xf16>, %init: tensor<8x16x4xf32>)
    -> tensor<8x16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
  %d = linalg.contract indexing_maps = [#a, #b, #c]
    ins(%a, %b : tensor<8x24x4xf16>, tensor<24x16x4xf16>)
    outs(%zeros : tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
  return %d : tensor<8x16x4xf32>
}

// -----

#a = affine_map<(b, m, x, n, k) -> (b, m, x, k)>
#b = affine_map<(b, m, x, n, k) -> (b, n, k)>
#c = affine_map<(b, m, x, n, k) -> (b, m, x, n)>

// Buffers: dense ones are joined, others have more outer dimensions.
// CHECK: tcgemm.kernel @buffers_0 <2x12x?x8>
// CHECK: tcgemm.kernel @buffers_1 <2x4x?x8x3>
// CHECK-SAME: [#tcgemm.operand<a, f16, "bcmk">, #tcgemm.operand<b, f16, "bnk">,
// CHECK-LABEL: func.func @buffers
// CHECK: memref.collapse_shape %arg0 {{\[}}[0], [1, 2], [3]]
// CHECK: tcgemm.launch @buffers_0
// CHECK: tcgemm.launch @buffers_1 ins(%arg3, %arg1
func.func @buffers(%a: memref<2x3x4x8xf16>, %b: memref<2x?x8xf16>, %d: memref<2x3x4x?xf32>,
                   %strided: memref<2x3x4x8xf16, strided<[192, 64, 16, 1]>>) {
  linalg.contract indexing_maps = [#a, #b, #c]
    ins(%a, %b : memref<2x3x4x8xf16>, memref<2x?x8xf16>) outs(%d : memref<2x3x4x?xf32>)
  linalg.contract indexing_maps = [#a, #b, #c]
    ins(%strided, %b : memref<2x3x4x8xf16, strided<[192, 64, 16, 1]>>, memref<2x?x8xf16>)
    outs(%d : memref<2x3x4x?xf32>)
  return
}

// -----

// Named operations: blocks of matrices, and a sum over the batch.
// TRANSPOSED: tcgemm.kernel @named_0 <3x8x8x40x4>
// TRANSPOSED: tcgemm.kernel @named_1 <1x4x6x16>
// CHECK-LABEL: func.func @named
// CHECK: linalg.mmt4d
// CHECK: linalg.batch_reduce_matmul
// TRANSPOSED-LABEL: func.func @named
// TRANSPOSED-NOT: linalg.mmt4d
// TRANSPOSED: tcgemm.launch @named_0
// TRANSPOSED: tcgemm.launch @named_1
func.func @named(%a: tensor<3x5x8x8xf16>, %b: tensor<4x5x8x8xf16>, %d: tensor<3x4x8x8xf32>,
                 %x: tensor<2x4x8xf16>, %y: tensor<2x8x6xf16>, %z: tensor<4x6xf32>)
    -> (tensor<3x4x8x8xf32>, tensor<4x6xf32>) {
  %0 = linalg.mmt4d ins(%a, %b : tensor<3x5x8x8xf16>, tensor<4x5x8x8xf16>)
    outs(%d : tensor<3x4x8x8xf32>) -> tensor<3x4x8x8xf32>
  %1 = linalg.batch_reduce_matmul ins(%x, %y : tensor<2x4x8xf16>, tensor<2x8x6xf16>)
    outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1 : tensor<3x4x8x8xf32>, tensor<4x6xf32>
}

// -----

// A second k, which is joined of two loops. The hint has its extent at the end.
// SUMMED: tcgemm.kernel @apart_0 <1x?x?x64x6>
// SUMMED-SAME: [#tcgemm.operand<a, bf16, "mck">, #tcgemm.operand<b, bf16, "cnk">,
// SUMMED-SAME: #tcgemm.operand<output, f32, "mn">]
// SUMMED: size_hint = array<i64: 1, 512, 256, 384, 6>
// SUMMED-LABEL: func.func @apart
// SUMMED: tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2], [3]]
// SUMMED: tcgemm.launch @apart_0
// CHECK-LABEL: func.func @apart
// CHECK-NOT: tcgemm.launch
func.func @apart(%a: tensor<?x2x3x64xbf16>, %b: tensor<2x3x?x64xbf16>,
                 %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.contract indexing_maps = [affine_map<(m, n, x, y, k) -> (m, x, y, k)>,
                                        affine_map<(m, n, x, y, k) -> (x, y, n, k)>,
                                        affine_map<(m, n, x, y, k) -> (m, n)>]
    ins(%a, %b : tensor<?x2x3x64xbf16>, tensor<2x3x?x64xbf16>)
    outs(%zeros : tensor<?x?xf32>) {tcgemm.size_hint = array<i64: 512, 256, 2, 3, 64>}
    -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// Behind one batch and another outer dimension, it is d.
// SUMMED: tcgemm.kernel @behind_0 <2x?x?x64x4x5>
// SUMMED-SAME: [#tcgemm.operand<a, f16, "bmcdk">, #tcgemm.operand<b, f16, "bdnk">, #tcgemm.operand<input, f32, "bcmn">,
// SUMMED-SAME: #tcgemm.operand<output, f32, "bcmn">]
func.func @behind(%a: tensor<2x?x4x5x64xf16>, %b: tensor<2x5x?x64xf16>,
                  %c: tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32> {
  %d = linalg.contract indexing_maps = [affine_map<(b, c, m, n, d, k) -> (b, m, c, d, k)>,
                                        affine_map<(b, c, m, n, d, k) -> (b, d, n, k)>,
                                        affine_map<(b, c, m, n, d, k) -> (b, c, m, n)>]
    ins(%a, %b : tensor<2x?x4x5x64xf16>, tensor<2x5x?x64xf16>)
    outs(%c : tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  return %d : tensor<2x4x?x?xf32>
}

// -----

// f32 that is not rounded has no wgmma.
// SUMMED-LABEL: func.func @ieee
// SUMMED-NOT: tcgemm.launch
func.func @ieee(%a: tensor<?x6x64xf32>, %b: tensor<6x?x64xf32>,
                %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = linalg.contract indexing_maps = [affine_map<(m, n, x, k) -> (m, x, k)>,
                                        affine_map<(m, n, x, k) -> (x, n, k)>,
                                        affine_map<(m, n, x, k) -> (m, n)>]
    ins(%a, %b : tensor<?x6x64xf32>, tensor<6x?x64xf32>)
    outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
