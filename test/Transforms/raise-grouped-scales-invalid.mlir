// RUN: tcgemm-opt %s -tcgemm-raise -verify-diagnostics -split-input-file

// Blocks of another size.
#mk = affine_map<(m, k) -> (m, k)>
#scale = affine_map<(m, k) -> (m, k floordiv 64)>
func.func @depth(%a: tensor<64x128xf8E4M3FN>, %b: tensor<4x96x128xf8E4M3FN>, %o: tensor<4xi32>, %s: tensor<64x2xf32>, %ea: tensor<64x128xf32>, %e: tensor<64x96xf32>) -> tensor<64x96xf32> {
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fa = linalg.generic {indexing_maps = [#mk, #scale, #mk], iterator_types = ["parallel", "parallel"]}
    ins(%a, %s : tensor<64x128xf8E4M3FN>, tensor<64x2xf32>) outs(%ea : tensor<64x128xf32>) {
  ^bb0(%x: f8E4M3FN, %t: f32, %out: f32):
    %y = arith.extf %x : f8E4M3FN to f32
    %z = arith.mulf %y, %t : f32
    linalg.yield %z : f32
  } -> tensor<64x128xf32>
  %fb = arith.extf %b : tensor<4x96x128xf8E4M3FN> to tensor<4x96x128xf32>
  // expected-remark @below {{it has a scale of A for each 64 elements along k; only 128 is supported}}
  %d = tcgemm.grouped_matmul ins(%fa, %fb, %o : tensor<64x128xf32>, tensor<4x96x128xf32>, tensor<4xi32>)
    outs(%e : tensor<64x96xf32>) transpose_b -> tensor<64x96xf32>
  return %d : tensor<64x96xf32>
}

// -----

// Each group needs its own scales of B.
#bnk = affine_map<(b, n, k) -> (b, n, k)>
#shared = affine_map<(b, n, k) -> (n floordiv 128, k floordiv 128)>
func.func @shared(%a: tensor<64x128xf8E4M3FN>, %b: tensor<4x96x128xf8E4M3FN>, %o: tensor<4xi32>, %s: tensor<1x1xf32>, %eb: tensor<4x96x128xf32>, %e: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %fa = arith.extf %a : tensor<64x128xf8E4M3FN> to tensor<64x128xf32>
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fb = linalg.generic {indexing_maps = [#bnk, #shared, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %s : tensor<4x96x128xf8E4M3FN>, tensor<1x1xf32>) outs(%eb : tensor<4x96x128xf32>) {
  ^bb0(%x: f8E4M3FN, %t: f32, %out: f32):
    %y = arith.extf %x : f8E4M3FN to f32
    %z = arith.mulf %y, %t : f32
    linalg.yield %z : f32
  } -> tensor<4x96x128xf32>
  // expected-remark @below {{all groups share the scales of B, but each group needs its own}}
  %d = tcgemm.grouped_matmul ins(%fa, %fb, %o : tensor<64x128xf32>, tensor<4x96x128xf32>, tensor<4xi32>)
    outs(%e : tensor<64x96xf32>) transpose_b -> tensor<64x96xf32>
  return %d : tensor<64x96xf32>
}

// -----

// B has no elements of FP8.
#mk = affine_map<(m, k) -> (m, k)>
#scale = affine_map<(m, k) -> (m, k floordiv 128)>
func.func @other(%a: tensor<64x128xf8E4M3FN>, %b: tensor<4x96x128xf32>, %o: tensor<4xi32>, %s: tensor<64x1xf32>, %ea: tensor<64x128xf32>, %e: tensor<64x96xf32>) -> tensor<64x96xf32> {
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fa = linalg.generic {indexing_maps = [#mk, #scale, #mk], iterator_types = ["parallel", "parallel"]}
    ins(%a, %s : tensor<64x128xf8E4M3FN>, tensor<64x1xf32>) outs(%ea : tensor<64x128xf32>) {
  ^bb0(%x: f8E4M3FN, %t: f32, %out: f32):
    %y = arith.extf %x : f8E4M3FN to f32
    %z = arith.mulf %y, %t : f32
    linalg.yield %z : f32
  } -> tensor<64x128xf32>
  // expected-remark @below {{it has scales of blocks, but B is not computed of f8E4M3FN or f8E5M2 by an extension or a product with scales}}
  %d = tcgemm.grouped_matmul ins(%fa, %b, %o : tensor<64x128xf32>, tensor<4x96x128xf32>, tensor<4xi32>)
    outs(%e : tensor<64x96xf32>) transpose_b -> tensor<64x96xf32>
  return %d : tensor<64x96xf32>
}

// -----

// Groups along k.
#mk = affine_map<(m, k) -> (m, k)>
#scale = affine_map<(m, k) -> (m, k floordiv 128)>
func.func @alongK(%a: tensor<64x128xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %o: tensor<4xi32>, %s: tensor<64x1xf32>, %ea: tensor<64x128xf32>, %e: tensor<4x64x96xf32>) -> tensor<4x64x96xf32> {
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fa = linalg.generic {indexing_maps = [#mk, #scale, #mk], iterator_types = ["parallel", "parallel"]}
    ins(%a, %s : tensor<64x128xf8E4M3FN>, tensor<64x1xf32>) outs(%ea : tensor<64x128xf32>) {
  ^bb0(%x: f8E4M3FN, %t: f32, %out: f32):
    %y = arith.extf %x : f8E4M3FN to f32
    %z = arith.mulf %y, %t : f32
    linalg.yield %z : f32
  } -> tensor<64x128xf32>
  %fb = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xf32>
  // expected-remark @below {{it has scales of blocks and ragged-k groups, but a block of k could be of two groups}}
  %d = tcgemm.grouped_matmul ins(%fa, %fb, %o : tensor<64x128xf32>, tensor<128x96xf32>, tensor<4xi32>)
    outs(%e : tensor<4x64x96xf32>) -> tensor<4x64x96xf32>
  return %d : tensor<4x64x96xf32>
}
