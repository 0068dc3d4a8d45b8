// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics

// Groups of another depth.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n, k floordiv 48)>
#z = affine_map<(m, n, k) -> (n, k floordiv 48)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xi4>, %s: tensor<?x?xf16>, %z: tensor<?x?xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it has a scale of B for each 48 elements along k; 32, 64, 128 and 256 are supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #z, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<?x?xbf16>, tensor<?x?xi4>, tensor<?x?xf16>, tensor<?x?xi8>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %t: f16, %q: i8, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %w = arith.sitofp %q : i8 to f32
    %e = arith.subf %v, %w : f32
    %g = arith.extf %t : f16 to f32
    %h = arith.mulf %e, %g : f32
    %p = arith.mulf %u, %h : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Groups of several columns.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n floordiv 64, k floordiv 128)>
#z = affine_map<(m, n, k) -> (n, k floordiv 128)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xi4>, %s: tensor<?x?xf16>, %z: tensor<?x?xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it has a scale of B for each 64 elements along n; only 1 is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #z, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<?x?xbf16>, tensor<?x?xi4>, tensor<?x?xf16>, tensor<?x?xi8>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %t: f16, %q: i8, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %w = arith.sitofp %q : i8 to f32
    %e = arith.subf %v, %w : f32
    %g = arith.extf %t : f16 to f32
    %h = arith.mulf %e, %g : f32
    %p = arith.mulf %u, %h : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Scales of rows.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (m, k floordiv 128)>
#z = affine_map<(m, n, k) -> (n, k floordiv 128)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xi4>, %s: tensor<?x?xf16>, %z: tensor<?x?xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it reads scales with the dimensions mk; those of B have n, k and perhaps the batch}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #z, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<?x?xbf16>, tensor<?x?xi4>, tensor<?x?xf16>, tensor<?x?xi8>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %t: f16, %q: i8, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %w = arith.sitofp %q : i8 to f32
    %e = arith.subf %v, %w : f32
    %g = arith.extf %t : f16 to f32
    %h = arith.mulf %e, %g : f32
    %p = arith.mulf %u, %h : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Zero points of other groups.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n, k floordiv 128)>
#z = affine_map<(m, n, k) -> (n, k floordiv 64)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xi4>, %s: tensor<?x?xf16>, %z: tensor<?x?xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{its scales are for groups of 128 elements, but its zero points for groups of 64}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #z, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<?x?xbf16>, tensor<?x?xi4>, tensor<?x?xf16>, tensor<?x?xi8>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %t: f16, %q: i8, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %w = arith.sitofp %q : i8 to f32
    %e = arith.subf %v, %w : f32
    %g = arith.extf %t : f16 to f32
    %h = arith.mulf %e, %g : f32
    %p = arith.mulf %u, %h : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Scales of another type.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n, k floordiv 128)>
#z = affine_map<(m, n, k) -> (n, k floordiv 128)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xi4>, %s: tensor<?x?xf8E4M3FN>, %z: tensor<?x?xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{only tensors and buffers of f32, f16 and bf16 are supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #z, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<?x?xbf16>, tensor<?x?xi4>, tensor<?x?xf8E4M3FN>, tensor<?x?xi8>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %t: f8E4M3FN, %q: i8, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %w = arith.sitofp %q : i8 to f32
    %e = arith.subf %v, %w : f32
    %g = arith.extf %t : f8E4M3FN to f32
    %h = arith.mulf %e, %g : f32
    %p = arith.mulf %u, %h : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Unsigned zero points of signed elements.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n, k floordiv 128)>
#z = affine_map<(m, n, k) -> (n, k floordiv 128)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xi4>, %s: tensor<?x?xf16>, %z: tensor<?x?xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it subtracts unsigned zero points from signed elements}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #z, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<?x?xbf16>, tensor<?x?xi4>, tensor<?x?xf16>, tensor<?x?xi8>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %t: f16, %q: i8, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %w = arith.uitofp %q : i8 to f32
    %e = arith.subf %v, %w : f32
    %g = arith.extf %t : f16 to f32
    %h = arith.mulf %e, %g : f32
    %p = arith.mulf %u, %h : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Elements that are scaled in f16.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n, k floordiv 128)>
#z = affine_map<(m, n, k) -> (n, k floordiv 128)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xi4>, %s: tensor<?x?xf16>, %z: tensor<?x?xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it computes scaled elements in f16; only f32 is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #z, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<?x?xbf16>, tensor<?x?xi4>, tensor<?x?xf16>, tensor<?x?xi8>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %t: f16, %q: i8, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f16
    %w = arith.sitofp %q : i8 to f16
    %e = arith.subf %v, %w : f16
    %h = arith.mulf %e, %t : f16
    %i = arith.extf %h : f16 to f32
    %p = arith.mulf %u, %i : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The last group is not whole.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n, k floordiv 128)>
#z = affine_map<(m, n, k) -> (n, k floordiv 128)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<?x200xbf16>, %b: tensor<?x200xi4>, %s: tensor<?x?xf16>, %z: tensor<?x?xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it has 200 elements along k, which is no multiple of the 128 of a group}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #z, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<?x200xbf16>, tensor<?x200xi4>, tensor<?x?xf16>, tensor<?x?xi8>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %t: f16, %q: i8, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %w = arith.sitofp %q : i8 to f32
    %e = arith.subf %v, %w : f32
    %g = arith.extf %t : f16 to f32
    %h = arith.mulf %e, %g : f32
    %p = arith.mulf %u, %h : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// An operation that rounds the scaled elements: the kernel would not.
#row = affine_map<(n, k) -> (n, k)>
#group = affine_map<(n, k) -> (n, k floordiv 64)>
func.func @rounded(%a: tensor<16x128xbf16>, %b: tensor<96x128xi4>, %s: tensor<96x2xbf16>, %c: tensor<16x96xf32>) -> tensor<16x96xf32> {
  %empty = tensor.empty() : tensor<96x128xbf16>
  // expected-remark @below {{it computes an operand of a contraction, but not from one matrix with elements of the same type}}
  %wide = linalg.generic {indexing_maps = [#row, #group, #row], iterator_types = ["parallel", "parallel"]}
    ins(%b, %s : tensor<96x128xi4>, tensor<96x2xbf16>) outs(%empty : tensor<96x128xbf16>) {
  ^bb0(%y: i4, %t: bf16, %o: bf16):
    %v = arith.sitofp %y : i4 to bf16
    %w = arith.mulf %v, %t : bf16
    linalg.yield %w : bf16
  } -> tensor<96x128xbf16>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %wide : tensor<16x128xbf16>, tensor<96x128xbf16>) outs(%c : tensor<16x96xf32>) -> tensor<16x96xf32>
  return %0 : tensor<16x96xf32>
}

// -----

// The elements with the zero point are neither A nor B.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#z = affine_map<(m, n, k) -> (n, k floordiv 32)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xi4>, %z: tensor<?x?xi8>, %s: tensor<?x?xi4>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it has scales, but does not convert elements of A or B of 4 bits}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #z, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %z, %s : tensor<?x?xbf16>, tensor<?x?xi4>, tensor<?x?xi8>, tensor<?x?xi4>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %q: i8, %t: i4, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.sitofp %y : i4 to f32
    %w = arith.sitofp %q : i8 to f32
    %g = arith.sitofp %t : i4 to f32
    %e = arith.subf %g, %w : f32
    %h = arith.mulf %v, %e : f32
    %p = arith.mulf %u, %h : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
