// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false | FileCheck %s

// Scales of blocks of FP8 operands become operands of the kernel: those of A behind B,
// whatever their order in the operation and the order of the factors in its body.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#sa = affine_map<(m, n, k) -> (k floordiv 128, m)>
#sb = affine_map<(m, n, k) -> (n floordiv 128, k floordiv 128)>
#d = affine_map<(m, n, k) -> (m, n)>

// CHECK: tcgemm.kernel @both_0 <1x?x?x512>
// CHECK-SAME: [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E5M2, "nk">,
// CHECK-SAME:  #tcgemm.operand<scale_a, f32, "km">, #tcgemm.operand<scale_b, f32, "nk">,
// CHECK-SAME:  #tcgemm.operand<output, f32, "mn">] epilogue {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:   tcgemm.yield %[[ACC]]
// CHECK-LABEL: func.func @both
// CHECK-SAME: %[[A:.*]]: tensor<?x512xf8E4M3FN>, %[[B:.*]]: tensor<?x512xf8E5M2>, %[[SA:.*]]: tensor<4x?xf32>, %[[SB:.*]]: tensor<?x4xf32>, %[[C:.*]]: tensor<?x?xf32>
// CHECK: tcgemm.launch @both_0 ins(%[[A]], %[[B]], %[[SA]], %[[SB]] :
func.func @both(%a: tensor<?x512xf8E4M3FN>, %b: tensor<?x512xf8E5M2>, %sa: tensor<4x?xf32>, %sb: tensor<?x4xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #sb, #sa, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %sb, %sa : tensor<?x512xf8E4M3FN>, tensor<?x512xf8E5M2>, tensor<?x4xf32>, tensor<4x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %t: f32, %s: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E5M2 to f32
    %p = arith.mulf %u, %s : f32
    %q = arith.mulf %t, %v : f32
    %r = arith.mulf %p, %q : f32
    %w = arith.addf %r, %o : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// One operand only has scales, with k innermost; a batch; buffers.

// CHECK: tcgemm.kernel @rows_0 <3x64x64x200>
// CHECK-SAME: #tcgemm.operand<scale_a, f32, "bmk">, #tcgemm.operand<output, f32, "bmn">]
// CHECK: tcgemm.kernel @columns_0 <1x64x200x200>
// CHECK-SAME: #tcgemm.operand<scale_b, f32, "nk">, #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "mn">]
#batchedA = affine_map<(b, m, n, k) -> (b, m, k)>
#batchedB = affine_map<(b, m, n, k) -> (b, n, k)>
#batchedScales = affine_map<(b, m, n, k) -> (b, m, k floordiv 128)>
#batchedD = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @rows(%a: tensor<3x64x200xf8E4M3FN>, %b: tensor<3x64x200xf8E4M3FN>, %s: tensor<3x64x2xf32>, %c: tensor<3x64x64xf32>) -> tensor<3x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<3x64x64xf32>) -> tensor<3x64x64xf32>
  %0 = linalg.generic {indexing_maps = [#batchedA, #batchedB, #batchedScales, #batchedD], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : tensor<3x64x200xf8E4M3FN>, tensor<3x64x200xf8E4M3FN>, tensor<3x64x2xf32>) outs(%z : tensor<3x64x64xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  } -> tensor<3x64x64xf32>
  return %0 : tensor<3x64x64xf32>
}
func.func @columns(%a: memref<64x200xf8E4M3FN>, %b: memref<200x200xf8E4M3FN>, %s: memref<2x2xf32>, %c: memref<64x200xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #sb, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %s : memref<64x200xf8E4M3FN>, memref<200x200xf8E4M3FN>, memref<2x2xf32>) outs(%c : memref<64x200xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %t: f32, %o: f32):
    %u = arith.extf %x : f8E4M3FN to f32
    %v = arith.extf %y : f8E4M3FN to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.mulf %t, %p : f32
    %w = arith.addf %o, %q : f32
    linalg.yield %w : f32
  }
  return
}
