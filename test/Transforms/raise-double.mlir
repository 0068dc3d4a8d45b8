// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | tcgemm-opt -split-input-file | FileCheck %s

// Sums of f64 are f64. A subtraction in the body makes the result C - A·B.

// CHECK-LABEL: tcgemm.kernel @double_0 <1x4x6x8>
// CHECK-SAME:    <a, f64, "mk">, #tcgemm.operand<b, f64, "kn">, #tcgemm.operand<output, f64, "mn">
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f64):
// CHECK-NEXT:    tcgemm.yield %[[ACC]] : f64
func.func @double(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %zero = arith.constant 0.0 : f64
  %init = linalg.fill ins(%zero : f64) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf64>, tensor<8x6xf64>) outs(%init : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}

// -----

// BLAS: α·A·B + β·C, rounded to f32 at the end.

#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @factors_0
// CHECK-SAME:    <input, f64, "mn">, #tcgemm.operand<scalar, f64, "">, #tcgemm.operand<scalar, f64, "">, #tcgemm.operand<output, f32, "mn">
// CHECK:         arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK:         arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK:         arith.addf %{{.*}}, %{{.*}} : f64
// CHECK:         arith.truncf %{{.*}} : f64 to f32
func.func @factors(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>, %alpha: f64, %beta: f64) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<4x6xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<4x6xf64>) -> tensor<4x6xf64>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf64>, tensor<8x6xf64>) outs(%init : tensor<4x6xf64>) -> tensor<4x6xf64>
  %out = tensor.empty() : tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %c : tensor<4x6xf64>, tensor<4x6xf64>) outs(%out : tensor<4x6xf32>) {
  ^bb0(%x: f64, %y: f64, %o: f32):
    %p = arith.mulf %x, %alpha : f64
    %q = arith.mulf %y, %beta : f64
    %s = arith.addf %p, %q : f64
    %t = arith.truncf %s : f64 to f32
    linalg.yield %t : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// C := C - A·B on buffers is in place: D is C.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @update_0
// CHECK-SAME:    <a, f64, "mk">, #tcgemm.operand<b, f64, "kn">, #tcgemm.operand<input, f64, "mn">, #tcgemm.operand<output, f64, "mn">
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f64, %[[C:.*]]: f64):
// CHECK-NEXT:    %[[D:.*]] = arith.subf %[[C]], %[[ACC]] : f64
// CHECK-NEXT:    tcgemm.yield %[[D]] : f64
// CHECK-NEXT:  } attributes {in_place}
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[A:.*]]: memref<4x8xf64>, %[[B:.*]]: memref<8x6xf64>, %[[TO:.*]]: memref<4x6xf64>
// CHECK:         tcgemm.launch @update_0 ins(%[[A]], %[[B]], %[[TO]] : {{.*}}) outs(%[[TO]] :
func.func @update(%a: memref<4x8xf64>, %b: memref<8x6xf64>, %c: memref<4x6xf64>) {
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf64>, memref<8x6xf64>) outs(%c : memref<4x6xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.subf %s, %p : f64
    linalg.yield %q : f64
  }
  return
}

// -----

// The same on tensors, where C is writable; with other types.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @update_tensor_0
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT:    arith.subf %[[C]], %[[ACC]] : f32
// CHECK:       } attributes {in_place}
func.func @update_tensor(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %c: tensor<4x6xf32> {bufferization.writable = true}) -> tensor<4x6xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %q = arith.subf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// BLAS's dgemm in place: C is the destination of the operation that scales it.
// Transposed, it is an input of other elements than those that are written.

#id = affine_map<(m, n) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>
// CHECK-LABEL: tcgemm.kernel @dgemm_0
// CHECK-SAME:    <input, f64, "mn">
// CHECK:       } attributes {in_place}
// CHECK-LABEL: func.func @dgemm(
// CHECK-SAME:    %[[TO:[^:]*]]: tensor<6x6xf64> {bufferization.writable = true}
// CHECK:         tcgemm.launch @dgemm_0 ins({{.*}}, %[[TO]], {{.*}}) outs(%[[TO]] :
func.func @dgemm(%c: tensor<6x6xf64> {bufferization.writable = true}, %a: tensor<6x8xf64>, %b: tensor<8x6xf64>, %alpha: f64, %beta: f64) -> tensor<6x6xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<6x6xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<6x6xf64>) -> tensor<6x6xf64>
  %0 = linalg.matmul ins(%a, %b : tensor<6x8xf64>, tensor<8x6xf64>) outs(%init : tensor<6x6xf64>) -> tensor<6x6xf64>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<6x6xf64>) outs(%c : tensor<6x6xf64>) {
  ^bb0(%x: f64, %y: f64):
    %p = arith.mulf %x, %alpha : f64
    %q = arith.mulf %y, %beta : f64
    %s = arith.addf %p, %q : f64
    linalg.yield %s : f64
  } -> tensor<6x6xf64>
  return %1 : tensor<6x6xf64>
}

// CHECK-LABEL: tcgemm.kernel @turned_0
// CHECK-SAME:    <input, f64, "nm">
// CHECK-NOT:   in_place
// CHECK-LABEL: func.func @turned(
func.func @turned(%c: tensor<6x6xf64> {bufferization.writable = true}, %a: tensor<6x8xf64>, %b: tensor<8x6xf64>) -> tensor<6x6xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<6x6xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<6x6xf64>) -> tensor<6x6xf64>
  %0 = linalg.matmul ins(%a, %b : tensor<6x8xf64>, tensor<8x6xf64>) outs(%init : tensor<6x6xf64>) -> tensor<6x6xf64>
  %1 = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %c : tensor<6x6xf64>, tensor<6x6xf64>) outs(%c : tensor<6x6xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %s = arith.addf %x, %y : f64
    linalg.yield %s : f64
  } -> tensor<6x6xf64>
  return %1 : tensor<6x6xf64>
}

// -----

// Without C the sum is subtracted from zero.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @negative_0
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: i32):
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    arith.subi %[[ZERO]], %[[ACC]] : i32
func.func @negative(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>) -> tensor<4x6xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<4x6xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<4x6xi32>) -> tensor<4x6xi32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%init : tensor<4x6xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.subi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
