// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false | FileCheck %s

// CHECK:      tcgemm.kernel @groups_0 <8x?x64x4096>
// CHECK-SAME:   [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, bf16, "mn">]
// CHECK:      ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT:   %[[D:.*]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK-NEXT:   tcgemm.yield %[[D]] : bf16
// CHECK-LABEL: func.func @groups
// CHECK-SAME:    (%[[A:.*]]: tensor<?x4096xbf16>, %[[B:.*]]: tensor<8x64x4096xbf16>, %[[O:.*]]: tensor<8xi32>, %[[E:.*]]: tensor
// CHECK:         %[[R:.*]] = tcgemm.launch @groups_0 ins(%[[A]], %[[B]], %[[O]] : {{.*}}) outs(%[[E]] : {{.*}})
// CHECK:         return %[[R]]
func.func @groups(%a: tensor<?x4096xbf16>, %b: tensor<8x64x4096xbf16>, %o: tensor<8xi32>, %e: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x4096xbf16>, tensor<8x64x4096xbf16>, tensor<8xi32>)
    outs(%e : tensor<?x64xbf16>) transpose_b -> tensor<?x64xbf16>
  return %d : tensor<?x64xbf16>
}

// The sum is not rounded, and N is innermost in B.
// CHECK-LABEL: func.func @sums
// CHECK:         tcgemm.launch @sums_0
func.func @sums(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %o: tensor<?xi32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xf16>, tensor<?x?x?xf16>, tensor<?xi32>)
    outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// Elementwise consumers are fused, with the vectors and matrices that they read.
// CHECK:      tcgemm.kernel @fused_0 <4x?x96x64>
// CHECK-SAME:   [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<input, f32, "n">, #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<output, bf16, "mn">]
// CHECK:      ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32, %{{.*}}: bf16):
// CHECK:        arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK-LABEL: func.func @fused
// CHECK-NOT:     linalg.generic
// CHECK:         tcgemm.launch @fused_0 ins(%arg0, %arg1, %arg2, %arg3, %arg4 :
// CHECK-NOT:     linalg.generic
func.func @fused(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xbf16>, %o: tensor<4xi32>, %bias: tensor<96xf32>, %res: tensor<?x96xbf16>) -> tensor<?x96xbf16> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%t) : tensor<?x96xf32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b -> tensor<?x96xf32>
  %e2 = tensor.empty(%t) : tensor<?x96xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%d, %bias, %res : tensor<?x96xf32>, tensor<96xf32>, tensor<?x96xbf16>) outs(%e2 : tensor<?x96xbf16>) {
  ^bb0(%x: f32, %y: f32, %z: bf16, %out: bf16):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %x, %y : f32
    %p = arith.maximumf %s, %zero : f32
    %w = arith.extf %z : bf16 to f32
    %q = arith.addf %p, %w : f32
    %h = arith.truncf %q : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<?x96xbf16>
  return %r : tensor<?x96xbf16>
}

// Two products meet: the second one's result is an input of the first one's kernel.
// CHECK-LABEL: func.func @gate
// CHECK:         %[[SECOND:.*]] = tcgemm.launch @gate_{{.}} ins(%arg0, %arg2, %arg3 :
// CHECK:         tcgemm.launch @gate_{{.}} ins(%arg0, %arg1, %arg3, %[[SECOND]] :
// CHECK-NOT:     arith.mulf
// CHECK:         return
func.func @gate(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xbf16>, %c: tensor<4x96x64xbf16>, %o: tensor<4xi32>) -> tensor<?x96xbf16> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%t) : tensor<?x96xbf16>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xbf16>) transpose_b -> tensor<?x96xbf16>
  %d2 = tcgemm.grouped_matmul ins(%a, %c, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xbf16>) transpose_b -> tensor<?x96xbf16>
  %r = arith.mulf %d, %d2 : tensor<?x96xbf16>
  return %r : tensor<?x96xbf16>
}

// Integers have the signs that the operation says, and sums of i32.
// CHECK:      tcgemm.kernel @integers_0 <4x?x96x64>
// CHECK-SAME:   [#tcgemm.operand<a, ui8, "mk">, #tcgemm.operand<b, i8, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, i32, "mn">]
// CHECK-NEXT: ^bb0(%{{.*}}: i32):
func.func @integers(%a: tensor<?x64xi8>, %b: tensor<4x96x64xi8>, %o: tensor<4xi32>, %e: tensor<?x96xi32>) -> tensor<?x96xi32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xi8>, tensor<4x96x64xi8>, tensor<4xi32>)
    outs(%e : tensor<?x96xi32>) transpose_b unsigned_a -> tensor<?x96xi32>
  return %d : tensor<?x96xi32>
}

// One operand of 4 or 8 bits, whose partner is f16 or bf16.
// CHECK:      tcgemm.kernel @weights_0
// CHECK-SAME:   [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, ui4, "bnk">, #tcgemm.operand<offsets, i32, "b">
// CHECK-NEXT: ^bb0(%{{.*}}: f32):
func.func @weights(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xi4>, %o: tensor<4xi32>, %e: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xi4>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b unsigned_b -> tensor<?x96xf32>
  return %d : tensor<?x96xf32>
}

// Bits have no sign.
// CHECK:      tcgemm.kernel @bits_0
// CHECK-SAME:   [#tcgemm.operand<a, ui1, "mk">, #tcgemm.operand<b, ui1, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, i32, "mn">]
func.func @bits(%a: tensor<?x512xi1>, %b: tensor<4x96x512xi1>, %o: tensor<4xi32>, %e: tensor<?x96xi32>) -> tensor<?x96xi32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x512xi1>, tensor<4x96x512xi1>, tensor<4xi32>)
    outs(%e : tensor<?x96xi32>) transpose_b -> tensor<?x96xi32>
  return %d : tensor<?x96xi32>
}

// The attribute states how products of f32 are computed.
// CHECK:      tcgemm.kernel @rounded_0
// CHECK-SAME:   [#tcgemm.operand<a, tf32, "mk">, #tcgemm.operand<b, tf32, "bnk">, #tcgemm.operand<offsets, i32, "b">
// CHECK:      tcgemm.kernel @rounded_1
// CHECK-SAME:   [#tcgemm.operand<a, !tcgemm.precision<bf16x3>, "mk">, #tcgemm.operand<b, !tcgemm.precision<bf16x3>, "bnk">, #tcgemm.operand<offsets, i32, "b">
func.func @rounded(%a: tensor<?x64xf32>, %b: tensor<4x96x64xf32>, %o: tensor<4xi32>, %e: tensor<?x96xf32>) -> (tensor<?x96xf32>, tensor<?x96xf32>) {
  %c = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xf32>, tensor<4x96x64xf32>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b {tcgemm.precision = "tf32"} -> tensor<?x96xf32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xf32>, tensor<4x96x64xf32>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b {tcgemm.precision = "bf16x3"} -> tensor<?x96xf32>
  return %c, %d : tensor<?x96xf32>, tensor<?x96xf32>
}

// Rows that repeat values of the product's groups are inputs with the dimension b, and are
// not computed.
// CHECK:      tcgemm.kernel @values_0 <4x?x96x64>
// CHECK-SAME:   [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E4M3FN, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<input, f32, "b">, #tcgemm.operand<input, f32, "bn">, #tcgemm.operand<output, bf16, "mn">]
// CHECK:      ^bb0(%[[SUM:.*]]: f32, %[[SCALE:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT:   %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[SCALE]] : f32
// CHECK-NEXT:   arith.addf %[[SCALED]], %[[BIAS]] : f32
// CHECK-LABEL: func.func @values
// CHECK-NOT:     tcgemm.group_broadcast
// CHECK:         tcgemm.launch @values_0 ins(%arg0, %arg1, %arg2, %arg3, %arg4 :
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @values(%a: tensor<?x64xf8E4M3FN>, %b: tensor<4x96x64xf8E4M3FN>, %o: tensor<4xi32>, %scale: tensor<4xf32>, %bias: tensor<4x96xf32>) -> tensor<?x96xbf16> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xf8E4M3FN>
  %e = tensor.empty(%t) : tensor<?x96xf32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xf8E4M3FN>, tensor<4x96x64xf8E4M3FN>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b -> tensor<?x96xf32>
  %e1 = tensor.empty(%t) : tensor<?xf32>
  %s = tcgemm.group_broadcast ins(%scale, %o : tensor<4xf32>, tensor<4xi32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %v = tcgemm.group_broadcast ins(%bias, %o : tensor<4x96xf32>, tensor<4xi32>) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %e2 = tensor.empty(%t) : tensor<?x96xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%d, %s, %v : tensor<?x96xf32>, tensor<?xf32>, tensor<?x96xf32>) outs(%e2 : tensor<?x96xbf16>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %out: bf16):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %p, %z : f32
    %h = arith.truncf %q : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<?x96xbf16>
  return %r : tensor<?x96xbf16>
}

// Operations on whole tensors read them, too, and so do copies and broadcasts on the way.
// CHECK:      tcgemm.kernel @whole_0 <4x?x96x64>
// CHECK-SAME:   #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<input, f32, "bn">, #tcgemm.operand<input, f32, "b">, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @whole
// CHECK-NOT:     tcgemm.group_broadcast
// CHECK-NOT:     arith.addf
// CHECK:         tcgemm.launch @whole_0 ins(%arg0, %arg1, %arg2, %arg3, %arg4 :
func.func @whole(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xbf16>, %o: tensor<4xi32>, %bias: tensor<4x96xf32>, %scale: tensor<4xf32>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%t) : tensor<?x96xf32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b -> tensor<?x96xf32>
  %v = tcgemm.group_broadcast ins(%bias, %o : tensor<4x96xf32>, tensor<4xi32>) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %sum = arith.addf %d, %v : tensor<?x96xf32>
  %e1 = tensor.empty(%t) : tensor<?xf32>
  %s = tcgemm.group_broadcast ins(%scale, %o : tensor<4xf32>, tensor<4xi32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %w = linalg.broadcast ins(%s : tensor<?xf32>) outs(%e : tensor<?x96xf32>) dimensions = [1]
  %r = arith.mulf %sum, %w : tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
