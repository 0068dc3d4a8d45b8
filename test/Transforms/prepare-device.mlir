// RUN: tcgemm-opt %s -tcgemm-prepare-device -split-input-file | FileCheck %s

// Softmax becomes reductions and elementwise operations; the exponentials are
// computed where they are read, not stored.

// CHECK-LABEL: func.func @softmax
// CHECK:         linalg.generic
// CHECK:           arith.max
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:           arith.addf
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:           arith.divf
// CHECK-NOT:     linalg.softmax
// CHECK-NOT:     linalg.generic
func.func @softmax(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// An operand that a product reads many times is computed once.

// CHECK-LABEL: func.func @read_often
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.generic
// CHECK-NOT:       math.exp
// CHECK:           arith.mulf
func.func @read_often(%x: tensor<8x64xf64>, %y: tensor<64x8xf64>, %z: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %e = tensor.empty() : tensor<8x64xf64>
  %0 = linalg.exp ins(%x : tensor<8x64xf64>) outs(%e : tensor<8x64xf64>) -> tensor<8x64xf64>
  %1 = linalg.matmul ins(%0, %y : tensor<8x64xf64>, tensor<64x8xf64>) outs(%z : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %1 : tensor<8x8xf64>
}

// -----

// Pads, concatenations, arithmetic on tensors and constants of equal elements.

// CHECK-LABEL: func.func @others
// CHECK-NOT:     dense<
// CHECK-NOT:     tensor.pad
// CHECK-NOT:     tensor.concat
// CHECK:         linalg.fill
// CHECK:         tensor.insert_slice
// CHECK:         return
func.func @others(%x: tensor<8x8xf32>) -> tensor<20x10xf32> {
  %zero = arith.constant 0.0 : f32
  %ones = arith.constant dense<1.0> : tensor<8x8xf32>
  %0 = arith.addf %x, %ones : tensor<8x8xf32>
  %1 = tensor.pad %0 low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x8xf32> to tensor<10x10xf32>
  %2 = tensor.concat dim(0) %1, %1 : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<20x10xf32>
  return %2 : tensor<20x10xf32>
}

// -----

// Each reduction has a fill of its own, so that no filled buffer is copied.

// CHECK-LABEL: func.func @fills
// CHECK-COUNT-2: linalg.fill
func.func @fills(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.addf } ins(%y : tensor<8x64xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The slice of the copy is what a product will write to.

// CHECK-LABEL: func.func @insertion
// CHECK-SAME:    %[[BIG:[a-z0-9]+]]: tensor<100x100xf32>, %[[MINE:[a-z0-9]+]]: tensor<100x100xf32> {bufferization.writable = true}
// CHECK:         %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[BIG]])
// CHECK:         tensor.insert_slice %{{.*}} into %[[COPY]]
// CHECK:         tensor.insert_slice %{{.*}} into %[[MINE]]
func.func @insertion(%x: tensor<40x24xf32>, %big: tensor<100x100xf32>, %mine: tensor<100x100xf32> {bufferization.writable = true})
    -> (tensor<100x100xf32>, tensor<100x100xf32>) {
  %0 = tensor.insert_slice %x into %big[10, 20] [40, 24] [1, 1] : tensor<40x24xf32> into tensor<100x100xf32>
  %1 = tensor.insert_slice %x into %mine[10, 20] [40, 24] [1, 1] : tensor<40x24xf32> into tensor<100x100xf32>
  return %0, %1 : tensor<100x100xf32>, tensor<100x100xf32>
}
