// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics

// Blocks of another size.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (m, k floordiv 64)>
func.func @blocks(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it has a scale of A for each 64 elements along k; only 128 is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Scales of single columns.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (n, k floordiv 128)>
func.func @elements(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it has a scale of B for each 1 elements along n; only 128 is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A scale of blocks of k for all rows.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (k floordiv 128)>
func.func @all_rows(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it reads scales with the dimensions k; those of A have m, k and perhaps the batch}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (m, n floordiv 128)>
func.func @both_sides(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it reads scales with the dimensions mn; those of B have n, k and perhaps the batch}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (m, k floordiv 128 + 1)>
func.func @sums(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it reads scales through (d0, d1, d2) -> (d0, d2 floordiv 128 + 1), whose results are not distinct dimensions or blocks of one}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Operands of 16 bits.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (m, k floordiv 128)>
func.func @wide(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %s: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it has scales of blocks and operands of bf16; only f8E4M3FN and f8E5M2 may have scales}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %t: f32, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Scales of 16 bits.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (m, k floordiv 128)>
func.func @narrow(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it reads scales of type tensor<?x?xf16>; only tensors and buffers of f32 are supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f16, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %z = arith.extf %t : f16 to f32
    %q = arith.mulf %z, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Two scales of A.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (m, k floordiv 128)>
func.func @twice(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it reads two operands with scales of A}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %s : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %t2: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %r = arith.mulf %q, %t2 : f32
    %w = arith.addf %o, %r : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A vector has no rows.
#a = affine_map<(m, k) -> (m, k)>
#b = affine_map<(m, k) -> (k)>
#d = affine_map<(m, k) -> (m)>
#s = affine_map<(m, k) -> (m, k floordiv 128)>
func.func @vector(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?xf8E4M3FN>, %s: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  // expected-warning @below {{is marked to be taken, but is left as it is: it is a product of a matrix and a vector, which has no scales of blocks}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xf8E4M3FN>, tensor<?xf8E4M3FN>, tensor<?x?xf32>) outs(%c : tensor<?xf32>) attrs = {tcgemm.take} {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The body squares the scale.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> (m, k floordiv 128)>
func.func @square(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it is neither a contraction nor does it consume one's result}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %r = arith.mulf %q, %t : f32
    %w = arith.addf %o, %r : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
