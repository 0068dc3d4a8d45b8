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
  // expected-remark @below {{its operands have the types f8E4M3FN and f32, which no instruction multiplies}}
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
  // expected-remark @below {{it has scales and ragged-k groups, but a block of k could be of two groups}}
  %d = tcgemm.grouped_matmul ins(%fa, %fb, %o : tensor<64x128xf32>, tensor<128x96xf32>, tensor<4xi32>)
    outs(%e : tensor<4x64x96xf32>) -> tensor<4x64x96xf32>
  return %d : tensor<4x64x96xf32>
}

// -----

// A group of 4-bit elements of another depth.
#bnk = affine_map<(b, n, k) -> (b, n, k)>
#group = affine_map<(b, n, k) -> (b, n, k floordiv 48)>
func.func @groupDepth(%a: tensor<64x96xbf16>, %b: tensor<4x32x96xi4>, %o: tensor<4xi32>, %s: tensor<4x32x2xf16>, %eb: tensor<4x32x96xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fb = linalg.generic {indexing_maps = [#bnk, #group, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %s : tensor<4x32x96xi4>, tensor<4x32x2xf16>) outs(%eb : tensor<4x32x96xf32>) {
  ^bb0(%x: i4, %t: f16, %out: f32):
    %y = arith.sitofp %x : i4 to f32
    %w = arith.extf %t : f16 to f32
    %z = arith.mulf %y, %w : f32
    linalg.yield %z : f32
  } -> tensor<4x32x96xf32>
  // expected-remark @below {{it has a scale of B for each 48 elements along k; 32, 64, 128 and 256 are supported}}
  %d = tcgemm.grouped_matmul ins(%a, %fb, %o : tensor<64x96xbf16>, tensor<4x32x96xf32>, tensor<4xi32>)
    outs(%e : tensor<64x32xf32>) transpose_b -> tensor<64x32xf32>
  return %d : tensor<64x32xf32>
}

// -----

// Each group has its own scales, but all share the zero points.
#bnk = affine_map<(b, n, k) -> (b, n, k)>
#group = affine_map<(b, n, k) -> (b, n, k floordiv 32)>
#shared = affine_map<(b, n, k) -> (n, k floordiv 32)>
func.func @sharedZeros(%a: tensor<64x96xbf16>, %b: tensor<4x32x96xi4>, %o: tensor<4xi32>, %s: tensor<4x32x3xf16>, %q: tensor<32x3xi8>, %eb: tensor<4x32x96xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fb = linalg.generic {indexing_maps = [#bnk, #group, #shared, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %s, %q : tensor<4x32x96xi4>, tensor<4x32x3xf16>, tensor<32x3xi8>) outs(%eb : tensor<4x32x96xf32>) {
  ^bb0(%x: i4, %t: f16, %zero: i8, %out: f32):
    %y = arith.sitofp %x : i4 to f32
    %u = arith.sitofp %zero : i8 to f32
    %v = arith.subf %y, %u : f32
    %w = arith.extf %t : f16 to f32
    %z = arith.mulf %v, %w : f32
    linalg.yield %z : f32
  } -> tensor<4x32x96xf32>
  // expected-remark @below {{all groups share the zero points of B, but each group needs its own}}
  %d = tcgemm.grouped_matmul ins(%a, %fb, %o : tensor<64x96xbf16>, tensor<4x32x96xf32>, tensor<4xi32>)
    outs(%e : tensor<64x32xf32>) transpose_b -> tensor<64x32xf32>
  return %d : tensor<64x32xf32>
}

// -----

// K has a part of a group.
#bnk = affine_map<(b, n, k) -> (b, n, k)>
#group = affine_map<(b, n, k) -> (b, n, k floordiv 64)>
func.func @part(%a: tensor<64x96xbf16>, %b: tensor<4x32x96xi4>, %o: tensor<4xi32>, %s: tensor<4x32x2xf16>, %eb: tensor<4x32x96xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fb = linalg.generic {indexing_maps = [#bnk, #group, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %s : tensor<4x32x96xi4>, tensor<4x32x2xf16>) outs(%eb : tensor<4x32x96xf32>) {
  ^bb0(%x: i4, %t: f16, %out: f32):
    %y = arith.sitofp %x : i4 to f32
    %w = arith.extf %t : f16 to f32
    %z = arith.mulf %y, %w : f32
    linalg.yield %z : f32
  } -> tensor<4x32x96xf32>
  // expected-remark @below {{it has 96 elements along k, which is no multiple of the 64 of a group}}
  %d = tcgemm.grouped_matmul ins(%a, %fb, %o : tensor<64x96xbf16>, tensor<4x32x96xf32>, tensor<4xi32>)
    outs(%e : tensor<64x32xf32>) transpose_b -> tensor<64x32xf32>
  return %d : tensor<64x32xf32>
}

// -----

// Scales of a type that kernels do not read.
#bnk = affine_map<(b, n, k) -> (b, n, k)>
#group = affine_map<(b, n, k) -> (b, n, k floordiv 32)>
func.func @type(%a: tensor<64x96xbf16>, %b: tensor<4x32x96xi4>, %o: tensor<4xi32>, %s: tensor<4x32x3xf8E4M3FN>, %eb: tensor<4x32x96xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fb = linalg.generic {indexing_maps = [#bnk, #group, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %s : tensor<4x32x96xi4>, tensor<4x32x3xf8E4M3FN>) outs(%eb : tensor<4x32x96xf32>) {
  ^bb0(%x: i4, %t: f8E4M3FN, %out: f32):
    %y = arith.sitofp %x : i4 to f32
    %w = arith.extf %t : f8E4M3FN to f32
    %z = arith.mulf %y, %w : f32
    linalg.yield %z : f32
  } -> tensor<4x32x96xf32>
  // expected-remark @below {{it reads scales of type tensor<4x32x3xf8E4M3FN>; only tensors and buffers of f32, f16 and bf16 are supported}}
  %d = tcgemm.grouped_matmul ins(%a, %fb, %o : tensor<64x96xbf16>, tensor<4x32x96xf32>, tensor<4xi32>)
    outs(%e : tensor<64x32xf32>) transpose_b -> tensor<64x32xf32>
  return %d : tensor<64x32xf32>
}

// -----

// The product of two FP8 elements is no element with a scale.
#mk = affine_map<(m, k) -> (m, k)>
func.func @square(%a: tensor<64x128xf8E4M3FN>, %b: tensor<4x96x128xf8E4M3FN>, %o: tensor<4xi32>, %ea: tensor<64x128xf32>, %e: tensor<64x96xf32>) -> tensor<64x96xf32> {
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fa = linalg.generic {indexing_maps = [#mk, #mk, #mk], iterator_types = ["parallel", "parallel"]}
    ins(%a, %a : tensor<64x128xf8E4M3FN>, tensor<64x128xf8E4M3FN>) outs(%ea : tensor<64x128xf32>) {
  ^bb0(%x: f8E4M3FN, %t: f8E4M3FN, %out: f32):
    %y = arith.extf %x : f8E4M3FN to f32
    %w = arith.extf %t : f8E4M3FN to f32
    %z = arith.mulf %y, %w : f32
    linalg.yield %z : f32
  } -> tensor<64x128xf32>
  %fb = arith.extf %b : tensor<4x96x128xf8E4M3FN> to tensor<4x96x128xf32>
  // expected-remark @below {{it reads scales of type tensor<64x128xf8E4M3FN>; only tensors and buffers of f32 are supported}}
  %d = tcgemm.grouped_matmul ins(%fa, %fb, %o : tensor<64x128xf32>, tensor<4x96x128xf32>, tensor<4xi32>)
    outs(%e : tensor<64x96xf32>) transpose_b -> tensor<64x96xf32>
  return %d : tensor<64x96xf32>
}

// -----

// Products with scales that f16 rounds: the kernel would not.
#bnk = affine_map<(b, n, k) -> (b, n, k)>
#group = affine_map<(b, n, k) -> (b, n, k floordiv 32)>
func.func @rounded(%a: tensor<64x96xf16>, %b: tensor<4x32x96xi4>, %o: tensor<4xi32>, %s: tensor<4x32x3xf16>, %eb: tensor<4x32x96xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is: it is neither a contraction nor does it consume one's result}}
  %fb = linalg.generic {indexing_maps = [#bnk, #group, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %s : tensor<4x32x96xi4>, tensor<4x32x3xf16>) outs(%eb : tensor<4x32x96xf32>) {
  ^bb0(%x: i4, %t: f16, %out: f32):
    %y = arith.sitofp %x : i4 to f16
    %z = arith.mulf %y, %t : f16
    %w = arith.extf %z : f16 to f32
    linalg.yield %w : f32
  } -> tensor<4x32x96xf32>
  // expected-remark @below {{it computes scaled elements in f16; only f32 is supported}}
  %d = tcgemm.grouped_matmul ins(%a, %fb, %o : tensor<64x96xf16>, tensor<4x32x96xf32>, tensor<4xi32>)
    outs(%e : tensor<64x32xf32>) transpose_b -> tensor<64x32xf32>
  return %d : tensor<64x32xf32>
}
