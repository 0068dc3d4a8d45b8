// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s --check-prefixes=CHECK,IEEE
// RUN: tcgemm-opt %s -tcgemm-raise=precision=tf32 -split-input-file | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: tcgemm-opt %s -tcgemm-raise=precision=f16 -split-input-file | FileCheck %s --check-prefixes=CHECK,F16
// RUN: tcgemm-opt %s -tcgemm-raise=precision=tf32 -split-input-file | tcgemm-opt -split-input-file | FileCheck %s --check-prefixes=CHECK,TF32

// The pass's option is for products that do not name a precision. Buffers stay
// f32, as do inputs of the epilogue.

// CHECK-LABEL: tcgemm.kernel @plain_0 <1x4x6x8>
// IEEE-SAME:     <a, f32, "mk">, #tcgemm.operand<b, f32, "kn">, #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "mn">
// TF32-SAME:     <a, tf32, "mk">, #tcgemm.operand<b, tf32, "kn">, #tcgemm.operand<input, f32, "mn">, #tcgemm.operand<output, f32, "mn">
// CHECK:       tcgemm.launch @plain_0 ins(%{{.*}} : tensor<4x8xf32>, tensor<8x6xf32>, tensor<4x6xf32>)
func.func @plain(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// The attribute wins.

// CHECK-LABEL: tcgemm.kernel @marked_0
// CHECK-SAME:    <a, tf32, "mk">, #tcgemm.operand<b, tf32, "kn">
// CHECK-LABEL: tcgemm.kernel @marked_1
// CHECK-SAME:    <a, f32, "mk">, #tcgemm.operand<b, f32, "kn">
func.func @marked(%a: memref<4x8xf32>, %b: memref<8x6xf32>, %c: memref<4x6xf32>, %d: memref<4x6xf32>) {
  linalg.matmul {tcgemm.precision = "tf32"} ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>) outs(%c : memref<4x6xf32>)
  linalg.matmul {tcgemm.precision = "ieee"} ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>) outs(%d : memref<4x6xf32>)
  return
}

// -----

// The option is for operands that may have the precision. Others keep theirs.

// CHECK-LABEL: tcgemm.kernel @narrow_0
// CHECK-SAME:    <a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">
// CHECK-LABEL: tcgemm.kernel @narrow_1
// IEEE-SAME:     <a, f16, "mk">, #tcgemm.operand<b, f16, "kn">
// TF32-SAME:     <a, f16, "mk">, #tcgemm.operand<b, f16, "kn">
// F16-SAME:      <a, !tcgemm.precision<f16acc16>, "mk">, #tcgemm.operand<b, !tcgemm.precision<f16acc16>, "kn">
// CHECK-LABEL: tcgemm.kernel @narrow_2
// CHECK-SAME:    <a, f16, "mk">, #tcgemm.operand<b, i8, "kn">
func.func @narrow(%a: memref<4x8xbf16>, %b: memref<8x6xbf16>, %c: memref<4x6xf32>, %d: memref<4x8xf16>, %e: memref<8x6xf16>, %f: memref<8x6xi8>) {
  linalg.matmul ins(%a, %b : memref<4x8xbf16>, memref<8x6xbf16>) outs(%c : memref<4x6xf32>)
  linalg.matmul ins(%d, %e : memref<4x8xf16>, memref<8x6xf16>) outs(%c : memref<4x6xf32>)
  linalg.matmul ins(%d, %f : memref<4x8xf16>, memref<8x6xi8>) outs(%c : memref<4x6xf32>)
  return
}

// -----

// CHECK-LABEL: tcgemm.kernel @half_0
// CHECK-SAME:    <a, !tcgemm.precision<f16acc16>, "mk">, #tcgemm.operand<b, !tcgemm.precision<f16acc16>, "kn">
// CHECK-NEXT:  ^bb0(%{{.*}}: f32
func.func @half(%a: memref<4x8xf16>, %b: memref<8x6xf16>, %c: memref<4x6xf16>) {
  linalg.matmul {tcgemm.precision = "f16"} ins(%a, %b : memref<4x8xf16>, memref<8x6xf16>) outs(%c : memref<4x6xf16>)
  return
}
