// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics | FileCheck %s

// FP8 by elements of 4 bits, which the body converts to f32, with scales of groups.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n, k floordiv 64)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK: tcgemm.kernel @scaled_0 <1x?x?x?>
// CHECK-SAME: [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, i4, "nk">,
// CHECK-SAME:  #tcgemm.operand<scale_b, f16, "nk", group = 64>, #tcgemm.operand<input, f32, "mn">,
// CHECK-SAME:  #tcgemm.operand<output, f32, "mn">]
func.func @scaled(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xi4>, %s: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<?x?xf8E4M3FN>, tensor<?x?xi4>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: i4, %t: f16, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.sitofp %y : i4 to f32
    %g = arith.extf %t : f16 to f32
    %h = arith.mulf %v, %g : f32
    %p = arith.mulf %u, %h : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Operands in the other order, unsigned.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK: tcgemm.kernel @unsigned_0 <1x32x48x64>
// CHECK-SAME: [#tcgemm.operand<a, ui4, "mk">, #tcgemm.operand<b, f8E5M2, "nk">,
func.func @unsigned(%a: tensor<32x64xi4>, %b: tensor<48x64xf8E5M2>, %c: tensor<32x48xf32>) -> tensor<32x48xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<32x64xi4>, tensor<48x64xf8E5M2>) outs(%c : tensor<32x48xf32>) {
  ^bb0(%x: i4, %y: f8E5M2, %o: f32):
    %u = arith.uitofp %x : i4 to f32
    %v = arith.extf %y : f8E5M2 to f32
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
}

// -----

// e4m3 does not represent the difference of an element and its zero point.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#s = affine_map<(m, n, k) -> (n, k floordiv 64)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func.func @zeros
// CHECK: linalg.generic
func.func @zeros(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xi4>, %s: tensor<?x?xf16>, %z: tensor<?x?xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it subtracts zero points from elements of 4 bits that it multiplies by f8E4M3FN; only f16 and bf16 are supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #s, #s, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s, %z : tensor<?x?xf8E4M3FN>, tensor<?x?xi4>, tensor<?x?xf16>, tensor<?x?xi8>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: i4, %t: f16, %q: i8, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
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
