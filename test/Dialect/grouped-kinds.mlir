// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// The ranks say how groups divide the operands.
// CHECK-LABEL: func.func @padded
// CHECK: tcgemm.grouped_matmul ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<8x?x32xbf16>, tensor<8x64x32xbf16>, tensor<8xi32>)
// CHECK-SAME: outs(%{{.*}} : tensor<8x?x64xbf16>) transpose_b -> tensor<8x?x64xbf16>
func.func @padded(%a: tensor<8x?x32xbf16>, %b: tensor<8x64x32xbf16>, %c: tensor<8xi32>, %e: tensor<8x?x64xbf16>) -> tensor<8x?x64xbf16> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %c : tensor<8x?x32xbf16>, tensor<8x64x32xbf16>, tensor<8xi32>)
    outs(%e : tensor<8x?x64xbf16>) transpose_b -> tensor<8x?x64xbf16>
  return %d : tensor<8x?x64xbf16>
}

// CHECK-LABEL: func.func @ragged
// CHECK: tcgemm.grouped_matmul ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x96xbf16>, tensor<?x64xbf16>, tensor<8xi32>)
// CHECK-SAME: outs(%{{.*}} : tensor<8x96x64xf32>) transpose_a -> tensor<8x96x64xf32>
// CHECK: tcgemm.grouped_matmul ins(%{{.*}}) outs(%{{.*}}) transpose_b -> tensor<8x?x64xf32>
func.func @ragged(%a: tensor<?x96xbf16>, %b: tensor<?x64xbf16>, %c: tensor<64x?xbf16>, %o: tensor<8xi32>,
                  %e: tensor<8x96x64xf32>, %f: tensor<8x?x64xf32>) -> (tensor<8x96x64xf32>, tensor<8x?x64xf32>) {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x96xbf16>, tensor<?x64xbf16>, tensor<8xi32>)
    outs(%e : tensor<8x96x64xf32>) transpose_a -> tensor<8x96x64xf32>
  %g = tcgemm.grouped_matmul ins(%a, %c, %o : tensor<?x96xbf16>, tensor<64x?xbf16>, tensor<8xi32>)
    outs(%f : tensor<8x?x64xf32>) transpose_b -> tensor<8x?x64xf32>
  return %d, %g : tensor<8x96x64xf32>, tensor<8x?x64xf32>
}

// CHECK-LABEL: tcgemm.kernel @counts <8x?x?x?>
// CHECK-SAME: #tcgemm.operand<counts, i32, "b">
tcgemm.kernel @counts <8x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bkn">,
     #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// CHECK-LABEL: tcgemm.kernel @along_k <?x?x?x?>
// CHECK-SAME: #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">
tcgemm.kernel @along_k <?x?x?x?>
    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
