// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | tcgemm-opt -split-input-file | FileCheck %s

// Bits are extended without a sign. Their buffers have eight in a byte.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @common_0 <1x4x6x64>
// CHECK-SAME:    <a, ui1, "mk">, #tcgemm.operand<b, ui1, "nk">, #tcgemm.operand<output, i32, "mn">
// CHECK:       func.func @common
// CHECK:         tcgemm.launch @common_0
func.func @common(%a: tensor<4x64xi1>, %b: tensor<6x64xi1>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x64xi1>, tensor<6x64xi1>) outs(%init : tensor<4x6xi32>) {
  ^bb0(%x: i1, %y: i1, %s: i32):
    %u = arith.extui %x : i1 to i32
    %v = arith.extui %y : i1 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// A part of an argument, a cast of linalg, and two products of one argument.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: tcgemm.kernel @parts_0
// CHECK-SAME:    <a, ui1, "mk">, #tcgemm.operand<b, ui1, "nk">
// CHECK:       tcgemm.kernel @parts_1
// CHECK-SAME:    <a, ui1, "mk">, #tcgemm.operand<b, ui1, "nk">
func.func @parts(%a: memref<8x64xi1>, %b: memref<6x64xi1>, %c: memref<4x6xi32>, %d: memref<8x6xi32>) {
  %part = memref.subview %a[2, 0] [4, 64] [1, 1] : memref<8x64xi1> to memref<4x64xi1, strided<[64, 1], offset: 128>>
  linalg.matmul indexing_maps = [#a, #b, #d] {cast = #linalg.type_fn<cast_unsigned>}
    ins(%part, %b : memref<4x64xi1, strided<[64, 1], offset: 128>>, memref<6x64xi1>) outs(%c : memref<4x6xi32>)
  linalg.matmul indexing_maps = [#a, #b, #d] {cast = #linalg.type_fn<cast_unsigned>}
    ins(%a, %b : memref<8x64xi1>, memref<6x64xi1>) outs(%d : memref<8x6xi32>)
  return
}
