// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false | FileCheck %s

// Scales and zero points of groups of 4-bit elements become operands of the kernel,
// whatever the order of the inputs and of the factors.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#group = affine_map<(m, n, k) -> (n, k floordiv 128)>
#columns = affine_map<(m, n, k) -> (k floordiv 128, n)>
#d = affine_map<(m, n, k) -> (m, n)>
#row = affine_map<(n, k) -> (n, k)>
#rowGroup = affine_map<(n, k) -> (n, k floordiv 64)>

// CHECK: tcgemm.kernel @body_0 <1x?x?x512>
// CHECK-SAME: [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, ui4, "nk">,
// CHECK-SAME:  #tcgemm.operand<scale_b, f16, "kn", group = 128>,
// CHECK-SAME:  #tcgemm.operand<zero_b, ui8, "nk", group = 128>, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @body
// CHECK-SAME: %[[A:.*]]: tensor<?x512xbf16>, %[[B:.*]]: tensor<?x512xi4>, %[[S:.*]]: tensor<4x?xf16>, %[[Z:.*]]: tensor<?x4xi8>
// CHECK: tcgemm.launch @body_0 ins(%[[A]], %[[B]], %[[S]], %[[Z]] :
func.func @body(%a: tensor<?x512xbf16>, %b: tensor<?x512xi4>, %s: tensor<4x?xf16>, %z: tensor<?x4xi8>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #group, #columns, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %z, %s : tensor<?x512xbf16>, tensor<?x512xi4>, tensor<?x4xi8>, tensor<4x?xf16>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: i4, %q: i8, %t: f16, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %wide = arith.extui %y : i4 to i32
    %v = arith.uitofp %wide : i32 to f32
    %w = arith.uitofp %q : i8 to f32
    %shifted = arith.subf %v, %w : f32
    %scale = arith.extf %t : f16 to f32
    %e = arith.mulf %scale, %shifted : f32
    %p = arith.mulf %e, %u : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// An operation of its own computes the elements of B, and a named operation the
// product. The difference is one of integers.

// CHECK: tcgemm.kernel @producer_0 <1x16x96x128>
// CHECK-SAME: #tcgemm.operand<b, i4, "nk">, #tcgemm.operand<scale_b, bf16, "nk", group = 64>,
// CHECK-SAME: #tcgemm.operand<zero_b, i8, "nk", group = 64>, #tcgemm.operand<output, f32, "mn">]
// CHECK: config = #tcgemm.config<schedule = mma_sync, stages = 2>
// CHECK-LABEL: func.func @producer
// CHECK-NOT: linalg.generic
// CHECK: tcgemm.launch @producer_0 ins(
func.func @producer(%a: tensor<16x128xf16>, %b: tensor<96x128xi4>, %s: tensor<96x2xbf16>, %z: tensor<96x2xi8>) -> tensor<16x96xf32> {
  %empty = tensor.empty() : tensor<96x128xf32>
  %wide = linalg.generic {indexing_maps = [#row, #rowGroup, #rowGroup, #row], iterator_types = ["parallel", "parallel"]}
    ins(%b, %s, %z : tensor<96x128xi4>, tensor<96x2xbf16>, tensor<96x2xi8>) outs(%empty : tensor<96x128xf32>) {
  ^bb0(%y: i4, %t: bf16, %q: i8, %o: f32):
    %e = arith.extsi %y : i4 to i32
    %f = arith.extsi %q : i8 to i32
    %g = arith.subi %e, %f : i32
    %v = arith.sitofp %g : i32 to f32
    %scale = arith.extf %t : bf16 to f32
    %w = arith.mulf %v, %scale : f32
    linalg.yield %w : f32
  } -> tensor<96x128xf32>
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<16x96xf32>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<16x96xf32>) -> tensor<16x96xf32>
  %0 = linalg.matmul indexing_maps = [#a, #b, #d] {tcgemm.config = #tcgemm.config<schedule = mma_sync, stages = 2>}
    ins(%a, %wide : tensor<16x128xf16>, tensor<96x128xf32>) outs(%init : tensor<16x96xf32>) -> tensor<16x96xf32>
  return %0 : tensor<16x96xf32>
}

// A has the groups; its product with a vector becomes one of a vector with B.

// CHECK: tcgemm.kernel @vector_0 <1x1x96x128>
// CHECK-SAME: [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "nk">,
// CHECK-SAME:  #tcgemm.operand<scale_b, f32, "nk", group = 64>, #tcgemm.operand<output, f32, "mn">]
func.func @vector(%a: tensor<96x128xi4>, %x: tensor<128xbf16>, %s: tensor<96x2xf32>) -> tensor<96xf32> {
  %empty = tensor.empty() : tensor<96x128xf32>
  %wide = linalg.generic {indexing_maps = [#row, #rowGroup, #row], iterator_types = ["parallel", "parallel"]}
    ins(%a, %s : tensor<96x128xi4>, tensor<96x2xf32>) outs(%empty : tensor<96x128xf32>) {
  ^bb0(%y: i4, %t: f32, %o: f32):
    %v = arith.sitofp %y : i4 to f32
    %w = arith.mulf %t, %v : f32
    linalg.yield %w : f32
  } -> tensor<96x128xf32>
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<96xf32>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<96xf32>) -> tensor<96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%wide, %x : tensor<96x128xf32>, tensor<128xbf16>) outs(%init : tensor<96xf32>) {
  ^bb0(%l: f32, %r: bf16, %o: f32):
    %u = arith.extf %r : bf16 to f32
    %p = arith.mulf %l, %u : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<96xf32>
  return %0 : tensor<96xf32>
}
