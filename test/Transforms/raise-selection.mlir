// RUN: tcgemm-opt %s -tcgemm-raise="remarks=false" | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-raise="remarks=false only-marked" | FileCheck %s --check-prefix=MARKED
// RUN: tcgemm-opt %s -tcgemm-raise="only-marked" 2>&1 | FileCheck %s --check-prefix=REMARKS

// Attributes choose which operations are taken, and their configurations.
// Products that differ in these are different kernels.

// CHECK:       tcgemm.kernel @f_0
// CHECK-NOT:     attributes
// CHECK:       tcgemm.kernel @f_1
// CHECK:         config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 32]>
// CHECK:       tcgemm.kernel @f_2
// CHECK:         config = #tcgemm.config<schedule = mma_sync, cta = [128, 64, 32]>
// CHECK:       tcgemm.kernel @f_3
// CHECK-LABEL: func.func @f
// CHECK:         tcgemm.launch @f_0
// CHECK:         tcgemm.launch @f_0
// CHECK:         tcgemm.launch @f_1
// CHECK:         tcgemm.launch @f_2
// CHECK:         linalg.matmul {tcgemm.skip}
// CHECK:         tcgemm.launch @f_3
// CHECK:         linalg.exp {tcgemm.skip}

// MARKED-LABEL: func.func @f
// MARKED:         linalg.matmul ins
// MARKED:         tcgemm.launch @f_0
// MARKED:         tcgemm.launch @f_1
// MARKED:         tcgemm.launch @f_2
// MARKED:         linalg.matmul {tcgemm.skip}
// MARKED:         linalg.matmul ins
// MARKED:         linalg.exp

// REMARKS: 'linalg.matmul' is left as it is: it has neither tcgemm.take nor tcgemm.config, and only-marked takes no others
// REMARKS: 'linalg.matmul' is left as it is: it is marked tcgemm.skip
func.func @f(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul {tcgemm.take} ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.matmul {tcgemm.config = #tcgemm.config<cta = [64, 64, 32]>}
    ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = linalg.matmul {tcgemm.config = #tcgemm.config<cta = [128, 64, 32]>}
    ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = linalg.matmul {tcgemm.skip} ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%3 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = linalg.matmul ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = linalg.exp {tcgemm.skip} ins(%5 : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4, %6 : tensor<8x8xf32>, tensor<8x8xf32>
}
