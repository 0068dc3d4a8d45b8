// RUN: tcgemm-opt %s -tcgemm-raise="remarks=true" -split-input-file -verify-diagnostics -o /dev/null

// f32 has no wgmma.
func.func @type(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-warning@+2 {{is computed as a copy: no wgmma multiplies its types, or only in parts}}
  // expected-remark@+1 {{'linalg.generic' is left as it is: it is an operand's band, but no wgmma multiplies its types, or only in parts}}
  %l = tcgemm.band %a <"lower"> : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = linalg.matmul ins(%l, %b : tensor<8x8xf32>, tensor<8x8xf32>)
      outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

// Rows of the band are the batch.
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#mbk = affine_map<(b, m, n, k) -> (m, b, k)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @batch(%a: tensor<8x8x8xbf16>, %b: tensor<8x8x8xbf16>, %c: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-warning@+2 {{is computed as a copy: the rows and columns of its band are not m and k, each one dimension}}
  // expected-remark@+1 {{the rows and columns of its band are not m and k}}
  %l = tcgemm.band %a <"lower"> : tensor<8x8x8xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %d = linalg.generic {indexing_maps = [#mbk, #bnk, #bmn],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%l, %b : tensor<8x8x8xbf16>, tensor<8x8x8xbf16>) outs(%init : tensor<8x8x8xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %left = arith.extf %x : bf16 to f32
    %right = arith.extf %y : bf16 to f32
    %product = arith.mulf %left, %right : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<8x8x8xf32>
  return %d : tensor<8x8x8xf32>
}

// -----

// Two bands with ones.
func.func @units(%a: tensor<8x8xbf16>, %b: tensor<8x8xbf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-warning@+2 {{is computed as a copy: both operands have ones on the diagonal}}
  // expected-remark@+1 {{both operands have ones}}
  %l = tcgemm.band %a <"unit-lower"> : tensor<8x8xbf16>
  // expected-warning@+2 {{is computed as a copy: both operands have ones on the diagonal}}
  // expected-remark@+1 {{both operands have ones}}
  %u = tcgemm.band %b <"unit-upper"> : tensor<8x8xbf16>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = linalg.matmul ins(%l, %u : tensor<8x8xbf16>, tensor<8x8xbf16>)
      outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

// Another matrix, and a fused operation that reads a tensor.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
func.func @symmetric(%a: tensor<8x8xbf16>, %b: tensor<8x8xbf16>, %c: tensor<8x8xf32>,
    %bias: tensor<8xf32>, %e: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-warning@+1 {{has tcgemm.symmetric, but both halves of the result are computed: its operands are not one matrix and its transpose}}
  %d = linalg.matmul indexing_maps = [#mk, #nk, #mn] {tcgemm.symmetric}
      ins(%a, %b : tensor<8x8xbf16>, tensor<8x8xbf16>)
      outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-warning@+1 {{both halves of the result are computed: an operation that reads a tensor is fused with it}}
  %s = linalg.matmul indexing_maps = [#mk, #nk, #mn] {tcgemm.symmetric}
      ins(%a, %a : tensor<8x8xbf16>, tensor<8x8xbf16>)
      outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s, %bias : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %d, %r : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

func.func @attribute(%a: tensor<8x8xbf16>) -> tensor<8x8xbf16> {
  // expected-error@+1 {{has the attribute 'tcgemm.symmetric', which only linalg operations may have}}
  %0 = tensor.cast %a {tcgemm.symmetric} : tensor<8x8xbf16> to tensor<8x8xbf16>
  return %0 : tensor<8x8xbf16>
}
