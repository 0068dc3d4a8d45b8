// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// CHECK-LABEL: func.func @groups
// CHECK: tcgemm.grouped_matmul ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4096xbf16>, tensor<8x64x4096xbf16>, tensor<8xi32>)
// CHECK-SAME: outs(%{{.*}} : tensor<?x64xbf16>) transpose_b -> tensor<?x64xbf16>
func.func @groups(%a: tensor<?x4096xbf16>, %b: tensor<8x64x4096xbf16>, %o: tensor<8xi32>, %e: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x4096xbf16>, tensor<8x64x4096xbf16>, tensor<8xi32>)
    outs(%e : tensor<?x64xbf16>) transpose_b -> tensor<?x64xbf16>
  return %d : tensor<?x64xbf16>
}

// CHECK-LABEL: tcgemm.kernel @kernel <?x?x?x?>
// CHECK-SAME: #tcgemm.operand<offsets, i32, "b">
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bkn">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
