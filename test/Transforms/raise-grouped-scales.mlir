// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false | FileCheck %s

// The operations that scale FP8 elements become operands of the kernel with the scales.
// Those of A have the rows of all groups, and those of B a matrix for each group.

#mk = affine_map<(m, k) -> (m, k)>
#scaleA = affine_map<(m, k) -> (k floordiv 128, m)>
#bnk = affine_map<(b, n, k) -> (b, n, k)>
#scaleB = affine_map<(b, n, k) -> (b, n floordiv 128, k floordiv 128)>

// CHECK:      tcgemm.kernel @both_0 <8x?x256x512>
// CHECK-SAME:   [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E5M2, "bnk">, #tcgemm.operand<offsets, i32, "b">,
// CHECK-SAME:    #tcgemm.operand<scale_a, f32, "km">, #tcgemm.operand<scale_b, f32, "bnk">, #tcgemm.operand<output, bf16, "mn">]
// CHECK-LABEL: func.func @both
// CHECK-SAME:    (%[[A:.*]]: tensor<?x512xf8E4M3FN>, %[[B:.*]]: tensor<8x256x512xf8E5M2>, %[[O:.*]]: tensor<8xi32>, %[[SA:.*]]: tensor<4x?xf32>, %[[SB:.*]]: tensor<8x2x4xf32>,
// CHECK-NOT:     linalg.generic
// CHECK:         tcgemm.launch @both_0 ins(%[[A]], %[[B]], %[[O]], %[[SA]], %[[SB]] :
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @both(%a: tensor<?x512xf8E4M3FN>, %b: tensor<8x256x512xf8E5M2>, %o: tensor<8xi32>, %sa: tensor<4x?xf32>, %sb: tensor<8x2x4xf32>, %e: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x512xf8E4M3FN>
  %ea = tensor.empty(%t) : tensor<?x512xf32>
  %fa = linalg.generic {indexing_maps = [#mk, #scaleA, #mk], iterator_types = ["parallel", "parallel"]}
    ins(%a, %sa : tensor<?x512xf8E4M3FN>, tensor<4x?xf32>) outs(%ea : tensor<?x512xf32>) {
  ^bb0(%x: f8E4M3FN, %s: f32, %out: f32):
    %y = arith.extf %x : f8E4M3FN to f32
    %z = arith.mulf %s, %y : f32
    linalg.yield %z : f32
  } -> tensor<?x512xf32>
  %eb = tensor.empty() : tensor<8x256x512xf32>
  // The scales come first.
  %fb = linalg.generic {indexing_maps = [#scaleB, #bnk, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%sb, %b : tensor<8x2x4xf32>, tensor<8x256x512xf8E5M2>) outs(%eb : tensor<8x256x512xf32>) {
  ^bb0(%s: f32, %x: f8E5M2, %out: f32):
    %y = arith.extf %x : f8E5M2 to f32
    %z = arith.mulf %y, %s : f32
    linalg.yield %z : f32
  } -> tensor<8x256x512xf32>
  %d = tcgemm.grouped_matmul ins(%fa, %fb, %o : tensor<?x512xf32>, tensor<8x256x512xf32>, tensor<8xi32>)
    outs(%e : tensor<?x256xbf16>) transpose_b -> tensor<?x256xbf16>
  return %d : tensor<?x256xbf16>
}

// Padded groups, of which A only has scales; they have k innermost. The scales are the
// result of another operation, which stays.

#bmk = affine_map<(b, m, k) -> (b, m, k)>
#ofRows = affine_map<(b, m, k) -> (b, m, k floordiv 128)>

// CHECK:      tcgemm.kernel @padded_0 <4x64x96x200>
// CHECK-SAME:   [#tcgemm.operand<a, f8E4M3FN, "bmk">, #tcgemm.operand<b, f8E4M3FN, "bkn">, #tcgemm.operand<counts, i32, "b">,
// CHECK-SAME:    #tcgemm.operand<scale_a, f32, "bmk">, #tcgemm.operand<output, f32, "bmn">]
// CHECK-LABEL: func.func @padded
// CHECK:         %[[S:.*]] = math.exp
// CHECK:         tcgemm.launch @padded_0 ins(%arg0, %arg1, %arg2, %[[S]] :
func.func @padded(%a: tensor<4x64x200xf8E4M3FN>, %b: tensor<4x200x96xf8E4M3FN>, %o: tensor<4xi32>, %v: tensor<4x64x2xf32>, %e: tensor<4x64x96xf32>) -> tensor<4x64x96xf32> {
  %sa = math.exp %v : tensor<4x64x2xf32>
  %ea = tensor.empty() : tensor<4x64x200xf32>
  %fa = linalg.generic {indexing_maps = [#bmk, #ofRows, #bmk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a, %sa : tensor<4x64x200xf8E4M3FN>, tensor<4x64x2xf32>) outs(%ea : tensor<4x64x200xf32>) {
  ^bb0(%x: f8E4M3FN, %s: f32, %out: f32):
    %y = arith.extf %x : f8E4M3FN to f32
    %z = arith.mulf %y, %s : f32
    linalg.yield %z : f32
  } -> tensor<4x64x200xf32>
  %fb = arith.extf %b : tensor<4x200x96xf8E4M3FN> to tensor<4x200x96xf32>
  %d = tcgemm.grouped_matmul ins(%fa, %fb, %o : tensor<4x64x200xf32>, tensor<4x200x96xf32>, tensor<4xi32>)
    outs(%e : tensor<4x64x96xf32>) {tcgemm.precision = "tf32"} -> tensor<4x64x96xf32>
  return %d : tensor<4x64x96xf32>
}

// Elements of 4 bits with scales and zero points of groups along k. A is bf16 itself. The
// zero points come before the scales, whose groups are outermost.

#bgn = affine_map<(b, n, k) -> (b, k floordiv 64, n)>
#bng = affine_map<(b, n, k) -> (b, n, k floordiv 64)>

// CHECK:      tcgemm.kernel @groups_0 <8x?x96x256>
// CHECK-SAME:   [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, ui4, "bnk">, #tcgemm.operand<offsets, i32, "b">,
// CHECK-SAME:    #tcgemm.operand<scale_b, f16, "bkn", group = 64>, #tcgemm.operand<zero_b, ui8, "bnk", group = 64>, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @groups
// CHECK-SAME:    %[[A:.*]]: tensor<?x256xbf16>, %[[B:.*]]: tensor<8x96x256xi4>, %[[O:.*]]: tensor<8xi32>, %[[S:.*]]: tensor<8x4x96xf16>, %[[Z:.*]]: tensor<8x96x4xi8>,
// CHECK-NOT:     linalg.generic
// CHECK:         tcgemm.launch @groups_0 ins(%[[A]], %[[B]], %[[O]], %[[S]], %[[Z]] :
func.func @groups(%a: tensor<?x256xbf16>, %b: tensor<8x96x256xi4>, %o: tensor<8xi32>, %s: tensor<8x4x96xf16>, %q: tensor<8x96x4xi8>, %e: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %eb = tensor.empty() : tensor<8x96x256xf32>
  %fb = linalg.generic {indexing_maps = [#bnk, #bng, #bgn, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %q, %s : tensor<8x96x256xi4>, tensor<8x96x4xi8>, tensor<8x4x96xf16>) outs(%eb : tensor<8x96x256xf32>) {
  ^bb0(%x: i4, %zero: i8, %t: f16, %out: f32):
    %y = arith.uitofp %x : i4 to f32
    %u = arith.uitofp %zero : i8 to f32
    %v = arith.subf %y, %u : f32
    %w = arith.extf %t : f16 to f32
    %z = arith.mulf %v, %w : f32
    linalg.yield %z : f32
  } -> tensor<8x96x256xf32>
  %d = tcgemm.grouped_matmul ins(%a, %fb, %o : tensor<?x256xbf16>, tensor<8x96x256xf32>, tensor<8xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b -> tensor<?x96xf32>
  return %d : tensor<?x96xf32>
}

// Padded groups whose A has the scales. An operation extends B.

#ofA = affine_map<(b, m, k) -> (b, m, k floordiv 32)>

// CHECK:      tcgemm.kernel @padded_groups_0 <4x64x96x256>
// CHECK-SAME:   [#tcgemm.operand<a, i4, "bmk">, #tcgemm.operand<b, f16, "bkn">, #tcgemm.operand<counts, i32, "b">,
// CHECK-SAME:    #tcgemm.operand<scale_a, f32, "bmk", group = 32>, #tcgemm.operand<output, bf16, "bmn">]
// CHECK-LABEL: func.func @padded_groups
// CHECK-NOT:     arith.extf
// CHECK:         tcgemm.launch @padded_groups_0 ins(%arg0, %arg1, %arg2, %arg3 :
func.func @padded_groups(%a: tensor<4x64x256xi4>, %b: tensor<4x256x96xf16>, %o: tensor<4xi32>, %s: tensor<4x64x8xf32>, %e: tensor<4x64x96xbf16>) -> tensor<4x64x96xbf16> {
  %ea = tensor.empty() : tensor<4x64x256xf32>
  %fa = linalg.generic {indexing_maps = [#bmk, #ofA, #bmk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a, %s : tensor<4x64x256xi4>, tensor<4x64x8xf32>) outs(%ea : tensor<4x64x256xf32>) {
  ^bb0(%x: i4, %t: f32, %out: f32):
    %y = arith.sitofp %x : i4 to f32
    %z = arith.mulf %t, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x64x256xf32>
  %fb = arith.extf %b : tensor<4x256x96xf16> to tensor<4x256x96xf32>
  %d = tcgemm.grouped_matmul ins(%fa, %fb, %o : tensor<4x64x256xf32>, tensor<4x256x96xf32>, tensor<4xi32>)
    outs(%e : tensor<4x64x96xbf16>) -> tensor<4x64x96xbf16>
  return %d : tensor<4x64x96xbf16>
}

// A kernel that reads f32 takes what an operation scaled for another partner, or from
// floats of 16 bits.

// CHECK:      tcgemm.kernel @others_0 <4x64x96x256>
// CHECK-SAME:   [#tcgemm.operand<a, tf32, "mk">, #tcgemm.operand<b, tf32, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @others
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK:         tcgemm.launch @others_0
#rowScale = affine_map<(m, k) -> (m)>
func.func @others(%a: tensor<64x256xbf16>, %v: tensor<64xf32>, %b: tensor<4x96x256xi4>, %o: tensor<4xi32>, %s: tensor<4x96x4xf32>, %e: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %ea = tensor.empty() : tensor<64x256xf32>
  %fa = linalg.generic {indexing_maps = [#mk, #rowScale, #mk], iterator_types = ["parallel", "parallel"]}
    ins(%a, %v : tensor<64x256xbf16>, tensor<64xf32>) outs(%ea : tensor<64x256xf32>) {
  ^bb0(%x: bf16, %t: f32, %out: f32):
    %y = arith.extf %x : bf16 to f32
    %z = arith.mulf %y, %t : f32
    linalg.yield %z : f32
  } -> tensor<64x256xf32>
  %eb = tensor.empty() : tensor<4x96x256xf32>
  %fb = linalg.generic {indexing_maps = [#bnk, #bng, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %s : tensor<4x96x256xi4>, tensor<4x96x4xf32>) outs(%eb : tensor<4x96x256xf32>) {
  ^bb0(%x: i4, %t: f32, %out: f32):
    %y = arith.sitofp %x : i4 to f32
    %z = arith.mulf %y, %t : f32
    linalg.yield %z : f32
  } -> tensor<4x96x256xf32>
  %d = tcgemm.grouped_matmul ins(%fa, %fb, %o : tensor<64x256xf32>, tensor<4x96x256xf32>, tensor<4xi32>)
    outs(%e : tensor<64x96xf32>) transpose_b {tcgemm.precision = "tf32"} -> tensor<64x96xf32>
  return %d : tensor<64x96xf32>
}

// The operand without scales may be FP8 itself.

// CHECK:      tcgemm.kernel @direct_0 <8x?x256x512>
// CHECK-SAME:   [#tcgemm.operand<a, f8E5M2, "mk">, #tcgemm.operand<b, f8E4M3FN, "bnk">, #tcgemm.operand<offsets, i32, "b">,
// CHECK-SAME:    #tcgemm.operand<scale_b, f32, "bnk">, #tcgemm.operand<output, f32, "mn">]
func.func @direct(%a: tensor<?x512xf8E5M2>, %b: tensor<8x256x512xf8E4M3FN>, %o: tensor<8xi32>, %sb: tensor<8x2x4xf32>, %e: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %eb = tensor.empty() : tensor<8x256x512xf32>
  %fb = linalg.generic {indexing_maps = [#bnk, #scaleB, #bnk], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%b, %sb : tensor<8x256x512xf8E4M3FN>, tensor<8x2x4xf32>) outs(%eb : tensor<8x256x512xf32>) {
  ^bb0(%x: f8E4M3FN, %s: f32, %out: f32):
    %y = arith.extf %x : f8E4M3FN to f32
    %z = arith.mulf %y, %s : f32
    linalg.yield %z : f32
  } -> tensor<8x256x512xf32>
  %d = tcgemm.grouped_matmul ins(%a, %fb, %o : tensor<?x512xf8E5M2>, tensor<8x256x512xf32>, tensor<8xi32>)
    outs(%e : tensor<?x256xf32>) transpose_b -> tensor<?x256xf32>
  return %d : tensor<?x256xf32>
}
