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
