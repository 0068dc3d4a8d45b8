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

// CHECK-LABEL: func.func @integers
// CHECK: tcgemm.grouped_matmul
// CHECK-SAME: transpose_b unsigned_a unsigned_b -> tensor<?x64xi32>
// CHECK: tcgemm.grouped_matmul
// CHECK-SAME: transpose_b unsigned_b {tcgemm.skip} -> tensor<?x64xi32>
func.func @integers(%a: tensor<?x128xi8>, %b: tensor<8x64x128xi8>, %o: tensor<8xi32>, %e: tensor<?x64xi32>) -> tensor<?x64xi32> {
  %c = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x128xi8>, tensor<8x64x128xi8>, tensor<8xi32>)
    outs(%e : tensor<?x64xi32>) transpose_b unsigned_a unsigned_b -> tensor<?x64xi32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x128xi8>, tensor<8x64x128xi8>, tensor<8xi32>)
    outs(%c : tensor<?x64xi32>) transpose_b unsigned_b {tcgemm.skip} -> tensor<?x64xi32>
  return %d : tensor<?x64xi32>
}

// A kernel with scales of blocks: those of B are a matrix for each group.
// CHECK-LABEL: tcgemm.kernel @scaled <?x?x?x?>
// CHECK-SAME: #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_a, f32, "km">, #tcgemm.operand<scale_b, f32, "bnk">
tcgemm.kernel @scaled <?x?x?x?>
    [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E4M3FN, "bnk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_a, f32, "km">,
     #tcgemm.operand<scale_b, f32, "bnk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// Values of groups, repeated for their rows.
// CHECK-LABEL: func.func @values
// CHECK: tcgemm.group_broadcast ins(%{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<8xi32>)
// CHECK-SAME: outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK: tcgemm.group_broadcast ins(%{{.*}}, %{{.*}} : tensor<?xi8>, tensor<8xi32>)
// CHECK-SAME: outs(%{{.*}} : tensor<100xi8>) -> tensor<100xi8>
func.func @values(%v: tensor<8x64xf32>, %w: tensor<?xi8>, %o: tensor<8xi32>, %e: tensor<?x64xf32>, %f: tensor<100xi8>) -> (tensor<?x64xf32>, tensor<100xi8>) {
  %r = tcgemm.group_broadcast ins(%v, %o : tensor<8x64xf32>, tensor<8xi32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %s = tcgemm.group_broadcast ins(%w, %o : tensor<?xi8>, tensor<8xi32>) outs(%f : tensor<100xi8>) -> tensor<100xi8>
  return %r, %s : tensor<?x64xf32>, tensor<100xi8>
}

// An input with the dimension b has values for each group.
// CHECK-LABEL: tcgemm.kernel @values_of_groups <?x?x?x?>
// CHECK-SAME: #tcgemm.operand<input, f32, "bn">, #tcgemm.operand<input, f32, "b">
tcgemm.kernel @values_of_groups <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bkn">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<input, f32, "bn">,
     #tcgemm.operand<input, f32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %bias: f32, %scale: f32):
  %0 = arith.mulf %acc, %scale : f32
  %1 = arith.addf %0, %bias : f32
  tcgemm.yield %1 : f32
}

// Kernels check the offsets by option.
// CHECK-LABEL: func.func @checked
// CHECK: tcgemm.grouped_matmul
// CHECK-SAME: transpose_b unsigned_b check_offsets {tcgemm.skip} -> tensor<?x64xi32>
func.func @checked(%a: tensor<?x128xi8>, %b: tensor<8x64x128xi8>, %o: tensor<8xi32>, %e: tensor<?x64xi32>) -> tensor<?x64xi32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x128xi8>, tensor<8x64x128xi8>, tensor<8xi32>)
    outs(%e : tensor<?x64xi32>) transpose_b unsigned_b check_offsets {tcgemm.skip} -> tensor<?x64xi32>
  return %d : tensor<?x64xi32>
}

// CHECK-LABEL: tcgemm.kernel @checking <?x?x?x?>
// CHECK: attributes {check_offsets}
tcgemm.kernel @checking <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bkn">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {check_offsets}

// Elements of 4 bits have scales and zero points of groups along k.
// CHECK-LABEL: tcgemm.kernel @scaled_groups <?x?x?x?>
// CHECK-SAME: #tcgemm.operand<scale_b, f16, "bkn", group = 64>, #tcgemm.operand<zero_b, ui8, "bnk", group = 64>
tcgemm.kernel @scaled_groups <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, ui4, "bnk">,
     #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_b, f16, "bkn", group = 64>,
     #tcgemm.operand<zero_b, ui8, "bnk", group = 64>, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
